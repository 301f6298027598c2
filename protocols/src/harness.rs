//! Client harnesses for replicated objects: two reads and one or two writes (DS2 §4.1), or one read and one or two writes. One read and one write
//! suffice to expose most bugs, and have few enough schedules for an exhaustive enumeration.
//!
//! Some operation must be able to follow another: if all operations overlap, their real-time order imposes no constraint. There are two kinds of clients:
//!
//! - `clients=each`: each request has its own client, which sends it at any time. All orders of operations that the object allows are
//!   explored. The number of schedules is large, because each client's decision to send is a step of its own.
//! - `clients=two`: two clients start immediately; each writes, then reads from another agent. (With one write the second client
//!   only reads: DS2's figure 7.) All violations that are found are real, but the first operations always overlap, so bugs can be missed: that
//!   of `adr-bug` requires a read that follows a read while the write is still in progress.
//!
//! A client of `two` consists of one actor per request, because agents identify a request by its client. An actor that has received its response
//! triggers the next one.

use crate::{Param, Params};
use manyworlds::Pid;
use manyworlds::actor::client::Progress;
use manyworlds::actor::{Actor, Address, Context, System, View};
use manyworlds::explore::Keys;
use manyworlds::linear::specs::{map, register};
use std::fmt::Debug;
use std::hash::Hash;

/// The parameter for the number of reads and writes.
pub(crate) const HARNESS: Param = Param::choice("h", &["2r1w", "2r2w", "1r1w", "1r2w"], "how many reads and writes");

/// The parameter that selects the kind of clients.
pub(crate) const CLIENTS: Param =
    Param::choice("clients", &["each", "two"], "each request at any time, or two clients, one request after the other");

/// The parameter for the number of keys that the requests use.
pub(crate) const KEYS: Param = Param::int("keys", 1, 1..=2, "keys that are read and written");

/// The request of a client.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    key: u8,
    /// The value to write; `None` for a read.
    writes: Option<u8>,
}

impl From<Request> for register::Operation<u8> {
    fn from(request: Request) -> Self {
        request.writes.map_or(register::Operation::Read, register::Operation::Write)
    }
}

impl From<Request> for map::Operation<u8, u8> {
    fn from(Request { key, writes }: Request) -> Self {
        writes.map_or(map::Operation::Get(key), |value| map::Operation::Put(key, value))
    }
}

/// A message type that carries requests from clients to agents, and responses back.
pub(crate) trait ClientMessage: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The operation that a client invokes.
    type Operation: From<Request> + Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The response that a client receives.
    type Response: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The request of a client to an agent.
    fn request(operation: Self::Operation) -> Self;

    /// The response that this message carries, if it is a response.
    fn response(&self) -> Option<Self::Response>;

    /// The only key that this message concerns; `None` if it may concern any key.
    fn key(&self) -> Option<u8>;

    /// The declaration of keys for the scheduler LiViola.
    fn touches(&self) -> Keys {
        self.key().map_or(Keys::Unknown, |key| Keys::only([key]))
    }
}

/// A client that sends one request.
struct Client<M: ClientMessage> {
    agent: Address<M>,
    operation: M::Operation,
    start: Start,
    /// The next actor of the same client, and the request that triggers it.
    next: Option<(Address<M>, M)>,
}

/// When a client sends its request.
#[derive(Clone, Copy)]
enum Start {
    /// In the initial state.
    Immediate,
    /// At any time: the client sends a trigger to itself.
    AnyTime,
    /// When another actor sends a trigger.
    Triggered,
}

impl<M: ClientMessage> Client<M> {
    fn invoke(&self, ctx: &mut Context<'_>) {
        ctx.invoked(self.operation.clone());
        ctx.send(self.agent, M::request(self.operation.clone()));
    }
}

impl<M: ClientMessage> Actor for Client<M> {
    type State = Progress<M::Response>;
    type Message = M;

    fn start(&self, ctx: &mut Context<'_>) -> Progress<M::Response> {
        match self.start {
            Start::Immediate => self.invoke(ctx),
            Start::AnyTime => ctx.send(ctx.me(), M::request(self.operation.clone())),
            Start::Triggered => {}
        }
        Progress { responses: Vec::new() }
    }

    fn message(&self, progress: &mut Progress<M::Response>, _: Pid, message: &M, ctx: &mut Context<'_>) {
        match message.response() {
            // A message without a response is a trigger.
            None => self.invoke(ctx),
            Some(response) if progress.responses.is_empty() => {
                ctx.returned(response.clone());
                progress.responses.push(response);
                if let Some((next, trigger)) = &self.next {
                    ctx.send(*next, trigger.clone());
                }
            }
            // Two leaders may respond to the same request.
            Some(_) => {}
        }
    }
}

/// A client's name, the agent to which it sends, and its request.
type ClientSpec<M> = (&'static str, Address<M>, Request);

/// Adds the clients of the harness to a system that already contains these agents.
///
/// The first write goes to the first agent; a read at the last agent may miss it. With two keys, this write and this read use the first
/// key, the other read and the other write the second key.
pub(crate) fn add_clients<M: ClientMessage>(system: &mut System, agents: &[Address<M>], params: &Params) {
    let (first, last) = (agents[0], agents[agents.len() - 1]);
    // A register has no keys.
    let other = u8::from(params.json().get("keys").is_some_and(|keys| keys == 2));
    let writer1 = ("writer1", first, Request { key: 0, writes: Some(1) });
    let reader1 = ("reader1", last, Request { key: 0, writes: None });
    let reader2 = ("reader2", first, Request { key: other, writes: None });
    let writer2 = ("writer2", last, Request { key: other, writes: Some(2) });
    let left_out: &[&str] = match params.text("h") {
        "2r1w" => &["writer2"],
        "1r2w" => &["reader2"],
        "1r1w" => &["writer2", "reader2"],
        _ => &[],
    };
    let included = |spec: &ClientSpec<M>| !left_out.contains(&spec.0);
    if params.text("clients") == "each" {
        for spec in [writer1, reader1, reader2, writer2].into_iter().filter(included) {
            add::<M>(system, spec, Start::AnyTime, None);
        }
        return;
    }
    // A depth-first search varies the steps of the actor that was added first last. With the client that always writes added second, EX finds
    // the bug of `edr` after 40,707 schedules; with it added first, not within a million.
    for session in [[writer2, reader2], [writer1, reader1]] {
        add_session::<M>(system, session.into_iter().filter(included).collect());
    }
}

/// Adds a client that sends one request after the other. The last actor is added first, because each refers to the next one.
fn add_session<M: ClientMessage>(system: &mut System, session: Vec<ClientSpec<M>>) {
    let mut next = None;
    for (index, spec) in session.into_iter().enumerate().rev() {
        let start = if index == 0 { Start::Immediate } else { Start::Triggered };
        next = Some((add(system, spec, start, next), M::request(spec.2.into())));
    }
}

fn add<M: ClientMessage>(
    system: &mut System,
    (name, agent, request): ClientSpec<M>,
    start: Start,
    next: Option<(Address<M>, M)>,
) -> Address<M> {
    system.add(name, Client { agent, operation: request.into(), start, next }).address()
}

/// Whether every client has received its response.
pub(crate) fn all_answered<M: ClientMessage>(view: &View<'_>) -> bool {
    view.all::<Progress<M::Response>>().all(|(_, progress)| !progress.responses.is_empty())
}
