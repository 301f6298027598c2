//! The data that schedulers use about an action: receiver, sender, message, and recorded operations.

use crate::fingerprint;
use manyworlds_core::Violation;
use std::hash::Hash;

/// The ability that schedulers need: the receive of each action, and the recorded operations. `S` are the states and `A` the actions.
/// Specifications opt into it by [`crate::Specification::receiving`].
pub trait Receives<S, A> {
    /// The receive of an action of `state`; `None` if it is not a receive, or if that is not known: then it may interfere with
    /// everything. All actions with one lane are outcomes of the receive of that lane.
    fn receive(&self, state: &S, action: &A) -> Option<Receive>;

    /// Adds the operations that are invoked already in an initial state.
    fn recorded_at_start(&self, state: &S, out: &mut Vec<HistoryEvent>) {
        let _ = (state, out);
    }

    /// Adds the operations that a step invokes, and those that return in it.
    fn recorded(&self, before: &S, action: &A, after: &S, out: &mut Vec<HistoryEvent>) {
        let _ = (before, action, after, out);
    }

    /// Whether a history is linearizable, and if not, why; `None` if there is no specification. Linearizability is prefix-closed: a history with a prefix
    /// that is not linearizable is not linearizable.
    fn linearizable(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        let _ = history;
        None
    }
}

/// A queue of messages that come out in the order in which they went in, in two words of the model's choice. It is what Flanagan and
/// Godefroid call a process: at any time at most its first message can be received, and only a receive removes it.
///
/// It also determines which of several equal messages is received. Where messages may overtake each other, equal ones share a lane and others do
/// not; that the oldest of equal ones comes out first is not a restriction, because they cannot be distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lane(pub u64, pub u64);

/// An action of one process that is triggered by an input: a message, a timer (which it sent itself), its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receive {
    /// The sender.
    pub sender: u32,
    /// The receiver, which takes the step.
    pub receiver: u32,
    /// The lane in which it waited.
    pub lane: Lane,
    /// How many wait in that lane, this one included.
    pub waiting: u32,
    /// The lanes that the step sends to, one by one.
    pub sends: Vec<Lane>,
    /// Queues with several senders to which this step appends, a bit for each: the order of appends is observable.
    pub orders: u64,
    /// Whether an operation is invoked.
    pub invokes: bool,
    /// Whether an operation returns.
    pub returns: bool,
    /// The keys that the receiver touches because of it.
    pub keys: Keys,
    /// Declared by the model: its order relative to others does not matter.
    pub excluded: bool,
}

impl Receive {
    /// Whether the order of the two matters: they change the same process, or append to the same
    /// queue, or one ends an operation and the other begins one, which is the only order that linearizability depends on.
    pub fn interferes(&self, other: &Receive) -> bool {
        self.receiver == other.receiver
            || self.orders & other.orders != 0
            || self.invokes && other.returns
            || self.returns && other.invokes
    }

    /// The union of two outcomes of the same step.
    pub(crate) fn or(mut self, other: &Receive) -> Receive {
        self.orders |= other.orders;
        self.invokes |= other.invokes;
        self.returns |= other.returns;
        self
    }
}

/// The keys of a distributed map that a message touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Keys {
    /// Not known: perhaps all of them.
    #[default]
    Unknown,
    /// These, as fingerprints.
    Only(Vec<u64>),
}

impl Keys {
    /// These keys and no others.
    pub fn only<K: Hash>(keys: impl IntoIterator<Item = K>) -> Keys {
        Keys::Only(keys.into_iter().map(|key| fingerprint::of(&key) as u64).collect())
    }

    /// Whether some key may be in both.
    pub fn meet(&self, other: &Keys) -> bool {
        match (self, other) {
            (Keys::Only(some), Keys::Only(others)) => some.iter().any(|key| others.contains(key)),
            _ => true,
        }
    }
}

/// Whether an operation begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum HistoryKind {
    /// It is invoked.
    Invoked,
    /// It returns.
    Returned,
}

/// An entry of a history.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct HistoryEvent {
    /// The process of the operation.
    pub process: u32,
    /// Whether it begins or ends.
    pub kind: HistoryKind,
    /// The operation or the response, as the model numbers them: equal ones have equal labels.
    pub label: u32,
}
