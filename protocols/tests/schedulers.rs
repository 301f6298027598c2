//! DS2's schedulers on the actor models: they explore the same schedules as a naive recursion, and other engines find the same
//! violations.

use manyworlds::actor::{State, System, Worlds};
use manyworlds::explore::{Budget, Config, Kind, NoObserver, Report, StopReason, TransitionSystem, explore};
use manyworlds::{Engine, Network, Options, Replayed, Requirement, ScheduleStats, Subject, Trace, check};
use manyworlds_protocols::{Build, find, models};
use std::collections::BTreeSet;

/// Systems with more schedules are skipped.
const SCHEDULES: u64 = 50_000;

fn system(name: &str, params: &str) -> System {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are valid");
    model.system(&params).expect("the parameters of the tables are consistent")
}

/// Models with smaller parameters than the defaults.
const SMALL: &[(&str, &str)] = &[
    ("dr", "h=1r1w"),
    ("edr", "h=1r1w n=2"),
    ("adr", "h=1r1w r=0"),
    ("adr", "h=1r1w"),
    ("adr-bug", "h=1r1w"),
    ("open-chord", "h=1r1w"),
    ("open-chord", "h=1r1w keys=2"),
    ("open-chord-fixed", "h=1r1w"),
    ("multi-paxos-map", "h=1r1w b=1"),
    ("multi-paxos-map-bug", "h=1r1w"),
    ("chain-map", "h=1r1w"),
    ("chain-map", "h=2r1w n=2"),
    ("chain-map-bug", "h=1r1w"),
    ("dr", "clients=two"),
    ("adr", "clients=two"),
    ("chain-map", "clients=two"),
    ("chain-map", "h=2r2w clients=two"),
    ("two-phase-commit-actors", "n=1"),
    ("two-phase-commit-actors-bug", "n=1"),
    ("chang-roberts", "n=3"),
    ("chang-roberts-bug", "n=2"),
    ("token-ring", "n=2"),
    ("token-ring-bug", "n=2 rounds=1"),
    ("failure-detector", "n=1"),
    ("failure-detector-bug", "n=1"),
    ("german", "n=1"),
    ("german", "n=2 requests=1"),
    ("german-bug", "n=2 requests=1"),
    ("bounded-async", "n=2"),
    ("bounded-async-bug", "n=2 rounds=1"),
    ("lastzero", "n=2"),
    ("lastzero-bug", "n=2"),
    ("counter", "n=2"),
    ("counter", "n=3 k=1"),
    ("counter-bug", "n=2 k=1"),
    ("paxos", "p=1 a=2"),
    ("paxos-bug", "p=1 a=2"),
    ("abd", "s=1 w=1"),
    ("abd", "s=1 c=2 check=linearizable"),
    ("abd-bug", "s=2 c=1"),
    ("raft", "n=2 t=1 e=0 crashes=0"),
];

/// Every actor model with default parameters, and the small ones.
fn systems() -> Vec<(String, System)> {
    let actors = models().iter().filter(|model| matches!(model.build, Build::Actors(_))).map(|model| (model.name, ""));
    let all = actors.chain(SMALL.iter().copied());
    // Schedules are finite, so they cannot decide properties of infinite paths.
    let decidable = |system: System| system.keep_questions(|question| question.kind != Kind::Eventually);
    all.map(|(name, params)| (format!("{name} {params}"), decidable(system(name, params)))).collect()
}

/// The schedules, enumerated by a naive recursion.
#[derive(Default)]
struct Naive {
    schedules: u64,
    steps: u64,
    final_states: BTreeSet<u128>,
}

impl Naive {
    /// Returns `None` if there are too many schedules, or they are too long.
    fn all(worlds: &Worlds) -> Option<Naive> {
        let mut naive = Naive::default();
        worlds.initial().iter().try_for_each(|state| naive.follow(worlds, state, 0))?;
        Some(naive)
    }

