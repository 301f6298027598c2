//! Which operations are open at a moment of the history. The moment moves forward with the search and back when it backtracks, an event at a
//! time, so nothing is stored for moments that are not now.

use super::bits::Bits;
use super::problem::{Event, NONE, Problem};

/// A moment of a history.
pub struct Board<'p, B> {
    problem: &'p Problem,
    /// The event that comes next.
    pub at: usize,
    /// The slots of open operations.
    pub open: B,
    /// Those of operations that only look.
    pub reads: B,
    /// The operation in each slot.
    owner: Vec<u32>,
}

impl<'p, B: Bits> Board<'p, B> {
    /// The start.
    pub fn new(problem: &'p Problem) -> Board<'p, B> {
        let empty = B::empty(problem.slots.div_ceil(64) as usize);
        Board { problem, at: 0, open: empty.clone(), reads: empty, owner: vec![NONE; problem.slots as usize] }
    }

    /// The event that comes next.
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

    /// One event on.
    #[inline]
    pub fn forward(&mut self) {
        let event = self.problem.events[self.at];
        self.at += 1;
        if event.call { self.enter(event.op) } else { self.leave(event.op) }
    }

    /// Back to an earlier moment.
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
