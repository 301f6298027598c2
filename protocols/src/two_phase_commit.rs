//! `two-phase-commit`: a coordinator asks `n` participants, each votes yes or no by choice, and the coordinator decides. All must agree, and
//! nobody commits unless all voted yes. `2ⁿ·n!` executions: every combination of votes in every order of arrival.
//!
//! `two-phase-commit-bug` decides on a majority: some participant is told to commit although it voted no.

use crate::{Build, Model, Param};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "two-phase-commit",
    summary: "n participants vote by choice, the coordinator decides: 2ⁿ·n! executions",
    params: &[Param::int("n", 4, 1..=16, "participants")],
    build: Build::Program(|params| Ok(checker(params.int("n"), |yes, n| yes == n))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "two-phase-commit-bug",
    summary: "the coordinator commits on a majority: a participant that voted no is told to commit",
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

/// `commits(yes, n)` is the coordinator's rule.
fn checker(n: usize, commits: fn(usize, usize) -> bool) -> Checker {
    Checker::new(move || {
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