    fn follow(&mut self, worlds: &Worlds, state: &State, depth: u32) -> Option<()> {
        self.steps += 1;
        if depth > 100 || self.schedules > SCHEDULES || self.steps > 20 * SCHEDULES {
            return None;
        }
        let mut actions = Vec::new();
        if worlds.failure(state).is_none() {
            worlds.actions(state, &mut actions);
        }
        let next: Vec<_> = actions.iter().filter_map(|action| worlds.next(state, action)).collect();
        if next.is_empty() {
            self.schedules += 1;
            if worlds.failure(state).is_none() {
                self.final_states.insert(worlds.fingerprint(state));
            }
        }
        next.iter().try_for_each(|state| self.follow(worlds, state, depth + 1))
    }
}

fn run(system: &System, name: Engine, config: Config) -> (Report<Worlds>, ScheduleStats) {
    let worlds = system.worlds().unmonitored();
    let config = Config { keep_going: true, collect_final: true, ..config };
    let report = explore(&worlds, name, &config, &NoObserver).expect("the scheduler supports the system");
    let figures = report.stats.histories.expect("a scheduler reports these figures");
    (report, figures)
}

fn at_most(executions: u64) -> Config {
    Config { budget: Budget { executions: Some(executions), ..Budget::default() }, ..Config::default() }
}

fn final_states(worlds: &Worlds, report: &Report<Worlds>) -> BTreeSet<u128> {
    report.final_states.iter().map(|state| worlds.fingerprint(state)).collect()
}

/// DPOR reaches the same final states as EX, with the same histories.
#[test]
fn exhaustive_agrees_with_a_naive_recursion_and_dpor_reaches_the_same_final_states() {
    let mut compared = BTreeSet::new();
    for (name, system) in systems() {
        for network in Network::ALL {
            let system = system.clone().network(network);
            let worlds = system.worlds().unmonitored();
            let Some(naive) = Naive::all(&worlds) else { continue };
            let (exhaustive, figures) = run(&system, Engine::Exhaustive, Config::default());
            println!("{name} {network}: {} schedules, {} final states", naive.schedules, naive.final_states.len());
            assert_eq!(figures.schedules, naive.schedules, "{name} {network}");
            assert_eq!(final_states(&worlds, &exhaustive), naive.final_states, "{name} {network}");
            let (dpor, of_dpor) = run(&system, Engine::Dpor, Config::default());
            assert!(of_dpor.schedules <= figures.schedules, "{name} {network}");
            assert_eq!(final_states(&worlds, &dpor), naive.final_states, "{name} {network}");
            assert_eq!(of_dpor.unique, figures.unique, "{name} {network}");
            assert_eq!(of_dpor.non_linearizable, figures.non_linearizable, "{name} {network}");
            compared.insert(name.clone());
        }
    }
    let too_large = SMALL.iter().find(|(name, params)| !compared.contains(&format!("{name} {params}")));
    assert_eq!(too_large, None, "every small model is compared under some network");
}

/// These systems are too large for the naive recursion, but EX can finish them.
#[test]
fn dpor_reaches_the_final_states_of_exhaustive_in_larger_systems() {
    let large = [
        ("chain-map", "", 27_720),
        ("open-chord", "keys=2 clients=two", 53_963),
        ("open-chord", "clients=two", 117_730),
        ("open-chord-fixed", "keys=2 clients=two", 24_570),
    ];
    for (name, params, schedules) in large {
        let system = system(name, params);
        let worlds = system.worlds().unmonitored();
        let (exhaustive, figures) = run(&system, Engine::Exhaustive, Config::default());
        let (dpor, of_dpor) = run(&system, Engine::Dpor, Config::default());
        assert_eq!(figures.schedules, schedules, "{name} {params}");
        assert_eq!((exhaustive.stopped, dpor.stopped), (None, None), "{name} {params}");
        assert_eq!(final_states(&worlds, &dpor), final_states(&worlds, &exhaustive), "{name} {params}");
        assert_eq!(of_dpor.unique, figures.unique, "{name} {params}");
        assert_eq!(of_dpor.non_linearizable, figures.non_linearizable, "{name} {params}");
    }
}

