//! `ns+r` (Must §2.3.4): `n` processes send to a receiver that receives once. Sends are ordered lazily: `n` executions, not `n!`.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `ns+r`.
pub const MODEL: Model = Model {
    name: "ns+r",
    summary: "n senders, one receive: n executions (lazy ordering, Must §2.3.4)",
    params: &[Param::int("n", 5, 1..=10_000, "senders")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Program {
    let receiver = Pid::root(n as u16);
    let senders =
        (0..n).fold(Program::empty(), |checker, i| checker.process(format!("sender{i}"), move || send(receiver, i)));
    senders.process("receiver", move || {
        recv::<usize>();
    })
}
