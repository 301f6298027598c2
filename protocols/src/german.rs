//! `german`: a cache line shared by `n` clients under a directory, after German's protocol, a challenge for verifiers. A client asks the home
//! for a shared copy or for the only one; the home serves one request at a time: it has the copies withdrawn that are in the way, waits for
//! all to be given up, and grants. Each client asks `requests` times, for what it chooses.
//!
//! An exclusive copy excludes every other copy. So that a breach leaves a mark, the line holds a number: whoever gets the only copy
//! adds one to it, and gives the number back when the copy is withdrawn; at the end no addition is lost. And the home insists that copies are
//! given up only while it waits for them.
//!
//! A grant must not be overtaken by the withdrawal that follows it: p2p, the default, is the weakest network under which it is right.
//! Under asyn a client gives up a copy that it has not got yet, and keeps it when it comes.
//!
//! `german-bug` has a home that grants as soon as one copy is given up, while others are still being withdrawn.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::Renaming;
use manyworlds::actor::{Actor, Context, System};
use std::collections::{BTreeSet, VecDeque};

const PARAMS: &[Param] =
    &[Param::int("n", 3, 1..=32, "clients"), Param::int("requests", 2, 0..=10, "requests of each client")];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "german",
    summary: "directory cache coherence for n clients: an exclusive copy is the only one",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("requests"), |missing| missing == 0))),
};

/// The variant with a seeded bug.
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
    /// The copy is given up; the number if it was the only copy.
    GivenUp(Option<usize>),
}

struct Home {
    /// Whether it grants while this many copies are still to be given up.
    grants: fn(usize) -> bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Directory {
    number: usize,
    holders: BTreeSet<Pid>,
    exclusive: bool,
    /// Requests that wait, the one that is being served first.
    queue: VecDeque<(Pid, Access)>,
    /// Copies that are being withdrawn.
    withdrawn: BTreeSet<Pid>,
}

impl Home {
    /// Begins to serve the first request.
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
                assert!(directory.withdrawn.remove(&from), "a copy is given up that was not waited for");
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

const ASK: &str = "ask for a copy";

struct Client {
    home: Pid,
    requests: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cache {
    copy: Option<(Access, usize)>,
    /// Requests to come.
    left: usize,
    /// How often it has added one to the number.
    added: usize,
}

impl Client {
    /// Whoever has the only copy needs nothing more, until it is withdrawn.
    fn plan(&self, cache: &Cache, ctx: &mut Context<'_>) {
        if cache.left > 0 && !matches!(cache.copy, Some((Access::Exclusive, _))) {
            ctx.set_timer(ASK);
        }
    }
}

impl Actor for Client {
    type State = Cache;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Cache {
        let cache = Cache { copy: None, left: self.requests, added: 0 };
        self.plan(&cache, ctx);
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
                self.plan(cache, ctx);
            }
            Message::Withdraw => {
                let only = cache.copy.take().filter(|&(access, _)| access == Access::Exclusive);
                ctx.send(self.home, Message::GivenUp(only.map(|(_, number)| number)));
                if only.is_some() {
                    self.plan(cache, ctx);
                }
            }
            Message::Request(_) | Message::GivenUp(_) => unreachable!("these are sent to the home"),
        }
    }
}

fn system(n: usize, requests: usize, grants: fn(usize) -> bool) -> System {
    let mut system = System::new();
    let home = system.add("home", Home { grants });
    let clients: Vec<Pid> = (1..=n).map(|i| system.add(format!("client {i}"), Client { home, requests })).collect();
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
