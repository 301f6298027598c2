//! The interface between engines and whatever they explore: a transition system in the style of TLA+.
//!
//! A specification needs three functions: where it starts, what can happen in a state, and what state that leads to. The rest is
//! optional and has a meaning only where it says so. Every worker has a clone of the model, so a model may keep caches that are not
//! shared (an actor system does).

use crate::fingerprint;
use crate::property::Property;
use crate::receive::{HistoryEvent, Receive};
use manyworlds_core::{Coverage, LocalStats, Pid, TraceProcess, TraceStep, Violation};
use std::fmt::Debug;
use std::hash::Hash;

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

/// A transition system.
pub trait Model: Clone + Send + 'static {
    /// A global state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// What can happen in a state.
    type Action: Clone + PartialEq + Debug + Send;

    /// Whether [`Model::prints`] does anything. Such a model has no successors where a step has failed.
    const TELLS_PRINTS: bool = false;

    /// Whether [`Model::receive`] tells anything: schedulers of actor systems need to know who receives what.
    const TELLS_RECEIVES: bool = false;

    /// Whether [`Model::independent`] and [`Model::name`] tell anything.
    const TELLS_INDEPENDENCE: bool = false;

    /// The states it may start in.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds what can happen in `state` to `out`, always in the same order.
    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>);

    /// The state that `action` leads to, or `None` if it turns out to be disabled: that counts as no step.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// What is asked of the model.
    fn properties(&self) -> Vec<Property<Self>> {
        Vec::new()
    }

    /// Why the step that led to `state` failed, if it did: an assertion of a handler, say. Such a state must have no actions.
    fn failure(&self, state: &Self::State) -> Option<Violation> {
        let _ = state;
        None
    }

    /// Whether the step that led to `state` failed: whether there is a [`Model::failure`].
    fn has_failed(&self, state: &Self::State) -> bool {
        self.failure(state).is_some()
    }

    /// 128 bits that stand for the state; equal states must have equal ones, whichever worker asks.
    fn fingerprint(&self, state: &Self::State) -> u128 {
        fingerprint::of(state)
    }

    /// 128 bits that stand for all that the properties of single states look at in `state`, if that may be less than the whole. States that look
    /// the same are not asked twice, unless [`Model::looked_further`].
    fn glance(&self, state: &Self::State) -> Option<u128> {
        let _ = state;
        None
    }

    /// Whether a property looked, since this was asked last, at something that [`Model::glance`] does not stand for.
    fn looked_further(&self) -> bool {
        false
    }

    /// What the successor with this number looks like (see [`Model::glance`]), if that can be told without building it, no step has failed there,
    /// and something can happen there. `number` is one of [`Model::prints`].
    fn preview(&self, state: &Self::State, number: u32) -> Option<u128> {
        let _ = (state, number);
        None
    }

    /// Adds every successor to `out`, and says how many there are, if that can be done without building them. Most successors are known
    /// already, so a model that can is explored faster. What the numbers mean is up to [`Model::numbered`].
    ///
    /// Those that are `asleep` need not be added, but they count. What that means is up to the model, too; 0 means that all are awake. See
    /// [`Listed::asleep`].
    fn prints(&self, state: &Self::State, asleep: u64, out: &mut Vec<Listed>) -> Option<u64> {
        let _ = (state, asleep, out);
        None
    }

    /// The action of `state` with a number that [`Model::prints`] gave it; where that returns false, its place among [`Model::actions`].
    fn numbered(&self, state: &Self::State, number: u32) -> Option<Self::Action> {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        actions.into_iter().nth(number as usize)
    }

    /// The state that the action with this number leads to, see [`Model::numbered`]; `print` is its fingerprint.
    fn successor(&self, state: &Self::State, number: u32, print: u128) -> Option<Self::State> {
        let _ = print;
        self.next(state, &self.numbered(state, number)?)
    }

    /// Whether nothing can happen in `state`.
    fn at_rest(&self, state: &Self::State) -> bool {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        !actions.iter().any(|action| self.next(state, action).is_some())
    }

    /// Whether [`Model::canonical`] does anything.
    fn has_symmetry(&self) -> bool {
        false
    }

    /// Why [`Model::canonical`] cannot be used although there is symmetry, if so.
    fn symmetry_refusal(&self) -> Option<String> {
        None
    }

    /// The representative of all states that are the same up to renaming. It must depend on `state` alone.
    fn canonical(&self, state: Self::State) -> Self::State {
        state
    }

    /// Whether two actions that are both enabled in `state` commute there and neither disables the other. Of two such actions breadth-first search
    /// tries only one order ([`Model::TELLS_INDEPENDENCE`]); the figures stay the same. A relation that is wrong in one of the first states of a run is
    /// refused.
    fn independent(&self, state: &Self::State, a: &Self::Action, b: &Self::Action) -> bool {
        let _ = (state, a, b);
        false
    }

    /// A number below 64 by which an action is known in every state; `None` if there is none for it: then it is always tried. Two actions of one state
    /// must not have the same.
    fn name(&self, action: &Self::Action) -> Option<u32> {
        let _ = action;
        None
    }

    /// Moves a persistent set to the front of `actions` (all the actions of `state`) and returns its size: whatever the others do
    /// on their own, now and later, is independent of what is in the set. All of them is always right.
    fn persistent(&self, state: &Self::State, actions: &mut [Self::Action]) -> usize {
        let _ = state;
        actions.len()
    }

    /// What is received by an action of `state`; `None` if it is no receive, or if that is not known: then it may interfere with
    /// everything. All actions with one lane are ways in which the receive of that lane can go.
    fn receive(&self, state: &Self::State, action: &Self::Action) -> Option<Receive> {
        let _ = (state, action);
        None
    }

    /// Adds the operations that are invoked before anything happens in an initial state.
    fn recorded_at_start(&self, state: &Self::State, out: &mut Vec<HistoryEvent>) {
        let _ = (state, out);
    }

    /// Adds the operations that a step invokes, and those that return in it.
    fn recorded(&self, before: &Self::State, action: &Self::Action, after: &Self::State, out: &mut Vec<HistoryEvent>) {
        let _ = (before, action, after, out);
    }

    /// Whether a history is linearizable, and if not, why; `None` if there is no specification to judge it by. A history that begins like one
    /// that is not is not either.
    fn linearizable(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        let _ = history;
        None
    }

    /// The processes whose steps weak fairness speaks of: from 0 to this number, exclusive.
    fn processes(&self) -> usize {
        0
    }

    /// The process that takes this step.
    fn process(&self, action: &Self::Action) -> Option<usize> {
        let _ = action;
        None
    }

    /// Whether weak fairness is assumed for a process: it does not stay enabled for ever without taking a step.
    fn fair(&self, process: usize) -> bool {
        let _ = process;
        false
    }

    /// How much user code ran in all clones of the model together, if the model counts it; otherwise every step is a run of user code.
    fn local_stats(&self) -> Option<LocalStats> {
        None
    }

    /// What all clones of the model together were made to do, if the model keeps count.
    fn coverage(&self) -> Option<Coverage> {
        None
    }

    /// Everybody who takes part in a trace.
    fn cast(&self) -> Vec<TraceProcess> {
        vec![TraceProcess {
            pid: Pid::ROOT.to_string(),
            id: Pid::ROOT.to_bits(),
            name: "system".to_string(),
            daemon: false,
            status: "running".to_string(),
        }]
    }

    /// An initial state as steps of a trace. Parents and what a receive reads are filled in by the caller.
    fn tell_start(&self, state: &Self::State) -> Vec<TraceStep> {
        vec![TraceStep { kind: "start".to_string(), state_diff: Some(format!("{state:?}")), ..TraceStep::default() }]
    }

    /// What happened as steps of a trace, the first of which tells different actions apart: a trace is replayed by comparing them.
    fn tell(&self, before: &Self::State, action: &Self::Action, after: &Self::State) -> Vec<TraceStep> {
        let _ = before;
        vec![TraceStep {
            kind: "action".to_string(),
            message: Some(format!("{action:?}")),
            state_diff: Some(format!("{after:?}")),
            ..TraceStep::default()
        }]
    }
}

/// A path through the states of a model.
pub struct Path<M: Model> {
    /// Where it starts.
    pub start: M::State,
    /// What happened, and where it led.
    pub steps: Vec<(M::Action, M::State)>,
    /// Set when the path goes on for ever: its last state is the one before this step.
    pub loop_from: Option<usize>,
}

impl<M: Model> Clone for Path<M> {
    fn clone(&self) -> Path<M> {
        Path { start: self.start.clone(), steps: self.steps.clone(), loop_from: self.loop_from }
    }
}

impl<M: Model> Debug for Path<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Path").field("start", &self.start).field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<M: Model> Path<M> {
    /// The path that stays where it is.
    pub fn new(start: M::State) -> Path<M> {
        Path { start, steps: Vec::new(), loop_from: None }
    }

    /// The state it ends in.
    pub fn last(&self) -> &M::State {
        self.steps.last().map_or(&self.start, |(_, state)| state)
    }
}
