//! What can be checked: a program, a system of actors, a specification. One interface for the command line, the tests and the books.

use crate::options::Options;
use crate::program::Program;
use crate::watch::Watch;
use manyworlds_actor::System;
use manyworlds_core::decides::{self, SubjectKind};
use manyworlds_core::{
    Bounds, Coverage, Engine, Flaw, InvalidModel, Network, Observer, Outcome, Policy, Replayed, Trace, TraceError,
    TraceStep, Verdict,
};
use manyworlds_explore::{Model, Specification};
use manyworlds_report::{Hints, Style, failure, summary};
use std::fmt;
use std::ops::Deref;

/// Something that can be checked.
pub trait Subject {
    /// `program`, `actors` or `specification`.
    fn kind(&self) -> &'static str;

    /// Checks it; `observer` sees the progress.
    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused>;

    /// Performs a trace step by step in a run with these options; `show` sees each step before it is done.
    fn replay_with(
        &self,
        options: &Options,
        trace: &Trace,
        show: &mut dyn FnMut(usize, &TraceStep),
    ) -> Result<Replayed, TraceError>;

    /// The same, with the options that traces do not mention as they are by default.
    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        self.replay_with(&Options::default(), trace, show)
    }
}

macro_rules! forwards {
    ($($pointer:ty),*) => {$(
        impl<S: Subject + ?Sized> Subject for $pointer {
            fn kind(&self) -> &'static str {
                (**self).kind()
            }

            fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
                (**self).check(options, observer)
            }

            fn replay_with(
                &self,
                options: &Options,
                trace: &Trace,
                show: &mut dyn FnMut(usize, &TraceStep),
            ) -> Result<Replayed, TraceError> {
                (**self).replay_with(options, trace, show)
            }
        }
    )*};
}

forwards!(Box<S>, &S);

/// What [`check`](crate::check()) and [`#[manyworlds::test]`](macro@crate::test) take: a subject, a reference to one, or a closure, which is a
/// program.
pub trait IntoSubject {
    /// The subject.
    type Subject: Subject;

    /// Makes it.
    fn into_subject(self) -> Self::Subject;
}

impl<F: Fn() + Send + Sync + 'static> IntoSubject for F {
    type Subject = Program;

    fn into_subject(self) -> Program {
        Program::new(self)
    }
}

impl IntoSubject for Program {
    type Subject = Program;

    fn into_subject(self) -> Program {
        self
    }
}

impl IntoSubject for &Program {
    type Subject = Program;

    fn into_subject(self) -> Program {
        self.clone()
    }
}

impl IntoSubject for System {
    type Subject = System;

    fn into_subject(self) -> System {
        self
    }
}

impl IntoSubject for &System {
    type Subject = System;

    fn into_subject(self) -> System {
        self.clone()
    }
}

impl<'a> IntoSubject for &'a dyn Subject {
    type Subject = &'a dyn Subject;

    fn into_subject(self) -> &'a dyn Subject {
        self
    }
}

impl IntoSubject for Box<dyn Subject> {
    type Subject = Box<dyn Subject>;

    fn into_subject(self) -> Box<dyn Subject> {
        self
    }
}

impl<M: Model, I, F, R> IntoSubject for Specification<M, I, F, R>
where
    Specification<M, I, F, R>: Subject,
{
    type Subject = Specification<M, I, F, R>;

    fn into_subject(self) -> Self::Subject {
        self
    }
}

impl<M: Model, I, F, R> IntoSubject for &Specification<M, I, F, R>
where
    Specification<M, I, F, R>: Subject + Clone,
{
    type Subject = Specification<M, I, F, R>;

    fn into_subject(self) -> Self::Subject {
        self.clone()
    }
}

/// The result of a check: the [`Outcome`], and how it was found. It displays as the counterexample as a chart, if there is one, and the verdict
/// with its figures.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The name of what was checked.
    pub name: String,
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

impl Answer {
    /// The same answer, if the verdict is verified.
    ///
    /// # Panics
    /// If there is a violation, the model is invalid, or a bound was hit; the message is the whole answer.
    #[track_caller]
    pub fn assert_verified(&self) -> &Answer {
        assert!(self.outcome.is_verified(), "`{}` is not verified\n{self}", self.name);
        self
    }
}

impl Deref for Answer {
    type Target = Outcome;

    fn deref(&self) -> &Outcome {
        &self.outcome
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = Style::default();
        if let Some(trace) = self.outcome.trace() {
            writeln!(f, "{}", failure(trace, &Hints::default(), &style))?;
        }
        writeln!(f, "{}", summary(&self.name, &self.outcome, None, &style))
    }
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
pub fn refuse_unused(options: &Options, engine: Engine, subject: SubjectKind) -> Result<(), Refused> {
    let keeps_states = engine.keeps_states();
    let is_must = engine == Engine::Must;
    let runs_processes = subject == SubjectKind::Program;
    let unused = [
        (
            options.max_steps.is_some() && !runs_processes,
            "max-steps",
            "counts no operations of processes: it is for programs",
        ),
        (options.stack_size.is_some() && !runs_processes, "stack-size", "gives no process a stack: it is for programs"),
        (
            options.max_nodes.is_some() && !runs_processes,
            "max-nodes",
            "remembers no local histories: it is for programs",
        ),
        (
            options.max_coroutines.is_some() && !runs_processes,
            "max-coroutines",
            "keeps no coroutines: it is for programs",
        ),
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
        (options.coverage && engine == Engine::Brute, "coverage", "does not record what was exercised: use `must`"),
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
