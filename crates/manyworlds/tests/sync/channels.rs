//! Channels: the order of values, and who is gone.

use super::explored::{explore, explore_twice, factorial, property};
use manyworlds::monitor::{Monitor, Subscription};
use manyworlds::sync::mpsc::{
    Receiver, RecvError, RecvTimeoutError, SendError, Sender, TryRecvError, channel, sync_channel,
};
use manyworlds::sync::oneshot;
use manyworlds::{Observe, Observed, Program, Requirement, check, recv, recv_where, send, spawn, thread};
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

/// `n` threads that send one value each; the channel is closed when they have.
fn producers(n: u64) -> Receiver<u64> {
    let (tx, rx) = channel();
    for i in 0..n {
        let tx = tx.clone();
        thread::spawn(move || tx.send(i).unwrap());
    }
    rx
}

#[test]
fn values_of_concurrent_senders_come_in_every_order() {
    for n in 1..=4 {
        let found = explore(move || producers(n).iter().collect::<Vec<_>>());
        assert_eq!((found.executions, found.violations), (factorial(n), 0));
        assert_eq!(found.results.len() as u64, factorial(n));
    }
    let small = explore_twice(|| producers(2).into_iter().collect::<Vec<_>>());
    assert_eq!(small.results, [[0, 1], [1, 0]]);
}

#[test]
fn only_values_that_are_received_are_ordered() {
    let found = explore(|| {
        let (tx, rx) = channel();
        let threads: Vec<_> = (0..4)
            .map(|i| {
                let tx = tx.clone();
                thread::spawn(move || tx.send(i))
            })
            .collect();
        let first = rx.recv().unwrap();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap().is_ok()));
        first
    });
    assert_eq!((found.executions, found.results), (4, vec![0, 1, 2, 3]));
}

#[test]
fn values_of_one_sender_keep_their_order() {
    let alone = explore_twice(|| {
        let (tx, rx) = channel();
        thread::spawn(move || (0..3).for_each(|i| tx.send(i).unwrap()));
        rx.iter().collect::<Vec<_>>()
    });
    assert_eq!((alone.executions, alone.results), (1, vec![vec![0, 1, 2]]));
    let two = explore(|| {
        let (tx, rx) = channel();
        for i in [0, 10] {
            let tx = tx.clone();
            thread::spawn(move || (i..i + 2).for_each(|i| tx.send(i).unwrap()));
        }
        drop(tx);
        rx.iter().collect::<Vec<_>>()
    });
    assert_eq!((two.executions, two.results.len()), (6, 6));
    let place = |all: &[i32], value| all.iter().position(|i| *i == value);
    assert!(two.results.iter().all(|all| place(all, 0) < place(all, 1) && place(all, 10) < place(all, 11)));
}

#[test]
fn dropping_senders_makes_no_executions() {
    let found = explore_twice(|| {
        let (tx, rx) = channel::<u8>();
        let child = tx.clone();
        let grandchild = child.clone();
        thread::spawn(move || drop(grandchild));
        thread::spawn(move || drop((child.clone(), child)));
        thread::spawn(move || drop(tx));
        rx.recv()
    });
    assert_eq!((found.executions, found.results), (1, vec![Err(RecvError)]));
}

#[test]
fn a_sender_that_stays_keeps_the_channel_open() {
    let outcome = check(|| {
        let (tx, rx) = channel();
        let kept = tx.clone();
        thread::spawn(move || tx.send(1).unwrap());
        assert_eq!(rx.iter().count(), 1);
        drop(kept);
    })
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Deadlock));
}

#[test]
fn sending_fails_when_the_receiver_is_gone() {
    let found = explore_twice(|| {
        let (tx, rx) = channel();
        let early = tx.clone();
        drop(rx);
        let late = early.clone();
        [tx.send(1), early.send(2), late.send(3)]
    });
    assert_eq!((found.executions, found.results), (1, vec![[Err(SendError(1)), Err(SendError(2)), Err(SendError(3))]]));
    // The same, but another process has heard of it.
    let heard = explore(|| {
        let (tx, rx) = channel();
        let clone = tx.clone();
        let sender = spawn(move || {
            recv::<()>();
            clone.send(1)
        });
        drop(rx);
        send(sender.pid(), ());
        sender.join()
    });
    assert_eq!((heard.executions, heard.results), (1, vec![Err(SendError(1))]));
}

