//! `german`: German's directory-based cache coherence protocol, a standard benchmark of verification: a cache line shared by `n`
//! clients. A client requests a shared or an exclusive copy from the home node. The home serves one request at a time: it
//! withdraws the conflicting copies, waits until all of them are given up, and grants the request. Each client sends `requests`
//! requests and chooses the kind of copy.
//!
//! An exclusive copy excludes every other copy. To make a violation visible in the final state, the line holds a number: a client
//! that gets an exclusive copy increments it, and returns the number when the copy is withdrawn; at the end no increment is lost.
//! The home also asserts that copies are given up only while it waits for them.
//!
//! A grant must not be overtaken by the withdrawal that follows it: p2p, the default, is the weakest network under which the
//! protocol is correct. Under asyn a client gives up a copy that has not arrived yet, and keeps the copy when it arrives.
//!
//! `german-bug`: the home grants as soon as one copy is given up, while others are still being withdrawn.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::Renaming;
use manyworlds::actor::{Actor, Address, Context, System};
use std::collections::{BTreeSet, VecDeque};

const PARAMS: &[Param] =
    &[Param::int("n", 3, 1..=32, "clients"), Param::int("requests", 2, 0..=10, "requests of each client")];

/// The model `german`.
pub const MODEL: Model = Model {
    name: "german",
    summary: "directory cache coherence for n clients: an exclusive copy is the only one",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("requests"), |missing| missing == 0))),
};

/// The model `german-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "german-bug",
    summary: "the home grants when the first copy is given up: another may still be in use",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("requests"), |_| true))),
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Access {
    Shared,
    Exclusive,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Request(Access),
    Grant(Access, usize),
    Withdraw,
    /// The copy is given up; it carries the number if the copy was exclusive.
    GivenUp(Option<usize>),
}

struct Home {
    /// Whether the home grants while this many copies are still to be given up.
    grants: fn(usize) -> bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Directory {
    number: usize,
    holders: BTreeSet<Pid>,
    exclusive: bool,
    /// Pending requests; the first one is being served.
    queue: VecDeque<(Pid, Access)>,
    /// Copies that are being withdrawn.
    withdrawn: BTreeSet<Pid>,
}

impl Home {
    /// Starts to serve the first request.
    fn serve(&self, directory: &mut Directory, ctx: &mut Context<'_>) {
        let Some(&(_, access)) = directory.queue.front() else { return };
        if access == Access::Exclusive || directory.exclusive {
            directory.withdrawn = directory.holders.clone();
            ctx.broadcast(&directory.withdrawn, Message::Withdraw);
        }
        if directory.withdrawn.is_empty() {
            self.grant(directory, ctx);
        }
    }

    fn grant(&self, directory: &mut Directory, ctx: &mut Context<'_>) {
        let Some((client, access)) = directory.queue.pop_front() else { return };
        directory.withdrawn.clear();
        directory.holders.insert(client);
        directory.exclusive = access == Access::Exclusive;
        ctx.send(client, Message::Grant(access, directory.number));
        self.serve(directory, ctx);
    }
}

impl Actor for Home {
    type State = Directory;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Directory {
        Directory::default()
    }

    fn message(&self, directory: &mut Directory, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Request(access) => {
                directory.queue.push_back((from, access));
                if directory.queue.len() == 1 {
                    self.serve(directory, ctx);
                }
            }
            Message::GivenUp(number) => {
                directory.number = number.unwrap_or(directory.number);
                directory.holders.remove(&from);
                assert!(directory.withdrawn.remove(&from), "a copy is given up that the home has not withdrawn");
                if (self.grants)(directory.withdrawn.len()) {
                    self.grant(directory, ctx);
                }
            }
            Message::Grant(..) | Message::Withdraw => unreachable!("these are sent to clients"),
        }
    }

    fn rename_state(&self, directory: &Directory, names: &Renaming) -> Directory {
        let set = |clients: &BTreeSet<Pid>| clients.iter().map(|&client| names.rename(client)).collect();
        Directory {
            number: directory.number,
            holders: set(&directory.holders),
            exclusive: directory.exclusive,
            queue: directory.queue.iter().map(|&(client, access)| (names.rename(client), access)).collect(),
            withdrawn: set(&directory.withdrawn),
        }
    }
}

const REQUEST: &str = "ask for a copy";

#[derive(Clone)]
struct Client {
    home: Address<Message>,
    requests: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cache {
    copy: Option<(Access, usize)>,
    /// The number of requests still to send.
    left: usize,
    /// How many times the client has incremented the number.
    added: usize,
}

impl Client {
    /// Sets the timer for the next request, unless the client has an exclusive copy.
    fn schedule_request(&self, cache: &Cache, ctx: &mut Context<'_>) {
        if cache.left > 0 && !matches!(cache.copy, Some((Access::Exclusive, _))) {
            ctx.set_timer(REQUEST);
        }
    }
}

impl Actor for Client {
    type State = Cache;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Cache {
        let cache = Cache { copy: None, left: self.requests, added: 0 };
        self.schedule_request(&cache, ctx);
        cache
    }

    fn timer(&self, cache: &mut Cache, _: &'static str, ctx: &mut Context<'_>) {
        cache.left -= 1;
        let access = match cache.copy {
            None => ctx.choose([Access::Shared, Access::Exclusive]),
            Some(_) => Access::Exclusive,
        };
        ctx.send(self.home, Message::Request(access));
    }

    fn message(&self, cache: &mut Cache, _: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Grant(access, number) => {
                let adds = usize::from(access == Access::Exclusive);
                cache.copy = Some((access, number + adds));
                cache.added += adds;
                self.schedule_request(cache, ctx);
            }
            Message::Withdraw => {
                let only = cache.copy.take().filter(|&(access, _)| access == Access::Exclusive);
                ctx.send(self.home, Message::GivenUp(only.map(|(_, number)| number)));
                if only.is_some() {
                    self.schedule_request(cache, ctx);
                }
            }
            Message::Request(_) | Message::GivenUp(_) => unreachable!("these are sent to the home"),
        }
    }
}

fn system(n: usize, requests: usize, grants: fn(usize) -> bool) -> System {
    let mut system = System::new();
    let home = system.add("home", Home { grants });
    let client = Client { home: home.address(), requests };
    let clients: Vec<_> = (1..=n).map(|i| system.add(format!("client {i}"), client.clone())).collect();
    let system = clients.iter().fold(system, |system, &client| system.sends_only_to(client, [home]));
    let system = system
        .identical(clients)
        .always("an exclusive copy is the only one", |view| {
            let copies = || view.all::<Cache>().filter_map(|(_, cache)| cache.copy);
            copies().count() <= 1 || copies().all(|(access, _)| access == Access::Shared)
        })
        .at_rest("every request is granted", |view| view.all::<Directory>().all(|(_, home)| home.queue.is_empty()))
        .at_rest("no addition is lost", |view| {
            let added: usize = view.all::<Cache>().map(|(_, cache)| cache.added).sum();
            let copies = view.all::<Cache>().filter_map(|(_, cache)| cache.copy);
            let number = copies.map(|(_, number)| number).max().unwrap_or(0);
            number.max(view.all::<Directory>().map(|(_, home)| home.number).sum()) == added
        });
    match (n, requests) {
        (2.., 1..) => system.sometimes("two clients share", |view| {
            view.all::<Cache>().filter(|(_, cache)| cache.copy.is_some()).count() >= 2
        }),
        _ => system,
    }
}
