//! Systems of actors as subjects: one model, every engine.

use crate::options::{Options, Rebuild};
use crate::states::{Seen, check_states};
use crate::subject::{Answer, Refused, Subject, bounds, confirmed, refuse_engine, refuse_unused, watch};
use manyworlds_actor::locals::ActorLocals;
use manyworlds_actor::system::{MAX_IN_SETS, Question};
use manyworlds_actor::{Faults, System, Worlds, isolation};
use manyworlds_core::decides::{self, Setup, SubjectKind};
use manyworlds_core::{
    Budget, Deadlock, Engine, Explored, FaultBounds, Flaw, InvalidModel, LocalsFactory, Observer, Outcome, Reduced,
    Replayed, Requirement, SampleUnit, Scope, Semantics, Trace, TraceError, TraceStep, Verdict,
};
use manyworlds_explore::TransitionSystem;
use manyworlds_graph::replay::replay;
use manyworlds_graph::{GraphConfig, explore};

/// Of more actors than this, the ways to fall apart must be declared: every one is a step of its own in every state.
const MOST_SPLIT: usize = 16;

impl Subject for System {
    fn kind(&self) -> &'static str {
        "actors"
    }

    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        let system = configured(self, options)?;
        let network = system.blueprint().network;
        let (engine, why) = match options.engine {
            Engine::Auto => (
                Engine::Bfs,
                Some("breadth-first merges executions that meet again and finds a shortest counterexample".to_string()),
            ),
            engine => (engine, None),
        };
        refuse_engine(engine, SubjectKind::Actors)?;
        let (system, left_out) =
            if options.decidable { decidable(system, engine, options) } else { (system, Vec::new()) };
        if let Some(why) = system.blueprint().undecided(engine, &setup(&system, options)) {
            return Err(Refused(why));
        }
        if let Some(why) = system.blueprint().asymmetric().filter(|_| options.symmetry) {
            return Err(Refused(why));
        }
        if let Some(why) = system.specification_failure() {
            return Err(Refused(why));
        }
        let leaves_out_idle =
            system.blueprint().leaves_out_idle && system.blueprint().needs_idle_deliveries(engine).is_none();
        let system = system.leave_out_idle_deliveries(leaves_out_idle);
        let (worlds, seen) = match engine {
            Engine::Must => {
                let worlds = system.worlds();
                let outcome = check_executions(&system, &worlds, options, observer)?;
                let coverage = options.coverage.then(|| worlds.coverage()).flatten();
                (worlds, Seen { outcome, coverage, frontier: None, omission: None })
            }
            _ => {
                let [worlds, fresh] = [(); 2].map(|()| worlds(&system, engine));
                let seen = check_states(&worlds, &fresh, engine, options, Some(network), observer)?;
                (worlds, seen)
            }
        };
        if leaves_out_idle && worlds.looked_at_messages() {
            // A property looks at messages that would be left in flight: again, with every delivery.
            return self.clone().leave_out_idle_deliveries(false).check(options, observer);
        }
        let Seen { outcome, coverage, frontier, omission } = seen;
        let mut outcome = scoped(explained(&worlds, outcome), &system, left_out);
        let skipped = worlds.skipped_properties().then_some(Semantics::PropertiesSkippedWhileActorsAreAbsent);
        outcome.scope.semantics.extend(skipped);
        outcome.scope.reductions.extend(leaves_out_idle.then_some(Reduced::IdleDeliveries));
        if let Some(why) = worlds.renaming_failure() {
            let invalid = InvalidModel::new(Flaw::WrongSymmetry, why).advice("correct it, or check without symmetry");
            outcome.verdict = Verdict::Invalid(Box::new(invalid));
        }
        // Every second walk starts from actors that were never used: memory outside of states is then as it was at first. On the others it is as the
        // run left it.
        let mut walks = 0;
        let fresh = || {
            walks += 1;
            if walks % 2 == 0 { worlds_again(&system, engine, options) } else { self::worlds(&system, engine) }
        };
        let outcome = sampled(outcome, &worlds, fresh, options.seed);
        let (name, network) = (options.name_or("system"), Some(network));
        Ok(Answer { name, outcome, engine, why, network, coverage, frontier, omission })
    }

    fn replay_with(
        &self,
        _: &Options,
        trace: &Trace,
        show: &mut dyn FnMut(usize, &TraceStep),
    ) -> Result<Replayed, TraceError> {
        let recorded = Options { network: Some(trace.network), losses: trace.losses, ..Options::default() };
        let system = configured(self, &recorded).map_err(|refused| TraceError::BadLosses { message: refused.0 })?;
        if let Some(message) = system.specification_failure() {
            return Err(TraceError::BadHistory { message });
        }
        match trace.engine {
            Engine::Must => replay(&mut ActorLocals::new(&system).make(), trace, show),
            engine => manyworlds_explore::replay(&worlds(&system, engine), trace, show),
        }
    }
}

