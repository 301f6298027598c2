//! `abd`: the multi-writer register of Attiya, Bar-Noy and Dolev. `s` servers keep a timestamped value; each of `c` clients gets
//! `g` times, the first `w` of them after a put of their own value. An operation queries a majority, and then stores at a
//! majority: a put stores its value with a higher timestamp, a get stores the value that it is about to return.
//!
//! Timestamps order the operations. The value of a completed operation is held by a majority, so every later query sees a
//! timestamp at least as high. Each client checks this for its own operations: none returns a lower timestamp than the previous
//! one (no new-old inversion). With `check=linearizable` the operations of all clients together must be linearizable.
//!
//! `abd-bug`: gets do not write back. A get may return a value that only one server holds, and the next get, which queries other
//! servers, an older value.

use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Address, Context, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};

const CHECK: Param =
    Param::choice("check", &["order", "linearizable"], "no new-old inversion at a client, or also linearizability");

/// The model `abd`.
pub const MODEL: Model = Model {
    name: "abd",
    summary: "the ABD register: s servers, c clients, w put and all get g times; no new-old inversion",
    params: &[
        Param::int("s", 3, 1..=7, "servers"),
        Param::int("c", 2, 1..=4, "clients"),
        Param::int("w", 1, 0..=4, "clients that put first"),
        Param::int("g", 1, 0..=4, "gets of each client"),
        CHECK,
    ],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The model `abd-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "abd-bug",
    summary: "gets do not write back: a later get may return an older value",
    params: &[
        Param::int("s", 3, 1..=7, "servers"),
        Param::int("c", 2, 1..=4, "clients"),
        Param::int("w", 1, 0..=4, "clients that put first"),
        Param::int("g", 2, 0..=4, "gets of each client"),
        CHECK,
    ],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// A value with its timestamp. The value identifies the writer: client `i` writes `i + 1`, and 0 is the initial value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamped {
    time: u8,
    value: u8,
}

/// Messages between clients and servers; the first field is the phase of the client to which the message belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// Requests the value that the server holds.
    Query(u8),
    /// The value that the server holds.
    Have(u8, Stamped),
    /// Requests that the server store this value, unless it holds a newer one.
    Store(u8, Stamped),
    /// Acknowledges `Store`.
    Stored(u8),
}

struct Server;

impl Actor for Server {
    type State = Stamped;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Stamped {
        Stamped::default()
    }

    fn message(&self, state: &mut Stamped, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Query(phase) => ctx.send(from, Message::Have(phase, *state)),
            Message::Store(phase, stamped) => {
                *state = stamped.max(*state);
                ctx.send(from, Message::Stored(phase));
            }
            Message::Have(..) | Message::Stored(_) => {}
        }
    }
}

struct Client {
    servers: Vec<Address<Message>>,
    index: u8,
    puts: bool,
    gets: u8,
    writes_back: bool,
}

/// A client's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Session {
    /// Operation `k` queries in phase `2k` and stores in phase `2k + 1`; operation 0 is the put.
    phase: u8,
    /// The servers that replied in this phase.
    answers: u8,
    /// The highest reply to the query; then the value that is being stored.
    current: Stamped,
    /// The timestamped value of the last completed operation.
    returned: Stamped,
    /// Whether an operation returned a lower timestamp than the previous one.
    went_back: bool,
}

impl Client {
    fn value(&self) -> u8 {
        self.index + 1
    }

    /// Whether all phases are completed.
    fn is_done(&self, phase: u8) -> bool {
        phase > 2 * self.gets + 1
    }

    fn is_majority(&self, servers: u8) -> bool {
        2 * servers.count_ones() as usize > self.servers.len()
    }

    fn query(&self, state: &mut Session, phase: u8, ctx: &mut Context<'_>) {
        *state = Session { phase, answers: 0, current: Stamped::default(), ..*state };
        if !self.is_done(phase) {
            ctx.invoked(if phase == 0 { Operation::Write(self.value()) } else { Operation::Read });
            ctx.broadcast(&self.servers, Message::Query(phase));
        }
    }

    /// Handles the completion of a query: a majority has replied.
    fn queried(&self, state: &mut Session, ctx: &mut Context<'_>) {
        if state.phase == 0 {
            state.current = Stamped { time: state.current.time + 1, value: self.value() };
        } else if !self.writes_back {
            return self.returns(state, state.phase + 2, ctx);
        }
        state.phase += 1;
        state.answers = 0;
        ctx.broadcast(&self.servers, Message::Store(state.phase, state.current));
    }

    fn returns(&self, state: &mut Session, next: u8, ctx: &mut Context<'_>) {
        ctx.returned(if state.phase < 2 { Response::Written } else { Response::Read(state.current.value) });
        state.went_back |= state.current < state.returned;
        state.returned = state.current;
        self.query(state, next, ctx);
    }
}

impl Actor for Client {
    type State = Session;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Session {
        let mut state = Session::default();
        self.query(&mut state, if self.puts { 0 } else { 2 }, ctx);
        state
    }

    fn message(&self, state: &mut Session, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        let (phase, reply) = match *message {
            Message::Have(phase, stamped) => (phase, stamped),
            Message::Stored(phase) => (phase, state.current),
            Message::Query(_) | Message::Store(..) => return,
        };
        if phase != state.phase {
            return;
        }
        let server = self.servers.iter().position(|&pid| pid == from).expect("only servers answer");
        state.answers |= 1 << server;
        state.current = state.current.max(reply);
        match (self.is_majority(state.answers), phase % 2) {
            (true, 0) => self.queried(state, ctx),
            (true, _) => self.returns(state, phase + 1, ctx),
            (false, _) => {}
        }
    }
}

fn system(params: &Params, writes_back: bool) -> System {
    let [s, c, w, g] = ["s", "c", "w", "g"].map(|name| params.int(name) as u16);
    let mut system = System::new().network(Network::P2p);
    let servers: Vec<_> = (0..s).map(|index| system.add(format!("server{index}"), Server).address()).collect();
    let client = |index: u8| {
        let (servers, puts, gets) = (servers.clone(), u16::from(index) < w, g as u8);
        system.add(format!("client{index}"), Client { servers, index, puts, gets, writes_back })
    };
    let clients: Vec<_> = (0..c as u8).map(client).collect();
    let system = servers.iter().fold(system, |system, &pid| system.sends_only_to(pid, clients.clone()));
    let system = clients.iter().fold(system, |system, &pid| system.sends_only_to(pid, servers.clone()));
    let done = 2 * g as u8 + 2;
    let system = if params.text("check") == "linearizable" { system.linearizable(Register::new(0u8)) } else { system };
    system
        .always_stable("no new-old inversion", |view| view.all::<Session>().all(|(_, session)| !session.went_back))
        .sometimes("all is done", move |view| view.all::<Session>().all(|(_, session)| session.phase == done))
}
