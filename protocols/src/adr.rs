//! `adr`: DS2's other replicated register. Every agent may lead: it leads what clients ask of it. A write gets a stamp above all that the
//! agent has seen; the agents that hold nothing newer take it over, the others refuse and say what they have. It is
//! acknowledged when a majority has it. When so many refused that this cannot come about any more, the leader tries again with a higher
//! stamp. A read asks all agents and returns what a majority agrees on; if there is no such value, it tries again. A request is tried again
//! at most `r` times; then its client waits for ever. Right under every network.
//!
//! Why retries do no harm: a stamp whose attempt was given up is held by less than a majority, now and later, so no read returns it, and a
//! write takes effect under one stamp only. What returned is held by a majority, or something newer is; so later writes get higher
//! stamps, and later reads return at least this.
//!
//! `adr-bug`: a leader answers reads by itself, without asking the others. A read at the agent that leads a write
//! returns the new value while a later one elsewhere still finds the old one. (Not under mbox, where what the leader
//! sends has arrived before anything that is sent later.)

use crate::harness::{self, CLIENTS, HARNESS, Talk};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] = &[
    Param::int("n", 2, 2..=7, "agents"),
    HARNESS,
    CLIENTS,
    Param::int("r", 1, 0..=3, "times that a request is tried again"),
];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "adr",
    summary: "DS2's other replicated register: each of n agents may lead, and tries again what others refuse, up to r times",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "adr-bug",
    summary: "an agent answers reads by itself: a read that follows another may return something older",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// When a value was written, by which agent, and the value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamped {
    time: u8,
    leader: u8,
    value: u8,
}

/// Between clients and agents, and among agents. A client stands for its request; the number says which attempt is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A client asks.
    Ask(Operation<u8>),
    /// Keep this, unless you have something newer.
    WriteReplica(Pid, u8, Stamped),
    /// It is kept.
    WriteReplicaAck(Pid, u8, Stamped),
    /// It is not: this is newer.
    WriteReplicaNack(Pid, u8, Stamped),
    /// What do you have?
    ReadReplica(Pid, u8),
    /// This.
    ReadReplicaAck(Pid, u8, Stamped),
    /// What a client is told.
    Answer(Response<u8>),
}

impl Talk for Message {
    type Operation = Operation<u8>;
    type Response = Response<u8>;

    fn ask(operation: Operation<u8>) -> Message {
        Message::Ask(operation)
    }

    fn answer(&self) -> Option<Response<u8>> {
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
    /// Attempts before this one.
    number: u8,
    /// What the agents said.
    told: Vec<Told>,
}

/// What an agent said to an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// It has this.
    Has(Stamped),
    /// It refuses the write.
    Refused,
}

/// An agent's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Replica {
    held: Stamped,
    /// The highest time that it has heard of.
    time: u8,
    leads: BTreeMap<Pid, Attempt>,
}

struct Agent {
    agents: Vec<Pid>,
    nth: usize,
    retries: u8,
    reads_ask: bool,
}

impl Agent {
    fn others(&self) -> impl Iterator<Item = &Pid> {
        self.agents.iter().enumerate().filter(|(nth, _)| *nth != self.nth).map(|(_, pid)| pid)
    }

    fn majority(&self) -> usize {
        self.agents.len() / 2 + 1
    }

    fn attempt(&self, state: &mut Replica, client: Pid, operation: Operation<u8>, number: u8, ctx: &mut Context<'_>) {
        let message = match operation {
            Operation::Write(value) => {
                state.time += 1;
                state.held = Stamped { time: state.time, leader: self.nth as u8, value };
                Message::WriteReplica(client, number, state.held)
            }
            Operation::Read => Message::ReadReplica(client, number),
        };
        let mut told = vec![Told::Nothing; self.agents.len()];
        told[self.nth] = Told::Has(state.held);
        state.leads.insert(client, Attempt { operation, number, told });
        ctx.broadcast(self.others(), message);
    }

    /// An agent answers an attempt.
    fn told(&self, state: &mut Replica, client: Pid, number: u8, from: Pid, said: Told, ctx: &mut Context<'_>) {
        let Some(attempt) = state.leads.get_mut(&client).filter(|attempt| attempt.number == number) else { return };
        let agent = self.agents.iter().position(|&pid| pid == from).expect("only agents answer");
        attempt.told[agent] = said;
        let attempt = attempt.clone();
        if let Some(response) = self.outcome(&attempt) {
            state.leads.remove(&client);
            ctx.send(client, Message::Answer(response));
        } else if self.is_lost(&attempt) {
            state.leads.remove(&client);
            if number < self.retries {
                self.attempt(state, client, attempt.operation, number + 1, ctx);
            }
        }
    }

    /// What a majority agrees on.
    fn outcome(&self, attempt: &Attempt) -> Option<Response<u8>> {
        let votes = |said: &Told| attempt.told.iter().filter(|other| *other == said).count();
        attempt.told.iter().filter(|said| votes(said) >= self.majority()).find_map(|said| {
            match (attempt.operation, said) {
                (Operation::Write(_), Told::Has(_)) => Some(Response::Written),
                (Operation::Read, Told::Has(held)) => Some(Response::Read(held.value)),
                _ => None,
            }
        })
    }

    /// Whether no majority can come about any more.
    fn is_lost(&self, attempt: &Attempt) -> bool {
        let refused = attempt.told.iter().filter(|said| **said == Told::Refused).count();
        let all_told = !attempt.told.contains(&Told::Nothing);
        all_told || self.agents.len() - refused < self.majority()
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
            Message::Ask(Operation::Read) if !self.reads_ask => {
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
                self.told(state, client, number, from, Told::Refused, ctx);
            }
            Message::ReadReplica(client, number) => {
                ctx.send(from, Message::ReadReplicaAck(client, number, state.held));
            }
            Message::WriteReplicaAck(client, number, held) | Message::ReadReplicaAck(client, number, held) => {
                self.told(state, client, number, from, Told::Has(held), ctx);
            }
            Message::Answer(_) => {}
        }
    }
}

fn system(params: &Params, reads_ask: bool) -> System {
    let agents: Vec<Pid> = (0..params.int("n") as u16).map(Pid::root).collect();
    let mut system = System::new().network(Network::Asyn);
    for nth in 0..agents.len() {
        let retries = params.int("r") as u8;
        system.add(format!("agent{nth}"), Agent { agents: agents.clone(), nth, retries, reads_ask });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    system
        .touches(Message::touches)
        .linearizable(Register::new(0u8))
        .at_rest("no attempt hangs", |view| view.all::<Replica>().all(|(_, replica)| replica.leads.is_empty()))
}
