//! Fairness: which actions are not ignored for ever.
//!
//! An assumption is about a set of actions, the set *A*. A step of *A* is taken by an action of the set and changes the state; *A* is enabled in a state
//! that has such a step. Weak fairness (TLA+'s `WF_vars(A)`): *A* is not enabled in every state from some point on without being taken again. Strong
//! fairness (`SF_vars(A)`): *A* is not enabled again and again without being taken again. All answers assume weak fairness of the set of all actions
//! besides: a path does not end in a state from which a step leads to another state.

use crate::model::Model;
use std::fmt;
use std::sync::Arc;

/// How strong an assumption is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// Not enabled in every state from some point on without being taken.
    Weak,
    /// Not enabled again and again without being taken.
    Strong,
}

/// Whether an assumption covers a step: an action and the state in which it is taken.
pub type Covers<M> = Arc<dyn Fn(&M, &<M as Model>::State, &<M as Model>::Action) -> bool + Send + Sync>;

/// A fairness assumption of a specification: see [`crate::Fair`].
pub struct Fairness<M: Model> {
    /// The name that reports give it.
    pub name: String,
    /// How strong it is.
    pub strength: Strength,
    /// Which steps are covered.
    pub covers: Covers<M>,
}

impl<M: Model> Fairness<M> {
    /// Weak fairness of the actions for which `covers` returns true.
    pub fn weak(
        name: impl Into<String>,
        covers: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Fairness<M> {
        Fairness { name: name.into(), strength: Strength::Weak, covers: Arc::new(covers) }
    }

    /// Strong fairness of the actions for which `covers` returns true.
    pub fn strong(
        name: impl Into<String>,
        covers: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> Fairness<M> {
        Fairness { name: name.into(), strength: Strength::Strong, covers: Arc::new(covers) }
    }
}

impl<M: Model> Clone for Fairness<M> {
    fn clone(&self) -> Fairness<M> {
        Fairness { name: self.name.clone(), strength: self.strength, covers: self.covers.clone() }
    }
}

impl<M: Model> fmt::Debug for Fairness<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.strength, self.name)
    }
}

/// An assumption that covers a step, as engines know it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// How strong it is.
    pub strength: Strength,
    /// Different for each assumption of a system, and the same in every state and every clone of the system.
    pub key: u128,
}

/// The fairness that a system assumes, for reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assumed {
    /// Names of what is treated with weak fairness.
    pub weakly: Vec<String>,
    /// Names of what is treated with strong fairness.
    pub strongly: Vec<String>,
}
