//! The central idea of Manyworlds: user code runs once per distinct local state.
//!
//! A process is deterministic and shares nothing, so its next action depends only on its own past. A front
//! end turns user code into a table over ids, filled on demand; an engine walks that table and never runs,
//! sees or stores any user code or value. A *node* is a local state. It starts with a list of actions that need no
//! answer (sends, spawns) and closes with one that does, or that ends the process: a receive, a choice, a join,
//! the end. [`Locals::step`] takes the answer and returns the next node.

use crate::{Location, Network, NodeId, Pid, ProcId, ProcessRole, TraceMessage, ValueId, Violation};
use std::fmt;

/// The answer to the closing action of a node: a [`ValueId`] for receives and joins, an index for choices.
pub type Obs = u32;
/// A non-blocking receive timed out (⊥).
pub const OBS_TIMEOUT: Obs = u32::MAX;
/// The run is over: makes a monitor perform its end-of-run check.
pub const OBS_END: Obs = u32::MAX - 1;

/// A position inside a node: action number `off` of `node`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// The local state.
    pub node: NodeId,
    /// How many of its actions have been performed.
    pub off: u32,
}

/// The next action of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Sends `value` to `to`; never waits.
    Send {
        /// Destination.
        to: ProcId,
        /// The message.
        value: ValueId,
        /// Under which model.
        network: Network,
    },
    /// Starts a process; never waits.
    Spawn {
        /// The new process.
        child: ProcId,
        /// Its initial local state, to be entered with [`Locals::start`].
        root: NodeId,
        /// Whether it may wait for ever without harm.
        daemon: bool,
    },
    /// Waits for a message that [`Locals::accepts`], or times out if not `blocking`.
    Recv {
        /// Only messages sent under this model match.
        network: Network,
        /// Whether it waits; otherwise [`OBS_TIMEOUT`] is always a possible answer.
        blocking: bool,
    },
    /// Takes each of `arity` answers `0..arity`.
    Choose {
        /// How many.
        arity: u32,
        /// Answer 1 loses a message and needs a unit of the run's loss budget.
        loss: bool,
    },
    /// Waits for the end of `child` and observes its result.
    Join {
        /// The process waited for.
        child: ProcId,
    },
    /// The process ran to its end with this result.
    End {
        /// The value that a join observes.
        value: ValueId,
    },
    /// An assumption failed: the rest of this execution is not explored.
    Stuck,
    /// The process used up its step bound.
    Bound,
    /// The process failed; see [`Locals::failure`].
    Fail,
}

/// Why a process failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// User code panicked (an assertion, an index, an `unwrap`).
    Panic,
    /// The process overflowed its stack.
    StackOverflow,
    /// Running the same history again gave another action.
    Nondeterminism,
    /// The API was used in a way it forbids.
    Misuse,
    /// Recorded operations are not linearizable.
    NotLinearizable,
}

/// The failure of a process, for display.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// The panic message or an explanation.
    pub message: String,
    /// Where in the source, if that is known.
    pub location: Option<Location>,
}

/// The description of an action, for display.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepInfo {
    /// Where in the source the call is.
    pub location: Option<Location>,
    /// Its subject.
    pub detail: Detail,
}

/// The subject of an action.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// Nothing more is known.
    #[default]
    None,
    /// It sends this message.
    Message(TraceMessage),
    /// It spawns a process of this name.
    Child(String),
    /// It waits for a message of this type.
    AwaitsMessage(String),
    /// It waits for the end of this process.
    AwaitsEnd(Pid),
    /// It may lose a message to this process.
    MayLose(Pid),
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detail::None => Ok(()),
            Detail::Message(message) => message.fmt(f),
            Detail::Child(name) => f.write_str(name),
            Detail::AwaitsMessage(name) => write!(f, "for {name}"),
            Detail::AwaitsEnd(pid) => write!(f, "for {pid:?} to end"),
            Detail::MayLose(pid) => write!(f, "{pid}"),
        }
    }
}

/// A process that exists before the first step.
#[derive(Clone, Debug)]
pub struct Root {
    /// The process.
    pub proc: ProcId,
    /// Where it starts.
    pub node: NodeId,
    /// Whether it may wait for ever without harm.
    pub daemon: bool,
    /// Its role. An observer gets [`OBS_END`] when the run is over.
    pub role: ProcessRole,
    /// Its name.
    pub name: String,
}

/// How much user code ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LocalStats {
    /// Local steps in which user code ran, repetitions included.
    pub user_steps: u64,
    /// Local steps taken for the first time: a lower bound of `user_steps`.
    pub distinct_steps: u64,
}

