//! The set of visited configurations.

use super::bits::Bits;
use super::pending::UsedSets;
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// The components that must be equal for one configuration to cover another: the next return event, the state, and the set of linearized open
/// operations that are not read-only.
type Key<B> = (u32, u32, B);

struct Entry<B> {
    reads: B,
    used: u32,
    next: u32,
}

/// The configurations that were explored or are queued.
///
/// Of two configurations with equal keys, the one with more linearized reads and fewer used pending operations is at least as good: every completion
/// of the other, without the reads already linearized, completes it too. So a configuration *covered* by a visited one is not
/// explored.
pub struct Visited<B> {
    heads: FxHashMap<Key<B>, u32>,
    entries: Vec<Entry<B>>,
    /// By event: whether there is an entry. Avoids hashing, as most events of a linearizable history are passed once.
    touched: Vec<bool>,
}

impl<B: Bits> Visited<B> {
    /// Creates an empty set for a history of `events` events.
    pub fn new(events: usize) -> Visited<B> {
        Visited { heads: FxHashMap::default(), entries: Vec::new(), touched: vec![false; events] }
    }

    /// The number of configurations.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a visited configuration covers this one.
    pub fn covers(&self, at: u32, state: u32, writes: &B, reads: &B, used: u32, sets: &UsedSets) -> bool {
        if !self.touched[at as usize] {
            return false;
        }
        let head = self.heads.get(&(at, state, writes.clone())).copied();
        self.covered(head.unwrap_or(NONE), reads, used, sets)
    }

    fn covered(&self, mut entry: u32, reads: &B, used: u32, sets: &UsedSets) -> bool {
        while entry != NONE {
            let known = &self.entries[entry as usize];
            if reads.within(&known.reads) && sets.within(known.used, used) {
                return true;
            }
            entry = known.next;
        }
        false
    }

    /// Adds a configuration, unless it is covered.
    pub fn insert(&mut self, at: u32, state: u32, writes: B, reads: B, used: u32, sets: &UsedSets) -> bool {
        self.touched[at as usize] = true;
        let key = (at, state, writes);
        let head = self.heads.get(&key).copied().unwrap_or(NONE);
        if self.covered(head, &reads, used, sets) {
            return false;
        }
        self.heads.insert(key, self.entries.len() as u32);
        self.entries.push(Entry { reads, used, next: head });
        true
    }
}
