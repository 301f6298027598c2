//! `rlog`: a replicated log with leader failover. `n` nodes serve one client request while leaders are suspected `f` times.
//!
//! Time is divided into epochs, each with one leader. The leader appends the request to its log, sends the log to all and acknowledges when a
//! majority has it. The environment suspects the leader and chooses another node for the next epoch; the old leader does not know and
//! goes on. The new leader asks all nodes to give up older epochs, takes the most recent log among those of a majority, marks the begin of its
//! epoch in it, and tells the client, which asks it again.
//!
//! Properties: the monitor `Agreement`, and that the client is answered. Majorities overlap and every message names its epoch, so nothing
//! is expected from the network: it is right under all four.
//!
//! Messages of older epochs, and answers beyond a majority, are stale. In `rlog` selective receives leave them alone; in `rlog-nonsel` they are
//! received and ignored, in every order: the executions multiply (Must §6.2, Table 2).

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "rlog",
    summary: "a replicated log: n nodes serve one request with f leader failovers; stale messages stay unread",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Stale::Unread))),
};

/// The variant without selective receives.
pub const NONSEL: Model = Model {
    name: "rlog-nonsel",
    summary: "the replicated log without selective receives: stale messages are received and ignored",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Stale::Ignored))),
};

const PARAMS: &[Param] = &[Param::int("f", 1, 0..=8, "failovers"), Param::int("n", 3, 2..=9, "nodes")];

/// What happens to stale messages.
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

fn checker(params: &Params, stale: Stale) -> Checker {
    let (f, n) = (params.int("f"), params.int("n"));
    Checker::new(move || start(f as u32, n, stale)).monitor(Agreement::default)
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
        let news = move |answer: &Answer| !matches!(answer, Answer::Leader { epoch: e, .. } if *e <= epoch);
        match receive(stale, news) {
            Answer::Leader { epoch: e, node } => (epoch, leader) = (e, node),
            Answer::Done(_) => break,
        }
    }
}

/// The next message that is not stale.
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

/// What a node waits for in its epoch, apart from news of later ones.
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
    /// The epoch of the leader from whom it has its log.
    accepted: u32,
    /// How many nodes have promised, or have the log, itself included.
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
                    self.reply(from, Body::Promise { accepted: self.accepted, log: self.log.clone() });
                }
                Body::Promise { accepted, log } => self.promised(accepted, log),
                Body::Request => self.request(),
                Body::Append(log) => {
                    (self.stage, self.accepted, self.log) = (Stage::Following, epoch, log);
                    self.reply(from, Body::Ack);
                }
                Body::Ack => self.acknowledged(),
            }
        }
    }

    /// Asks the others, and votes for itself.
    fn enter(&mut self, stage: Stage, question: Body) {
        (self.stage, self.votes) = (stage, 1);
        for node in self.cluster.nodes.iter().filter(|node| **node != me()) {
            self.reply(*node, question.clone());
        }
    }

    /// A log of a later leader is more recent, and so is a longer one of the same leader.
    fn promised(&mut self, accepted: u32, log: Log) {
        if (accepted, log.len()) > (self.accepted, self.log.len()) {
            (self.accepted, self.log) = (accepted, log);
        }
        if self.majority() {
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
        if self.majority() {
            self.stage = Stage::Following;
            send(self.cluster.client, Answer::Done(self.log.clone()));
        }
    }

    fn majority(&mut self) -> bool {
        self.votes += 1;
        2 * self.votes > self.cluster.nodes.len()
    }

    fn reply(&self, to: Pid, body: Body) {
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

/// Of two logs whose request was acknowledged, one is a prefix of the other: an acknowledged request keeps its place for ever.
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
