//! `commit`: a distributed two-phase commit. Two committers serve `t` concurrent transactions over `k` keys (Must §6.3).
//!
//! The keys are sharded: even ones belong to the first committer, odd ones to the second. A transaction writes a set of keys, chosen freely;
//! its client sends each committer concerned its part. A committer votes yes, and locks its keys, if none of them is locked; it votes no, and
//! gives the transaction up, otherwise. Nobody waits for a lock, so nobody waits for ever. If both are concerned they exchange their votes: there is no
//! coordinator, each decides by itself as soon as it has both. A vote may arrive before the part it is about.
//!
//! Properties: both committers decide the same; a committed transaction wrote all its keys and an aborted one none; the committed ones are
//! serializable: they can be put in an order that agrees with the order of writes to each key. It is right under all four networks.
//!
//! `commit-bug`: locks are released by the vote instead of the decision. A world that shows it: each committer votes for the two
//! transactions in its own order and writes them in the other's.

use crate::{Model, Param, Params};
use manyworlds::prelude::*;
use std::collections::BTreeMap;

/// The zoo entry.
pub const MODEL: Model = Model {
    name: "commit",
    summary: "distributed two-phase commit: two committers serve t transactions over k keys (Must §6.3)",
    params: PARAMS,
    build: |params| Ok(checker(params, Locks::UntilDecision)),
};

/// The variant with a seeded bug.
pub const BUG: Model = Model {
    name: "commit-bug",
    summary: "distributed two-phase commit that releases locks too early: committed transactions are not serializable",
    params: PARAMS,
    build: |params| Ok(checker(params, Locks::UntilVote)),
};

const PARAMS: &[Param] = &[Param::int("t", 2, 1..=6, "transactions"), Param::int("k", 2, 1..=6, "keys")];

/// How long locks are held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locks {
    UntilDecision,
    UntilVote,
}

type Key = usize;
type Tx = usize;

/// To a committer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Part(Part),
    Vote { tx: Tx, yes: bool },
    Stop,
}

/// What a transaction does at one committer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Part {
    tx: Tx,
    client: Pid,
    keys: Vec<Key>,
    /// Whether the other committer has a part in it.
    shared: bool,
}

/// A committer's decision, for the client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Decision {
    committer: Pid,
    commit: bool,
}

/// The other committer: the first message to a committer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Peer(Pid);

fn checker(params: &Params, locks: Locks) -> Checker {
    let (t, k) = (params.int("t"), params.int("k"));
    Checker::new(move || start(t, k, locks))
}

fn start(t: usize, k: usize, locks: Locks) {
    let committers = [0, 1].map(|i| process(format!("committer{i}")).spawn(move || Committer::new(k, locks).run()));
    let pids = committers.map(|c| c.pid());
    send(pids[0], Peer(pids[1]));
    send(pids[1], Peer(pids[0]));
    let clients: Vec<_> = (0..t).map(|tx| process(format!("client{tx}")).spawn(move || client(tx, k, pids))).collect();
    let results: Vec<Vec<Key>> = clients.into_iter().map(JoinHandle::join).collect();
    for pid in pids {
        send(pid, Message::Stop);
    }
    let [even, odd] = committers.map(JoinHandle::join);
    let written: Vec<Vec<Tx>> = even.into_iter().zip(odd).map(|(even, odd)| [even, odd].concat()).collect();
    for (key, txs) in written.iter().enumerate() {
        for (tx, keys) in results.iter().enumerate() {
            assert_eq!(
                txs.contains(&tx),
                keys.contains(&key),
                "transaction {tx} wrote {keys:?}, but key {key} holds {txs:?}"
            );
        }
    }
    assert!(serializable(written.clone()), "the transactions cannot be ordered: the keys were written by {written:?}");
}

/// Takes the transactions that nothing precedes, one after the other, until none is left.
fn serializable(mut written: Vec<Vec<Tx>>) -> bool {
    let first = |written: &[Vec<Tx>]| {
        let heads = written.iter().filter_map(|txs| txs.first());
        heads.copied().find(|tx| written.iter().all(|txs| txs.first() == Some(tx) || !txs.contains(tx)))
    };
    while let Some(tx) = first(&written) {
        written.iter_mut().for_each(|txs| txs.retain(|other| *other != tx));
    }
    written.iter().all(Vec::is_empty)
}

/// Returns the keys it has written.
fn client(tx: Tx, k: usize, committers: [Pid; 2]) -> Vec<Key> {
    let set = choose(1..1 << k);
    let keys: Vec<Key> = (0..k).filter(|key| set >> key & 1 == 1).collect();
    let parts = [0, 1].map(|i| keys.iter().copied().filter(|key| key % 2 == i).collect::<Vec<Key>>());
    let shared = parts.iter().all(|keys| !keys.is_empty());
    let concerned = || committers.into_iter().zip(&parts).filter(|(_, keys)| !keys.is_empty());
    for (committer, keys) in concerned() {
        send(committer, Message::Part(Part { tx, client: me(), keys: keys.clone(), shared }));
    }
    let decide = |(committer, _)| recv_where(move |d: &Decision| d.committer == committer).commit;
    let decisions: Vec<bool> = concerned().map(decide).collect();
    assert!(decisions.iter().all(|d| *d == decisions[0]), "transaction {tx} was decided differently: {decisions:?}");
    if decisions[0] { keys } else { Vec::new() }
}

struct Committer {
    peer: Pid,
    locks: Locks,
    locked: Vec<Key>,
    /// What it has voted yes for.
    pending: BTreeMap<Tx, Part>,
    /// The other's votes that came early.
    votes: BTreeMap<Tx, bool>,
    /// Who has written each key, in order.
    written: Vec<Vec<Tx>>,
}

impl Committer {
    fn new(k: usize, locks: Locks) -> Committer {
        let Peer(peer) = recv();
        Committer {
            peer,
            locks,
            locked: Vec::new(),
            pending: BTreeMap::new(),
            votes: BTreeMap::new(),
            written: vec![Vec::new(); k],
        }
    }

    fn run(mut self) -> Vec<Vec<Tx>> {
        loop {
            match recv() {
                Message::Part(part) => self.part(part),
                Message::Vote { tx, yes } => match self.pending.remove(&tx) {
                    Some(part) => self.decide(&part, yes),
                    None => drop(self.votes.insert(tx, yes)),
                },
                Message::Stop => return self.written,
            }
        }
    }

    fn part(&mut self, part: Part) {
        let yes = part.keys.iter().all(|key| !self.locked.contains(key));
        if part.shared {
            send(self.peer, Message::Vote { tx: part.tx, yes });
        }
        if !yes {
            return send(part.client, Decision { committer: me(), commit: false });
        }
        if self.locks == Locks::UntilDecision {
            self.locked.extend(&part.keys);
        }
        match self.votes.remove(&part.tx) {
            Some(yes) => self.decide(&part, yes),
            None if part.shared => drop(self.pending.insert(part.tx, part)),
            None => self.decide(&part, true),
        }
    }

    /// Ends a transaction that it has voted yes for.
    fn decide(&mut self, part: &Part, commit: bool) {
        self.locked.retain(|key| !part.keys.contains(key));
        for key in part.keys.iter().filter(|_| commit) {
            self.written[*key].push(part.tx);
        }
        send(part.client, Decision { committer: me(), commit });
    }
}
