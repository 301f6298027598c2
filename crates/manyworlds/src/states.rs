//! Engines on global states: from a transition system to an [`Outcome`].

use crate::options::{EngineName, Options};
use crate::subject::{Answer, Refused, Subject, bounds, confirmed, refuse_strangers, watch};
use manyworlds_core::{
    ActionCoverage, Budget, Coverage, Network, Observer, Outcome, Property, Replayed, StopReason, Trace, TraceError,
    TraceStep, Verdict,
};
use manyworlds_explore::{Config, Engine, Model, Reduction, Report, explore, narrate, replay};

/// A transition system to be checked: a specification in the style of TLA+.
///
/// ```
/// use manyworlds::explore::{Model, Property};
/// use manyworlds::{Options, Specification};
///
/// /// A counter that never gets past 3.
/// #[derive(Clone)]
/// struct Counter;
///
/// impl Model for Counter {
///     type State = u32;
///     type Action = ();
///     fn initial(&self) -> Vec<u32> { vec![0] }
///     fn actions(&self, n: &u32, out: &mut Vec<()>) { if *n < 3 { out.push(()) } }
///     fn next(&self, n: &u32, _: &()) -> Option<u32> { Some(n + 1) }
///     fn properties(&self) -> Vec<Property<Counter>> { vec![Property::always("small", |_, n| *n <= 3)] }
/// }
///
/// let answer = Options::new().check(&Specification(Counter))?;
/// assert!(answer.outcome.is_verified());
/// assert_eq!(answer.outcome.stats.states, Some(4));
/// # Ok::<(), manyworlds::Refused>(())
/// ```
pub struct Specification<M: Model>(pub M);

impl<M: Model> Subject for Specification<M> {
    fn kind(&self) -> &'static str {
        "specification"
    }

    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        if options.network.is_some() {
            return Err(Refused("a specification has no network: it says itself what can happen".to_string()));
        }
        if options.decidable {
            return Err(Refused("option decidable: it is for actors; a specification is asked everything".to_string()));
        }
        if options.losses.is_some() {
            return Err(Refused("a specification loses no messages: it says itself what can happen".to_string()));
        }
        let (engine, why) = match options.engine {
            EngineName::Auto => (EngineName::Bfs, Some("breadth-first finds a shortest counterexample".to_string())),
            EngineName::Must | EngineName::Brute => {
                return Err(Refused(format!(
                    "engine `{}` follows messages, and a specification has none: use bfs, dfs or random",
                    options.engine
                )));
            }
            engine => (engine, None),
        };
        let Seen { outcome, coverage, frontier, omission } =
            check_states(&self.0, &self.0, engine, options, None, observer)?;
        Ok(Answer { outcome, engine, why, network: None, coverage, frontier, omission })
    }

    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        replay(&self.0, trace, show)
    }
}

/// What an engine on states saw.
pub struct Seen {
    pub outcome: Outcome,
    pub coverage: Option<Coverage>,
    pub frontier: Option<u64>,
    pub omission: Option<f64>,
}

/// Runs an engine on the states of `model`; a violation must show again on `fresh`, which shares nothing with it.
pub fn check_states<M: Model>(
    model: &M,
    fresh: &M,
    engine: EngineName,
    options: &Options,
    network: Option<Network>,
    observer: Option<&dyn Observer>,
) -> Result<Seen, Refused> {
    refuse_strangers(options, engine)?;
    let how = match (engine, engine.scheduler()) {
        (_, Some(name)) => Engine::Schedules(name),
        (EngineName::Dfs, _) => Engine::Dfs,
        (EngineName::Random, _) => Engine::Random,
        _ => Engine::Bfs,
    };
    let config = configuration(options);
    let watch = watch(options, observer);
    let report = explore(model, how, &config, &watch).map_err(|refusal| Refused(refusal.to_string()))?;
    let mut stats = report.stats;
    if let Some(histories) = &mut stats.histories {
        histories.first_bug_time = watch.first_bug_time();
        histories.judging_time = Some(watch.judging_time());
    }
    let verdict = match &report.found {
        Some(found) => {
            stats.stopped = report.stopped.filter(|_| options.keep_going);
            let mut trace = narrate(model, &found.path, found.violation.clone());
            trace.model.clone_from(&options.name);
            trace.params = options.params.clone();
            trace.engine = engine.name().to_string();
            trace.network = network.unwrap_or_default();
            trace.seed = options.seed;
            trace.losses = options.losses;
            violated(fresh, trace)
        }
        None => without_violation(&report, engine, options, network),
    };
    let frontier = report.stopped.filter(|_| stats.states.is_some()).map(|_| report.frontier);
    let omission = report.omission;
    let coverage = options.coverage.then(|| coverage(model, report.unreached, report.actions));
    Ok(Seen { outcome: Outcome { verdict, stats }, coverage, frontier, omission })
}

