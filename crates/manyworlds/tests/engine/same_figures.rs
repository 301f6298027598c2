//! Figures do not depend on the policy, on the number of workers, or on the day.

use super::POLICIES;
use manyworlds::prelude::*;
use manyworlds::{Engine, Stats};

fn ns_nr(n: u32) -> Check<Program> {
    check(move || {
        for i in 0..n {
            spawn(move || send(Pid::ROOT, i));
        }
        for _ in 0..n {
            recv::<u32>();
        }
    })
}

fn nworkers(n: u32) -> Check<Program> {
    check(move || {
        let main = me();
        let coordinator = spawn(move || {
            for _ in 0..n {
                recv::<u32>();
            }
            send(main, "done");
        });
        for i in 0..n {
            spawn(move || send(coordinator.pid(), i));
        }
        send(main, "mine");
        recv::<&str>();
    })
}

fn two_phase_commit(n: u32) -> Check<Program> {
    check(move || {
        let coordinator = me();
        let participants: Vec<Pid> = (0..n)
            .map(|_| {
                spawn(move || {
                    recv::<&str>();
                    send(coordinator, flip());
                    recv::<bool>();
                })
                .pid()
            })
            .collect();
        participants.iter().for_each(|p| send(*p, "prepare"));
        let commit = (0..n).filter(|_| recv::<bool>()).count() == n as usize;
        participants.iter().for_each(|p| send(*p, commit));
    })
}

/// With what each of them must count.
fn programs() -> [(&'static str, Check<Program>, u64); 3] {
    [("ns+nr", ns_nr(5), 120), ("nworkers", nworkers(4), 48), ("two-phase-commit", two_phase_commit(3), 48)]
}

#[test]
fn whatever_the_policy_and_the_number_of_workers() {
    for (name, checker, expected) in programs() {
        for network in Network::ALL {
            for policy in POLICIES {
                for threads in [1, 2, 3] {
                    let checker = checker.clone().network(network).policy(policy).threads(threads);
                    let context = format!("{name}, {network}, {policy:?}, {threads} threads");
                    let outcome = checker.run().unwrap();
                    assert!(outcome.is_verified(), "{context}: {outcome:?}");
                    let stats = outcome.stats;
                    assert_eq!(
                        (stats.executions, stats.blocked, stats.violations),
                        (Some(expected), Some(0), 0),
                        "{context}"
                    );
                    let (worlds, duplicates) = checker.worlds();
                    assert_eq!((worlds.len() as u64, duplicates), (expected, 0), "{context}");
                }
            }
        }
    }
}

#[test]
fn the_naive_twin_counts_the_same() {
    let small = [("ns+nr", ns_nr(4), 24), ("nworkers", nworkers(2), 4), ("two-phase-commit", two_phase_commit(2), 8)];
    for (name, checker, expected) in small {
        let outcome = checker.engine(Engine::Brute).run().unwrap();
        assert!(outcome.is_verified(), "{name}");
        assert_eq!(outcome.stats.executions, Some(expected), "{name}");
    }
}

/// The figures that must not depend on the number of workers.
fn lasting(stats: Stats) -> Stats {
    Stats { user_steps: 0, distinct_steps: 0, ..stats }
}

#[test]
fn all_figures_are_the_same_with_more_workers() {
    for (name, checker, _) in programs() {
        let one = lasting(checker.run().unwrap().stats);
        assert!(one.events.is_some_and(|events| events >= one.executions.unwrap_or(0)), "{name}: {one:?}");
        for threads in [2, 3] {
            for _ in 0..5 {
                let many = lasting(checker.clone().threads(threads).run().unwrap().stats);
                assert_eq!(one, many, "{name}, {threads} threads");
            }
        }
    }
}

#[test]
fn the_same_outcome_every_time() {
    let failing = check(|| {
        for i in 0..4u32 {
            spawn(move || send(Pid::ROOT, i));
        }
        let order: Vec<u32> = (0..4).map(|_| recv()).collect();
        assert_ne!(order, [3, 1, 0, 2]);
    });
    let mut all = programs().map(|(_, checker, _)| checker).to_vec();
    all.push(failing.clone());
    all.push(failing.keep_going(true));
    for checker in all {
        for policy in POLICIES {
            let checker = checker.clone().policy(policy);
            let first = checker.run().unwrap();
            for _ in 0..3 {
                assert_eq!(checker.run().unwrap(), first);
            }
        }
    }
}

#[test]
fn violations_are_counted_the_same() {
    let checker = check(|| {
        for i in 0..4u32 {
            spawn(move || send(Pid::ROOT, i));
        }
        let order: Vec<u32> = (0..4).map(|_| recv()).collect();
        assert!(order[0] < order[1]);
    })
    .keep_going(true);
    for policy in POLICIES {
        for threads in [1, 2, 3] {
            let stats = checker.clone().policy(policy).threads(threads).run().unwrap().stats;
            assert_eq!((stats.executions, stats.violations), (Some(12), 12), "{policy:?}, {threads} threads");
        }
    }
}
