//! `chain`: chain replication (van Renesse and Schneider; Must fig. 1 and §6.2) with `f` faults among `n` nodes and three
//! concurrent client requests: two writes and a read.
//!
//! The coordinator, which never fails, arranges the nodes in a chain and sends the head and the tail of the chain to clients.
//! Writes enter at the head; each node appends them to its log and forwards them to its successor; the tail sends them to
//! durable storage and acknowledges them. Reads are answered by the tail. The environment chooses nodes that are suspected to
//! have failed; the coordinator forms a new chain without them, with the next version number, and clients send their requests
//! again. A node that was removed does not learn of its removal and continues, but no node receives a message whose version
//! differs from its own (selective receives, Must ex. 2.6). In a new chain each node sends its log to its successor, and the
//! tail stores and acknowledges the entries that it has not stored yet.
//!
//! Properties: the log of a node is a prefix of its predecessor's log; storage, which is fed through a mailbox network because
//! tails change (Must ex. 2.10), holds each write once, at one position; every request is answered; and the property of the
//! monitor `StrongConsistency`. Chain replication relies on FIFO links: it is correct under p2p, cd and mbox, and incorrect
//! under asyn, where one update overtakes another. Without faults only the ends of the chain receive messages in several
//! orders: under p2p and stronger networks the number of executions does not grow with `n`.
//!
//! `chain-bug`: the head acknowledges a write as soon as it has forwarded it. Example of a violation: the write is
//! acknowledged, then a client starts a read, and its request reaches the tail before the update does.

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;

/// The model `chain`.
pub const MODEL: Model = Model {
    name: "chain",
    summary: "chain replication: n nodes serve three requests with f faults; incorrect under asyn (Must fig. 1, §6.2)",
    params: PARAMS,
    build: Build::Program(|params| checker(params, Answers::Tail)),
};

/// The model `chain-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "chain-bug",
    summary: "chain replication whose head acknowledges writes that the tail has not seen",
    params: PARAMS,
    build: Build::Program(|params| checker(params, Answers::Head)),
};

const PARAMS: &[Param] = &[Param::int("f", 1, 0..=8, "faults, fewer than nodes"), Param::int("n", 3, 1..=100, "nodes")];

fn checker(params: &Params, answers: Answers) -> Result<Program, String> {
    let (f, n) = (params.int("f"), params.int("n"));
    if f >= n {
        return Err(format!("parameter `f` is {f}; expected fewer faults than nodes, of which there are {n}"));
    }
    Ok(Program::new(move || start(f, n, answers)).monitor(StrongConsistency::default))
}

fn start(f: usize, n: usize, answers: Answers) {
    let storage = process("storage").daemon().spawn(storage).pid();
    let node = |i| process(format_args!("node{i}")).daemon().spawn(move || Node::new(storage, answers).run()).pid();
    let nodes: Vec<Pid> = (0..n).map(node).collect();
    let coordinator = {
        let nodes = nodes.clone();
        process("coordinator").daemon().spawn(move || coordinator(nodes)).pid()
    };
    process("environment").spawn(move || environment(nodes, coordinator, f));
    let user = me();
    for (i, op) in [Op::Write('a'), Op::Write('b'), Op::Read].into_iter().enumerate() {
        process(format_args!("client{i}")).spawn(move || send(user, client(coordinator, op)));
    }
}

/// Which node acknowledges writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    Tail,
    Head,
}

/// The operation of a client request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Op {
    Write(char),
    Read,
}

/// A written value, and the client that waits for the acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entry {
    value: char,
    client: Pid,
}

type Log = Vec<Entry>;

/// A message to the coordinator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Notice {
    Locate { client: Pid, op: Op },
    Fail(Pid),
}

/// A message to a node, tagged with a version of the chain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Versioned {
    version: u32,
    body: Body,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Body {
    Chain(Vec<Pid>),
    Request { client: Pid, op: Op },
    Update { at: usize, entry: Entry },
    Sync(Log),
}

/// A message to a client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Answer {
    Ends { version: u32, head: Pid, tail: Pid },
    Done(Outcome),
}

/// The result of a request. Clients forward it to the user process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Outcome {
    Written(usize, char),
    Read(Vec<char>),
}

/// A message to storage.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Store {
    at: usize,
    entries: Log,
}

fn environment(mut nodes: Vec<Pid>, coordinator: Pid, f: usize) {
    for _ in 0..f {
        let who = nodes.remove(choose(0..nodes.len()));
        send(coordinator, Notice::Fail(who));
    }
}

fn coordinator(mut chain: Vec<Pid>) {
    let mut clients = Vec::new();
    let mut version = 1;
    announce(&chain, version);
    loop {
        match recv::<Notice>() {
            Notice::Locate { client, .. } => {
                clients.push(client);
                send(client, ends(&chain, version));
            }
            Notice::Fail(who) => {
                chain.retain(|node| *node != who);
                version += 1;
                announce(&chain, version);
                for client in &clients {
                    send(*client, ends(&chain, version));
                }
            }
        }
    }
}

fn announce(chain: &[Pid], version: u32) {
    for node in chain {
        send(*node, Versioned { version, body: Body::Chain(chain.to_vec()) });
    }
}

fn ends(chain: &[Pid], version: u32) -> Answer {
    Answer::Ends { version, head: chain[0], tail: chain[chain.len() - 1] }
}

/// Sends the request, and sends it again whenever the chain changes, until it is answered.
fn client(coordinator: Pid, op: Op) -> Outcome {
    let client = me();
    send(coordinator, Notice::Locate { client, op });
    loop {
        match recv() {
            Answer::Ends { version, head, tail } => {
                let to = if op == Op::Read { tail } else { head };
                send(to, Versioned { version, body: Body::Request { client, op } });
            }
            Answer::Done(outcome) => return outcome,
        }
    }
}

