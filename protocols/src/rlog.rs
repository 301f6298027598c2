//! `rlog`: a replicated log with leader failover. `n` nodes serve one client request while leaders are suspected `f` times.
//!
//! Time is divided into epochs, each with one leader. The leader appends the request to its log, sends the log to all nodes and
//! acknowledges the request when a majority has the log. The environment suspects the leader and chooses another node for the
//! next epoch; the old leader does not learn of this and continues. The new leader requests that all nodes abandon older epochs,
//! adopts the most recent log among those of a majority, appends an entry for the start of its epoch, and notifies the client,
//! which sends the request to it again.
//!
//! Properties: the monitor `Agreement`, and that the client is answered. Majorities overlap and every message carries its epoch,
//! so the protocol makes no assumption about the network: it is correct under all four.
//!
//! Messages of older epochs, and replies beyond a majority, are stale. In `rlog` selective receives leave them unread; in
//! `rlog-nonsel` they are received and ignored, in every order, which multiplies the executions (Must §6.2, Table 2).

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;

/// The model `rlog`.
pub const MODEL: Model = Model {
    name: "rlog",
    summary: "a replicated log: n nodes serve one request with f leader failovers; stale messages stay unread",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Stale::Unread))),
};

/// The model `rlog-nonsel`: the variant without selective receives.
pub const NONSEL: Model = Model {
    name: "rlog-nonsel",
    summary: "the replicated log without selective receives: stale messages are received and ignored",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Stale::Ignored))),
};

const PARAMS: &[Param] = &[Param::int("f", 1, 0..=8, "failovers"), Param::int("n", 3, 2..=9, "nodes")];

/// The treatment of stale messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stale {
    Unread,
    Ignored,
}

/// A message to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Message {
    epoch: u32,
    from: Pid,
    body: Body,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Body {
    TakeOver,
    Prepare,
    Promise { accepted: u32, log: Log },
    Request,
    Append(Log),
    Ack,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Entry {
    Begin(u32),
    Request,
}

type Log = Vec<Entry>;

/// A message to the client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Answer {
    Leader { epoch: u32, node: Pid },
    Done(Log),
}

/// The first message to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cluster {
    nodes: Vec<Pid>,
    client: Pid,
}

fn checker(params: &Params, stale: Stale) -> Program {
    let (f, n) = (params.int("f"), params.int("n"));
    Program::new(move || start(f as u32, n, stale)).monitor(Agreement::default)
}

fn start(f: u32, n: usize, stale: Stale) {
    let node = |i| process(format_args!("node{i}")).daemon().spawn(move || Node::new(recv(), i == 0).run(stale)).pid();
    let nodes: Vec<Pid> = (0..n).map(node).collect();
    let leader = nodes[0];
    let client = process("client").spawn(move || client(leader, stale)).pid();
    for node in &nodes {
        send(*node, Cluster { nodes: nodes.clone(), client });
    }
    process("environment").spawn(move || environment(&nodes, f));
}

/// Suspects the leader `f` times.
fn environment(nodes: &[Pid], f: u32) {
    let mut leader = nodes[0];
    for epoch in 1..=f {
        let others: Vec<Pid> = nodes.iter().copied().filter(|node| *node != leader).collect();
        leader = choose(&others);
        send(leader, Message { epoch, from: me(), body: Body::TakeOver });
    }
}

fn client(mut leader: Pid, stale: Stale) {
    let mut epoch = 0;
    loop {
        send(leader, Message { epoch, from: me(), body: Body::Request });
        let fresh = move |answer: &Answer| !matches!(answer, Answer::Leader { epoch: e, .. } if *e <= epoch);
        match receive(stale, fresh) {
            Answer::Leader { epoch: e, node } => (epoch, leader) = (e, node),
            Answer::Done(_) => break,
        }
    }
}

/// Receives the next message that is not stale.
fn receive<M: manyworlds::Message>(stale: Stale, fresh: impl Fn(&M) -> bool + 'static) -> M {
    match stale {
        Stale::Unread => recv_where(fresh),
        Stale::Ignored => loop {
            let message = recv();
            if fresh(&message) {
                return message;
            }
        },
    }
}

