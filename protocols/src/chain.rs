//! `chain`: chain replication (van Renesse and Schneider; Must fig. 1 and §6.2) with `f` faults among `n` nodes and three concurrent client
//! requests: two writes and a read.
//!
//! The coordinator, which never fails, puts the nodes in a chain and tells clients where its ends are. Writes enter at the head; each node
//! appends them to its log and passes them on; the tail hands them to durable storage and answers. Reads are answered by the tail. The
//! environment chooses nodes that seem to have failed; the coordinator makes a new chain without them, under the next version, and clients
//! ask again. A node that was expelled does not know and goes on, but no node receives a message of another version than its own (selective
//! receives, Must ex. 2.6). In a new chain each node sends its log to its successor, and the tail stores and answers what it has not yet.
//!
//! Properties: the log of a node is a prefix of the log before it; storage, fed by mailbox because tails change (Must ex. 2.10), holds each
//! write once and in one place; every request is answered; and what the monitor `StrongConsistency` says. Chain replication relies on links
//! that keep the order of messages: it is right under p2p, cd and mbox and wrong under asyn, where one update overtakes another. Without
//! faults only the ends of the chain receive messages in several orders: under p2p and stronger the executions do not grow with `n`.
//!
//! `chain-bug`: the head answers a write as soon as it has passed it on. A world that shows it: the write is acknowledged, then a client begins
//! to read, and its request reaches the tail before the update does.

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "chain",
    summary: "chain replication: n nodes serve three requests with f faults; wrong under asyn (Must fig. 1, §6.2)",
    params: PARAMS,
    build: Build::Program(|params| checker(params, Answers::Tail)),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "chain-bug",
    summary: "chain replication whose head acknowledges writes that the tail has not seen",
    params: PARAMS,
    build: Build::Program(|params| checker(params, Answers::Head)),
};

const PARAMS: &[Param] = &[Param::int("f", 1, 0..=8, "faults, fewer than nodes"), Param::int("n", 3, 1..=100, "nodes")];

fn checker(params: &Params, answers: Answers) -> Result<Checker, String> {
    let (f, n) = (params.int("f"), params.int("n"));
    if f >= n {
        return Err(format!("parameter `f` is {f}; expected fewer faults than nodes, of which there are {n}"));
    }
    Ok(Checker::new(move || start(f, n, answers)).monitor(StrongConsistency::default))
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

/// Who acknowledges writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    Tail,
    Head,
}

/// What a client asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Op {
    Write(char),
    Read,
}

/// A written value, and who waits for the answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entry {
    value: char,
    client: Pid,
}

type Log = Vec<Entry>;

/// To the coordinator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Notice {
    Locate { client: Pid, op: Op },
    Fail(Pid),
}

/// To nodes, under a version of the chain.
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

/// To clients.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Answer {
    Ends { version: u32, head: Pid, tail: Pid },
    Done(Outcome),
}

/// What came of a request. Clients pass it on to the user.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Outcome {
    Written(usize, char),
    Read(Vec<char>),
}

/// To storage.
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

/// Asks again whenever the chain changes, until it is answered.
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
    /// How many entries it has stored and answered, as the tail.
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

    /// A write that the log holds already was sent again because the chain changed: the tail will answer it.
    fn write(&mut self, entry: Entry) {
        if !self.log.contains(&entry) {
            self.update(self.log.len(), entry);
            if self.answers == Answers::Head && self.successor().is_some() {
                acknowledge(self.log.len() - 1, entry);
            }
        }
    }

    fn update(&mut self, at: usize, entry: Entry) {
        assert_eq!(at, self.log.len(), "the log is no prefix of its predecessor's: {entry:?} is out of order");
        self.log.push(entry);
        match self.successor() {
            None => self.store(),
            Some(next) => send(next, Versioned { version: self.version, body: Body::Update { at, entry } }),
        }
    }

    fn sync(&mut self, log: Log) {
        assert!(log.starts_with(&self.log), "the log {:?} is no prefix of its predecessor's {log:?}", self.log);
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
                assert!(!log.contains(&entry), "storage holds {log:?} and is told to append {entry:?} again");
                log.push(entry);
            }
            assert_eq!(log.get(at), Some(&entry), "storage holds {log:?} and is told to put {entry:?} at {at}");
        }
    }
}

/// Reads and acknowledged writes as the clients see them: writes have one place each in one log, and a read sees a prefix of it that holds all
/// writes acknowledged before the read began. A write may take effect at any time before its end, so its begin is of no interest.
#[manyworlds::monitor(Notice, Outcome)]
#[derive(Default)]
struct StrongConsistency {
    written: Vec<(usize, char)>,
    /// How many of them had been acknowledged when the read began.
    before_read: usize,
    read: Option<Vec<char>>,
}

impl StrongConsistency {
    fn check(&self) {
        for (i, (at, value)) in self.written.iter().enumerate() {
            assert!(
                self.written[..i].iter().all(|(other, _)| other != at),
                "two writes were put in one place: {:?}",
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
