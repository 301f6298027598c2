//! Cross-checks of the engines: every actor model with small parameters, with and without a seeded bug, with every engine that supports it.

use manyworlds::actor::locals::{ActorLocals, Finals};
use manyworlds::actor::{State, System, Worlds};
use manyworlds::explore::{
    Budget, Config, Kind, NoObserver, Property, Reduction, Report, TransitionSystem as _, explore,
};
use manyworlds::{Deadlock, Engine, Network, Options, Replayed, Subject, Trace, Verdict, check};
use manyworlds_graph as graph;
use manyworlds_protocols::{Build, Model, models};
use std::collections::{BTreeSet, HashSet};

/// Parameters with which even the slowest engine is fast.
const SMALL: &[(&str, &[(&str, &str)])] = &[
    ("two-phase-commit-actors", &[("n", "2"), ("crashes", "0")]),
    ("chang-roberts", &[("n", "4")]),
    ("token-ring", &[("n", "3"), ("rounds", "2")]),
    ("failure-detector", &[("n", "2"), ("rounds", "1"), ("crashes", "0")]),
    ("german", &[("n", "2"), ("requests", "1")]),
    ("bounded-async", &[("n", "2"), ("rounds", "2")]),
    ("lastzero", &[("n", "3")]),
    ("counter", &[("n", "2"), ("k", "2")]),
    ("paxos", &[("p", "2"), ("a", "2"), ("l", "1")]),
    ("abd", &[("s", "2"), ("c", "1")]),
    ("edr", &[("h", "1r1w")]),
    ("raft", &[("n", "2"), ("t", "1"), ("e", "1"), ("h", "1"), ("crashes", "0")]),
];

/// Models with too many executions for a test of `must` under any network, because of a second token.
const NOT_BY_MUST: [&str; 1] = ["token-ring-bug"];

fn actors() -> impl Iterator<Item = &'static Model> {
    models().iter().filter(|model| matches!(model.build, Build::Actors(_)))
}

fn small(model: &Model) -> System {
    let base = model.name.trim_end_matches("-bug");
    let given = SMALL.iter().find(|(name, _)| *name == base).map_or(&[][..], |(_, given)| given);
    let accepted = given.iter().copied().filter(|(key, _)| model.params.iter().any(|param| param.name == *key));
    let params = model.params(accepted).expect("small parameters are within the limits");
    model.system(&params).expect("small parameters are consistent")
}

/// The system with its stable properties only. Other properties require a visit of every state, which not every engine performs.
fn decidable_by_all(system: &System) -> System {
    system.clone().keep_questions(|question| question.stable)
}

/// A finished exploration.
struct Run {
    worlds: Worlds,
    report: Report<Worlds>,
}

impl Run {
    fn figures(&self) -> (Option<u128>, Option<u128>, u64) {
        (self.report.stats.states, self.report.stats.transitions, self.report.stats.violations)
    }

    fn violated(&self) -> bool {
        self.report.found.is_some()
    }

    /// The final states of executions: the local states of all actors, as text.
    fn final_states(&self) -> BTreeSet<Vec<String>> {
        self.report.final_states.iter().map(|state| self.worlds.locals_in_words(state)).collect()
    }
}

fn run(system: &System, engine: Engine, config: &Config) -> Run {
    let worlds = system.worlds();
    let report = explore(&worlds, engine, config, &NoObserver).expect("the engine supports the properties");
    Run { worlds, report }
}

fn exhaustive() -> Config {
    Config { collect_final: true, keep_going: true, ..Config::default() }
}

#[test]
fn unreduced_engines_visit_the_same_states() {
    let small = actors().map(|model| (model, small(model), exhaustive()));
    // Raft with crashes has too many states for a test, so the depth is bounded.
    let large = actors().filter(|model| model.name.starts_with("raft")).map(|model| {
        let system = model.system(&model.params([]).expect("defaults are valid")).expect("defaults are consistent");
        (model, system, Config { budget: Budget { depth: Some(7), ..Budget::default() }, ..exhaustive() })
    });
    for (model, system, config) in small.chain(large) {
        let base = run(&system, Engine::Bfs, &config);
        for threads in [1, 2] {
            for engine in [Engine::Bfs, Engine::Dfs] {
                let other = run(&system, engine, &Config { threads, ..config.clone() });
                let name = format!("{} {engine:?} {threads}", model.name);
                assert_eq!(base.figures(), other.figures(), "{name}");
                assert_eq!(base.violated(), other.violated(), "{name}");
                let steps = |run: &Run| run.report.stats.user_steps;
                assert_eq!(
                    steps(&base),
                    steps(&other),
                    "{name}: each handler runs once for each local state and input"
                );
            }
        }
    }
}

