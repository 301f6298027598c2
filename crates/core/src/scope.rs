//! The scope of an answer, as data: the unit of exploration, semantics, network, bounds, faults, fairness, reductions, unchecked properties, and the
//! probability of a missed state. Engines and the facade fill it in; only this module turns it into a sentence.

use crate::Network;
use serde::Serialize;
use std::fmt;

/// The unit of exploration: a complete run explores all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explored {
    /// Every execution, up to the order of independent events.
    #[default]
    Executions,
    /// Every reachable global state.
    States,
    /// Every execution up to the order of independent steps, and so every terminal state, but not every state.
    StatesUpToIndependence,
    /// Every schedule.
    Schedules,
    /// Every schedule up to the order of independent receives.
    SchedulesUpToIndependence,
    /// Schedules that were drawn at random.
    RandomSchedules,
    /// Schedules with a bounded number of delays.
    DelayBoundedSchedules,
    /// Schedules that a heuristic of reversals leads to.
    ReversedSchedules,
    /// Schedules that differ in the order of operations on one key.
    SchedulesOfOneKey,
    /// Random walks.
    RandomWalks,
}

/// A semantic rule that an answer depends on and a user may not expect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Semantics {
    /// `Relaxed`, `Acquire` and `Release` were used, and ran as sequentially consistent.
    WeakOrderingsRunAsSeqCst,
    /// Properties over one actor were not evaluated while it had no state: before it started, or after a crash that nothing survived.
    PropertiesSkippedWhileActorsAreAbsent,
    /// A P program has the semantics of the reference checker: one inbox for each machine, specs run at the send, and handlers interleave at sends. Sets and
    /// maps iterate in sorted order, and `format` prints machine names that do not depend on the schedule.
    PReference,
}

/// A reduction that leaves states or executions out without changing the answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduced {
    /// Persistent sets.
    PersistentSets,
    /// One state stands for all that differ in the names of identical actors.
    Symmetry,
    /// Deliveries that change nothing and send nothing are left out, because under asyn the message may as well stay in flight.
    IdleDeliveries,
}

/// The unit of samples in isolation checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampleUnit {
    /// Whole executions, of programs.
    #[default]
    Execution,
    /// Paths, of actors.
    Path,
    /// States, of specifications.
    State,
}

/// How often each fault may happen in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct FaultBounds {
    /// Messages that may be lost.
    pub losses: u32,
    /// Messages that may be delivered twice.
    pub duplicates: u32,
    /// Actors that may crash.
    pub crashes: u32,
    /// Actors that may restart.
    pub restarts: u32,
    /// Network partitions.
    pub partitions: u32,
}

/// Limits of a run; `None` means that there is no limit.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Bounds {
    /// Executions, walks or schedules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// Distinct states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Events of an execution, or steps of a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// Operations of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps_per_process: Option<u64>,
    /// Wall-clock time in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Resident memory in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

/// The scope of an answer.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Scope {
    /// The unit of exploration; a run that stopped early has explored a part.
    pub explored: Explored,
    /// The network of operations and channels that have none of their own; a specification has none.
    pub network: Option<Network>,
    /// Rules that the answer relies on.
    pub semantics: Vec<Semantics>,
    /// The limits of the run.
    pub bounds: Bounds,
    /// The faults that may happen.
    pub faults: FaultBounds,
    /// The actions and processes for which weak fairness is assumed, by name.
    pub weakly_fair: Vec<String>,
    /// The actions and processes for which strong fairness is assumed, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strongly_fair: Vec<String>,
    /// The reductions in use.
    pub reductions: Vec<Reduced>,
    /// Properties that were left out because the engine cannot decide them.
    pub not_checked: Vec<String>,
    /// Properties that a run which stopped early has not decided.
    pub undecided: Vec<String>,
    /// `sometimes` properties that held in no state so far.
    pub not_reached: Vec<String>,
    /// States that were known but not expanded when the run stopped.
    pub frontier: Option<u64>,
    /// An upper bound on the probability that a state was missed by a fingerprint collision; `None` where states or executions are not identified by
    /// fingerprints.
    pub collision_probability: Option<f64>,
    /// How many samples were run again, to check that user code shares nothing and is a function of its inputs; `None` where that was not checked.
    pub isolation_samples: Option<u64>,
    /// The unit of samples.
    pub isolation_unit: SampleUnit,
    /// Whether there was nothing to check: no property, no assertion that could fail, or no process.
    pub nothing_checked: Option<String>,
    /// Why a memory limit could not be observed.
    pub memory_not_observed: bool,
}