/// Worlds of a system that is built again where that is possible.
fn worlds_again(system: &System, engine: Engine, options: &Options) -> Worlds {
    let rebuilt = options.rebuild.as_ref().and_then(Rebuild::system);
    let rebuilt = rebuilt.and_then(|system| configured(&system, options).ok());
    worlds(rebuilt.as_ref().unwrap_or(system), engine)
}

/// Runs handlers again along sampled paths, unless the model is known to be invalid.
fn sampled(mut outcome: Outcome, worlds: &Worlds, fresh: impl FnMut() -> Worlds, seed: u64) -> Outcome {
    if outcome.invalid().is_some_and(|invalid| invalid.flaw != Flaw::NotDeterministic) {
        return outcome;
    }
    match isolation::check(worlds, fresh, seed, outcome.stats.user_steps) {
        Ok(paths) => {
            (outcome.scope.isolation_samples, outcome.scope.isolation_unit) = (Some(paths), SampleUnit::Path);
        }
        Err(invalid) => outcome.verdict = Verdict::Invalid(Box::new(invalid)),
    }
    outcome
}

/// The worlds of a system as an engine sees them: schedulers judge whole histories, others judge them step by step.
fn worlds(system: &System, engine: Engine) -> Worlds {
    if engine.is_scheduler() { system.worlds().unmonitored() } else { system.worlds() }
}

/// A history that is not linearizable is told with the reason.
fn explained(worlds: &Worlds, mut outcome: Outcome) -> Outcome {
    if let Verdict::Violated { trace, violation } = &mut outcome.verdict
        && violation.property == Requirement::Linearizable
    {
        trace.history = worlds.explained(trace);
    }
    outcome
}

/// What the decision table has to know about a run.
fn setup(system: &System, options: &Options) -> Setup {
    Setup { reduced: options.reduce, symmetric: options.symmetry, ..system.blueprint().setup() }
}

/// The system without the questions that the engine cannot decide, and those.
fn decidable(system: System, engine: Engine, options: &Options) -> (System, Vec<String>) {
    let setup = setup(&system, options);
    let is_decided = |question: &Question| decides::decides(engine, question.as_decided(), &setup).is_ok();
    let others = system.blueprint().questions.iter().filter(|question| !is_decided(question));
    let left_out = others.map(|question| question.violation().property.to_string()).collect();
    (system.keep_questions(is_decided), left_out)
}

/// Completes the scope by what belongs to actors: faults, fairness, and the properties that were left out.
fn scoped(mut outcome: Outcome, system: &System, left_out: Vec<String>) -> Outcome {
    let Faults { losses, duplicates, crashes, restarts, splits } = system.blueprint().faults;
    let [losses, duplicates, crashes, restarts, partitions] =
        [losses, duplicates, crashes, restarts, splits].map(u32::from);
    outcome.scope.faults = FaultBounds { losses, duplicates, crashes, restarts, partitions };
    outcome.scope.nothing_checked = nothing_checked(system, &left_out);
    outcome.scope.not_checked = left_out;
    outcome
}

