//! `chang-roberts`: leader election in a ring of `n` nodes that can only send to the next one (Chang and Roberts, 1979). Any node may call an
//! election at any time by sending its number; a node passes on numbers greater than its own and swallows smaller ones, calling an election
//! itself if it has not yet taken part. Whoever gets its own number back leads, and tells everybody.
//!
//! There is at most one leader, it has the greatest number, and in the end everybody knows it. Whether the numbers grow or shrink along the
//! ring (`order`) decides how far they travel. Nothing depends on the order of messages on a link: it is right under every network.
//!
//! `chang-roberts-bug` swallows nothing: a node passes on every number that is not its own, so everybody who calls an election gets its number
//! back and leads, be it the greatest or not.

use crate::{Build, Model, Param, Params};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Context, System};

const PARAMS: &[Param] = &[
    Param::int("n", 6, 1..=64, "nodes"),
    Param::text("order", "desc", "whether numbers grow or shrink along the ring: asc or desc"),
];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "chang-roberts",
    summary: "leader election in a ring of n nodes: one leader, the greatest",
    params: PARAMS,
    build: Build::Actors(|params| system(params, |number, mine| number > mine)),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "chang-roberts-bug",
    summary: "smaller numbers are passed on too: a node leads that is not the greatest",
    params: PARAMS,
    build: Build::Actors(|params| system(params, |_, _| true)),
};

const CALL: &str = "call an election";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Candidate(usize),
    Elected(usize),
}

struct Node {
    number: usize,
    next: Pid,
    /// Whether it passes on another's number, given its own.
    passes_on: fn(usize, usize) -> bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Election {
    leads: bool,
    /// The leader's number, as this node heard it first.
    leader: Option<usize>,
}

impl Actor for Node {
    type State = Election;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Election {
        ctx.set_timer(CALL);
        Election::default()
    }

    fn timer(&self, _: &mut Election, _: &'static str, ctx: &mut Context<'_>) {
        ctx.send(self.next, Message::Candidate(self.number));
    }

    fn message(&self, election: &mut Election, _: Pid, message: &Message, ctx: &mut Context<'_>) {
        // Whoever has heard of an election does not call another one.
        let has_not_taken_part = ctx.timer_is_set(CALL);
        ctx.cancel_timer(CALL);
        match *message {
            Message::Candidate(number) if number == self.number => {
                election.leads = true;
                election.leader.get_or_insert(number);
                ctx.send(self.next, Message::Elected(number));
            }
            Message::Candidate(number) if (self.passes_on)(number, self.number) => {
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

fn system(params: &Params, passes_on: fn(usize, usize) -> bool) -> Result<System, String> {
    let n = params.int("n");
    let number = |i: usize| match params.text("order") {
        "asc" => Ok(i + 1),
        "desc" => Ok(n - i),
        other => Err(format!("parameter `order` is `{other}`; expected asc or desc")),
    };
    let mut system = System::new();
    let mut ring = Vec::new();
    for i in 0..n {
        let next = Pid::root(((i + 1) % n) as u16);
        let number = number(i)?;
        ring.push((system.add(format!("node {number}"), Node { number, next, passes_on }), next));
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
