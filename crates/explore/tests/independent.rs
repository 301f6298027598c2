//! Specifications that declare which actions are independent: breadth-first search computes fewer successors and finds the same states.

use manyworlds_core::Flaw;
use manyworlds_explore::{
    Budget, Config, Engine, Independent, Model, NoObserver, Property, Report, Specification, TransitionSystem,
    Unanswered, explore,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A step of a process from one place to another. It may be guarded by the value of a variable, and may write a variable.
#[derive(Clone, Debug)]
struct Move {
    process: usize,
    from: u8,
    to: u8,
    /// The variable that is read, and the value it must have.
    reads: Option<(usize, u8)>,
    /// The variable that is written: set to the value, or increased by it.
    writes: Option<(usize, u8, bool)>,
}

/// Processes, each in some place, and shared variables modulo three.
#[derive(Clone, Debug)]
struct Processes {
    moves: Arc<Vec<Move>>,
    wrong: (Vec<u8>, Vec<u8>),
}

type State = (Vec<u8>, Vec<u8>);

const VARIABLES: usize = 2;

impl Processes {
    /// Whether two moves may depend on each other.
    fn conflict(&self, a: &Move, b: &Move) -> bool {
        let read = |m: &Move| m.reads.map(|(variable, _)| variable);
        let written = |m: &Move| m.writes.map(|(variable, ..)| variable);
        let both_add = matches!((a.writes, b.writes), (Some((.., true)), Some((.., true))));
        let clash = |one: Option<usize>, other: Option<usize>| one.is_some() && one == other;
        clash(read(a), written(b))
            || clash(written(a), read(b))
            || clash(written(a), written(b)) && !both_add
            || a.process == b.process
    }
}

impl Model for Processes {
    type State = State;
    type Action = usize;

    fn initial(&self) -> Vec<State> {
        vec![(vec![0; 3], vec![0; VARIABLES]), (vec![1; 3], vec![0; VARIABLES])]
    }

    fn actions(&self, (places, variables): &State, out: &mut Vec<usize>) {
        let enabled = |m: &Move| {
            places[m.process] == m.from && m.reads.is_none_or(|(variable, value)| variables[variable] == value)
        };
        out.extend((0..self.moves.len()).filter(|&action| enabled(&self.moves[action])));
    }

    fn next(&self, (places, variables): &State, action: &usize) -> Option<State> {
        let (m, mut places, mut variables) = (&self.moves[*action], places.clone(), variables.clone());
        places[m.process] = m.to;
        if let Some((variable, value, adds)) = m.writes {
            variables[variable] = (value + if adds { variables[variable] } else { 0 }) % 3;
        }
        Some((places, variables))
    }

    fn properties(&self) -> Vec<Property<Processes>> {
        vec![Property::never("wrong", |model: &Processes, state: &State| *state == model.wrong)]
    }
}

thread_local! {
    /// The number of computed successors.
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// The same model, with a declaration of independence. If it is `careless`, all actions of different processes are declared independent.
#[derive(Clone, Debug)]
struct Declaring {
    model: Processes,
    careless: bool,
}

impl Declaring {
    fn correct(model: Processes) -> Declaring {
        Declaring { model, careless: false }
    }

    /// Whether the declaration is wrong in this state.
    fn is_wrong_in(&self, state: &State) -> bool {
        let enabled = |state: &State| {
            let mut actions = Vec::new();
            self.actions(state, &mut actions);
            actions.into_iter().collect::<BTreeSet<usize>>()
        };
        let after = |state: &State, action: usize| self.next(state, &action).expect("every action leads somewhere");
        let commute = |a: usize, b: usize| {
            let (one, other) = (after(state, a), after(state, b));
            enabled(&one).contains(&b) && enabled(&other).contains(&a) && after(&one, b) == after(&other, a)
        };
        let all = enabled(state);
        all.iter().any(|&a| all.iter().any(|&b| a < b && self.independent(state, &a, &b) && !commute(a, b)))
    }
}

impl Model for Declaring {
    type State = State;
    type Action = usize;

    fn initial(&self) -> Vec<State> {
        self.model.initial()
    }

    fn actions(&self, state: &State, out: &mut Vec<usize>) {
        self.model.actions(state, out);
    }

    fn next(&self, state: &State, action: &usize) -> Option<State> {
        STEPS.set(STEPS.get() + 1);
        self.model.next(state, action)
    }

    fn properties(&self) -> Vec<Property<Declaring>> {
        vec![Property::never("wrong", |model: &Declaring, state: &State| *state == model.model.wrong)]
    }
}

impl Independent for Declaring {
    fn independent(&self, _: &State, a: &usize, b: &usize) -> bool {
        let [a, b] = [a, b].map(|action| &self.model.moves[*action]);
        if self.careless { a.process != b.process } else { !self.model.conflict(a, b) }
    }

    /// Some actions have no name.
    fn name(&self, action: &usize) -> Option<u32> {
        (action % 7 != 6 || self.careless).then_some(*action as u32)
    }
}

fn moves() -> impl Strategy<Value = Move> {
    let reads = prop::option::weighted(0.3, (0..VARIABLES, 0..3u8));
    let writes = prop::option::weighted(0.4, (0..VARIABLES, 0..3u8, any::<bool>()));
    (0..3usize, 0..3u8, 0..3u8, reads, writes).prop_map(|(process, from, to, reads, writes)| Move {
        process,
        from,
        to,
        reads,
        writes,
    })
}

fn processes() -> impl Strategy<Value = Processes> {
    let wrong = (prop::collection::vec(0..3u8, 3), prop::collection::vec(0..3u8, VARIABLES));
    (prop::collection::vec(moves(), 3..25), wrong)
        .prop_map(|(moves, wrong)| Processes { moves: Arc::new(moves), wrong })
}

fn plain(model: &Processes) -> Specification<Processes> {
    Specification::new(model.clone())
}

fn run<M: TransitionSystem>(model: &M, config: &Config) -> Result<Report<M>, Unanswered> {
    explore(model, Engine::Bfs, config, &NoObserver)
}

random! {
    #![cases = 1_500]

    #[test]
    fn declared_independence_does_not_change_the_result(
        model in processes(),
        threads in 1..4usize,
        exact in any::<bool>(),
        keep_going in any::<bool>(),
        depth in prop::option::of(0..7u64),
    ) {
        let budget = Budget { depth, ..Budget::default() };
        let config = Config { threads, exact, keep_going, budget, collect_states: true, ..Config::default() };
        let (plain, declaring) = (run(&plain(&model), &config).unwrap(), run(&Specification::new(Declaring::correct(model)).independent(), &config).unwrap());
        prop_assert_eq!(&declaring.states, &plain.states, "the same states in the same order");
        let figures = |stats: &manyworlds_core::Stats| (stats.states, stats.transitions, stats.depth, stats.violations);
        prop_assert_eq!(figures(&declaring.stats), figures(&plain.stats));
        prop_assert_eq!((declaring.frontier, declaring.stopped), (plain.frontier, plain.stopped));
        let path = |steps: &[(usize, State)]| steps.to_vec();
        prop_assert_eq!(declaring.found.map(|found| path(&found.path.steps)), plain.found.map(|found| path(&found.path.steps)));
    }

    /// The relation is refused if and only if it is too large in some reachable state.
    #[test]
    fn a_wrong_relation_is_refused(model in processes()) {
        let careless = Declaring { model, careless: true };
        let states = run(&plain(&careless.model), &Config { keep_going: true, collect_states: true, ..Config::default() }).unwrap().states;
        let wrong = states.iter().any(|state| careless.is_wrong_in(state));
        for threads in [1, 2] {
            let careless = Specification::new(careless.clone()).independent();
            let answer = run(&careless, &Config { threads, keep_going: true, ..Config::default() });
            let is_invalid = matches!(answer, Err(Unanswered::Invalid(invalid)) if invalid.flaw == Flaw::WrongIndependence);
            prop_assert_eq!(is_invalid, wrong);
        }
    }
}

/// Three processes that go through cycles independently of each other: nearly all orders are equivalent.
#[test]
fn fewer_successors_are_computed() {
    let round =
        |process| (0..20u8).map(move |from| Move { process, from, to: (from + 1) % 20, reads: None, writes: None });
    let model = Processes { moves: Arc::new((0..3).flat_map(round).collect()), wrong: (vec![], vec![]) };
    let declaring = Declaring::correct(model);
    STEPS.set(0);
    let report = run(&Specification::new(declaring).independent(), &Config::default()).unwrap();
    let (states, transitions) = (report.stats.states.unwrap(), report.stats.transitions.unwrap());
    // Two initial states; all combinations of places are reachable from both.
    assert_eq!((states, transitions), (8_000, 24_002));
    // Some successors are computed again to test the relation, and each new state is computed once more.
    let tested = 15 * 1_024;
    assert!(u128::from(STEPS.get()) < transitions + states - 8_000 + tested, "{} steps", STEPS.get());
}

#[test]
fn names_are_below_64_and_distinct() {
    #[derive(Clone)]
    struct Named(u32);

    impl Model for Named {
        type State = u8;
        type Action = u8;

        fn initial(&self) -> Vec<u8> {
            vec![0]
        }

        fn actions(&self, _: &u8, out: &mut Vec<u8>) {
            out.extend([1, 2]);
        }

        fn next(&self, state: &u8, action: &u8) -> Option<u8> {
            Some(state | action)
        }
    }

    impl Independent for Named {
        fn independent(&self, _: &u8, _: &u8, _: &u8) -> bool {
            false
        }

        fn name(&self, action: &u8) -> Option<u32> {
            Some(self.0.max(u32::from(*action)))
        }
    }

    let why = |model: Named| match run(&Specification::new(model).independent(), &Config::default()) {
        Err(refusal) => refusal.to_string(),
        Ok(_) => String::new(),
    };
    assert_eq!(why(Named(0)), "");
    let begin = "what the model says about independence is wrong: ";
    assert_eq!(why(Named(3)), format!("{begin}the actions 1 and 2 of 0 have the same name"));
    assert_eq!(why(Named(64)), format!("{begin}the name of the action 1 is 64, but names are below 64"));
}