#[test]
fn a_seed_reproduces_the_schedules() {
    let system = system("edr", "");
    let schedules = |seed| {
        let (report, figures) = run(&system, Engine::SystematicRandom, Config { seed, ..at_most(5_000) });
        let found = report.found.expect("5,000 schedules suffice for this bug");
        (figures, format!("{:?}", found.path))
    };
    assert_eq!(schedules(0), schedules(0));
    assert_ne!(schedules(0).0.first_bug, schedules(1).0.first_bug);
}

fn trace(system: &System, engine: Engine, limit: Option<u64>) -> Option<Trace> {
    let options = Options { max_executions: limit, engine, ..Options::default() };
    let answer = check(system).options(options.clone()).run().unwrap_or_else(|error| panic!("{engine}: {error:?}"));
    answer.outcome.trace().cloned()
}

/// Includes DS2's harnesses, with two clients that send one request after the other. EX stops at the first violation, or after the given
/// number of schedules.
#[test]
fn must_and_bfs_find_the_violations_of_exhaustive() {
    let incorrect = [
        ("edr", "h=1r1w", Some(200_000)),
        ("edr", "h=2r1w clients=two", Some(50_000)),
        ("edr", "h=2r2w clients=two", Some(50_000)),
        ("open-chord", "h=1r1w", None),
        ("open-chord", "h=1r1w keys=2", None),
        ("open-chord", "h=2r1w clients=two", Some(50_000)),
        ("open-chord", "h=2r1w keys=2 clients=two", Some(50_000)),
        ("open-chord", "h=2r2w keys=2 clients=two", Some(50_000)),
        ("chain-map-bug", "h=1r1w", None),
        ("chain-map-bug", "h=2r1w clients=two", None),
        ("adr-bug", "h=2r1w", Some(50_000)),
    ];
    for (name, params, limit) in incorrect {
        let system = system(name, params);
        let check_trace = |engine, limit| {
            let trace = trace(&system, engine, limit).unwrap_or_else(|| panic!("{name} {params} {engine}"));
            assert_eq!(trace.violation.property, Requirement::Linearizable, "{name} {params} {engine}");
            assert_eq!(trace.steps.last().map(|step| step.kind.name()), Some("fail"), "{name} {params} {engine}");
            assert_eq!(system.replay(&trace, &mut |_, _| {}), Ok(Replayed::Reproduced), "{name} {params} {engine}");
        };
        check_trace(Engine::Exhaustive, limit);
        check_trace(Engine::Must, None);
        check_trace(Engine::Bfs, None);
    }
}

/// Two clients allow fewer orders than clients that start at any time: the bug requires a read that follows a read, and no write between them.
#[test]
fn two_clients_miss_a_violation() {
    for (params, found) in [("h=2r1w", true), ("h=2r1w clients=two", false)] {
        assert_eq!(trace(&system("adr-bug", params), Engine::Bfs, None).is_some(), found, "{params}");
    }
}

/// The first key moves to another node while the second stays: LiViola treats each key separately.
#[test]
fn liviola_needs_far_fewer_schedules_than_ired_on_two_keys() {
    let system = system("open-chord", "keys=2");
    let (liviola, figures) = run(&system, Engine::LiViola, Config::default());
    assert_eq!(figures.non_linearizable.map(|bad| bad > 0), Some(true), "{figures:?}");
    assert_eq!(liviola.found.expect("the bug").violation.property, Requirement::Linearizable);
    let (ired, _) = run(&system, Engine::IRed, at_most(10 * figures.schedules));
    assert_eq!(ired.stopped, Some(StopReason::MaxExecutions), "{} for LiViola", figures.schedules);
}