/// The remark of a run that keeps whole states.
const COMPARED_IN_FULL: &str = "states compared in full";

impl Scope {
    /// The explored set of a run that was not stopped.
    fn everything(&self) -> String {
        let mut text = match self.explored {
            Explored::Executions => "every execution",
            Explored::States => "every reachable state",
            Explored::StatesUpToIndependence => "every execution up to the order of independent steps",
            Explored::Schedules => "every schedule",
            Explored::SchedulesUpToIndependence => "every schedule up to the order of independent receives",
            Explored::RandomSchedules => "schedules drawn at random",
            Explored::DelayBoundedSchedules => "schedules with few delays",
            Explored::ReversedSchedules => "schedules with one reversal at a time",
            Explored::SchedulesOfOneKey => "schedules that differ for one key",
            Explored::RandomWalks => "a sample of random walks",
        }
        .to_string();
        if self.reductions.contains(&Reduced::Symmetry) {
            text.push_str(" up to symmetry");
        }
        if self.reductions.contains(&Reduced::IdleDeliveries) {
            text.push_str(" without deliveries that do nothing");
        }
        text.push_str(&self.network.map(|network| format!(" under {network}")).unwrap_or_default());
        text.push_str(&self.faults.to_string());
        text
    }

    /// Whether the answer is about distinct global states.
    fn keeps_states(&self) -> bool {
        matches!(self.explored, Explored::States | Explored::StatesUpToIndependence)
    }

    /// The assumptions and restrictions, each a phrase of its own.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        match self.collision_probability {
            Some(p) => remarks
                .push(format!("probability of a missed state by fingerprint collision below {:.0e}", p.max(1e-30))),
            None if self.keeps_states() => remarks.push(COMPARED_IN_FULL.to_string()),
            None => {}
        }
        if !self.weakly_fair.is_empty() {
            remarks.push(format!("weak fairness of {}", self.weakly_fair.join(", ")));
        }
        if !self.strongly_fair.is_empty() {
            remarks.push(format!("strong fairness of {}", self.strongly_fair.join(", ")));
        }
        remarks.extend(self.semantics.iter().map(Semantics::to_string));
        remarks.extend(
            self.isolation_samples.map(|n| format!("isolation sampled: {}", counted(n, self.isolation_unit.noun()))),
        );
        if self.memory_not_observed {
            remarks.push("the memory limit was not observed: this system does not report resident memory".to_string());
        }
        if !self.not_checked.is_empty() {
            let quoted: Vec<String> = self.not_checked.iter().map(|name| format!("`{name}`")).collect();
            remarks.push(format!("not checked: {}", quoted.join(", ")));
        }
        remarks.extend(self.nothing_checked.clone());
        remarks
    }

    /// The limits of a run that stopped early, and the questions that it left open, as a sentence.
    pub fn limits(&self) -> String {
        self.limit_list().join(", ")
    }

    /// The limits of a run that stopped early, and the questions that it left open.
    pub fn limit_list(&self) -> Vec<String> {
        let mut parts = self.bounds.phrases();
        if self.bounds.executions.is_none() && self.explored == Explored::RandomSchedules {
            parts.push("schedules drawn at random, max-executions draws more".to_string());
        } else if !self.is_exhaustive() {
            parts.push(self.everything());
        }
        parts.extend(self.frontier.map(|n| format!("{} not expanded", counted(n, "known state"))));
        parts.extend(self.undecided.iter().map(|name| format!("`{name}` is not decided")));
        parts.extend(self.not_reached.iter().map(|name| format!("`sometimes {name}` was not reached so far")));
        parts.extend(self.remarks().into_iter().filter(|remark| remark != COMPARED_IN_FULL));
        parts
    }

    /// Whether a run that is not stopped is exhaustive.
    fn is_exhaustive(&self) -> bool {
        use Explored::*;
        matches!(self.explored, Executions | States | StatesUpToIndependence | Schedules | SchedulesUpToIndependence)
    }
}

