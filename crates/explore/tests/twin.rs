//! Random transition systems: the engines are compared with a naive exploration that stores cloned states in standard maps.

use manyworlds_explore::{
    Budget, Config, Engine, Failing, Fair, Fairness, Kind, Model, NoObserver, Path, PersistentSets, Property,
    Reduction, Report, Specification, StopReason, explore,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The process that acts, and the successor; `None` if the action is listed but disabled.
type Edge = (u8, Option<u8>);

/// A transition system given as a table.
#[derive(Clone, Debug)]
struct Table {
    initial: Vec<u8>,
    /// The actions of each state.
    edges: Arc<Vec<Vec<Edge>>>,
    /// The kind of each property, and the states in which its predicate holds.
    properties: Vec<(Kind, BTreeSet<u8>)>,
    /// States that count as failed assertions.
    failing: BTreeSet<u8>,
    /// Whether each process is scheduled fairly.
    fair: Vec<bool>,
}

impl Model for Table {
    type State = u8;
    type Action = (usize, u8);

    fn initial(&self) -> Vec<u8> {
        self.initial.clone()
    }

    fn actions(&self, state: &u8, out: &mut Vec<(usize, u8)>) {
        out.extend(self.edges[*state as usize].iter().enumerate().map(|(i, &(acting, _))| (i, acting)));
    }

    fn next(&self, state: &u8, action: &(usize, u8)) -> Option<u8> {
        self.edges[*state as usize][action.0].1
    }

    fn properties(&self) -> Vec<Property<Table>> {
        let property = |(kind, states): &(Kind, BTreeSet<u8>)| {
            let states = states.clone();
            Property::new(*kind, format!("{kind:?}"), move |_: &Table, state: &u8| states.contains(state))
        };
        self.properties.iter().map(property).collect()
    }
}

impl Failing for Table {
    fn failure(&self, state: &u8) -> Option<manyworlds_core::Violation> {
        self.failing.contains(state).then(|| manyworlds_core::Violation {
            property: manyworlds_core::Requirement::Assertion,
            message: "failed".to_string(),
            location: None,
            process: None,
        })
    }
}

impl Fair for Table {
    fn fairness(&self) -> Vec<Fairness<Table>> {
        let fair = (0..self.fair.len()).filter(|&process| self.fair[process]);
        fair.map(|process| Fairness::weak("", move |_, _, action: &(usize, u8)| usize::from(action.1) == process))
            .collect()
    }
}

type Spec = Specification<Table>;

/// The result of the naive exploration.
#[derive(Debug, Default)]
struct Naive {
    /// The distance of each reachable state from the initial states.
    distance: BTreeMap<u8, u64>,
    transitions: u64,
    /// The distance of the nearest violating state.
    wrong: Option<u64>,
    wrong_states: u64,
    /// States without successors, except those that fail.
    quiescent: BTreeSet<u8>,
    /// States at the depth bound that have successors.
    cut: u64,
}

impl Table {
    fn successors(&self, state: u8) -> Vec<(usize, u8)> {
        if self.failing.contains(&state) {
            return Vec::new();
        }
        self.edges[state as usize].iter().filter_map(|&(acting, to)| Some((acting as usize, to?))).collect()
    }

    /// The steps that change the state: only those count for `eventually`.
    fn changes(&self, state: u8) -> Vec<(usize, u8)> {
        self.successors(state).into_iter().filter(|&(_, next)| next != state).collect()
    }

    fn wrong(&self, state: u8) -> bool {
        let quiescent = self.successors(state).is_empty();
        self.failing.contains(&state)
            || self.properties.iter().any(|(kind, states)| match kind {
                Kind::Always => !states.contains(&state),
                Kind::Never => states.contains(&state),
                Kind::AtRest => quiescent && !states.contains(&state),
                _ => false,
            })
    }

    fn naive(&self, bound: Option<u64>) -> Naive {
        let mut naive = Naive { transitions: self.initial.len() as u64, ..Naive::default() };
        let mut queue = VecDeque::new();
        for &state in &self.initial {
            if naive.distance.insert(state, 0).is_none() {
                queue.push_back(state);
            }
        }
        while let Some(state) = queue.pop_front() {
            let distance = naive.distance[&state];
            if self.wrong(state) {
                naive.wrong.get_or_insert(distance);
                naive.wrong_states += 1;
            }
            let successors = self.successors(state);
            if successors.is_empty() && !self.failing.contains(&state) {
                naive.quiescent.insert(state);
            }
            if bound.is_some_and(|bound| distance >= bound) {
                naive.cut += u64::from(!successors.is_empty());
                continue;
            }
            for (_, next) in successors {
                naive.transitions += 1;
                naive.distance.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    distance + 1
                });
            }
        }
        naive
    }

    /// Whether a maximal path avoids `holds`: it ends in a state without successors, or in a cycle. Without fairness the states with an infinite path are
    /// computed as a greatest fixpoint. With fairness all sets of states are tried for a fair cycle, which is feasible in small graphs.
    fn avoids(&self, holds: &BTreeSet<u8>) -> bool {
        let mut avoiding: BTreeSet<u8> = self.initial.iter().copied().filter(|state| !holds.contains(state)).collect();
        let mut queue: VecDeque<u8> = avoiding.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            for (_, next) in self.changes(state) {
                if !holds.contains(&next) && avoiding.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        if avoiding.iter().any(|&state| self.changes(state).is_empty()) {
            return true;
        }
        if self.fair.contains(&true) {
            let states: Vec<u8> = avoiding.into_iter().collect();
            return (1u32..1 << states.len()).any(|set| {
                let set: BTreeSet<u8> = (0..states.len()).filter(|i| set >> i & 1 == 1).map(|i| states[i]).collect();
                self.fair_cycle(&set)
            });
        }
        let stays = |set: &BTreeSet<u8>, state: u8| self.changes(state).iter().any(|(_, next)| set.contains(next));
        loop {
            let next: BTreeSet<u8> = avoiding.iter().copied().filter(|&state| stays(&avoiding, state)).collect();
            if next == avoiding {
                return !avoiding.is_empty();
            }
            avoiding = next;
        }
    }

    /// Whether there is a fair cycle through exactly these states: they are strongly connected, and every fair process is disabled in one of them or acts
    /// within them.
    fn fair_cycle(&self, set: &BTreeSet<u8>) -> bool {
        let inside = |state: u8| self.changes(state).into_iter().filter(|(_, next)| set.contains(next));
        let connected = set.iter().all(|&from| {
            let mut reached: BTreeSet<u8> = inside(from).map(|(_, next)| next).collect();
            while let Some(new) = reached.iter().flat_map(|&s| inside(s)).map(|(_, s)| s).find(|s| !reached.contains(s))
            {
                reached.insert(new);
            }
            set.is_subset(&reached)
        });
        let is_treated_fairly = |process: usize| {
            set.iter().any(|&state| {
                !self.changes(state).iter().any(|&(acting, _)| acting == process)
                    || inside(state).any(|(acting, _)| acting == process)
            })
        };
        connected && (0..self.fair.len()).all(|process| !self.fair[process] || is_treated_fairly(process))
    }

    /// Checks that the path is a path of the transition system.
    fn valid(&self, path: &Path<Spec>) {
        assert!(self.initial.contains(&path.start));
        let mut state = path.start;
        for (action, next) in &path.steps {
            assert_eq!(self.next(&state, action), Some(*next));
            state = *next;
        }
    }

    /// Checks that the path avoids `holds`, and ends in a state without successors or in a fair cycle.
    fn valid_lasso(&self, path: &Path<Spec>, holds: &BTreeSet<u8>) {
        self.valid(path);
        let states: Vec<u8> = std::iter::once(path.start).chain(path.steps.iter().map(|(_, state)| *state)).collect();
        assert!(states.iter().all(|state| !holds.contains(state)));
        let Some(from) = path.loop_from else {
            return assert!(self.changes(*path.last()).is_empty());
        };
        assert!(from < path.steps.len());
        assert_eq!(states[from], *path.last());
        for process in (0..self.fair.len()).filter(|&process| self.fair[process]) {
            let acts = path.steps[from..].iter().any(|(action, _)| action.1 as usize == process);
            let disabled = |&state: &u8| !self.changes(state).iter().any(|&(acting, _)| acting == process);
            assert!(acts || states[from..].iter().any(disabled), "process {process} is treated unfairly");
        }
    }

    fn explore(&self, engine: Engine, config: &Config) -> Report<Spec> {
        explore(&Specification::new(self.clone()).failing().fair(), engine, config, &NoObserver)
            .expect("can be decided")
    }
}

