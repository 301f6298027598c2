//! `adr`: DS2's second replicated register. Every agent can be a leader: it leads the requests that clients send to it. A write
//! gets a timestamp above all that the agent has seen. Agents that hold nothing newer store the write; the others refuse it and
//! reply with the value that they hold. A write is acknowledged when a majority has stored it. When so many agents refused that
//! a majority is impossible, the leader retries with a higher timestamp. A read queries all agents and returns the value that a
//! majority holds; if there is no such value, the leader retries. A request is retried at most `r` times; then its client gets
//! no response. Correct under every network.
//!
//! Retries are safe: the timestamp of an abandoned attempt is held by less than a majority, now and later, so no read returns
//! its value, and a write takes effect under one timestamp only. A value that an operation returned, or a newer one, is held by a
//! majority; so later writes get higher timestamps, and later reads return this value or a newer one.
//!
//! `adr-bug`: a leader answers reads from its own replica, without querying the others. A read at the leader of a write returns
//! the new value while a later read at another agent still returns the old one. (Not under mbox, where the messages of the
//! leader arrive before all messages that are sent later.)

use crate::harness::{self, CLIENTS, ClientMessage, HARNESS};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Reserved, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] =
    &[Param::int("n", 2, 2..=7, "agents"), HARNESS, CLIENTS, Param::int("r", 1, 0..=3, "retries of a request")];

