//! `ns+nr` (Must §2.3.4): `n` processes send to a receiver that receives `n` times, in any order: `n!` executions.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `ns+nr`.
pub const MODEL: Model = Model {
    name: "ns+nr",
    summary: "n senders, n receives: n! executions",
    params: &[Param::int("n", 5, 1..=100, "senders")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Program {
    let receiver = Pid::root(n as u16);
    let senders =
        (0..n).fold(Program::empty(), |checker, i| checker.process(format!("sender{i}"), move || send(receiver, i)));
    senders.process("receiver", move || {
        for _ in 0..n {
            recv::<usize>();
        }
    })
}
