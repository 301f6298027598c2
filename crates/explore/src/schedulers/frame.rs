//! A snapshot on the stack of the skeleton.

use super::bits::Bits;
use crate::TransitionSystem;
use crate::receive::{Lane, Receive};

/// One outcome of a receive: a handler may choose.
pub struct Way<M: TransitionSystem> {
    /// The action.
    pub action: M::Action,
    /// The receive.
    pub receive: Option<Receive>,
    /// The successor.
    pub next: M::State,
}

/// An enabled transition: all outcomes of a receive, or an action that is not a receive.
pub struct Entry<M: TransitionSystem> {
    /// The receive, for all outcomes together; `None`: it may interfere with everything.
    pub receive: Option<Receive>,
    /// At least one.
    pub ways: Vec<Way<M>>,
}

impl<M: TransitionSystem> Entry<M> {
    /// An entry with one outcome.
    pub fn new(way: Way<M>) -> Entry<M> {
        Entry { receive: way.receive.clone(), ways: vec![way] }
    }

    /// Adds an outcome of the same receive.
    pub fn add(&mut self, way: Way<M>) {
        let both = self.receive.take().zip(way.receive.as_ref());
        self.receive = both.map(|(receive, other)| receive.or(other));
        self.ways.push(way);
    }

    /// Where it waits.
    pub fn lane(&self) -> Option<Lane> {
        self.receive.as_ref().map(|receive| receive.lane)
    }
}

/// A state of the current schedule, with its sets.
pub struct Frame<M: TransitionSystem> {
    /// The snapshot.
    pub state: M::State,
    /// The enabled set.
    pub entries: Vec<Entry<M>>,
    /// The backtracking set: the entries to be explored.
    pub backtrack: Vec<bool>,
    /// The explored set.
    pub done: Vec<bool>,
    /// Whether the backtracking set must not grow for now.
    pub frozen: bool,
    /// The entry that is being explored, and its outcome.
    taken: Option<(usize, usize)>,
    /// The earlier steps that happen before the one being explored.
    pub past: Bits,
    /// The length of the history.
    pub recorded: usize,
    /// A violation was found here or before.
    pub wrong: bool,
}

impl<M: TransitionSystem> Frame<M> {
    /// Nothing of it is explored yet.
    pub fn new(state: M::State, entries: Vec<Entry<M>>, recorded: usize, wrong: bool) -> Frame<M> {
        let (backtrack, done) = (vec![false; entries.len()], vec![false; entries.len()]);
        Frame { state, entries, backtrack, done, frozen: false, taken: None, past: Bits::default(), recorded, wrong }
    }

    /// Selects the next entry to be explored (Algorithm 1, lines 14 to 16); false if there is none.
    pub fn advance(&mut self) -> bool {
        let further = self.taken.filter(|&(entry, way)| way + 1 < self.entries[entry].ways.len());
        self.taken = match further {
            Some((entry, way)) => Some((entry, way + 1)),
            None => (0..self.entries.len()).find(|&e| self.backtrack[e] && !self.done[e]).map(|entry| (entry, 0)),
        };
        let Some((entry, _)) = self.taken else { return false };
        self.done[entry] = true;
        self.frozen = false;
        true
    }

    /// The outcome that is being explored.
    pub fn way(&self) -> Option<&Way<M>> {
        self.taken.map(|(entry, way)| &self.entries[entry].ways[way])
    }

    /// The receive that is being explored.
    pub fn received(&self) -> Option<&Receive> {
        self.way()?.receive.as_ref()
    }

    /// The entry that is being explored.
    pub fn taken(&self) -> Option<usize> {
        self.taken.map(|(entry, _)| entry)
    }

    /// The entry of a lane, if it is enabled.
    pub fn entry(&self, lane: Lane) -> Option<usize> {
        self.entries.iter().position(|entry| entry.lane() == Some(lane))
    }

    /// How many entries were explored, and how many are to be.
    pub fn share(&self) -> (usize, usize) {
        let count = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count();
        (count(&self.done).saturating_sub(1), count(&self.backtrack))
    }
}
