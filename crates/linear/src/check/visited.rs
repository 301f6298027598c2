//! Configurations that need no second look.

use super::bits::Bits;
use super::pending::UsedSets;
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// What must be equal for one configuration to stand in for another: the return event that comes next, the state, and which open operations
/// that change something are done.
type Key<B> = (u32, u32, B);

struct Entry<B> {
    reads: B,
    used: u32,
    next: u32,
}

/// The configurations that were tried, or that wait in a queue to be.
///
/// Of two configurations with equal keys, the one with more reads done and fewer pending operations used is at least as good: whatever completes the
/// other one completes it too, without the reads that are done already. So what is *covered* by a visited configuration is not
/// tried.
pub struct Visited<B> {
    heads: FxHashMap<Key<B>, u32>,
    entries: Vec<Entry<B>>,
    /// By event: whether there is anything. Most events of a good history are passed once.
    touched: Vec<bool>,
}

impl<B: Bits> Visited<B> {
    /// None yet, of a history of so many events.
    pub fn new(events: usize) -> Visited<B> {
        Visited { heads: FxHashMap::default(), entries: Vec::new(), touched: vec![false; events] }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a visited configuration is at least as good.
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
