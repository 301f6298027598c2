//! `multi-paxos-map`: a map replicated by Multi-Paxos (DS2 §4.5). `n` agents agree on a log, slot by slot. Every operation,
//! including a read, gets a slot, and is answered when all slots up to its own are chosen. Ballot `k` belongs to agent `k - 1`.
//! All agents have initially promised ballot 1; in each of the `b - 1` other ballots its agent takes over at some time: it
//! requests from all agents a promise and the votes that they have accepted, and when a majority has promised it proposes, for
//! each slot, the command that was accepted there in the highest ballot, or an empty slot. Then it proposes the commands that it
//! receives. An agent that is not the leader forwards requests to the agent of the highest ballot that it has seen. Correct under
//! every network.
//!
//! A deposed leader discards its proposals: the next leader learns them from the promises and completes them; otherwise no agent
//! does, and the client never gets a response.
//!
//! `multi-paxos-map-bug`: a new leader ignores the accepted votes and starts at the first slot again, so it overwrites commands
//! that were chosen and possibly answered.

use crate::harness::{self, CLIENTS, ClientMessage, HARNESS, KEYS};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Reserved, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::Map;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] =
    &[Param::int("n", 2, 2..=5, "agents"), Param::int("b", 2, 1..=5, "ballots, at most n"), HARNESS, CLIENTS, KEYS];

/// The model `multi-paxos-map`.
pub const MODEL: Model = Model {
    name: "multi-paxos-map",
    summary: "a map replicated by Multi-Paxos: n agents, b ballots, each with a leader that continues the log",
    params: PARAMS,
    build: Build::Actors(|params| system(params, true)),
};

/// The model `multi-paxos-map-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "multi-paxos-map-bug",
    summary: "a new leader starts at the first slot again: chosen commands are lost",
    params: PARAMS,
    build: Build::Actors(|params| system(params, false)),
};

type Ballot = u8;
type Slot = u8;

/// An operation and the client that requested it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Command {
    client: Pid,
    operation: Operation<u8, u8>,
}

/// The vote of an agent for a slot; the command `None` leaves the slot empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Vote {
    ballot: Ballot,
    command: Option<Command>,
}

/// The votes that an agent has accepted, by slot.
pub type Log = BTreeMap<Slot, Vote>;

/// Messages between clients and agents, and among agents.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A request from a client.
    Ask(Operation<u8, u8>),
    /// A command, forwarded to the leader.
    Forward(Command),
    /// Requests a promise to accept nothing in lower ballots.
    Prepare(Ballot),
    /// The promise, with the votes accepted so far.
    Promise(Ballot, Log),
    /// Requests that the receiver accept this vote.
    Accept(Slot, Vote),
    /// The slot was accepted in this ballot.
    Accepted(Slot, Ballot),
    /// The response to a client, for a key.
    Answer(u8, Response<u8>),
}

impl ClientMessage for Message {
    type Operation = Operation<u8, u8>;
    type Response = Response<u8>;

    fn request(operation: Operation<u8, u8>) -> Message {
        Message::Ask(operation)
    }

    fn response(&self) -> Option<Response<u8>> {
        if let Message::Answer(_, response) = self { Some(*response) } else { None }
    }

    /// All keys share one log and its leader, so only responses concern a single key.
    fn key(&self) -> Option<u8> {
        if let Message::Answer(key, _) = self { Some(*key) } else { None }
    }
}

/// The role of an agent in its own ballot. Sets of agents have a bit for each agent.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// The agent has no ballot, has not started it yet, or was deposed.
    Follows,
    /// The agent collects promises.
    Prepares {
        /// The agents that have promised.
        promises: u8,
        /// For each slot the reported vote with the highest ballot.
        learned: Log,
        /// The commands that it received meanwhile.
        put_off: Vec<Command>,
    },
    /// The agent proposes commands.
    Leads {
        /// The agents that have accepted its proposals, by slot.
        votes: Vec<u8>,
        /// The number of slots that are answered.
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
    agents: Vec<Address<Message>>,
    index: usize,
    /// Whether the agent starts a ballot of its own.
    takes_over: bool,
    /// Whether a new leader adopts the votes that the promises report.
    adopts_votes: bool,
}

impl Agent {
    fn ballot(&self) -> Ballot {
        self.index as Ballot + 1
    }

