//! `commit`: distributed atomic commit (Must §6.3). Two committers share the keys; each of `t` transactions writes all `k` keys.
//!
//! A transaction sends its writes to the committers of their keys, then sends a prepare request to both. A committer that has
//! received all writes of a transaction locks their keys and votes yes, or votes no if another transaction holds one of the
//! locks; no transaction waits for a lock. If both vote yes the transaction commits, otherwise it aborts; it sends the decision to
//! both. A prepare request may overtake a write if the network permits it, so the request carries the number of writes.
//!
//! Properties: a committer commits only transactions that it has prepared; both commit the same transactions in the same order
//! (all transactions conflict, so this is serializability); no lock is held at the end.
//!
//! `commit-bug`: committers vote without checking the locks. Example of a violation: two transactions prepare at both
//! committers, and their decisions arrive in different orders.

use crate::{Build, Model, Param, Params};
use manyworlds::prelude::*;
use std::collections::BTreeMap;

/// The model `commit`.
pub const MODEL: Model = Model {
    name: "commit",
    summary: "distributed commit: two committers serve t transactions over k keys (Must §6.3)",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Locks::Respected))),
};

/// The model `commit-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "commit-bug",
    summary: "distributed commit whose committers ignore each other's locks: transactions are not serializable",
    params: PARAMS,
    build: Build::Program(|params| Ok(checker(params, Locks::Ignored))),
};

const PARAMS: &[Param] = &[Param::int("t", 2, 1..=9, "transactions"), Param::int("k", 2, 2..=9, "keys")];

/// Whether a committer checks the locks of other transactions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locks {
    Respected,
    Ignored,
}

/// A message from transaction `tx` to a committer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request {
    Write { tx: usize, key: usize },
    Prepare { tx: usize, writes: usize, client: Pid },
    Decide { tx: usize, commit: bool },
}

/// A committer's answer to `Prepare`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Vote {
    Yes,
    No,
}

fn checker(params: &Params, locks: Locks) -> Program {
    let (t, k) = (params.int("t"), params.int("k"));
    Program::new(move || {
        let committers =
            [0, 1].map(|i| process(format_args!("committer{i}")).spawn(move || Committer::new(t, locks).run()));
        let pids = committers.map(|committer| committer.pid());
        for tx in 0..t {
            process(format_args!("tx{tx}")).spawn(move || transaction(tx, k, pids));
        }
        let [first, second] = committers.map(|committer| committer.join());
        assert_eq!(first, second, "the committers disagree about what was committed, or in which order");
    })
}

/// Key `i` belongs to committer `i % 2`.
fn transaction(tx: usize, k: usize, committers: [Pid; 2]) {
    for key in 0..k {
        send(committers[key % 2], Request::Write { tx, key });
    }
    for (i, committer) in committers.into_iter().enumerate() {
        let writes = (0..k).filter(|key| key % 2 == i).count();
        send(committer, Request::Prepare { tx, writes, client: me() });
    }
    // The decision needs both votes, in any order.
    let commit = committers.map(|_| recv::<Vote>()) == [Vote::Yes, Vote::Yes];
    for committer in committers {
        send(committer, Request::Decide { tx, commit });
    }
}

/// The state of an undecided transaction at a committer.
#[derive(Default)]
struct Open {
    keys: Vec<usize>,
    /// The prepare request: the number of writes, and the client that waits for the vote.
    prepare: Option<(usize, Pid)>,
    prepared: bool,
}

struct Committer {
    undecided: usize,
    locks: Locks,
    holders: BTreeMap<usize, usize>,
    open: BTreeMap<usize, Open>,
    committed: Vec<usize>,
}

impl Committer {
    fn new(transactions: usize, locks: Locks) -> Committer {
        Committer {
            undecided: transactions,
            locks,
            holders: BTreeMap::new(),
            open: BTreeMap::new(),
            committed: Vec::new(),
        }
    }

    /// Handles requests until every transaction is decided; returns the committed transactions, in order.
    fn run(mut self) -> Vec<usize> {
        while self.undecided > 0 {
            match recv() {
                Request::Write { tx, key } => {
                    self.open.entry(tx).or_default().keys.push(key);
                    self.vote(tx);
                }
                Request::Prepare { tx, writes, client } => {
                    self.open.entry(tx).or_default().prepare = Some((writes, client));
                    self.vote(tx);
                }
                Request::Decide { tx, commit } => self.decide(tx, commit),
            }
        }
        assert!(self.holders.is_empty(), "all transactions are decided, but keys are locked: {:?}", self.holders);
        self.committed
    }

    /// Votes if the prepare request and all writes have arrived.
    fn vote(&mut self, tx: usize) {
        let open = self.open.entry(tx).or_default();
        let Some((_, client)) = open.prepare.filter(|(writes, _)| *writes == open.keys.len()) else { return };
        let free = open.keys.iter().all(|key| !self.holders.contains_key(key));
        open.prepared = free || self.locks == Locks::Ignored;
        if open.prepared {
            self.holders.extend(open.keys.iter().map(|key| (*key, tx)));
        }
        send(client, if open.prepared { Vote::Yes } else { Vote::No });
    }

    fn decide(&mut self, tx: usize, commit: bool) {
        let open = self.open.remove(&tx).unwrap_or_default();
        assert!(open.prepared || !commit, "received the decision to commit {tx}, which is not prepared");
        if commit {
            self.committed.push(tx);
        }
        self.holders.retain(|_, holder| *holder != tx);
        self.undecided -= 1;
    }
}
