//! `counter`: `n` clients increment a counter `k` times each, and wait for each increment to be acknowledged. In whatever order they come, none
//! is lost: at the end the counter stands at `n·k`. There are `(n·k)!/(k!)ⁿ` executions, but the order leaves no mark: `(2k + 1)ⁿ` states.
//!
//! `counter-bug` has clients that read the counter and write back one more: an increment between the two is lost, and the counter ends below
//! `n·k`.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Context, System};

const fn clients(default: u64) -> Param {
    Param::int("n", default, 1..=32, "clients")
}

const INCREMENTS: Param = Param::int("k", 2, 0..=100, "increments of each client");

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "counter",
    summary: "n clients increment a counter k times each: no increment is lost",
    params: &[clients(4), INCREMENTS],
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("k"), Way::Add))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "counter-bug",
    summary: "clients read the counter and write back one more: increments get lost",
    params: &[clients(2), INCREMENTS],
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("k"), Way::ReadAndWrite))),
};

/// How a client increments.
#[derive(Clone, Copy)]
enum Way {
    Add,
    ReadAndWrite,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Add,
    Read,
    Write(usize),
    Value(usize),
    Done,
}

struct Counter;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Total(usize);

impl Actor for Counter {
    type State = Total;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Total {
        Total(0)
    }

    fn message(&self, total: &mut Total, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Add => total.0 += 1,
            Message::Write(value) => total.0 = value,
            Message::Read => return ctx.send(from, Message::Value(total.0)),
            Message::Value(_) | Message::Done => unreachable!("these are sent to clients"),
        }
        ctx.send(from, Message::Done);
    }
}

struct Client {
    counter: Pid,
    increments: usize,
    way: Way,
}

/// How many increments are still to be acknowledged.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Left(usize);

impl Client {
    fn increment(&self, left: &Left, ctx: &mut Context<'_>) {
        if left.0 > 0 {
            ctx.send(self.counter, if matches!(self.way, Way::Add) { Message::Add } else { Message::Read });
        }
    }
}

impl Actor for Client {
    type State = Left;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Left {
        let left = Left(self.increments);
        self.increment(&left, ctx);
        left
    }

    fn message(&self, left: &mut Left, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Value(value) => ctx.send(from, Message::Write(value + 1)),
            Message::Done => {
                left.0 -= 1;
                self.increment(left, ctx);
            }
            _ => unreachable!("these are sent to the counter"),
        }
    }
}

fn system(n: usize, k: usize, way: Way) -> System {
    let mut system = System::new();
    let counter = system.add("counter", Counter);
    let clients: Vec<Pid> =
        (1..=n).map(|i| system.add(format!("client {i}"), Client { counter, increments: k, way })).collect();
    let system = clients.iter().fold(system, |system, &client| system.sends_only_to(client, [counter]));
    system
        .identical(clients)
        .always_stable("nothing is counted twice", move |view| view.get::<Total>(counter).is_none_or(|t| t.0 <= n * k))
        .at_rest("no increment is lost", move |view| view.state::<Total>(counter).0 == n * k)
        .at_rest("every increment is acknowledged", |view| view.all::<Left>().all(|(_, left)| left.0 == 0))
}
