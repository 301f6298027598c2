//! `paxos`: the single-decree synod. `p` proposers, each with a value of its own, get promises from a majority of the `a` acceptors, then
//! ask them to accept a value; `l` learners count the votes. A proposer tries `r` ballots at most and starts the next whenever it likes.
//! Never are two values chosen, and none that nobody proposed. With `check=linearizable` this is put as an object: what learners learn is what
//! was proposed first, in some order of the proposals.
//!
//! `paxos-bug`: acceptors do not keep their promises. They accept a ballot although they have promised a higher one, so a majority can
//! choose a value after another proposer was told that nothing had been accepted: two values are chosen.

use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System, View};
use manyworlds::linear::Spec;
use manyworlds::{Network, Pid};

const PARAMS: &[Param] = &[
    Param::int("p", 2, 1..=4, "proposers"),
    Param::int("a", 3, 1..=7, "acceptors"),
    Param::int("l", 1, 1..=3, "learners"),
    Param::int("r", 1, 1..=4, "ballots that each proposer tries"),
    Param::choice(
        "check",
        &["agreement", "linearizable"],
        "that one value is chosen, or also that it is the first one",
    ),
];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "paxos",
    summary: "single-decree Paxos: p proposers, a acceptors, l learners; at most one value is chosen",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "paxos-bug",
    summary: "acceptors accept ballots below the one they promised: two values are chosen",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// Ballot 0 is none; proposer `i` of `p` owns the ballots `i + 1`, `p + i + 1`, …
type Ballot = u8;
/// Value 0 is none; proposer `i` proposes `i + 1`.
type Value = u8;

/// What a proposer, an acceptor or a learner says. Votes are ordered by their ballots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// Phase 1a.
    Prepare(Ballot),
    /// Phase 1b: the ballot, and the last vote.
    Promise(Ballot, Vote),
    /// Phase 2a.
    Accept(Vote),
    /// Phase 2b, for the learners.
    Accepted(Vote),
}

/// A value in a ballot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Vote {
    ballot: Ballot,
    value: Value,
}

/// What proposers and learners ask of consensus as an object, in histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Decide for this, unless something is decided. Proposers do not wait for an answer.
    Propose(Value),
    /// Wait until something is decided.
    Learn,
}

/// What a learner is told, in histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decided(Value);

/// A cell that is written once; 0: not yet.
struct Consensus;

impl Spec for Consensus {
    type State = Value;
    type Operation = Operation;
    type Response = Decided;

    fn initial(&self) -> Value {
        0
    }

    fn outcomes(&self, decided: &Value, operation: &Operation, out: &mut Vec<(Value, Decided)>) {
        match (decided, operation) {
            (0, Operation::Propose(value)) => out.push((*value, Decided(*value))),
            (0, Operation::Learn) => {}
            (&decided, _) => out.push((decided, Decided(decided))),
        }
    }
}

/// Who is who; everybody has a copy.
#[derive(Clone)]
struct Roles {
    proposers: u8,
    acceptors: Vec<Pid>,
    learners: Vec<Pid>,
}

impl Roles {
    fn is_majority(&self, acceptors: u8) -> bool {
        2 * acceptors.count_ones() as usize > self.acceptors.len()
    }

    /// The set with this acceptor only.
    fn bit(&self, acceptor: Pid) -> u8 {
        let at = self.acceptors.iter().position(|&pid| pid == acceptor).expect("only acceptors answer");
        1 << at
    }
}

struct Proposer {
    roles: Roles,
    nth: u8,
    tries: u8,
}

/// A proposer's state: its current ballot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposal {
    ballot: Ballot,
    /// The acceptors that promised, until they are a majority; then it has asked for votes.
    promises: u8,
    asked: bool,
    /// The highest vote that it was told of.
    highest: Vote,
}

impl Proposer {
    fn propose(&self, ballot: Ballot, ctx: &mut Context<'_>) -> Proposal {
        ctx.broadcast(&self.roles.acceptors, Message::Prepare(ballot));
        if ballot + self.roles.proposers <= self.tries * self.roles.proposers {
            ctx.set_timer("retry");
        }
        Proposal { ballot, promises: 0, asked: false, highest: Vote::default() }
    }
}

impl Actor for Proposer {
    type State = Proposal;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Proposal {
        ctx.invoked(Operation::Propose(self.nth + 1));
        self.propose(self.nth + 1, ctx)
    }

