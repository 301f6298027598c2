//! Every state, transition, final state and verdict of the engines without reduction.

use super::explorer::{Graph, explore};
use super::strategy::{Profile, cases, claims};
use super::table::{Case, Claim, Cost};
use super::world::{World, text};
use manyworlds_actor::{Faults, State, System, View, Worlds};
use manyworlds_core::{Budget, Replayed};
use manyworlds_explore::{Config, Engine, NoObserver, Report, TransitionSystem, narrate, replay};
use manyworlds_testkit::random;

/// Larger systems are skipped.
const LIMIT: usize = 400;

/// A state of the engine in the format of the naive explorer: the text, and the failure with its actor.
pub fn engine_state(case: &Case, worlds: &Worlds, state: &State) -> (String, Option<(usize, String)>) {
    let shown = worlds.in_words(state);
    let mut parts: Vec<&str> = shown.split("; ").collect();
    if worlds.blueprint().uses(manyworlds_core::Network::Cd) {
        parts.pop();
    }
    let environment = parts.pop().expect("a state has an environment");
    let (locals, pending) = parts.split_at(case.actors.len());
    let locals: Vec<String> = locals.iter().map(ToString::to_string).collect();
    let messages: Vec<(usize, usize, u8)> = pending.iter().map(|flight| parse_message(flight)).collect();
    let (left, split) = parse_environment(environment);
    let failed = worlds.failure(state).map(|violation| {
        let name = violation.process.expect("an actor failed");
        (name.trim_start_matches("actor ").parse().expect("a number"), violation.message)
    });
    (text(case, &locals, &messages, left, split), failed)
}

fn parse_message(flight: &str) -> (usize, usize, u8) {
    let (from, rest) = flight.split_once('→').expect("from→to: message");
    let (to, tag) = rest.split_once(": ").expect("from→to: message");
    (from.parse().expect("a number"), to.parse().expect("a number"), tag.parse().expect("a tag"))
}

/// The remaining fault budgets, each 0 or 1, and the partition.
fn parse_environment(environment: &str) -> (Faults, Option<u64>) {
    let number = |field: &str| -> u8 {
        let (_, rest) = environment.split_once(field).expect("a field");
        rest[2..3].parse().expect("a digit")
    };
    let left = Faults {
        losses: number("losses"),
        duplicates: number("duplicates"),
        crashes: number("crashes"),
        restarts: number("restarts"),
        splits: number("splits"),
    };
    let split = environment.split_once("Some(").map(|(_, rest)| rest.split_once(')').expect("closed").0);
    (left, split.map(|side| side.parse().expect("a side")))
}

/// Runs an engine.
pub fn run(worlds: &Worlds, engine: Engine, config: &Config) -> Report<Worlds> {
    manyworlds_explore::explore(worlds, engine, config, &NoObserver).expect("every question can be decided")
}

/// The configurations of bfs and dfs that are compared: engine, threads, exact comparison.
pub const RUNS: [(Engine, usize, bool); 4] =
    [(Engine::Bfs, 1, false), (Engine::Bfs, 2, true), (Engine::Dfs, 1, true), (Engine::Dfs, 2, false)];

/// Compares sorted lists; a failure shows the elements that only one of them has.
fn same<T: Ord + std::fmt::Debug>(ours: &[T], naive: &[T], what: &str) {
    let count = |list: &[T], item: &T| list.iter().filter(|&other| other == item).count();
    let only = |a: &[T], b: &[T]| -> Vec<String> {
        a.iter().filter(|item| count(a, item) > count(b, item)).map(|item| format!("{item:?}")).collect()
    };
    if ours != naive {
        panic!("{what}: only the engine {:#?}; only the naive explorer {:#?}", only(ours, naive), only(naive, ours));
    }
}

fn same_states(case: &Case, graph: &Graph) {
    let sorted = |ids: &mut dyn Iterator<Item = usize>| {
        let mut keys: Vec<_> = ids.map(|id| (graph.keys[id].text.clone(), graph.keys[id].failed.clone())).collect();
        keys.sort();
        keys
    };
    let (all, finals) = (sorted(&mut (0..graph.keys.len())), sorted(&mut graph.finals()));
    let mut first_run: Option<Vec<String>> = None;
    for (engine, threads, exact) in RUNS {
        let worlds = case.system().worlds();
        let config =
            Config { threads, exact, keep_going: true, collect_final: true, collect_states: true, ..Config::default() };
        let report = run(&worlds, engine, &config);
        let in_words = |states: &[State]| {
            let mut words: Vec<_> = states.iter().map(|state| engine_state(case, &worlds, state)).collect();
            words.sort();
            words
        };
        let what = format!("{engine:?} with {threads} threads");
        let mut in_words_sorted: Vec<String> = report.states.iter().map(|state| worlds.in_words(state)).collect();
        in_words_sorted.sort();
        same(
            &in_words_sorted,
            first_run.get_or_insert_with(|| in_words_sorted.clone()),
            &format!("in_words as in the first run, {what}"),
        );
        same(&in_words(&report.states), &all, &format!("states, {what}"));
        same(&in_words(&report.final_states), &finals, &format!("final states, {what}"));
        assert_eq!(report.stats.states, Some(graph.keys.len() as u128), "number of states, {what}");
        assert_eq!(report.stats.transitions, Some(graph.transitions as u128), "transitions, {what}");
        assert_eq!(report.stats.violations, graph.failures().count() as u64, "failures, {what}");
        assert_eq!(worlds.stats().user_steps, graph.handler_runs as u64, "handler runs, {what}");
        assert_eq!(worlds.stats().distinct_steps, graph.handler_runs as u64, "distinct handler runs, {what}");
        if engine == Engine::Bfs {
            let depth = graph.depth.iter().max().map(|depth| *depth as u64 + 1);
            assert_eq!(report.stats.depth, depth, "depth, {what}");
        }
    }
}

