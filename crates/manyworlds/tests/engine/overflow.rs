//! A process that uses up its stack is a finding like any other.

use super::{ignore, violation};
use manyworlds::Requirement;
use manyworlds::prelude::*;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn dig(depth: u64) -> u64 {
    if black_box(depth) == u64::MAX { 0 } else { 1 + black_box(dig(depth + 1)) }
}

fn dig_and_send(depth: u64) -> u64 {
    send(me(), depth);
    if black_box(depth) == u64::MAX { 0 } else { 1 + black_box(dig_and_send(depth + 1)) }
}

fn dig_and_allocate(depth: u64) -> usize {
    let text = black_box(format!("level {depth}"));
    if text.is_empty() { 0 } else { text.len() + black_box(dig_and_allocate(depth + 1)) }
}

fn healthy() {
    let outcome = check(|| {
        for i in 0..3u32 {
            spawn(move || send(Pid::ROOT, i));
        }
        for _ in 0..3 {
            recv::<u32>();
        }
    })
    .threads(2)
    .run()
    .unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
    assert_eq!(outcome.stats.executions, Some(6));
}

#[test]
fn it_is_reported_with_the_name_of_the_process() {
    let found = violation(check(|| {
        process("digger").spawn(|| dig(0));
    }));
    assert_eq!(found.property, Requirement::StackOverflow);
    assert_eq!(found.process.as_deref(), Some("digger"));
    healthy();
}

#[test]
fn only_in_one_world() {
    let checker = check(|| {
        for i in 0..4u32 {
            spawn(move || send(Pid::ROOT, i));
        }
        if recv::<u32>() == 2 {
            dig(0);
        }
    });
    assert_eq!(violation(checker.clone()).property, Requirement::StackOverflow);
    for threads in [1, 2, 3] {
        let stats = checker.clone().keep_going(true).threads(threads).run().unwrap().stats;
        assert_eq!((stats.executions, stats.violations), (Some(3), 1));
    }
    healthy();
}

#[test]
fn it_may_happen_inside_the_runtime() {
    for stack in [64 << 10, 100_000, 256 << 10] {
        let found = violation(check(|| ignore(process("sender").spawn(|| dig_and_send(0)))).stack_size(stack));
        assert_eq!(found.property, Requirement::StackOverflow);
        assert_eq!(found.process.as_deref(), Some("sender"));
        healthy();
    }
}

/// Now and then the stack ends while the allocator holds its lock. Nobody can give that back, so the process may hang afterwards: this is tried in
/// one of its own, a few times.
#[test]
fn it_may_happen_inside_the_allocator() {
    let ends_well = |_| {
        let mut child = Command::new(std::env::current_exe().expect("a running test has a file"))
            .args(["--ignored", "--exact", "engine::overflow::inside_the_allocator"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts again");
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait().expect("a child has a state") {
                assert!(status.success(), "{status}");
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().expect("a child can be stopped");
        child.wait().expect("it ends");
        false
    };
    assert!((0..3).any(ends_well), "it hangs every time");
}

#[test]
#[ignore = "run by the test above"]
fn inside_the_allocator() {
    for stack in [64 << 10, 100_000, 256 << 10] {
        let found = violation(check(|| ignore(process("glutton").spawn(|| dig_and_allocate(0)))).stack_size(stack));
        assert_eq!(found.property, Requirement::StackOverflow);
        healthy();
    }
}

#[test]
fn a_larger_stack_helps() {
    fn deep(n: u32) -> u64 {
        let block = black_box([u64::from(n); 128]);
        if n == 0 { 0 } else { block[7] + black_box(deep(n - 1)) }
    }
    let checker = |stack| check(|| ignore(spawn(|| deep(1000)))).stack_size(stack);
    assert_eq!(violation(checker(64 << 10)).property, Requirement::StackOverflow);
    assert!(checker(16 << 20).run().unwrap().is_verified());
}
