//! Limits that end a run early, and configurations that are refused.

use manyworlds_explore::{
    Budget, Config, Engine, Fair, Fairness, Kind, Model, NoObserver, Observer, Progress, Property, Reduction, Refusal,
    Specification, StopReason, Unanswered, explore,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter without a bound, with one property.
#[derive(Clone)]
struct Counter {
    kind: Kind,
    stable: bool,
    starts: bool,
}

const PLAIN: Counter = Counter { kind: Kind::Always, stable: false, starts: true };

impl Model for Counter {
    type State = u64;
    type Action = u64;

    fn initial(&self) -> Vec<u64> {
        if self.starts { vec![0] } else { Vec::new() }
    }

    fn actions(&self, _: &u64, out: &mut Vec<u64>) {
        out.extend(1..=10);
    }

    fn next(&self, state: &u64, action: &u64) -> Option<u64> {
        Some(state.wrapping_mul(10).wrapping_add(*action))
    }

    fn properties(&self) -> Vec<Property<Counter>> {
        let wanted = self.kind != Kind::Never;
        let property = Property::new(self.kind, "p", move |_: &Counter, _: &u64| wanted);
        vec![if self.stable { property.stable() } else { property }]
    }
}

impl Fair for Counter {
    fn fairness(&self) -> Vec<Fairness<Counter>> {
        vec![Fairness::weak("nothing", |_, _, _| false)]
    }
}

/// An observer that stops the run at a given number of ticks.
struct StopAfter(AtomicU64);

impl Observer for StopAfter {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        assert!((0.0..=1.0).contains(&progress.done));
        (self.0.fetch_sub(1, Ordering::Relaxed) == 1).then_some(StopReason::Timeout)
    }
}

#[test]
fn an_endless_run_ends_in_incomplete_with_its_frontier() {
    for threads in [1, 2] {
        let config = Config { threads, ..Config::default() };
        for engine in [Engine::Bfs, Engine::Dfs, Engine::Random] {
            let report = explore(&Specification::new(PLAIN), engine, &config, &StopAfter(AtomicU64::new(9)))
                .expect("can be decided");
            assert_eq!(report.stopped, Some(StopReason::Timeout), "{engine:?} {threads}");
            assert!(report.found.is_none());
            assert_eq!(report.frontier > 0, engine != Engine::Random, "{engine:?} {threads}");
        }
        let budget = Budget { states: Some(5_000), ..Budget::default() };
        for engine in [Engine::Bfs, Engine::Dfs] {
            let config = Config { budget, ..config.clone() };
            let report = explore(&Specification::new(PLAIN), engine, &config, &NoObserver).expect("can be decided");
            assert_eq!((report.stopped, report.stats.states), (Some(StopReason::MaxStates), Some(5_000)));
            assert!(report.frontier > 0);
        }
    }
}

/// Wherever the run is stopped, the expanded states are a prefix of those of a naive search, and the others are the frontier.
#[test]
fn a_run_that_is_stopped_anywhere_reports_the_visited_states() {
    for (ticks, threads) in (1..60).flat_map(|ticks| [1, 2].map(|threads| (ticks, threads))) {
        let config = Config { threads, collect_states: true, ..Config::default() };
        let report = explore(&Specification::new(PLAIN), Engine::Bfs, &config, &StopAfter(AtomicU64::new(ticks)))
            .expect("can be decided");
        assert_eq!(report.stopped, Some(StopReason::Timeout));
        let states = u64::try_from(report.stats.states.expect("it counts states")).expect("it is small");
        // An action appends a digit from one to ten, so a naive search finds the numbers in ascending order.
        assert_eq!(report.states, (0..states).collect::<Vec<u64>>());
        // Every state has ten successors, all of them new.
        let expanded = states - report.frontier;
        assert_eq!(report.stats.transitions, Some((1 + 10 * expanded).into()), "after {ticks} ticks");
        assert_eq!(states, 1 + 10 * expanded, "after {ticks} ticks");
    }
}

fn refusal(model: &Counter, engine: Engine, config: &Config) -> Option<Refusal> {
    let budget = Budget { states: Some(10), executions: Some(1), depth: Some(1) };
    let model = Specification::new(model.clone()).fair();
    match explore(&model, engine, &Config { budget, ..config.clone() }, &NoObserver) {
        Err(Unanswered::Refused(refusal)) => Some(refusal),
        _ => None,
    }
}

#[test]
fn an_undecidable_property_is_refused_with_a_reason() {
    let plain = Config::default();
    let reduced = Config { reduction: Reduction::Persistent, ..Config::default() };
    let symmetric = Config { symmetry: true, ..Config::default() };
    let of = |kind| Counter { kind, ..PLAIN };
    for kind in [Kind::Always, Kind::Never, Kind::Sometimes] {
        let refused = refusal(&of(kind), Engine::Dfs, &reduced).expect("refused").to_string();
        assert!(refused.contains("`dfs` cannot decide") && refused.contains("do not visit every state"), "{refused}");
        assert_eq!(refusal(&of(kind), Engine::Dfs, &plain), None);
    }
    assert_eq!(refusal(&Counter { stable: true, ..PLAIN }, Engine::Bfs, &reduced), None);
    assert_eq!(refusal(&of(Kind::AtRest), Engine::Bfs, &reduced), None);
    for kind in [Kind::Eventually, Kind::AlwaysEventually, Kind::LeadsTo] {
        assert_eq!(refusal(&of(kind), Engine::Bfs, &plain), None);
        assert!(matches!(refusal(&of(kind), Engine::Bfs, &reduced), Some(Refusal::Undecided { .. })));
        assert!(matches!(refusal(&of(kind), Engine::Random, &plain), Some(Refusal::Undecided { .. })));
    }
    let eventually = of(Kind::Eventually);
    let at_random = refusal(&eventually, Engine::Random, &plain).expect("refused");
    assert_eq!(
        at_random.to_string(),
        "engine `random` cannot decide `eventually p`: a random walk ends somewhere, and says nothing about paths that never end: use bfs or dfs"
    );
    assert_eq!(refusal(&PLAIN, Engine::Bfs, &symmetric), Some(Refusal::NoSymmetry));
    assert_eq!(refusal(&Counter { starts: false, ..PLAIN }, Engine::Bfs, &plain), Some(Refusal::NoInitialState));
}
