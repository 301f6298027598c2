//! Small graphs with named actions and fairness assumptions, and what their temporal properties mean, by definition.

use manyworlds_explore::{
    Config, Engine, Fair, Fairness, Kind, Model, NoObserver, Path, Property, Report, Specification, Strength, explore,
};
use std::sync::Arc;

/// A set of states or of actions: a bit for each.
pub type Set = u32;

pub fn contains(set: Set, member: u8) -> bool {
    set >> member & 1 == 1
}

/// An action, and the state it leads to.
pub type Step = (u8, u8);

/// A transition system given as a table, with one property.
#[derive(Clone, Debug)]
pub struct Graph {
    pub initial: Vec<u8>,
    /// The steps of each state.
    pub steps: Arc<Vec<Vec<Step>>>,
    /// Fairness of these actions together.
    pub fairness: Vec<(Strength, Set)>,
    pub kind: Kind,
    /// Where the condition of `leads_to` holds.
    pub when: Set,
    /// Where the predicate holds.
    pub holds: Set,
}

impl Model for Graph {
    type State = u8;
    type Action = Step;

    fn initial(&self) -> Vec<u8> {
        self.initial.clone()
    }

    fn actions(&self, state: &u8, out: &mut Vec<Step>) {
        out.extend(&self.steps[usize::from(*state)]);
    }

    fn next(&self, _: &u8, (_, to): &Step) -> Option<u8> {
        Some(*to)
    }

    fn properties(&self) -> Vec<Property<Graph>> {
        let holds = |graph: &Graph, state: &u8| contains(graph.holds, *state);
        vec![match self.kind {
            Kind::LeadsTo => Property::leads_to("p", |graph: &Graph, state| contains(graph.when, *state), holds),
            kind => Property::new(kind, "p", holds),
        }]
    }
}

impl Fair for Graph {
    fn fairness(&self) -> Vec<Fairness<Graph>> {
        let assumption = |(nth, &(strength, actions)): (usize, &(Strength, Set))| {
            let covers = move |_: &Graph, _: &u8, (action, _): &Step| contains(actions, *action);
            match strength {
                Strength::Weak => Fairness::weak(format!("assumption {nth}"), covers),
                Strength::Strong => Fairness::strong(format!("assumption {nth}"), covers),
            }
        };
        self.fairness.iter().enumerate().map(assumption).collect()
    }
}

pub type Spec = Specification<Graph>;

/// What a path does from some point on: the states and the steps that it repeats.
pub struct Endless {
    pub states: Vec<u8>,
    pub taken: Vec<(u8, Step)>,
}

impl Graph {
    pub fn run(&self, engine: Engine, config: &Config) -> Report<Spec> {
        explore(&Specification::new(self.clone()).fair(), engine, config, &NoObserver).expect("it is decided")
    }

    /// The steps of a state to other states.
    pub fn changes(&self, state: u8) -> impl Iterator<Item = Step> + '_ {
        self.steps[usize::from(state)].iter().copied().filter(move |&(_, to)| to != state)
    }

    /// Whether a path that repeats this keeps every assumption.
    pub fn keeps_fairness(&self, endless: &Endless) -> bool {
        self.fairness.iter().all(|&(strength, actions)| {
            let is_enabled = |&state: &u8| self.changes(state).any(|(action, _)| contains(actions, action));
            let again_and_again = endless.states.iter().any(is_enabled);
            let from_some_point_on = endless.states.iter().all(is_enabled);
            let taken = endless.taken.iter().any(|&(_, (action, _))| contains(actions, action));
            taken
                || match strength {
                    Strength::Weak => !from_some_point_on,
                    Strength::Strong => !again_and_again,
                }
        })
    }

    /// Whether the sequence of states, of which those from `repeated` on are repeated for ever, violates the property.
    pub fn is_violated_by(&self, states: &[u8], repeated: usize) -> bool {
        let holds = |state: &u8| contains(self.holds, *state);
        let round = &states[repeated..];
        match self.kind {
            Kind::Eventually => !states.iter().any(holds),
            Kind::AlwaysEventually => !round.iter().any(holds),
            _ => (0..states.len()).any(|at| {
                let later = || states[at..].iter().chain(round);
                contains(self.when, states[at]) && !later().any(holds)
            }),
        }
    }

    /// Checks that a path is a counterexample, by definition.
    pub fn check(&self, path: &Path<Spec>) {
        assert!(self.initial.contains(&path.start));
        let mut states = vec![path.start];
        for &(step, next) in &path.steps {
            let last = states[states.len() - 1];
            assert!(self.changes(last).any(|other| other == step), "{last} has a step {step:?} to another state");
            assert_eq!(step.1, next);
            states.push(next);
        }
        let last = states[states.len() - 1];
        match path.loop_from {
            Some(from) => {
                assert!(from < path.steps.len(), "a cycle has a step");
                assert_eq!(states[from], last, "a cycle ends where it begins");
                let taken = (from..path.steps.len()).map(|at| (states[at], path.steps[at].0)).collect();
                let endless = Endless { states: states[from..].to_vec(), taken };
                assert!(self.keeps_fairness(&endless), "{self:?}: unfair: {path:?}");
                assert!(self.is_violated_by(&states, from), "{self:?}: not violated by {path:?}");
            }
            None => {
                assert_eq!(self.changes(last).count(), 0, "the path ends");
                assert!(self.is_violated_by(&states, states.len() - 1), "{self:?}: not violated by {path:?}");
            }
        }
        if let Some(asks) = path.asks {
            assert!(contains(self.when, states[asks]) && !states[asks..].iter().any(|&s| contains(self.holds, s)));
        }
    }
}
