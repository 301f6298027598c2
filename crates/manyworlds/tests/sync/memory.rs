//! `Register` and atomics.

use super::explored::{crowd, explore, explore_twice};
use manyworlds::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, Ordering::SeqCst};
use manyworlds::sync::{Arc, Register};
use manyworlds::{check, thread};

#[test]
fn a_register_is_read_before_or_after_it_is_written() {
    let found = explore_twice(|| {
        let register = Register::new("old");
        let other = register.clone();
        thread::spawn(move || other.write("new"));
        register.read()
    });
    assert_eq!((found.executions, found.violations), (2, 0));
    assert_eq!(found.results, ["new", "old"]);
    let after = explore(|| {
        let register = Register::new(0);
        let other = register.clone();
        thread::spawn(move || other.write(1)).join().unwrap();
        register.read()
    });
    assert_eq!((after.executions, after.results), (1, vec![1]));
}

#[test]
fn writes_that_nobody_reads_make_one_execution() {
    let unread = explore_twice(|| {
        let register = Register::new(9);
        crowd(3, move |i| register.write(i));
    });
    assert_eq!(unread.executions, 1);
    let read = explore(|| {
        let register = Register::new(9);
        let shared = register.clone();
        crowd(3, move |i| shared.write(i));
        register.read()
    });
    assert_eq!((read.executions, read.results), (6, vec![0, 1, 2]));
}

#[test]
fn a_register_compares_and_exchanges() {
    let found = explore_twice(|| {
        let owner = Register::new(None);
        let shared = owner.clone();
        crowd(2, move |i| {
            let won = shared.compare_exchange(None, Some(i));
            assert_eq!(won.is_err(), won.is_err_and(|found| found == Some(1 - i)));
        });
        owner.swap(None)
    });
    assert_eq!((found.executions, found.violations), (2, 0));
    assert_eq!(found.results, [Some(0), Some(1)]);
}

#[test]
fn counting_without_atomic_addition_loses_updates() {
    let lost = |main: fn(&AtomicU32)| {
        move || {
            let counter = Arc::new(AtomicU32::new(0));
            let shared = counter.clone();
            crowd(2, move |_| main(&shared));
            counter.load(SeqCst)
        }
    };
    let wrong = explore_twice(lost(|counter| {
        let seen = counter.load(SeqCst);
        counter.store(seen + 1, SeqCst);
    }));
    assert_eq!((wrong.executions, wrong.results), (6, vec![1, 2]));
    let right = explore_twice(lost(|counter| {
        counter.fetch_add(1, SeqCst);
    }));
    assert_eq!((right.executions, right.results), (2, vec![2]));
    let patient = explore(lost(|counter| {
        counter.fetch_update(SeqCst, SeqCst, |seen| Some(seen + 1)).unwrap();
    }));
    assert_eq!(patient.results, [2]);
}

#[test]
fn all_objects_agree_about_the_order_of_operations() {
    // Store buffering: one of the two must see the other.
    let found = explore_twice(|| {
        let (x, y) = (AtomicBool::new(false), AtomicBool::new(false));
        let (x2, y2) = (x.clone(), y.clone());
        let other = thread::spawn(move || {
            y2.store(true, SeqCst);
            x2.load(SeqCst)
        });
        x.store(true, SeqCst);
        let mine = y.load(SeqCst);
        (mine, other.join().unwrap())
    });
    assert_eq!(found.results, [(false, true), (true, false), (true, true)]);
    assert_eq!(found.executions, 3);
    // Two readers of two independent writes must not disagree about which came first.
    let readers = explore(|| {
        let (x, y) = (Register::new(0), Register::new(0));
        let (x1, y1) = (x.clone(), y.clone());
        thread::spawn(move || x1.write(1));
        thread::spawn(move || y1.write(1));
        let (x2, y2) = (x.clone(), y.clone());
        let other = thread::spawn(move || (x2.read(), y2.read()));
        let (b, a) = (y.read(), x.read());
        ((a, b), other.join().unwrap())
    });
    assert!(!readers.results.contains(&((0, 1), (1, 0))), "{:?}", readers.results);
    assert_eq!(readers.results.len(), 15);
}

#[test]
fn atomics_calculate_like_the_standard_library() {
    macro_rules! same {
        ($ours:ident, $start:expr, $($method:ident $value:expr),*) => {
            let ours = $ours::new($start);
            let theirs = std::sync::atomic::$ours::new($start);
            $(assert_eq!(ours.$method($value, SeqCst), theirs.$method($value, SeqCst), stringify!($method));)*
            assert_eq!(ours.into_inner(), theirs.into_inner());
        };
    }
    let outcome = check(|| {
        same!(
            AtomicU8, 200, fetch_add 100, fetch_sub 99, fetch_and 0xf6, fetch_nand 0x3c, fetch_or 1, fetch_xor 0x55, fetch_max 7, fetch_min 9,
            swap 3
        );
        same!(AtomicI64, -5, fetch_add i64::MIN, fetch_sub 12, fetch_max -3, fetch_min -4, fetch_nand 6, swap 8);
        same!(AtomicBool, true, fetch_and false, fetch_or true, fetch_nand true, fetch_xor true, fetch_or false);
        let flag = AtomicBool::new(false);
        assert!(!flag.fetch_not(SeqCst) && flag.load(SeqCst));
        assert_eq!(flag.compare_exchange(false, true, SeqCst, SeqCst), Err(true));
        assert_eq!(flag.compare_exchange_weak(true, false, SeqCst, SeqCst), Ok(true));
        assert_eq!(AtomicU32::from(1).fetch_update(SeqCst, SeqCst, |_| None), Err(1));
    })
    .run().unwrap();
    assert!(outcome.is_verified(), "{outcome:?}");
    assert_eq!(outcome.stats.executions, Some(1));
}
