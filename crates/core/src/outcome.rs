//! The answer of a run: verified in full, violated with a trace, possibly violated, incomplete with a reason, or invalid because the model breaks an
//! assumption of the engines. A bounded run never looks like a verified one.

use crate::{InvalidModel, Location, Scope, StopReason, Trace};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The property that was violated.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Requirement {
    /// A panic in user code: an assertion, an index, an `unwrap`.
    Assertion,
    /// A monitor panicked.
    Monitor,
    /// Some process waits for ever.
    Deadlock,
    /// A process was not deterministic: it behaved differently when its history was run again.
    Deterministic,
    /// A process overflowed its stack.
    StackOverflow,
    /// The API was used in a way it forbids.
    ApiContract,
    /// Operations behave as if each took effect atomically.
    Linearizable,
    /// Holds in every reachable state.
    Always {
        /// The user's name for it.
        name: String,
    },
    /// Holds in no reachable state.
    Never {
        /// The user's name for it.
        name: String,
    },
    /// Holds in some reachable state.
    Sometimes {
        /// The user's name for it.
        name: String,
    },
    /// Holds somewhere on every maximal path.
    Eventually {
        /// The user's name for it.
        name: String,
    },
    /// Holds again and again on every maximal path.
    AlwaysEventually {
        /// The user's name for it.
        name: String,
    },
    /// On every maximal path, whenever one predicate holds, another one holds then or later.
    LeadsTo {
        /// The user's name for it.
        name: String,
    },
    /// Holds in every terminal state.
    AtRest {
        /// The user's name for it.
        name: String,
    },
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Requirement::Always { name } => return write!(f, "always {name}"),
            Requirement::Never { name } => return write!(f, "never {name}"),
            Requirement::Sometimes { name } => return write!(f, "sometimes {name}"),
            Requirement::Eventually { name } => return write!(f, "eventually {name}"),
            Requirement::AlwaysEventually { name } => return write!(f, "always eventually {name}"),
            Requirement::LeadsTo { name } => return write!(f, "leads-to {name}"),
            Requirement::AtRest { name } => return write!(f, "at rest {name}"),
            Requirement::Assertion => "assertion",
            Requirement::Monitor => "monitor",
            Requirement::Deadlock => "no deadlock",
            Requirement::Deterministic => "processes are deterministic",
            Requirement::StackOverflow => "processes stay within their stacks",
            Requirement::ApiContract => "the API is used as documented",
            Requirement::Linearizable => "operations are linearizable",
        })
    }
}

/// A violated property and the execution that violates it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// Which property.
    pub property: Requirement,
    /// The panic message or an explanation.
    pub message: String,
    /// Where in the source, if that is known.
    pub location: Option<Location>,
    /// The name of the process that failed, where one did.
    pub process: Option<String>,
}

/// The verdict of a run. What it covers is the [`Scope`] of its [`Outcome`].
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Everything within the scope was explored and nothing violates a property.
    Verified,
    /// An execution violates a property; it was replayed and failed the same way.
    Violated {
        /// The violation.
        violation: Violation,
        /// The counterexample.
        trace: Box<Trace>,
    },
    /// An engine that over-approximates found a violation, and no replay confirmed it.
    Possible {
        /// The possible violation.
        violation: Violation,
        /// The steps that the engine has for it, if it has any; they need not be an execution.
        trace: Option<Box<Trace>>,
    },
    /// The run stopped early and found no violation.
    Incomplete {
        /// Why.
        reason: StopReason,
    },
    /// The model breaks an assumption of the engines, so there is no answer about its properties.
    Invalid(Box<InvalidModel>),
}

impl Verdict {
    /// The name used in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated { .. } => "violated",
            Verdict::Possible { .. } => "possible",
            Verdict::Incomplete { .. } => "incomplete",
            Verdict::Invalid(_) => "invalid-model",
        }
    }
}

