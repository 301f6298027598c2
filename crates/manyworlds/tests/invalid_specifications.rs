//! The verdict on specifications that panic, that are not functions, that look ambiguous, or that declare no property.

use manyworlds::explore::{Independent, Model, Property, Symmetric};
use manyworlds::{Engine, Flaw, Outcome, Requirement as Reported, Specification, Subject, Verdict, check};
use std::cell::Cell;

const ENGINES: [Engine; 3] = [Engine::Bfs, Engine::Dfs, Engine::Random];

fn outcome(subject: &dyn Subject, engine: Engine) -> Outcome {
    check(subject).engine(engine).run().expect("nothing to refuse").outcome
}

/// Where it panics.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Panicking {
    Initial,
    Actions,
    Next,
}

impl Model for Panicking {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        assert!(*self != Panicking::Initial, "no beginning");
        vec![0]
    }

    fn actions(&self, state: &u32, out: &mut Vec<u32>) {
        assert!(*self != Panicking::Actions || *state < 6, "too far to list");
        out.extend([1, 2]);
    }

    fn next(&self, state: &u32, action: &u32) -> Option<u32> {
        assert!(*self != Panicking::Next || state + action < 6, "too far to go");
        Some(state + action).filter(|next| *next < 20)
    }
}

#[test]
fn a_panic_is_a_violation_that_is_replayed() {
    for engine in ENGINES {
        let expected = [
            (Panicking::Initial, "no beginning"),
            (Panicking::Actions, "too far to list"),
            (Panicking::Next, "too far to go"),
        ];
        for (model, message) in expected {
            let outcome = outcome(&Specification::new(model), engine);
            let Verdict::Violated { violation, trace } = &outcome.verdict else {
                panic!("{engine} {model:?}: {:?}", outcome.verdict)
            };
            assert_eq!((&violation.property, violation.message.as_str()), (&Reported::Assertion, message), "{engine}");
            assert!(violation.location.is_some(), "{engine} {model:?}");
            assert_eq!(trace.steps.is_empty(), model == Panicking::Initial);
        }
    }
}

/// A step adds what a hidden counter says.
#[derive(Clone, Default)]
struct Counting(Cell<u32>);

impl Model for Counting {
    type State = u32;
    type Action = ();

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, state: &u32, (): &()) -> Option<u32> {
        self.0.set(self.0.get() + 1);
        Some(state + self.0.get() % 3 + 1).filter(|next| *next < 100)
    }
}

#[test]
fn a_specification_with_a_hidden_counter_is_invalid() {
    for engine in ENGINES {
        let outcome = outcome(&Specification::new(Counting::default()), engine);
        let invalid = outcome.invalid().expect("it is not a function");
        assert_eq!(invalid.flaw, Flaw::NotAFunction);
        assert_eq!(invalid.evidence.len(), 2, "{invalid}");
    }
}

/// Two initial states, of which the second leads to something wrong; two actions that look the same; two properties with one name.
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
fn a_violation_among_things_that_look_the_same_is_reported_as_what_it_is() {
    for engine in ENGINES {
        let outcome = outcome(&Specification::new(Alike), engine);
        let violation = outcome.violation().unwrap_or_else(|| panic!("{engine}: {:?}", outcome.verdict));
        assert_eq!(violation.property, Reported::Never { name: "wrong".to_string() });
    }
}

/// Declares more than is true: two actions that are not independent, or two states that are not the same up to renaming.
#[derive(Clone)]
struct Boasting;

impl Model for Boasting {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, state: &u8, out: &mut Vec<u8>) {
        match state {
            0 => out.extend([9, 1]),
            1 | 2 => out.push(state + 1),
            _ => {}
        }
    }

    fn next(&self, _: &u8, action: &u8) -> Option<u8> {
        Some(*action)
    }

    fn properties(&self) -> Vec<Property<Boasting>> {
        vec![Property::never("three", |_: &Boasting, state: &u8| *state == 3)]
    }
}

