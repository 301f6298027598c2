//! The entry point: runs an engine, then checks the temporal properties, and refuses questions that it cannot decide.

use crate::concrete::concrete;
use crate::config::{Config, Reduction, Report};
use crate::run::Run;
use crate::schedulers;
use crate::{Property, TransitionSystem, bfs, dfs, guard, random, sample, temporal};
use manyworlds_core::decides::{self, Question, Setup, SubjectKind, Undecided};
use manyworlds_core::{Engine, InvalidModel, Observer, StopReason, Violation};
use std::fmt;

/// Why a question is not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The model has no initial state.
    NoInitialState,
    /// The engine does not run such a model.
    Unsuitable {
        /// The engine.
        engine: Engine,
        /// Why.
        why: Undecided,
    },
    /// The engine cannot decide a property.
    Undecided {
        /// The engine.
        engine: Engine,
        /// The property.
        property: String,
        /// Why.
        why: Undecided,
    },
    /// The model has no symmetry.
    NoSymmetry,
    /// The symmetry is too large to be used.
    TooSymmetric {
        /// The reason that the model gives.
        why: String,
    },
    /// The function that lists the properties panics.
    PropertiesPanic {
        /// The message of the panic.
        message: String,
    },
    /// The function that lists the fairness assumptions panics.
    FairnessPanics {
        /// The message of the panic.
        message: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoInitialState => write!(f, "the model has no initial state, so there is nothing to explore"),
            Refusal::Unsuitable { engine, why } => write!(f, "engine `{engine}`: {why}"),
            Refusal::Undecided { engine, property, why } => {
                write!(f, "engine `{engine}` cannot decide `{property}`: {why}")
            }
            Refusal::NoSymmetry => write!(f, "the model declares no symmetry"),
            Refusal::TooSymmetric { why } => write!(f, "{why}"),
            Refusal::PropertiesPanic { message } => {
                write!(f, "the function that lists the properties of the model panics: {message}")
            }
            Refusal::FairnessPanics { message } => {
                write!(f, "the function that lists the fairness assumptions of the model panics: {message}")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Why there is no report.
#[derive(Clone, PartialEq, Debug)]
pub enum Unanswered {
    /// The engine cannot decide the question.
    Refused(Refusal),
    /// The model breaks an assumption of the engines.
    Invalid(Box<InvalidModel>),
    /// The function that gives the initial states panics: a violation without a path.
    NoStart(Violation),
}

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Unanswered {
        Unanswered::Refused(refusal)
    }
}

impl From<InvalidModel> for Unanswered {
    fn from(invalid: InvalidModel) -> Unanswered {
        Unanswered::Invalid(Box::new(invalid))
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Refused(refusal) => refusal.fmt(f),
            Unanswered::Invalid(invalid) => invalid.fmt(f),
            Unanswered::NoStart(violation) => {
                write!(f, "the function that gives the initial states panics: {}", violation.message)
            }
        }
    }
}

impl std::error::Error for Unanswered {}

/// Explores `model`.
///
/// The figures count as TLC does: `transitions` are the generated successors, duplicates and steps that change nothing included, plus
/// the initial states; `depth` (of bfs) is the number of states on the longest shortest path. A violation that a finite path shows is
/// reported before one of a temporal property.
///
/// Some results of a specification are evaluated again at the end, by a clone that was made at the start: see [`Report::sampled`].
pub fn explore<M: TransitionSystem>(
    model: &M,
    engine: Engine,
    config: &Config,
    observer: &dyn Observer,
) -> Result<Report<M>, Unanswered> {
    // One clone is explored (by clones of it); the other one takes no part in the exploration.
    let (model, fresh) = (&model.clone(), model.clone());
    // All clones of a model that counts its work share the counters: the difference from here on is the work of this run.
    let before = model.local_stats();
    let properties = guard::call::<M, _>(|| model.properties())
        .map_err(|panic| Refusal::PropertiesPanic { message: panic.message })?;
    let assumed =
        guard::call::<M, _>(|| model.assumed()).map_err(|panic| Refusal::FairnessPanics { message: panic.message })?;
    let run = Run::new(model, config, observer).map_err(Unanswered::NoStart)?;
    refuse(&run, &properties, engine)?;
    let mut report = guard::quietly::<M, _>(|| visit(&run, engine, &properties));
    if config.reduction == Reduction::Persistent && report.found.is_none() && report.flaw.is_none() {
        let subject = if M::RECEIVES { SubjectKind::Actors } else { SubjectKind::Specification };
        let setup = Setup { reduced: true, ..Setup::plain(subject) };
        if let Some(refusal) = undecided_promise(&run, engine, &setup) {
            return Err(refusal.into());
        }
    }
    report.properties = properties.len();
    if properties.iter().any(|property| property.kind.is_temporal()) {
        report.assumed = assumed;
    }
    if let Some(flaw) = report.flaw.take() {
        return Err(Unanswered::Invalid(flaw));
    }
    if let (Some(before), Some(now)) = (before, model.local_stats()) {
        report.stats.user_steps = now.user_steps - before.user_steps;
        report.stats.distinct_steps = now.distinct_steps - before.distinct_steps;
    }
    if M::USER_CODE {
        sample::verify_properties(&fresh, &properties)?;
        sample::verify_initial(&fresh, &run)?;
        sample::verify(&fresh, &report.samples)?;
        report.sampled = Some(report.samples.len() as u64);
    }
    if let (true, Some(found)) = (config.symmetry, &mut report.found) {
        let initial = guard::call::<M, _>(|| model.initial()).map_err(Unanswered::NoStart)?;
        found.path = concrete(model, initial, &found.path)?;
    }
    if M::USER_CODE && config.symmetry {
        sample::verify_symmetry(&fresh, &report.samples)?;
    }
    report.samples.clear();
    Ok(report)
}