/// Compares verdicts, and under bfs the distance of the nearest `wrong` state.
pub fn same_verdict(system: &System, graph: &Graph, what: &str, wrong: impl Fn(usize) -> bool) {
    let nearest = (0..graph.worlds.len()).filter(|&id| wrong(id)).map(|id| graph.depth[id]).min();
    for (engine, threads, exact) in RUNS {
        let config = Config { threads, exact, ..Config::default() };
        let found = run(&system.worlds(), engine, &config).found;
        assert_eq!(found.is_some(), nearest.is_some(), "{what}: {engine:?} with {threads} threads");
        if engine == Engine::Bfs {
            let length = found.map(|found| found.path.steps.len());
            assert_eq!(length, nearest, "{what}: shortest counterexample with {threads} threads");
        }
    }
}

/// Compares a search that is bounded to half the depth: the number of states, of wrong states, and of states that were not expanded.
fn same_within_a_bound(system: &System, graph: &Graph, what: &str, wrong: impl Fn(usize) -> bool) {
    let bound = graph.depth.iter().max().map_or(0, |deepest| deepest / 2);
    let count = |want: &dyn Fn(usize) -> bool| (0..graph.depth.len()).filter(|&id| want(id)).count() as u64;
    let states = count(&|id| graph.depth[id] <= bound);
    let wrong = count(&|id| graph.depth[id] <= bound && wrong(id));
    let cut = count(&|id| graph.depth[id] == bound && !graph.successors[id].is_empty());
    for (engine, threads, exact) in RUNS.into_iter().chain([(Engine::Dfs, 1, false)]) {
        let budget = Budget { depth: Some(bound as u64), ..Budget::default() };
        let config = Config { threads, exact, budget, keep_going: true, ..Config::default() };
        let report = run(&system.worlds(), engine, &config);
        let seen = (report.stats.states, report.stats.violations, report.frontier);
        assert_eq!(
            seen,
            (Some(states.into()), wrong, cut),
            "{what} in {bound} steps: {engine:?} with {threads} threads"
        );
    }
}

fn same_verdicts(case: &Case, graph: &Graph, claim: Claim) {
    let failed = |id: usize| graph.worlds[id].failed.is_some();
    let holds = |id: usize| claim.holds(|n| graph.worlds[id].row(n));
    let always = case.system().always("claim", move |view| claim.holds_in(view));
    same_verdict(&always, graph, "always", |id| failed(id) || !holds(id));
    same_within_a_bound(&always, graph, "always", |id| failed(id) || !holds(id));
    let at_rest = case.system().at_rest("claim", move |view| claim.holds_in(view));
    same_verdict(&at_rest, graph, "at rest", |id| failed(id) || graph.successors[id].is_empty() && !holds(id));
    if graph.failures().next().is_none() {
        same_temporal_verdicts(case, graph, claim);
    }
}

fn same_temporal_verdicts(case: &Case, graph: &Graph, claim: Claim) {
    let claimed = |world: &World| claim.holds(|n| world.row(n));
    let missed = |world: &World| !claimed(world);
    let system = || case.system();
    let in_view = move |view: &View<'_>| claim.holds_in(view);
    let not_in_view = move |view: &View<'_>| !claim.holds_in(view);
    let questions = [
        ("eventually", system().eventually("claim", not_in_view), graph.eventually(missed)),
        ("always eventually", system().always_eventually("claim", not_in_view), graph.always_eventually(missed)),
        ("always eventually not", system().always_eventually("claim", in_view), graph.always_eventually(claimed)),
        ("leads to", system().leads_to("claim", in_view, not_in_view), graph.leads_to(claimed, missed)),
        ("leads to not", system().leads_to("claim", not_in_view, in_view), graph.leads_to(missed, claimed)),
    ];
    for (what, system, verdict) in questions {
        // The states that a temporal property is about are explored in the same way by every engine.
        for (engine, threads, exact) in RUNS.into_iter().take(if what == "eventually" { RUNS.len() } else { 1 }) {
            let config = Config { threads, exact, ..Config::default() };
            let worlds = system.worlds();
            let found = run(&worlds, engine, &config).found;
            assert_eq!(found.is_none(), verdict, "{what}: {engine:?} with {threads} threads");
            if let Some(found) = found {
                let trace = narrate(&worlds, &found.path, found.violation);
                assert_eq!(replay(&system.worlds(), &trace, |_, _| {}), Ok(Replayed::Reproduced), "{what}");
            }
        }
    }
}

/// Returns whether the system is small enough to be compared.
pub fn compare(case: &Case, claim: Claim) -> bool {
    let Some(graph) = explore(case, LIMIT) else { return false };
    same_states(case, &graph);
    same_verdicts(case, &graph, claim);
    true
}

const PROFILE: Profile =
    Profile { cost: Cost::Sends, failures: true, faults: true, channels: true, sends: 2, sparse: false };

random! {
    #![cases = 700, compared = 60, regressions = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random/states.regressions")]

    #[test]
    fn the_engines_see_what_the_naive_explorer_sees(case in cases(PROFILE), claim in claims()) {
        return Ok(u64::from(compare(&case, claim)));
    }
}
