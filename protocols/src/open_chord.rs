//! `open-chord`: a map on a ring that a node joins while clients are served (DS2 §4.4). N1 is the ring; N2 asks it who its successor
//! would be (FindSucc), and is told (SuccFound) together with what is stored at the keys that it is in charge of from then on: the first
//! key goes to N2, the second stays at N1. The node that a client asks looks for the node in charge, which may be itself, has it
//! do what is asked, and passes the answer on.
//!
//! The bug is Open Chord's: a node believes to be its own successor until it is told otherwise, so N2 takes itself for the whole ring.
//! Whoever asks it before it has joined is told what N2 knows, which is nothing, although the key was written at N1 and the writer has been
//! answered: the history of DS2 figure 7. Writes at N2 get lost when it joins. Found under every network.
//!
//! `open-chord-fixed`: until it has joined, N2 puts requests off. Right under every network.
//!
//! Joining in Open Chord takes two more messages, one by which the newcomer introduces itself to its successor (UpdatePred) and one with the values;
//! here N1 takes whoever asks for its successor into the ring at once.

use crate::harness::{self, CLIENTS, HARNESS, KEYS, Talk};
use crate::{Build, Model, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::linear::specs::{Held, Map};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

/// The zoo entry, with Open Chord's bug.
pub const MODEL: Model = Model {
    name: "open-chord",
    summary: "a node joins a ring that stores a map, and serves clients before it has joined (DS2's bug)",
    params: &[HARNESS, CLIENTS, KEYS],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// The variant without the bug.
pub const FIXED: Model = Model {
    name: "open-chord-fixed",
    summary: "a node joins a ring that stores a map, and puts off what clients ask until it has joined",
    params: &[HARNESS, CLIENTS, KEYS],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// What is stored: values by key.
type Store = BTreeMap<u8, Held<u8>>;

/// Between clients and nodes, and among nodes; a client stands for its request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A client asks.
    Ask(Operation<u8, u8>),
    /// To the node in charge: do this, for this client.
    Internal(Pid, Operation<u8, u8>),
    /// From the node in charge of this key: it is done, this is the answer.
    InternalResp(Pid, u8, Response<u8>),
    /// What a client is told about a key.
    Answer(u8, Response<u8>),
    /// Who would be my successor?
    FindSucc,
    /// I am; and this is stored at your keys.
    SuccFound(Store),
}

impl Message {
    /// What LiViola need not put into different orders (DS2 §4.1.2). Whoever gets it neither looks at its state nor changes it, and tells the client
    /// what it was told: no message to a node comes of it, nothing is stored, and no client observes anything else. What the client
    /// then gets ends its operation, so when that happens does matter.
    fn is_passed_on(&self) -> bool {
        matches!(self, Message::InternalResp(..))
    }
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

    /// Who joins takes over whatever there is.
    fn key(&self) -> Option<u8> {
        match self {
            Message::Ask(operation) | Message::Internal(_, operation) => Some(*operation.key()),
            Message::InternalResp(_, key, _) | Message::Answer(key, _) => Some(*key),
            Message::FindSucc | Message::SuccFound(_) => None,
        }
    }
}

/// A node's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ring {
    /// Itself, as long as it is alone, or believes to be.
    successor: Pid,
    /// It has found its place.
    joined: bool,
    store: Store,
    /// What it was asked too early: by whom, and what.
    put_off: Vec<(Pid, Message)>,
}

struct Node {
    /// The node that is the ring at the start; `None`: this one.
    ring: Option<Pid>,
    waits_to_join: bool,
}

impl Node {
    /// The node in charge of a key, as far as this one knows.
    fn in_charge(&self, state: &Ring, key: u8, me: Pid) -> Pid {
        if is_mine(self.ring.is_some(), key) { me } else { state.successor }
    }

    fn request(&self, state: &mut Ring, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        match self.in_charge(state, *operation.key(), ctx.me()) {
            node if node == ctx.me() => self.serve(state, node, client, operation, ctx),
            node => ctx.send(node, Message::Internal(client, operation)),
        }
    }

    /// Does what a client asked `coordinator`.
    fn serve(
        &self,
        state: &mut Ring,
        coordinator: Pid,
        client: Pid,
        operation: Operation<u8, u8>,
        ctx: &mut Context<'_>,
    ) {
        let response = Map::new().apply(&mut state.store, &operation);
        ctx.send(coordinator, Message::InternalResp(client, *operation.key(), response));
    }

    fn join(&self, state: &mut Ring, successor: Pid, keys: &Store, ctx: &mut Context<'_>) {
        state.successor = successor;
        state.joined = true;
        state.store.retain(|&key, _| is_mine(true, key));
        state.store.extend(keys.clone());
        for (from, message) in std::mem::take(&mut state.put_off) {
            self.message(state, from, &message, ctx);
        }
    }
}

/// Whether the newcomer (or else the node that was there) is in charge of a key once both are in the ring.
fn is_mine(newcomer: bool, key: u8) -> bool {
    newcomer == (key == 0)
}

impl Actor for Node {
    type State = Ring;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Ring {
        if let Some(ring) = self.ring {
            ctx.send(ring, Message::FindSucc);
        }
        Ring { successor: ctx.me(), joined: self.ring.is_none(), store: Store::new(), put_off: Vec::new() }
    }

    fn message(&self, state: &mut Ring, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match message {
            Message::Ask(_) | Message::Internal(..) if self.waits_to_join && !state.joined => {
                state.put_off.push((from, message.clone()));
            }
            Message::Ask(operation) => self.request(state, from, *operation, ctx),
            Message::Internal(client, operation) => self.serve(state, from, *client, *operation, ctx),
            Message::InternalResp(client, key, response) => ctx.send(*client, Message::Answer(*key, *response)),
            Message::FindSucc => {
                state.successor = from;
                let (theirs, mine) =
                    std::mem::take(&mut state.store).into_iter().partition(|(key, _)| is_mine(true, *key));
                state.store = mine;
                ctx.send(from, Message::SuccFound(theirs));
            }
            Message::SuccFound(keys) => self.join(state, from, keys, ctx),
            Message::Answer(..) => {}
        }
    }
}

fn system(params: &Params, waits_to_join: bool) -> System {
    let mut system = System::new().network(Network::Asyn);
    let ring = system.add("N1", Node { ring: None, waits_to_join });
    let newcomer = system.add("N2", Node { ring: Some(ring), waits_to_join });
    harness::add_clients::<Message>(&mut system, &[ring, newcomer], params);
    system
        .touches(Message::touches)
        .excluded(Message::is_passed_on)
        .linearizable(Map::<u8, u8>::new())
        .at_rest("every request is answered", harness::all_answered::<Message>)
}