#[test]
fn reductions_reach_the_same_verdicts_and_final_states() {
    for model in actors() {
        let system = decidable_by_all(&small(model));
        if system.blueprint().spec.is_some() {
            // Reductions do not preserve the order of steps of different actors, which histories record.
            assert!(
                check(&system).options(Options { reduce: true, ..Options::default() }).run().is_err(),
                "{}",
                model.name
            );
            continue;
        }
        let config = exhaustive();
        let full = run(&system, Engine::Bfs, &config);
        for engine in [Engine::Bfs, Engine::Dfs] {
            let reduced = run(&system, engine, &Config { reduction: Reduction::Persistent, ..config.clone() });
            assert_eq!(full.violated(), reduced.violated(), "{} {engine:?}", model.name);
            assert!(reduced.figures().0 <= full.figures().0, "{} {engine:?}", model.name);
            assert_eq!(full.final_states(), reduced.final_states(), "{} {engine:?}", model.name);
        }
    }
}

#[test]
fn engines_agree_under_symmetry_reduction() {
    for model in actors() {
        // Symmetry reduction renames actors along a path, so it cannot support fairness assumptions; no model makes one.
        let system = small(model);
        if !system.worlds().has_symmetry() {
            continue;
        }
        let config = exhaustive();
        let full = run(&system, Engine::Bfs, &config);
        let symmetric = Config { symmetry: true, ..config };
        let base = run(&system, Engine::Bfs, &symmetric);
        assert_eq!(full.violated(), base.violated(), "{}", model.name);
        assert!(base.figures().0 < full.figures().0, "{} has identical actors", model.name);
        for (engine, threads) in [(Engine::Bfs, 2), (Engine::Dfs, 1), (Engine::Dfs, 2)] {
            let other = run(&system, engine, &Config { threads, ..symmetric.clone() });
            assert_eq!(base.figures(), other.figures(), "{} {engine:?} {threads}", model.name);
        }
    }
}

#[test]
fn must_reaches_the_final_states_of_dfs() {
    let mut compared = Vec::new();
    for model in actors() {
        for network in Network::ALL {
            let system = decidable_by_all(&small(model)).network(network);
            if system.blueprint().undecided(Engine::Must, &system.blueprint().setup()).is_some() {
                continue;
            }
            let finals = Finals::default();
            let locals = ActorLocals::new(&system).collect(finals.clone());
            let budget = Budget { executions: Some(20_000), ..Budget::default() };
            let config = graph::GraphConfig {
                deadlock: Deadlock::Allow,
                keep_going: true,
                budget,
                ..graph::GraphConfig::default()
            };
            let report = graph::explore(&locals, &config, &NoObserver);
            if locals.split_an_atomic_step() || report.stopped.is_some() {
                continue;
            }
            let dfs = run(&system, Engine::Dfs, &exhaustive());
            let name = format!("{} {network}", model.name);
            assert_eq!(report.counterexample.is_some(), dfs.violated(), "{name}");
            assert_eq!(*finals.lock().expect("no thread panicked"), dfs.final_states(), "{name}");
            compared.push(name);
        }
    }
    // Some models have too many executions for a test; under mbox most are not supported. Every other model is compared under some network.
    assert!(compared.len() > 40, "{compared:?}");
    let is_compared = |model: &&Model| compared.iter().any(|name| name.split(' ').next() == Some(model.name));
    let left_out: Vec<&str> = actors().filter(|model| !is_compared(model)).map(|model| model.name).collect();
    assert_eq!(left_out, NOT_BY_MUST);
}