impl SampleUnit {
    fn noun(self) -> &'static str {
        match self {
            SampleUnit::Execution => "execution",
            SampleUnit::Path => "path",
            SampleUnit::State => "state",
        }
    }
}

impl fmt::Display for Scope {
    /// The explored set of a run that was not stopped, and its assumptions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remarks = self.remarks();
        f.write_str(&self.everything())?;
        if remarks.is_empty() { Ok(()) } else { write!(f, " ({})", remarks.join("; ")) }
    }
}

impl Bounds {
    fn phrases(&self) -> Vec<String> {
        let mut phrases = Vec::new();
        phrases.extend(self.steps_per_process.map(|n| format!("at most {} per process", counted(n, "step"))));
        phrases.extend(self.executions.map(|n| format!("at most {}", counted(n, "execution"))));
        phrases.extend(self.states.map(|n| format!("at most {}", counted(n, "state"))));
        phrases.extend(self.depth.map(|n| format!("at most depth {n}")));
        phrases.extend(self.seconds.map(|t| format!("at most {t} s")));
        phrases.extend(self.memory.map(|m| format!("at most {m} bytes of memory")));
        phrases
    }
}

impl fmt::Display for FaultBounds {
    /// ` with at most 2 lost messages and 1 crash`, or nothing where no fault may happen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = [
            (self.losses, "lost message"),
            (self.duplicates, "duplicated message"),
            (self.crashes, "crash"),
            (self.restarts, "restart"),
            (self.partitions, "network partition"),
        ];
        let phrases: Vec<String> =
            faults.iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(u64::from(*n), what)).collect();
        match phrases.split_last() {
            None => Ok(()),
            Some((one, [])) => write!(f, " with at most {one}"),
            Some((last, others)) => write!(f, " with at most {} and {last}", others.join(", ")),
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Semantics::WeakOrderingsRunAsSeqCst => "sequential consistency: Relaxed, Acquire and Release ran as SeqCst",
            Semantics::PropertiesSkippedWhileActorsAreAbsent => {
                "properties over one actor are not evaluated while it has no state"
            }
            Semantics::PReference => "reference semantics of P, sets and maps in sorted order",
        })
    }
}

/// `1 state`, `2 states`, `2 crashes`.
fn counted(n: u64, noun: &str) -> String {
    let plural = if noun.ends_with("sh") { "es" } else { "s" };
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}{plural}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_names_what_was_explored_and_what_it_relies_on() {
        let scope = Scope {
            explored: Explored::States,
            network: Some(Network::P2p),
            faults: FaultBounds { losses: 1, crashes: 2, ..FaultBounds::default() },
            reductions: vec![Reduced::Symmetry],
            collision_probability: Some(2e-20),
            not_checked: vec!["eventually done".to_string()],
            ..Scope::default()
        };
        assert_eq!(
            scope.to_string(),
            "every reachable state up to symmetry under p2p with at most 1 lost message and 2 crashes \
             (probability of a missed state by fingerprint collision below 2e-20; not checked: `eventually done`)"
        );
    }

    #[test]
    fn the_limits_of_a_run_that_stopped_are_listed() {
        let bounds = Bounds { states: Some(10), seconds: Some(1.5), ..Bounds::default() };
        let scope = Scope { explored: Explored::States, bounds, frontier: Some(1), ..Scope::default() };
        assert_eq!(scope.limits(), "at most 10 states, at most 1.5 s, 1 known state not expanded");
    }
}
