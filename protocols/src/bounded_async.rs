//! `bounded-async`: `n` processes go through `rounds` rounds in lockstep. Each process sends `Ready` to a scheduler; when all
//! are ready, the scheduler sends `Go` to all; each process enters the next round, sends its round number to the others, and is
//! ready again. No process is more than one round ahead of another, and no process receives a round number greater than its own
//! plus one (it may receive older ones, because messages can be delayed).
//!
//! This holds under every network. Under cd and mbox no process receives an older round number, either: the messages of a round
//! causally precede the start of the next.
//!
//! `bounded-async-bug`: the scheduler sends `Go` when all processes but one are ready, so the last one falls behind.

use crate::{Build, Model, Param, Params};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Reserved, System};

const PARAMS: &[Param] = &[Param::int("n", 3, 2..=32, "processes"), Param::int("rounds", 2, 1..=50, "rounds")];

/// The model `bounded-async`.
pub const MODEL: Model = Model {
    name: "bounded-async",
    summary: "n processes proceed in rounds: none is more than one round ahead",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, params.int("n")))),
};

/// The model `bounded-async-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "bounded-async-bug",
    summary: "the scheduler does not wait for the last process, which falls behind",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, params.int("n") - 1))),
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Ready,
    Go,
    In(usize),
}

struct Scheduler {
    processes: Vec<Address<Message>>,
    /// The number of ready processes for which the scheduler waits.
    quorum: usize,
}

/// The number of processes that are ready.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Ready(usize);

impl Actor for Scheduler {
    type State = Ready;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Ready {
        Ready(0)
    }

    fn message(&self, ready: &mut Ready, _: Pid, _: &Message, ctx: &mut Context<'_>) {
        ready.0 += 1;
        if ready.0 == self.quorum {
            ready.0 = 0;
            ctx.broadcast(&self.processes, Message::Go);
        }
    }
}

struct Process {
    scheduler: Address<Message>,
    others: Vec<Address<Message>>,
    rounds: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Round(usize);

impl Actor for Process {
    type State = Round;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Round {
        ctx.send(self.scheduler, Message::Ready);
        Round(0)
    }

    fn message(&self, round: &mut Round, _: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Go => {
                round.0 += 1;
                ctx.broadcast(&self.others, Message::In(round.0));
                if round.0 < self.rounds {
                    ctx.send(self.scheduler, Message::Ready);
                }
            }
            Message::In(other) => assert!(other <= round.0 + 1, "in round {} while another is in {other}", round.0),
            Message::Ready => unreachable!("`Ready` is sent only to the scheduler"),
        }
    }
}

fn system(params: &Params, quorum: usize) -> System {
    let [n, rounds] = ["n", "rounds"].map(|name| params.int(name));
    let mut system = System::new();
    let scheduler = system.reserve("scheduler");
    let reserved: Vec<_> = (1..=n).map(|i| system.reserve(format!("process {i}"))).collect();
    let processes: Vec<_> = reserved.iter().map(Reserved::address).collect();
    let scheduler = system.define(scheduler, Scheduler { processes: processes.clone(), quorum }).address();
    for process in reserved {
        let others = processes.iter().copied().filter(|&other| other != process.address()).collect();
        system.define(process, Process { scheduler, others, rounds });
    }
    system
        .sends_only_to(scheduler, processes.iter().copied())
        .identical(processes)
        .always("nobody is more than one round ahead", |view| {
            let rounds = || view.all::<Round>().map(|(_, round)| round.0);
            rounds().max().unwrap_or(0) <= rounds().min().unwrap_or(0) + 1
        })
        .sometimes("somebody is a round ahead", |view| {
            let rounds = || view.all::<Round>().map(|(_, round)| round.0);
            rounds().max() != rounds().min()
        })
        .at_rest("everybody has gone through all rounds", move |view| {
            view.all::<Round>().all(|(_, round)| round.0 == rounds)
        })
}
