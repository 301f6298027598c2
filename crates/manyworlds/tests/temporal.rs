//! Temporal properties from the outside: what is told of a violation, and panics of predicates and of fairness assumptions.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::explore::{Fair, Fairness, Model, Property};
use manyworlds::{Engine, Pid, Specification, Subject, Verdict, check};

/// A light that goes green, yellow, red and green again, or stays red.
#[derive(Clone)]
struct Light {
    panics: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Colour {
    Green,
    Yellow,
    Red,
    Off,
}

impl Model for Light {
    type State = Colour;
    type Action = Colour;

    fn initial(&self) -> Vec<Colour> {
        vec![Colour::Green]
    }

    fn actions(&self, colour: &Colour, out: &mut Vec<Colour>) {
        out.push(match colour {
            Colour::Green => Colour::Yellow,
            Colour::Yellow => Colour::Red,
            Colour::Red => Colour::Yellow,
            Colour::Off => Colour::Off,
        });
        out.extend((*colour == Colour::Red).then_some(Colour::Off));
    }

    fn next(&self, _: &Colour, to: &Colour) -> Option<Colour> {
        Some(*to)
    }

    fn properties(&self) -> Vec<Property<Light>> {
        let panics = |what| move |light: &Light, _: &Colour| light.panics != Some(what);
        let red_panics = |what| {
            move |light: &Light, colour: &Colour| {
                assert!(*colour != Colour::Red || light.panics != Some(what), "{what} looks at red");
                light.panics.is_some() && *colour == Colour::Off
            }
        };
        let quiet = panics("nothing");
        let all = [
            ("eventually", Property::eventually("off", red_panics("eventually"))),
            ("always", Property::always_eventually("off again", red_panics("always"))),
            ("when", Property::leads_to("red, off", red_panics("when"), quiet)),
            ("then", Property::leads_to("green, off", |_, colour| *colour == Colour::Green, red_panics("then"))),
        ];
        let asked = |what: &str| self.panics.is_none() || self.panics == Some(what);
        let mut properties: Vec<Property<Light>> =
            all.into_iter().filter(|(what, _)| asked(what)).map(|(_, property)| property).collect();
        if self.panics == Some("fairness") {
            properties.push(Property::always_eventually("green again", |_, colour| *colour == Colour::Green));
        }
        properties
    }
}

impl Fair for Light {
    fn fairness(&self) -> Vec<Fairness<Light>> {
        assert!(self.panics != Some("listing"), "there is no list");
        vec![
            Fairness::weak("turning yellow", |light: &Light, colour, _| {
                assert!(*colour != Colour::Red || light.panics != Some("fairness"), "fairness looks at red");
                *colour == Colour::Green
            }),
            Fairness::strong("turning off", |_, _, to| *to == Colour::Off),
        ]
    }
}

const STATES: [Engine; 2] = [Engine::Bfs, Engine::Dfs];

#[test]
fn a_panic_of_a_predicate_is_a_violation_with_its_place() {
    for engine in STATES {
        for panics in ["eventually", "always", "when", "then", "fairness"] {
            let light = Specification::new(Light { panics: Some(panics) }).fair();
            let answer = check(&light).engine(engine).run().expect("it is decided");
            let Verdict::Violated { violation, trace } = &answer.outcome.verdict else {
                panic!("{panics}: {:?}", answer.outcome.verdict)
            };
            assert!(violation.message.ends_with(&format!("{panics} looks at red")), "{}", violation.message);
            let place = violation.location.as_ref().expect("a panic has a place").to_string();
            assert!(place.contains("temporal.rs"), "{place}");
            assert_eq!(trace.steps.len(), 3, "{panics}: the start, and two steps to red");
        }
        let light = Specification::new(Light { panics: Some("listing") }).fair();
        let refused = check(&light).engine(engine).run().expect_err("there is no list").to_string();
        assert!(refused.contains("fairness assumptions of the model panics: there is no list"), "{refused}");
    }
}

/// Waits for a message that tells it to be ready; a predicate looks at what it holds.
struct Waiter(Option<Pid>);

impl Actor for Waiter {
    type State = u8;
    type Message = u8;

