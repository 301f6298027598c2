//! The ground floor of Manyworlds: ids, the [`Locals`] interface between user code and engines, traces,
//! verdicts, budgets and progress.
//!
//! Nothing here does I/O, reads a clock or starts a thread. Front ends implement [`Locals`]; engines are
//! written against it and never see a user type.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod choices;
mod control;
mod coverage;
mod error;
mod ids;
mod locals;
mod model;
mod operations;
mod outcome;
pub mod panics;
mod trace;

pub use choices::Choices;
pub use control::{Budget, NoObserver, Observer, Progress, StopReason};
pub use coverage::{ActionCoverage, Coverage, FaultCoverage, InputCoverage, ProcessCoverage, route, type_of};
pub use error::TraceError;
pub use ids::{NodeId, Pid, ProcId, ValueId};
pub use locals::{
    Action, Cursor, Failure, FailureKind, LocalStats, Locals, LocalsFactory, OBS_END, OBS_TIMEOUT, Obs, Root, StepInfo,
};
pub use model::{Deadlock, Network, Policy};
pub use operations::{HISTORY_PROCESS, TraceHistory, TraceOperation};
pub use outcome::{Outcome, Property, ScheduleStats, Stats, Verdict, Violation};
pub use trace::{Replayed, TRACE_SCHEMA, Trace, TraceProcess, TraceStep};
