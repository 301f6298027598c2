//! What can be checked: a program, a system of actors, a specification. One interface for the command line, the tests and the books.

use crate::options::{EngineName, Options};
use crate::watch::Watch;
use manyworlds_core::{
    Coverage, Network, Observer, Outcome, Property, Replayed, Trace, TraceError, TraceStep, Verdict, Violation,
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
    pub engine: EngineName,
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

/// What limited a run, in words.
pub fn bounds(options: &Options) -> Vec<String> {
    let mut bounds = Vec::new();
    bounds.extend(options.max_executions.map(|n| format!("{n} executions")));
    bounds.extend(options.max_states.map(|n| format!("{n} states")));
    bounds.extend(options.max_depth.map(|n| format!("depth {n}")));
    bounds.extend(options.timeout.map(|t| format!("{} s", t.as_secs_f64())));
    bounds.extend(options.max_memory.map(|m| format!("{m} bytes")));
    bounds
}

/// Options that only some engines know: refuses those that were given to another.
pub fn refuse_strangers(options: &Options, engine: EngineName) -> Result<(), Refused> {
    let keeps_states = matches!(engine, EngineName::Bfs | EngineName::Dfs);
    let takes_reads = matches!(engine, EngineName::Must | EngineName::Brute);
    let strangers = [
        (options.max_states.is_some() && !keeps_states, "max-states", "counts executions: use max-executions"),
        (options.exact && !keeps_states, "exact", "keeps no set of states"),
        (options.reduce && !keeps_states, "reduce", "knows no persistent sets: use bfs or dfs"),
        (options.symmetry && !keeps_states, "symmetry", "keeps no set of states"),
        (options.max_executions.is_some() && keeps_states, "max-executions", "counts states: use max-states"),
        (
            options.delays.is_some() && engine != EngineName::Delay,
            "delays",
            "delays nobody: it is for the scheduler `delay`",
        ),
        (options.eager && !takes_reads, "eager", "does not know reads: it is for `must` on programs"),
    ];
    match strangers.iter().find(|(given, ..)| *given) {
        Some((_, option, why)) => Err(Refused(format!("option {option}: engine `{engine}` {why}"))),
        None => Ok(()),
    }
}

/// A violation is reported as what it is only if its `replay` reproduced it; if not, user code (`whose`, in words) is not deterministic.
pub fn confirmed(mut trace: Trace, replay: Result<Replayed, TraceError>, whose: &str) -> Verdict {
    let problem = match replay {
        Ok(Replayed::Reproduced) => None,
        Ok(Replayed::Gone) => Some("it did not happen again".to_string()),
        Err(error) => Some(error.to_string()),
    };
    if let Some(problem) = problem {
        let message =
            format!("`{}` was seen, but replayed {problem}: {whose} is not deterministic", trace.violation.message);
        trace.violation = Violation { property: Property::Deterministic, message, ..trace.violation };
    }
    Verdict::Violated { violation: trace.violation.clone(), trace: Box::new(trace) }
}
