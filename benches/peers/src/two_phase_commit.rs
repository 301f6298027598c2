//! `two-phase-commit(n)`: a coordinator asks `n` participants, each votes by choice, the coordinator decides: `2ⁿ·n!` executions.

use crate::factorial;
use crate::measure::Program;
use manyworlds::Network;
use must::event::Model;
use must::{Ctx, System, Val};
use traceforge::thread::{self, ThreadId};

/// All three versions.
pub fn program(n: usize) -> Program {
    Program::new(format!("two-phase-commit({n})"), (1 << n) * factorial(n))
        .manyworlds("two-phase-commit", &[("n", n)])
        .must_mc(Network::P2p, move |model| must_mc(n, model))
        .traceforge(Network::P2p, move || traceforge(n))
}

/// The coordinator is added last, which suits must-mc best.
fn must_mc(n: usize, model: Model) -> System {
    let coordinator = n;
    let [prepare, yes, no, commit, abort] = ["prepare", "yes", "no", "commit", "abort"].map(Val::from);
    let mut system = System::new();
    for _ in 0..n {
        system.add(move |c: Ctx| async move {
            let asked = c.recv(|_| true).await;
            c.assert_that(asked == "prepare", "asked to prepare");
            let votes_yes = c.nondet([yes, no]).await == "yes";
            c.send(coordinator, if votes_yes { yes } else { no }, model);
            let decision = c.recv(|_| true).await;
            c.assert_that(votes_yes || decision == "abort", "told to commit after voting no");
        });
    }
    system.add(move |c: Ctx| async move {
        for participant in 0..n {
            c.send(participant, prepare, model);
        }
        let mut votes = 0;
        for _ in 0..n {
            votes += usize::from(c.recv(|_| true).await == "yes");
        }
        for participant in 0..n {
            c.send(participant, if votes == n { commit } else { abort }, model);
        }
    });
    system
}

#[derive(Clone, PartialEq, Debug)]
enum Message {
    Prepare,
    Yes,
    No,
    Commit,
    Abort,
}

fn traceforge(n: usize) {
    let coordinator = thread::current().id();
    let participants: Vec<ThreadId> =
        (0..n).map(|_| thread::spawn(move || traceforge_participant(coordinator)).thread().id()).collect();
    for &p in &participants {
        traceforge::send_msg(p, Message::Prepare);
    }
    let yes = (0..n).filter(|_| traceforge::recv_msg_block::<Message>() == Message::Yes).count();
    let decision = if yes == n { Message::Commit } else { Message::Abort };
    for &p in &participants {
        traceforge::send_msg(p, decision.clone());
    }
}

fn traceforge_participant(coordinator: ThreadId) {
    assert_eq!(traceforge::recv_msg_block::<Message>(), Message::Prepare);
    let yes = traceforge::nondet();
    traceforge::send_msg(coordinator, if yes { Message::Yes } else { Message::No });
    let decision = traceforge::recv_msg_block::<Message>();
    assert!(yes || decision == Message::Abort, "told to {decision:?} after voting no");
}
