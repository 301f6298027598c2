//! The specifications: numbers of states, transitions and levels as reported by TLC, with every engine and number of workers;
//! and their seeded bugs.

use manyworlds::check;
use manyworlds_explore::{Config, Engine, Model, NoObserver, Report, TransitionSystem, explore};
use manyworlds_protocols::chang_roberts_tla::{ChangRoberts, Order, Receive};
use manyworlds_protocols::models;
use manyworlds_protocols::paxos_tla::{self, Paxos};
use manyworlds_protocols::two_phase_tla::{self, TwoPhase};
use std::collections::HashSet;

fn run<M: TransitionSystem>(model: &M, engine: Engine, config: &Config) -> Report<M> {
    explore(model, engine, config, &NoObserver).expect("the engines support invariants")
}

/// Checks the counts with both engines, and with one and two workers.
fn counts<M: TransitionSystem>(what: &str, model: &M, states: u128, transitions: u128, depth: u64) {
    for threads in [1, 2] {
        for (engine, depth) in [(Engine::Bfs, Some(depth)), (Engine::Dfs, None)] {
            let report = run(model, engine, &Config { threads, ..Config::default() });
            let found = report.found.map(|found| found.violation);
            assert_eq!((found, report.stopped), (None, None), "{what} {engine:?} {threads}");
            let stats = report.stats;
            let expected = (Some(states), Some(transitions), depth);
            assert_eq!((stats.states, stats.transitions, stats.depth), expected, "{what} {engine:?} {threads}");
        }
    }
}

#[test]
fn two_phase_commit() {
    counts("n=3", &TwoPhase::new(3).specification(), 288, 1_146, 11);
    counts("n=4", &TwoPhase::new(4).specification(), 1_568, 8_258, 14);
    counts("n=5", &TwoPhase::new(5).specification(), 8_832, 58_146, 17);
}

#[test]
fn chang_roberts() {
    let descending = [
        (1, 2, 2, 2),
        (2, 5, 6, 4),
        (8, 4_862, 19_449, 37),
        (3, 14, 22, 7),
        (4, 42, 85, 11),
        (5, 132, 331, 16),
        (6, 429, 1_288, 22),
    ];
    for (n, states, transitions, depth) in descending {
        counts(
            &format!("desc n={n}"),
            &ChangRoberts::new(n, Order::Descending).specification(),
            states,
            transitions,
            depth,
        );
    }
    for (n, states, transitions, depth) in [
        (1, 2, 2, 2),
        (2, 5, 6, 4),
        (8, 383, 1_473, 16),
        (3, 11, 17, 6),
        (4, 23, 45, 8),
        (5, 47, 113, 10),
        (6, 95, 273, 12),
    ] {
        counts(
            &format!("asc n={n}"),
            &ChangRoberts::new(n, Order::Ascending).specification(),
            states,
            transitions,
            depth,
        );
    }
}

#[test]
fn paxos() {
    counts("3, 2, 1", &Paxos::new(3, 2, 1).specification(), 1_681, 10_005, 17);
    counts("3, 2, 2", &Paxos::new(3, 2, 2).specification(), 3_921, 23_839, 17);
    counts("1, 3, 2", &Paxos::new(1, 3, 2).specification(), 275, 1_333, 13);
    counts("2, 2, 2", &Paxos::new(2, 2, 2).specification(), 145, 611, 13);
    counts("3, 1, 3", &Paxos::new(3, 1, 3).specification(), 105, 463, 9);
    counts("4, 2, 1", &Paxos::new(4, 2, 1).specification(), 9_409, 64_826, 21);
}

#[test]
fn large_parameters() {
    counts("n=6", &TwoPhase::new(6).specification(), 50_816, 402_306, 20);
    counts("n=7", &TwoPhase::new(7).specification(), 296_448, 2_744_706, 23);
    counts("n=8", &TwoPhase::new(8).specification(), 1_745_408, 18_507_778, 26);
    counts("3, 3, 1", &Paxos::new(3, 3, 1).specification(), 68_921, 504_437, 25);
}

/// The violated property, and the length of the shortest counterexample; checks that they do not depend on the number of workers.
fn shortest<M: TransitionSystem>(model: &M) -> (String, usize) {
    let reports = [1, 2].map(|threads| run(model, Engine::Bfs, &Config { threads, ..Config::default() }));
    let [one, two] = reports.map(|report| {
        let found = report.found.expect("the bug is found");
        (found.violation.property.to_string(), found.path.steps.len(), report.stats)
    });
    assert_eq!(one, two);
    assert_eq!(one.1, naive(model));
    let dfs = run(model, Engine::Dfs, &Config::default()).found.expect("the bug is found");
    assert!(dfs.path.steps.len() >= one.1);
    (one.0, one.1)
}

