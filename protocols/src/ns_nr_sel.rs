//! `ns+nr-sel` (Must ex. 2.7): as `ns+nr`, but the receiver uses selective receives in a fixed order: one execution.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `ns+nr-sel`.
pub const MODEL: Model = Model {
    name: "ns+nr-sel",
    summary: "n senders, n selective receives in a fixed order: 1 execution (Must ex. 2.7)",
    params: &[Param::int("n", 5, 1..=10_000, "senders")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Program {
    let receiver = Pid::root(n as u16);
    let senders =
        (0..n).fold(Program::empty(), |checker, i| checker.process(format!("sender{i}"), move || send(receiver, i)));
    senders.process("receiver", move || {
        for i in 0..n {
            recv_where(move |m: &usize| *m == i);
        }
    })
}
