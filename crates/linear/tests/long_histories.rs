//! Long histories: one impossible response is found, and told, without looking at everything again and again; many threads are as one.

use manyworlds_core::{Observer, Progress, StopReason};
use manyworlds_linear::specs::Register;
use manyworlds_linear::specs::register::{Operation as Op, Response};
use manyworlds_linear::{History, Options, Sequential, check_with};
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts how often it is asked.
#[derive(Default)]
struct Asked(AtomicU32);

impl Observer for Asked {
    fn tick(&self, _: &Progress) -> Option<StopReason> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

/// Writers and readers take turns, two at a time; the read with this number returns something that nobody wrote.
fn history(operations: u32, wrong: u32) -> History<Op<u32>, Response<u32>> {
    let mut history = History::new();
    for n in 0..operations / 2 {
        history.invoke(0, Op::Write(n % 1_000)).unwrap();
        history.invoke(1, Op::Read).unwrap();
        history.respond(0, Response::Written).unwrap();
        let read = if 2 * n + 1 == wrong { u32::MAX } else { n % 1_000 };
        history.respond(1, Response::Read(read)).unwrap();
    }
    history
}

#[test]
fn an_impossible_read_in_a_long_history_is_explained_soon() {
    for wrong in [1, 10_001, 19_999] {
        let asked = Asked::default();
        let options = Options { observer: &asked, ..Options::default() };
        let answer = check_with(&Register::new(0), &history(20_000, wrong), &options);
        let why = answer.explanation().expect("nobody wrote that");
        assert_eq!(why.stuck, [wrong as usize]);
        assert_eq!((why.minimal.as_deref(), why.is_minimal), (Some(&[wrong as usize][..]), true));
        assert_eq!(why.prefix.len(), wrong as usize);
        let asked = asked.0.into_inner();
        assert!(asked < 100, "it was asked {asked} times");
    }
}

/// Two registers; one of them breaks.
struct Fragile;

impl Sequential for Fragile {
    type State = ();
    type Operation = u64;
    type Response = ();

    fn initial(&self) {}

    fn apply(&self, _: &mut (), register: &u64) {
        assert!(*register == 0, "register {register} breaks");
    }

    fn key(&self, register: &u64) -> Option<u64> {
        Some(*register)
    }
}

#[test]
fn a_specification_that_panics_says_so_whoever_asks_it() {
    let mut history = History::new();
    for n in 0..5_000 {
        history.invoke(0, n % 2).unwrap();
        history.respond(0, ()).unwrap();
    }
    for threads in [1, 2] {
        let check = || check_with(&Fragile, &history, &Options { threads, ..Options::default() });
        let panic = std::panic::catch_unwind(check).unwrap_err();
        let words = panic.downcast_ref::<String>().expect("a text");
        assert!(words.contains("register 1 breaks"), "{words}");
    }
}
