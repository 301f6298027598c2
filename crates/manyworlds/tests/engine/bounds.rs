//! Bounds end a run honestly: what was cut off is never called verified, and memory bounds change nothing but the cost.

use super::counts;
use manyworlds::prelude::*;
use manyworlds::{StopReason, Verdict};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// n! executions.
fn racers(n: u32) -> Check<Program> {
    check(move || {
        for i in 0..n {
            spawn(move || send(Pid::ROOT, i));
        }
        for _ in 0..n {
            recv::<u32>();
        }
    })
}

fn reason(outcome: &Outcome) -> StopReason {
    match &outcome.verdict {
        Verdict::Incomplete { reason } => {
            assert!(!outcome.scope.limits().is_empty());
            *reason
        }
        other => panic!("{other:?} is no honest answer"),
    }
}

#[test]
fn steps_of_a_process() {
    let endless = check(|| {
        loop {
            send(me(), 1u32);
            recv::<u32>();
        }
    });
    for threads in [1, 2] {
        let outcome = endless.clone().max_steps(50).threads(threads).run().unwrap();
        assert_eq!(reason(&outcome), StopReason::MaxSteps);
        assert_eq!((outcome.stats.truncated, outcome.stats.executions), (Some(1), Some(0)));
    }
    let chatter = check(|| {
        loop {
            send(me(), 1u32);
        }
    });
    assert_eq!(reason(&chatter.max_steps(1000).run().unwrap()), StopReason::MaxSteps);
}

#[test]
fn exactly_as_many_steps_as_needed() {
    // Three spawns, three receives.
    assert!(racers(3).max_steps(6).run().unwrap().is_verified());
    let outcome = racers(3).max_steps(5).run().unwrap();
    assert_eq!(reason(&outcome), StopReason::MaxSteps);
    for nodes in [1, 1 << 16] {
        let cut = racers(3).max_steps(5).max_nodes(nodes).run().unwrap();
        assert_eq!((cut.stats.truncated, cut.stats.executions), (Some(6), Some(0)));
    }
}

#[test]
fn a_violation_beats_a_bound() {
    let outcome = check(|| {
        if flip() {
            loop {
                send(me(), 1u32);
            }
        }
        panic!("found");
    })
    .max_steps(10)
    .run()
    .unwrap();
    assert_eq!(outcome.violation().map(|found| found.message.as_str()), Some("found"));
}

#[test]
fn depth_of_an_execution() {
    // Three spawns, three sends, three receives.
    assert!(racers(3).max_depth(9).run().unwrap().is_verified());
    for depth in 0..9 {
        for threads in [1, 2] {
            let outcome = racers(3).max_depth(depth).threads(threads).run().unwrap();
            assert_eq!(reason(&outcome), StopReason::MaxDepth, "depth {depth}");
            assert_eq!(outcome.stats.executions, Some(0));
            assert!(outcome.stats.depth.is_some_and(|deepest| deepest <= depth));
        }
    }
}

#[test]
fn number_of_executions() {
    for max in [1, 2, 23] {
        let outcome = racers(4).max_executions(max).run().unwrap();
        assert_eq!(reason(&outcome), StopReason::MaxExecutions);
        assert_eq!(outcome.stats.executions, Some(max));
    }
    let outcome = racers(4).max_executions(24).run().unwrap();
    assert!(outcome.is_verified(), "all were seen: {outcome:?}");
    assert_eq!(outcome.stats.executions, Some(24));
}

#[test]
fn number_of_executions_with_two_workers() {
    let outcome = racers(6).max_executions(100).threads(2).run().unwrap();
    assert_eq!(reason(&outcome), StopReason::MaxExecutions);
    assert_eq!(outcome.stats.executions, Some(100));
    let outcome = racers(6).max_executions(720).threads(2).run().unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
    assert_eq!(reason(&racers(6).max_executions(719).threads(2).run().unwrap()), StopReason::MaxExecutions);
}

#[test]
fn time() {
    for threads in [1, 2] {
        let outcome = racers(12).timeout(Duration::from_millis(50)).threads(threads).run().unwrap();
        assert_eq!(reason(&outcome), StopReason::Timeout);
        assert!(outcome.stats.executions.is_some_and(|n| n > 0));
    }
}

