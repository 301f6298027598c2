//! `two-phase-commit`: a coordinator requests votes from `n` participants, each chooses yes or no, and the coordinator decides. All decisions
//! must be the same, and no participant commits unless all voted yes. `2ⁿ·n!` executions: all combinations of votes in all orders of arrival.
//!
//! `two-phase-commit-bug`: the coordinator commits on a majority, so a participant that voted no can receive the decision to commit.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The model `two-phase-commit`.
pub const MODEL: Model = Model {
    name: "two-phase-commit",
    summary: "n participants vote by choice, the coordinator decides: 2ⁿ·n! executions",
    params: &[Param::int("n", 4, 1..=16, "participants")],
    build: Build::Program(|params| Ok(checker(params.int("n"), |yes, n| yes == n))),
};

/// The model `two-phase-commit-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "two-phase-commit-bug",
    summary: "the coordinator commits on a majority: a participant that voted no must commit",
    params: &[Param::int("n", 3, 1..=16, "participants")],
    build: Build::Program(|params| Ok(checker(params.int("n"), |yes, n| 2 * yes > n))),
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Prepare,
    Yes,
    No,
    Commit,
    Abort,
}

/// `commits(yes, n)` is the coordinator's decision rule.
fn checker(n: usize, commits: fn(usize, usize) -> bool) -> Program {
    Program::new(move || {
        let coordinator = me();
        let participants: Vec<Pid> = (0..n)
            .map(|i| process(format_args!("participant{i}")).spawn(move || participant(coordinator)).pid())
            .collect();
        for &p in &participants {
            send(p, Message::Prepare);
        }
        let yes = (0..n).filter(|_| recv::<Message>() == Message::Yes).count();
        let decision = if commits(yes, n) { Message::Commit } else { Message::Abort };
        for &p in &participants {
            send(p, decision.clone());
        }
    })
}

fn participant(coordinator: Pid) {
    assert_eq!(recv::<Message>(), Message::Prepare);
    let yes = flip();
    send(coordinator, if yes { Message::Yes } else { Message::No });
    let decision = recv::<Message>();
    assert!(yes || decision == Message::Abort, "told to {decision:?} after voting no");
}
