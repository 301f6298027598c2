//! `chain-map`: a map replicated by chain replication. `n` agents form a chain: a write goes to the head and is forwarded link by
//! link; the tail responds when it has applied the write. Reads are answered by the tail. So every acknowledged write is held by
//! the whole chain, and operations take effect in the order in which the tail handles them. An agent that receives a request
//! that is not its responsibility forwards it to the head or the tail.
//!
//! Links are FIFO (p2p). Under asyn, where messages can overtake each other, the operations are still linearizable, because only
//! the tail responds, but the agents end with different maps.
//!
//! `chain-map-bug`: the head acknowledges a write immediately, before the rest of the chain has it. A later read at the tail may
//! miss the write.

use crate::harness::{self, CLIENTS, ClientMessage, HARNESS, KEYS};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, Reserved, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::linear::specs::{Held, Map};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] = &[Param::int("n", 3, 1..=7, "agents"), HARNESS, CLIENTS, KEYS];

/// The model `chain-map`.
pub const MODEL: Model = Model {
    name: "chain-map",
    summary: "a map replicated along a chain of n agents: writes go from head to tail, reads are answered by the tail",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `chain-map-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "chain-map-bug",
    summary: "the head acknowledges a write before the rest of the chain has it: a later read may miss it",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// Messages between clients and agents, and along the chain. A request is identified by its client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A request from a client.
    Ask(Operation<u8, u8>),
    /// A request of this client, forwarded to the responsible agent.
    Forward(Pid, Operation<u8, u8>),
    /// A write of this client, forwarded along the chain.
    Update(Pid, Operation<u8, u8>),
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

    fn key(&self) -> Option<u8> {
        match self {
            Message::Ask(operation) | Message::Forward(_, operation) | Message::Update(_, operation) => {
                Some(*operation.key())
            }
            Message::Answer(key, _) => Some(*key),
        }
    }
}

/// An agent's state: the stored values, by key.
pub type Store = BTreeMap<u8, Held<u8>>;

struct Link {
    chain: Vec<Address<Message>>,
    index: usize,
    /// The index of the agent that acknowledges writes.
    answers: usize,
}

impl Link {
    fn request(&self, store: &mut Store, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        let reads = matches!(operation, Operation::Get(_));
        let responsible = if reads { self.chain.len() - 1 } else { 0 };
        match responsible == self.index {
            false => ctx.send(self.chain[responsible], Message::Forward(client, operation)),
            true if reads => answer(client, &operation, Map::new().apply(store, &operation), ctx),
            true => self.update(store, client, operation, ctx),
        }
    }

    fn update(&self, store: &mut Store, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        let response = Map::new().apply(store, &operation);
        if self.index == self.answers {
            answer(client, &operation, response, ctx);
        }
        if let Some(&next) = self.chain.get(self.index + 1) {
            ctx.send(next, Message::Update(client, operation));
        }
    }
}

fn answer(client: Pid, operation: &Operation<u8, u8>, response: Response<u8>, ctx: &mut Context<'_>) {
    ctx.send(client, Message::Answer(*operation.key(), response));
}

impl Actor for Link {
    type State = Store;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Store {
        Store::new()
    }

    fn message(&self, store: &mut Store, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Ask(operation) => self.request(store, from, operation, ctx),
            Message::Forward(client, operation) => self.request(store, client, operation, ctx),
            Message::Update(client, operation) => self.update(store, client, operation, ctx),
            Message::Answer(..) => {}
        }
    }
}

fn system(params: &Params, tail_answers: bool) -> System {
    let mut system = System::new().network(Network::P2p);
    let reserved: Vec<_> = (0..params.int("n")).map(|index| system.reserve(format!("agent{index}"))).collect();
    let chain: Vec<_> = reserved.iter().map(Reserved::address).collect();
    for (index, agent) in reserved.into_iter().enumerate() {
        let answers = if tail_answers { chain.len() - 1 } else { 0 };
        system.define(agent, Link { chain: chain.clone(), index, answers });
    }
    harness::add_clients::<Message>(&mut system, &chain, params);
    system
        .touches(Message::touches)
        .linearizable(Map::<u8, u8>::new())
        .at_rest("every request is answered", harness::all_answered::<Message>)
        .at_rest("all agents hold the same", |view| {
            let mut stores = view.all::<Store>().map(|(_, store)| store);
            let first = stores.next();
            stores.all(|store| Some(store) == first)
        })
}
