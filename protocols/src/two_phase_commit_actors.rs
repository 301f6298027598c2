//! `two-phase-commit-actors`: a coordinator asks `n` participants for their votes, commits if all vote yes, and tells one after the other;
//! `crashes` of them all may go down for good, at any time. Nobody waits for ever for somebody who is down without doing something about it:
//! - the coordinator aborts when a vote takes too long;
//! - a participant that has not been asked yet votes no on its own;
//! - a participant that voted yes and hears nothing is in doubt: it must not decide, but it asks the other participants. Whoever has decided
//!   answers, whoever has not voted yet votes no and answers, and whoever is in doubt too answers when it knows.
//!
//! All who decide decide the same, whoever is down, and nobody commits if somebody voted no: decisions survive crashes, as if written to
//! disk. It holds under every network, since a decision that overtakes the question is a decision all the same. What two-phase commit cannot
//! do is part of the model as well: if the coordinator goes down at the wrong moment, all others are in doubt for ever; but nobody
//! stays in doubt while somebody who is up knows.
//!
//! `two-phase-commit-actors-bug` has participants that abort when they hear nothing although they voted yes: the coordinator may have
//! told another to commit.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Context, Faults, System, View};
use std::collections::BTreeSet;

const PARAMS: &[Param] =
    &[Param::int("n", 2, 1..=16, "participants"), Param::int("crashes", 1, 0..=16, "actors that go down")];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "two-phase-commit-actors",
    summary: "two-phase commit with timeouts and crashes: agreement, and blocking",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("crashes"), InDoubt::Ask))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "two-phase-commit-actors-bug",
    summary: "participants in doubt abort: others may have committed",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("crashes"), InDoubt::Abort))),
};

/// What a participant does that voted yes and hears nothing.
#[derive(Clone, Copy)]
enum InDoubt {
    Ask,
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
    /// A participant in doubt asks for the decision.
    Ask,
}

const VOTES_ARE_LATE: &str = "votes are late";
const TELL: &str = "tell the next participant";

struct Coordinator {
    participants: Vec<Pid>,
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
        ctx.set_timer(TELL);
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
            // It is too late to vote.
            _ if count.decision.is_some() => {}
            Message::Vote(true) => {
                count.yes.insert(from);
                if count.yes.len() == self.participants.len() {
                    self.decide(count, Decision::Commit, ctx);
                }
            }
            Message::Vote(false) => self.decide(count, Decision::Abort, ctx),
            _ => unreachable!("the coordinator gets votes"),
        }
    }

    fn timer(&self, count: &mut Count, timer: &'static str, ctx: &mut Context<'_>) {
        match (timer, count.decision) {
            // One a step, so that it can go down when it has told some and not the others.
            (TELL, Some(decision)) => {
                ctx.send(self.participants[count.told], Message::Decided(decision));
                count.told += 1;
                if count.told < self.participants.len() {
                    ctx.set_timer(TELL);
                }
            }
            _ => self.decide(count, Decision::Abort, ctx),
        }
    }

    fn durable(&self, count: &Count) -> Option<Count> {
        Some(count.clone())
    }
}

const NOT_ASKED: &str = "nobody asks for my vote";
const NO_DECISION: &str = "nobody tells me the decision";

struct Participant {
    coordinator: Pid,
    others: Vec<Pid>,
    in_doubt: InDoubt,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Part {
    vote: Option<bool>,
    decision: Option<Decision>,
    /// Who asked while this one was in doubt itself.
    askers: BTreeSet<Pid>,
}

impl Participant {
    fn vote(&self, part: &mut Part, yes: bool, ctx: &mut Context<'_>) {
        ctx.cancel_timer(NOT_ASKED);
        part.vote = Some(yes);
        match yes {
            true => ctx.set_timer(NO_DECISION),
            false => self.decide(part, Decision::Abort, ctx),
        }
        ctx.send(self.coordinator, Message::Vote(yes));
    }

    fn decide(&self, part: &mut Part, decision: Decision, ctx: &mut Context<'_>) {
        ctx.cancel_timer(NOT_ASKED);
        ctx.cancel_timer(NO_DECISION);
        part.decision = Some(decision);
        ctx.broadcast(&std::mem::take(&mut part.askers), Message::Decided(decision));
    }
}

impl Actor for Participant {
    type State = Part;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Part {
        ctx.set_timer(NOT_ASKED);
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
            (Message::Vote(_), _) => unreachable!("votes are for the coordinator"),
        }
    }

    fn timer(&self, part: &mut Part, timer: &'static str, ctx: &mut Context<'_>) {
        match self.in_doubt {
            _ if timer == NOT_ASKED => self.vote(part, false, ctx),
            InDoubt::Ask => ctx.broadcast(&self.others, Message::Ask),
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

/// The coordinator is down and undecided, and all voted yes: nobody will ever know.
fn is_blocked(view: &View<'_>, coordinator: Pid) -> bool {
    !view.is_up(coordinator)
        && decisions(view).next().is_none()
        && view.get::<Count>(coordinator).is_some()
        && view.all::<Part>().all(|(_, part)| part.vote == Some(true))
}

fn system(n: usize, crashes: usize, in_doubt: InDoubt) -> System {
    let mut system = System::new();
    let participants: Vec<Pid> = (1..=n as u16).map(Pid::root).collect();
    let coordinator = system.add("coordinator", Coordinator { participants: participants.clone() });
    for (i, &me) in participants.iter().enumerate() {
        let others = participants.iter().copied().filter(|&other| other != me).collect();
        system.add(format!("participant {}", i + 1), Participant { coordinator, others, in_doubt });
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
