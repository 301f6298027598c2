//! Budgets and progress. Engines read no clock: their caller passes an [`Observer`], which may.

use serde::{Deserialize, Serialize};

/// Limits an engine counts by itself. `None` means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Stop after so many explored executions (complete, blocked and violating ones together).
    pub executions: Option<u64>,
    /// Stop after so many distinct states.
    pub states: Option<u64>,
    /// Cut every execution off after so many events, every path after so many steps.
    pub depth: Option<u64>,
}

/// Why a run stopped before it had explored everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// `Budget::executions` was reached.
    MaxExecutions,
    /// `Budget::states` was reached.
    MaxStates,
    /// Some execution was cut off at `Budget::depth`.
    MaxDepth,
    /// Some process was cut off at its step bound.
    MaxSteps,
    /// The time is up.
    Timeout,
    /// The memory limit was reached.
    MaxMemory,
    /// The user interrupted the run.
    Cancelled,
    /// The scheduler has no more schedules, but it may leave some out.
    SchedulerIncomplete,
}

impl StopReason {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::MaxExecutions => "max-executions",
            StopReason::MaxStates => "max-states",
            StopReason::MaxDepth => "max-depth",
            StopReason::MaxSteps => "max-steps",
            StopReason::Timeout => "timeout",
            StopReason::MaxMemory => "max-memory",
            StopReason::Cancelled => "cancelled",
            StopReason::SchedulerIncomplete => "scheduler-incomplete",
        }
    }
}

/// A snapshot of a running engine.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Explored executions so far, by all workers.
    pub executions: u64,
    /// Distinct states so far, by all workers.
    pub states: u64,
    /// States that are known but not yet expanded.
    pub frontier: u64,
    /// The explored fraction of the search tree, estimated from the open choices (0 to 1).
    pub done: f64,
}

/// Watches a run and may end it. Called every few thousand events by each worker.
pub trait Observer: Sync {
    /// Returns a reason to stop, if there is one.
    fn tick(&self, progress: &Progress) -> Option<StopReason>;

    /// The engine has returned. What follows is the report: a violation is replayed, a history is explained.
    fn explored(&self) {}

    /// A scheduler found the first violation: in the schedule with this number, counted from 1.
    fn first_bug(&self, schedule: u64) {
        let _ = schedule;
    }

    /// A scheduler begins to check a history that it has not seen before, or has just finished doing so.
    fn judging(&self, begins: bool) {
        let _ = begins;
    }
}

/// An observer that never interferes.
pub struct NoObserver;

impl Observer for NoObserver {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        None
    }
}
