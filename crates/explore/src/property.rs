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
    /// Whether it holds in a state.
    pub holds: Holds<M>,
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
        Property { name: name.into(), kind, stable: false, holds: Arc::new(holds) }
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
    pub fn reported(&self) -> core::Property {
        let name = self.name.clone();
        match self.kind {
            Kind::Always => core::Property::Always { name },
            Kind::Never => core::Property::Never { name },
            Kind::Sometimes => core::Property::Sometimes { name },
            Kind::Eventually => core::Property::Eventually { name },
            Kind::AtRest => core::Property::AtRest { name },
        }
    }
}

impl<M: States> Clone for Property<M> {
    fn clone(&self) -> Property<M> {
        Property { name: self.name.clone(), kind: self.kind, stable: self.stable, holds: self.holds.clone() }
    }
}

impl<M: States> fmt::Debug for Property<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind, self.name)
    }
}
