//! `Condvar` and `Barrier`.

use super::explored::{crowd, explore, explore_twice, property};
use manyworlds::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use manyworlds::sync::{Barrier, Condvar, Mutex};
use manyworlds::{Requirement, check, thread};
use std::time::Duration;

#[test]
fn waiting_for_a_condition_ends() {
    let found = explore_twice(|| {
        let (ready, changed) = (Mutex::new(false), Condvar::new());
        let (r, c) = (ready.clone(), changed.clone());
        thread::spawn(move || {
            *r.lock().unwrap() = true;
            c.notify_one();
        });
        let guard = changed.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap();
        *guard
    });
    assert_eq!(found.results, [true]);
    assert_eq!((found.executions, found.violations), (2, 0));
}

#[test]
fn a_notification_can_be_missed() {
    let program = || {
        let (ready, changed) = (Mutex::new(false), Condvar::new());
        let (r, c) = (ready.clone(), changed.clone());
        thread::spawn(move || {
            *r.lock().unwrap() = true;
            c.notify_all();
        });
        // The mistake: it does not look whether it has to wait.
        drop(changed.wait(ready.lock().unwrap()).unwrap());
    };
    let found = explore_twice(program);
    assert_eq!((found.executions, found.violations), (2, 1));
    assert_eq!(property(&check(program).run().unwrap()), Some(&Requirement::Deadlock));
}

/// Two threads wait; once both do, main notifies. Who was woken.
fn sleepers(notify: impl Fn(&Condvar)) -> Vec<u64> {
    let (woken, changed, asleep) = (Mutex::new(Vec::new()), Condvar::new(), Mutex::new(0));
    for i in 0..2 {
        let (woken, changed, asleep) = (woken.clone(), changed.clone(), asleep.clone());
        manyworlds::process("sleeper").daemon().spawn(move || {
            let mut count = asleep.lock().unwrap();
            *count += 1;
            drop(changed.wait(count).unwrap());
            woken.lock().unwrap().push(i);
        });
    }
    manyworlds::assume(*asleep.lock().unwrap() == 2);
    notify(&changed);
    let woken = woken.lock().unwrap();
    woken.clone()
}

#[test]
fn notify_one_wakes_any_one_and_notify_all_wakes_all() {
    let results = |notify: fn(&Condvar)| {
        let all = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
        let notes = all.clone();
        let outcome = check(move || {
            let woken = sleepers(notify);
            notes.lock().unwrap().insert(woken);
        })
        .run()
        .unwrap();
        assert!(outcome.is_verified());
        Vec::from_iter(all.lock().unwrap().clone())
    };
    assert_eq!(results(Condvar::notify_one), [vec![], vec![0], vec![1]]);
    assert_eq!(results(Condvar::notify_all), [vec![], vec![0], vec![0, 1], vec![1], vec![1, 0]]);
}

#[test]
fn a_timed_wait_ends_anyhow() {
    let second = Duration::from_secs(1);
    let alone = explore_twice(move || {
        let (mutex, never) = (Mutex::new(()), Condvar::new());
        never.wait_timeout(mutex.lock().unwrap(), second).unwrap().1.timed_out()
    });
    assert_eq!((alone.executions, alone.results), (1, vec![true]));
    let found = explore(move || {
        let (mutex, changed) = (Mutex::new(()), Condvar::new());
        let c = changed.clone();
        thread::spawn(move || c.notify_one());
        let (guard, first) = changed.wait_timeout(mutex.lock().unwrap(), second).unwrap();
        // The first wait's time must not run out in the second one if it was notified.
        let (_guard, then) = changed.wait_timeout(guard, second).unwrap();
        (first.timed_out(), then.timed_out())
    });
    assert_eq!(found.results, [(false, true), (true, false), (true, true)]);
    assert_eq!(found.violations, 0);
}

#[test]
fn a_barrier_opens_when_all_have_come() {
    for n in 1..=3 {
        let found = explore(move || {
            let (barrier, come, leaders) = (Barrier::new(n), AtomicUsize::new(0), AtomicUsize::new(0));
            let (b, c, l) = (barrier.clone(), come.clone(), leaders.clone());
            crowd(n as u64, move |_| {
                c.fetch_add(1, SeqCst);
                let leads = b.wait().is_leader();
                assert_eq!(c.load(SeqCst), n);
                if leads {
                    l.fetch_add(1, SeqCst);
                }
            });
            leaders.load(SeqCst)
        });
        assert_eq!((found.violations, found.results), (0, vec![1]));
    }
    let orders = explore_twice(|| {
        let barrier = Barrier::new(3);
        crowd(3, move |_| {
            barrier.wait();
        });
    });
    assert_eq!(orders.executions, 6);
}

#[test]
fn a_barrier_can_be_used_again_and_waits_for_all() {
    let rounds = explore_twice(|| {
        let barrier = Barrier::new(2);
        crowd(2, move |_| {
            barrier.wait();
            barrier.wait();
        });
    });
    assert_eq!((rounds.executions, rounds.violations), (4, 0));
    let outcome = check(|| {
        let barrier = Barrier::new(3);
        crowd(2, move |_| {
            barrier.wait();
        });
    })
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Deadlock));
}
