//! How a model is checked, whatever kind of model it is: the table of all options.

use manyworlds_actor::System;
use manyworlds_core::{Engine, Network, Observer, Policy};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::subject::{Answer, Refused, Subject, told};

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

/// How a model is checked. What is `None` is the model's own choice, or no limit.
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
    /// The options that every model can be checked with.
    pub fn new() -> Options {
        Options::default()
    }

    /// Chooses the engine.
    pub fn engine(mut self, engine: Engine) -> Options {
        self.engine = engine;
        self
    }

    /// Chooses the network.
    pub fn network(mut self, network: Network) -> Options {
        self.network = Some(network);
        self
    }

    /// Chooses the number of workers.
    pub fn threads(mut self, threads: usize) -> Options {
        self.threads = threads;
        self
    }

    /// Chooses the name under which traces are written and outcomes are reported.
    pub fn name(mut self, name: impl Into<String>) -> Options {
        self.name = name.into();
        self
    }

    /// Checks a program, a system of actors or a specification.
    pub fn check(&self, subject: &dyn Subject) -> Result<Answer, Refused> {
        subject.check(self, None)
    }

    /// The same; `observer` sees the progress.
    pub fn check_with(&self, subject: &dyn Subject, observer: &dyn Observer) -> Result<Answer, Refused> {
        subject.check(self, Some(observer))
    }

    /// The answer for people: the counterexample as a chart, if there is one, and the verdict with its figures.
    pub fn report(&self, answer: &Answer) -> String {
        told(&self.name, &answer.outcome)
    }
}
