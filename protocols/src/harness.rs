//! Harnesses for objects that agents provide together: two reads and one or two writes (DS2 §4.1), or one read less, each by a client of its
//! own that asks once, at any time. Requests go to different agents. One read and one write are enough for most bugs, and few enough for whoever
//! wants to see every schedule.

use crate::{Param, Params};
use manyworlds::Pid;
use manyworlds::actor::client::Progress;
use manyworlds::actor::{Client, Service, System, View};
use manyworlds::explore::Keys;
use manyworlds::linear::specs::{map, register};
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

/// Which harness.
pub(crate) const HARNESS: Param = Param::choice("h", &["2r1w", "2r2w", "1r1w", "1r2w"], "how many reads and writes");

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

/// The agent that a client asks.
struct Agent<M> {
    agent: Pid,
    talk: PhantomData<fn() -> M>,
}

impl<M: Talk> Service for Agent<M> {
    type Operation = M::Operation;
    type Response = M::Response;
    type Message = M;

    fn request(&self, _: usize, operation: &M::Operation) -> Vec<(Pid, M)> {
        vec![(self.agent, M::ask(operation.clone()))]
    }

    fn response(&self, message: &M) -> Option<(usize, M::Response)> {
        Some((0, message.answer()?))
    }
}

/// Adds the clients of the harness to a system that has these agents already.
///
/// The first write goes to the first agent, and whoever reads at the last one may have missed it. With two keys, this write and this read
/// are about the first key, the other read and the other write about the second.
pub(crate) fn add_clients<M: Talk>(system: &mut System, agents: &[Pid], params: &Params) -> Vec<Pid> {
    let (first, last) = (agents[0], agents[agents.len() - 1]);
    // A register has no keys.
    let other = u8::from(params.json().get("keys").is_some_and(|keys| keys == 2));
    let requests = [
        ("writer1", first, Request { key: 0, writes: Some(1) }),
        ("reader1", last, Request { key: 0, writes: None }),
        ("reader2", first, Request { key: other, writes: None }),
        ("writer2", last, Request { key: other, writes: Some(2) }),
    ];
    let left_out: &[&str] = match params.text("h") {
        "2r1w" => &["writer2"],
        "1r2w" => &["reader2"],
        "1r1w" => &["writer2", "reader2"],
        _ => &[],
    };
    let client = |(name, agent, request): (&str, Pid, Request)| {
        let service = Agent { agent, talk: PhantomData::<fn() -> M> };
        system.add(name, Client::new(service, [request.into()]).at_any_time())
    };
    requests.into_iter().filter(|(name, ..)| !left_out.contains(name)).map(client).collect()
}

/// Whether every client has its answer.
pub(crate) fn all_answered<M: Talk>(view: &View<'_>) -> bool {
    view.all::<Progress<M::Response>>().all(|(_, progress)| !progress.responses.is_empty())
}
