//! `chang-roberts`: leader election in a unidirectional ring of `n` nodes (Chang and Roberts, 1979). Any node may start an
//! election at any time by sending its number to its successor. A node forwards numbers greater than its own and drops smaller
//! ones; in the latter case it sends its own number if it has not yet taken part. A node that receives its own number is the
//! leader, and announces this to all.
//!
//! There is at most one leader, it has the greatest number, and every node learns it eventually. Whether the numbers increase or
//! decrease along the ring (`order`) determines how many messages are sent. The protocol does not depend on FIFO links: it is
//! correct under every network.
//!
//! `chang-roberts-bug`: a node forwards every number that is not its own, so every node that starts an election receives its own
//! number and becomes a leader, even if its number is not the greatest.

use crate::{Build, Model, Param, Params};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Reserved, System};

const PARAMS: &[Param] = &[
    Param::int("n", 6, 1..=64, "nodes"),
    Param::text("order", "desc", "whether numbers increase or decrease along the ring: asc or desc"),
];

/// The model `chang-roberts`.
pub const MODEL: Model = Model {
    name: "chang-roberts",
    summary: "leader election in a ring of n nodes: one leader, with the greatest number",
    params: PARAMS,
    build: Build::Actors(|params| system(params, |number, mine| number > mine)),
};

/// The model `chang-roberts-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "chang-roberts-bug",
    summary: "smaller numbers are forwarded, too: a node without the greatest number becomes leader",
    params: PARAMS,
    build: Build::Actors(|params| system(params, |_, _| true)),
};

const START_ELECTION: &str = "call an election";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Candidate(usize),
    Elected(usize),
}

struct Node {
    number: usize,
    next: Address<Message>,
    /// Whether the node forwards another node's number, given that number and its own.
    forwards: fn(usize, usize) -> bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Election {
    leads: bool,
    /// The first leader's number that this node received.
    leader: Option<usize>,
}

impl Actor for Node {
    type State = Election;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Election {
        ctx.set_timer(START_ELECTION);
        Election::default()
    }

    fn timer(&self, _: &mut Election, _: &'static str, ctx: &mut Context<'_>) {
        ctx.send(self.next, Message::Candidate(self.number));
    }

    fn message(&self, election: &mut Election, _: Pid, message: &Message, ctx: &mut Context<'_>) {
        // A node that has received a message does not start another election.
        let has_not_taken_part = ctx.timer_is_set(START_ELECTION);
        ctx.cancel_timer(START_ELECTION);
        match *message {
            Message::Candidate(number) if number == self.number => {
                election.leads = true;
                election.leader.get_or_insert(number);
                ctx.send(self.next, Message::Elected(number));
            }
            Message::Candidate(number) if (self.forwards)(number, self.number) => {
                ctx.send(self.next, Message::Candidate(number));
            }
            Message::Candidate(_) if has_not_taken_part => ctx.send(self.next, Message::Candidate(self.number)),
            Message::Candidate(_) => {}
            Message::Elected(number) if number == self.number => {}
            Message::Elected(number) => {
                election.leader.get_or_insert(number);
                ctx.send(self.next, Message::Elected(number));
            }
        }
    }
}

fn system(params: &Params, forwards: fn(usize, usize) -> bool) -> Result<System, String> {
    let n = params.int("n");
    let number = |i: usize| match params.text("order") {
        "asc" => Ok(i + 1),
        "desc" => Ok(n - i),
        other => Err(format!("parameter `order` is `{other}`; expected asc or desc")),
    };
    let mut system = System::new();
    let numbers = (0..n).map(number).collect::<Result<Vec<usize>, String>>()?;
    let reserved: Vec<_> = numbers.iter().map(|number| system.reserve(format!("node {number}"))).collect();
    let mut next: Vec<_> = reserved.iter().map(Reserved::address).collect();
    next.rotate_left(1);
    let mut ring = Vec::new();
    for ((node, number), next) in reserved.into_iter().zip(numbers).zip(next) {
        ring.push((system.define(node, Node { number, next, forwards }), next));
    }
    let system = ring.into_iter().fold(system, |system, (node, next)| system.sends_only_to(node, [next]));
    Ok(system
        .always_stable("there is at most one leader", |view| {
            view.all::<Election>().filter(|(_, election)| election.leads).count() <= 1
        })
        .always_stable("nobody believes in a leader but the greatest", move |view| {
            view.all::<Election>().all(|(_, election)| election.leader.is_none_or(|leader| leader == n))
        })
        .eventually("somebody leads", |view| view.all::<Election>().any(|(_, election)| election.leads))
        .at_rest("everybody knows the leader", move |view| {
            view.all::<Election>().all(|(_, election)| election.leader == Some(n))
        }))
}