/// The schedulers EX and DP are exhaustive: if they finish, they have reached all final states.
#[test]
fn exhaustive_schedulers_reach_the_final_states_of_dfs() {
    let mut compared = Vec::new();
    for model in actors() {
        for network in Network::ALL {
            let system = decidable_by_all(&small(model)).network(network);
            let dfs = run(&system, Engine::Dfs, &exhaustive());
            for scheduler in [Engine::Exhaustive, Engine::Dpor] {
                let budget = Budget { executions: Some(5_000), depth: Some(200), ..Budget::default() };
                let config = Config { budget, ..exhaustive() };
                let schedules = run(&system, scheduler, &config);
                if schedules.report.stopped.is_some() || schedules.report.stats.truncated != Some(0) {
                    continue;
                }
                let name = format!("{} {network} {scheduler:?}", model.name);
                assert_eq!(schedules.violated(), dfs.violated(), "{name}");
                assert_eq!(schedules.final_states(), dfs.final_states(), "{name}");
                compared.push(name);
            }
        }
    }
    // Many models have too many schedules for a test, or infinite ones.
    assert!(compared.len() > 40, "{compared:?}");
}

#[test]
fn seeded_bugs_are_found_and_replayed_by_every_engine_that_supports_the_model() {
    for model in actors().filter(|model| model.name.ends_with("-bug") || model.name == "open-chord") {
        let params = model.params([]).expect("defaults are valid");
        let system = model.system(&params).expect("defaults are consistent");
        let mut found = Vec::new();
        for engine in [Engine::Bfs, Engine::Dfs, Engine::Must] {
            let raft = model.name.starts_with("raft");
            let options = Options { engine, max_depth: raft.then_some(12), ..Options::default() };
            let Ok(answer) = check(&system).options(options.clone()).run() else { continue };
            let Verdict::Violated { trace, .. } = &answer.outcome.verdict else {
                panic!("{} {engine}: {:?}", model.name, answer.outcome.verdict.name());
            };
            let again = Trace::from_json(&trace.to_json()).expect("a written trace can be read");
            let replayed = system.replay(&again, &mut |_, _| {}).expect("the trace can be replayed");
            assert_eq!(replayed, Replayed::Reproduced, "{} {engine}", model.name);
            found.push(engine);
        }
        assert!(found.len() >= 2, "{}: {found:?}", model.name);
    }
}

/// The number of steps to the nearest violating state, if there is one, by a simple breadth-first search that stores whole states.
fn nearest(worlds: &Worlds) -> Option<usize> {
    let properties = worlds.properties();
    let is_violation = |state: &State, quiescent: bool| {
        let violates = |property: &Property<Worlds>| match property.kind {
            Kind::Always => !(property.holds)(worlds, state),
            Kind::Never => (property.holds)(worlds, state),
            Kind::AtRest => quiescent && !(property.holds)(worlds, state),
            Kind::Sometimes | Kind::Eventually | Kind::AlwaysEventually | Kind::LeadsTo => false,
        };
        worlds.has_failed(state) || properties.iter().any(violates)
    };
    let mut level = worlds.initial();
    let mut seen: HashSet<State> = level.iter().cloned().collect();
    for steps in 0.. {
        let mut next = Vec::new();
        for state in &level {
            let mut actions = Vec::new();
            if !worlds.has_failed(state) {
                worlds.actions(state, &mut actions);
            }
            if is_violation(state, actions.is_empty()) {
                return Some(steps);
            }
            let successors = actions.iter().filter_map(|action| worlds.next(state, action));
            next.extend(successors.filter(|state| seen.insert(state.clone())));
        }
        if next.is_empty() {
            return None;
        }
        level = next;
    }
    None
}

#[test]
fn bfs_finds_a_shortest_counterexample() {
    let (mut compared, mut others) = (0, Vec::new());
    for model in actors().filter(|model| model.name.ends_with("-bug") || ["edr", "open-chord"].contains(&model.name)) {
        let system = model.system(&model.params([]).expect("defaults are valid")).expect("defaults are consistent");
        let nearest = nearest(&system.worlds());
        for threads in [1, 2] {
            let found = run(&system, Engine::Bfs, &Config { threads, ..Config::default() }).report.found;
            let found = found.unwrap_or_else(|| panic!("{}: the bug is found", model.name));
            match nearest {
                Some(steps) => assert_eq!(found.path.steps.len(), steps, "{}", model.name),
                None => others.push((model.name, found.violation.property.to_string())),
            }
        }
        compared += usize::from(nearest.is_some());
    }
    // A bug that requires an infinite path, or all states, has no nearest violating state.
    assert!(others.iter().all(|(_, property)| property.starts_with("eventually")), "{others:?}");
    assert!(compared >= 10, "{compared} compared; {others:?}");
}