#[test]
fn sending_races_with_the_end_of_the_receiver() {
    let found = explore_twice(|| {
        let (tx, rx) = channel();
        thread::spawn(move || drop(rx));
        tx.send(1)
    });
    assert_eq!((found.executions, found.results), (2, vec![Err(SendError(1)), Ok(())]));
    // Each of two senders may be in time or not, whatever the other.
    let two = explore(|| {
        let (tx, rx) = channel();
        let other = tx.clone();
        let thread = thread::spawn(move || other.send(2));
        thread::spawn(move || drop(rx));
        (tx.send(1).is_ok(), thread.join().unwrap().is_ok())
    });
    assert_eq!(two.executions, 4);
    assert_eq!(two.results, [(false, false), (false, true), (true, false), (true, true)]);
}

#[test]
fn once_sending_has_failed_it_fails_for_all() {
    let found = explore(|| {
        let (tx, rx) = channel();
        let (first, second) = (tx.clone(), tx.clone());
        thread::spawn(move || drop(rx));
        let follower = spawn(move || {
            recv::<()>();
            second.send(2).is_ok()
        });
        let leader = first.send(1).is_ok();
        send(follower.pid(), ());
        (leader, follower.join())
    });
    assert_eq!(found.results, [(false, false), (true, false), (true, true)]);
    assert_eq!(found.executions, 3);
}

#[test]
fn trying_to_receive_is_exact() {
    let race = explore_twice(|| {
        let (tx, rx) = channel();
        let sender = tx.clone();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        let during = rx.try_recv();
        thread.join().unwrap();
        (during, rx.try_recv())
    });
    let empty = Err(TryRecvError::Empty);
    assert_eq!((race.executions, race.results), (2, vec![(empty, Ok(1)), (Ok(1), empty)]));
    let end = explore_twice(|| {
        let (tx, rx) = channel::<u8>();
        thread::spawn(move || drop(tx));
        rx.try_recv()
    });
    assert_eq!((end.executions, end.results), (2, vec![Err(TryRecvError::Disconnected), empty]));
}

#[test]
fn what_happened_before_is_seen_when_trying() {
    let found = explore(|| {
        let (tx, rx) = channel();
        thread::spawn(move || tx.send(1).unwrap()).join().unwrap();
        let all: Vec<i32> = rx.try_iter().collect();
        (all, rx.try_recv())
    });
    assert_eq!((found.executions, found.results), (1, vec![(vec![1], Err(TryRecvError::Disconnected))]));
    let bounded = explore(|| {
        let (tx, rx) = sync_channel(2);
        tx.send(1).unwrap();
        let first = (rx.try_recv(), rx.try_recv());
        drop(tx);
        (first, rx.try_recv())
    });
    let expected = ((Ok(1), Err(TryRecvError::Empty)), Err(TryRecvError::Disconnected));
    assert_eq!((bounded.executions, bounded.results), (1, vec![expected]));
}

#[test]
fn waiting_for_a_time_ends_anyhow() {
    let found = explore_twice(|| {
        let (tx, rx) = channel();
        let sender = tx.clone();
        thread::spawn(move || sender.send(1).is_ok());
        rx.recv_timeout(SOON)
    });
    assert_eq!(found.results, [Err(RecvTimeoutError::Timeout), Ok(1)]);
    let gone = explore(|| {
        let (tx, rx) = channel::<u8>();
        drop(tx);
        rx.recv_timeout(SOON)
    });
    assert_eq!((gone.executions, gone.results), (1, vec![Err(RecvTimeoutError::Disconnected)]));
}

