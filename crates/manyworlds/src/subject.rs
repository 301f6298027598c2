//! What can be checked: a program, a system of actors, a specification. One interface for the command line, the tests and the books.

use crate::options::Options;
use crate::watch::Watch;
use manyworlds_core::decides::{self, SubjectKind};
use manyworlds_core::{
    Bounds, Coverage, Engine, Flaw, InvalidModel, Network, Observer, Outcome, Policy, Replayed, Trace, TraceError,
    TraceStep, Verdict,
};
use manyworlds_report::{Hints, Style, failure, summary};
use std::fmt;

/// Something that can be checked.
pub trait Subject {
    /// `program`, `actors` or `specification`.
    fn kind(&self) -> &'static str;

    /// Checks it; `observer` sees the progress.
    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused>;

    /// Performs a trace step by step; `show` sees each step before it is done.
    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError>;
}

/// What came of a check.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The verdict and the figures.
    pub outcome: Outcome,
    /// The engine that ran.
    pub engine: Engine,
    /// Why `auto` took that one.
    pub why: Option<String>,
    /// The network of operations and channels that have none of their own; a specification has none.
    pub network: Option<Network>,
    /// What was exercised, if [`Options::coverage`] asked for it and the front end keeps count.
    pub coverage: Option<Coverage>,
    /// States that were known but not expanded when a run that keeps states stopped early.
    pub frontier: Option<u64>,
    /// How likely it is that a state was taken for another, in a run that keeps fingerprints.
    pub omission: Option<f64>,
}

/// A question that an engine cannot answer, or options that do not go together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// An outcome for people: the counterexample as a chart, if there is one, and the verdict with its figures.
pub fn told(name: &str, outcome: &Outcome) -> String {
    let style = Style::default();
    let chart = outcome.trace().map(|trace| failure(trace, &Hints::default(), &style) + "\n").unwrap_or_default();
    format!("{chart}{}\n", summary(name, outcome, None, &style))
}

/// The observer that minds the clock, the memory and whoever wants to stop.
pub fn watch<'a>(options: &Options, observer: Option<&'a dyn Observer>) -> Watch<'a> {
    Watch::new(options.timeout, options.max_memory, options.cancel.clone(), observer)
}

/// The limits of a run.
pub fn bounds(options: &Options) -> Bounds {
    Bounds {
        executions: options.max_executions,
        states: options.max_states,
        depth: options.max_depth,
        steps_per_process: None,
        seconds: options.timeout.map(|timeout| timeout.as_secs_f64()),
        memory: options.max_memory,
    }
}

/// Refuses options that do nothing for an engine.
pub fn refuse_unused(options: &Options, engine: Engine) -> Result<(), Refused> {
    let keeps_states = engine.keeps_states();
    let is_must = engine == Engine::Must;
    let unused = [
        (options.max_states.is_some() && !keeps_states, "max-states", "counts executions: use max-executions"),
        (options.exact && !keeps_states, "exact", "keeps no set of states"),
        (options.reduce && !keeps_states, "reduce", "does not use persistent sets: use bfs or dfs"),
        (options.symmetry && !keeps_states, "symmetry", "keeps no set of states"),
        (options.max_executions.is_some() && keeps_states, "max-executions", "counts states: use max-states"),
        (
            options.delays.is_some() && engine != Engine::Delay,
            "delays",
            "does not delay actors: this option is for the scheduler `delay`",
        ),
        (options.eager && !is_must, "eager", "does not distinguish orders of arrival: use `must`, for programs only"),
        (options.policy != Policy::default() && !is_must, "policy", "does not order processes by a policy: use `must`"),
        (
            options.max_depth.is_some() && engine == Engine::Brute,
            "max-depth",
            "does not cut executions off: use `must`",
        ),
    ];
    match unused.iter().find(|(given, ..)| *given) {
        Some((_, option, why)) => Err(Refused(format!("option {option}: engine `{engine}` {why}"))),
        None => Ok(()),
    }
}

/// Refuses an engine that does not run subjects of this kind.
pub fn refuse_engine(engine: Engine, subject: SubjectKind) -> Result<(), Refused> {
    decides::runs(engine, subject).map_err(|why| Refused(format!("engine `{engine}`: {why}")))
}

/// A violation is reported as what it is only if its `replay` reproduced it; if not, user code (`whose`, in words) is not deterministic.
pub fn confirmed(trace: Trace, replay: Result<Replayed, TraceError>, whose: &str) -> Verdict {
    let problem = match replay {
        Ok(Replayed::Reproduced) => {
            return Verdict::Violated { violation: trace.violation.clone(), trace: Box::new(trace) };
        }
        Ok(Replayed::Gone) => "every step could be repeated, but the violation did not occur again".to_string(),
        Err(error) => error.to_string(),
    };
    let invalid = InvalidModel::new(Flaw::NotDeterministic, format!("{whose} is not deterministic"))
        .evidence(format!("first run: {}: {}", trace.violation.property, trace.violation.message))
        .evidence(format!("replay: {problem}"))
        .at(trace.violation.location.clone());
    Verdict::Invalid(Box::new(InvalidModel { trace: Some(Box::new(trace)), ..invalid }))
}
