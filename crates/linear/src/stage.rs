//! Linearizability as an automaton: what must be remembered of a history to judge whatever comes next.
//!
//! A history is read event by event. A [`Stage`] holds the operations that are open and every way in which those so far may have taken effect: a
//! *row* for each, with the state of the object and, for each open operation, whether it took effect already and what it will then return.
//! Operations that have returned are forgotten. So stages repeat, histories that leave the same stage are the same to whatever follows, and a
//! model checker can keep a stage as part of a state.
//!
//! An operation takes effect no earlier than it must (just-in-time linearization, Lowe): when something returns, open operations may take effect
//! before it, in any order. If no row can explain what was returned the history is not linearizable.
//!
//! Everything is a number here; a [`Relation`] gives the numbers their meaning.

use std::collections::BTreeSet;

/// In a row: the operation has not taken effect.
pub const NOT_YET: u32 = u32::MAX;
/// In a row: the operation took effect, and its process has given it up.
pub const UNHEARD: u32 = u32::MAX - 1;

/// What operations do, as numbers.
pub trait Relation {
    /// Every (state after, response) of an operation in a state.
    fn outcomes(&mut self, state: u32, operation: u32) -> Vec<(u32, u32)>;

    /// The part of the object that an operation is about, see [`Spec::key`](crate::Spec::key).
    fn key(&self, operation: u32) -> Option<u64>;
}

/// An operation that was invoked and has not returned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Open {
    /// Who invoked it.
    pub process: u16,
    /// Whether the process still waits for it; if it has given it up, the response is never seen.
    pub awaited: bool,
    /// What it is.
    pub operation: u32,
}

/// What must be remembered of a history. Equal stages have equal futures.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// Sorted.
    open: Box<[Open]>,
    /// Row after row: a state, then something for each open operation. Sorted, each one once.
    rows: Box<[u32]>,
}

/// Why a stage has no successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// A process returns from an operation that it did not invoke.
    NotInvoked,
    /// Nothing explains the response.
    NotLinearizable,
}

impl Stage {
    /// The stage before anything has happened.
    pub fn new(initial: u32) -> Stage {
        Stage { open: Box::default(), rows: Box::new([initial]) }
    }

    /// The operations that are open.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// The ways in which the operations so far may have taken effect: a state, then for each open operation its response, [`NOT_YET`] or
    /// [`UNHEARD`].
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.chunks_exact(self.open.len() + 1)
    }

    /// A process invokes an operation. One that it was waiting for is given up: it may still take effect.
    pub fn invoke(&self, process: u16, operation: u32) -> Stage {
        let mut open = self.open.to_vec();
        let given_up = open.iter().position(|o| o.awaited && o.process == process);
        if let Some(at) = given_up {
            open[at].awaited = false;
        }
        open.push(Open { process, awaited: true, operation });
        let rows = self.rows().map(|row| {
            let mut row = row.to_vec();
            if let Some(at) = given_up.filter(|&at| row[at + 1] != NOT_YET) {
                row[at + 1] = UNHEARD;
            }
            row.push(NOT_YET);
            row
        });
        Stage::made(open, rows)
    }

    /// The operation of a process returns.
    pub fn respond(&self, process: u16, response: u32, relation: &mut impl Relation) -> Result<Stage, Stuck> {
        self.after_response(process, response, relation)
    }

    /// Compiled once, whatever the relation.
    fn after_response(&self, process: u16, response: u32, relation: &mut dyn Relation) -> Result<Stage, Stuck> {
        let at = self.open.iter().position(|o| o.awaited && o.process == process).ok_or(Stuck::NotInvoked)?;
        let mut explained = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for row in self.rows() {
            self.explain(at, response, row.to_vec(), relation, &mut seen, &mut explained);
        }
        if explained.is_empty() {
            return Err(Stuck::NotLinearizable);
        }
        let mut open = self.open.to_vec();
        open.remove(at);
        Ok(Stage::made(open, explained.into_iter()))
    }

    /// Adds every row in which operation `at` has returned `response`, without its column.
    fn explain(
        &self,
        at: usize,
        response: u32,
        row: Vec<u32>,
        relation: &mut dyn Relation,
        seen: &mut BTreeSet<Vec<u32>>,
        explained: &mut BTreeSet<Vec<u32>>,
    ) {
        if row[at + 1] != NOT_YET {
            if row[at + 1] == response {
                let mut row = row;
                row.remove(at + 1);
                explained.insert(row);
            }
            return;
        }
        if !seen.insert(row.clone()) {
            return;
        }
        // What concerns other parts of the object can take effect later just as well.
        let key = relation.key(self.open[at].operation);
        for (nth, open) in self.open.iter().enumerate() {
            let elsewhere = key.is_some() && relation.key(open.operation).is_some_and(|other| Some(other) != key);
            if row[nth + 1] != NOT_YET || elsewhere {
                continue;
            }
            for (state, answer) in relation.outcomes(row[0], open.operation) {
                let mut next = row.clone();
                next[0] = state;
                next[nth + 1] = if open.awaited { answer } else { UNHEARD };
                self.explain(at, response, next, relation, seen, explained);
            }
        }
    }

    /// The stage under other names of processes.
    pub fn renamed(&self, rename: impl Fn(u16) -> u16) -> Stage {
        let open = self.open.iter().map(|o| Open { process: rename(o.process), ..*o }).collect();
        Stage::made(open, self.rows().map(<[u32]>::to_vec))
    }

    /// Brings columns and rows into their order. A column that is the same in all rows and is not awaited is dropped.
    fn made(open: Vec<Open>, rows: impl Iterator<Item = Vec<u32>>) -> Stage {
        let rows: Vec<Vec<u32>> = rows.collect();
        let speaks = |&nth: &usize| open[nth].awaited || rows.iter().any(|row| row[nth + 1] != UNHEARD);
        let mut columns: Vec<usize> = (0..open.len()).filter(speaks).collect();
        columns.sort_by_key(|&nth| open[nth]);
        let pick = |row: &Vec<u32>| -> Vec<u32> {
            std::iter::once(row[0]).chain(columns.iter().map(|&nth| row[nth + 1])).collect()
        };
        let rows: BTreeSet<Vec<u32>> = rows.iter().map(pick).collect();
        Stage { open: columns.iter().map(|&nth| open[nth]).collect(), rows: rows.into_iter().flatten().collect() }
    }
}
