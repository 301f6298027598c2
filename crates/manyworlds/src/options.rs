//! How a model is checked, whatever kind of model it is: the table of all options.

use manyworlds_actor::System;
use manyworlds_core::{Engine, Network, Policy};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Builds a system of actors again.
#[derive(Clone)]
pub struct Rebuild(Arc<dyn Fn() -> Option<System> + Send + Sync>);

impl Rebuild {
    /// Builds the system by this function; `None` if the subject is not a system of actors.
    pub fn new(build: impl Fn() -> Option<System> + Send + Sync + 'static) -> Rebuild {
        Rebuild(Arc::new(build))
    }

    /// The system, built again.
    pub fn system(&self) -> Option<System> {
        (self.0)()
    }
}

impl fmt::Debug for Rebuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rebuild")
    }
}

/// How a model is checked: what [`check`](crate::check()) builds. What is `None` is the model's own choice, or no limit.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine.
    pub engine: Engine,
    /// The network of operations and channels that have none of their own.
    pub network: Option<Network>,
    /// Workers; 0 counts as 1. Counts do not depend on it.
    pub threads: usize,
    /// For random walks and schedules; traces mention it.
    pub seed: u64,
    /// The order in which `must` runs processes. Counts do not depend on it.
    pub policy: Policy,
    /// Stop after so many executions; for `random` the number of walks, for schedulers that of schedules.
    pub max_executions: Option<u64>,
    /// Stop after so many distinct states.
    pub max_states: Option<u64>,
    /// Cut executions off after so many events, paths after so many steps.
    pub max_depth: Option<u64>,
    /// Cut executions off when a process has done so many operations; 100,000 if not given. For programs.
    pub max_steps: Option<u64>,
    /// Bytes of stack for each process. For programs.
    pub stack_size: Option<usize>,
    /// How many local histories each worker remembers; a small number costs time, never a result. For programs.
    pub max_nodes: Option<usize>,
    /// How many waiting coroutines each worker keeps. For programs.
    pub max_coroutines: Option<usize>,
    /// Stop when the time is up.
    pub timeout: Option<Duration>,
    /// Stop when the whole process uses more memory than this.
    pub max_memory: Option<u64>,
    /// Stop when the flag is set.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Count violations instead of stopping at the first.
    pub keep_going: bool,
    /// How many messages may be lost.
    pub losses: Option<u32>,
    /// Distinguish p2p executions by order of arrival (Must §6.2); programs only.
    pub eager: bool,
    /// Keep whole states instead of fingerprints.
    pub exact: bool,
    /// Explore persistent sets only.
    pub reduce: bool,
    /// Explore one of all states that are the same up to the names of identical actors.
    pub symmetry: bool,
    /// Ask only what the engine can decide, instead of refusing everything; the verdict says what was not asked. For actors.
    pub decidable: bool,
    /// Tell what was exercised too. Counts do not depend on it.
    pub coverage: bool,
    /// How many actors the scheduler `delay` may skip in one schedule.
    pub delays: Option<u32>,
    /// How to build the subject again, so that sampled paths start from actors that were never used. Named models of a command line have it.
    pub rebuild: Option<Rebuild>,
    /// The name under which traces are written.
    pub name: String,
    /// The parameters that traces mention.
    pub params: Map<String, Value>,
}

impl Options {
    /// The name, or this one if none was given.
    pub(crate) fn name_or(&self, other: &str) -> String {
        if self.name.is_empty() { other.to_string() } else { self.name.clone() }
    }
}
