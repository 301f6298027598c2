//! Specifications that list their actions in an arbitrary order, whose functions are not deterministic, that panic, or that declare a wrong symmetry.

use manyworlds_core::{Flaw, InvalidModel, Requirement as Reported};
use manyworlds_explore::{
    Budget, Config, Engine, Model, NoObserver, Property, Refusal, Report, Specification, Symmetric, TransitionSystem,
    Unanswered, explore,
};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Every explicit-state engine, with one and with two threads, with fingerprints and with exact states.
fn setups() -> impl Iterator<Item = (Engine, Config)> {
    [Engine::Bfs, Engine::Dfs, Engine::Random].into_iter().flat_map(|engine| {
        [(1, false), (2, false), (1, true)]
            .map(|(threads, exact)| (engine, Config { threads, exact, ..Config::default() }))
    })
}

fn run<M: TransitionSystem>(model: &M, engine: Engine, config: &Config) -> Result<Report<M>, Unanswered> {
    explore(model, engine, config, &NoObserver)
}

/// Why the model is invalid.
fn invalid<M: TransitionSystem>(model: &M, engine: Engine, config: &Config) -> InvalidModel {
    match run(model, engine, config) {
        Err(Unanswered::Invalid(invalid)) => *invalid,
        Err(other) => panic!("{engine:?} {config:?}: {other}"),
        Ok(report) => panic!("{engine:?} {config:?}: violated is {}", report.found.is_some()),
    }
}

/// A number that grows by one or two. The actions are listed in the iteration order of a hash set, which differs from call to call.
#[derive(Clone)]
struct FromASet;

impl Model for FromASet {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<u32>) {
        out.extend((0..5).collect::<HashSet<u32>>());
    }

    fn next(&self, state: &u32, action: &u32) -> Option<u32> {
        Some(state + action % 2 + 1).filter(|next| *next < 30)
    }

    fn properties(&self) -> Vec<Property<FromASet>> {
        vec![Property::never("seventeen", |_: &FromASet, state: &u32| *state == 17)]
    }
}

#[test]
fn violations_are_found_though_the_order_of_actions_differs_at_each_call() {
    let mut compared = 0;
    for (engine, config) in setups() {
        for seed in 0..40 {
            let config = Config { seed, ..config.clone() };
            let report =
                run(&Specification::new(FromASet), engine, &config).expect("the specification is deterministic");
            let found = report.found.expect("17 is reached");
            assert_eq!(found.violation.property, Reported::Never { name: "seventeen".to_string() });
            assert_eq!(*found.path.last(), 17);
            let mut state = found.path.start;
            for (action, next) in &found.path.steps {
                assert_eq!(FromASet.next(&state, action), Some(*next), "the path can be taken");
                state = *next;
            }
            if engine == Engine::Bfs {
                assert_eq!(found.path.steps.len(), 9, "a shortest path");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 360);
}

/// Where a specification stores a counter that makes it nondeterministic.
#[derive(Clone, Debug)]
enum Hidden {
    Nowhere,
    /// In the model itself; every clone has a copy.
    Own(Cell<u32>),
    /// In memory that the clones share.
    Shared(Arc<AtomicU32>),
    Static,
    ThreadLocal,
}

static COUNTER: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static LOCAL: Cell<u32> = const { Cell::new(0) };
}

/// A step adds a number that depends on the counter. No property is violated.
#[derive(Clone, Debug)]
struct Counting(Hidden);

impl Counting {
    fn count(&self) -> u32 {
        match &self.0 {
            Hidden::Nowhere => 0,
            Hidden::Own(counter) => counter.replace(counter.get() + 1),
            Hidden::Shared(counter) => counter.fetch_add(1, Ordering::Relaxed),
            Hidden::Static => COUNTER.fetch_add(1, Ordering::Relaxed),
            Hidden::ThreadLocal => LOCAL.replace(LOCAL.get() + 1),
        }
    }
}

impl Model for Counting {
    type State = u32;
    type Action = char;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<char>) {
        out.push('a');
    }

    fn next(&self, state: &u32, _: &char) -> Option<u32> {
        Some(state + 1 + self.count() % 7).filter(|next| *next < 200)
    }

    fn properties(&self) -> Vec<Property<Counting>> {
        vec![Property::always("small", |_: &Counting, state: &u32| *state < 1_000)]
    }
}

#[test]
fn a_hidden_counter_is_detected_wherever_it_is_stored() {
    let mut found = 0;
    for (engine, config) in setups() {
        for hidden in
            [Hidden::Own(Cell::default()), Hidden::Shared(Arc::default()), Hidden::Static, Hidden::ThreadLocal]
        {
            let invalid = invalid(&Specification::new(Counting(hidden)), engine, &config);
            assert_eq!(invalid.flaw, Flaw::NotAFunction, "{invalid}");
            assert!(invalid.message.contains("the state"), "{invalid}");
            assert!(invalid.evidence.len() >= 2 && invalid.evidence[0] != invalid.evidence[1], "{invalid}");
            found += 1;
        }
    }
    assert_eq!(found, 36);
}

