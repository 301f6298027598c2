//! `counter`: `n` clients each increment a shared counter `k` times, and wait for the acknowledgement of each increment. No
//! increment is lost in any order: the final value is `n·k`. There are `(n·k)!/(k!)ⁿ` executions, but the state does not
//! depend on the order of the increments: there are only `(2k + 1)ⁿ` states.
//!
//! `counter-bug`: clients increment with a read followed by a write. An increment between the two is lost, so the final value
//! can be below `n·k`.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, System};

const fn clients(default: u64) -> Param {
    Param::int("n", default, 1..=32, "clients")
}

const INCREMENTS: Param = Param::int("k", 2, 0..=100, "increments of each client");

/// The model `counter`.
pub const MODEL: Model = Model {
    name: "counter",
    summary: "n clients increment a counter k times each: no increment is lost",
    params: &[clients(4), INCREMENTS],
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("k"), Increment::Add))),
};

/// The model `counter-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "counter-bug",
    summary: "clients increment by a read and a later write: increments get lost",
    params: &[clients(2), INCREMENTS],
    build: Build::Actors(|params| Ok(system(params.int("n"), params.int("k"), Increment::ReadThenWrite))),
};

/// How a client increments the counter.
#[derive(Clone, Copy)]
enum Increment {
    Add,
    ReadThenWrite,
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

#[derive(Clone)]
struct Client {
    counter: Address<Message>,
    increments: usize,
    increment: Increment,
}

/// The number of increments that are not acknowledged yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Left(usize);

impl Client {
    fn send_next(&self, left: &Left, ctx: &mut Context<'_>) {
        if left.0 > 0 {
            ctx.send(self.counter, if matches!(self.increment, Increment::Add) { Message::Add } else { Message::Read });
        }
    }
}

impl Actor for Client {
    type State = Left;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Left {
        let left = Left(self.increments);
        self.send_next(&left, ctx);
        left
    }

    fn message(&self, left: &mut Left, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Value(value) => ctx.send(from, Message::Write(value + 1)),
            Message::Done => {
                left.0 -= 1;
                self.send_next(left, ctx);
            }
            _ => unreachable!("these are sent to the counter"),
        }
    }
}

fn system(n: usize, k: usize, increment: Increment) -> System {
    let mut system = System::new();
    let counter = system.add("counter", Counter);
    let client = Client { counter: counter.address(), increments: k, increment };
    let clients: Vec<_> = (1..=n).map(|i| system.add(format!("client {i}"), client.clone())).collect();
    let system = clients.iter().fold(system, |system, &client| system.sends_only_to(client, [counter]));
    system
        .identical(clients)
        .always_stable("nothing is counted twice", move |view| view.state(counter).is_none_or(|t| t.0 <= n * k))
        .at_rest_of(counter, "no increment is lost", move |total| total.0 == n * k)
        .at_rest("every increment is acknowledged", |view| view.all::<Left>().all(|(_, left)| left.0 == 0))
}
