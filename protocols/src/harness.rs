//! Harnesses for objects that agents provide together: two reads and one or two writes (DS2 §4.1), or one read less. One read and one write are
//! enough for most bugs, and few enough for whoever wants to see every schedule.
//!
//! Operations must be able to come one after the other, or there is no order that a history could violate. There are two ways:
//!
//! - `clients=each`: each request has a client of its own that asks at any time. Every order of operations that the object allows is seen, and
//!   schedulers have far too much to do: the moment at which a client asks is a step like any other.
//! - `clients=two`: two clients begin at once; each writes, and then reads from another agent. (With one write the second client
//!   only reads: DS2's figure 7.) Whatever shows is real, but their first operations always overlap, so a bug may not show: that of
//!   `adr-bug` takes a read after a read while the write is still on its way.
//!
//! A client of `two` is one actor for each of its requests, because agents take a client for its request; the one whose request was
//! answered tells the next to ask.

use crate::{Param, Params};
use manyworlds::Pid;
use manyworlds::actor::client::Progress;
use manyworlds::actor::{Actor, Context, System, View};
use manyworlds::explore::Keys;
use manyworlds::linear::specs::{map, register};
use std::fmt::Debug;
use std::hash::Hash;

/// Which harness.
pub(crate) const HARNESS: Param = Param::choice("h", &["2r1w", "2r2w", "1r1w", "1r2w"], "how many reads and writes");

/// Who asks.
pub(crate) const CLIENTS: Param =
    Param::choice("clients", &["each", "two"], "each request at any time, or two clients, one request after the other");

/// Over how many keys of a map the requests are spread.
pub(crate) const KEYS: Param = Param::int("keys", 1, 1..=2, "keys that are read and written");

/// What a client asks.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    key: u8,
    /// `None`: it reads.
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

/// Messages that carry requests from clients to agents, and answers back.
pub(crate) trait Talk: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// What a client asks.
    type Operation: From<Request> + Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// What it is told.
    type Response: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// From a client to an agent.
    fn ask(operation: Self::Operation) -> Self;

    /// What an agent tells a client.
    fn answer(&self) -> Option<Self::Response>;

    /// The key that it is about; `None` if it may be about any.
    fn key(&self) -> Option<u8>;

    /// What LiViola is told about it.
    fn touches(&self) -> Keys {
        self.key().map_or(Keys::Unknown, |key| Keys::only([key]))
    }
}

/// A client that asks once.
struct Client<M: Talk> {
    agent: Pid,
    operation: M::Operation,
    begins: Begins,
    /// Who asks next, and what it is told: what it will ask.
    next: Option<(Pid, M)>,
}

/// When a client asks.
#[derive(Clone, Copy)]
enum Begins {
    /// At the start.
    AtOnce,
    /// At any time: it reminds itself.
    AtAnyTime,
    /// When somebody tells it to.
    WhenTold,
}

impl<M: Talk> Client<M> {
    fn ask(&self, ctx: &mut Context<'_>) {
        ctx.invoked(self.operation.clone());
        ctx.send(self.agent, M::ask(self.operation.clone()));
    }
}

impl<M: Talk> Actor for Client<M> {
    type State = Progress<M::Response>;
    type Message = M;

    fn start(&self, ctx: &mut Context<'_>) -> Progress<M::Response> {
        match self.begins {
            Begins::AtOnce => self.ask(ctx),
            Begins::AtAnyTime => ctx.send(ctx.me(), M::ask(self.operation.clone())),
            Begins::WhenTold => {}
        }
        Progress { responses: Vec::new() }
    }

    fn message(&self, progress: &mut Progress<M::Response>, _: Pid, message: &M, ctx: &mut Context<'_>) {
        match message.answer() {
            // Whatever is no answer is a reminder.
            None => self.ask(ctx),
            Some(response) if progress.responses.is_empty() => {
                ctx.returned(response.clone());
                progress.responses.push(response);
                if let Some((next, reminder)) = &self.next {
                    ctx.send(*next, reminder.clone());
                }
            }
            // Two leaders may answer the same request.
            Some(_) => {}
        }
    }
}

/// A client's name, the agent that it asks, and what it asks.
type Asks = (&'static str, Pid, Request);

/// Adds the clients of the harness to a system that has these agents already.
///
/// The first write goes to the first agent, and whoever reads at the last one may have missed it. With two keys, this write and this read
/// are about the first key, the other read and the other write about the second.
pub(crate) fn add_clients<M: Talk>(system: &mut System, agents: &[Pid], params: &Params) {
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
    let asked = |asks: &Asks| !left_out.contains(&asks.0);
    if params.text("clients") == "each" {
        for asks in [writer1, reader1, reader2, writer2].into_iter().filter(asked) {
            add::<M>(system, asks, Begins::AtAnyTime, None);
        }
        return;
    }
    // Depth first, what was added first is tried in other orders last. With the client that is sure to write in the second place, EX comes upon
    // the bug of `edr` after 40,707 schedules; the other way round, not in a million.
    for session in [[writer2, reader2], [writer1, reader1]] {
        add_session::<M>(system, session.into_iter().filter(asked).collect());
    }
}

/// Adds a client that asks one thing after the other: the last first, so that each knows who comes next.
fn add_session<M: Talk>(system: &mut System, session: Vec<Asks>) {
    let mut next = None;
    for (nth, asks) in session.into_iter().enumerate().rev() {
        let begins = if nth == 0 { Begins::AtOnce } else { Begins::WhenTold };
        next = Some((add(system, asks, begins, next), M::ask(asks.2.into())));
    }
}

fn add<M: Talk>(system: &mut System, asks: Asks, begins: Begins, next: Option<(Pid, M)>) -> Pid {
    let (name, agent, request) = asks;
    system.add(name, Client { agent, operation: request.into(), begins, next })
}

/// Whether every client has its answer.
pub(crate) fn all_answered<M: Talk>(view: &View<'_>) -> bool {
    view.all::<Progress<M::Response>>().all(|(_, progress)| !progress.responses.is_empty())
}
