//! Properties of models.

use crate::States;
use manyworlds_core as core;
pub use manyworlds_core::Kind;
use std::fmt;
use std::sync::Arc;

/// A property that a model must have.
pub struct Property<M: States> {
    /// The user's name for it.
    pub name: String,
    /// When it must hold.
    pub kind: Kind,
    /// Once violated it stays violated on every path (two different decisions, say). Engines that do not visit every global
    /// state can decide such an invariant at the end of each execution.
    pub stable: bool,
    /// Whether it holds in a state; of [`Kind::LeadsTo`], whether its goal is reached there.
    pub holds: Holds<M>,
    /// Of [`Kind::LeadsTo`]: whether a state asks for the goal.
    pub when: Option<Holds<M>>,
    /// Of [`Kind::LeadsTo`]: the number of the promise, if it is one of a monitor: see [`crate::TransitionSystem::promises`].
    pub promise: Option<usize>,
}

/// A predicate on states; it may capture variables.
pub type Holds<M> = Arc<dyn Fn(&M, &<M as States>::State) -> bool + Send + Sync>;

impl<M: States> Property<M> {
    /// A property of any kind.
    pub fn new(
        kind: Kind,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property { name: name.into(), kind, stable: false, holds: Arc::new(holds), when: None, promise: None }
    }

    /// Holds in every reachable state.
    pub fn always(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::Always, name, holds)
    }

    /// Holds in no reachable state.
    pub fn never(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::Never, name, holds)
    }

    /// Holds in some reachable state.
    pub fn sometimes(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::Sometimes, name, holds)
    }

    /// Holds somewhere on every maximal path.
    pub fn eventually(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::Eventually, name, holds)
    }

    /// Holds again and again on every maximal path, and at its end if it has one: TLA+'s `[]<>P`.
    pub fn always_eventually(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::AlwaysEventually, name, holds)
    }

    /// On every maximal path a state in which `when` holds is followed by one in which `then` holds, or is one: TLA+'s `P ~> Q`.
    pub fn leads_to(
        name: impl Into<String>,
        when: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
        then: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property { when: Some(Arc::new(when)), ..Property::new(Kind::LeadsTo, name, then) }
    }

    /// Holds in every terminal state.
    pub fn at_rest(
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Property<M> {
        Property::new(Kind::AtRest, name, holds)
    }

    /// Declares that once violated it stays violated.
    pub fn stable(mut self) -> Property<M> {
        self.stable = true;
        self
    }

    /// The name under which a violation is reported.
    pub fn reported(&self) -> core::Requirement {
        let name = self.name.clone();
        match self.kind {
            Kind::Always => core::Requirement::Always { name },
            Kind::Never => core::Requirement::Never { name },
            Kind::Sometimes => core::Requirement::Sometimes { name },
            Kind::Eventually => core::Requirement::Eventually { name },
            Kind::AlwaysEventually => core::Requirement::AlwaysEventually { name },
            Kind::LeadsTo => core::Requirement::LeadsTo { name },
            Kind::AtRest => core::Requirement::AtRest { name },
        }
    }
}

impl<M: States> Clone for Property<M> {
    fn clone(&self) -> Property<M> {
        let Property { name, kind, stable, holds, when, promise } = self;
        Property {
            name: name.clone(),
            kind: *kind,
            stable: *stable,
            holds: holds.clone(),
            when: when.clone(),
            promise: *promise,
        }
    }
}

impl<M: States> fmt::Debug for Property<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind, self.name)
    }
}
