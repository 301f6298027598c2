//! What is told of a specification besides the verdict: which kinds of actions there were, and what came of them.

use manyworlds::explore::{Model, Property};
use manyworlds::{Engine, Options, Specification, check};

/// A lamp with a switch that works, a switch that does nothing, and one that is never enabled.
#[derive(Clone)]
struct Lamp;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Action {
    Switch { on: bool },
    Touch(u8),
    Break,
}

impl Model for Lamp {
    type State = bool;
    type Action = Action;

    fn initial(&self) -> Vec<bool> {
        vec![false]
    }

    fn actions(&self, on: &bool, out: &mut Vec<Action>) {
        out.extend([Action::Switch { on: !on }, Action::Touch(1), Action::Touch(2), Action::Break]);
    }

    fn next(&self, lit: &bool, action: &Action) -> Option<bool> {
        match *action {
            Action::Switch { on } => Some(on),
            Action::Touch(_) => Some(*lit),
            Action::Break => None,
        }
    }

    fn properties(&self) -> Vec<Property<Lamp>> {
        vec![Property::sometimes("light", |_: &Lamp, on: &bool| *on)]
    }
}

#[test]
fn what_came_of_each_kind_of_action_is_told_if_it_is_wanted() {
    for engine in [Engine::Bfs, Engine::Dfs] {
        for threads in [1, 2] {
            let options = Options { coverage: true, threads, engine, ..Options::default() };
            let coverage = check(&Specification::new(Lamp))
                .options(options.clone())
                .run()
                .unwrap()
                .coverage
                .expect("it was wanted");
            let told = |action: &manyworlds::ActionCoverage| {
                (action.name.clone(), action.listed, action.taken, action.changed)
            };
            let expected = [("Break", 2, 0, 0), ("Switch", 2, 2, 2), ("Touch", 4, 4, 0)];
            let expected = expected.map(|(name, listed, taken, changed)| (name.to_string(), listed, taken, changed));
            assert_eq!(coverage.actions.iter().map(told).collect::<Vec<_>>(), expected, "{engine} {threads}");
            assert_eq!(coverage.properties, ["sometimes light"]);
        }
    }
    assert!(check(&Specification::new(Lamp)).run().unwrap().coverage.is_none());
}
