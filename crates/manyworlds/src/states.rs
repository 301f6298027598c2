//! Engines on global states: from a transition system to an [`Outcome`].

use crate::options::Options;
use crate::subject::{Answer, Refused, Subject, bounds, confirmed, refuse_engine, refuse_unused, watch};
use manyworlds_core::decides::SubjectKind;
use manyworlds_core::{
    ActionCoverage, Budget, Coverage, Engine, Explored, Network, Observer, Outcome, Reduced, Replayed, SampleUnit,
    Scope, Stats, Trace, TraceError, TraceStep, Verdict,
};
pub use manyworlds_explore::Specification;
use manyworlds_explore::{
    Config, Model, Reduction, Report, TransitionSystem, Unanswered, explore, narrate, narrate_nothing, replay,
};

/// A specification in the style of TLA+ is checked as a [`Specification`], which says what the model knows about itself.
///
/// ```
/// use manyworlds::explore::{Model, Property};
/// use manyworlds::{Specification, check};
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
/// let answer = check(Specification::new(Counter)).run()?;
/// assert!(answer.is_verified());
/// assert_eq!(answer.stats.states, Some(4));
/// # Ok::<(), manyworlds::Refused>(())
/// ```
impl<M: Model, I, F, R> Subject for Specification<M, I, F, R>
where
    Specification<M, I, F, R>: TransitionSystem,
{
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
            Engine::Auto => (Engine::Bfs, Some("breadth-first finds a shortest counterexample".to_string())),
            engine => (engine, None),
        };
        refuse_engine(engine, SubjectKind::Specification)?;
        // Neither is used before: the first is explored, and a violation is replayed on the second.
        let (model, fresh) = (self.clone(), self.clone());
        let seen = check_states(&model, &fresh, engine, options, None, observer)?;
        let Seen { outcome, coverage, frontier, omission } = seen;
        let name = options.name_or("specification");
        Ok(Answer { name, outcome, engine, why, network: None, coverage, frontier, omission })
    }

    fn replay_with(
        &self,
        _: &Options,
        trace: &Trace,
        show: &mut dyn FnMut(usize, &TraceStep),
    ) -> Result<Replayed, TraceError> {
        replay(&self.clone(), trace, show)
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
pub fn check_states<M: TransitionSystem>(
    model: &M,
    fresh: &M,
    engine: Engine,
    options: &Options,
    network: Option<Network>,
    observer: Option<&dyn Observer>,
) -> Result<Seen, Refused> {
    let subject = if network.is_some() { SubjectKind::Actors } else { SubjectKind::Specification };
    refuse_unused(options, engine, subject)?;
    let config = configuration(options);
    let watch = watch(options, observer);
    let report = match explore(model, engine, &config, &watch) {
        Ok(report) => report,
        Err(Unanswered::Refused(refusal)) => return Err(Refused(refusal.to_string())),
        Err(Unanswered::Invalid(invalid)) => {
            return Ok(unseen::<M>(Verdict::Invalid(invalid), engine, options, network));
        }
        Err(Unanswered::NoStart(violation)) => {
            let trace = labelled(narrate_nothing(model, violation), engine, options, network);
            return Ok(unseen::<M>(violated(fresh, trace), engine, options, network));
        }
    };
    watch.explored();
    let mut stats = report.stats;
    if let Some(histories) = &mut stats.histories {
        histories.first_bug_time = watch.first_bug_time();
        histories.judging_time = Some(watch.judging_time());
    }
    let verdict = match &report.found {
        Some(found) => {
            stats.stopped = report.stopped.filter(|_| options.keep_going);
            let trace = narrate(model, &found.path, found.violation.clone());
            violated(fresh, labelled(trace, engine, options, network))
        }
        None => report.stopped.map_or(Verdict::Verified, |reason| Verdict::Incomplete { reason }),
    };
    let mut scope = scope(&report, engine, options, network);
    scope.memory_not_observed = watch.memory_not_observed();
    if M::USER_CODE && report.properties == 0 {
        let nothing = "the specification declares no property, so nothing but a panic could be found";
        scope.nothing_checked = Some(nothing.to_string());
    }
    let frontier = report.stopped.filter(|_| stats.states.is_some()).map(|_| report.frontier);
    let omission = report.omission;
    let coverage = options.coverage.then(|| coverage(model, report.unreached, report.actions));
    Ok(Seen { outcome: Outcome { verdict, scope, stats }, coverage, frontier, omission })
}

/// Completes a trace by what its path does not say.
pub fn labelled(mut trace: Trace, engine: Engine, options: &Options, network: Option<Network>) -> Trace {
    trace.model.clone_from(&options.name);
    trace.params = options.params.clone();
    trace.engine = engine;
    trace.network = network.unwrap_or_default();
    trace.seed = options.seed;
    trace.losses = options.losses;
    trace
}

/// A verdict without figures.
fn unseen<M: TransitionSystem>(verdict: Verdict, engine: Engine, options: &Options, network: Option<Network>) -> Seen {
    let scope = scope(&Report::<M>::default(), engine, options, network);
    let stats = Stats { violations: u64::from(matches!(verdict, Verdict::Violated { .. })), ..Stats::default() };
    Seen { outcome: Outcome { verdict, scope, stats }, coverage: None, frontier: None, omission: None }
}

/// What the model says; one that keeps no count can still say which properties it has.
fn coverage<M: TransitionSystem>(model: &M, unreached: Vec<String>, actions: Vec<ActionCoverage>) -> Coverage {
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

/// What the run covers.
fn scope<M: TransitionSystem>(
    report: &Report<M>,
    engine: Engine,
    options: &Options,
    network: Option<Network>,
) -> Scope {
    let mut reductions = Vec::new();
    reductions.extend(options.reduce.then_some(Reduced::PersistentSets));
    reductions.extend(options.symmetry.then_some(Reduced::Symmetry));
    Scope {
        explored: explored(engine, options),
        network,
        bounds: bounds(options),
        weakly_fair: report.assumed.weakly.clone(),
        strongly_fair: report.assumed.strongly.clone(),
        reductions,
        undecided: report.undecided.clone(),
        not_reached: report.unreached.clone(),
        frontier: report.stopped.filter(|_| report.stats.states.is_some()).map(|_| report.frontier),
        collision_probability: report.omission,
        isolation_samples: report.sampled,
        isolation_unit: SampleUnit::State,
        ..Scope::default()
    }
}

/// What a complete run of this engine has seen all of.
pub fn explored(engine: Engine, options: &Options) -> Explored {
    match engine {
        Engine::Must | Engine::Brute => Explored::Executions,
        Engine::Exhaustive => Explored::Schedules,
        Engine::Dpor => Explored::SchedulesUpToIndependence,
        Engine::SystematicRandom => Explored::RandomSchedules,
        Engine::Delay => Explored::DelayBoundedSchedules,
        Engine::LiViola => Explored::SchedulesOfOneKey,
        Engine::TransDpor | Engine::IRed => Explored::ReversedSchedules,
        Engine::Random => Explored::RandomWalks,
        _ if options.reduce => Explored::StatesUpToIndependence,
        _ => Explored::States,
    }
}

/// A violation must show again. No path shows that something never happens: there the replay shows that it does not hold in the initial state.
fn violated<M: TransitionSystem>(fresh: &M, trace: Trace) -> Verdict {
    let replay = replay(fresh, &trace, |_, _| {});
    confirmed(trace, replay, "the model")
}