/// The stage of a node in its epoch. It determines the messages of this epoch that are not stale.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Following,
    Electing,
    Leading,
    Replicating,
}

struct Node {
    cluster: Cluster,
    epoch: u32,
    stage: Stage,
    log: Log,
    /// The epoch of the leader that sent the log.
    accepted: u32,
    /// The number of nodes that have promised, or have the log, including this node.
    votes: usize,
}

impl Node {
    fn new(cluster: Cluster, leads: bool) -> Node {
        let stage = if leads { Stage::Leading } else { Stage::Following };
        Node { cluster, epoch: 0, stage, log: Log::new(), accepted: 0, votes: 0 }
    }

    fn run(mut self, stale: Stale) {
        loop {
            let (epoch, stage) = (self.epoch, self.stage);
            let Message { epoch, from, body } = receive(stale, move |m| fresh(epoch, stage, m));
            self.epoch = epoch;
            match body {
                Body::TakeOver => self.enter(Stage::Electing, Body::Prepare),
                Body::Prepare => {
                    self.stage = Stage::Following;
                    self.send(from, Body::Promise { accepted: self.accepted, log: self.log.clone() });
                }
                Body::Promise { accepted, log } => self.promised(accepted, log),
                Body::Request => self.request(),
                Body::Append(log) => {
                    (self.stage, self.accepted, self.log) = (Stage::Following, epoch, log);
                    self.send(from, Body::Ack);
                }
                Body::Ack => self.acknowledged(),
            }
        }
    }

    /// Enters a stage: sends a request to all other nodes, and counts its own vote.
    fn enter(&mut self, stage: Stage, request: Body) {
        (self.stage, self.votes) = (stage, 1);
        for node in self.cluster.nodes.iter().filter(|node| **node != me()) {
            self.send(*node, request.clone());
        }
    }

    /// Handles a promise. The log of a later leader is more recent; of two logs of the same leader the longer one is.
    fn promised(&mut self, accepted: u32, log: Log) {
        if (accepted, log.len()) > (self.accepted, self.log.len()) {
            (self.accepted, self.log) = (accepted, log);
        }
        if self.add_vote() {
            self.log.push(Entry::Begin(self.epoch));
            self.accepted = self.epoch;
            self.stage = Stage::Leading;
            send(self.cluster.client, Answer::Leader { epoch: self.epoch, node: me() });
        }
    }

    fn request(&mut self) {
        if !self.log.contains(&Entry::Request) {
            self.log.push(Entry::Request);
        }
        self.enter(Stage::Replicating, Body::Append(self.log.clone()));
    }

    fn acknowledged(&mut self) {
        if self.add_vote() {
            self.stage = Stage::Following;
            send(self.cluster.client, Answer::Done(self.log.clone()));
        }
    }

    /// Counts a vote; returns whether the votes are a majority.
    fn add_vote(&mut self) -> bool {
        self.votes += 1;
        2 * self.votes > self.cluster.nodes.len()
    }

    fn send(&self, to: Pid, body: Body) {
        send(to, Message { epoch: self.epoch, from: me(), body });
    }
}

fn fresh(epoch: u32, stage: Stage, message: &Message) -> bool {
    let expected = match message.body {
        Body::TakeOver | Body::Prepare => false,
        Body::Promise { .. } => stage == Stage::Electing,
        Body::Request => stage == Stage::Leading,
        Body::Append(_) => true,
        Body::Ack => stage == Stage::Replicating,
    };
    message.epoch > epoch || message.epoch == epoch && expected
}

/// Agreement: of two acknowledged logs one is a prefix of the other, so an acknowledged request never changes its position.
#[manyworlds::monitor(Answer)]
#[derive(Default)]
struct Agreement {
    longest: Log,
}

impl Observe<Answer> for Agreement {
    fn filter(seen: &Observed<'_, Answer>) -> bool {
        matches!(seen.message, Answer::Done(_))
    }

    fn notify(&mut self, seen: &Observed<'_, Answer>) {
        let Answer::Done(log) = seen.message else { return };
        assert!(
            log.starts_with(&self.longest) || self.longest.starts_with(log),
            "{:?} and {log:?} were acknowledged",
            self.longest
        );
        if log.len() > self.longest.len() {
            self.longest.clone_from(log);
        }
    }
}
