//! Local transitions of actors: what a handler does in a local state with an input. Everything is an id, and nothing here is about a network.
//!
//! A front end implements [`LocalTransitions`], and engines that work on local states (saturation over decision diagrams, local model checking) read it.
//! A local state belongs to one actor, and contains everything on which its transitions depend: the user's state, the timers that are set, and of a
//! created actor what it is. An actor is identified by an index that is private to one run; [`LocalTransitions::pid`] is its stable name. Programs keep
//! their own table ([`crate::Locals`]).

use crate::{Location, Pid, Violation};

/// An actor, numbered densely in the order in which a run first met it. Declared actors come first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ActorId(pub u16);

/// A local state of an actor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// A message with its sender.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MsgId(pub u32);

/// The number of a failure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FailureId(pub u32);

/// An input of an actor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Input {
    /// It starts.
    Start,
    /// A message arrives.
    Message(MsgId),
    /// The timer at this position of its local state expires.
    Timer(u16),
    /// It crashes.
    Crash,
    /// It starts again after a crash.
    Restart,
}

/// A part of what an actor does in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It takes this message.
    Receive(MsgId),
    /// It makes a message.
    Observe {
        /// The destination.
        to: ActorId,
        /// The message.
        message: MsgId,
        /// The index of the send among those of the branch, see [`LocalTransitions::place`].
        nth: u32,
    },
    /// The message enters the network.
    Enqueue {
        /// The destination.
        to: ActorId,
        /// The message.
        message: MsgId,
    },
    /// It creates an actor.
    Create {
        /// The new actor.
        actor: ActorId,
        /// Its first local state.
        local: LocalId,
    },
    /// It records something: the index among the records of the branch.
    Record(u32),
    /// It halts: messages to it vanish from now on.
    Halt,
}

/// What an actor does for one sequence of choices. The effects have this order: the receipt; creations and sends in the order of the program, each send with
/// its observation before its entry into the network; records; the halt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalBranch {
    /// The local state afterwards.
    pub next: LocalId,
    /// What it does, in order.
    pub effects: Box<[Effect]>,
    /// The chosen options, displayed.
    pub chosen: Box<[String]>,
    /// The failure in which it ends, if it fails: then there are no effects.
    pub failure: Option<FailureId>,
}

/// What an actor does with a message that could be delivered to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Accept {
    /// It takes the message: its handler runs.
    #[default]
    Take,
    /// The message keeps its place in its queue, and later ones may be taken before it.
    Defer,
    /// The message is removed, and nothing else happens.
    Ignore,
}

/// The temperature of a state of a monitor. An execution must neither end in a hot state nor go round a cycle for ever in which some state is hot and none
/// is cold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Temperature {
    /// Something was promised and is not done.
    Hot,
    /// Neither.
    #[default]
    Warm,
    /// Nothing is promised.
    Cold,
}

/// The table of local transitions of actors. User code runs once for each local state and input.
pub trait LocalTransitions {
    /// The declared actors, and the local states in which they have not started.
    fn roots(&self) -> Vec<(ActorId, LocalId)>;

    /// The stable name of an actor.
    fn pid(&self, actor: ActorId) -> Pid;

    /// The actor of a local state.
    fn owner(&self, local: LocalId) -> ActorId;

    /// The sender of a message.
    fn sender(&self, message: MsgId) -> ActorId;

    /// Adds the inputs other than messages and faults to which the actor can react in a local state: its start, timers that are set.
    fn own_inputs(&self, local: LocalId, out: &mut Vec<Input>);

    /// What the actor does with a message that could be delivered to it; `None` if it takes no message in this state, because it has not started, has
    /// crashed or has halted.
    fn accepts(&self, local: LocalId, message: MsgId) -> Option<Accept>;

    /// What the actor does in a local state with an input that is possible there, once for each sequence of choices.
    fn branches(&self, local: LocalId, input: Input) -> Vec<LocalBranch>;

    /// The place of the `nth` send of a branch in the source.
    fn place(&self, local: LocalId, input: Input, branch: usize, nth: u32) -> Option<Location>;

    /// A failure.
    fn failure(&self, failure: FailureId) -> Violation;

    /// A local state, displayed; equal ones have equal texts in every run.
    fn show_local(&self, local: LocalId) -> String;

    /// A message, displayed.
    fn show_message(&self, message: MsgId) -> String;

    /// A fingerprint of the content of a local state, the same in every run.
    fn local_fingerprint(&self, local: LocalId) -> u128;

    /// A fingerprint of a message and its sender, the same in every run.
    fn message_fingerprint(&self, message: MsgId) -> u128;
}