#[test]
fn the_evidence_names_the_state_the_action_and_both_results() {
    let counting = Counting(Hidden::Own(Cell::default()));
    let invalid = invalid(&Specification::new(counting), Engine::Bfs, &Config::default());
    let message = "the specification is not a function: `next` gives two results for the action 'a' in the state ";
    assert!(invalid.message.starts_with(message), "{}", invalid.message);
    assert!(invalid.evidence[0].starts_with("first: the action leads to "), "{invalid}");
    assert!(invalid.evidence[1].starts_with("again: the action leads to "), "{invalid}");
}

/// The function whose result differs from call to call.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Nondeterministic {
    Initial,
    Actions,
    Properties,
    /// `next`: the first successor is 17, the later ones are not.
    Once,
}

#[derive(Clone)]
struct Changing(Nondeterministic, Arc<AtomicU32>);

impl Changing {
    fn call(&self, function: Nondeterministic) -> u32 {
        if self.0 == function { self.1.fetch_add(1, Ordering::Relaxed) } else { 0 }
    }
}

impl Model for Changing {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![self.call(Nondeterministic::Initial)]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        out.push(state + 1 + self.call(Nondeterministic::Actions));
    }

    fn next(&self, state: &u32, action: &u32) -> Option<u32> {
        let once = self.0 == Nondeterministic::Once && self.call(Nondeterministic::Once) == 0;
        (*state < 10).then_some(if once { 17 } else { *action })
    }

    fn properties(&self) -> Vec<Property<Changing>> {
        let name = format!("not 17, {}", self.call(Nondeterministic::Properties));
        vec![Property::never(name, |model: &Changing, state: &u32| model.0 == Nondeterministic::Once && *state == 17)]
    }
}

#[test]
fn nondeterministic_functions_are_detected_even_if_a_violation_was_found() {
    for (engine, config) in setups() {
        for function in
            [Nondeterministic::Initial, Nondeterministic::Actions, Nondeterministic::Properties, Nondeterministic::Once]
        {
            let model = Specification::new(Changing(function, Arc::default()));
            let invalid = invalid(&model, engine, &config);
            assert_eq!(invalid.flaw, Flaw::NotAFunction, "{function:?}: {invalid}");
            assert!(!invalid.evidence.is_empty(), "{function:?}: {invalid}");
        }
    }
}

/// The function that panics.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Panicking {
    Initial,
    Actions,
    Next,
    Properties,
    Eventually,
}

impl Model for Panicking {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        assert!(*self != Panicking::Initial, "no beginning");
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        assert!(*self != Panicking::Actions || *state != 4, "no actions in 4");
        out.extend([1, 2]);
    }

    fn next(&self, state: &u32, action: &u32) -> Option<u32> {
        assert!(*self != Panicking::Next || state + action != 7, "no way to 7");
        Some(state + action).filter(|next| *next < 12)
    }

    fn properties(&self) -> Vec<Property<Panicking>> {
        assert!(*self != Panicking::Properties, "no properties");
        let done = |model: &Panicking, state: &u32| {
            assert!(*model != Panicking::Eventually || *state != 5, "5 is not looked at");
            *state > 9
        };
        vec![Property::eventually("done", done)]
    }
}

const STATES: [Engine; 2] = [Engine::Bfs, Engine::Dfs];

#[test]
fn a_panic_is_a_violation_with_its_path() {
    for engine in STATES {
        for (threads, exact, keep_going) in [(1, false, false), (1, true, false), (2, false, false), (1, false, true)] {
            let config = Config { threads, exact, keep_going, ..Config::default() };
            let found = |model: Panicking| {
                let report = run(&Specification::new(model), engine, &config).expect("an answer");
                if keep_going {
                    let states = if model == Panicking::Next { 2 } else { 1 };
                    assert_eq!(report.stats.violations, states, "{model:?}: states in which it panics");
                }
                report.found.expect("it panics")
            };
            let actions = found(Panicking::Actions);
            assert_eq!(actions.violation.property, Reported::Assertion);
            assert_eq!(actions.violation.message, "no actions in 4");
            assert!(actions.violation.location.is_some_and(|at| at.to_string().contains("functions.rs")));
            assert_eq!((*actions.path.last(), actions.path.attempted), (4, None));
            let next = found(Panicking::Next);
            assert_eq!(next.violation.message, "no way to 7");
            assert_eq!(*next.path.last() + next.path.attempted.expect("the action"), 7);
            let eventually = found(Panicking::Eventually);
            assert_eq!(eventually.violation.property, Reported::Eventually { name: "done".to_string() });
            assert_eq!(eventually.violation.message, "`done` panics in this state: 5 is not looked at");
            assert_eq!(*eventually.path.last(), 5);
            match run(&Specification::new(Panicking::Initial), engine, &config) {
                Err(Unanswered::NoStart(violation)) => assert_eq!(violation.message, "no beginning"),
                _ => panic!("there is no initial state"),
            }
            let refused = run(&Specification::new(Panicking::Properties), engine, &config).err();
            let message = "no properties".to_string();
            assert_eq!(refused, Some(Unanswered::Refused(Refusal::PropertiesPanic { message })));
        }
    }
}

