//! `nnr` (Must ex. 2.5): `n` processes wait for a message with a timer, and nobody sends any: one execution, not `2ⁿ`.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "nnr",
    summary: "n processes, each one receive with a time-out, no message: 1 execution (Must ex. 2.5)",
    params: &[Param::int("n", 5, 1..=10_000, "processes")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Checker {
    let mut checker = Checker::empty();
    for i in 0..n {
        checker = checker.process(format!("p{i}"), || {
            assert_eq!(recv_timeout::<u32>(), None, "nobody sends");
        });
    }
    checker
}
