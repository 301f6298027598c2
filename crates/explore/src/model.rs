//! What a specification writes: a transition system in the style of TLA+.
//!
//! Three functions are needed: the initial states, the actions of a state, and the state that an action leads to. Everything else that a
//! specification may know about itself is an ability ([`crate::abilities`]), and the builder of [`crate::Specification`] says which of them are used.

use crate::property::Property;
use std::fmt::Debug;
use std::hash::Hash;

/// A specification. Each of its functions must be a function: the same arguments give the same result, whichever worker calls it and how often.
///
/// Every worker has a clone of the model, so a model may keep caches that are not shared.
pub trait Model: Clone + Send + 'static {
    /// A global state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can happen in a state.
    type Action: Clone + PartialEq + Debug + Send + Sync;

    /// The states it may start in.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds what can happen in `state` to `out`. The order makes no difference to the verdict; where it is always the same, so are the figures
    /// of a run that stops at a violation.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state that `action` leads to, or `None` if it turns out to be disabled: that counts as no step.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// What must hold.
    fn properties(&self) -> Vec<Property<Self>> {
        Vec::new()
    }
}
