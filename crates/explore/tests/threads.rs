//! Hand-written models: results do not depend on the number of threads.

use manyworlds_explore::{Config, Engine, Model, NoObserver, Property, Specification, explore};

/// A three-dimensional grid. A level has so many states that it is processed in many rounds.
#[derive(Clone)]
struct Grid(u32);

impl Model for Grid {
    type State = [u32; 3];
    type Action = usize;

    fn initial(&self) -> Vec<[u32; 3]> {
        vec![[0; 3]]
    }

    fn actions(&self, state: &[u32; 3], out: &mut Vec<usize>) {
        out.extend((0..3).filter(|&axis| state[axis] < self.0));
    }

    fn next(&self, state: &[u32; 3], &axis: &usize) -> Option<[u32; 3]> {
        let mut next = *state;
        next[axis] += 1;
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Grid>> {
        vec![
            Property::never("far", |model: &Grid, state| {
                state.iter().sum::<u32>() > 2 * model.0 && state[0] == state[1]
            }),
            Property::at_rest("in the corner", |model: &Grid, state| *state == [model.0; 3]),
        ]
    }
}

#[test]
fn wide_levels_give_the_same_report_for_all_numbers_of_threads() {
    let run = |threads, keep_going| {
        explore(
            &Specification::new(Grid(60)),
            Engine::Bfs,
            &Config { threads, keep_going, ..Config::default() },
            &NoObserver,
        )
        .expect("can be decided")
    };
    for keep_going in [false, true] {
        let reports = [1, 2, 3].map(|threads| run(threads, keep_going));
        for report in &reports {
            let found = report.found.as_ref().expect("far away");
            assert_eq!(report.stats, reports[0].stats);
            assert_eq!(found.path.steps, reports[0].found.as_ref().expect("far away").path.steps);
            assert_eq!(found.path.steps.len(), 121);
        }
        if keep_going {
            assert_eq!(reports[0].stats.states, Some(61 * 61 * 61));
            assert_eq!(reports[0].stats.depth, Some(181));
        }
    }
}

/// A level of many rounds. Its first state has a successor that violates `near`; its last state is a deadlock and violates `beyond`.
#[derive(Clone)]
struct Fan;

const LAST: u32 = 50_000;

impl Model for Fan {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        match *state {
            0 => out.extend(1..=LAST),
            LAST => {}
            state => out.push(state + LAST),
        }
    }

    fn next(&self, _: &u32, action: &u32) -> Option<u32> {
        (*action < 2 * LAST).then_some(*action)
    }

    fn properties(&self) -> Vec<Property<Fan>> {
        vec![
            Property::always("near", |_: &Fan, state| *state <= LAST),
            Property::at_rest("beyond", |_: &Fan, state| *state != LAST),
        ]
    }
}

#[test]
fn a_violation_in_a_quiescent_state_is_reported_before_one_in_the_next_level() {
    for threads in [1, 2] {
        let report =
            explore(&Specification::new(Fan), Engine::Bfs, &Config { threads, ..Config::default() }, &NoObserver)
                .expect("can be decided");
        let found = report.found.expect("two properties are violated");
        assert_eq!((found.path.steps.len(), *found.path.last()), (1, LAST));
    }
}

#[test]
fn a_panic_of_the_model_is_a_violation_with_every_engine_and_number_of_threads() {
    #[derive(Clone)]
    struct Bad;
    impl Model for Bad {
        type State = u32;
        type Action = u32;
        fn initial(&self) -> Vec<u32> {
            vec![0]
        }
        fn actions(&self, _: &u32, out: &mut Vec<u32>) {
            out.extend([1, 2]);
        }
        fn next(&self, state: &u32, action: &u32) -> Option<u32> {
            assert!(*state < 5_000, "too far");
            Some(state + action)
        }
    }
    for (engine, threads) in
        [(Engine::Bfs, 1), (Engine::Bfs, 2), (Engine::Dfs, 1), (Engine::Dfs, 2), (Engine::Random, 2)]
    {
        let config = Config { threads, ..Config::default() };
        let report = explore(&Specification::new(Bad), engine, &config, &NoObserver).expect("a panic is an answer");
        let found = report.found.expect("5000 is reached");
        assert_eq!(found.violation.property, manyworlds_core::Requirement::Assertion);
        assert_eq!(found.violation.message, "too far", "{engine:?} {threads}");
        assert!(found.violation.location.is_some() || threads > 1, "{engine:?} {threads}");
        assert!(*found.path.last() >= 5_000 && found.path.attempted.is_some());
    }
}