    fn message(&self, state: &mut Proposal, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        let &Message::Promise(ballot, vote) = message else { return };
        if ballot != state.ballot || state.asked {
            return;
        }
        state.promises |= self.roles.bit(from);
        state.highest = state.highest.max(vote);
        if self.roles.is_majority(state.promises) {
            state.asked = true;
            let value = if state.highest.ballot == 0 { self.nth + 1 } else { state.highest.value };
            ctx.broadcast(&self.roles.acceptors, Message::Accept(Vote { ballot, value }));
        }
    }

    fn timer(&self, state: &mut Proposal, _: &'static str, ctx: &mut Context<'_>) {
        *state = self.propose(state.ballot + self.roles.proposers, ctx);
    }
}

struct Acceptor {
    roles: Roles,
    keeps_promises: bool,
}

/// An acceptor's state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Memory {
    promised: Ballot,
    last: Vote,
}

impl Actor for Acceptor {
    type State = Memory;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Memory {
        Memory::default()
    }

    fn message(&self, state: &mut Memory, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Prepare(ballot) if ballot > state.promised => {
                state.promised = ballot;
                ctx.send(from, Message::Promise(ballot, state.last));
            }
            Message::Accept(vote) if vote.ballot >= self.bar(state) => {
                *state = Memory { promised: vote.ballot.max(state.promised), last: vote };
                ctx.broadcast(&self.roles.learners, Message::Accepted(vote));
            }
            _ => {}
        }
    }
}

impl Acceptor {
    /// The lowest ballot in which it may still vote.
    fn bar(&self, state: &Memory) -> Ballot {
        if self.keeps_promises { state.promised } else { state.last.ballot }
    }
}

struct Learner {
    roles: Roles,
}

/// A learner's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tally {
    /// Who voted in each ballot.
    votes: Vec<u8>,
    /// The values that it knows to be chosen: a bit each.
    chosen: u8,
}

impl Actor for Learner {
    type State = Tally;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Tally {
        ctx.invoked(Operation::Learn);
        Tally { votes: Vec::new(), chosen: 0 }
    }

    fn message(&self, state: &mut Tally, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        let &Message::Accepted(vote) = message else { return };
        let at = usize::from(vote.ballot);
        if state.votes.len() <= at {
            state.votes.resize(at + 1, 0);
        }
        state.votes[at] |= self.roles.bit(from);
        if self.roles.is_majority(state.votes[at]) && state.chosen & 1 << vote.value == 0 {
            state.chosen |= 1 << vote.value;
            ctx.returned(Decided(vote.value));
            ctx.invoked(Operation::Learn);
        }
    }
}

/// All values that some learner knows to be chosen: a bit each.
fn chosen(view: &View<'_>) -> u8 {
    view.all::<Tally>().fold(0, |chosen, (_, tally)| chosen | tally.chosen)
}

fn system(params: &Params, keeps_promises: bool) -> System {
    let [p, a, l, r] = ["p", "a", "l", "r"].map(|name| params.int(name) as u16);
    let pids = |from: u16, count: u16| (from..from + count).map(Pid::root).collect::<Vec<Pid>>();
    let proposers = pids(0, p);
    let roles = Roles { proposers: p as u8, acceptors: pids(p, a), learners: pids(p + a, l) };
    let mut system = System::new().network(Network::P2p);
    for nth in 0..p as u8 {
        system.add(format!("proposer{nth}"), Proposer { roles: roles.clone(), nth, tries: r as u8 });
    }
    for nth in 0..a {
        system.add(format!("acceptor{nth}"), Acceptor { roles: roles.clone(), keeps_promises });
    }
    for nth in 0..l {
        system.add(format!("learner{nth}"), Learner { roles: roles.clone() });
    }
    let system = proposers.iter().fold(system, |system, &pid| system.sends_only_to(pid, roles.acceptors.clone()));
    let heard = [proposers, roles.learners.clone()].concat();
    let system = roles.acceptors.iter().fold(system, |system, &pid| system.sends_only_to(pid, heard.clone()));
    let system = roles.learners.iter().fold(system, |system, &pid| system.sends_only_to(pid, []));
    let system = if params.text("check") == "linearizable" { system.linearizable(Consensus) } else { system };
    system
        .always_stable("agreement", |view| chosen(view).count_ones() <= 1)
        .always_stable("validity", move |view| chosen(view) & !proposed(p) == 0)
        .sometimes("a value is chosen", |view| chosen(view) != 0)
}

/// The values of `p` proposers: a bit each.
fn proposed(p: u16) -> u8 {
    (1..=p).fold(0, |values, value| values | 1 << value)
}
