//! Linearizability as a deterministic automaton over events.
//!
//! A history is processed event by event. A [`Stage`], the state of the automaton, holds the open operations and a set of *rows*, one for each way in
//! which the operations so far may have taken effect: the state of the object and, for each open operation, whether it has taken effect and with which
//! response. Operations that have returned are not part of a stage. So stages repeat, two histories with the same stage have the same
//! continuations, and a model checker can store a stage as part of a state.
//!
//! An operation takes effect as late as possible (just-in-time linearization, Lowe): when an operation returns, open operations may take effect
//! before it, in any order. If no row is consistent with the response, the history is not linearizable.
//!
//! States, operations and responses are interned ids; a [`Relation`] interprets them.

use std::collections::BTreeSet;

/// In a row: the operation has not taken effect.
pub const NOT_YET: u32 = u32::MAX;
/// In a row: the operation took effect, and its process has abandoned it.
pub const UNHEARD: u32 = u32::MAX - 1;

/// The transition relation of a specification over interned ids.
pub trait Relation {
    /// Every outcome of an operation in a state: the state after it and its response.
    fn outcomes(&mut self, state: u32, operation: u32) -> Vec<(u32, u32)>;

    /// The key of an operation; see [`Spec::key`](crate::Spec::key).
    fn key(&self, operation: u32) -> Option<u64>;
}

/// An operation that was invoked and has not returned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Open {
    /// The process that invoked the operation.
    pub process: u16,
    /// Whether the process still waits for the response; an abandoned operation never returns.
    pub awaited: bool,
    /// The invoked operation.
    pub operation: u32,
}

/// The state of the automaton after a history. Histories with equal stages have the same linearizable continuations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// Sorted.
    open: Box<[Open]>,
    /// The concatenated rows: a state, then one entry for each open operation. Sorted, without duplicates.
    rows: Box<[u32]>,
}

/// Why a stage has no successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuck {
    /// The process has no open operation.
    NotInvoked,
    /// No linearization explains the response.
    NotLinearizable,
}

impl Stage {
    /// The stage of the empty history.
    pub fn new(initial: u32) -> Stage {
        Stage { open: Box::default(), rows: Box::new([initial]) }
    }

    /// The open operations.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// The ways in which the operations so far may have taken effect: a state, then for each open operation its response, [`NOT_YET`] or
    /// [`UNHEARD`].
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.rows.chunks_exact(self.open.len() + 1)
    }

    /// A process invokes an operation. If the process has an open operation, it abandons it: the abandoned operation may still take effect.
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

    /// The open operation of a process returns.
    pub fn respond(&self, process: u16, response: u32, relation: &mut impl Relation) -> Result<Stage, Stuck> {
        self.after_response(process, response, relation)
    }

    /// Not generic, so that it is compiled once for all relations.
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
        // Operations on other keys are independent and can equally well take effect later.
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

    /// The stage with renamed processes.
    pub fn renamed(&self, rename: impl Fn(u16) -> u16) -> Stage {
        let open = self.open.iter().map(|o| Open { process: rename(o.process), ..*o }).collect();
        Stage::made(open, self.rows().map(<[u32]>::to_vec))
    }

    /// Creates a stage in canonical form: sorts columns and rows. The column of an abandoned operation that took effect in every row is dropped.
    fn made(open: Vec<Open>, rows: impl Iterator<Item = Vec<u32>>) -> Stage {
        let rows: Vec<Vec<u32>> = rows.collect();
        let is_kept = |&nth: &usize| open[nth].awaited || rows.iter().any(|row| row[nth + 1] != UNHEARD);
        let mut columns: Vec<usize> = (0..open.len()).filter(is_kept).collect();
        columns.sort_by_key(|&nth| open[nth]);
        let pick = |row: &Vec<u32>| -> Vec<u32> {
            std::iter::once(row[0]).chain(columns.iter().map(|&nth| row[nth + 1])).collect()
        };
        let rows: BTreeSet<Vec<u32>> = rows.iter().map(pick).collect();
        Stage { open: columns.iter().map(|&nth| open[nth]).collect(), rows: rows.into_iter().flatten().collect() }
    }
}
