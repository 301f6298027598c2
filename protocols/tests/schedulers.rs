//! DS2's schedulers on the zoo: they do what a naive recursion does, and what they find others find.

use manyworlds::actor::{State, System, Worlds};
use manyworlds::explore::{Budget, Config, Kind, NoObserver, Report, StopReason, TransitionSystem, explore};
use manyworlds::{Engine, Network, Options, Property, Replayed, ScheduleStats, Subject, Trace};
use manyworlds_protocols::{Build, find, models};
use std::collections::BTreeSet;

/// Systems with more schedules are left out.
const SCHEDULES: u64 = 50_000;

fn system(name: &str, params: &str) -> System {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are right");
    model.system(&params).expect("the parameters of the tables go together")
}

/// Smaller than what the zoo has by itself.
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

/// Every system of actors in the zoo, as it is, and small ones.
fn systems() -> Vec<(String, System)> {
    let actors = models().iter().filter(|model| matches!(model.build, Build::Actors(_))).map(|model| (model.name, ""));
    let all = actors.chain(SMALL.iter().copied());
    // Schedules have an end; what happens on endless ways is no question for them.
    let decidable = |system: System| system.keep_questions(|question| question.kind != Kind::Eventually);
    all.map(|(name, params)| (format!("{name} {params}"), decidable(system(name, params)))).collect()
}

/// Schedules by plain recursion.
#[derive(Default)]
struct Naive {
    schedules: u64,
    steps: u64,
    ends: BTreeSet<u128>,
}

impl Naive {
    /// `None` if there are too many, or they are too long.
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
                self.ends.insert(worlds.fingerprint(state));
            }
        }
        next.iter().try_for_each(|state| self.follow(worlds, state, depth + 1))
    }
}

fn run(system: &System, name: Engine, config: Config) -> (Report<Worlds>, ScheduleStats) {
    let worlds = system.worlds().unmonitored();
    let config = Config { keep_going: true, collect_final: true, ..config };
    let report = explore(&worlds, name, &config, &NoObserver).expect("nothing to refuse");
    let figures = report.stats.histories.expect("a scheduler has these figures");
    (report, figures)
}

fn at_most(executions: u64) -> Config {
    Config { budget: Budget { executions: Some(executions), ..Budget::default() }, ..Config::default() }
}

fn ends(worlds: &Worlds, report: &Report<Worlds>) -> BTreeSet<u128> {
    report.final_states.iter().map(|state| worlds.fingerprint(state)).collect()
}

/// Also: DPOR ends wherever EX does, with the same histories.
#[test]
fn exhaustive_explores_what_a_recursion_does_and_dpor_ends_wherever_it_does() {
    let mut compared = BTreeSet::new();
    for (name, system) in systems() {
        for network in Network::ALL {
            let system = system.clone().network(network);
            let worlds = system.worlds().unmonitored();
            let Some(naive) = Naive::all(&worlds) else { continue };
            let (exhaustive, figures) = run(&system, Engine::Exhaustive, Config::default());
            println!("{name} {network}: {} schedules, {} ends", naive.schedules, naive.ends.len());
            assert_eq!(figures.schedules, naive.schedules, "{name} {network}");
            assert_eq!(ends(&worlds, &exhaustive), naive.ends, "{name} {network}");
            let (dpor, of_dpor) = run(&system, Engine::Dpor, Config::default());
            assert!(of_dpor.schedules <= figures.schedules, "{name} {network}");
            assert_eq!(ends(&worlds, &dpor), naive.ends, "{name} {network}");
            assert_eq!(of_dpor.unique, figures.unique, "{name} {network}");
            assert_eq!(of_dpor.non_linearizable, figures.non_linearizable, "{name} {network}");
            compared.insert(name.clone());
        }
    }
    let too_large = SMALL.iter().find(|(name, params)| !compared.contains(&format!("{name} {params}")));
    assert_eq!(too_large, None, "small ones are compared under some network");
}

/// Too large for a recursion, but EX can finish them.
#[test]
fn dpor_ends_wherever_exhaustive_does_in_larger_systems() {
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
        assert_eq!(ends(&worlds, &dpor), ends(&worlds, &exhaustive), "{name} {params}");
        assert_eq!(of_dpor.unique, figures.unique, "{name} {params}");
        assert_eq!(of_dpor.non_linearizable, figures.non_linearizable, "{name} {params}");
    }
}

#[test]
fn a_seed_draws_the_same_schedules_again() {
    let system = system("edr", "");
    let draw = |seed| {
        let (report, figures) = run(&system, Engine::SystematicRandom, Config { seed, ..at_most(5_000) });
        let found = report.found.expect("a rare one, but not that rare");
        (figures, format!("{:?}", found.path))
    };
    assert_eq!(draw(0), draw(0));
    assert_ne!(draw(0).0.first_bug, draw(1).0.first_bug);
}

fn trace(system: &System, engine: Engine, most: Option<u64>) -> Option<Trace> {
    let options = Options { max_executions: most, ..Options::new().engine(engine) };
    let answer = options.check(system).unwrap_or_else(|refused| panic!("{engine}: {refused:?}"));
    answer.outcome.trace().cloned()
}

/// With DS2's harnesses too, where two clients ask one thing after the other; EX stops at the first bug, or after so many schedules.
#[test]
fn what_exhaustive_finds_must_and_bfs_find() {
    let wrong = [
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
    for (name, params, most) in wrong {
        let system = system(name, params);
        let trace_of = |engine, most| {
            let trace = trace(&system, engine, most).unwrap_or_else(|| panic!("{name} {params} {engine}"));
            assert_eq!(trace.violation.property, Property::Linearizable, "{name} {params} {engine}");
            assert_eq!(trace.steps.last().map(|step| step.kind.name()), Some("fail"), "{name} {params} {engine}");
            assert_eq!(system.replay(&trace, &mut |_, _| {}), Ok(Replayed::Reproduced), "{name} {params} {engine}");
        };
        trace_of(Engine::Exhaustive, most);
        trace_of(Engine::Must, None);
        trace_of(Engine::Bfs, None);
    }
}

/// Two clients see less than clients that come at any time: this takes a read that follows a read, and no write.
#[test]
fn what_two_clients_do_not_see() {
    for (params, found) in [("h=2r1w", true), ("h=2r1w clients=two", false)] {
        assert_eq!(trace(&system("adr-bug", params), Engine::Bfs, None).is_some(), found, "{params}");
    }
}

/// The first key changes hands while the second stays: LiViola looks at each by itself.
#[test]
fn liviola_needs_far_fewer_schedules_than_ired_on_two_keys() {
    let system = system("open-chord", "keys=2");
    let (liviola, figures) = run(&system, Engine::LiViola, Config::default());
    assert_eq!(figures.non_linearizable.map(|bad| bad > 0), Some(true), "{figures:?}");
    assert_eq!(liviola.found.expect("the bug").violation.property, Property::Linearizable);
    let (ired, _) = run(&system, Engine::IRed, at_most(10 * figures.schedules));
    assert_eq!(ired.stopped, Some(StopReason::MaxExecutions), "{} for LiViola", figures.schedules);
}
