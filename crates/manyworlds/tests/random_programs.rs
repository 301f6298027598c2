//! The optimal engine against brute force, on random programs.
//!
//! `PROPTEST_CASES` sets how many programs each test draws. A program on which the engines differ is shrunk, printed as a value, and its
//! seed is kept in `random_programs.regressions`, which is run first ever after.

mod oracle;

use oracle::Program;
use oracle::agree::{eager_agrees, engines_agree};
use oracle::strategy::{Shape, programs};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use std::cell::Cell;

const CASES: u32 = 250;
const REGRESSIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_programs.regressions");

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    ProptestConfig {
        cases,
        max_shrink_iters: 20_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(REGRESSIONS))),
        ..ProptestConfig::default()
    }
}

/// Draws programs of a shape and compares the engines on each.
fn compare(shape: Shape) {
    let (drawn, compared) = (Cell::new(0), Cell::new(0));
    let outcome = TestRunner::new(config()).run(&(programs(shape), 0..64usize), |(program, turn): (Program, usize)| {
        drawn.set(drawn.get() + 1);
        compared.set(compared.get() + engines_agree(&program, turn));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    // Brute force gives up now and then; if it mostly did, this test would compare nothing.
    assert!(
        4 * drawn.get() <= 5 * compared.get() / 4 + 20,
        "{} of {} comparisons made",
        compared.get(),
        4 * drawn.get()
    );
}

const PLAIN: Shape = Shape { roots: 4, ops: 4, mixed: false, spawns: false, rich: false, monitor: false };

#[test]
fn messages_only() {
    compare(PLAIN);
}

#[test]
fn every_kind_of_receive_and_mixed_networks() {
    compare(Shape { mixed: true, rich: true, ..PLAIN });
}

#[test]
fn spawns_and_joins() {
    compare(Shape { roots: 2, ops: 3, spawns: true, ..PLAIN });
}

#[test]
fn everything_at_once() {
    compare(Shape { roots: 3, ops: 2, mixed: true, spawns: true, rich: true, ..PLAIN });
}

#[test]
fn with_a_monitor() {
    compare(Shape { roots: 3, ops: 2, rich: true, monitor: true, ..PLAIN });
}

#[test]
fn eager_ordering_says_the_same() {
    let shape = Shape { roots: 3, ops: 2, spawns: true, rich: true, ..PLAIN };
    let outcome = TestRunner::new(config()).run(&(programs(shape), 0..64usize), |(program, turn): (Program, usize)| {
        eager_agrees(&program, turn);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
