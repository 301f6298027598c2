//! What a specification may know about itself besides its behaviour. Each ability is a trait; a [`crate::Specification`] uses it if it was opted into,
//! because the compiler cannot find out whether a type has it.

use crate::model::Model;
use manyworlds_core::{NarratedStep, TraceProcess, Violation};

/// Identical parts whose names make no difference: [`crate::Specification::symmetric`].
pub trait Symmetric: Model {
    /// The representative of all states that are the same up to renaming. It must depend on `state` alone, and a state must be able to do what
    /// its representative can do, up to renaming.
    fn canonical(&self, state: Self::State) -> Self::State;
}

/// Actions whose order makes no difference: [`crate::Specification::independent`]. Breadth-first search tries only one order of two such actions;
/// the figures stay the same. A relation that is wrong in one of the first states of a run makes the model invalid.
pub trait Independent: Model {
    /// Whether two actions that are both enabled in `state` commute there and neither disables the other.
    fn independent(&self, state: &Self::State, a: &Self::Action, b: &Self::Action) -> bool;

    /// A number below 64 by which an action is known in every state; `None` if there is none for it: then it is always tried. Two actions of one state
    /// must not have the same.
    fn name(&self, action: &Self::Action) -> Option<u32>;
}

/// Fingerprints that are quicker than hashing the state field by field: [`crate::Specification::fingerprinted`].
pub trait Fingerprinted: Model {
    /// 128 bits that stand for the state; equal states must have equal ones, and others should not. See [`crate::fingerprint::of_words`].
    fn fingerprint(&self, state: &Self::State) -> u128;
}

/// Weak fairness: [`crate::Specification::fair`].
pub trait Fair: Model {
    /// The processes whose steps weak fairness speaks of: from 0 to this number, exclusive.
    fn processes(&self) -> usize;

    /// The process that takes this step.
    fn process(&self, action: &Self::Action) -> Option<usize>;

    /// Whether weak fairness is assumed for a process: it does not stay enabled for ever without taking a step.
    fn fair(&self, process: usize) -> bool;
}

/// Persistent sets, for partial-order reduction: [`crate::Specification::persistent_sets`].
pub trait PersistentSets: Model {
    /// Moves a persistent set to the front of `actions` (all the actions of `state`) and returns its size: whatever the others do
    /// on their own, now and later, is independent of what is in the set. All of them is always right.
    fn persistent(&self, state: &Self::State, actions: &mut [Self::Action]) -> usize;
}

/// States that are reached by a step that failed: [`crate::Specification::failing`].
pub trait Failing: Model {
    /// Why the step that led to `state` failed, if it did. Nothing happens in such a state.
    fn failure(&self, state: &Self::State) -> Option<Violation>;
}

/// Traces with processes and steps of their own: [`crate::Specification::narrated`]. Without it a trace has one process, and each action is a step.
pub trait Narrated: Model {
    /// The processes that take part in a trace.
    fn trace_processes(&self) -> Vec<TraceProcess>;

    /// An initial state as steps of a trace. Parents and what a receive reads are filled in by the caller.
    fn trace_start(&self, state: &Self::State) -> Vec<NarratedStep>;

    /// A step as steps of a trace, the first of which tells different actions apart. `after` is missing where the evaluation of the action panicked.
    fn trace_step(&self, before: &Self::State, action: &Self::Action, after: Option<&Self::State>)
    -> Vec<NarratedStep>;
}