#[test]
fn a_oneshot_carries_one_value() {
    let found = explore_twice(|| {
        let (tx, rx) = oneshot::channel();
        thread::spawn(move || tx.send(1).unwrap());
        rx.recv()
    });
    assert_eq!((found.executions, found.results), (1, vec![Ok(1)]));
    let nothing = explore(|| {
        let (tx, rx) = oneshot::channel::<u8>();
        thread::spawn(move || drop(tx));
        rx.recv()
    });
    assert_eq!((nothing.executions, nothing.results), (1, vec![Err(RecvError)]));
    let nobody = explore(|| {
        let (tx, rx) = oneshot::channel();
        drop(rx);
        tx.send(1)
    });
    assert_eq!((nobody.executions, nobody.results), (1, vec![Err(SendError(1))]));
    let tried = explore(|| {
        let (tx, rx) = oneshot::channel();
        let early = rx.try_recv();
        tx.send(1).unwrap();
        (early, rx.try_recv(), rx.try_recv())
    });
    let expected = (Err(TryRecvError::Empty), Ok(1), Err(TryRecvError::Disconnected));
    assert_eq!((tried.executions, tried.results), (1, vec![expected]));
}

#[test]
fn what_cannot_be_cloned_says_so() {
    let misuse = |main: fn()| property(&check(main).run().unwrap()).cloned();
    assert_eq!(misuse(|| drop(channel::<u8>().1.clone())), Some(Requirement::ApiContract));
    assert_eq!(misuse(|| drop(oneshot::channel::<u8>().0.clone())), Some(Requirement::ApiContract));
}

#[test]
fn handles_travel() {
    // A server: each request brings the way back.
    let found = explore(|| {
        let (tx, rx) = channel::<(u32, oneshot::Sender<u32>)>();
        thread::spawn(move || {
            for (number, back) in rx {
                back.send(number * 2).unwrap();
            }
        });
        let clients: Vec<_> = [1, 2]
            .map(|i| {
                let tx = tx.clone();
                thread::spawn(move || {
                    let (back, answer) = oneshot::channel();
                    tx.send((i, back)).unwrap();
                    answer.recv()
                })
            })
            .into();
        clients.into_iter().map(|client| client.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!((found.executions, found.results), (2, vec![vec![Ok(2), Ok(4)]]));
    // A sender in a plain message is dropped by whoever received it.
    let sent = explore_twice(|| {
        let (tx, rx) = channel::<u8>();
        let holder = spawn(|| drop(recv::<Sender<u8>>()));
        send(holder.pid(), tx);
        rx.recv()
    });
    assert_eq!((sent.executions, sent.results), (1, vec![Err(RecvError)]));
}

/// Watches senders go by.
struct Bystander;

impl Monitor for Bystander {
    fn subscriptions() -> Vec<Subscription<Bystander>> {
        vec![Subscription::to::<Sender<u8>>()]
    }
}

impl Observe<Sender<u8>> for Bystander {
    fn filter(seen: &Observed<'_, Sender<u8>>) -> bool {
        seen.message.clone() == *seen.message
    }

    fn notify(&mut self, _: &Observed<'_, Sender<u8>>) {}
}

#[test]
fn copies_of_monitors_and_filters_are_nobodys() {
    let program = || {
        let (tx, rx) = channel::<u8>();
        let (other, _keep) = channel::<u8>();
        let holder = spawn(move || {
            // The filter holds a sender and copies another.
            let got = recv_where(move |tx: &Sender<u8>| tx.clone() != other);
            got.send(1).unwrap();
        });
        send(holder.pid(), tx);
        assert_eq!(rx.iter().count(), 1);
    };
    for (nodes, coroutines) in [(1 << 16, 128), (1, 1)] {
        let outcome = check(Program::new(program).monitor(|| Bystander))
            .max_nodes(nodes)
            .max_coroutines(coroutines)
            .run()
            .unwrap();
        assert!(outcome.is_verified(), "{outcome:?}");
        assert_eq!(outcome.stats.executions, Some(1));
    }
}
