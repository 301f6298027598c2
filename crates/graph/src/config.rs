//! The configuration of a run of the engine, and its report.

use crate::world::World;
use manyworlds_core::{Budget, Deadlock, InvalidModel, Policy, Stats, StopReason, Trace};

/// The configuration of a run.
#[derive(Clone, Debug)]
pub struct GraphConfig {
    /// Which process adds the next event.
    pub policy: Policy,
    /// Number of workers; at least one.
    pub threads: usize,
    /// How many messages `send_lossy` may lose in one execution.
    pub loss_budget: u32,
    /// Whether an execution in which a process that is not a daemon waits forever is a violation.
    pub deadlock: Deadlock,
    /// Limits on executions and depth.
    pub budget: Budget,
    /// Count violations instead of stopping at the first.
    pub keep_going: bool,
    /// Keep the canonical form of every finished execution, and count those visited twice. For tests: memory grows with the number of executions.
    pub collect_worlds: bool,
    /// Distinguish executions by the order in which messages arrive at each process, even messages that are not read (Must §6.2); for comparison.
    pub eager: bool,
}

impl Default for GraphConfig {
    fn default() -> GraphConfig {
        GraphConfig {
            policy: Policy::default(),
            threads: 1,
            loss_budget: 0,
            deadlock: Deadlock::default(),
            budget: Budget::default(),
            keep_going: false,
            collect_worlds: false,
            eager: false,
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct GraphReport {
    /// Counts of executions, events and steps.
    pub stats: Stats,
    /// The first violation found; with `keep_going` the one with the shortest trace. The caller fills in model, parameters and engine
    /// name.
    pub counterexample: Option<Trace>,
    /// Why the model is invalid, if rerunning a sample of its executions showed that it is.
    pub invalid: Option<InvalidModel>,
    /// Number of executions that were rerun to check that processes are isolated; `None` if the locals cannot be rerun.
    pub samples: Option<u64>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<StopReason>,
    /// With `collect_worlds`: the distinct finished executions, sorted.
    pub worlds: Vec<World>,
    /// With `collect_worlds`: how many times an execution was visited again. Any value except 0 is a bug in the engine.
    pub duplicates: u64,
}