#[test]
fn memory() {
    for threads in [1, 2] {
        let outcome = racers(12).max_memory(1 << 20).threads(threads).run().unwrap();
        assert_eq!(reason(&outcome), StopReason::MaxMemory);
    }
}

#[test]
fn cancelled_from_outside() {
    for threads in [1, 2] {
        let flag = Arc::new(AtomicBool::new(false));
        let checker = racers(12).cancel(flag.clone()).threads(threads);
        let outcome = std::thread::scope(|scope| {
            let run = scope.spawn(|| checker.run().unwrap());
            std::thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
            run.join().expect("a cancelled run ends in peace")
        });
        assert_eq!(reason(&outcome), StopReason::Cancelled);
        assert!(outcome.stats.executions.is_some_and(|n| n > 0));
    }
}

#[test]
fn an_observer_sees_progress_and_may_end_the_run() {
    struct Third(AtomicU32);
    impl manyworlds::Observer for Third {
        fn tick(&self, progress: &manyworlds::Progress) -> Option<StopReason> {
            assert!((0.0..=1.0).contains(&progress.done), "{progress:?}");
            (self.0.fetch_add(1, Ordering::Relaxed) == 2).then_some(StopReason::Cancelled)
        }
    }
    let observer = Third(AtomicU32::new(0));
    assert_eq!(reason(&racers(12).run_with(&observer).unwrap()), StopReason::Cancelled);
    assert_eq!(observer.0.into_inner(), 3);
}

#[test]
fn the_trie_may_be_tiny() {
    let program = check(|| {
        let adder = spawn(|| (0..3).map(|_| recv::<u32>()).fold(0, |sum, n| 10 * sum + n));
        for i in 0..3u32 {
            spawn(move || {
                let extra = u32::from(flip());
                send(adder.pid(), 2 * i + extra);
            });
        }
        assert!(adder.join() > 0);
    });
    let (expected, _) = program.worlds();
    let ample = program.run().unwrap();
    assert_eq!(expected.len(), 48);
    for nodes in [1, 4, 16, 64] {
        for coroutines in [1, 3, 128] {
            let tiny = program.clone().max_nodes(nodes).max_coroutines(coroutines);
            let (worlds, duplicates) = tiny.worlds();
            assert!(worlds == expected && duplicates == 0, "{nodes} nodes, {coroutines} coroutines");
            assert_eq!(counts(&tiny), counts(&program));
        }
    }
    let tiny = program.clone().max_nodes(1).run().unwrap();
    assert!(tiny.stats.user_steps > ample.stats.user_steps, "a forgetful trie has to run processes again");
    assert!(ample.stats.user_steps >= ample.stats.distinct_steps);
}

#[test]
fn losses_are_bounded() {
    let lossy = |budget| {
        let checker = check(|| {
            for i in 0..3u32 {
                spawn(move || send_lossy(Pid::ROOT, i));
            }
            let mut seen = 0;
            while recv_timeout::<u32>().is_some() {
                seen += 1;
            }
            assert!(seen <= 3);
        });
        checker.losses(budget)
    };
    // How many of three messages get lost, and how many of the others are read, in which order: C(3,k)·Σ (3-k)!/(3-k-j)!
    for (budget, expected) in [(0, 16), (1, 16 + 15), (2, 16 + 15 + 6), (3, 16 + 15 + 6 + 1), (9, 38)] {
        assert_eq!(counts(&lossy(budget)), (expected, 0), "budget {budget}");
    }
}

#[test]
fn brute_force_obeys_budgets_too() {
    let brute = |n| racers(n).engine(manyworlds::Engine::Brute);
    assert!(brute(3).max_executions(6).run().unwrap().is_verified());
    let outcome = brute(3).max_executions(5).run().unwrap();
    assert_eq!((reason(&outcome), outcome.stats.executions), (StopReason::MaxExecutions, Some(5)));
    assert_eq!(reason(&brute(9).timeout(Duration::from_millis(20)).run().unwrap()), StopReason::Timeout);
}