const KINDS: [Kind; 3] = [Kind::Always, Kind::Never, Kind::AtRest];

fn tables(states: u8, safety: bool) -> impl Strategy<Value = Table> {
    let edge = (0..2u8, prop_oneof![8 => (0..states).prop_map(Some), 1 => Just(None)]);
    let edges = prop::collection::vec(prop::collection::vec(edge, 0..4), states as usize);
    let subset = prop::collection::btree_set(0..states, 0..3);
    let property = (0..KINDS.len(), subset.clone()).prop_map(move |(kind, few)| match KINDS[kind] {
        Kind::Never => (Kind::Never, few),
        kind => (kind, (0..states).filter(|state| !few.contains(state)).collect()),
    });
    let properties = prop::collection::vec(property, if safety { 0..3 } else { 0..1 });
    let failing = prop::collection::btree_set(0..states, if safety { 0..2 } else { 0..1 });
    let initial = prop::collection::vec(0..states, 1..4);
    (initial, edges, properties, failing).prop_map(|(initial, edges, properties, failing)| Table {
        initial,
        edges: Arc::new(edges),
        properties,
        failing,
        fair: Vec::new(),
    })
}

fn all_states(report: &Report<Spec>) -> BTreeSet<u8> {
    let states: BTreeSet<u8> = report.states.iter().copied().collect();
    assert_eq!(states.len(), report.states.len(), "each state once");
    states
}