/// Two counters up to four. If `wrong`, a state without successors is declared to be equivalent to another state.
#[derive(Clone)]
struct Pair {
    wrong: bool,
}

const DEAD_END: [u8; 2] = [9, 9];

impl Model for Pair {
    type State = [u8; 2];
    type Action = usize;

    fn initial(&self) -> Vec<[u8; 2]> {
        vec![[0, 0]]
    }

    fn actions(&self, state: &[u8; 2], out: &mut Vec<usize>) {
        out.extend([2].into_iter().filter(|_| self.wrong && *state == [0, 0]));
        out.extend((0..2).filter(|&at| state[at] < 4));
    }

    fn next(&self, state: &[u8; 2], at: &usize) -> Option<[u8; 2]> {
        let mut next = *state;
        match *at {
            2 => next = DEAD_END,
            at => next[at] += 1,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Pair>> {
        vec![Property::never("both far", |_: &Pair, state: &[u8; 2]| *state == [4, 4])]
    }
}

impl Symmetric for Pair {
    fn canonical(&self, mut state: [u8; 2]) -> [u8; 2] {
        state.sort_unstable();
        if state == DEAD_END { [0, 1] } else { state }
    }
}

#[test]
fn wrong_symmetry_makes_the_model_invalid() {
    for engine in STATES {
        let config = Config { symmetry: true, ..Config::default() };
        let right = run(&Specification::new(Pair { wrong: false }).symmetric(), engine, &config);
        assert_eq!(*right.expect("an answer").found.expect("[4, 4] is reached").path.last(), [4, 4]);
        let invalid = invalid(&Specification::new(Pair { wrong: true }).symmetric(), engine, &config);
        assert_eq!(invalid.flaw, Flaw::WrongSymmetry);
        let begin = "what the model says about symmetry is wrong: the states [9, 9] and [0, 1] are declared the same";
        assert!(invalid.message.starts_with(begin), "{}", invalid.message);
    }
}

#[test]
fn wrong_symmetry_is_detected_without_a_violation() {
    for engine in STATES {
        let budget = Budget { depth: Some(2), ..Budget::default() };
        let config = Config { symmetry: true, budget, ..Config::default() };
        let right = run(&Specification::new(Pair { wrong: false }).symmetric(), engine, &config);
        assert!(right.expect("an answer").found.is_none());
        let invalid = invalid(&Specification::new(Pair { wrong: true }).symmetric(), engine, &config);
        assert_eq!((invalid.flaw, invalid.evidence.len()), (Flaw::WrongSymmetry, 2));
    }
}

/// Two initial states, of which only the second leads to a violation; actions with the same `Debug` form; two properties with the same name.
#[derive(Clone)]
struct Alike;

#[derive(Clone, Copy, PartialEq)]
struct Blank(u8);

impl std::fmt::Debug for Blank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("step")
    }
}

impl Model for Alike {
    type State = (u8, u8);
    type Action = Blank;

    fn initial(&self) -> Vec<(u8, u8)> {
        vec![(0, 0), (1, 0)]
    }

    fn actions(&self, (_, steps): &(u8, u8), out: &mut Vec<Blank>) {
        out.extend((0..3).map(Blank).filter(|_| *steps < 9));
    }

    fn next(&self, (start, steps): &(u8, u8), blank: &Blank) -> Option<(u8, u8)> {
        Some((*start, steps + blank.0))
    }

    fn properties(&self) -> Vec<Property<Alike>> {
        vec![
            Property::never("wrong", |_: &Alike, _: &(u8, u8)| false),
            Property::never("wrong", |_: &Alike, state: &(u8, u8)| *state == (1, 7)),
        ]
    }
}

#[test]
fn actions_and_properties_with_equal_texts_are_distinguished() {
    for (engine, config) in setups() {
        let report = run(&Specification::new(Alike), engine, &config).expect("the specification is deterministic");
        let found = report.found.expect("(1, 7) is reached");
        assert_eq!((found.path.start, *found.path.last()), ((1, 0), (1, 7)), "{engine:?}");
        assert_eq!(found.violation.property, Reported::Never { name: "wrong".to_string() });
    }
}

#[test]
fn a_deterministic_specification_is_sampled_and_not_rejected() {
    for (engine, config) in setups() {
        let counting = Counting(Hidden::Nowhere);
        let report = run(&Specification::new(counting), engine, &config).expect("the specification is deterministic");
        assert!(report.found.is_none());
        assert!(report.sampled.is_some_and(|sampled| sampled > 30), "{engine:?} {:?}", report.sampled);
    }
}
