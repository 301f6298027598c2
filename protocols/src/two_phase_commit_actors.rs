//! `two-phase-commit-actors`: two-phase commit with timeouts. A coordinator requests the votes of `n` participants, commits if all vote yes, and
//! sends the decision to one after the other. Up to `crashes` actors crash, permanently, at any time. No actor waits for another without a timeout:
//! - the coordinator aborts when a vote takes too long;
//! - a participant that has not received a prepare message yet votes no on a timeout;
//! - a participant that voted yes and receives no decision is in doubt: it must not decide, but it queries the other participants. One that has
//!   decided replies; one that has not voted yet votes no and replies; one that is in doubt, too, replies when it learns the decision.
//!
//! All decisions are the same, whichever actors crash, and no actor commits if a participant voted no: decisions survive crashes, as if written to
//! disk. This holds under every network: a decision that overtakes the prepare message is still valid. The model also covers the limits of two-phase
//! commit: if the coordinator crashes at a critical moment, all other actors stay in doubt forever; but none stays in doubt while a running
//! participant has decided.
//!
//! `two-phase-commit-actors-bug`: a participant that voted yes aborts when it receives no decision, although the coordinator may have sent the
//! decision to commit to another participant.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Faults, Handle, Reserved, System, View};
use std::collections::BTreeSet;

const PARAMS: &[Param] =
    &[Param::int("n", 2, 1..=16, "participants"), Param::int("crashes", 1, 0..=16, "actors that go down")];

/// The model `two-phase-commit-actors`.
pub const MODEL: Model = Model {
    name: "two-phase-commit-actors",
    summary: "two-phase commit with timeouts and crashes: agreement, and blocking",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("crashes"), InDoubt::Query))),
};

/// The model `two-phase-commit-actors-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "two-phase-commit-actors-bug",
    summary: "participants in doubt abort: others may have committed",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("crashes"), InDoubt::Abort))),
};

/// The reaction of a participant that voted yes and receives no decision.
#[derive(Clone, Copy)]
enum InDoubt {
    Query,
    Abort,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Decision {
    Commit,
    Abort,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Prepare,
    Vote(bool),
    Decided(Decision),
    /// A participant in doubt requests the decision.
    Ask,
}

const VOTES_ARE_LATE: &str = "votes are late";
const SEND_DECISION: &str = "tell the next participant";

struct Coordinator {
    participants: Vec<Address<Message>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Count {
    yes: BTreeSet<Pid>,
    decision: Option<Decision>,
    told: usize,
}

impl Coordinator {
    fn decide(&self, count: &mut Count, decision: Decision, ctx: &mut Context<'_>) {
        count.decision = Some(decision);
        ctx.cancel_timer(VOTES_ARE_LATE);
        ctx.set_timer(SEND_DECISION);
    }
}

impl Actor for Coordinator {
    type State = Count;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Count {
        ctx.broadcast(&self.participants, Message::Prepare);
        ctx.set_timer(VOTES_ARE_LATE);
        Count::default()
    }

    fn message(&self, count: &mut Count, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            // The decision is final; late votes are ignored.
            _ if count.decision.is_some() => {}
            Message::Vote(true) => {
                count.yes.insert(from);
                if count.yes.len() == self.participants.len() {
                    self.decide(count, Decision::Commit, ctx);
                }
            }
            Message::Vote(false) => self.decide(count, Decision::Abort, ctx),
            _ => unreachable!("the coordinator receives only votes"),
        }
    }

    fn timer(&self, count: &mut Count, timer: &'static str, ctx: &mut Context<'_>) {
        match (timer, count.decision) {
            // One message per step, so that the coordinator can crash when it has sent the decision to some participants only.
            (SEND_DECISION, Some(decision)) => {
                ctx.send(self.participants[count.told], Message::Decided(decision));
                count.told += 1;
                if count.told < self.participants.len() {
                    ctx.set_timer(SEND_DECISION);
                }
            }
            _ => self.decide(count, Decision::Abort, ctx),
        }
    }

    fn durable(&self, count: &Count) -> Option<Count> {
        Some(count.clone())
    }
}

const NO_PREPARE: &str = "nobody asks for my vote";
const NO_DECISION: &str = "nobody tells me the decision";

struct Participant {
    coordinator: Address<Message>,
    others: Vec<Address<Message>>,
    in_doubt: InDoubt,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Part {
    vote: Option<bool>,
    decision: Option<Decision>,
    /// The participants that requested the decision while this one was in doubt.
    askers: BTreeSet<Pid>,
}

impl Participant {
    fn vote(&self, part: &mut Part, yes: bool, ctx: &mut Context<'_>) {
        ctx.cancel_timer(NO_PREPARE);
        part.vote = Some(yes);
        match yes {
            true => ctx.set_timer(NO_DECISION),
            false => self.decide(part, Decision::Abort, ctx),
        }
        ctx.send(self.coordinator, Message::Vote(yes));
    }

