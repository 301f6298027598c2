//! The types that all crates of Manyworlds share: ids, the [`Locals`] interface between user code and engines, traces,
//! verdicts, budgets and progress.
//!
//! Nothing here does I/O, reads a clock or starts a thread. Front ends implement [`Locals`]; engines are
//! written against it and never see a user type.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod choices;
mod control;
mod coverage;
pub mod decides;
mod engine;
mod error;
mod ids;
mod invalid;
mod keyed;
mod locals;
mod model;
mod operations;
mod outcome;
pub mod panics;
pub mod random;
pub mod running;
mod scope;
mod trace;
mod transitions;

pub use choices::Choices;
pub use control::{Budget, NoObserver, Observer, Progress, StopReason};
pub use coverage::{ActionCoverage, Coverage, FaultCoverage, InputCoverage, ProcessCoverage};
pub use decides::Kind;
pub use engine::Engine;
pub use error::TraceError;
pub use ids::{NodeId, Pid, ProcId, ValueId};
pub use invalid::{Flaw, InvalidModel};
pub use keyed::Keyed;
pub use locals::{
    Action, Cursor, Detail, Deviation, Failure, FailureKind, LocalStats, Locals, LocalsFactory, OBS_END, OBS_TIMEOUT,
    Obs, Rerun, Root, StepInfo,
};
pub use model::{Deadlock, Network, Policy};
pub use operations::{TraceHistory, TraceOperation};
pub use outcome::{Outcome, Requirement, ScheduleStats, Stats, Verdict, Violation};
pub use scope::{Bounds, Explored, FaultBounds, Reduced, SampleUnit, Scope, Semantics};
pub use trace::{
    Awaited, Delivery, Fingerprint, Location, MessageIndex, NarratedMessage, NarratedStep, ProcessIndex, ProcessRole,
    ProcessStatus, Replayed, StepIndex, StepKind, TRACE_SCHEMA, TRACE_SCHEMA_1, Trace, TraceMessage, TraceNote,
    TraceProcess, TraceStep, TraceValue, ValueTree,
};
pub use transitions::{
    Accept, ActorId, Effect, FailureId, Input, LocalBranch, LocalId, LocalTransitions, MsgId, Temperature,
};
