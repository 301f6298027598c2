//! Random transition systems that list their actions in another order at each call, compared with a naive exploration.

use manyworlds_explore::{Budget, Config, Engine, Kind, Model, NoObserver, Property, Specification, explore};
use manyworlds_testkit::Random;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const STATES: u8 = 24;

/// A transition system given as a table: the successor of each action of each state, or `None` if the action is listed but disabled.
#[derive(Clone, Debug)]
struct Shuffled {
    initial: Vec<u8>,
    edges: Arc<Vec<Vec<Option<u8>>>>,
    wrong: BTreeSet<u8>,
    wrong_if_quiescent: BTreeSet<u8>,
    /// The number of calls that listed initial states or actions.
    calls: Arc<AtomicU64>,
}

impl Shuffled {
    fn shuffle<T>(&self, all: &mut [T]) {
        let mut mixed = self.calls.fetch_add(1, Ordering::Relaxed);
        for at in (1..all.len()).rev() {
            mixed = mixed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            all.swap(at, (mixed >> 33) as usize % (at + 1));
        }
    }

    /// The distance of each reachable state, the number of transitions, and the violating states.
    fn naive(&self) -> (BTreeMap<u8, u64>, u64, BTreeSet<u8>) {
        let (mut distance, mut queue) = (BTreeMap::new(), VecDeque::new());
        for &state in &self.initial {
            if distance.insert(state, 0).is_none() {
                queue.push_back(state);
            }
        }
        let (mut transitions, mut wrong) = (self.initial.len() as u64, BTreeSet::new());
        while let Some(state) = queue.pop_front() {
            let successors: Vec<u8> = self.edges[usize::from(state)].iter().flatten().copied().collect();
            if self.wrong.contains(&state) || successors.is_empty() && self.wrong_if_quiescent.contains(&state) {
                wrong.insert(state);
            }
            transitions += successors.len() as u64;
            for next in successors {
                let steps = distance[&state] + 1;
                distance.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    steps
                });
            }
        }
        (distance, transitions, wrong)
    }
}

impl Model for Shuffled {
    type State = u8;
    type Action = usize;

    fn initial(&self) -> Vec<u8> {
        let mut initial = self.initial.clone();
        self.shuffle(&mut initial);
        initial
    }

    fn actions(&self, state: &u8, out: &mut Vec<usize>) {
        out.extend(0..self.edges[usize::from(*state)].len());
        self.shuffle(out);
    }

    fn next(&self, state: &u8, action: &usize) -> Option<u8> {
        self.edges[usize::from(*state)][*action]
    }

    fn properties(&self) -> Vec<Property<Shuffled>> {
        vec![
            Property::never("wrong", |model: &Shuffled, state| model.wrong.contains(state)),
            Property::at_rest("right", |model: &Shuffled, state| !model.wrong_if_quiescent.contains(state)),
        ]
    }
}

fn models() -> impl Strategy<Value = Shuffled> {
    let edge = prop_oneof![8 => (0..STATES).prop_map(Some), 1 => Just(None)];
    let edges = prop::collection::vec(prop::collection::vec(edge, 0..5), usize::from(STATES));
    let few = || prop::collection::btree_set(0..STATES, 0..3);
    (prop::collection::vec(0..STATES, 1..4), edges, few(), few()).prop_map(
        |(initial, edges, wrong, wrong_if_quiescent)| Shuffled {
            initial,
            edges: Arc::new(edges),
            wrong,
            wrong_if_quiescent,
            calls: Arc::default(),
        },
    )
}

