//! A finished execution in canonical form: what each process did, by stable names. Two explorations of the same world
//! give equal [`World`]s whatever the order in which they added its events; this is the yardstick (reads-from
//! equivalence) that engines are compared by.

use manyworlds_core::{Network, Pid};

/// Names event number `index` (from 0) of process `pid`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EventName {
    /// The process.
    pub pid: Pid,
    /// Its event.
    pub index: u32,
}

/// What an event did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum WorldEvent {
    /// A send to a process. The value follows from the sender's history.
    Send(Pid, Network),
    /// A receive and the send it read, or `None` for a time-out.
    Recv(Option<EventName>),
    /// A choice and its answer.
    Choose(u32),
    /// The start of a process.
    Spawn(Pid),
    /// The wait for the end of a process.
    Join(Pid),
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ending {
    /// Every process that is no daemon ran to its end.
    Complete,
    /// Some process waits for ever, or gave up at an assumption.
    Blocked,
    /// Some process or monitor failed, or a forbidden deadlock was reached.
    Violating,
    /// Some process was cut off by a bound.
    Truncated,
}

/// A finished execution.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct World {
    /// How it ended.
    pub ending: Ending,
    /// The events of each process, processes in the order of their names.
    pub processes: Vec<(Pid, Vec<WorldEvent>)>,
}
