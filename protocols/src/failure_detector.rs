//! `failure-detector`: a detector pings `n` nodes in `rounds` rounds; a timer ends each round, at any time, since nobody knows how long answers
//! take. A node is suspected while it has not answered any of the last `misses` rounds that have ended, as far as the detector has heard; a
//! late answer clears it. `crashes` nodes may go down for good.
//!
//! No detector can tell a node that is down from a slow one, so what it can promise speaks of the end, when all answers have arrived:
//! - complete: a node that is down is suspected, unless it did answer one of the last `misses` rounds before it went down. Who answered what
//!   is taken from the nodes' own books, which survive crashes, and not from the detector's;
//! - accurate in the end: a node that is up is not suspected.
//!
//! On the way a node that is up may be suspected, and the model says so. Answers carry the number of their round, so that every network
//! will do.
//!
//! `failure-detector-bug` does not look at that number: a late answer counts as an answer to the current round, and a node that answered and
//! went down long ago is not suspected.

use crate::{Build, Model, Param, Params};
use manyworlds::Pid;
use manyworlds::actor::Renaming;
use manyworlds::actor::{Actor, Context, Faults, System, View};
use std::collections::{BTreeMap, BTreeSet};

const PARAMS: &[Param] = &[
    Param::int("n", 3, 1..=63, "nodes"),
    Param::int("rounds", 2, 1..=20, "rounds of pings"),
    Param::int("misses", 1, 1..=20, "rounds without an answer that make suspicious"),
    Param::int("crashes", 1, 0..=63, "nodes that go down"),
];

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "failure-detector",
    summary: "a detector pings n nodes and suspects who does not answer: completeness, accuracy in the end",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, |answered, _| answered))),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "failure-detector-bug",
    summary: "late answers count as answers to the current round: a node that is down is not suspected",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, |_, current| current))),
};

const ROUND_ENDS: &str = "the round ends";

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Ping(usize),
    Pong(usize),
}

struct Detector {
    nodes: Vec<Pid>,
    rounds: usize,
    misses: usize,
    /// Which round an answer counts for, given the one that it names and the current one.
    counts_for: fn(usize, usize) -> usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Suspicion {
    /// Rounds that have ended.
    ended: usize,
    /// The last round that each node answered.
    heard: BTreeMap<Pid, usize>,
    suspected: BTreeSet<Pid>,
}

impl Detector {
    fn judge(&self, state: &mut Suspicion) {
        let heard = |node: &Pid| state.heard.get(node).copied().unwrap_or(0);
        state.suspected = self.nodes.iter().copied().filter(|node| heard(node) + self.misses <= state.ended).collect();
    }

    fn begin(&self, round: usize, ctx: &mut Context<'_>) {
        ctx.broadcast(&self.nodes, Message::Ping(round));
        ctx.set_timer(ROUND_ENDS);
    }
}

impl Actor for Detector {
    type State = Suspicion;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Suspicion {
        self.begin(1, ctx);
        Suspicion::default()
    }

    fn message(&self, state: &mut Suspicion, from: Pid, message: &Message, _: &mut Context<'_>) {
        let Message::Pong(round) = *message else { unreachable!("nobody pings the detector") };
        let current = self.rounds.min(state.ended + 1);
        let heard = state.heard.entry(from).or_insert(0);
        *heard = (*heard).max((self.counts_for)(round, current));
        self.judge(state);
    }

    fn timer(&self, state: &mut Suspicion, _: &'static str, ctx: &mut Context<'_>) {
        state.ended += 1;
        self.judge(state);
        if state.ended < self.rounds {
            self.begin(state.ended + 1, ctx);
        }
    }

    fn rename_state(&self, state: &Suspicion, names: &Renaming) -> Suspicion {
        Suspicion {
            ended: state.ended,
            heard: state.heard.iter().map(|(&node, &round)| (names.rename(node), round)).collect(),
            suspected: state.suspected.iter().map(|&node| names.rename(node)).collect(),
        }
    }
}

struct Node;

/// The last round that a node answered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Answered(usize);

impl Actor for Node {
    type State = Answered;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Answered {
        Answered(0)
    }

    fn message(&self, answered: &mut Answered, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        let Message::Ping(round) = *message else { unreachable!("nodes are pinged") };
        answered.0 = answered.0.max(round);
        ctx.send(from, Message::Pong(round));
    }

    fn durable(&self, answered: &Answered) -> Option<Answered> {
        Some(answered.clone())
    }
}

fn suspected<'v>(view: &'v View<'_>) -> impl Iterator<Item = Pid> + 'v {
    view.all::<Suspicion>().flat_map(|(_, suspicion)| suspicion.suspected.iter().copied())
}

fn system(params: &Params, counts_for: fn(usize, usize) -> usize) -> System {
    let [n, rounds, misses, crashes] = ["n", "rounds", "misses", "crashes"].map(|name| params.int(name));
    let mut system = System::new();
    let nodes: Vec<Pid> = (1..=n as u16).map(Pid::root).collect();
    let detector = system.add("detector", Detector { nodes: nodes.clone(), rounds, misses, counts_for });
    for i in 1..=n {
        system.add(format!("node {i}"), Node);
    }
    let system = nodes.iter().fold(system, |system, &node| system.sends_only_to(node, [detector]));
    let system = system
        .sends_only_to(detector, nodes.iter().copied())
        .identical(nodes.iter().copied())
        .faults(Faults { crashes: crashes as u8, ..Faults::default() })
        .may_crash(nodes)
        .at_rest("whoever is down and missed the last rounds is suspected", move |view| {
            let mut missing =
                view.all::<Answered>().filter(|&(node, answered)| !view.is_up(node) && answered.0 + misses <= rounds);
            missing.all(|(node, _)| suspected(view).any(|suspect| suspect == node))
        })
        .at_rest("nobody who is up is suspected", |view| suspected(view).all(|node| !view.is_up(node)));
    // Within the rounds there are it takes `misses` of them to become suspicious.
    if misses > rounds {
        return system;
    }
    let system =
        system.sometimes("a node that is up is suspected", |view| suspected(view).any(|node| view.is_up(node)));
    match crashes {
        0 => system,
        _ => system.sometimes("a node that is down is suspected", |view| suspected(view).any(|node| !view.is_up(node))),
    }
}