/// Runs the engine, then searches for paths that violate a temporal property.
fn visit<M: TransitionSystem>(run: &Run<'_, M>, engine: Engine, properties: &[Property<M>]) -> Report<M> {
    let mut report = match engine {
        Engine::Dfs => dfs::run(run),
        Engine::Random => random::run(run),
        // `refuse` lets no scheduler pass where there are no receives; the constant keeps seven searches from being compiled there.
        scheduler if M::RECEIVES && scheduler.is_scheduler() => schedulers::run(run, scheduler),
        _ => bfs::run(run),
    };
    for property in properties.iter().filter(|property| property.kind.is_temporal()) {
        let over = matches!(report.stopped, Some(StopReason::Timeout | StopReason::MaxMemory | StopReason::Cancelled));
        if report.found.is_none() && report.flaw.is_none() && !over {
            temporal::run(run, property, &mut report);
        }
        if report.found.is_none() && report.stopped.is_some() {
            report.undecided.push(property.reported().to_string());
        }
    }
    for property in promised(run.model) {
        let over = matches!(report.stopped, Some(StopReason::Timeout | StopReason::MaxMemory | StopReason::Cancelled));
        // Where every schedule ends no path goes round for ever.
        let decides = engine.keeps_states() && run.config.reduction == Reduction::None;
        if decides && report.found.is_none() && report.flaw.is_none() && !over {
            temporal::run(run, &property, &mut report);
        }
        if report.found.is_none() && report.stopped.is_some() {
            report.undecided.push(property.reported().to_string());
        }
    }
    report
}

/// The promises that were open somewhere.
fn promised<M: TransitionSystem>(model: &M) -> Vec<Property<M>> {
    let is_promised = |property: &Property<M>| property.promise.is_some_and(|promise| model.is_promised(promise));
    model.promises().into_iter().filter(is_promised).collect()
}

/// A promise that the search cannot decide because of a reduction: known only when a state in which it is open was seen.
fn undecided_promise<M: TransitionSystem>(run: &Run<'_, M>, engine: Engine, setup: &Setup) -> Option<Refusal> {
    let property = promised(run.model).into_iter().next()?;
    let question = Question::States { kind: property.kind, stable: false };
    let why = decides::decides(engine, question, setup).err()?;
    Some(Refusal::Undecided { engine, property: property.reported().to_string(), why })
}

fn refuse<M: TransitionSystem>(run: &Run<'_, M>, properties: &[Property<M>], engine: Engine) -> Result<(), Refusal> {
    let (model, config) = (run.model, run.config);
    if run.initial.is_empty() {
        return Err(Refusal::NoInitialState);
    }
    if config.symmetry && !model.has_symmetry() {
        return Err(Refusal::NoSymmetry);
    }
    if config.symmetry
        && let Some(why) = model.symmetry_refusal()
    {
        return Err(Refusal::TooSymmetric { why });
    }
    let subject = if M::RECEIVES { SubjectKind::Actors } else { SubjectKind::Specification };
    decides::runs(engine, subject).map_err(|why| Refusal::Unsuitable { engine, why })?;
    let setup = Setup {
        reduced: config.reduction == Reduction::Persistent,
        symmetric: config.symmetry,
        fair: model.assumes_fairness(),
        ..Setup::plain(subject)
    };
    for property in properties {
        let question = Question::States { kind: property.kind, stable: property.stable };
        decides::decides(engine, question, &setup).map_err(|why| Refusal::Undecided {
            engine,
            property: property.reported().to_string(),
            why,
        })?;
    }
    Ok(())
}
