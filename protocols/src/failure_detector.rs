//! `failure-detector`: a failure detector pings `n` nodes in `rounds` rounds. A timer ends each round, at any time, because the
//! network is asynchronous. A node is suspected while the detector has received no answer of it to any of the last `misses`
//! rounds that have ended; a late answer clears the suspicion. Up to `crashes` nodes crash, permanently.
//!
//! No detector can distinguish a crashed node from a slow one, so its guarantees concern the quiescent state, when all answers
//! have arrived:
//! - completeness: a crashed node is suspected, unless it answered one of the last `misses` rounds before its crash. The
//!   property reads this from the durable state of the nodes, which survives crashes, not from the detector;
//! - eventual accuracy: a running node is not suspected.
//!
//! Before that a running node may be suspected, and a property of the model checks that this is possible. Answers carry the
//! number of their round, so the model is correct under every network.
//!
//! `failure-detector-bug`: the detector ignores the round number of answers: a late answer counts for the current round, so a
//! node that answered an early round and crashed is not suspected.

use crate::{Build, Model, Param, Params};
use manyworlds::Pid;
use manyworlds::actor::Renaming;
use manyworlds::actor::{Actor, Address, Context, Faults, System, View};
use std::collections::{BTreeMap, BTreeSet};

const PARAMS: &[Param] = &[
    Param::int("n", 3, 1..=63, "nodes"),
    Param::int("rounds", 2, 1..=20, "rounds of pings"),
    Param::int("misses", 1, 1..=20, "rounds without an answer after which a node is suspected"),
    Param::int("crashes", 1, 0..=63, "nodes that crash"),
];

/// The model `failure-detector`.
pub const MODEL: Model = Model {
    name: "failure-detector",
    summary: "a detector pings n nodes and suspects those that do not answer: completeness, eventual accuracy",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params, |answered, _| answered))),
};

/// The model `failure-detector-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "failure-detector-bug",
    summary: "late answers count for the current round: a crashed node is not suspected",
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
    nodes: Vec<Address<Message>>,
    rounds: usize,
    misses: usize,
    /// The round for which an answer counts, given the round number in the answer and the current round.
    counts_for: fn(usize, usize) -> usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Suspicion {
    /// The number of rounds that have ended.
    ended: usize,
    /// The last round that each node answered.
    heard: BTreeMap<Pid, usize>,
    suspected: BTreeSet<Pid>,
}

impl Detector {
    fn update_suspected(&self, state: &mut Suspicion) {
        let heard = |node: &Pid| state.heard.get(node).copied().unwrap_or(0);
        state.suspected =
            self.nodes.iter().map(|node| node.pid()).filter(|node| heard(node) + self.misses <= state.ended).collect();
    }

    fn start_round(&self, round: usize, ctx: &mut Context<'_>) {
        ctx.broadcast(&self.nodes, Message::Ping(round));
        ctx.set_timer(ROUND_ENDS);
    }
}

impl Actor for Detector {
    type State = Suspicion;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Suspicion {
        self.start_round(1, ctx);
        Suspicion::default()
    }

    fn message(&self, state: &mut Suspicion, from: Pid, message: &Message, _: &mut Context<'_>) {
        let Message::Pong(round) = *message else { unreachable!("the detector receives only answers") };
        let current = self.rounds.min(state.ended + 1);
        let heard = state.heard.entry(from).or_insert(0);
        *heard = (*heard).max((self.counts_for)(round, current));
        self.update_suspected(state);
    }

    fn timer(&self, state: &mut Suspicion, _: &'static str, ctx: &mut Context<'_>) {
        state.ended += 1;
        self.update_suspected(state);
        if state.ended < self.rounds {
            self.start_round(state.ended + 1, ctx);
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
        let Message::Ping(round) = *message else { unreachable!("nodes receive only pings") };
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
    let detector = system.reserve("detector");
    let nodes: Vec<_> = (1..=n).map(|i| system.add(format!("node {i}"), Node).address()).collect();
    let detector = system.define(detector, Detector { nodes: nodes.clone(), rounds, misses, counts_for });
    let system = nodes.iter().fold(system, |system, &node| system.sends_only_to(node, [detector]));
    let system = system
        .sends_only_to(detector, nodes.iter().copied())
        .identical(nodes.iter().copied())
        .faults(Faults { crashes: crashes as u8, ..Faults::default() })
        .may_crash(nodes)
        .at_rest("whoever is down and missed the last rounds is suspected", move |view| {
            let mut crashed =
                view.all::<Answered>().filter(|&(node, answered)| !view.is_up(node) && answered.0 + misses <= rounds);
            crashed.all(|(node, _)| suspected(view).any(|suspect| suspect == node))
        })
        .at_rest("nobody who is up is suspected", |view| suspected(view).all(|node| !view.is_up(node)));
    // With fewer than `misses` rounds no node is ever suspected.
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