    fn decide(&self, part: &mut Part, decision: Decision, ctx: &mut Context<'_>) {
        ctx.cancel_timer(NO_PREPARE);
        ctx.cancel_timer(NO_DECISION);
        part.decision = Some(decision);
        ctx.broadcast(std::mem::take(&mut part.askers), Message::Decided(decision));
    }
}

impl Actor for Participant {
    type State = Part;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Part {
        ctx.set_timer(NO_PREPARE);
        Part::default()
    }

    fn message(&self, part: &mut Part, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match (message, part.decision) {
            (Message::Prepare, None) if part.vote.is_none() => {
                let yes = ctx.flip();
                self.vote(part, yes, ctx);
            }
            (Message::Ask, None) if part.vote.is_none() => {
                self.vote(part, false, ctx);
                ctx.send(from, Message::Decided(Decision::Abort));
            }
            (Message::Ask, None) => {
                part.askers.insert(from);
            }
            (Message::Ask, Some(decision)) => ctx.send(from, Message::Decided(decision)),
            (Message::Decided(decision), None) => self.decide(part, *decision, ctx),
            // Votes and decisions are final.
            (Message::Decided(_), Some(_)) | (Message::Prepare, _) => {}
            (Message::Vote(_), _) => unreachable!("votes are sent to the coordinator"),
        }
    }

    fn timer(&self, part: &mut Part, timer: &'static str, ctx: &mut Context<'_>) {
        match self.in_doubt {
            _ if timer == NO_PREPARE => self.vote(part, false, ctx),
            InDoubt::Query => ctx.broadcast(&self.others, Message::Ask),
            InDoubt::Abort => self.decide(part, Decision::Abort, ctx),
        }
    }

    fn durable(&self, part: &Part) -> Option<Part> {
        Some(part.clone())
    }
}

fn decisions<'v>(view: &'v View<'_>) -> impl Iterator<Item = Decision> + 'v {
    let coordinator = view.all::<Count>().filter_map(|(_, count)| count.decision);
    coordinator.chain(view.all::<Part>().filter_map(|(_, part)| part.decision))
}

/// The coordinator has crashed without a decision, and all participants voted yes: they can never decide.
fn is_blocked(view: &View<'_>, coordinator: Handle<Coordinator>) -> bool {
    !view.is_up(coordinator)
        && decisions(view).next().is_none()
        && view.state(coordinator).is_some()
        && view.all::<Part>().all(|(_, part)| part.vote == Some(true))
}

fn system(n: usize, crashes: usize, in_doubt: InDoubt) -> System {
    let mut system = System::new();
    let coordinator = system.reserve("coordinator");
    let reserved: Vec<_> = (1..=n).map(|i| system.reserve(format!("participant {i}"))).collect();
    let participants: Vec<_> = reserved.iter().map(Reserved::address).collect();
    let coordinator = system.define(coordinator, Coordinator { participants: participants.clone() });
    for participant in reserved {
        let others = participants.iter().copied().filter(|&other| other != participant.address()).collect();
        system.define(participant, Participant { coordinator: coordinator.address(), others, in_doubt });
    }
    let system = system
        .sends_only_to(coordinator, participants)
        .faults(Faults { crashes: crashes as u8, ..Faults::default() })
        .always_stable("all decide the same", |view| {
            let mut decisions = decisions(view);
            decisions.next().is_none_or(|first| decisions.all(|other| other == first))
        })
        .always_stable("nobody commits if somebody votes no", |view| {
            let no = view.all::<Part>().any(|(_, part)| part.vote == Some(false));
            !no || decisions(view).all(|decision| decision == Decision::Abort)
        })
        .sometimes("all commit", move |view| {
            view.all::<Part>().filter(|(_, part)| part.decision == Some(Decision::Commit)).count() == n
        })
        .at_rest("nobody is in doubt while somebody who is up knows", |view| {
            let up = || view.all::<Part>().filter(|&(participant, _)| view.is_up(participant));
            up().all(|(_, part)| part.decision.is_none()) || up().all(|(_, part)| part.decision.is_some())
        });
    match crashes {
        0 => system.at_rest("all have decided", move |view| decisions(view).count() == n + 1),
        _ => system.sometimes("all are in doubt for ever", move |view| is_blocked(view, coordinator)),
    }
}
