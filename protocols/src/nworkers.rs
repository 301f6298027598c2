//! `nworkers` (Must §6.1): main spawns `n` workers, which report to a coordinator; when it has heard from all it tells main, which may have
//! a message of its own waiting: `2·n!` executions.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "nworkers",
    summary: "n workers report to a coordinator, which tells main: 2·n! executions",
    params: &[Param::int("n", 4, 1..=100, "workers")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Checker {
    Checker::new(move || {
        let main = me();
        let coordinator = process("coordinator").spawn(move || {
            for _ in 0..n {
                recv::<usize>();
            }
            send(main, "done");
        });
        for i in 0..n {
            process(format_args!("worker{i}")).spawn(move || send(coordinator.pid(), i));
        }
        send(main, "mine");
        recv::<&str>();
    })
}
