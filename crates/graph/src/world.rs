//! Finished executions in canonical form: the events of each process, under stable names. Executions that are reads-from
//! equivalent have equal [`World`]s, whatever the order in which an engine added their events. Engines are compared by the sets of worlds
//! they find.

use manyworlds_core::{Network, Pid};

/// The stable name of an event: its process and its index (from 0) among the events of that process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EventName {
    /// The process.
    pub pid: Pid,
    /// The index of the event.
    pub index: u32,
}

/// What an event did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WorldEvent {
    /// A send to a process. The value follows from the sender's history.
    Send(Pid, Network),
    /// A receive and the send it reads, or `None` for a time-out.
    Recv(Option<EventName>),
    /// A choice and the chosen option.
    Choose(u32),
    /// The start of a process.
    Spawn(Pid),
    /// The wait for the end of a process.
    Join(Pid),
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ending {
    /// Every process that is not a daemon ran to its end.
    Complete,
    /// Some process waits forever, or is stuck at an assumption.
    Blocked,
    /// Some process or monitor failed, or a forbidden deadlock was reached.
    Violating,
    /// Some process reached a bound.
    Truncated,
}

/// A finished execution in canonical form.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct World {
    /// How it ended.
    pub ending: Ending,
    /// The events of each process, processes in the order of their names.
    pub processes: Vec<(Pid, Vec<WorldEvent>)>,
}
