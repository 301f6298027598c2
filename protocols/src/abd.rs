//! `abd`: the register of Attiya, Bar-Noy and Dolev for many writers. `s` servers keep a stamped value; each of `c` clients gets
//! `g` times, the first `w` of them after putting a value of their own. An operation asks a majority for what they have, and then stores at a majority: a put its value with a
//! higher stamp, a get what it is about to return.
//!
//! Stamps order the operations. What has returned is held by a majority, so whoever asks later sees a stamp at least as high. A client sees
//! this of its own operations: none returns with a lower stamp than the one before (no new-old inversion). With `check=linearizable` the
//! operations of all clients are looked at together, and each must seem to happen at once.
//!
//! `abd-bug`: gets do not write back. A get may return what only one server has, and the next one, which asks others, something older.

use crate::{Build, Model, Param, Params};
use manyworlds::actor::{Actor, Context, System};
use manyworlds::linear::specs::Register;
use manyworlds::linear::specs::register::{Operation, Response};
use manyworlds::{Network, Pid};

const CHECK: Param =
    Param::choice("check", &["order", "linearizable"], "that no client goes back, or also that all is linearizable");

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "abd",
    summary: "the ABD register: s servers, c clients, w put and all get g times; nothing new is followed by something old",
    params: &[
        Param::int("s", 3, 1..=7, "servers"),
        Param::int("c", 2, 1..=4, "clients"),
        Param::int("w", 1, 0..=4, "clients that put first"),
        Param::int("g", 1, 0..=4, "gets of each client"),
        CHECK,
    ],
    build: Build::Actors(|params| Ok(system(params, true))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "abd-bug",
    summary: "gets do not write back: a get that follows another may return something older",
    params: &[
        Param::int("s", 3, 1..=7, "servers"),
        Param::int("c", 2, 1..=4, "clients"),
        Param::int("w", 1, 0..=4, "clients that put first"),
        Param::int("g", 2, 0..=4, "gets of each client"),
        CHECK,
    ],
    build: Build::Actors(|params| Ok(system(params, false))),
};

/// When a value was written, and by whom: the value of client `i` is `i + 1`, 0 is the value at the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamped {
    time: u8,
    value: u8,
}

/// Between clients and servers; the first number is the phase of the client that is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Message {
    /// What do you have?
    Query(u8),
    /// This.
    Have(u8, Stamped),
    /// Keep this, unless you have something newer.
    Store(u8, Stamped),
    /// Done.
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
    servers: Vec<Pid>,
    nth: u8,
    puts: bool,
    gets: u8,
    writes_back: bool,
}

/// A client's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Session {
    /// Operation `k` queries in phase `2k` and stores in phase `2k + 1`; operation 0 is the put.
    phase: u8,
    /// The servers that answered in this phase.
    answers: u8,
    /// The highest answer to a query; then what is being stored.
    current: Stamped,
    /// What the last operation returned with.
    returned: Stamped,
    /// An operation returned with less than the one before.
    went_back: bool,
}

impl Client {
    fn value(&self) -> u8 {
        self.nth + 1
    }

    /// The last phase lies behind.
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

    /// A majority told what they have.
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
        let (phase, answer) = match *message {
            Message::Have(phase, stamped) => (phase, stamped),
            Message::Stored(phase) => (phase, state.current),
            Message::Query(_) | Message::Store(..) => return,
        };
        if phase != state.phase {
            return;
        }
        let server = self.servers.iter().position(|&pid| pid == from).expect("only servers answer");
        state.answers |= 1 << server;
        state.current = state.current.max(answer);
        match (self.is_majority(state.answers), phase % 2) {
            (true, 0) => self.queried(state, ctx),
            (true, _) => self.returns(state, phase + 1, ctx),
            (false, _) => {}
        }
    }
}

fn system(params: &Params, writes_back: bool) -> System {
    let [s, c, w, g] = ["s", "c", "w", "g"].map(|name| params.int(name) as u16);
    let servers: Vec<Pid> = (0..s).map(Pid::root).collect();
    let clients: Vec<Pid> = (s..s + c).map(Pid::root).collect();
    let mut system = System::new().network(Network::P2p);
    for nth in 0..s {
        system.add(format!("server{nth}"), Server);
    }
    for nth in 0..c as u8 {
        let (servers, puts, gets) = (servers.clone(), u16::from(nth) < w, g as u8);
        system.add(format!("client{nth}"), Client { servers, nth, puts, gets, writes_back });
    }
    let system = servers.iter().fold(system, |system, &pid| system.sends_only_to(pid, clients.clone()));
    let system = clients.iter().fold(system, |system, &pid| system.sends_only_to(pid, servers.clone()));
    let done = 2 * g as u8 + 2;
    let system = if params.text("check") == "linearizable" { system.linearizable(Register::new(0u8)) } else { system };
    system
        .always_stable("no new-old inversion", |view| view.all::<Session>().all(|(_, session)| !session.went_back))
        .sometimes("all is done", move |view| view.all::<Session>().all(|(_, session)| session.phase == done))
}
