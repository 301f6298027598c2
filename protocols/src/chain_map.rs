//! `chain-map`: a map by chain replication. `n` agents are a chain: a write goes to the head and is handed down, link by link; the tail answers
//! when it has it. Reads are answered by the tail. So whatever was answered is held by the whole chain, and operations take effect in the
//! order in which the tail handles them. An agent that is asked what is not its part passes it on to the head or the tail.
//!
//! Links are first in, first out (p2p): where messages overtake each other (asyn) the operations are still linearizable, because nobody but
//! the tail answers, but the agents end up with different maps.
//!
//! `chain-map-bug`: the head answers a write at once, before it has gone down the chain. A read that comes later, at the tail, may
//! not see it.

use crate::harness::{self, CLIENTS, HARNESS, KEYS, Talk};
use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::linear::specs::{Held, Map};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

const PARAMS: &[Param] = &[Param::int("n", 3, 1..=7, "agents"), HARNESS, CLIENTS, KEYS];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "chain-map",
    summary: "a map replicated along a chain of n agents: writes go from head to tail, reads are answered by the tail",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "chain-map-bug",
    summary: "the head answers a write before it has gone down the chain: a read that follows may miss it",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// Between clients and agents, and along the chain; a client stands for its request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A client asks.
    Ask(Operation<u8, u8>),
    /// To the agent whose part it is: a client asks this.
    Forward(Pid, Operation<u8, u8>),
    /// Down the chain: a client writes this.
    Update(Pid, Operation<u8, u8>),
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

    fn key(&self) -> Option<u8> {
        match self {
            Message::Ask(operation) | Message::Forward(_, operation) | Message::Update(_, operation) => {
                Some(*operation.key())
            }
            Message::Answer(key, _) => Some(*key),
        }
    }
}

/// An agent's state: what it has stored, by key.
pub type Store = BTreeMap<u8, Held<u8>>;

struct Link {
    chain: Vec<Pid>,
    nth: usize,
    /// The agent that answers writes.
    answers: usize,
}

impl Link {
    fn request(&self, store: &mut Store, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        let reads = matches!(operation, Operation::Get(_));
        let in_charge = if reads { self.chain.len() - 1 } else { 0 };
        match in_charge == self.nth {
            false => ctx.send(self.chain[in_charge], Message::Forward(client, operation)),
            true if reads => answer(client, &operation, Map::new().apply(store, &operation), ctx),
            true => self.update(store, client, operation, ctx),
        }
    }

    fn update(&self, store: &mut Store, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        let response = Map::new().apply(store, &operation);
        if self.nth == self.answers {
            answer(client, &operation, response, ctx);
        }
        if let Some(&next) = self.chain.get(self.nth + 1) {
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
    let chain: Vec<Pid> = (0..params.int("n") as u16).map(Pid::root).collect();
    let mut system = System::new().network(Network::P2p);
    for nth in 0..chain.len() {
        let answers = if tail_answers { chain.len() - 1 } else { 0 };
        system.add(format!("agent{nth}"), Link { chain: chain.clone(), nth, answers });
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
