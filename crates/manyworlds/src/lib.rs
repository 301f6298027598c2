//! Manyworlds runs a distributed system, or a concurrent object, in *every* world it can reach: each distinct behaviour once. It tells you
//! which world breaks your property, why, and how to see it again.

mod checker;
pub mod testing;
mod watch;

pub use checker::{Checker, Engine};
pub use manyworlds_core::{
    Deadlock, Network, NoObserver, Observer, Outcome, Pid, Policy, Progress, Property, Stats, StopReason, Trace,
    TraceError, TraceProcess, TraceStep, Verdict, Violation,
};
pub use manyworlds_graph::replay::Replayed;
pub use manyworlds_graph::{Ending, World, WorldEvent};
pub use manyworlds_macros::{monitor, test};
pub use manyworlds_program::{
    Channel, Choices, JoinHandle, Message, Monitor, Observe, Observed, ProcessBuilder, assume, choose, flip, me,
    monitor, on, process, recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn, sync, thread,
};
pub use watch::{peak_resident_bytes, resident_bytes};

/// What a program under check usually needs.
pub mod prelude {
    pub use crate::{
        Checker, Deadlock, JoinHandle, Network, Observe, Observed, Outcome, Pid, assume, choose, flip, me, on, process,
        recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn,
    };
}
