//! `Mutex` and `RwLock`.

use super::explored::{crowd, explore, explore_twice, factorial, property};
use manyworlds::sync::atomic::{AtomicBool, Ordering::SeqCst};
use manyworlds::sync::{Arc, Barrier, Mutex, Register, RwLock};
use manyworlds::{Requirement, check, thread};

#[test]
fn objects_that_one_process_uses_at_a_time_make_one_execution() {
    let found = explore_twice(|| {
        let mutex = Arc::new(Mutex::new(1));
        let lock = RwLock::new(2);
        let register = Register::new(3);
        let flag = AtomicBool::default();
        let mine = mutex.clone();
        let both = lock.clone();
        thread::spawn(move || {
            *mine.lock().unwrap() += 10;
            *both.write().unwrap() += 10;
        })
        .join()
        .unwrap();
        register.write(4);
        flag.store(true, SeqCst);
        let barrier = Barrier::new(1).wait().is_leader();
        let sum = *mutex.lock().unwrap() + *lock.read().unwrap() + register.read();
        (sum, flag.load(SeqCst), barrier)
    });
    assert_eq!((found.executions, found.violations), (1, 0));
    assert_eq!(found.results, [(27, true, true)]);
}

#[test]
fn a_mutex_is_taken_in_every_order() {
    for n in 1..=4 {
        let found = explore(move || {
            let mutex = Arc::new(Mutex::new(Vec::new()));
            let shared = mutex.clone();
            crowd(n, move |i| shared.lock().unwrap().push(i));
            mutex.lock().unwrap().clone()
        });
        assert_eq!((found.executions, found.violations), (factorial(n), 0));
        assert_eq!(found.results.len() as u64, factorial(n));
    }
}

#[test]
fn a_mutex_lets_one_process_in_at_a_time() {
    fn visit(inside: &Register<bool>) {
        assert!(!inside.swap(true), "not alone");
        inside.write(false);
    }
    let guarded = explore_twice(|| {
        let (mutex, inside) = (Mutex::new(()), Register::new(false));
        crowd(2, move |_| {
            let _guard = mutex.lock().unwrap();
            visit(&inside);
        });
    });
    assert_eq!((guarded.executions, guarded.violations), (2, 0));
    let unguarded = check(|| {
        let inside = Register::new(false);
        crowd(2, move |_| visit(&inside));
    })
    .run()
    .unwrap();
    assert_eq!(property(&unguarded), Some(&Requirement::Assertion));
}

#[test]
fn try_lock_fails_only_while_the_mutex_is_held() {
    let found = explore_twice(|| {
        let mutex = Mutex::new(0);
        let other = mutex.clone();
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        let seen = mutex.try_lock().map(|guard| *guard).ok();
        thread.join().unwrap();
        // Nobody holds it any more.
        (seen, *mutex.try_lock().unwrap())
    });
    assert_eq!(found.results, [(None, 1), (Some(0), 1), (Some(1), 1)]);
    assert_eq!((found.executions, found.violations), (3, 0));
    let own = explore(|| {
        let mutex = Mutex::new(());
        let _guard = mutex.lock().unwrap();
        mutex.try_lock().is_err()
    });
    assert_eq!((own.executions, own.results), (1, vec![true]));
}

#[test]
fn locks_taken_in_opposite_orders_deadlock() {
    let program = || {
        let (a, b) = (Mutex::new(()), Mutex::new(()));
        let (a2, b2) = (a.clone(), b.clone());
        thread::spawn(move || {
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
        });
        thread::spawn(move || {
            let _b = b2.lock().unwrap();
            let _a = a2.lock().unwrap();
        });
    };
    let found = explore_twice(program);
    assert_eq!((found.executions, found.violations), (2, 1));
    assert_eq!(property(&check(program).run().unwrap()), Some(&Requirement::Deadlock));
}

#[test]
fn a_mutex_locked_twice_by_one_process_deadlocks() {
    let outcome = check(|| {
        let mutex = Mutex::new(());
        let _first = mutex.lock().unwrap();
        let _second = mutex.lock().unwrap();
    })
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Deadlock));
}

#[test]
fn a_mutex_can_be_taken_apart() {
    let found = explore(|| {
        let mutex = Mutex::<Vec<u32>>::default();
        mutex.lock().unwrap().push(3);
        assert!(!mutex.is_poisoned());
        mutex.into_inner().unwrap()
    });
    assert_eq!((found.executions, found.results), (1, vec![vec![3]]));
}

#[test]
fn readers_are_inside_together() {
    let program = |reads: bool| {
        move || {
            let (lock, mutex, meeting) = (RwLock::new(5), Mutex::new(5), Barrier::new(2));
            crowd(2, move |_| {
                // Whoever is inside waits there for the other.
                if reads {
                    let five = lock.read().unwrap();
                    meeting.wait();
                    assert_eq!(*five, 5);
                } else {
                    let _guard = mutex.lock().unwrap();
                    meeting.wait();
                }
            });
        }
    };
    let found = explore(program(true));
    assert_eq!((found.executions, found.violations), (4, 0));
    assert_eq!(property(&check(program(false)).run().unwrap()), Some(&Requirement::Deadlock));
}

#[test]
fn a_writer_is_alone() {
    let found = explore_twice(|| {
        let lock = RwLock::new((0, 0));
        let other = lock.clone();
        thread::spawn(move || {
            let mut pair = other.write().unwrap();
            pair.0 += 1;
            pair.1 += 1;
        });
        *lock.read().unwrap()
    });
    assert_eq!(found.results, [(0, 0), (1, 1)]);
    assert_eq!((found.executions, found.violations), (2, 0));
    let writers = explore(|| {
        let lock = RwLock::new(0);
        let shared = lock.clone();
        crowd(3, move |_| *shared.write().unwrap() += 1);
        lock.into_inner().unwrap()
    });
    assert_eq!((writers.executions, writers.results), (6, vec![3]));
}

#[test]
fn try_write_fails_only_while_somebody_is_inside() {
    let found = explore_twice(|| {
        let lock = RwLock::new(0);
        let other = lock.clone();
        let thread = thread::spawn(move || drop(other.read().unwrap()));
        let alone = lock.try_write().is_ok();
        thread.join().unwrap();
        // Nobody is inside any more.
        *lock.try_write().unwrap() += 1;
        (alone, *lock.try_read().unwrap())
    });
    assert_eq!((found.violations, found.results), (0, vec![(false, 1), (true, 1)]));
    let held = explore(|| {
        let lock = RwLock::new(0);
        let reader = lock.read().unwrap();
        let reading = (lock.try_read().is_ok(), lock.try_write().is_ok());
        drop(reader);
        let writer = lock.write().unwrap();
        let writing = (lock.try_read().is_ok(), lock.try_write().is_ok());
        drop(writer);
        (reading, writing)
    });
    assert_eq!((held.executions, held.results), (1, vec![((true, false), (false, false))]));
}

#[test]
fn reading_twice_with_a_writer_in_between_deadlocks() {
    let outcome = check(|| {
        let lock = RwLock::new(0);
        let writer = lock.clone();
        thread::spawn(move || *writer.write().unwrap() = 1);
        let _first = lock.read().unwrap();
        let _second = lock.read().unwrap();
    })
    .keep_going(true)
    .run()
    .unwrap();
    assert_eq!(property(&outcome), Some(&Requirement::Deadlock));
    assert_eq!((outcome.stats.executions, outcome.stats.violations), (Some(2), 1));
}
