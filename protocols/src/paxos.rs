//! `paxos`: single-decree Paxos. Each of `p` proposers has a value of its own. It collects promises from a majority of the `a`
//! acceptors, then requests that they accept a value; `l` learners count the votes. A proposer tries at most `r` ballots and may
//! start its next ballot at any time. At most one value is chosen (agreement), and only a proposed value is chosen (validity).
//! With `check=linearizable` consensus is also checked as an object: learners return the value that was proposed first, in some
//! order of the proposals.
//!
//! `paxos-bug`: acceptors break their promises. They accept a ballot although they have promised a higher one, so a majority can
//! choose a value after another proposer has collected promises that report no vote: two values are chosen.

use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Reserved, System, View};
use manyworlds::linear::Spec;
use manyworlds::{Network, Pid};

const PARAMS: &[Param] = &[
    Param::int("p", 2, 1..=4, "proposers"),
    Param::int("a", 3, 1..=7, "acceptors"),
    Param::int("l", 1, 1..=3, "learners"),
    Param::int("r", 1, 1..=4, "ballots that each proposer tries"),
    Param::choice("check", &["agreement", "linearizable"], "agreement and validity, or also linearizability"),
];

/// The model `paxos`.
pub const MODEL: Model = Model {
    name: "paxos",
    summary: "single-decree Paxos: p proposers, a acceptors, l learners; at most one value is chosen",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `paxos-bug`, with a seeded bug.
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

/// The messages of the protocol. Votes are ordered by their ballots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// Phase 1a.
    Prepare(Ballot),
    /// Phase 1b: the ballot, and the acceptor's last vote.
    Promise(Ballot, Vote),
    /// Phase 2a.
    Accept(Vote),
    /// Phase 2b, to the learners.
    Accepted(Vote),
}

/// A value in a ballot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Vote {
    ballot: Ballot,
    value: Value,
}

/// The operations on the consensus object, in histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Decides this value unless a value is already decided. Proposers do not wait for a response.
    Propose(Value),
    /// Waits until a value is decided.
    Learn,
}

/// The response to `Learn`, in histories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decided(Value);

/// The sequential specification of consensus: a cell that is written once; 0 if it is not written yet.
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

/// The processes by role; every process has a copy.
#[derive(Clone)]
struct Roles {
    proposers: u8,
    acceptors: Vec<Address<Message>>,
    learners: Vec<Address<Message>>,
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
    index: u8,
    tries: u8,
}

/// A proposer's state: its current ballot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Proposal {
    ballot: Ballot,
    /// The acceptors that promised, as bits. When they are a majority the proposer sends `Accept` and sets `asked`.
    promises: u8,
    asked: bool,
    /// The highest vote that the promises report.
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
        ctx.invoked(Operation::Propose(self.index + 1));
        self.propose(self.index + 1, ctx)
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
            let value = if state.highest.ballot == 0 { self.index + 1 } else { state.highest.value };
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
            Message::Accept(vote) if vote.ballot >= self.lowest_ballot(state) => {
                *state = Memory { promised: vote.ballot.max(state.promised), last: vote };
                ctx.broadcast(&self.roles.learners, Message::Accepted(vote));
            }
            _ => {}
        }
    }
}

impl Acceptor {
    /// The lowest ballot in which the acceptor may still vote.
    fn lowest_ballot(&self, state: &Memory) -> Ballot {
        if self.keeps_promises { state.promised } else { state.last.ballot }
    }
}

struct Learner {
    roles: Roles,
}

/// A learner's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tally {
    /// The acceptors that voted in each ballot, as bits.
    votes: Vec<u8>,
    /// The values that a majority voted for in one ballot: a bit each.
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

/// All values that some learner has found to be chosen: a bit each.
fn chosen(view: &View<'_>) -> u8 {
    view.all::<Tally>().fold(0, |chosen, (_, tally)| chosen | tally.chosen)
}

fn system(params: &Params, keeps_promises: bool) -> System {
    let [p, a, l, r] = ["p", "a", "l", "r"].map(|name| params.int(name) as u16);
    let mut system = System::new().network(Network::P2p);
    let proposer: Vec<_> = (0..p).map(|index| system.reserve(format!("proposer{index}"))).collect();
    let acceptor: Vec<_> = (0..a).map(|index| system.reserve(format!("acceptor{index}"))).collect();
    let learner: Vec<_> = (0..l).map(|index| system.reserve(format!("learner{index}"))).collect();
    let proposers: Vec<_> = proposer.iter().map(Reserved::address).collect();
    let acceptors = acceptor.iter().map(Reserved::address).collect();
    let learners = learner.iter().map(Reserved::address).collect();
    let roles = Roles { proposers: p as u8, acceptors, learners };
    for (index, proposer) in (0..).zip(proposer) {
        system.define(proposer, Proposer { roles: roles.clone(), index, tries: r as u8 });
    }
    for acceptor in acceptor {
        system.define(acceptor, Acceptor { roles: roles.clone(), keeps_promises });
    }
    for learner in learner {
        system.define(learner, Learner { roles: roles.clone() });
    }
    let system = proposers.iter().fold(system, |system, &pid| system.sends_only_to(pid, roles.acceptors.clone()));
    let receivers = [proposers, roles.learners.clone()].concat();
    let system = roles.acceptors.iter().fold(system, |system, &pid| system.sends_only_to(pid, receivers.clone()));
    let system = roles.learners.iter().fold(system, |system, &pid| system.sends_only_to(pid, Vec::<Pid>::new()));
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
