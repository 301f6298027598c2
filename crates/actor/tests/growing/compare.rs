//! The comparisons: states, transitions, verdicts, counterexamples, and how schedules end.

use super::program::{Case, Local};
use super::strategy::{Profile, cases};
use super::world::{Graph, Status, explore, text};
use manyworlds_actor::locals::{ActorLocals, Finals};
use manyworlds_actor::{Faults, State, System, Worlds};
use manyworlds_core::{Budget, Deadlock, Network, NoObserver, Pid, Replayed};
use manyworlds_explore::{Config, Engine, Report, TransitionSystem, narrate, replay};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Larger systems are skipped.
const STATES: usize = 400;
const SCHEDULES: u64 = 3_000;

/// A failure in the words of the naive explorer.
fn in_short(message: &str) -> String {
    let message = message.split_once("`: ").filter(|_| message.starts_with("`m")).map_or(message, |(_, why)| why);
    let ends = ["more actors are created", "has halted"];
    let end = ends.iter().find_map(|end| Some(message.find(end)? + end.len()));
    end.map_or(message, |end| &message[..end]).to_string()
}

/// A state of the engine as the naive explorer shows it.
fn shown(case: &Case, worlds: &Worlds, state: &State) -> String {
    let words = worlds.in_words(state);
    let mut parts: Vec<&str> = words.split("; ").collect();
    if case.network == Network::Cd {
        parts.pop();
    }
    let (monitors, mut parts): (Vec<&str>, Vec<&str>) =
        parts.into_iter().partition(|part| part.starts_with("monitor m"));
    let monitors: Vec<u8> = monitors.iter().map(|m| m[m.len() - 1..].parse().expect("a state")).collect();
    parts.pop();
    let (messages, locals): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| part.contains('→'));
    let message = |words: &str| {
        let (from, rest) = words.split_once('→').expect("from→to: tag");
        let (to, tag) = rest.split_once(": ").expect("from→to: tag");
        (from.to_string(), to.to_string(), tag.parse().expect("a tag"))
    };
    let messages: Vec<_> = messages.into_iter().map(message).collect();
    let locals: Vec<String> = locals.into_iter().map(str::to_string).collect();
    let failed = worlds.failure(state).map(|violation| in_short(&violation.message));
    let failed = failed.map(|why| (worlds.failed_actor(state).expect("it failed").to_string(), why));
    text(case.network, &locals, &messages, worlds.faults_left(state), failed.as_ref(), &monitors)
}

fn run(worlds: &Worlds, engine: Engine, config: &Config) -> Report<Worlds> {
    manyworlds_explore::explore(worlds, engine, config, &NoObserver).expect("every question can be decided")
}

const RUNS: [(Engine, usize, bool); 4] =
    [(Engine::Bfs, 1, true), (Engine::Bfs, 2, false), (Engine::Dfs, 1, false), (Engine::Dfs, 2, true)];

fn same(ours: &[String], naive: &[String], what: &str) {
    let only =
        |a: &[String], b: &[String]| -> Vec<String> { a.iter().filter(|item| !b.contains(item)).cloned().collect() };
    assert!(
        ours == naive,
        "{what}: {} and {}; only the engine {:#?}; only the naive explorer {:#?}",
        ours.len(),
        naive.len(),
        only(ours, naive),
        only(naive, ours)
    );
}

fn same_states(case: &Case, graph: &Graph) {
    let sorted = |ids: &mut dyn Iterator<Item = usize>| {
        let mut all: Vec<String> = ids.map(|id| graph.keys[id].text.clone()).collect();
        all.sort();
        all
    };
    let (all, finals) = (sorted(&mut (0..graph.keys.len())), sorted(&mut graph.finals()));
    let mut prints: Option<Vec<u128>> = None;
    for (engine, threads, exact) in RUNS {
        let what = format!("{engine:?} with {threads} threads");
        let worlds = case.system().worlds();
        let config =
            Config { threads, exact, keep_going: true, collect_final: true, collect_states: true, ..Config::default() };
        let report = run(&worlds, engine, &config);
        let words = |states: &[State]| {
            let mut words: Vec<String> = states.iter().map(|state| shown(case, &worlds, state)).collect();
            words.sort();
            words
        };
        same(&words(&report.states), &all, &format!("states, {what}"));
        same(&words(&report.final_states), &finals, &format!("final states, {what}"));
        assert_eq!(report.stats.states, Some(graph.keys.len() as u128), "number of states, {what}");
        assert_eq!(report.stats.transitions, Some(graph.transitions as u128), "transitions, {what}");
        let mut ours: Vec<u128> = report.states.iter().map(|state| worlds.fingerprint(state)).collect();
        ours.sort_unstable();
        assert_eq!(&ours, prints.get_or_insert_with(|| ours.clone()), "the same fingerprints in every run, {what}");
    }
}

/// No actor is in row 1 while the first one is in row 0.
pub fn claim_in(graph: &Graph, id: usize) -> bool {
    let rows = |status: Status| match status {
        Status::Up(local) | Status::Down(Some(local)) => Some(local.at),
        _ => None,
    };
    let actors = &graph.worlds[id].actors;
    rows(actors[&vec![0]].status) != Some(0) || !actors.values().any(|being| rows(being.status) == Some(1))
}

pub fn claim(system: System) -> System {
    system.always("claim", |view| {
        let first = view.get::<Local>(Pid::root(0)).map(|local| local.at);
        first != Some(0) || !view.all::<Local>().any(|(_, local)| local.at == 1)
    })
}

