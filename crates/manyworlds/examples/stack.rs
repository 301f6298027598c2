//! A concurrent object on shared memory: a stack of one place, where `take` looks first and empties later.

use manyworlds::prelude::*;
use manyworlds::sync::Arc;
use manyworlds::sync::atomic::{AtomicU32, Ordering::SeqCst};
use manyworlds::thread;

const EMPTY: u32 = 0;

/// Takes what is in the place, in two steps: somebody may come in between.
fn take_in_two_steps(place: &AtomicU32) -> u32 {
    let found = place.load(SeqCst);
    place.store(EMPTY, SeqCst);
    found
}

/// Takes what is in the place, at once.
fn take_at_once(place: &AtomicU32) -> u32 {
    place.swap(EMPTY, SeqCst)
}

/// Two threads take what was put there once.
fn two_take(take: fn(&AtomicU32) -> u32) -> Check<Program> {
    check(move || {
        let place = Arc::new(AtomicU32::new(7));
        let takers = [(); 2].map(|()| {
            let place = place.clone();
            thread::spawn(move || take(&place))
        });
        let taken: u32 = takers.map(|taker| taker.join().unwrap()).iter().sum();
        assert_eq!(taken, 7, "taken twice, or not at all");
    })
    .name("stack")
}

fn main() {
    for take in [take_at_once, take_in_two_steps] {
        let checker = two_take(take);
        print!("{}", checker.run().unwrap());
    }
}

#[test]
fn two_steps_are_one_too_many() {
    assert!(two_take(take_at_once).run().unwrap().is_verified());
    let outcome = two_take(take_in_two_steps).run().unwrap();
    assert!(outcome.violation().is_some_and(|violation| violation.message.contains("taken twice")));
}