/// An execution to be run again: a linear extension of its causal order.
#[derive(Clone, Copy, Debug)]
pub struct Rerun<'a> {
    /// The processes, and the last local state of each.
    pub ends: &'a [(ProcId, NodeId)],
    /// The sequence of turns, as indices into `ends`. The first turn of a process runs it to its first operation other than a send, every other one
    /// from there to the next.
    pub turns: &'a [u32],
}

/// A process that deviated from the table when its execution was run again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deviation {
    /// Index into [`Rerun::ends`].
    pub process: usize,
    /// The action in the table.
    pub expected: String,
    /// The action of the process.
    pub found: String,
    /// The place of that action in the source, if that is known.
    pub location: Option<Location>,
}

/// The table of local transitions: the only access of engines to user code.
pub trait Locals {
    /// The processes that exist before the first step, in a fixed order; their nodes are started.
    fn roots(&mut self) -> Vec<Root>;

    /// The name of a process that exists before the first step.
    fn root_name(&self, proc: ProcId) -> String;

    /// The role of a process that exists before the first step.
    fn root_role(&self, proc: ProcId) -> ProcessRole {
        let _ = proc;
        ProcessRole::Process
    }

    /// Makes sure that a spawned process's first node is known.
    fn start(&mut self, root: NodeId);

    /// The action at `at`; `off` past the listed actions means the closing one.
    fn action(&self, at: Cursor) -> Action;

    /// The node reached when the closing action of `node` is answered with `obs`.
    fn step(&mut self, node: NodeId, obs: Obs) -> NodeId;

    /// Whether the receive that closes `node` takes `value` (the network is the engine's business).
    fn accepts(&mut self, node: NodeId, value: ValueId) -> bool;

    /// The stable name of a process.
    fn pid(&self, proc: ProcId) -> Pid;

    /// The process with this stable name, if it is in the table.
    fn proc(&self, pid: Pid) -> Option<ProcId>;

    /// How the process that is at `node` failed, if its closing action is [`Action::Fail`].
    fn failure(&self, node: NodeId) -> Option<Failure>;

    /// The description of the action at `at`.
    fn describe(&self, at: Cursor) -> StepInfo;

    /// The value as the user's `Debug` shows it.
    fn show(&self, value: ValueId) -> String;

    /// Identifies a value among all workers of a run: equal values have equal ones, and others hardly ever.
    fn fingerprint(&self, value: ValueId) -> u64;

    /// The value as a message of a trace.
    fn message(&self, value: ValueId) -> TraceMessage {
        TraceMessage::shown(&self.show(value))
    }

    /// The value that `answer` selects at `node`, as the user's `Debug` shows it.
    fn show_choice(&self, node: NodeId, answer: Obs) -> String {
        let _ = node;
        answer.to_string()
    }

    /// An id of the local state in which a process enters `node`, where the front end keeps states: two states have equal ids if and only if they are
    /// equal.
    fn state(&self, node: NodeId) -> Option<u32> {
        let _ = node;
        None
    }

    /// The local state in which a process enters `node`, where the front end can show it.
    fn show_state(&self, node: NodeId) -> Option<String> {
        let _ = node;
        None
    }

    /// How much user code ran.
    fn stats(&self) -> LocalStats;

    /// The problem of a finished execution in which the processes ended in these local states, if there is one.
    fn at_end(&mut self, nodes: &mut dyn Iterator<Item = (ProcId, NodeId)>) -> Option<Violation> {
        let _ = nodes;
        None
    }

    /// Whether the table exceeds its bound and needs [`Locals::trim`].
    fn over_bound(&self) -> bool {
        false
    }

    /// Removes all nodes that are not in `live`; ids of live nodes and of the values they mention do not change.
    fn trim(&mut self, live: &mut dyn Iterator<Item = NodeId>) {
        let _ = live;
    }

    /// Whether [`Locals::rerun`] does anything.
    fn can_rerun(&self) -> bool {
        false
    }

    /// Runs a whole execution again, every process from its start and in the given order, and compares the actions of each with the table.
    fn rerun(&mut self, run: &Rerun<'_>) -> Result<(), Deviation> {
        let _ = run;
        Ok(())
    }
}

/// Makes one table of locals for each worker: user values need not be `Send`, so each has its own.
pub trait LocalsFactory: Sync {
    /// The table.
    type Locals: Locals;

    /// Makes one.
    fn make(&self) -> Self::Locals;

    /// How much user code ran so far for all tables together, if they share their entries; otherwise each counts its own.
    fn shared_stats(&self) -> Option<LocalStats> {
        None
    }
}
