//! A position in the history with the operations that are open there. It moves forward with the search and backward on backtracking, one
//! event at a time, so nothing is stored for other positions.

use super::bits::Bits;
use super::problem::{Event, NONE, Problem};

/// A position in the history.
pub struct Cursor<'p, B> {
    problem: &'p Problem,
    /// The index of the next event.
    pub at: usize,
    /// The slots of open operations.
    pub open: B,
    /// The slots of open read-only operations.
    pub reads: B,
    /// The last operation in each slot.
    owner: Vec<u32>,
}

impl<'p, B: Bits> Cursor<'p, B> {
    /// The position before the first event.
    pub fn new(problem: &'p Problem) -> Cursor<'p, B> {
        let empty = B::empty(problem.slots.div_ceil(64) as usize);
        Cursor { problem, at: 0, open: empty.clone(), reads: empty, owner: vec![NONE; problem.slots as usize] }
    }

    /// The next event.
    #[inline]
    pub fn event(&self) -> Option<Event> {
        self.problem.events.get(self.at).copied()
    }

    /// The operation in a slot.
    #[inline]
    pub fn owner(&self, slot: u32) -> u32 {
        self.owner[slot as usize]
    }

    /// Whether an operation is open.
    #[inline]
    pub fn is_open(&self, op: u32) -> bool {
        let slot = self.problem.ops[op as usize].slot;
        self.owner(slot) == op && self.open.has(slot)
    }

    /// Moves forward by one event.
    #[inline]
    pub fn forward(&mut self) {
        let event = self.problem.events[self.at];
        self.at += 1;
        if event.call { self.enter(event.op) } else { self.leave(event.op) }
    }

    /// Moves back to an earlier position.
    pub fn rewind(&mut self, at: usize) {
        while self.at > at {
            self.at -= 1;
            let event = self.problem.events[self.at];
            if event.call { self.leave(event.op) } else { self.enter(event.op) }
        }
    }

    #[inline]
    fn enter(&mut self, op: u32) {
        let known = &self.problem.ops[op as usize];
        self.owner[known.slot as usize] = op;
        self.open.set(known.slot);
        if known.reads {
            self.reads.set(known.slot);
        }
    }

    #[inline]
    fn leave(&mut self, op: u32) {
        let slot = self.problem.ops[op as usize].slot;
        self.open.clear(slot);
        self.reads.clear(slot);
    }
}