    fn start(&self, ctx: &mut Context<'_>) -> u8 {
        self.0.into_iter().for_each(|other| ctx.send(other, 1u8));
        0
    }

    fn message(&self, state: &mut u8, _: Pid, message: &u8, _: &mut Context<'_>) {
        *state = *message;
    }
}

#[test]
fn a_panic_of_a_predicate_on_actors_is_a_violation_with_its_place() {
    let mut system = System::new();
    let waiter = system.add("waiter", Waiter(None));
    system.add("other", Waiter(Some(waiter.into())));
    let reads = move |view: &manyworlds::actor::View<'_>| {
        let state = *view.state(waiter).expect("it has started");
        assert_eq!(state, 0, "it is not zero");
        state > 0
    };
    let systems = [
        system.clone().eventually("p", reads),
        system.clone().always_eventually("p", reads),
        system.clone().leads_to("p", reads, |_| false),
        system.leads_to("p", |_| true, reads),
    ];
    for (system, engine) in systems.iter().flat_map(|system| STATES.map(|engine| (system, engine))) {
        let answer = check(system).engine(engine).run().expect("it is decided");
        let violation = answer.outcome.violation().expect("it panics");
        assert!(violation.message.contains("it is not zero"), "{}", violation.message);
        assert!(violation.location.as_ref().is_some_and(|at| at.to_string().contains("temporal.rs")));
    }
}

#[test]
fn a_violation_says_where_the_condition_holds_and_what_is_assumed() {
    #[derive(Clone)]
    struct Quiet(Light);
    impl Model for Quiet {
        type State = Colour;
        type Action = Colour;
        fn initial(&self) -> Vec<Colour> {
            self.0.initial()
        }
        fn actions(&self, colour: &Colour, out: &mut Vec<Colour>) {
            self.0.actions(colour, out);
        }
        fn next(&self, colour: &Colour, to: &Colour) -> Option<Colour> {
            self.0.next(colour, to)
        }
        fn properties(&self) -> Vec<Property<Quiet>> {
            vec![Property::leads_to("yellow, off", |_, c| *c == Colour::Yellow, |_, c| *c == Colour::Off)]
        }
    }
    impl Fair for Quiet {
        fn fairness(&self) -> Vec<Fairness<Quiet>> {
            vec![
                Fairness::weak("turning yellow", |_, _, to| *to == Colour::Yellow),
                Fairness::strong("turning off", |_, _, to| *to == Colour::Off),
            ]
        }
    }
    let light = Quiet(Light { panics: None });
    let unfair = Specification::new(light.clone());
    let answer = check(&unfair).run().expect("it is decided");
    let Verdict::Violated { violation, trace } = &answer.outcome.verdict else { panic!("yellow and red alternate") };
    assert_eq!(violation.property.to_string(), "leads-to yellow, off");
    assert_eq!(
        violation.message,
        "the condition of `yellow, off` holds, the path goes round for ever, and the goal is not reached (from step 1 on)"
    );
    assert_eq!((trace.steps.len(), trace.loop_from), (4, Some(2)), "start, yellow, and red and yellow again and again");
    assert_eq!(unfair.replay(trace, &mut |_, _| {}), Ok(manyworlds_core::Replayed::Reproduced));
    let fair = Specification::new(light).fair();
    assert_eq!(fair.replay(trace, &mut |_, _| {}), Ok(manyworlds_core::Replayed::Gone), "the cycle is unfair");
    let answer = check(&fair).run().expect("it is decided");
    assert!(answer.outcome.is_verified());
    let scope = answer.outcome.scope.to_string();
    assert!(scope.contains("weak fairness of turning yellow; strong fairness of turning off"), "{scope}");
}
