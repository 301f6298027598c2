//! `dr`: the replicated register of DS2 (Algorithm 2). Agent 0 leads, the others are its backups and forward to it what they are asked. The leader
//! takes a write over, sends it to the backups, and acknowledges it when a majority of all agents has it. For a read it asks the backups
//! what they have, and answers when a majority agrees on a value; if all have answered and there is no such value, it asks again when
//! a backup has caught up. Right under every network.
//!
//! Two departures from the algorithm as printed, and parameters to take them back:
//!
//! - `reads=leader`: there, a majority must answer, but what a read returns is the leader's own value. Then every operation takes effect
//!   when the leader handles it, the backups have no say, and waiting for them is idle: such a register is linearizable under every network
//!   even if writes are acknowledged at once. The text that goes with the algorithm has reads on which a majority agrees.
//! - `writes=plain`: there, a backup keeps what arrives last. Where messages overtake each other (asyn) a late first write replaces a second one
//!   that was acknowledged, and with three agents a majority may then agree on the old value. Here the leader numbers the
//!   writes, and a backup keeps the newest. (Where the backups end up with the wrong value for good, the leader asks for ever: this is for
//!   engines that know a state again.)
//!
//! `edr`: the leader acknowledges a write without waiting for a majority. A read that comes later may overtake the write on
//! its way to the backups, who agree on the old value. It takes three agents, because of two one is the leader, and asyn: in order, a question
//! does not overtake a write.

use crate::harness::{self, CLIENTS, HARNESS, Talk};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const READS: Param =
    Param::choice("reads", &["agreed", "leader"], "return what a majority has, or what the leader has");
const WRITES: Param = Param::choice("writes", &["numbered", "plain"], "a backup keeps the newest, or what came last");

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "dr",
    summary: "DS2's replicated register: n agents, one leads; a write waits for a majority, a read for agreement",
    params: &[Param::int("n", 2, 2..=7, "agents"), HARNESS, CLIENTS, READS, WRITES],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The variant with DS2's bug.
pub const ERRONEOUS: Model = Model {
    name: "edr",
    summary: "DS2's erroneous register: the leader acknowledges a write before a majority has it",
    params: &[Param::int("n", 3, 2..=7, "agents"), HARNESS, CLIENTS, READS, WRITES],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// Between clients and agents, and among agents; a client stands for its request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A client asks.
    Ask(Operation<u8>),
    /// A backup passes on what a client asked.
    Forward(Pid, Operation<u8>),
    /// Keep this.
    WriteReplica(Pid, Held),
    /// It is kept.
    WriteReplicaAck(Pid),
    /// What do you have?
    ReadReplica(Pid),
    /// This.
    ReadReplicaAck(Pid, u8),
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

/// A value, and the number of the write that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Held {
    number: u8,
    value: u8,
}

/// An agent's state; all but the first part is the leader's.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Replica {
    held: Held,
    /// Writes that some backup has not acknowledged, and the agents that have them: a bit each.
    writes: BTreeMap<Pid, u8>,
    /// Reads that are not answered, and what the agents have told.
    reads: BTreeMap<Pid, Vec<Option<u8>>>,
}

struct Agent {
    agents: Vec<Pid>,
    waits_for_majority: bool,
    reads_agree: bool,
    writes_are_numbered: bool,
}

impl Agent {
    fn leader(&self) -> Pid {
        self.agents[0]
    }

    fn backups(&self) -> &[Pid] {
        &self.agents[1..]
    }

    fn nth(&self, agent: Pid) -> usize {
        self.agents.iter().position(|&pid| pid == agent).expect("only agents answer")
    }

    fn majority(&self) -> usize {
        self.agents.len() / 2 + 1
    }

    /// A client asks for something, maybe through a backup.
    fn request(&self, state: &mut Replica, client: Pid, operation: Operation<u8>, ctx: &mut Context<'_>) {
        match operation {
            _ if ctx.me() != self.leader() => ctx.send(self.leader(), Message::Forward(client, operation)),
            Operation::Write(value) => self.write(state, client, value, ctx),
            Operation::Read => self.read(state, client, ctx),
        }
    }

    fn write(&self, state: &mut Replica, client: Pid, value: u8, ctx: &mut Context<'_>) {
        state.held = Held { number: state.held.number + 1, value };
        state.writes.insert(client, 1);
        ctx.broadcast(self.backups(), Message::WriteReplica(client, state.held));
        if !self.waits_for_majority {
            ctx.send(client, Message::Answer(Response::Written));
        }
    }

    fn written(&self, state: &mut Replica, client: Pid, backup: Pid, ctx: &mut Context<'_>) {
        let Some(have) = state.writes.get_mut(&client) else { return };
        *have |= 1 << self.nth(backup);
        let have = have.count_ones() as usize;
        if have == self.majority() && self.waits_for_majority {
            ctx.send(client, Message::Answer(Response::Written));
        }
        if have == self.agents.len() {
            state.writes.remove(&client);
        }
        let undecided = state.reads.iter().filter(|(_, told)| told.iter().all(Option::is_some));
        for client in undecided.map(|(&client, _)| client).collect::<Vec<Pid>>() {
            self.read(state, client, ctx);
        }
    }

    fn read(&self, state: &mut Replica, client: Pid, ctx: &mut Context<'_>) {
        let mut told = vec![None; self.agents.len()];
        told[0] = Some(state.held.value);
        state.reads.insert(client, told);
        ctx.broadcast(self.backups(), Message::ReadReplica(client));
    }

    fn told(&self, state: &mut Replica, client: Pid, backup: Pid, value: u8, ctx: &mut Context<'_>) {
        let Some(told) = state.reads.get_mut(&client) else { return };
        told[self.nth(backup)] = Some(value);
        let votes = |value: u8| told.iter().flatten().filter(|&&other| other == value).count();
        let agreed = told.iter().flatten().copied().find(|&value| votes(value) >= self.majority());
        let answers = told.iter().flatten().count();
        let result = match self.reads_agree {
            true => agreed,
            false => (answers >= self.majority()).then_some(state.held.value),
        };
        if let Some(value) = result {
            state.reads.remove(&client);
            ctx.send(client, Message::Answer(Response::Read(value)));
        } else if answers == self.agents.len() && state.writes.is_empty() {
            self.read(state, client, ctx);
        }
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
            Message::Ask(operation) => self.request(state, from, operation, ctx),
            Message::Forward(client, operation) => self.request(state, client, operation, ctx),
            Message::WriteReplica(client, held) => {
                state.held = if self.writes_are_numbered { held.max(state.held) } else { held };
                ctx.send(from, Message::WriteReplicaAck(client));
            }
            Message::WriteReplicaAck(client) => self.written(state, client, from, ctx),
            Message::ReadReplica(client) => ctx.send(from, Message::ReadReplicaAck(client, state.held.value)),
            Message::ReadReplicaAck(client, value) => self.told(state, client, from, value, ctx),
            Message::Answer(_) => {}
        }
    }
}

fn system(params: &Params, waits_for_majority: bool) -> System {
    let agents: Vec<Pid> = (0..params.int("n") as u16).map(Pid::root).collect();
    let mut system = System::new().network(Network::Asyn);
    for nth in 0..agents.len() {
        let reads_agree = params.text("reads") == "agreed";
        let writes_are_numbered = params.text("writes") == "numbered";
        let agents = agents.clone();
        system.add(format!("agent{nth}"), Agent { agents, waits_for_majority, reads_agree, writes_are_numbered });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    system
        .touches(Message::touches)
        .linearizable(Register::new(0u8))
        .at_rest("every request is answered", harness::all_answered::<Message>)
}