random! {
    #![cases = 2_000]

    #[test]
    fn every_state_is_visited(table in tables(24, true), threads in 1..4usize, exact in any::<bool>(), bound in prop::option::of(0..6u64)) {
        let naive = table.naive(bound);
        let config = Config {
            threads,
            exact,
            keep_going: true,
            collect_states: true,
            collect_final: true,
            budget: Budget { depth: bound, ..Budget::default() },
            ..Config::default()
        };
        for engine in [Engine::Bfs, Engine::Dfs] {
            let report = table.explore(engine, &config);
            prop_assert_eq!(all_states(&report), naive.distance.keys().copied().collect());
            prop_assert_eq!(report.stats.states, Some(naive.distance.len() as u128));
            prop_assert_eq!(report.stats.transitions, Some(naive.transitions.into()), "{:?}", engine);
            prop_assert_eq!(report.stats.violations, naive.wrong_states);
            prop_assert_eq!(report.found.is_some(), naive.wrong.is_some());
            prop_assert_eq!(report.stopped, (naive.cut > 0).then_some(StopReason::MaxDepth));
            prop_assert_eq!(report.frontier, naive.cut);
            prop_assert_eq!(report.final_states.iter().copied().collect::<BTreeSet<u8>>(), naive.quiescent.clone());
            prop_assert_eq!(report.omission.is_none(), exact);
            if engine == Engine::Bfs {
                prop_assert_eq!(report.stats.depth, naive.distance.values().max().map(|steps| steps + 1));
            }
        }
    }

    #[test]
    fn the_counterexample_is_a_shortest_one_and_the_same_for_all_numbers_of_threads(table in tables(24, true)) {
        let naive = table.naive(None);
        let reports = [1, 2, 3].map(|threads| table.explore(Engine::Bfs, &Config { threads, ..Config::default() }));
        for report in &reports {
            prop_assert_eq!(report.stats, reports[0].stats);
            prop_assert_eq!(report.frontier, reports[0].frontier);
            prop_assert_eq!(report.found.is_some(), naive.wrong.is_some());
            if let (Some(found), Some(first)) = (&report.found, &reports[0].found) {
                table.valid(&found.path);
                prop_assert!(table.wrong(*found.path.last()));
                prop_assert_eq!(found.path.steps.len() as u64, naive.wrong.unwrap_or(0));
                prop_assert_eq!(&found.path.steps, &first.path.steps);
                prop_assert_eq!(&found.violation, &first.violation);
            }
        }
        for threads in [1, 2] {
            let report = table.explore(Engine::Dfs, &Config { threads, ..Config::default() });
            prop_assert_eq!(report.found.is_some(), naive.wrong.is_some());
            if let Some(found) = &report.found {
                table.valid(&found.path);
                prop_assert!(table.wrong(*found.path.last()));
            }
        }
    }

    #[test]
    fn random_walks_find_only_real_violations_and_depend_only_on_the_seed(table in tables(24, true), seed in any::<u64>()) {
        let naive = table.naive(None);
        let budget = Budget { executions: Some(20), depth: Some(30), states: None };
        let reports = [1, 2].map(|threads| table.explore(Engine::Random, &Config { threads, seed, budget, ..Config::default() }));
        prop_assert_eq!(reports[0].stats.transitions, reports[1].stats.transitions);
        prop_assert_eq!(reports[0].stats.executions, reports[1].stats.executions);
        for report in &reports {
            prop_assert_eq!(report.stats.states, None);
            match &report.found {
                Some(found) => {
                    table.valid(&found.path);
                    prop_assert!(table.wrong(*found.path.last()));
                    prop_assert!(found.path.steps.len() as u64 >= naive.wrong.unwrap_or(u64::MAX));
                }
                None => {
                    prop_assert_eq!(report.stopped, Some(StopReason::MaxExecutions));
                    prop_assert_eq!(report.stats.executions, Some(20));
                }
            }
        }
    }

    #[test]
    fn sometimes_is_reported_when_unreachable_and_only_then(
        mut table in tables(24, false),
        holds in prop::collection::btree_set(0..24u8, 0..3),
        threads in 1..4usize,
        most in prop::option::of(1..10u64),
    ) {
        let naive = table.naive(None);
        table.properties = vec![(Kind::Sometimes, holds.clone())];
        let reachable = naive.distance.keys().any(|state| holds.contains(state));
        let cut = most.is_some_and(|most| most < naive.distance.len() as u64);
        for engine in [Engine::Bfs, Engine::Dfs] {
            let config = Config { threads, budget: Budget { states: most, ..Budget::default() }, ..Config::default() };
            let report = table.explore(engine, &config);
            prop_assert_eq!(report.stopped, cut.then_some(StopReason::MaxStates));
            prop_assert_eq!(report.found.is_some(), !reachable && !cut);
            prop_assert_eq!(report.stats.states, Some((naive.distance.len() as u64).min(most.unwrap_or(u64::MAX)).into()));
        }
    }

    #[test]
    fn eventually_is_decided(mut table in tables(24, false), holds in prop::collection::btree_set(0..24u8, 0..16)) {
        table.properties = vec![(Kind::Eventually, holds.clone())];
        for engine in [Engine::Bfs, Engine::Dfs] {
            let report = table.explore(engine, &Config::default());
            prop_assert_eq!(report.found.is_some(), table.avoids(&holds));
            report.found.iter().for_each(|found| table.valid_lasso(&found.path, &holds));
        }
    }

    #[test]
    fn eventually_is_decided_under_fairness(
        mut table in tables(9, false),
        holds in prop::collection::btree_set(0..9u8, 0..5),
        fair in prop::collection::vec(any::<bool>(), 2),
    ) {
        table.properties = vec![(Kind::Eventually, holds.clone())];
        table.fair = fair;
        let report = table.explore(Engine::Bfs, &Config { exact: true, ..Config::default() });
        prop_assert_eq!(report.found.is_some(), table.avoids(&holds));
        report.found.iter().for_each(|found| table.valid_lasso(&found.path, &holds));
    }
}

