//! Bounded channels and rendezvous.

use super::explored::{explore, explore_twice, factorial, property};
use manyworlds::sync::Register;
use manyworlds::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use manyworlds::sync::mpsc::{SendError, TrySendError, sync_channel};
use manyworlds::{Requirement, check, thread};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

#[test]
fn a_bounded_channel_orders_values_too() {
    for n in 1..=3 {
        for bound in 0..=2 {
            let found = explore(move || {
                let (tx, rx) = sync_channel(bound);
                for i in 0..n {
                    let tx = tx.clone();
                    thread::spawn(move || tx.send(i).unwrap());
                }
                drop(tx);
                rx.iter().collect::<Vec<_>>()
            });
            assert_eq!((found.executions, found.violations), (factorial(n), 0), "{n} senders, bound {bound}");
            assert_eq!(found.results.len() as u64, factorial(n));
        }
    }
    let alone = explore_twice(|| {
        let (tx, rx) = sync_channel(1);
        thread::spawn(move || (0..3).for_each(|i| tx.send(i).unwrap()));
        rx.iter().collect::<Vec<_>>()
    });
    assert_eq!((alone.executions, alone.results), (1, vec![vec![0, 1, 2]]));
}

/// How far a sender of four values can be ahead of a receiver that has received `k`: the most that was sent by then.
fn ahead(bound: usize, k: usize) -> usize {
    let found = explore(move || {
        let (tx, rx) = sync_channel(bound);
        let sent = AtomicUsize::new(0);
        let count = sent.clone();
        thread::spawn(move || {
            for i in 0..4 {
                let _ = tx.send(i);
                count.fetch_add(1, SeqCst);
            }
        });
        (0..k).for_each(|i| assert_eq!(rx.recv(), Ok(i)));
        sent.load(SeqCst)
    });
    assert_eq!(found.violations, 0);
    found.results.into_iter().max().unwrap()
}

#[test]
fn a_bounded_channel_is_bounded() {
    assert_eq!((ahead(0, 0), ahead(0, 1), ahead(0, 2)), (0, 1, 2));
    assert_eq!((ahead(1, 0), ahead(1, 1), ahead(1, 2)), (1, 2, 3));
    assert_eq!((ahead(2, 0), ahead(2, 1), ahead(2, 2)), (2, 3, 4));
    let outcome = check(|| {
        let (tx, rx) = sync_channel(1);
        tx.send(1).unwrap();
        tx.send(2).unwrap();
        drop(rx);
    })
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Deadlock));
}

#[test]
fn at_a_rendezvous_the_sender_waits_for_the_receiver() {
    let program = |bound| {
        move || {
            let (tx, rx) = sync_channel(bound);
            let ready = Register::new(false);
            let seen = ready.clone();
            let sender = thread::spawn(move || {
                tx.send(1).unwrap();
                seen.read()
            });
            ready.write(true);
            rx.recv().unwrap();
            sender.join().unwrap()
        }
    };
    let rendezvous = explore_twice(program(0));
    assert_eq!((rendezvous.executions, rendezvous.results), (1, vec![true]));
    let buffered = explore_twice(program(1));
    assert_eq!((buffered.executions, buffered.results), (2, vec![false, true]));
}

#[test]
fn trying_to_send_is_exact() {
    let found = explore_twice(|| {
        let (tx, rx) = sync_channel(1);
        let full = (tx.try_send(1), tx.try_send(2));
        rx.recv().unwrap();
        let again = tx.try_send(3);
        drop(rx);
        (full, again, tx.try_send(4))
    });
    let expected = ((Ok(()), Err(TrySendError::Full(2))), Ok(()), Err(TrySendError::Disconnected(4)));
    assert_eq!((found.executions, found.results), (1, vec![expected]));
    let race = explore_twice(|| {
        let (tx, rx) = sync_channel(1);
        tx.send(1).unwrap();
        let receiver = thread::spawn(move || rx.recv().unwrap());
        let tried = tx.try_send(2);
        assert_eq!(receiver.join().unwrap(), 1);
        tried.is_ok()
    });
    assert!(race.violations == 0 && race.results == [false, true]);
}

#[test]
fn trying_to_meet() {
    // A try succeeds only if the other one waits.
    let send = explore_twice(|| {
        let (tx, rx) = sync_channel(0);
        let waits = tx.clone();
        let receiver = thread::spawn(move || rx.recv().ok());
        let met = tx.try_send(1).is_ok();
        drop((tx, waits));
        (met, receiver.join().unwrap())
    });
    assert_eq!((send.executions, send.results), (2, vec![(false, None), (true, Some(1))]));
    let receive = explore_twice(|| {
        let (tx, rx) = sync_channel(0);
        let sender = thread::spawn(move || tx.send(1).is_ok());
        let met = rx.try_recv().is_ok();
        drop(rx);
        (met, sender.join().unwrap())
    });
    assert_eq!((receive.violations, receive.results), (0, vec![(false, false), (true, true)]));
    let neither = explore(|| {
        let (tx, rx) = sync_channel(0);
        let sender = tx.clone();
        let other = thread::spawn(move || sender.try_send(1).is_ok());
        (rx.try_recv().is_ok(), other.join().unwrap())
    });
    assert_eq!(neither.results, [(false, false)]);
    // One that waits for a time can be met, or not.
    let timed = explore_twice(|| {
        let (tx, rx) = sync_channel(0);
        let sender = tx.clone();
        let other = thread::spawn(move || sender.try_send(1).is_ok());
        (rx.recv_timeout(SOON).is_ok(), other.join().unwrap())
    });
    assert_eq!((timed.violations, timed.results), (0, vec![(false, false), (true, true)]));
}

#[test]
fn senders_that_wait_are_told_when_the_receiver_goes() {
    for bound in 0..=1 {
        let found = explore(move || {
            let (tx, rx) = sync_channel(bound);
            let sender = thread::spawn(move || (0..=bound).map(|i| tx.send(i)).last());
            drop(rx);
            sender.join().unwrap()
        });
        assert_eq!((found.violations, found.results), (0, vec![Some(Err(SendError(bound)))]));
    }
}
