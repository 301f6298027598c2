//! `ping-pong`: two processes exchange `k` rounds of messages; then `m` processes race to send to the first: `m!` executions
//! with a long common prefix. This measures whether the cost of an execution grows faster than linearly with its length.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `ping-pong`.
pub const MODEL: Model = Model {
    name: "ping-pong",
    summary: "k rounds between two processes, then m racing senders: m! executions",
    params: &[Param::int("k", 10, 0..=100_000, "rounds"), Param::int("m", 3, 0..=12, "racing senders")],
    build: Build::Program(|params| Ok(checker(params.int("k"), params.int("m")))),
};

fn checker(k: usize, m: usize) -> Program {
    Program::new(move || {
        let ping = me();
        let pong = process("pong").spawn(move || {
            for _ in 0..k {
                let ball: usize = recv();
                send(ping, ball + 1);
            }
        });
        let mut ball = 0usize;
        for _ in 0..k {
            send(pong.pid(), ball);
            ball = recv();
        }
        for i in 0..m {
            process(format_args!("racer{i}")).spawn(move || send(ping, i));
        }
        for _ in 0..m {
            recv::<usize>();
        }
    })
}
