//! `multi-paxos-map`: a map replicated by Multi-Paxos (DS2 §4.5). `n` agents agree on a log, slot by slot; every operation, a read too, gets a
//! slot, and is answered when all slots up to its own are chosen. Ballot `k` is agent `k - 1`'s. All have promised ballot 1 from
//! the start; in each of the `b - 1` others its agent takes over at some time: it asks all for a promise and for what they have accepted, and
//! when a majority has promised it proposes, for each slot, what was accepted there in the highest ballot, or nothing.
//! Then it goes on with what it is asked. Requests are passed on to the agent of the highest ballot that one has heard of. Right under
//! every network.
//!
//! Whoever is deposed forgets its proposals: the next leader learns of them from the promises and brings them to an end, or nobody does, and the
//! client waits for ever.
//!
//! `multi-paxos-map-bug`: a new leader does not look at what was accepted and begins at the first slot again: what has been chosen, and maybe
//! answered, is overwritten.

use crate::harness::{self, CLIENTS, HARNESS, KEYS, Talk};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::Map;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] =
    &[Param::int("n", 2, 2..=5, "agents"), Param::int("b", 2, 1..=5, "ballots, at most n"), HARNESS, CLIENTS, KEYS];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "multi-paxos-map",
    summary: "a map replicated by Multi-Paxos: n agents, b ballots, each with a leader that goes on where others were",
    params: PARAMS,
    build: Build::Actors(|params| system(params, true)),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "multi-paxos-map-bug",
    summary: "a new leader begins at the first slot again: what was chosen there is lost",
    params: PARAMS,
    build: Build::Actors(|params| system(params, false)),
};

type Ballot = u8;
type Slot = u8;

/// What a client asks, and who.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Command {
    client: Pid,
    operation: Operation<u8, u8>,
}

/// What an agent accepted in a slot; `None`: that the slot stays empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Vote {
    ballot: Ballot,
    command: Option<Command>,
}

/// What an agent has accepted.
pub type Log = BTreeMap<Slot, Vote>;

/// Between clients and agents, and among agents.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A client asks.
    Ask(Operation<u8, u8>),
    /// To the leader.
    Forward(Command),
    /// Promise to accept nothing in lower ballots.
    Prepare(Ballot),
    /// Promised; this is accepted so far.
    Promise(Ballot, Log),
    /// Accept this.
    Accept(Slot, Vote),
    /// Accepted in this ballot.
    Accepted(Slot, Ballot),
    /// What a client is told about a key.
    Answer(u8, Response<u8>),
}

impl Talk for Message {
    type Operation = Operation<u8, u8>;
    type Response = Response<u8>;

    fn ask(operation: Operation<u8, u8>) -> Message {
        Message::Ask(operation)
    }

    fn answer(&self) -> Option<Response<u8>> {
        if let Message::Answer(_, response) = self { Some(*response) } else { None }
    }

    /// All keys share one log and its leader, so only answers are about one.
    fn key(&self) -> Option<u8> {
        if let Message::Answer(key, _) = self { Some(*key) } else { None }
    }
}

/// What an agent does in its own ballot. Sets of agents are a bit each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It has none, or not yet, or lost it.
    Follows,
    /// It asks for promises.
    Prepares {
        /// Who has promised.
        promises: u8,
        /// What was accepted in the highest ballot that it was told of.
        learned: Log,
        /// What it was asked meanwhile.
        put_off: Vec<Command>,
    },
    /// It proposes.
    Leads {
        /// Who has accepted its proposals, by slot.
        votes: Vec<u8>,
        /// The slots that are answered.
        answered: Slot,
    },
}

/// An agent's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Replica {
    promised: Ballot,
    log: Log,
    role: Role,
}

struct Agent {
    agents: Vec<Pid>,
    nth: usize,
    /// It may take over.
    takes_over: bool,
    goes_on: bool,
}

impl Agent {
    fn ballot(&self) -> Ballot {
        self.nth as Ballot + 1
    }

    fn bit(&self, agent: Pid) -> u8 {
        let nth = self.agents.iter().position(|&pid| pid == agent).expect("only agents answer");
        1 << nth
    }

    fn is_majority(&self, agents: u8) -> bool {
        2 * agents.count_ones() as usize > self.agents.len()
    }

    fn tell_others(&self, message: &Message, ctx: &mut Context<'_>) {
        let me = ctx.me();
        ctx.broadcast(self.agents.iter().filter(|&&pid| pid != me), message.clone());
    }

    /// Hears of a ballot; `false` if it has promised a higher one.
    fn hears(&self, state: &mut Replica, ballot: Ballot) -> bool {
        if ballot > state.promised {
            state.promised = ballot;
            state.role = Role::Follows;
        }
        ballot == state.promised
    }

    fn request(&self, state: &mut Replica, command: Command, ctx: &mut Context<'_>) {
        match &mut state.role {
            Role::Follows => ctx.send(self.agents[usize::from(state.promised) - 1], Message::Forward(command)),
            Role::Prepares { put_off, .. } => put_off.push(command),
            Role::Leads { .. } => self.propose(state, Some(command), ctx),
        }
    }