struct Node {
    storage: Pid,
    answers: Answers,
    version: u32,
    chain: Vec<Pid>,
    log: Log,
    /// The number of entries that this node has stored and acknowledged as the tail.
    stored: usize,
}

impl Node {
    fn new(storage: Pid, answers: Answers) -> Node {
        Node { storage, answers, version: 0, chain: Vec::new(), log: Vec::new(), stored: 0 }
    }

    fn run(mut self) {
        loop {
            let version = self.version;
            let next =
                move |m: &Versioned| m.version == version || m.version > version && matches!(m.body, Body::Chain(_));
            let Versioned { version, body } = recv_where(next);
            match body {
                Body::Chain(chain) => self.join(version, chain),
                Body::Request { client, op: Op::Read } => self.read(client),
                Body::Request { client, op: Op::Write(value) } => self.write(Entry { value, client }),
                Body::Update { at, entry } => self.update(at, entry),
                Body::Sync(log) => self.sync(log),
            }
        }
    }

    fn join(&mut self, version: u32, chain: Vec<Pid>) {
        (self.version, self.chain) = (version, chain);
        match self.successor() {
            None => self.store(),
            Some(_) if self.log.is_empty() => {}
            Some(next) => send(next, Versioned { version, body: Body::Sync(self.log.clone()) }),
        }
    }

    fn read(&self, client: Pid) {
        send(client, Answer::Done(Outcome::Read(self.log.iter().map(|entry| entry.value).collect())));
    }

    /// A write that is already in the log was sent again because the chain changed; the tail will acknowledge it.
    fn write(&mut self, entry: Entry) {
        if !self.log.contains(&entry) {
            self.update(self.log.len(), entry);
            if self.answers == Answers::Head && self.successor().is_some() {
                acknowledge(self.log.len() - 1, entry);
            }
        }
    }

    fn update(&mut self, at: usize, entry: Entry) {
        assert_eq!(at, self.log.len(), "the log is not a prefix of its predecessor's: {entry:?} is out of order");
        self.log.push(entry);
        match self.successor() {
            None => self.store(),
            Some(next) => send(next, Versioned { version: self.version, body: Body::Update { at, entry } }),
        }
    }

    fn sync(&mut self, log: Log) {
        assert!(log.starts_with(&self.log), "the log {:?} is not a prefix of its predecessor's {log:?}", self.log);
        for (at, entry) in log.into_iter().enumerate().skip(self.log.len()) {
            self.update(at, entry);
        }
    }

    fn store(&mut self) {
        let at = std::mem::replace(&mut self.stored, self.log.len());
        let entries = self.log[at..].to_vec();
        if !entries.is_empty() {
            on(Network::Mbox).send(self.storage, Store { at, entries });
        }
        for (at, &entry) in self.log.iter().enumerate().skip(at) {
            acknowledge(at, entry);
        }
    }

    fn successor(&self) -> Option<Pid> {
        let i = self.chain.iter().position(|node| *node == me())?;
        self.chain.get(i + 1).copied()
    }
}

fn acknowledge(at: usize, entry: Entry) {
    send(entry.client, Answer::Done(Outcome::Written(at, entry.value)));
}

fn storage() {
    let mut log = Log::new();
    loop {
        let Store { at, entries } = on(Network::Mbox).recv();
        for (entry, at) in entries.into_iter().zip(at..) {
            if at == log.len() {
                assert!(!log.contains(&entry), "storage holds {log:?} and receives {entry:?} again");
                log.push(entry);
            }
            assert_eq!(log.get(at), Some(&entry), "storage holds {log:?} and receives {entry:?} for position {at}");
        }
    }
}

/// Strong consistency of reads and acknowledged writes as observed by the clients: each write has a position of its own in a
/// single log, and a read returns a prefix of the log that contains all writes acknowledged before the read started. A write may
/// take effect at any time before its acknowledgement, so its start is not recorded.
#[manyworlds::monitor(Notice, Outcome)]
#[derive(Default)]
struct StrongConsistency {
    written: Vec<(usize, char)>,
    /// The number of writes that had been acknowledged when the read started.
    before_read: usize,
    read: Option<Vec<char>>,
}

impl StrongConsistency {
    fn check(&self) {
        for (i, (at, value)) in self.written.iter().enumerate() {
            assert!(
                self.written[..i].iter().all(|(other, _)| other != at),
                "two writes have the same position: {:?}",
                self.written
            );
            if let Some(log) = &self.read {
                assert!(
                    i >= self.before_read || *at < log.len(),
                    "the read {log:?} misses {value:?}, which was acknowledged before"
                );
                assert!(
                    log.get(*at).is_none_or(|seen| seen == value),
                    "the read {log:?} sees another order than {:?}",
                    self.written
                );
            }
        }
    }
}

impl Observe<Notice> for StrongConsistency {
    fn filter(seen: &Observed<'_, Notice>) -> bool {
        matches!(seen.message, Notice::Locate { op: Op::Read, .. })
    }

    fn notify(&mut self, _: &Observed<'_, Notice>) {
        self.before_read = self.written.len();
    }
}

impl Observe<Outcome> for StrongConsistency {
    fn notify(&mut self, seen: &Observed<'_, Outcome>) {
        match seen.message {
            Outcome::Written(at, value) => self.written.push((*at, *value)),
            Outcome::Read(log) => self.read = Some(log.clone()),
        }
        self.check();
    }
}
