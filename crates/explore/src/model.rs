//! The trait that a specification implements: a transition system in the style of TLA+.
//!
//! Three functions are needed: the initial states, the actions of a state, and the state that an action leads to. Everything else that a
//! specification may declare is an ability ([`crate::abilities`]); the builder of [`crate::Specification`] selects the abilities that are used.

use crate::property::Property;
use std::fmt::Debug;
use std::hash::Hash;

/// A specification. Each of its functions must be pure: the same arguments give the same result, in every worker and for every call.
///
/// Every worker has a clone of the model, so a model may keep caches that are not shared.
pub trait Model: Clone + Send + 'static {
    /// A global state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// An action of a state.
    type Action: Clone + PartialEq + Debug + Send + Sync;

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds the actions of `state` to `out`. The order does not affect the verdict; if it is always the same, so are the figures
    /// of a run that stops at a violation.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state that `action` leads to, or `None` if the action is disabled: that is not counted as a step.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// The properties to check.
    fn properties(&self) -> Vec<Property<Self>> {
        Vec::new()
    }
}