#[test]
fn the_order_of_listing_changes_neither_states_nor_verdicts() {
    let violated = Cell::new(0u64);
    let setups = (models(), 1..3usize, any::<bool>());
    let compared = Random::new("the order of listing changes neither states nor verdicts")
        .cases(500)
        .compared(400)
        .run(&setups, |(model, threads, exact)| {
            let (distance, transitions, wrong) = model.naive();
            let spec = Specification::new(model.clone());
            for engine in [Engine::Bfs, Engine::Dfs] {
                for keep_going in [false, true] {
                    let config = Config { threads, exact, keep_going, collect_states: true, ..Config::default() };
                    let report =
                        explore(&spec, engine, &config, &NoObserver).expect("the specification is deterministic");
                    prop_assert_eq!(report.found.is_some(), !wrong.is_empty());
                    if keep_going || wrong.is_empty() {
                        let states: BTreeSet<u8> = report.states.iter().copied().collect();
                        prop_assert_eq!(states, distance.keys().copied().collect::<BTreeSet<u8>>());
                        prop_assert_eq!(report.stats.states, Some(distance.len() as u128));
                        prop_assert_eq!(report.stats.transitions, Some(u128::from(transitions)));
                        prop_assert_eq!(report.stats.violations, wrong.len() as u64);
                    }
                    if let Some(found) = report.found {
                        prop_assert!(wrong.contains(found.path.last()) && model.initial.contains(&found.path.start));
                        let mut state = found.path.start;
                        for (action, next) in &found.path.steps {
                            prop_assert_eq!(model.next(&state, action), Some(*next));
                            state = *next;
                        }
                        let nearest = wrong.iter().map(|state| distance[state]).min();
                        let steps = found.path.steps.len() as u64;
                        prop_assert!(engine == Engine::Dfs || Some(steps) == nearest);
                        violated.set(violated.get() + 1);
                    }
                }
            }
            let budget = Budget { executions: Some(20), depth: Some(30), states: None };
            let walks = explore(&spec, Engine::Random, &Config { threads, budget, ..Config::default() }, &NoObserver);
            if let Some(found) = walks.expect("the specification is deterministic").found {
                prop_assert!(wrong.contains(found.path.last()));
            }
            Ok(4)
        });
    assert!(violated.get() > compared / 4, "{} of {compared}", violated.get());
}

#[test]
fn eventually_is_decided_in_any_order() {
    #[derive(Clone)]
    struct Eventually(Shuffled);

    impl Model for Eventually {
        type State = u8;
        type Action = usize;

        fn initial(&self) -> Vec<u8> {
            self.0.initial()
        }

        fn actions(&self, state: &u8, out: &mut Vec<usize>) {
            self.0.actions(state, out);
        }

        fn next(&self, state: &u8, action: &usize) -> Option<u8> {
            self.0.next(state, action)
        }

        fn properties(&self) -> Vec<Property<Eventually>> {
            vec![Property::new(Kind::Eventually, "there", |model: &Eventually, state| model.0.wrong.contains(state))]
        }
    }

    /// Whether a maximal path avoids the states in which the property holds. The states with such a path are a greatest fixpoint.
    fn avoids(model: &Shuffled) -> bool {
        let successors = |state: u8| model.edges[usize::from(state)].iter().flatten().copied();
        let mut staying: BTreeSet<u8> = (0..STATES).filter(|state| !model.wrong.contains(state)).collect();
        loop {
            let stays = |state: &u8| {
                successors(*state).next().is_none() || successors(*state).any(|next| staying.contains(&next))
            };
            let next: BTreeSet<u8> = staying.iter().copied().filter(stays).collect();
            if next == staying {
                return model.initial.iter().any(|state| staying.contains(state));
            }
            staying = next;
        }
    }

    let violated = Cell::new(0u64);
    let compared = Random::new("eventually is decided in any order").cases(500).run(
        &(models(), any::<bool>()),
        |(model, exact)| {
            let spec = Specification::new(Eventually(model.clone()));
            let config = Config { exact, ..Config::default() };
            let report = explore(&spec, Engine::Bfs, &config, &NoObserver).expect("the specification is deterministic");
            prop_assert_eq!(report.found.is_some(), avoids(&model));
            if let Some(found) = report.found {
                let mut state = found.path.start;
                for (action, next) in &found.path.steps {
                    prop_assert!(!model.wrong.contains(&state));
                    prop_assert_eq!(model.next(&state, action), Some(*next));
                    state = *next;
                }
                prop_assert!(!model.wrong.contains(&state));
                if let Some(from) = found.path.loop_from {
                    let entry = if from == 0 { found.path.start } else { found.path.steps[from - 1].1 };
                    prop_assert_eq!(entry, state);
                }
                violated.set(violated.get() + 1);
            }
            Ok(1)
        },
    );
    assert!(violated.get() > compared / 10, "{} of {compared}", violated.get());
}
