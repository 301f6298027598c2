//! `ns+nr` (Must §2.3.4): `n` processes send to one that receives `n` times, in any order: `n!` executions.

use crate::{Model, Param};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "ns+nr",
    summary: "n senders, n receives: n! executions",
    params: &[Param::int("n", 5, 1..=100, "senders")],
    build: |params| Ok(checker(params.int("n"))),
};

fn checker(n: usize) -> Checker {
    Checker::new(move || {
        for i in 0..n {
            process(format!("sender{i}")).spawn(move || send(Pid::ROOT, i));
        }
        for _ in 0..n {
            recv::<usize>();
        }
    })
}
