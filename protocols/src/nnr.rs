//! `nnr` (Must ex. 2.5): `n` processes receive with a timeout, and no process sends: one execution, not `2ⁿ`.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `nnr`.
pub const MODEL: Model = Model {
    name: "nnr",
    summary: "n processes, each with one receive with a timeout, no sends: 1 execution (Must ex. 2.5)",
    params: &[Param::int("n", 5, 1..=10_000, "processes")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Program {
    let mut checker = Program::empty();
    for i in 0..n {
        checker = checker.process(format!("p{i}"), || {
            assert_eq!(recv_timeout::<u32>(), None, "no process sends");
        });
    }
    checker
}
