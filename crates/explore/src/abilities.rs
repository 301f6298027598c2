//! Optional declarations of a specification besides its behaviour. Each ability is a trait; a [`crate::Specification`] uses it only if it was opted
//! into, because generic code cannot test whether a type implements a trait.

use crate::fairness::Fairness;
use crate::model::Model;
use manyworlds_core::{NarratedStep, TraceProcess, Violation};

/// Identical parts whose names make no difference: [`crate::Specification::symmetric`].
pub trait Symmetric: Model {
    /// The representative of all states that are the same up to renaming. It must depend on `state` alone, and a state must have the same transitions as
    /// its representative, up to renaming.
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
    /// A 128-bit fingerprint of the state; equal states must have equal ones, and others should not. See [`crate::fingerprint::of_words`].
    fn fingerprint(&self, state: &Self::State) -> u128;
}

/// Fairness: [`crate::Specification::fair`]. Without it a path may ignore any action for ever, as long as another one is taken.
///
/// ```
/// use manyworlds_explore::{Fair, Fairness, Model};
///
/// /// Two lamps, each with a switch.
/// #[derive(Clone)]
/// struct Lamps;
///
/// impl Model for Lamps {
///     type State = [bool; 2];
///     type Action = usize;
///     fn initial(&self) -> Vec<[bool; 2]> { vec![[false; 2]] }
///     fn actions(&self, _: &[bool; 2], out: &mut Vec<usize>) { out.extend([0, 1]) }
///     fn next(&self, lamps: &[bool; 2], lamp: &usize) -> Option<[bool; 2]> {
///         let mut next = *lamps;
///         next[*lamp] = !next[*lamp];
///         Some(next)
///     }
/// }
///
/// impl Fair for Lamps {
///     /// Each switch is used again and again.
///     fn fairness(&self) -> Vec<Fairness<Lamps>> {
///         (0..2).map(|lamp| Fairness::weak(format!("lamp {lamp}"), move |_, _, action| *action == lamp)).collect()
///     }
/// }
/// ```
pub trait Fair: Model {
    /// The assumptions: of actions, of processes, of any other sets of steps.
    fn fairness(&self) -> Vec<Fairness<Self>>;
}

/// Persistent sets, for partial-order reduction: [`crate::Specification::persistent_sets`].
pub trait PersistentSets: Model {
    /// Moves a persistent set to the front of `actions` (all the actions of `state`) and returns its size: every sequence of actions outside of the
    /// set, now and later, is independent of the actions in the set. The set of all actions is always correct.
    fn persistent(&self, state: &Self::State, actions: &mut [Self::Action]) -> usize;
}

/// States that are reached by a step that failed: [`crate::Specification::failing`].
pub trait Failing: Model {
    /// Why the step that led to `state` failed, if it did. Such a state is terminal.
    fn failure(&self, state: &Self::State) -> Option<Violation>;
}

/// Traces with processes and steps of their own: [`crate::Specification::narrated`]. Without it a trace has one process, and each action is a step.
pub trait Narrated: Model {
    /// The processes that take part in a trace.
    fn trace_processes(&self) -> Vec<TraceProcess>;

    /// An initial state as steps of a trace. The caller fills in parents and the send that a receive reads.
    fn trace_start(&self, state: &Self::State) -> Vec<NarratedStep>;

    /// A step as steps of a trace, the first of which distinguishes different actions. `after` is missing where the evaluation of the action panicked.
    fn trace_step(&self, before: &Self::State, action: &Self::Action, after: Option<&Self::State>)
    -> Vec<NarratedStep>;
}
