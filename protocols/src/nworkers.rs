//! `nworkers` (Must §6.1): the main process spawns `n` workers, which send to a coordinator. When the coordinator has received a
//! message from each worker it sends one to main. Main has also sent a message to itself, and receives either: `2·n!` executions.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `nworkers`.
pub const MODEL: Model = Model {
    name: "nworkers",
    summary: "n workers report to a coordinator, which notifies main: 2·n! executions",
    params: &[Param::int("n", 4, 1..=100, "workers")],
    build: Build::Program(|params| Ok(checker(params.int("n")))),
};

fn checker(n: usize) -> Program {
    Program::new(move || {
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
