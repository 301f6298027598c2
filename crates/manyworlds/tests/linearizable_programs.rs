//! Programs that record operations.

use manyworlds::linear::specs::counter::{Operation as Count, Response as Counted};
use manyworlds::linear::specs::queue::{Operation as Ask, Response as Answer};
use manyworlds::linear::specs::{Counter, Queue};
use manyworlds::sync::atomic::{AtomicI64, Ordering};
use manyworlds::sync::mpsc;
use manyworlds::{Checker, Property, invoked, returned, thread};

fn increments(atomic: bool) -> Checker {
    Checker::new(move || {
        let count = AtomicI64::new(0);
        let increment = move |count: &AtomicI64| {
            invoked(Count::Add(1));
            if atomic {
                count.fetch_add(1, Ordering::SeqCst);
            } else {
                count.store(count.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
            }
            returned(Counted::Added);
        };
        let other = count.clone();
        let thread = thread::spawn(move || increment(&other));
        increment(&count);
        invoked(Count::Read);
        returned(Counted::Count(count.load(Ordering::SeqCst)));
        thread.join().unwrap();
    })
    .linearizable(Counter::new(0))
}

#[test]
fn an_atomic_increment_is_linearizable_and_two_steps_are_not() {
    assert!(increments(true).check().is_verified());
    let outcome = increments(false).check();
    let violation = outcome.violation().expect("a lost increment");
    assert_eq!(violation.property, Property::Linearizable);
    assert_eq!(violation.process.as_deref(), Some("history"));
}

/// Sending does not wait, so only the mailbox orders two sends. A monitor that is told causally would see the second one first.
#[test]
fn a_channel_is_a_queue() {
    let queue = || {
        let (sender, receiver) = mpsc::channel();
        for value in 1..=2i64 {
            let sender = sender.clone();
            thread::spawn(move || {
                invoked(Ask::Enqueue(value));
                sender.send(value).unwrap();
                returned(Answer::<i64>::Enqueued);
            });
        }
        for _ in 0..2 {
            invoked(Ask::<i64>::Dequeue);
            returned(Answer::Dequeued(Some(receiver.recv().unwrap())));
        }
    };
    assert!(Checker::new(queue).linearizable(Queue::<i64>::new()).check().is_verified());
}
