//! `s+s+r-br` (Must ex. 4.3): two explorations could revisit the first receive backward and reach the same execution graph; the
//! revisit condition permits only one of them. Four executions.

use crate::{Build, Model};
use manyworlds::prelude::*;

/// The model `s+s+r-br`.
pub const MODEL: Model = Model {
    name: "s+s+r-br",
    summary: "why backward revisits need a condition (Must ex. 4.3): 4 executions",
    params: &[],
    build: Build::Program(|_| Ok(checker())),
};

fn checker() -> Program {
    let [t1, t4] = [Pid::root(0), Pid::root(3)];
    Program::empty()
        .process("T1", move || {
            send(t1, 0);
            recv::<i32>();
        })
        .process("T2", move || send(t4, 1))
        .process("T3", move || send(t4, 2))
        .process("T4", || {
            recv::<i32>();
        })
        .process("T5", move || send(t1, 42))
}