/// The steps of a process in a place: the next place, and whether the step uses the counter.
type Moves = Vec<(u8, bool)>;

/// Processes with a transition table each. They share only a counter modulo four, which some of their steps use.
#[derive(Clone, Debug)]
struct Loose {
    /// The steps of each process in each place.
    steps: Arc<Vec<Vec<Moves>>>,
    wrong: (u8, Vec<u8>),
    /// When the counter reaches this value, it becomes `TAINTED` and keeps that value.
    taint: u8,
}

const TAINTED: u8 = 4;

impl Model for Loose {
    type State = (u8, Vec<u8>);
    type Action = (usize, u8, bool);

    fn initial(&self) -> Vec<(u8, Vec<u8>)> {
        vec![(0, vec![0; self.steps.len()])]
    }

    fn actions(&self, (_, places): &(u8, Vec<u8>), out: &mut Vec<(usize, u8, bool)>) {
        for (process, &place) in places.iter().enumerate() {
            out.extend(self.steps[process][place as usize].iter().map(|&(to, shared)| (process, to, shared)));
        }
    }

    fn next(
        &self,
        (counter, places): &(u8, Vec<u8>),
        &(process, to, shared): &(usize, u8, bool),
    ) -> Option<(u8, Vec<u8>)> {
        let mut places = places.clone();
        places[process] = to;
        // Not commutative: the order of two processes matters.
        let counter = match (*counter * 2 + process as u8 + to) % 4 {
            _ if !shared || *counter == TAINTED => *counter,
            taint if taint == self.taint => TAINTED,
            counter => counter,
        };
        Some((counter, places))
    }

