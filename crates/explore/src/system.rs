//! The interface of engines to models. A plain [`crate::Model`] becomes a transition system as a [`crate::Specification`], with the abilities it opted
//! into; front ends that know more about their states implement this trait directly.
//!
//! Everything but the first functions has a default that is always correct. Nothing here is about actors, messages or networks: only the schedulers,
//! which order receives, use them, by the ability [`crate::Receives`].

use crate::fingerprint;
use crate::model::Model;
use crate::property::Property;
use crate::receive::Receives;
use manyworlds_core::{Coverage, LocalStats, NarratedStep, TraceProcess, Violation};
use std::fmt::Debug;
use std::hash::Hash;

/// Something that has global states.
pub trait States {
    /// A global state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
}

impl<M: Model> States for M {
    type State = M::State;
}

/// A successor that is not built yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The number of the action.
    pub number: u32,
    /// Its sleep set: actions of the successor that may be left out if it turns out to be new, provided that states are expanded in the order in
    /// which they are found and their successors are looked up in the order of this list. Each of them can be taken in `state`, too, and there
    /// it is listed before this one or asleep, and the order of the two makes no difference. So it leads to a state that was found before.
    pub asleep: u64,
    /// The fingerprint of the successor.
    pub print: u128,
}

/// A transition system as engines see it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a transition system",
    note = "a type that implements `Model` is explored as `Specification::new(model)`"
)]
pub trait TransitionSystem: States + Clone + Send + 'static {
    /// An action of a state.
    type Action: Clone + PartialEq + Debug + Send + Sync;

    /// Whether its functions are user code. Then a panic in one of them is a violation, and some of their results are evaluated again at the end
    /// of a run, to check that they are pure functions.
    const USER_CODE: bool = false;

    /// Whether [`TransitionSystem::list_fingerprints`] does anything. Such a system has no successors where a step has failed.
    const LISTS_FINGERPRINTS: bool = false;

    /// Whether [`TransitionSystem::independent`] and [`TransitionSystem::name`] do anything.
    const KNOWS_INDEPENDENCE: bool = false;

    /// Whether [`TransitionSystem::receives`] returns anything: whether schedulers can run the system.
    const RECEIVES: bool = false;

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds the actions of `state` to `out`.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state that `action` leads to, or `None` if the action is disabled: that is not counted as a step.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// The properties to check.
    fn properties(&self) -> Vec<Property<Self>>;

    /// Why the step that led to `state` failed, if it did: an assertion of a handler, say. Such a state must have no actions.
    fn failure(&self, state: &Self::State) -> Option<Violation> {
        let _ = state;
        None
    }

    /// Whether the step that led to `state` failed: whether there is a [`TransitionSystem::failure`].
    fn has_failed(&self, state: &Self::State) -> bool {
        self.failure(state).is_some()
    }

    /// A 128-bit fingerprint of the state; equal states must have equal ones in every worker.
    fn fingerprint(&self, state: &Self::State) -> u128 {
        fingerprint::of(state)
    }

    /// The property key: a 128-bit fingerprint of the part of `state` that properties of single states read, if that may be less than the whole.
    /// Properties are evaluated once for each key, unless [`TransitionSystem::looked_beyond_key`].
    fn property_key(&self, state: &Self::State) -> Option<u128> {
        let _ = state;
        None
    }

    /// Whether a property has read, since the last call, a part of a state that [`TransitionSystem::property_key`] does not cover.
    fn looked_beyond_key(&self) -> bool {
        false
    }

    /// The property key of the successor with this number, if it is known without building the successor, no step has failed there, and
    /// it is not terminal. `number` is one of [`TransitionSystem::list_fingerprints`].
    fn successor_key(&self, state: &Self::State, number: u32) -> Option<u128> {
        let _ = (state, number);
        None
    }

    /// Adds every successor to `out`, and returns how many there are, if that can be done without building them. Most successors are known
    /// already, so a system that can is explored faster. The meaning of the numbers is defined by [`TransitionSystem::numbered`].
    ///
    /// Those in the sleep set `asleep` need not be added, but they count. The system defines the encoding of the set; 0 is the empty set. See
    /// [`Listed::asleep`].
    fn list_fingerprints(&self, state: &Self::State, asleep: u64, out: &mut Vec<Listed>) -> Option<u64> {
        let _ = (state, asleep, out);
        None
    }

    /// The action of `state` with a number that [`TransitionSystem::list_fingerprints`] gave it; where that returns `None`, its place among
    /// [`TransitionSystem::actions`].
    fn numbered(&self, state: &Self::State, number: u32) -> Option<Self::Action> {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        actions.into_iter().nth(number as usize)
    }

    /// The state that the action with this number leads to, see [`TransitionSystem::numbered`]; `print` is its fingerprint.
    fn successor(&self, state: &Self::State, number: u32, print: u128) -> Option<Self::State> {
        let _ = print;
        self.next(state, &self.numbered(state, number)?)
    }

    /// Whether `state` is terminal: has no enabled action.
    fn at_rest(&self, state: &Self::State) -> bool {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        !actions.iter().any(|action| self.next(state, action).is_some())
    }

    /// Whether [`TransitionSystem::canonical`] does anything.
    fn has_symmetry(&self) -> bool {
        false
    }

    /// Why [`TransitionSystem::canonical`] cannot be used although there is symmetry, if so.
    fn symmetry_refusal(&self) -> Option<String> {
        None
    }

    /// The representative of all states that are the same up to renaming. It must depend on `state` alone.
    fn canonical(&self, state: Self::State) -> Self::State {
        state
    }

    /// See [`crate::Independent::independent`].
    fn independent(&self, state: &Self::State, a: &Self::Action, b: &Self::Action) -> bool {
        let _ = (state, a, b);
        false
    }

    /// See [`crate::Independent::name`].
    fn name(&self, action: &Self::Action) -> Option<u32> {
        let _ = action;
        None
    }

    /// See [`crate::PersistentSets::persistent`].
    fn persistent(&self, state: &Self::State, actions: &mut [Self::Action]) -> usize {
        let _ = state;
        actions.len()
    }

    /// The ability that schedulers need, if the system has it.
    fn receives(&self) -> Option<&dyn Receives<Self::State, Self::Action>> {
        None
    }

    /// Whether the path through these states, which repeats what follows the state `from` without end, shows `violation`. It is for systems that search
    /// cycles of their own; the last state equals that one.
    fn shows_on_cycle(&self, states: &[Self::State], from: usize, violation: &Violation) -> bool {
        let _ = (states, from, violation);
        false
    }

    /// See [`crate::Fair::processes`].
    fn processes(&self) -> usize {
        0
    }

    /// See [`crate::Fair::process`].
    fn process(&self, action: &Self::Action) -> Option<usize> {
        let _ = action;
        None
    }

    /// See [`crate::Fair::fair`].
    fn fair(&self, process: usize) -> bool {
        let _ = process;
        false
    }

    /// How much user code ran in all clones of the system together, if the system counts it; otherwise every step is a run of user code.
    fn local_stats(&self) -> Option<LocalStats> {
        None
    }

    /// The coverage of all clones of the system together, if the system counts it.
    fn coverage(&self) -> Option<Coverage> {
        None
    }

    /// A trace is about to be told, or a trace with these processes to be replayed: a system whose processes are created on the way gives them the
    /// same numbers.
    fn begin_trace(&self, processes: &[TraceProcess]) {
        let _ = processes;
    }

    /// The processes that take part in a trace. It is asked after the steps of the trace were told.
    fn trace_processes(&self) -> Vec<TraceProcess>;

    /// An initial state as steps of a trace. The caller fills in parents and the send that a receive reads.
    fn trace_start(&self, state: &Self::State) -> Vec<NarratedStep>;

    /// A step as steps of a trace, the first of which distinguishes different actions: a trace is replayed by comparing them. `after` is missing
    /// where the evaluation of the action panicked.
    fn trace_step(&self, before: &Self::State, action: &Self::Action, after: Option<&Self::State>)
    -> Vec<NarratedStep>;
}