/// The model `adr`.
pub const MODEL: Model = Model {
    name: "adr",
    summary: "DS2's second replicated register: each of n agents may lead, and retries a refused request up to r times",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `adr-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "adr-bug",
    summary: "an agent answers reads from its own replica: a later read may return an older value",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// A value with its timestamp: a logical time and the agent that led the write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamped {
    time: u8,
    leader: u8,
    value: u8,
}

/// Messages between clients and agents, and among agents. A request is identified by its client; the number is that of the attempt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A request from a client.
    Ask(Operation<u8>),
    /// Requests that the receiver store this value, unless it holds a newer one.
    WriteReplica(Pid, u8, Stamped),
    /// The value was stored.
    WriteReplicaAck(Pid, u8, Stamped),
    /// The value was refused; this is the newer value that the sender holds.
    WriteReplicaNack(Pid, u8, Stamped),
    /// Requests the value that the receiver holds.
    ReadReplica(Pid, u8),
    /// The value that the sender holds.
    ReadReplicaAck(Pid, u8, Stamped),
    /// The response to a client.
    Answer(Response<u8>),
}

impl ClientMessage for Message {
    type Operation = Operation<u8>;
    type Response = Response<u8>;

    fn request(operation: Operation<u8>) -> Message {
        Message::Ask(operation)
    }

    fn response(&self) -> Option<Response<u8>> {
        if let Message::Answer(response) = self { Some(*response) } else { None }
    }

    /// A register is a map with one key.
    fn key(&self) -> Option<u8> {
        Some(0)
    }
}

/// A request that an agent leads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attempt {
    operation: Operation<u8>,
    /// The number of previous attempts.
    number: u8,
    /// The reply of each agent.
    told: Vec<Told>,
}

/// The reply of an agent to an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Told {
    /// No reply yet.
    Nothing,
    /// The agent holds this value.
    Has(Stamped),
    /// The agent refused the write.
    Refused,
}

/// An agent's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Replica {
    held: Stamped,
    /// The highest time that the agent has seen.
    time: u8,
    leads: BTreeMap<Pid, Attempt>,
}

struct Agent {
    agents: Vec<Address<Message>>,
    index: usize,
    retries: u8,
    reads_query: bool,
}

impl Agent {
    fn others(&self) -> impl Iterator<Item = &Address<Message>> {
        self.agents.iter().enumerate().filter(|(index, _)| *index != self.index).map(|(_, pid)| pid)
    }

    fn majority(&self) -> usize {
        self.agents.len() / 2 + 1
    }

    fn attempt(&self, state: &mut Replica, client: Pid, operation: Operation<u8>, number: u8, ctx: &mut Context<'_>) {
        let message = match operation {
            Operation::Write(value) => {
                state.time += 1;
                state.held = Stamped { time: state.time, leader: self.index as u8, value };
                Message::WriteReplica(client, number, state.held)
            }
            Operation::Read => Message::ReadReplica(client, number),
        };
        let mut told = vec![Told::Nothing; self.agents.len()];
        told[self.index] = Told::Has(state.held);
        state.leads.insert(client, Attempt { operation, number, told });
        ctx.broadcast(self.others(), message);
    }

    /// Handles the reply of an agent to an attempt.
    fn reply(&self, state: &mut Replica, client: Pid, number: u8, from: Pid, reply: Told, ctx: &mut Context<'_>) {
        let Some(attempt) = state.leads.get_mut(&client).filter(|attempt| attempt.number == number) else { return };
        let agent = self.agents.iter().position(|&pid| pid == from).expect("only agents answer");
        attempt.told[agent] = reply;
        let attempt = attempt.clone();
        if let Some(response) = self.outcome(&attempt) {
            state.leads.remove(&client);
            ctx.send(client, Message::Answer(response));
        } else if self.has_failed(&attempt) {
            state.leads.remove(&client);
            if number < self.retries {
                self.attempt(state, client, attempt.operation, number + 1, ctx);
            }
        }
    }

    /// The response on which a majority agrees.
    fn outcome(&self, attempt: &Attempt) -> Option<Response<u8>> {
        let votes = |reply: &Told| attempt.told.iter().filter(|other| *other == reply).count();
        attempt.told.iter().filter(|reply| votes(reply) >= self.majority()).find_map(|reply| {
            match (attempt.operation, reply) {
                (Operation::Write(_), Told::Has(_)) => Some(Response::Written),
                (Operation::Read, Told::Has(held)) => Some(Response::Read(held.value)),
                _ => None,
            }
        })
    }

    /// Whether a majority is no longer possible.
    fn has_failed(&self, attempt: &Attempt) -> bool {
        let refused = attempt.told.iter().filter(|reply| **reply == Told::Refused).count();
        let all_replied = !attempt.told.contains(&Told::Nothing);
        all_replied || self.agents.len() - refused < self.majority()
    }
}

impl Actor for Agent {
    type State = Replica;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Replica {
        Replica::default()
    }

    fn message(&self, state: &mut Replica, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Ask(Operation::Read) if !self.reads_query => {
                ctx.send(from, Message::Answer(Response::Read(state.held.value)));
            }
            Message::Ask(operation) => self.attempt(state, from, operation, 0, ctx),
            Message::WriteReplica(client, number, stamped) if stamped > state.held => {
                state.held = stamped;
                state.time = state.time.max(stamped.time);
                ctx.send(from, Message::WriteReplicaAck(client, number, stamped));
            }
            Message::WriteReplica(client, number, _) => {
                ctx.send(from, Message::WriteReplicaNack(client, number, state.held));
            }
            Message::WriteReplicaNack(client, number, newer) => {
                state.time = state.time.max(newer.time);
                self.reply(state, client, number, from, Told::Refused, ctx);
            }
            Message::ReadReplica(client, number) => {
                ctx.send(from, Message::ReadReplicaAck(client, number, state.held));
            }
            Message::WriteReplicaAck(client, number, held) | Message::ReadReplicaAck(client, number, held) => {
                self.reply(state, client, number, from, Told::Has(held), ctx);
            }
            Message::Answer(_) => {}
        }
    }
}

fn system(params: &Params, reads_query: bool) -> System {
    let mut system = System::new().network(Network::Asyn);
    let reserved: Vec<_> = (0..params.int("n")).map(|index| system.reserve(format!("agent{index}"))).collect();
    let agents: Vec<_> = reserved.iter().map(Reserved::address).collect();
    for (index, agent) in reserved.into_iter().enumerate() {
        let retries = params.int("r") as u8;
        system.define(agent, Agent { agents: agents.clone(), index, retries, reads_query });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    system
        .touches(Message::touches)
        .linearizable(Register::new(0u8))
        .at_rest("no attempt hangs", |view| view.all::<Replica>().all(|(_, replica)| replica.leads.is_empty()))
}
