//! `leader`: leader election by leases. `n` nodes follow a global clock that advances `i` times, by 1, 2 or 3 each time (Must §6.3).
//!
//! The clock sends the time to all nodes. A node that has seen no lease for this time applies for one at an atomic writer (which
//! stands for a replicated log). The writer performs a compare-and-set: the applicant sends the term of the last lease that it
//! has seen, which has expired. If there is no later lease, the applicant gets the next one and announces itself to all other
//! nodes; otherwise the writer replies with the last lease and, if that has not expired, the applicant waits for the announcement
//! of its holder. Nodes may receive the time and announcements late, and under asyn in any order: the protocol is correct under
//! all four networks.
//!
//! Property: no two leaders at one time, and no two in one term. Each node checks the announcements that it receives against its
//! own leases; in `leader+mon` the monitor `Uniqueness` checks all announcements. It observes one message of each announcement;
//! a filter drops the copies for the other nodes. A node that becomes leader has almost always received the announcement of the
//! previous one, so announcements have few orders, and the monitor adds few executions.
//!
//! `leader-bug`: the writer sets without comparing. Example of a violation: two nodes receive the first tick and apply before
//! either has received the announcement of the other.

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;
use std::ops::Range;

/// The model `leader`.
pub const MODEL: Model = Model {
    name: "leader",
    summary: "leader election by leases: n nodes, a clock that advances i times by 1, 2 or 3 (Must §6.3)",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Writer::ComparesAndSets))),
};

/// The model `leader+mon`: the same protocol with a monitor.
pub const MONITORED: Model = Model {
    name: "leader+mon",
    summary: "leader election with a monitor that checks that leaders are unique",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Writer::ComparesAndSets).monitor(Uniqueness::default))),
};

/// The model `leader-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "leader-bug",
    summary: "leader election whose writer does not compare: two leaders at one time",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Writer::Sets).monitor(Uniqueness::default))),
};

const PARAMS: &[Param] = &[Param::int("n", 2, 2..=9, "nodes"), Param::int("i", 2, 0..=9, "increments of the clock")];

/// The duration of a lease.
const LEASE: u32 = 2;

/// How the writer grants leases.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    ComparesAndSets,
    Sets,
}

fn checker(params: &Params, writer: Writer) -> Program {
    let (n, i) = (params.int("n"), params.int("i"));
    Program::new(move || start(n, i, writer))
}

fn start(n: usize, i: usize, rule: Writer) {
    let writer = process("writer").daemon().spawn(move || writer(rule)).pid();
    let node = |k| process(format_args!("node{k}")).spawn(move || Node::new(writer).run(i)).pid();
    let nodes: Vec<Pid> = (0..n).map(node).collect();
    for node in &nodes {
        send(*node, Peers(nodes.iter().copied().filter(|peer| peer != node).collect()));
    }
    process("clock").spawn(move || clock(&nodes, i));
}

fn clock(nodes: &[Pid], i: usize) {
    let mut now = 0;
    for _ in 0..i {
        now += choose(1..=3u32);
        for node in nodes {
            send(*node, News::Time(now));
        }
    }
}

/// The right to be the leader of a term, for a range of times.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Lease {
    term: u32,
    leader: Pid,
    time: Range<u32>,
}

/// The other nodes: the first message to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Peers(Vec<Pid>);

/// A message from the clock or from a leader to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum News {
    Time(u32),
    Leader(Lease),
    /// The announcement to all other nodes but the first; the monitor ignores it.
    Copy(Lease),
}

/// An application to the writer: the applicant, its time, and the last term that it has seen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Apply {
    node: Pid,
    now: u32,
    last: u32,
}

/// The reply of the writer: the last lease.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Last(Lease);

impl Lease {
    /// The lease before the first one. Its leader is arbitrary.
    fn none() -> Lease {
        Lease { term: 0, leader: me(), time: 0..0 }
    }
}

fn writer(rule: Writer) {
    let mut lease = Lease::none();
    loop {
        let Apply { node, now, last } = recv();
        if rule == Writer::Sets || last == lease.term {
            lease = Lease { term: lease.term + 1, leader: node, time: now..now + LEASE };
        }
        send(node, Last(lease.clone()));
    }
}

struct Node {
    writer: Pid,
    peers: Vec<Pid>,
    last: Lease,
    held: Vec<Lease>,
}

impl Node {
    fn new(writer: Pid) -> Node {
        let Peers(peers) = recv();
        Node { writer, peers, last: Lease::none(), held: Vec::new() }
    }

    /// Handles messages until `ticks` ticks of the clock have arrived.
    fn run(mut self, mut ticks: usize) {
        while ticks > 0 {
            match recv() {
                News::Time(now) => {
                    ticks -= 1;
                    if now >= self.last.time.end {
                        self.apply(now);
                    }
                }
                News::Leader(lease) | News::Copy(lease) => self.announced(lease),
            }
        }
    }

    fn apply(&mut self, now: u32) {
        send(self.writer, Apply { node: me(), now, last: self.last.term });
        let Last(lease) = recv();
        if lease.leader == me() {
            self.announce(&lease);
            self.held.push(lease.clone());
        } else if now < lease.time.end {
            let term = lease.term;
            recv_where(move |news| matches!(news, News::Leader(lease) | News::Copy(lease) if lease.term == term));
        }
        self.last = lease;
    }

    fn announce(&self, lease: &Lease) {
        for (i, peer) in self.peers.iter().enumerate() {
            let news = if i == 0 { News::Leader(lease.clone()) } else { News::Copy(lease.clone()) };
            send(*peer, news);
        }
    }

    fn announced(&mut self, lease: Lease) {
        if let Some(mine) = self.held.iter().find(|mine| !compatible(mine, &lease)) {
            panic!("two leaders: mine is {mine:?}, and there is {lease:?}");
        }
        if lease.term > self.last.term {
            self.last = lease;
        }
    }
}

fn compatible(a: &Lease, b: &Lease) -> bool {
    a.term != b.term && (a.time.end <= b.time.start || b.time.end <= a.time.start)
}

/// Checks that there are no two leaders in one term or at one time.
#[manyworlds::monitor(News)]
#[derive(Default)]
struct Uniqueness {
    leases: Vec<Lease>,
}

impl Observe<News> for Uniqueness {
    fn filter(seen: &Observed<'_, News>) -> bool {
        matches!(seen.message, News::Leader(_))
    }

    fn notify(&mut self, seen: &Observed<'_, News>) {
        let News::Leader(lease) = seen.message else { return };
        if let Some(other) = self.leases.iter().find(|other| !compatible(other, lease)) {
            panic!("two leaders: {other:?} and {lease:?}");
        }
        self.leases.push(lease.clone());
    }
}