    /// Proposes something for the next slot.
    fn propose(&self, state: &mut Replica, command: Option<Command>, ctx: &mut Context<'_>) {
        let Role::Leads { votes, .. } = &mut state.role else { return };
        let (slot, vote) = (votes.len() as Slot, Vote { ballot: self.ballot(), command });
        votes.push(1 << self.nth);
        state.log.insert(slot, vote);
        self.tell_others(&Message::Accept(slot, vote), ctx);
    }

    fn promised(&self, state: &mut Replica, from: Pid, log: &Log, ctx: &mut Context<'_>) {
        let Role::Prepares { promises, learned, put_off } = &mut state.role else { return };
        *promises |= self.bit(from);
        for (&slot, &vote) in log {
            let known = learned.entry(slot).or_insert(vote);
            *known = if vote.ballot > known.ballot { vote } else { *known };
        }
        if self.is_majority(*promises) {
            let (learned, put_off) = (std::mem::take(learned), std::mem::take(put_off));
            state.role = Role::Leads { votes: Vec::new(), answered: 0 };
            let slots = learned.last_key_value().map_or(0, |(&slot, _)| slot + 1);
            for slot in (0..slots).filter(|_| self.goes_on) {
                self.propose(state, learned.get(&slot).and_then(|vote| vote.command), ctx);
            }
            put_off.into_iter().for_each(|command| self.propose(state, Some(command), ctx));
        }
    }

    fn accepted(&self, state: &mut Replica, slot: Slot, from: Pid, ctx: &mut Context<'_>) {
        let Role::Leads { votes, answered } = &mut state.role else { return };
        votes[usize::from(slot)] |= self.bit(from);
        while votes.get(usize::from(*answered)).is_some_and(|&votes| self.is_majority(votes)) {
            answer(&state.log, *answered, ctx);
            *answered += 1;
        }
    }
}

/// Answers whoever asked for what is in this slot: all slots before it are chosen too.
fn answer(log: &Log, slot: Slot, ctx: &mut Context<'_>) {
    let commands = |slots| log.range(slots).filter_map(|(_, vote)| vote.command);
    let mut map = BTreeMap::new();
    for before in commands(0..slot) {
        Map::new().apply(&mut map, &before.operation);
    }
    for Command { client, operation } in commands(slot..slot + 1) {
        let response = Map::new().apply(&mut map, &operation);
        ctx.send(client, Message::Answer(*operation.key(), response));
    }
}

impl Actor for Agent {
    type State = Replica;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Replica {
        if self.takes_over {
            ctx.set_timer("take over");
        }
        let role = if self.nth == 0 { Role::Leads { votes: Vec::new(), answered: 0 } } else { Role::Follows };
        Replica { promised: 1, log: Log::new(), role }
    }

    fn message(&self, state: &mut Replica, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Ask(operation) => self.request(state, Command { client: from, operation: *operation }, ctx),
            Message::Forward(command) => self.request(state, *command, ctx),
            Message::Prepare(ballot) if *ballot > state.promised => {
                self.hears(state, *ballot);
                ctx.send(from, Message::Promise(*ballot, state.log.clone()));
            }
            Message::Promise(ballot, log) if *ballot == state.promised => self.promised(state, from, log, ctx),
            Message::Accept(slot, vote) if self.hears(state, vote.ballot) => {
                state.log.insert(*slot, *vote);
                ctx.send(from, Message::Accepted(*slot, vote.ballot));
            }
            Message::Accepted(slot, ballot) if *ballot == state.promised => self.accepted(state, *slot, from, ctx),
            // A ballot that is over.
            _ => {}
        }
    }

    fn timer(&self, state: &mut Replica, _: &'static str, ctx: &mut Context<'_>) {
        if self.ballot() > state.promised {
            state.promised = self.ballot();
            let learned = state.log.clone();
            state.role = Role::Prepares { promises: 1 << self.nth, learned, put_off: Vec::new() };
            self.tell_others(&Message::Prepare(self.ballot()), ctx);
        }
    }
}

fn system(params: &Params, goes_on: bool) -> Result<System, String> {
    let (n, b) = (params.int("n"), params.int("b"));
    if b > n {
        return Err(format!("parameter `b` is {b}, but each ballot needs an agent, and `n` is {n}"));
    }
    let agents: Vec<Pid> = (0..n as u16).map(Pid::root).collect();
    let mut system = System::new().network(Network::Asyn);
    for nth in 0..n {
        let takes_over = nth > 0 && nth < b;
        system.add(format!("agent{nth}"), Agent { agents: agents.clone(), nth, takes_over, goes_on });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    let system = system.touches(Message::touches).linearizable(Map::<u8, u8>::new());
    Ok(match b {
        1 => system.at_rest("every request is answered", harness::all_answered::<Message>),
        _ => system,
    })
}
