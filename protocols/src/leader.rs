//! `leader`: leader election by leases. `n` nodes follow a global clock that is set forward `i` times, by 1, 2 or 3 each time (Must §6.3).
//!
//! The clock tells all nodes the time. A node that knows of no lease that covers it applies for one at an atomic writer (the place of a
//! replicated log), which gives the lease away if the last one has run out, and numbers it. The winner announces itself to all others.
//! Nodes may hear of the time and of leaders late, and under asyn in any order: the writer decides by the time of the application.
//!
//! Property: no two leaders at one time, and no two in one term. Each node checks what it hears against its own leases; in `leader+mon` the
//! monitor `Uniqueness` checks every lease as it is given away. It could watch the announcements instead, but those are concurrent and it
//! would see them in every order; leases have one giver, so it costs no execution.
//!
//! `leader-bug`: the writer trusts applicants, which have looked for themselves. A world that shows it: two nodes hear the first tick and
//! apply before either has heard of the other.

use crate::{Model, Param, Params};
use manyworlds::prelude::*;
use std::ops::Range;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "leader",
    summary: "leader election by leases: n nodes, a clock set forward i times by 1, 2 or 3 (Must §6.3)",
    params: PARAMS,
    build: |params| Ok(checker(params, Writer::Compares)),
};

/// The same with a monitor.
pub const MONITORED: Model = Model {
    name: "leader+mon",
    summary: "leader election with a monitor that checks that leaders are unique",
    params: PARAMS,
    build: |params| Ok(checker(params, Writer::Compares).monitor(Uniqueness::default)),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "leader-bug",
    summary: "leader election whose writer does not compare: two leaders at one time",
    params: PARAMS,
    build: |params| Ok(checker(params, Writer::Trusts).monitor(Uniqueness::default)),
};

const PARAMS: &[Param] = &[Param::int("n", 2, 2..=9, "nodes"), Param::int("i", 2, 0..=9, "increments of the clock")];

/// How long a lease lasts.
const LEASE: u32 = 3;

/// How leases are given away.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Compares,
    Trusts,
}

fn checker(params: &Params, writer: Writer) -> Checker {
    let (n, i) = (params.int("n"), params.int("i"));
    Checker::new(move || start(n, i, writer))
}

fn start(n: usize, i: usize, rule: Writer) {
    let writer = process("writer").daemon().spawn(move || writer(rule)).pid();
    let node = |k| process(format_args!("node{k}")).spawn(move || node(writer, i)).pid();
    let nodes: Vec<Pid> = (0..n).map(node).collect();
    for node in &nodes {
        send(*node, Peers(nodes.iter().copied().filter(|peer| peer != node).collect()));
    }
    let mut now = 0;
    for _ in 0..i {
        now += choose(1..=3u32);
        for node in &nodes {
            send(*node, News::Time(now));
        }
    }
}

/// The right to lead in a term, while the clock is in `from..until`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Lease {
    term: u32,
    leader: Pid,
    time: Range<u32>,
}

/// The other nodes: the first message to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Peers(Vec<Pid>);

/// What a node hears.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum News {
    Time(u32),
    Leader(Lease),
}

/// To the writer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Apply {
    node: Pid,
    now: u32,
}

/// From the writer: the last lease.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Last(Lease);

fn writer(rule: Writer) {
    let mut last = Lease { term: 0, leader: me(), time: 0..0 };
    loop {
        let Apply { node, now } = recv();
        if rule == Writer::Trusts || now >= last.time.end {
            last = Lease { term: last.term + 1, leader: node, time: now..now + LEASE };
        }
        send(node, Last(last.clone()));
    }
}

/// Hears the clock `ticks` times, and of leaders meanwhile.
fn node(writer: Pid, ticks: usize) {
    let Peers(peers) = recv();
    let mut held: Vec<Lease> = Vec::new();
    let mut last = Lease { term: 0, leader: writer, time: 0..0 };
    let mut heard = 0;
    while heard < ticks {
        match recv() {
            News::Time(now) => {
                heard += 1;
                if now >= last.time.end {
                    send(writer, Apply { node: me(), now });
                    let Last(lease) = recv();
                    if lease.leader == me() {
                        announce(&peers, &lease);
                        held.push(lease.clone());
                    } else {
                        let term = lease.term;
                        recv_where(move |news| matches!(news, News::Leader(lease) if lease.term == term));
                    }
                    last = lease;
                }
            }
            News::Leader(lease) => {
                assert!(held.iter().all(|mine| compatible(mine, &lease)), "{lease:?} beside {held:?}");
                if lease.term > last.term {
                    last = lease;
                }
            }
        }
    }
}

fn announce(peers: &[Pid], lease: &Lease) {
    for peer in peers {
        send(*peer, News::Leader(lease.clone()));
    }
}

fn compatible(a: &Lease, b: &Lease) -> bool {
    a.term != b.term && (a.time.end <= b.time.start || b.time.end <= a.time.start)
}

/// No two leaders in one term or at one time.
#[manyworlds::monitor(Last)]
#[derive(Default)]
struct Uniqueness {
    leases: Vec<Lease>,
}

impl Observe<Last> for Uniqueness {
    fn filter(seen: &Observed<'_, Last>) -> bool {
        seen.message.0.leader == seen.to
    }

    fn notify(&mut self, seen: &Observed<'_, Last>) {
        let Last(lease) = seen.message;
        if self.leases.contains(lease) {
            return; // told again to a leader that asked again
        }
        if let Some(other) = self.leases.iter().find(|other| !compatible(other, lease)) {
            panic!("two leaders: {other:?} and {lease:?}");
        }
        self.leases.push(lease.clone());
    }
}
