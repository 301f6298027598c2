//! How a model is checked, whatever kind of model it is: the table of all options.

use manyworlds_core::{Network, Observer, Policy};
use manyworlds_explore::SchedulerName;
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::subject::{Answer, Refused, Subject, told};

/// The engines of the house.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineName {
    /// Whatever suits the model; the answer says which, and why.
    #[default]
    Auto,
    /// The optimal DPOR of Must: every distinct execution once. Programs and actors.
    Must,
    /// Every interleaving, one by one: the naive twin of `must`. Programs.
    Brute,
    /// Breadth-first over global states: a shortest counterexample. Actors and specifications.
    Bfs,
    /// Depth-first over global states: little memory. Actors and specifications.
    Dfs,
    /// Seeded random walks: never complete. Actors and specifications.
    Random,
    /// DS2's systematic random scheduler: schedules drawn with a seed. Actors, as all schedulers.
    SystematicRandom,
    /// DS2's exhaustive scheduler: every schedule.
    Exhaustive,
    /// DS2's delay-bounded scheduler: a round robin with few delays.
    Delay,
    /// DS2's DPOR scheduler: every schedule up to the order of independent receives.
    Dpor,
    /// DS2's TransDPOR scheduler: one reversal at a time; may miss schedules.
    TransDpor,
    /// DS2's IRed scheduler: reversals that a chain of senders shows; may miss schedules.
    IRed,
    /// DS2's LiViola scheduler: reversals that concern one key; may miss schedules.
    LiViola,
}

impl EngineName {
    /// All of them.
    pub const ALL: [EngineName; 13] = [
        EngineName::Auto,
        EngineName::Must,
        EngineName::Bfs,
        EngineName::Dfs,
        EngineName::Random,
        EngineName::Brute,
        EngineName::SystematicRandom,
        EngineName::Exhaustive,
        EngineName::Delay,
        EngineName::Dpor,
        EngineName::TransDpor,
        EngineName::IRed,
        EngineName::LiViola,
    ];

    /// The name used on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Must => "must",
            EngineName::Brute => "brute",
            EngineName::Bfs => "bfs",
            EngineName::Dfs => "dfs",
            EngineName::Random => "random",
            EngineName::SystematicRandom => "systematic-random",
            EngineName::Exhaustive => "exhaustive",
            EngineName::Delay => "delay",
            EngineName::Dpor => "dpor",
            EngineName::TransDpor => "trans-dpor",
            EngineName::IRed => "ired",
            EngineName::LiViola => "liviola",
        }
    }

    /// The two letters that DS2 has for a scheduler; other engines have none.
    pub fn letters(self) -> Option<&'static str> {
        Some(match self.scheduler()? {
            SchedulerName::SystematicRandom => "sr",
            SchedulerName::Exhaustive => "ex",
            SchedulerName::Delay => "db",
            SchedulerName::Dpor => "dp",
            SchedulerName::TransDpor => "td",
            SchedulerName::IRed => "ir",
            SchedulerName::LiViola => "lv",
        })
    }

    /// The scheduler, if it is one.
    pub fn scheduler(self) -> Option<SchedulerName> {
        match self {
            EngineName::SystematicRandom => Some(SchedulerName::SystematicRandom),
            EngineName::Exhaustive => Some(SchedulerName::Exhaustive),
            EngineName::Delay => Some(SchedulerName::Delay),
            EngineName::Dpor => Some(SchedulerName::Dpor),
            EngineName::TransDpor => Some(SchedulerName::TransDpor),
            EngineName::IRed => Some(SchedulerName::IRed),
            EngineName::LiViola => Some(SchedulerName::LiViola),
            _ => None,
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineName {
    type Err = String;

    fn from_str(s: &str) -> Result<EngineName, String> {
        EngineName::ALL.into_iter().find(|engine| engine.name() == s || engine.letters() == Some(s)).ok_or_else(|| {
            let names = EngineName::ALL.map(EngineName::name).join(", ");
            format!("unknown engine `{s}`: expected one of {names}")
        })
    }
}

/// How a model is checked. What is `None` is the model's own choice, or no limit.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine.
    pub engine: EngineName,
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
    pub fn engine(mut self, engine: EngineName) -> Options {
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
