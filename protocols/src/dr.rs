//! `dr`: the replicated register of DS2 (Algorithm 2). Agent 0 is the leader; the others are its backups and forward client requests to it. The
//! leader stores a write, sends it to the backups, and acknowledges it when a majority of all agents has it. For a read it queries the backups,
//! and responds when a majority holds the same value; if all have replied and there is no such value, it queries again when
//! a backup has caught up. Correct under every network.
//!
//! The model departs from the printed algorithm in two points, which parameters can revert:
//!
//! - `reads=leader`: in the printed algorithm a majority must reply, but a read returns the leader's own value. Then every operation takes effect
//!   when the leader handles it, and the replies of the backups have no effect: such a register is linearizable under every network
//!   even if writes are acknowledged immediately. The text of the paper describes reads on which a majority agrees.
//! - `writes=plain`: in the printed algorithm a backup stores the write that arrives last. Under asyn a delayed first write can replace a second
//!   one that was acknowledged, and with three agents a majority may then agree on the old value. Here the leader numbers the
//!   writes, and a backup keeps the newest. (If the backups end with the wrong value, the leader queries them forever: use `writes=plain` with
//!   engines that recognize visited states.)
//!
//! `edr`: the leader acknowledges a write without waiting for a majority. The queries of a later read may overtake the write on
//! its way to the backups, which agree on the old value. This requires three agents, because of two one is the leader, and asyn: on FIFO links a
//! query does not overtake a write.

use crate::harness::{self, CLIENTS, ClientMessage, HARNESS};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Reserved, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const READS: Param =
    Param::choice("reads", &["agreed", "leader"], "return the value of a majority, or that of the leader");
const WRITES: Param = Param::choice("writes", &["numbered", "plain"], "keep the newest, or the last received write");

/// The model `dr`.
pub const MODEL: Model = Model {
    name: "dr",
    summary: "DS2's replicated register: n agents, one leader; a write waits for a majority, a read for agreement",
    params: &[Param::int("n", 2, 2..=7, "agents"), HARNESS, CLIENTS, READS, WRITES],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `edr`, with DS2's bug.
pub const ERRONEOUS: Model = Model {
    name: "edr",
    summary: "DS2's erroneous register: the leader acknowledges a write before a majority has it",
    params: &[Param::int("n", 3, 2..=7, "agents"), HARNESS, CLIENTS, READS, WRITES],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// Messages between clients and agents, and among agents. A request is identified by its client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A request from a client.
    Ask(Operation<u8>),
    /// A client request, forwarded by a backup.
    Forward(Pid, Operation<u8>),
    /// Requests that the backup store this write.
    WriteReplica(Pid, Held),
    /// The write was stored.
    WriteReplicaAck(Pid),
    /// Requests the value that the backup holds.
    ReadReplica(Pid),
    /// The value that the backup holds.
    ReadReplicaAck(Pid, u8),
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

/// A value, and the number of the write that stored it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Held {
    number: u8,
    value: u8,
}

/// An agent's state; only the leader uses `writes` and `reads`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Replica {
    held: Held,
    /// Writes that some backup has not acknowledged, with the agents that have them: a bit each.
    writes: BTreeMap<Pid, u8>,
    /// Reads that are not answered, with the replies of the agents.
    reads: BTreeMap<Pid, Vec<Option<u8>>>,
}

struct Agent {
    agents: Vec<Address<Message>>,
    waits_for_majority: bool,
    reads_agree: bool,
    writes_are_numbered: bool,
}

impl Agent {
    fn leader(&self) -> Address<Message> {
        self.agents[0]
    }

    fn backups(&self) -> &[Address<Message>] {
        &self.agents[1..]
    }

    fn index(&self, agent: Pid) -> usize {
        self.agents.iter().position(|&pid| pid == agent).expect("only agents answer")
    }

    fn majority(&self) -> usize {
        self.agents.len() / 2 + 1
    }

    /// Handles a request from a client, possibly forwarded by a backup.
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

    fn write_acknowledged(&self, state: &mut Replica, client: Pid, backup: Pid, ctx: &mut Context<'_>) {
        let Some(have) = state.writes.get_mut(&client) else { return };
        *have |= 1 << self.index(backup);
        let have = have.count_ones() as usize;
        if have == self.majority() && self.waits_for_majority {
            ctx.send(client, Message::Answer(Response::Written));
        }
        if have == self.agents.len() {
            state.writes.remove(&client);
        }
        let undecided = state.reads.iter().filter(|(_, replies)| replies.iter().all(Option::is_some));
        for client in undecided.map(|(&client, _)| client).collect::<Vec<Pid>>() {
            self.read(state, client, ctx);
        }
    }

    fn read(&self, state: &mut Replica, client: Pid, ctx: &mut Context<'_>) {
        let mut replies = vec![None; self.agents.len()];
        replies[0] = Some(state.held.value);
        state.reads.insert(client, replies);
        ctx.broadcast(self.backups(), Message::ReadReplica(client));
    }

    fn read_reply(&self, state: &mut Replica, client: Pid, backup: Pid, value: u8, ctx: &mut Context<'_>) {
        let Some(replies) = state.reads.get_mut(&client) else { return };
        replies[self.index(backup)] = Some(value);
        let votes = |value: u8| replies.iter().flatten().filter(|&&other| other == value).count();
        let agreed = replies.iter().flatten().copied().find(|&value| votes(value) >= self.majority());
        let count = replies.iter().flatten().count();
        let result = match self.reads_agree {
            true => agreed,
            false => (count >= self.majority()).then_some(state.held.value),
        };
        if let Some(value) = result {
            state.reads.remove(&client);
            ctx.send(client, Message::Answer(Response::Read(value)));
        } else if count == self.agents.len() && state.writes.is_empty() {
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
            Message::WriteReplicaAck(client) => self.write_acknowledged(state, client, from, ctx),
            Message::ReadReplica(client) => ctx.send(from, Message::ReadReplicaAck(client, state.held.value)),
            Message::ReadReplicaAck(client, value) => self.read_reply(state, client, from, value, ctx),
            Message::Answer(_) => {}
        }
    }
}

fn system(params: &Params, waits_for_majority: bool) -> System {
    let mut system = System::new().network(Network::Asyn);
    let reserved: Vec<_> = (0..params.int("n")).map(|index| system.reserve(format!("agent{index}"))).collect();
    let agents: Vec<_> = reserved.iter().map(Reserved::address).collect();
    for agent in reserved {
        let reads_agree = params.text("reads") == "agreed";
        let writes_are_numbered = params.text("writes") == "numbered";
        let agents = agents.clone();
        system.define(agent, Agent { agents, waits_for_majority, reads_agree, writes_are_numbered });
    }
    harness::add_clients::<Message>(&mut system, &agents, params);
    system
        .touches(Message::touches)
        .linearizable(Register::new(0u8))
        .at_rest("every request is answered", harness::all_answered::<Message>)
}
