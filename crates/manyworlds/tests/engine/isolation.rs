//! Processes that communicate through memory of their own are found: the answer is an invalid model, never `verified`.

use manyworlds::prelude::*;
use manyworlds::{Flaw, InvalidModel, Policy};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The flaw of `checker`, under every policy and with two workers.
fn flaw(checker: Check<Program>) -> InvalidModel {
    let mut found = None;
    for policy in [Policy::ReceiveLast, Policy::LeftToRight, Policy::RightToLeft, Policy::Random(3)] {
        for threads in [1, 2] {
            let outcome = checker.clone().policy(policy).threads(threads).run().unwrap();
            let invalid = outcome.invalid().unwrap_or_else(|| panic!("{policy:?} {threads}: {:?}", outcome.verdict));
            assert_eq!(invalid.evidence.len(), 2, "{invalid}");
            assert!(invalid.to_string().contains("isolation.rs:"), "no source line: {invalid}");
            found = Some(invalid.clone());
        }
    }
    found.expect("there are policies")
}

fn not_isolated(checker: Check<Program>) {
    let invalid = flaw(checker);
    assert_eq!(invalid.flaw, Flaw::NotIsolated, "{invalid}");
    assert!(invalid.message.contains("is not isolated"), "{invalid}");
    assert!(invalid.to_string().contains("manyworlds::sync"), "no advice: {invalid}");
}

#[test]
fn an_atomic_that_one_process_sets_and_another_reads() {
    not_isolated(check(|| {
        let shared = Arc::new(AtomicU32::new(0));
        let (writer, reader) = (shared.clone(), shared);
        let writer = spawn(move || writer.store(1, Ordering::SeqCst));
        let reader = spawn(move || reader.load(Ordering::SeqCst));
        writer.join();
        assert_eq!(reader.join(), 1);
    }));
}

#[test]
fn a_mutex_that_collects_results() {
    not_isolated(check(|| {
        let results = Arc::new(Mutex::new(Vec::new()));
        let workers: Vec<_> = (0..3)
            .map(|i| {
                let results = results.clone();
                spawn(move || {
                    results.lock().unwrap().push(i);
                    send(Pid::ROOT, results.lock().unwrap().len());
                })
            })
            .collect();
        (0..3).for_each(|_| assert!(recv::<usize>() <= 3));
        workers.into_iter().for_each(|worker| worker.join());
    }));
}

#[test]
fn main_reads_what_a_process_wrote_after_joining_it() {
    // In a real run main always reads 1. The table runs main again for the second choice, but not the process, whose history is known.
    let outcome = check(|| {
        let shared = Arc::new(AtomicU32::new(0));
        let inner = shared.clone();
        let writer = spawn(move || inner.fetch_add(1, Ordering::SeqCst));
        flip();
        writer.join();
        assert_eq!(shared.load(Ordering::SeqCst), 1);
    })
    .run()
    .unwrap();
    assert!(outcome.invalid().is_some(), "{:?}", outcome.verdict);
}

#[test]
fn main_reads_while_a_process_writes() {
    not_isolated(check(|| {
        let shared = Arc::new(AtomicBool::new(false));
        let inner = shared.clone();
        let writer = spawn(move || inner.store(true, Ordering::SeqCst));
        send(me(), shared.load(Ordering::SeqCst));
        recv::<bool>();
        writer.join();
    }));
}

#[test]
fn an_increment_that_is_lost_only_in_the_middle_of_both_processes() {
    not_isolated(check(|| {
        let shared = Arc::new(AtomicU32::new(0));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                spawn(move || {
                    let read = shared.load(Ordering::SeqCst);
                    recv_timeout::<u32>();
                    send(Pid::ROOT, "read");
                    shared.store(read + 1, Ordering::SeqCst);
                    shared.load(Ordering::SeqCst)
                })
            })
            .collect();
        (0..2).for_each(|_| assert_eq!(recv::<&str>(), "read"));
        let last = workers.into_iter().map(|worker| worker.join()).max();
        assert!(last <= Some(2));
    }));
}

#[test]
fn a_static() {
    static SET: AtomicBool = AtomicBool::new(false);
    let invalid = flaw(check(|| {
        SET.store(false, Ordering::SeqCst);
        let writer = spawn(|| SET.store(true, Ordering::SeqCst));
        let reader = spawn(|| SET.load(Ordering::SeqCst));
        writer.join();
        reader.join();
    }));
    assert_eq!(invalid.flaw, Flaw::NotIsolated, "{invalid}");
}