/// What the model tells; one that keeps no count can still say what it was asked.
fn coverage<M: Model>(model: &M, unreached: Vec<String>, actions: Vec<ActionCoverage>) -> Coverage {
    let asked = || model.properties().iter().map(|property| property.reported().to_string()).collect();
    let told = model.coverage().unwrap_or_else(|| Coverage { properties: asked(), actions, ..Coverage::default() });
    Coverage { unreached, ..told }
}

fn configuration(options: &Options) -> Config {
    Config {
        threads: options.threads.max(1),
        budget: Budget { executions: options.max_executions, states: options.max_states, depth: options.max_depth },
        keep_going: options.keep_going,
        exact: options.exact,
        reduction: if options.reduce { Reduction::Persistent } else { Reduction::None },
        symmetry: options.symmetry,
        coverage: options.coverage,
        seed: options.seed,
        delays: options.delays.unwrap_or(Config::default().delays),
        ..Config::default()
    }
}

fn without_violation<M: Model>(
    report: &Report<M>,
    engine: EngineName,
    options: &Options,
    network: Option<Network>,
) -> Verdict {
    let Some(reason) = report.stopped else {
        return Verdict::Verified { scope: scope(report, engine, options, network) };
    };
    let mut bounds = bounds(options);
    if reason == StopReason::SchedulerIncomplete {
        // A number that nobody gave is told: somebody may want a larger one.
        let drawn = report.stats.executions.filter(|_| options.max_executions.is_none());
        bounds.push(match (engine, drawn) {
            (EngineName::SystematicRandom, Some(n)) => {
                format!("{n} schedules drawn at random, max-executions draws more")
            }
            _ => left_out(engine).to_string(),
        });
    }
    if reason == StopReason::MaxDepth && options.max_depth.is_none() {
        bounds.push("schedules were cut off".to_string());
    }
    if reason == StopReason::MaxExecutions && options.max_executions.is_none() {
        bounds.push("a sample of random walks".to_string());
    }
    let states = |n: u64| format!("{n} {}", if n == 1 { "state was" } else { "states were" });
    if report.stats.states.is_some() {
        bounds.push(format!("{} known but not expanded", states(report.frontier)));
    }
    bounds.extend(report.undecided.iter().map(|name| format!("`{name}` is not decided")));
    let reached = |name: &String| format!("`sometimes {name}` was not seen so far");
    bounds.extend(report.unreached.iter().map(reached));
    bounds.extend(report.omission.map(mistaken));
    Verdict::Incomplete { reason, bounds: bounds.join(", ") }
}

/// What a scheduler that may leave schedules out has seen.
fn left_out(engine: EngineName) -> &'static str {
    match engine {
        EngineName::SystematicRandom => "schedules drawn at random",
        EngineName::Delay => "schedules with few delays",
        EngineName::Dpor => "every execution up to the order of independent receives, but not every state",
        EngineName::LiViola => "schedules that differ for one key",
        _ => "schedules with one reversal at a time",
    }
}

/// What "every state" means, and how sure it is.
fn scope<M: Model>(report: &Report<M>, engine: EngineName, options: &Options, network: Option<Network>) -> String {
    let under = network.map(|network| format!(" under {network}")).unwrap_or_default();
    match engine {
        EngineName::Exhaustive => return format!("every schedule{under}"),
        EngineName::Dpor => return format!("every schedule up to the order of independent receives{under}"),
        _ => {}
    }
    let mut scope = "every reachable state".to_string();
    if options.reduce {
        scope = "every execution up to the order of independent steps".to_string();
    }
    if options.symmetry {
        scope.push_str(" up to renaming");
    }
    scope.push_str(&under);
    match report.omission {
        Some(p) => format!("{scope} ({})", mistaken(p)),
        None => format!("{scope}, compared whole"),
    }
}

/// How sure it is that no state was left out.
fn mistaken(probability: f64) -> String {
    format!("a state was taken for another with probability below {:.0e}", probability.max(1e-30))
}

/// A violation must show again; that something never happens is shown by no path.
fn violated<M: Model>(fresh: &M, trace: Trace) -> Verdict {
    let shown_by_no_path = matches!(trace.violation.property, Property::Sometimes { .. });
    let replay = if shown_by_no_path { Ok(Replayed::Reproduced) } else { replay(fresh, &trace, |_, _| {}) };
    confirmed(trace, replay, "the model")
}