/// The figures of a run. A figure an engine does not have is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Complete executions.
    pub executions: Option<u64>,
    /// Executions in which some process waits for ever.
    pub blocked: Option<u64>,
    /// Executions cut off by a bound.
    pub truncated: Option<u64>,
    /// Distinct global states. Symbolic engines count more of them than 64 bits hold.
    pub states: Option<u128>,
    /// Steps between states.
    pub transitions: Option<u128>,
    /// Length of the longest execution or shortest path.
    pub depth: Option<u64>,
    /// Executions that violate a property.
    pub violations: u64,
    /// Events added to graphs.
    pub events: Option<u64>,
    /// Backward revisits performed.
    pub revisits: Option<u64>,
    /// Local steps in which user code ran.
    pub user_steps: u64,
    /// Local steps taken for the first time.
    pub distinct_steps: u64,
    /// The figures of the schedules of a scheduler.
    pub histories: Option<ScheduleStats>,
    /// Why a run that was to continue after a violation stopped early: its figures are partial.
    pub stopped: Option<StopReason>,
}

/// The figures of a scheduler, as DS2 defines them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScheduleStats {
    /// Schedules.
    pub schedules: u64,
    /// Those after which no operation is open.
    pub complete: u64,
    /// Those after which some operation is open.
    pub incomplete: u64,
    /// Histories up to differences that linearizability does not depend on.
    pub unique: u64,
    /// Those of them that are not linearizable; `None` if there is no specification.
    pub non_linearizable: Option<u64>,
    /// Schedules up to and including the first violating one.
    pub first_bug: Option<u64>,
    /// The time up to the first violating schedule. Engines read no clock: their caller fills it in.
    pub first_bug_time: Option<Duration>,
    /// Unique histories before the first one that is not linearizable.
    pub good_histories: Option<u64>,
    /// The time spent on checking unique histories. The caller of the engine fills it in.
    pub judging_time: Option<Duration>,
    /// Steps of all schedules together: the work if no prefix were shared.
    pub steps: u64,
}

impl ScheduleStats {
    /// The part of the unique histories that is not linearizable (NL/UH).
    pub fn quality(&self) -> Option<f64> {
        ratio(self.non_linearizable?, self.unique)
    }

    /// Unique histories for each schedule (UH/S).
    pub fn progression(&self) -> Option<f64> {
        ratio(self.unique, self.schedules)
    }

    /// Histories that are not linearizable for each schedule (NL/S).
    pub fn precision(&self) -> Option<f64> {
        ratio(self.non_linearizable?, self.schedules)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The answer of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The scope of the verdict.
    pub scope: Scope,
    /// The figures.
    pub stats: Stats,
}

impl Outcome {
    /// Whether everything within the scope was explored and nothing violates a property.
    pub fn is_verified(&self) -> bool {
        matches!(self.verdict, Verdict::Verified)
    }

    /// The violation, if there is one.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.verdict {
            Verdict::Violated { violation, .. } => Some(violation),
            _ => None,
        }
    }

    /// Why the run stopped early: without a violation so far, or while it was to continue after one.
    pub fn stopped(&self) -> Option<StopReason> {
        match &self.verdict {
            Verdict::Incomplete { reason } => Some(*reason),
            _ => self.stats.stopped,
        }
    }

    /// The flaw of the model, if the verdict is that the model is invalid.
    pub fn invalid(&self) -> Option<&InvalidModel> {
        match &self.verdict {
            Verdict::Invalid(invalid) => Some(invalid),
            _ => None,
        }
    }

    /// The counterexample, or the execution that shows why the model is invalid, if there is one.
    pub fn trace(&self) -> Option<&Trace> {
        match &self.verdict {
            Verdict::Violated { trace, .. } => Some(trace),
            Verdict::Possible { trace, .. } => trace.as_deref(),
            Verdict::Invalid(invalid) => invalid.trace.as_deref(),
            _ => None,
        }
    }
}