#[test]
fn a_thread_local() {
    thread_local!(static SET: Cell<u32> = const { Cell::new(0) });
    let invalid = flaw(check(|| {
        SET.set(0);
        let writer = spawn(|| SET.set(1));
        let reader = spawn(|| SET.get());
        writer.join();
        reader.join();
    }));
    assert_eq!(invalid.flaw, Flaw::NotIsolated, "{invalid}");
}

#[test]
fn a_false_violation_through_shared_memory_is_not_reported_as_a_violation() {
    let outcome = check(|| {
        let shared = Arc::new(AtomicU32::new(0));
        for _ in 0..2 {
            let inner = shared.clone();
            spawn(move || inner.fetch_add(1, Ordering::SeqCst)).join();
        }
        let choice = u32::from(flip());
        assert_eq!(shared.load(Ordering::SeqCst) + choice, 2 + choice);
    })
    .run()
    .unwrap();
    assert!(outcome.violation().is_none(), "{:?}", outcome.verdict);
}

#[test]
fn isolated_programs_are_sampled_and_pass() {
    let outcome = check(|| {
        let server = process("server").spawn(|| (0..3).map(|_| recv::<u32>()).fold(0, |sum, n| sum * 10 + n));
        for i in 0..3u32 {
            spawn(move || send(server.pid(), i));
        }
        assert!(server.join() <= 210);
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{:?}", outcome.verdict);
    assert_eq!((outcome.stats.executions, outcome.scope.isolation_samples), (Some(6), Some(3)));
    assert!(outcome.scope.to_string().contains("isolation sampled: 3 executions"), "{}", outcome.scope);
}

#[test]
fn destructors_that_use_the_api_while_an_assertion_fails_do_no_harm() {
    struct Guard(Pid);
    impl Drop for Guard {
        fn drop(&mut self) {
            send(self.0, "released");
            let _ = recv_timeout::<u32>();
            let child = spawn(|| 7u32);
            let _ = (flip(), me(), child);
            assume(false);
        }
    }
    let outcome = check(|| {
        let _guard = Guard(me());
        assert!(!flip(), "the first failure");
    })
    .run()
    .unwrap();
    assert_eq!(outcome.violation().map(|v| v.message.as_str()), Some("the first failure"), "{:?}", outcome.verdict);
}

#[test]
fn destructors_that_wait_while_an_assertion_fails_do_no_harm() {
    struct Guard(JoinHandle<u32>);
    impl Drop for Guard {
        fn drop(&mut self) {
            send(Pid::ROOT, 3u32);
            let _: u32 = recv();
            self.0.join();
        }
    }
    let outcome = check(|| {
        let child = spawn(|| 5u32);
        send(me(), 1u32);
        let _guard = Guard(child);
        assert!(child.join() == 4, "the first failure");
    })
    .run()
    .unwrap();
    assert_eq!(outcome.violation().map(|v| v.message.as_str()), Some("the first failure"), "{:?}", outcome.verdict);
}

#[test]
fn a_lock_taken_in_a_destructor_while_an_assertion_fails_does_no_harm() {
    use manyworlds::sync::{Arc, Mutex};
    struct Permit(Arc<Mutex<u32>>);
    impl Drop for Permit {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let outcome = check(|| {
        let permits = Arc::new(Mutex::new(1u32));
        let permit = Permit(permits.clone());
        *permits.lock().unwrap() -= 1;
        assert!(flip(), "the first failure");
        drop(permit);
    })
    .run()
    .unwrap();
    assert_eq!(outcome.violation().map(|v| v.message.as_str()), Some("the first failure"), "{:?}", outcome.verdict);
}

#[test]
fn destructors_of_a_process_that_waits_for_ever_do_no_harm() {
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            send(Pid::ROOT, "released");
            assume(flip());
        }
    }
    let outcome = check(|| {
        spawn(|| {
            let _guard = Guard;
            recv::<u32>();
        });
    })
    .run()
    .unwrap();
    assert_eq!(
        outcome.violation().map(|v| &v.property),
        Some(&manyworlds::Requirement::Deadlock),
        "{:?}",
        outcome.verdict
    );
}
