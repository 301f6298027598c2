//! The optimal engine against brute force, on random programs.
//!
//! A program on which the engines differ is shrunk, printed as a value, and its seed is kept in `random_programs.regressions`, which is run
//! first ever after.

use crate::oracle::Program;
use crate::oracle::agree::{eager_agrees, engines_agree};
use crate::oracle::strategy::{Shape, programs};
use manyworlds_testkit::Random;

const REGRESSIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/random_programs.regressions");

/// Draws programs of a shape and compares the engines on each.
fn compare(name: &'static str, shape: Shape) {
    // Each program is compared under four networks. Brute force gives up now and then; if it mostly did, this test would compare nothing.
    let random = Random::new(name).cases(250).compared(320).regressions(REGRESSIONS);
    random.run(&(programs(shape), 0..64usize), |(program, turn): (Program, usize)| Ok(engines_agree(&program, turn)));
}

const PLAIN: Shape = Shape { roots: 4, ops: 4, mixed: false, spawns: false, rich: false, monitor: false };

#[test]
fn messages_only() {
    compare("messages_only", PLAIN);
}

#[test]
fn every_kind_of_receive_and_mixed_networks() {
    compare("every_kind_of_receive_and_mixed_networks", Shape { mixed: true, rich: true, ..PLAIN });
}

#[test]
fn spawns_and_joins() {
    compare("spawns_and_joins", Shape { roots: 2, ops: 3, spawns: true, ..PLAIN });
}

#[test]
fn everything_at_once() {
    compare("everything_at_once", Shape { roots: 3, ops: 2, mixed: true, spawns: true, rich: true, ..PLAIN });
}

#[test]
fn with_a_monitor() {
    compare("with_a_monitor", Shape { roots: 3, ops: 2, rich: true, monitor: true, ..PLAIN });
}

#[test]
fn eager_ordering_says_the_same() {
    let shape = Shape { roots: 3, ops: 2, spawns: true, rich: true, ..PLAIN };
    let random = Random::new("eager ordering").cases(250).compared(70).regressions(REGRESSIONS);
    random.run(&(programs(shape), 0..64usize), |(program, turn): (Program, usize)| {
        Ok(u64::from(eager_agrees(&program, turn)))
    });
}
