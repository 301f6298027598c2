//! `open-chord`: a map stored on a Chord ring that a node joins while clients send requests (DS2 §4.4). Initially N1 is the ring. N2 requests its
//! successor from N1 (FindSucc) and receives it (SuccFound) together with the values of the keys for which N2 is responsible from then on: the
//! first key moves to N2, the second stays at N1. A node that receives a client request determines the responsible node, which may be itself,
//! lets it perform the operation, and forwards the response to the client.
//!
//! The bug is that of Open Chord: a node assumes that it is its own successor until it has joined, so N2 considers itself the whole ring.
//! A client that reads at N2 before N2 has joined gets the value stored at N2, which is none, although the key was written at N1 and the write was
//! acknowledged: the history of DS2 figure 7. Writes at N2 are lost when it joins. The bug occurs under every network.
//!
//! `open-chord-fixed`: N2 defers requests until it has joined. Correct under every network.
//!
//! Joining in Open Chord takes two more messages: one by which the new node introduces itself to its successor (UpdatePred), and one with the
//! values. Here N1 adds a node to the ring as soon as it receives FindSucc.

use crate::harness::{self, CLIENTS, ClientMessage, HARNESS, KEYS};
use crate::{Build, Model, Params};
use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::linear::Sequential;
use manyworlds::linear::specs::map::{Operation, Response};
use manyworlds::linear::specs::{Held, Map};
use manyworlds::{Network, Pid};
use std::collections::BTreeMap;

/// The model `open-chord`, with Open Chord's bug.
pub const MODEL: Model = Model {
    name: "open-chord",
    summary: "a node joins a ring that stores a map, and serves clients before it has joined (DS2's bug)",
    params: &[HARNESS, CLIENTS, KEYS],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// The model `open-chord-fixed`, without the bug.
pub const FIXED: Model = Model {
    name: "open-chord-fixed",
    summary: "a node joins a ring that stores a map, and defers client requests until it has joined",
    params: &[HARNESS, CLIENTS, KEYS],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The stored values, by key.
type Store = BTreeMap<u8, Held<u8>>;

/// Messages between clients and nodes, and among nodes. A request is identified by its client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// A request from a client.
    Ask(Operation<u8, u8>),
    /// An operation of this client, for the responsible node.
    Internal(Pid, Operation<u8, u8>),
    /// The response of the node that is responsible for this key.
    InternalResp(Pid, u8, Response<u8>),
    /// The response to a client, for a key.
    Answer(u8, Response<u8>),
    /// The sender requests its successor.
    FindSucc,
    /// The sender is the successor; these are the values of the receiver's keys.
    SuccFound(Store),
}

impl Message {
    /// Whether LiViola may exclude the message from reordering (DS2 §4.1.2). Its receiver neither reads nor changes its state, and forwards the
    /// response to the client: it sends no message to a node, it stores no value, and no client observes a difference. The message to the
    /// client is not excluded: it ends the operation, so its position in the order matters.
    fn is_forwarded(&self) -> bool {
        matches!(self, Message::InternalResp(..))
    }
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

    /// A join can move values of any key.
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
    /// The node itself, while it is alone or assumes that it is.
    successor: Pid,
    /// Whether the node has joined the ring.
    joined: bool,
    store: Store,
    /// Deferred requests, each with its sender.
    put_off: Vec<(Pid, Message)>,
}

struct Node {
    /// The node that is the initial ring; `None` for that node itself.
    ring: Option<Address<Message>>,
    defers_requests: bool,
}

impl Node {
    /// The node that is responsible for a key, according to the state of this node.
    fn responsible(&self, state: &Ring, key: u8, me: Pid) -> Pid {
        if is_responsible(self.ring.is_some(), key) { me } else { state.successor }
    }

    fn request(&self, state: &mut Ring, client: Pid, operation: Operation<u8, u8>, ctx: &mut Context<'_>) {
        match self.responsible(state, *operation.key(), ctx.me()) {
            node if node == ctx.me() => self.serve(state, node, client, operation, ctx),
            node => ctx.send(node, Message::Internal(client, operation)),
        }
    }

    /// Performs the operation that a client requested from `coordinator`.
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
        state.store.retain(|&key, _| is_responsible(true, key));
        state.store.extend(keys.clone());
        for (from, message) in std::mem::take(&mut state.put_off) {
            self.message(state, from, &message, ctx);
        }
    }
}

/// Whether the new node (or, if `newcomer` is false, the initial node) is responsible for a key once both are in the ring.
fn is_responsible(newcomer: bool, key: u8) -> bool {
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
            Message::Ask(_) | Message::Internal(..) if self.defers_requests && !state.joined => {
                state.put_off.push((from, message.clone()));
            }
            Message::Ask(operation) => self.request(state, from, *operation, ctx),
            Message::Internal(client, operation) => self.serve(state, from, *client, *operation, ctx),
            Message::InternalResp(client, key, response) => ctx.send(*client, Message::Answer(*key, *response)),
            Message::FindSucc => {
                state.successor = from;
                let (theirs, mine) =
                    std::mem::take(&mut state.store).into_iter().partition(|(key, _)| is_responsible(true, *key));
                state.store = mine;
                ctx.send(from, Message::SuccFound(theirs));
            }
            Message::SuccFound(keys) => self.join(state, from, keys, ctx),
            Message::Answer(..) => {}
        }
    }
}

fn system(params: &Params, defers_requests: bool) -> System {
    let mut system = System::new().network(Network::Asyn);
    let ring = system.add("N1", Node { ring: None, defers_requests }).address();
    let newcomer = system.add("N2", Node { ring: Some(ring), defers_requests }).address();
    harness::add_clients::<Message>(&mut system, &[ring, newcomer], params);
    system
        .touches(Message::touches)
        .excluded(Message::is_forwarded)
        .linearizable(Map::<u8, u8>::new())
        .at_rest("every request is answered", harness::all_answered::<Message>)
}
