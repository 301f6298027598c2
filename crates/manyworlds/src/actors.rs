//! Systems of actors as subjects: one model, every engine.

use crate::options::{EngineName, Options};
use crate::states::{Seen, check_states};
use crate::subject::{Answer, Refused, Subject, bounds, confirmed, refuse_strangers, watch};
use manyworlds_actor::locals::{ActorLocals, refusal};
use manyworlds_actor::system::Question;
use manyworlds_actor::{Faults, System, Worlds};
use manyworlds_core::{
    Budget, Deadlock, LocalsFactory, Observer, Outcome, Property, Replayed, Trace, TraceError, TraceStep, Verdict,
};
use manyworlds_explore::{Kind, Model};
use manyworlds_graph::replay::replay;
use manyworlds_graph::{Config, explore};

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
            EngineName::Auto => (
                EngineName::Bfs,
                Some("breadth-first merges executions that meet again and finds a shortest counterexample".to_string()),
            ),
            EngineName::Brute => {
                return Err(Refused(
                    "engine `brute` runs programs: use must, bfs, dfs, random or a scheduler for actors".to_string(),
                ));
            }
            engine => (engine, None),
        };
        let (system, left_out) = if options.decidable { asked(system, engine, options) } else { (system, Vec::new()) };
        if options.reduce && system.blueprint().spec.is_some() {
            return Err(Refused(
                "persistent sets keep no order between steps of different actors, so they cannot decide whether operations are \
                 linearizable: check without reduction, or use must"
                    .to_string(),
            ));
        }
        if let Some(why) = system.unspecified() {
            return Err(Refused(why));
        }
        let (worlds, seen) = match engine {
            EngineName::Must => {
                let worlds = system.worlds();
                let outcome = check_executions(&system, &worlds, options, observer)?;
                let coverage = options.coverage.then(|| worlds.coverage()).flatten();
                (worlds, Seen { outcome, coverage, frontier: None, omission: None })
            }
            _ => {
                let [worlds, fresh] = [(); 2].map(|()| worlds(&system, engine));
                let seen = check_states(&worlds, &fresh, engine, options, Some(network), observer)?;
                if let Some(why) = worlds.misnamed() {
                    return Err(Refused(format!("{why}: mend it, or check without symmetry")));
                }
                (worlds, seen)
            }
        };
        let Seen { outcome, coverage, frontier, omission } = seen;
        let outcome = without(explained(&worlds, outcome), &left_out);
        Ok(Answer { outcome, engine, why, network: Some(network), coverage, frontier, omission })
    }

    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        let recorded = Options { network: Some(trace.network), losses: trace.losses, ..Options::default() };
        let system = configured(self, &recorded).map_err(|refused| TraceError::BadLosses { message: refused.0 })?;
        if let Some(message) = system.unspecified() {
            return Err(TraceError::BadHistory { message });
        }
        match trace.engine.as_str() {
            "must" => replay(&mut ActorLocals::new(&system).make(), trace, show),
            name => manyworlds_explore::replay(&worlds(&system, name.parse().unwrap_or_default()), trace, show),
        }
    }
}

/// The worlds of a system as an engine sees them: schedulers judge whole histories, others judge them step by step.
fn worlds(system: &System, engine: EngineName) -> Worlds {
    match engine.scheduler() {
        Some(_) => system.worlds().unwatched(),
        None => system.worlds(),
    }
}

/// A history that is not linearizable is told with the reason.
fn explained(worlds: &Worlds, mut outcome: Outcome) -> Outcome {
    if let Verdict::Violated { trace, violation } = &mut outcome.verdict
        && violation.property == Property::Linearizable
    {
        trace.history = worlds.explained(trace);
    }
    outcome
}

/// The system without the questions that the engine cannot decide, and those.
fn asked(system: System, engine: EngineName, options: &Options) -> (System, Vec<String>) {
    let part_of_states = engine == EngineName::Must || options.reduce;
    let finite = engine == EngineName::Random || engine.scheduler().is_some();
    let is_decided = |question: &Question| match question.kind {
        Kind::AtRest => true,
        Kind::Always | Kind::Never => question.stable || !part_of_states,
        Kind::Sometimes => !part_of_states,
        Kind::Eventually => !part_of_states && !finite,
    };
    let others = system.blueprint().questions.iter().filter(|question| !is_decided(question));
    let left_out = others.map(|question| format!("`{}`", question.violation().property)).collect();
    (system.keep_questions(is_decided), left_out)
}

/// The verdict says what was not asked.
fn without(mut outcome: Outcome, left_out: &[String]) -> Outcome {
    if let (Verdict::Verified { scope: said } | Verdict::Incomplete { bounds: said, .. }, false) =
        (&mut outcome.verdict, left_out.is_empty())
    {
        said.push_str(&format!(", not asked: {}", left_out.join(", ")));
    }
    outcome
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
    if let Some(why) = refusal(system.blueprint()) {
        return Err(Refused(format!("engine `must`: {why}")));
    }
    refuse_strangers(options, EngineName::Must)?;
    if options.eager {
        return Err(Refused("option eager: it is for programs, not for actors".to_string()));
    }
    let config = Config {
        policy: options.policy,
        threads: options.threads.max(1),
        deadlock: Deadlock::Allow,
        budget: Budget { executions: options.max_executions, depth: options.max_depth, states: None },
        keep_going: options.keep_going,
        ..Config::default()
    };
    let locals = ActorLocals::sharing(worlds);
    let report = explore(&locals, &config, &watch(options, observer));
    if locals.tore_a_step() {
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
        (None, Some(reason)) => Verdict::Incomplete { reason, bounds: bounds(options).join(", ") },
        (None, None) => Verdict::Verified { scope: format!("every execution under {}", system.blueprint().network) },
    };
    Ok(Outcome { verdict, stats })
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
