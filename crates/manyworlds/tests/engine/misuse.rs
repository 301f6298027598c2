//! Wrong uses of the API get a clear answer, the same one under every policy.

use super::{POLICIES, ignore, violation};
use manyworlds::prelude::*;
use manyworlds::{Requirement, Verdict};
use std::collections::HashSet;
use std::panic::catch_unwind;

fn contract(checker: Check<Program>) -> String {
    for policy in POLICIES {
        for threads in [1, 2] {
            let outcome = checker.clone().policy(policy).threads(threads).run().unwrap();
            let property = outcome.violation().map(|found| &found.property);
            assert_eq!(property, Some(&Requirement::ApiContract), "{policy:?}, {threads} threads: {outcome:?}");
        }
    }
    let found = violation(checker);
    assert_eq!(found.property, Requirement::ApiContract);
    assert!(found.location.is_some_and(|location| location.file.ends_with("engine/misuse.rs")));
    found.message
}

#[test]
fn sending_to_nobody() {
    let message = contract(check(|| send(Pid::root(7), 1u32)));
    assert!(message.contains("is no process of this execution"), "{message}");
    let message = contract(check(|| send(Pid::from_bits(u64::MAX), 1u32)));
    assert!(message.contains("is no process of this execution"), "{message}");
}

#[test]
fn sending_to_a_process_that_was_not_spawned_in_this_execution() {
    // The id is made up: in half of the worlds there is such a process.
    contract(check(|| {
        if flip() {
            spawn(|| ());
        }
        send(Pid::ROOT.child(0), 1u32);
    }));
}

#[test]
fn sending_to_a_process_that_nobody_has_told_it_about() {
    // The id is made up: there will be such a process, but whether there is one yet depends on the schedule.
    contract(check(
        Program::empty()
            .process("parent", || {
                spawn(|| recv_timeout::<u32>());
            })
            .process("forger", || send(Pid::root(0).child(0), 1u32)),
    ));
}

#[test]
fn choosing_from_nothing() {
    #[allow(clippy::reversed_empty_ranges)]
    let ranges = [0..0, 5..3];
    for range in ranges {
        let message = contract(check(move || ignore(choose(range.clone()))));
        assert!(message.contains("nothing to choose from"), "{message}");
    }
    contract(check(|| drop(choose(&Vec::<String>::new()))));
}

#[test]
fn a_choice_of_one_is_no_choice() {
    let (worlds, _) = check(|| assert_eq!(choose(3..4), 3)).worlds();
    assert_eq!(worlds.len(), 1);
    assert!(worlds[0].processes[0].1.is_empty());
}

#[test]
fn ranges_at_the_ends_of_their_types() {
    let outcome = check(|| {
        assert!([i8::MIN, i8::MAX].contains(&choose([i8::MIN, i8::MAX])));
        choose(i8::MIN..=i8::MAX);
    })
    .run()
    .unwrap();
    assert_eq!(outcome.stats.executions, Some(512), "{outcome:?}");
    let outcome = check(|| assert!(choose(-100i8..100) < 100)).run().unwrap();
    assert_eq!(outcome.stats.executions, Some(200), "{outcome:?}");
}

#[test]
fn joining_twice_gives_the_result_twice() {
    let outcome = check(|| {
        let child = spawn(|| 42u32);
        assert_eq!((child.join(), child.join()), (42, 42));
        spawn(move || assert_eq!(child.join(), 42)).join();
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
    assert_eq!(outcome.stats.executions, Some(1));
}

#[test]
fn a_process_that_joins_itself_waits_for_ever() {
    let found = violation(check(|| {
        let child = process("narcissus").spawn(|| recv::<JoinHandle<()>>().join());
        send(child.pid(), child);
    }));
    assert_eq!(found.property, Requirement::Deadlock);
    assert_eq!(found.process.as_deref(), Some("narcissus"));
}

#[test]
fn outside_of_a_process() {
    let calls: [(&str, fn()); 8] = [
        ("send", || send(Pid::ROOT, 1u32)),
        ("recv", || ignore(recv::<u32>())),
        ("recv_timeout", || ignore(recv_timeout::<u32>())),
        ("spawn", || ignore(spawn(|| ()))),
        ("me", || ignore(me())),
        ("flip", || ignore(flip())),
        ("choose", || ignore(choose(0..2))),
        ("assume", || assume(false)),
    ];
    for (name, call) in calls {
        let panic = catch_unwind(call).expect_err(name);
        let message = panic.downcast_ref::<&str>().map(ToString::to_string).or(panic.downcast_ref::<String>().cloned());
        assert!(message.as_deref().is_some_and(|m| m.contains("only inside a process")), "{name}: {message:?}");
    }
}

#[test]
fn a_thread_of_the_operating_system_is_outside() {
    let found = violation(check(|| {
        if std::thread::spawn(|| send(Pid::ROOT, 1u32)).join().is_err() {
            panic!("refused");
        }
    }));
    assert_eq!(found.message, "refused");
}

#[test]
fn a_check_inside_of_a_check() {
    let outcome = check(|| {
        let inner = check(|| assert!(!flip())).run().unwrap();
        assert!(matches!(inner.verdict, Verdict::Violated { .. }));
        spawn(|| send(Pid::ROOT, 1u32));
        recv::<u32>();
    })
    .stack_size(4 << 20)
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
}

fn tower(height: u32) -> u32 {
    if height == 0 { 0 } else { 1 + spawn(move || tower(height - 1)).join() }
}

#[test]
fn deep_trees_keep_distinct_ids() {
    let checker = check(|| assert_eq!(tower(12), 12));
    let outcome = checker.run().unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
    let (worlds, _) = checker.worlds();
    let ids: HashSet<Pid> = worlds[0].processes.iter().map(|(pid, _)| *pid).collect();
    assert_eq!(ids.len(), 13);
}

#[test]
fn wide_trees_keep_distinct_ids() {
    let mut ids: HashSet<Pid> = (0..70_000).map(|n| Pid::ROOT.child(n)).collect();
    assert_eq!(ids.len(), 70_000);
    ids.extend((0..70_000).map(|n| Pid::ROOT.child(0).child(1).child(2).child(n)));
    assert_eq!(ids.len(), 140_000);
    let outcome = check(|| {
        for _ in 0..500 {
            spawn(|| ());
        }
        spawn(|| 1u32).join();
    })
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
}
