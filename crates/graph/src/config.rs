//! What a run of the engine is told, and what it answers.

use crate::world::World;
use manyworlds_core::{Budget, Deadlock, InvalidModel, Policy, Stats, StopReason, Trace};

/// What a run of the engine is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which process goes on.
    pub policy: Policy,
    /// Workers; at least one.
    pub threads: usize,
    /// How many messages `send_lossy` may lose in one execution.
    pub loss_budget: u32,
    /// Whether an execution in which a process that is no daemon waits for ever is a violation.
    pub deadlock: Deadlock,
    /// Limits.
    pub budget: Budget,
    /// Count violations instead of stopping at the first.
    pub keep_going: bool,
    /// Keep every finished world, and fail if one is visited twice. For tests: memory grows with the worlds.
    pub collect_worlds: bool,
    /// Order arrivals at each process whether they are read or not (Must §6.2), for comparison.
    pub eager: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
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

/// What a run of the engine answers.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The figures.
    pub stats: Stats,
    /// The first violation found; with `keep_going` the one with the shortest trace. Model, parameters and engine name are left
    /// for the caller to fill in.
    pub counterexample: Option<Trace>,
    /// What is wrong with the model, if a sample of its executions showed something.
    pub invalid: Option<InvalidModel>,
    /// Executions that were run again to check that processes are isolated; `None` if the locals cannot be run again.
    pub samples: Option<u64>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<StopReason>,
    /// With `collect_worlds`: every finished world, sorted.
    pub worlds: Vec<World>,
    /// With `collect_worlds`: how many worlds were visited more than once. Anything but 0 is a bug of the engine.
    pub duplicates: u64,
}
