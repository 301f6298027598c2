//! Temporal properties of random graphs, compared with two naive checks: one tries every set of states that a path may repeat, the other every
//! path up to a length.

use crate::temporal::graph::{Endless, Graph, Set, Step, contains};
use manyworlds_core::Replayed;
use manyworlds_explore::{Config, Engine, Kind, Specification, Strength, narrate, replay};
use manyworlds_testkit::{Random, random};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

const ACTIONS: u8 = 3;
const KINDS: [Kind; 3] = [Kind::Eventually, Kind::AlwaysEventually, Kind::LeadsTo];

impl Graph {
    /// The states that can be reached from some states through states in a set.
    fn reached(&self, from: impl Iterator<Item = u8>, through: Set) -> Set {
        let mut reached: Set = from.filter(|&state| contains(through, state)).map(|state| 1 << state).sum();
        loop {
            let states = (0..self.steps.len() as u8).filter(|&state| contains(reached, state));
            let more = states.flat_map(|state| self.changes(state)).filter(|&(_, to)| contains(through, to));
            let next = more.fold(reached, |set, (_, to)| set | 1 << to);
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Whether the property is violated: every set of states is tried as the set that a path repeats. More steps among these states keep more assumptions,
    /// so all of them are taken.
    fn is_violated(&self) -> bool {
        let states = self.steps.len() as u8;
        let all = (1 << states) - 1;
        let lacks = all & !self.holds;
        let members = |set: Set| (0..states).filter(move |&state| contains(set, state));
        let reachable = self.reached(BTreeSet::from_iter(self.initial.clone()).into_iter(), all);
        let asks = match self.kind {
            Kind::Eventually => self.initial.iter().fold(0, |set, &state| set | 1 << state),
            Kind::AlwaysEventually => reachable,
            _ => reachable & self.when,
        };
        let pending = self.reached(members(asks & lacks), lacks);
        (1..=all).filter(|set| set & !pending == 0).any(|set| {
            let steps = |state: u8| self.changes(state).filter(move |&(_, to)| contains(set, to));
            let taken: Vec<(u8, Step)> =
                members(set).flat_map(|state| steps(state).map(move |step| (state, step))).collect();
            let ends = set.count_ones() == 1 && members(set).all(|state| self.changes(state).count() == 0);
            let round = !taken.is_empty() && members(set).all(|state| self.reached([state].into_iter(), set) == set);
            (ends || round) && self.keeps_fairness(&Endless { states: members(set).collect(), taken })
        })
    }

    /// Whether a path of at most `length` steps shows a violation.
    fn is_shown(&self, states: &mut Vec<u8>, taken: &mut Vec<Step>, length: usize) -> bool {
        let last = states[states.len() - 1];
        if self.changes(last).count() == 0 {
            return self.is_violated_by(states, states.len() - 1);
        }
        let closes = |from: usize| {
            let round = Endless {
                states: states[from..].to_vec(),
                taken: (from..taken.len()).map(|at| (states[at], taken[at])).collect(),
            };
            states[from] == last && self.is_violated_by(states, from) && self.keeps_fairness(&round)
        };
        if (0..taken.len()).any(closes) {
            return true;
        }
        taken.len() < length
            && self.changes(last).collect::<Vec<Step>>().into_iter().any(|step| {
                states.push(step.1);
                taken.push(step);
                let shown = self.is_shown(states, taken, length);
                states.pop();
                taken.pop();
                shown
            })
    }
}

fn graphs(states: u8, degree: usize) -> impl Strategy<Value = Graph> {
    let step = (0..ACTIONS, 0..states);
    // Few states are ends of paths: there, fairness makes no difference.
    let some = prop_oneof![1 => 0..=degree, 3 => 2..=degree];
    let steps = some.prop_flat_map(move |many| prop::collection::vec(step.clone(), many));
    let steps = prop::collection::vec(steps, usize::from(states));
    let strength = prop_oneof![Just(Strength::Weak), Just(Strength::Strong)];
    let fairness = prop::collection::vec((strength, 1..1u32 << ACTIONS), 0..4);
    let set = 0..1u32 << states;
    let initial = prop::collection::vec(0..states, 1..3);
    (initial, steps, fairness, 0..KINDS.len(), set.clone(), set).prop_map(
        |(initial, steps, fairness, kind, when, holds)| Graph {
            initial,
            steps: Arc::new(steps),
            fairness,
            kind: KINDS[kind],
            when,
            holds,
        },
    )
}

/// Whether a property would be violated without fairness, and with weak fairness in place of strong fairness.
fn depends(graph: &Graph) -> [bool; 2] {
    let weak = graph.fairness.iter().map(|&(_, actions)| (Strength::Weak, actions)).collect();
    let without = Graph { fairness: Vec::new(), ..graph.clone() };
    [without, Graph { fairness: weak, ..graph.clone() }].map(|other| other.is_violated())
}

#[test]
fn temporal_properties_of_random_graphs_are_decided() {
    let cases = (graphs(6, 4), any::<bool>(), any::<bool>());
    let [violated, by_fairness, by_strong_fairness] = [(); 3].map(|()| Cell::new(0));
    let name = "temporal properties of random graphs are decided";
    let compared = Random::new(name).cases(25_000).run(&cases, |(graph, exact, dfs)| {
        let engine = if dfs { Engine::Dfs } else { Engine::Bfs };
        let report = graph.run(engine, &Config { exact, ..Config::default() });
        prop_assert_eq!(report.found.is_some(), graph.is_violated(), "{:?}", graph);
        let [fair, strongly_fair] = if report.found.is_some() { [false; 2] } else { depends(&graph) };
        by_fairness.set(by_fairness.get() + u64::from(fair));
        by_strong_fairness.set(by_strong_fairness.get() + u64::from(strongly_fair));
        if let Some(found) = report.found {
            graph.check(&found.path);
            let spec = Specification::new(graph).fair();
            let trace = narrate(&spec, &found.path, found.violation);
            prop_assert_eq!(replay(&spec, &trace, |_, _| {}), Ok(Replayed::Reproduced));
            violated.set(violated.get() + 1);
        }
        Ok(1)
    });
    let [violated, fair, strong] = [violated, by_fairness, by_strong_fairness].map(Cell::into_inner);
    println!("{violated} are violated, {fair} hold because of fairness, {strong} of them because of strong fairness");
    assert!(violated > compared / 10 && fair > compared / 100 && strong > compared / 200);
}

random! {
    #![cases = 3_000, compared = 100]

    #[test]
    fn temporal_properties_of_tiny_graphs_are_decided_as_by_trying_every_path(graph in graphs(3, 2)) {
        let report = graph.run(Engine::Bfs, &Config::default());
        let shown = graph.initial.iter().any(|&state| graph.is_shown(&mut vec![state], &mut Vec::new(), 9));
        prop_assert_eq!(report.found.is_some(), shown, "{:?}", graph);
        if let Some(found) = report.found {
            graph.check(&found.path);
        }
    }
}

/// A trace of which something was changed is no counterexample any more, unless the definition says that it is one.
#[test]
fn a_replay_does_not_take_an_unfair_cycle_for_a_counterexample() {
    let steps = vec![vec![(0, 1), (1, 2)], vec![(0, 0)], vec![]];
    let mut graph = Graph {
        initial: vec![0],
        steps: Arc::new(steps),
        fairness: Vec::new(),
        kind: Kind::Eventually,
        when: 0,
        holds: 0b100,
    };
    let found = graph.run(Engine::Bfs, &Config::default()).found.expect("0 and 1 are repeated for ever");
    let spec = Specification::new(graph.clone()).fair();
    let trace = narrate(&spec, &found.path, found.violation);
    let replayed = |graph: &Graph| replay(&Specification::new(graph.clone()).fair(), &trace, |_, _| {});
    assert_eq!(replayed(&graph), Ok(Replayed::Reproduced));
    graph.fairness = vec![(Strength::Weak, 0b10)];
    assert_eq!(replayed(&graph), Ok(Replayed::Reproduced), "1 disables the action");
    graph.fairness = vec![(Strength::Strong, 0b10)];
    assert_eq!(replayed(&graph), Ok(Replayed::Gone));
    assert!(graph.run(Engine::Bfs, &Config::default()).found.is_none());
}