    fn properties(&self) -> Vec<Property<Loose>> {
        vec![
            Property::never("tainted", |_: &Loose, state| state.0 == TAINTED).stable(),
            Property::at_rest("right", |model: &Loose, state| *state != model.wrong),
        ]
    }
}

impl PersistentSets for Loose {
    /// The steps of one process, if none of them uses the counter; otherwise all steps.
    fn persistent(&self, (_, places): &(u8, Vec<u8>), actions: &mut [(usize, u8, bool)]) -> usize {
        let local = |process: usize| {
            let steps = &self.steps[process][places[process] as usize];
            !steps.is_empty() && steps.iter().all(|&(_, shared)| !shared)
        };
        match (0..places.len()).find(|&process| local(process)) {
            None => actions.len(),
            Some(process) => {
                actions.sort_by_key(|action| action.0 != process);
                actions.iter().filter(|action| action.0 == process).count()
            }
        }
    }
}

fn loose() -> impl Strategy<Value = Loose> {
    let steps = prop::collection::vec((0..4u8, any::<bool>()), 0..3);
    let process = prop::collection::vec(steps, 4);
    (prop::collection::vec(process, 2..4), 0..4u8, prop::collection::vec(0..4u8, 3), 0..5u8).prop_map(
        |(steps, counter, mut wrong, taint)| {
            wrong.truncate(steps.len());
            Loose { steps: Arc::new(steps), wrong: (counter, wrong), taint }
        },
    )
}

random! {
    #![cases = 1_000]

    #[test]
    fn persistent_sets_preserve_quiescent_states_and_stable_violations(model in loose(), threads in 1..3usize) {
        let config = Config { threads, keep_going: true, collect_final: true, ..Config::default() };
        let spec = Specification::new(model.clone()).persistent_sets();
        let all = explore(&spec, Engine::Bfs, &config, &NoObserver).expect("can be decided");
        for engine in [Engine::Bfs, Engine::Dfs] {
            let config = Config { reduction: Reduction::Persistent, ..config.clone() };
            let reduced = explore(&spec, engine, &config, &NoObserver).expect("can be decided");
            prop_assert_eq!(&reduced.final_states, &all.final_states);
            prop_assert_eq!(reduced.found.is_some(), all.found.is_some());
            prop_assert!(reduced.stats.states <= all.stats.states);
            if let Some(found) = &reduced.found {
                let last = found.path.last();
                prop_assert!(last.0 == TAINTED || *last == model.wrong);
            }
        }
    }
}