/// Why nothing was checked, or nothing but what handlers check themselves.
fn nothing_checked(system: &System, left_out: &[String]) -> Option<String> {
    let blueprint = system.blueprint();
    match blueprint {
        _ if blueprint.actors.is_empty() => Some("the system has no actors: nothing was checked".to_string()),
        _ if !blueprint.questions.is_empty() || blueprint.spec.is_some() => None,
        _ if left_out.is_empty() => Some("no property was given: only panics of handlers were checked".to_string()),
        _ => Some("only panics of handlers were checked".to_string()),
    }
}

fn configured(system: &System, options: &Options) -> Result<System, Refused> {
    let mut system = system.clone();
    if let Some(network) = options.network {
        system = system.network(network);
    }
    if let Some(losses) = options.losses {
        let losses = u8::try_from(losses).map_err(|_| Refused(format!("losses: {losses} is too many; at most 255")))?;
        let faults = system.blueprint().faults;
        system = system.faults(Faults { losses, ..faults });
    }
    let blueprint = system.blueprint();
    if let Some(why) = blueprint.undefined() {
        return Err(Refused(why));
    }
    if blueprint.faults.splits > 0 && blueprint.actors.len() > MAX_IN_SETS {
        return Err(Refused(format!(
            "the network may fall apart, which is possible for at most {MAX_IN_SETS} actors; this system has {}",
            blueprint.actors.len()
        )));
    }
    if blueprint.faults.splits > 0 && blueprint.sides.is_empty() && blueprint.actors.len() > MOST_SPLIT {
        return Err(Refused(format!(
            "the network may fall apart in any way, and {} actors can be cut in two in more than {} ways: say which with `may_split`",
            blueprint.actors.len(),
            1u64 << (MOST_SPLIT - 1)
        )));
    }
    Ok(system)
}

/// The DPOR engine on the table of local transitions.
fn check_executions(
    system: &System,
    worlds: &Worlds,
    options: &Options,
    observer: Option<&dyn Observer>,
) -> Result<Outcome, Refused> {
    refuse_unused(options, Engine::Must, SubjectKind::Actors)?;
    if options.eager {
        return Err(Refused("option eager: it is for programs, not for actors".to_string()));
    }
    let config = GraphConfig {
        policy: options.policy,
        threads: options.threads.max(1),
        deadlock: Deadlock::Allow,
        budget: Budget { executions: options.max_executions, depth: options.max_depth, states: None },
        keep_going: options.keep_going,
        ..GraphConfig::default()
    };
    let locals = ActorLocals::sharing(worlds);
    let watch = watch(options, observer);
    let report = explore(&locals, &config, &watch);
    watch.explored();
    if locals.split_an_atomic_step() {
        return Err(Refused(
            "engine `must`: under mbox the messages that one step sends enter the mailboxes at once, but this engine lets others come in \
             between: use bfs or dfs, or another network"
                .to_string(),
        ));
    }
    let mut stats = report.stats;
    stats.stopped = report.stopped.filter(|_| options.keep_going && report.counterexample.is_some());
    let verdict = match (report.counterexample, report.stopped) {
        (Some(trace), _) => violated(system, options, trace),
        (None, Some(reason)) => Verdict::Incomplete { reason },
        (None, None) => Verdict::Verified,
    };
    let network = Some(system.blueprint().network);
    let memory_not_observed = watch.memory_not_observed();
    let bounds = bounds(options);
    let scope = Scope { explored: Explored::Executions, network, bounds, memory_not_observed, ..Scope::default() };
    Ok(Outcome { verdict, scope, stats })
}

/// A violation is reported only if it happens again, with a table that knows nothing.
fn violated(system: &System, options: &Options, mut trace: Trace) -> Verdict {
    trace.model.clone_from(&options.name);
    trace.params = options.params.clone();
    trace.network = system.blueprint().network;
    trace.seed = options.seed;
    trace.losses = options.losses;
    let replay = system.replay(&trace, &mut |_, _| {});
    confirmed(trace, replay, "a handler")
}