fn same_verdicts(case: &Case, graph: &Graph) {
    let hot = |id: usize| graph.successors[id].is_empty() && graph.worlds[id].is_hot(case);
    let wrong = |id: usize| graph.worlds[id].failed.is_some() || !claim_in(graph, id) || hot(id);
    let nearest = (0..graph.worlds.len()).filter(|&id| wrong(id)).map(|id| graph.depth[id]).min();
    for (engine, threads, exact) in RUNS {
        let what = format!("{engine:?} with {threads} threads");
        let (worlds, config) = (claim(case.system()).worlds(), Config { threads, exact, ..Config::default() });
        let found = run(&worlds, engine, &config).found;
        let stays_hot = (0..case.monitors.len()).any(|monitor| graph.stays_hot(case, monitor));
        assert_eq!(found.is_some(), nearest.is_some() || stays_hot, "a violation, {what}");
        let Some(found) = found else { continue };
        if engine == Engine::Bfs && nearest.is_some() {
            assert_eq!(Some(found.path.steps.len()), nearest, "the shortest counterexample, {what}");
        }
        let trace = narrate(&worlds, &found.path, found.violation.clone());
        assert!(trace.steps.iter().all(|step| step.process < trace.processes.len()), "processes of {trace:?}");
        let again = replay(&claim(case.system()).worlds(), &trace, |_, _| {});
        assert_eq!(again, Ok(Replayed::Reproduced), "{what}: {trace:?}");
    }
}

/// Compares schedulers that leave nothing out; returns whether there are few enough schedules.
fn same_ends(case: &Case, graph: &Graph) -> bool {
    let budget = Budget { executions: Some(SCHEDULES), ..Budget::default() };
    let config = Config { keep_going: true, collect_final: true, budget, ..Config::default() };
    let mut finals: Vec<String> = graph.finals().map(|id| graph.keys[id].text.clone()).collect();
    finals.sort();
    finals.dedup();
    for engine in [Engine::Exhaustive, Engine::Dpor] {
        let worlds = case.system().worlds().unmonitored();
        let report = run(&worlds, engine, &config);
        if report.stats.executions >= Some(SCHEDULES) {
            return false;
        }
        let ends: BTreeSet<String> = report.final_states.iter().map(|state| shown(case, &worlds, state)).collect();
        same(&ends.into_iter().collect::<Vec<_>>(), &finals, &format!("ends of {engine:?}"));
        let hot = graph.finals().any(|id| graph.worlds[id].is_hot(case));
        assert_eq!(report.found.is_some(), graph.fails() || hot, "failures of {engine:?}");
    }
    true
}

/// Compares the executions of the DPOR engine, which neither creates actors nor injects faults; returns whether there are few enough.
fn same_executions(case: &Case, graph: &Graph) -> bool {
    if case.creates > 0
        || !case.monitors.is_empty()
        || case.faults != Faults::default()
        || case.network == Network::Mbox
        || case.forbids_halted
    {
        return false;
    }
    let ends: BTreeSet<Vec<String>> = graph.finals().map(|id| graph.worlds[id].locals()).collect();
    for threads in [1, 2] {
        let finals = Finals::default();
        let budget = Budget { executions: Some(SCHEDULES), ..Budget::default() };
        let deadlock = Deadlock::Allow;
        let config =
            manyworlds_graph::GraphConfig { threads, keep_going: true, deadlock, budget, ..Default::default() };
        let locals = ActorLocals::new(&case.system()).collect(finals.clone());
        let report = manyworlds_graph::explore(&locals, &config, &NoObserver);
        if report.stopped.is_some() {
            return false;
        }
        let finals = std::mem::take(&mut *finals.lock().expect("no thread panicked"));
        assert_eq!(finals, ends, "how executions end with {threads} threads");
        assert_eq!(report.counterexample.is_some(), graph.fails(), "failures with {threads} threads");
    }
    true
}

fn compare(case: &Case) -> u64 {
    let Some(graph) = explore(case, STATES) else { return 0 };
    same_states(case, &graph);
    same_verdicts(case, &graph);
    if graph.goes_round() {
        return 1;
    }
    1 + u64::from(same_ends(case, &graph)) + u64::from(same_executions(case, &graph))
}

const PROFILE: Profile =
    Profile { faults: true, failures: true, defers: false, halts: true, creates: true, ticks: false, monitors: 0 };
const DEFERRING: Profile = Profile { defers: true, creates: false, ..PROFILE };
const ALL: Profile = Profile { defers: true, ..PROFILE };
const MONITORED: Profile = Profile { monitors: 2, ..PROFILE };
const PLAIN: Profile =
    Profile { faults: false, failures: false, defers: false, halts: false, creates: false, ticks: false, monitors: 2 };

random! {
    #![cases = 1000, compared = 100, regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/growing/compare.regressions")]

    #[test]
    fn actors_are_created_and_halt_as_the_naive_explorer_says(case in cases(PROFILE)) {
        return Ok(compare(&case));
    }

    #[test]
    fn monitors_observe_as_the_naive_explorer_says(
        case in prop_oneof![
            cases(MONITORED),
            cases(PLAIN),
            cases(Profile { halts: true, faults: true, ..PLAIN }),
            cases(Profile { defers: true, ..MONITORED }),
            cases(Profile { ticks: true, ..MONITORED }),
            cases(Profile { ticks: true, ..PLAIN }),
        ]
    ) {
        return Ok(compare(&case));
    }

    #[test]
    fn messages_are_deferred_and_ignored_as_the_naive_explorer_says(
        case in prop_oneof![cases(DEFERRING), cases(Profile { faults: false, ..DEFERRING }), cases(ALL)]
    ) {
        return Ok(compare(&case));
    }
}
