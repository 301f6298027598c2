//! `ns+r` (Must §2.3.4): `n` processes send to one that receives once. Messages are ordered lazily: `n` executions, not `n!`.

use crate::{Model, Param};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "ns+r",
    summary: "n senders, one receive: n executions (lazy ordering, Must §2.3.4)",
    params: &[Param::int("n", 5, 1..=10_000, "senders")],
    build: |params| Ok(checker(params.int("n"))),
};

fn checker(n: usize) -> Checker {
    Checker::new(move || {
        for i in 0..n {
            process(format!("sender{i}")).spawn(move || send(Pid::ROOT, i));
        }
        recv::<usize>();
    })
}