impl Independent for Boasting {
    fn independent(&self, _: &u8, a: &u8, b: &u8) -> bool {
        a != b
    }

    fn name(&self, action: &u8) -> Option<u32> {
        Some(u32::from(*action))
    }
}

impl Symmetric for Boasting {
    fn canonical(&self, state: u8) -> u8 {
        if state == 9 { 1 } else { state }
    }
}

#[test]
fn wrong_declarations_make_a_specification_invalid() {
    let independent = outcome(&Specification::new(Boasting).independent(), Engine::Bfs);
    assert_eq!(independent.invalid().map(|invalid| invalid.flaw), Some(Flaw::WrongIndependence));
    let symmetric = check(Specification::new(Boasting).symmetric()).symmetry(true).run().expect("nothing to refuse");
    assert_eq!(symmetric.invalid().map(|invalid| invalid.flaw), Some(Flaw::WrongSymmetry));
    assert!(outcome(&Specification::new(Boasting), Engine::Bfs).violation().is_some());
}

#[test]
fn a_specification_without_properties_says_that_nothing_was_checked() {
    #[derive(Clone)]
    struct Idle;
    impl Model for Idle {
        type State = u8;
        type Action = u8;
        fn initial(&self) -> Vec<u8> {
            vec![0]
        }
        fn actions(&self, _: &u8, _: &mut Vec<u8>) {}
        fn next(&self, _: &u8, _: &u8) -> Option<u8> {
            None
        }
    }
    let scope = outcome(&Specification::new(Idle), Engine::Bfs).scope;
    assert!(scope.nothing_checked.is_some());
    assert_eq!(scope.isolation_samples, Some(1));
    assert!(outcome(&Specification::new(Alike), Engine::Dfs).scope.nothing_checked.is_none());
}

/// One call of `next`, far from the beginning, leads to a forbidden state; the same call again does not.
#[derive(Clone)]
struct Rare {
    calls: Cell<u32>,
    call: u32,
}

impl Model for Rare {
    type State = u32;
    type Action = u32;

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<u32>) {
        out.extend([1, 2]);
    }

    fn next(&self, state: &u32, action: &u32) -> Option<u32> {
        self.calls.set(self.calls.get() + 1);
        if self.calls.get() == self.call {
            return Some(1_000_000);
        }
        Some(state + action).filter(|next| *next < 1_000)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::never("forbidden", |_, state| *state == 1_000_000)]
    }
}

#[test]
fn a_state_that_was_listed_is_not_replaced_by_another_one() {
    // Half of the calls list a new state, and are the interesting ones; every state is built by one more call.
    for engine in [Engine::Bfs, Engine::Dfs] {
        for call in (500..540).chain(1_500..1_540) {
            let outcome = outcome(&Specification::new(Rare { calls: Cell::new(0), call }), engine);
            assert!(outcome.invalid().is_some(), "{engine} {call}: {:?}", outcome.verdict);
        }
    }
}

/// Counts to nine; the predicate of its property panics at three and holds at `witness`.
#[derive(Clone)]
struct Panics {
    witness: u32,
}

impl Model for Panics {
    type State = u32;
    type Action = ();

    fn initial(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, out: &mut Vec<()>) {
        out.push(());
    }

    fn next(&self, state: &u32, (): &()) -> Option<u32> {
        Some(state + 1).filter(|next| *next < 10)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::sometimes("reached", |model: &Self, state| {
            assert!(*state != 3, "three");
            *state == model.witness
        })]
    }
}

#[test]
fn a_predicate_of_sometimes_that_panics_is_a_violation() {
    for engine in ENGINES {
        for witness in [8, 20] {
            let outcome = outcome(&Specification::new(Panics { witness }), engine);
            let Verdict::Violated { violation, trace } = &outcome.verdict else {
                panic!("{engine}: {:?}", outcome.verdict)
            };
            assert!(violation.message.contains("panics") && violation.message.contains("three"), "{violation:?}");
            assert_eq!((violation.location.is_some(), trace.steps.len()), (true, 4), "{engine}: {trace:?}");
        }
    }
}