/// The number of steps to the nearest violating state, by a simple breadth-first search.
fn naive<M: TransitionSystem>(model: &M) -> usize {
    let properties = model.properties();
    let violates = |state: &M::State| properties.iter().any(|property| !(property.holds)(model, state));
    let mut level = model.initial();
    let mut seen: HashSet<M::State> = level.iter().cloned().collect();
    for steps in 0.. {
        if level.iter().any(violates) {
            return steps;
        }
        let mut next = Vec::new();
        for state in &level {
            let mut actions = Vec::new();
            model.actions(state, &mut actions);
            let successors = actions.iter().filter_map(|action| model.next(state, action));
            next.extend(successors.filter(|state| seen.insert(state.clone())));
        }
        assert!(!next.is_empty(), "no state violates a property");
        level = next;
    }
    unreachable!("the loop ends at the last level")
}

#[test]
fn seeded_bugs_are_found() {
    // One manager prepares, its message is received, commit is sent and received; the other manager aborts unilaterally.
    assert_eq!(shortest(&TwoPhase::with_bug(2).specification()), ("always Consistent".to_string(), 5));
    shortest(&TwoPhase::with_bug(4).specification());
    // An id that is not the greatest goes all the way round, behind the ids ahead of it: 1 + 2 + 3 receives.
    for order in [Order::Ascending, Order::Descending] {
        assert_eq!(shortest(&ChangRoberts::with_bug(3, order).specification()).1, 6);
    }
    assert_eq!(shortest(&Paxos::with_bug(3, 3, 2).specification()).0, "always Agreement");
}

#[test]
fn seeded_bugs_are_found_with_default_parameters() {
    let bugs = models().iter().filter(|model| model.kind() == "specification" && model.name.ends_with("-bug"));
    for bug in bugs {
        let subject =
            bug.subject(&bug.params([]).expect("the defaults are valid")).expect("the defaults are consistent");
        let answer = check(&*subject).run().expect("the engine supports invariants");
        assert!(answer.outcome.violation().is_some(), "{}", bug.name);
    }
}

/// The `Debug` text of the state after these actions, as in traces.
fn debug_text<M: Model>(model: &M, actions: &[M::Action]) -> String {
    let start = model.initial().swap_remove(0);
    let step = |state: M::State, action: &M::Action| model.next(&state, action).expect("the action is enabled");
    format!("{:?}", actions.iter().fold(start, step))
}

#[test]
fn debug_text_of_packed_states_is_readable() {
    use paxos_tla::Action::{Prepare as PrepareBallot, Promise, Propose, Vote};
    use two_phase_tla::Action::{Commit, HearCommit, HearPrepared, Prepare, Quit};
    let start = "State { rm: {}, tm: init, prepared: {}, said_prepared: {} }";
    assert_eq!(debug_text(&TwoPhase::new(3), &[]), start);
    assert_eq!(
        debug_text(&TwoPhase::new(3), &[Prepare(0), Prepare(2), HearPrepared(0), Commit, HearCommit(0), Quit(1)]),
        "State { rm: {0: committed, 1: aborted, 2: prepared}, tm: committed, prepared: {0}, said_prepared: {0, 2} }"
    );
    let round = [
        PrepareBallot { ballot: 1 },
        Promise { acceptor: 0, ballot: 1 },
        Propose { ballot: 1, value: 0, quorum: 1 },
        Vote { acceptor: 0, ballot: 1, value: 0 },
        Promise { acceptor: 0, ballot: 2 },
    ];
    assert_eq!(
        debug_text(&Paxos::new(3, 3, 1), &round),
        "State { prepared: {1}, proposed: {0 in 1}, acceptors: {0: Acceptor { promised: {1: nothing, 2: 0 in 1}, voted: {0 in 1} }} }"
    );
    let ring = ChangRoberts::new(3, Order::Descending);
    assert_eq!(debug_text(&ring, &[Receive(2)]), "State { channels: {0: [3], 1: [2]}, lost: {}, won: {} }");
    assert_eq!(debug_text(&ring, &[Receive(0)]), "State { channels: {1: [2, 3], 2: [1]}, lost: {1}, won: {} }");
}

#[test]
fn symmetry_keeps_the_verdict_and_does_not_depend_on_workers() {
    fn classes<M: TransitionSystem>(model: &M) -> (u128, bool) {
        let reduced = [1, 2].map(|threads| {
            [Engine::Bfs, Engine::Dfs].map(|engine| {
                run(model, engine, &Config { threads, symmetry: true, keep_going: true, ..Config::default() })
            })
        });
        let all = run(model, Engine::Bfs, &Config { keep_going: true, ..Config::default() });
        let one = &reduced[0][0];
        for report in reduced.iter().flatten() {
            assert_eq!((report.stats.states, report.stats.transitions), (one.stats.states, one.stats.transitions));
            assert_eq!(report.found.is_some(), all.found.is_some());
        }
        assert!(one.stats.states < all.stats.states);
        (one.stats.states.expect("states are counted"), all.found.is_some())
    }
    assert!(!classes(&TwoPhase::new(5).specification()).1);
    assert!(classes(&TwoPhase::with_bug(4).specification()).1);
    assert!(!classes(&Paxos::new(3, 2, 2).specification()).1);
}
