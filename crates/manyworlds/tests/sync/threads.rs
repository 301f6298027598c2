//! Threads are processes.

use super::explored::{explore_twice, property};
use manyworlds::sync::mpsc::channel;
use manyworlds::{Requirement, check, me, thread};
use std::time::Duration;

#[test]
fn joining_returns_the_result() {
    let found = explore_twice(|| {
        let thread = thread::spawn(|| {
            thread::yield_now();
            thread::sleep(Duration::from_secs(1));
            thread::spawn(|| "inner").join().unwrap()
        });
        thread.join().unwrap()
    });
    assert_eq!((found.executions, found.results), (1, vec!["inner"]));
}

#[test]
fn threads_have_ids_of_their_own() {
    let found = explore_twice(|| {
        let ids = [0, 1].map(|_| {
            let thread = thread::spawn(|| thread::current().id());
            let id = thread.thread().id();
            assert_eq!(thread.join().unwrap(), id);
            id
        });
        ids[0] != ids[1] && !ids.contains(&thread::current().id())
    });
    assert_eq!((found.executions, found.results), (1, vec![true]));
}

#[test]
fn a_thread_has_the_name_it_was_given() {
    let outcome = check(|| {
        let builder = thread::Builder::new().name("clumsy".to_string()).stack_size(1 << 20);
        builder.spawn(|| assert!(me() == me().child(0), "oops")).unwrap();
    })
    .run()
    .unwrap();
    let violation = outcome.violation().unwrap();
    assert_eq!((&violation.property, violation.process.as_deref()), (&Requirement::Assertion, Some("clumsy")));
}

#[test]
fn threads_go_on_when_main_is_over() {
    let outcome = check(|| {
        let (tx, rx) = channel();
        thread::spawn(move || assert_eq!(rx.recv(), Ok(2)));
        thread::spawn(move || tx.send(1).unwrap());
    })
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Assertion));
}