    fn bit(&self, agent: Pid) -> u8 {
        let index = self.agents.iter().position(|&pid| pid == agent).expect("only agents answer");
        1 << index
    }

    fn is_majority(&self, agents: u8) -> bool {
        2 * agents.count_ones() as usize > self.agents.len()
    }

    fn broadcast(&self, message: &Message, ctx: &mut Context<'_>) {
        let me = ctx.me();
        ctx.broadcast(self.agents.iter().filter(|&&pid| pid != me), message.clone());
    }

    /// Records the ballot of a received message; returns `false` if a higher one was promised.
    fn observe_ballot(&self, state: &mut Replica, ballot: Ballot) -> bool {
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

    /// Proposes a command, or an empty slot, for the next slot.
    fn propose(&self, state: &mut Replica, command: Option<Command>, ctx: &mut Context<'_>) {
        let Role::Leads { votes, .. } = &mut state.role else { return };
        let (slot, vote) = (votes.len() as Slot, Vote { ballot: self.ballot(), command });
        votes.push(1 << self.index);
        state.log.insert(slot, vote);
        self.broadcast(&Message::Accept(slot, vote), ctx);
    }

    fn promised(&self, state: &mut Replica, from: Pid, log: &Log, ctx: &mut Context<'_>) {
        let Role::Prepares { promises, learned, put_off } = &mut state.role else { return };
        *promises |= self.bit(from);
        for (&slot, &vote) in log {
            let highest = learned.entry(slot).or_insert(vote);
            *highest = if vote.ballot > highest.ballot { vote } else { *highest };
        }
        if self.is_majority(*promises) {
            let (learned, put_off) = (std::mem::take(learned), std::mem::take(put_off));
            state.role = Role::Leads { votes: Vec::new(), answered: 0 };
            let slots = learned.last_key_value().map_or(0, |(&slot, _)| slot + 1);
            for slot in (0..slots).filter(|_| self.adopts_votes) {
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

/// Responds to the client whose command is in this slot. All slots before it are chosen, too.
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
        let role = if self.index == 0 { Role::Leads { votes: Vec::new(), answered: 0 } } else { Role::Follows };
        Replica { promised: 1, log: Log::new(), role }
    }

    fn message(&self, state: &mut Replica, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Ask(operation) => self.request(state, Command { client: from, operation: *operation }, ctx),
            Message::Forward(command) => self.request(state, *command, ctx),
            Message::Prepare(ballot) if *ballot > state.promised => {
                self.observe_ballot(state, *ballot);
                ctx.send(from, Message::Promise(*ballot, state.log.clone()));
            }
            Message::Promise(ballot, log) if *ballot == state.promised => self.promised(state, from, log, ctx),
            Message::Accept(slot, vote) if self.observe_ballot(state, vote.ballot) => {
                state.log.insert(*slot, *vote);
                ctx.send(from, Message::Accepted(*slot, vote.ballot));
            }
            Message::Accepted(slot, ballot) if *ballot == state.promised => self.accepted(state, *slot, from, ctx),
            // A message of a superseded ballot.
            _ => {}
        }
    }

    fn timer(&self, state: &mut Replica, _: &'static str, ctx: &mut Context<'_>) {
        if self.ballot() > state.promised {
            state.promised = self.ballot();
            let learned = state.log.clone();
            state.role = Role::Prepares { promises: 1 << self.index, learned, put_off: Vec::new() };
            self.broadcast(&Message::Prepare(self.ballot()), ctx);
        }
    }
}

fn system(params: &Params, adopts_votes: bool) -> Result<System, String> {
    let (n, b) = (params.int("n"), params.int("b"));
    if b > n {
        return Err(format!("parameter `b` is {b}, but each ballot needs an agent, and `n` is {n}"));
    }
    let mut system = System::new().network(Network::Asyn);
    let reserved: Vec<_> = (0..n).map(|index| system.reserve(format!("agent{index}"))).collect();
    let agents: Vec<_> = reserved.iter().map(Reserved::address).collect();
    for (index, agent) in reserved.into_iter().enumerate() {
        let takes_over = index > 0 && index < b;
        system.define(agent, Agent { agents: agents.clone(), index, takes_over, adopts_votes });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    let system = system.touches(Message::touches).linearizable(Map::<u8, u8>::new());
    Ok(match b {
        1 => system.at_rest("every request is answered", harness::all_answered::<Message>),
        _ => system,
    })
}
