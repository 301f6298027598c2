//! The states seen so far, in shards by the upper bits of their fingerprints.
//!
//! Fingerprints lie inline in an open-addressed table, 16 bytes a slot. The home of a fingerprint is its lower half scaled to the length
//! of the table, so that a table may have any length: it grows by half, and memory stays close to need. Scaling keeps the order of the
//! lower halves, so that a growing table is copied nearly front to back.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::hint::black_box;

/// How many shards there are, whatever the number of workers.
pub const SHARDS: usize = 16;

/// The shard of a fingerprint.
pub fn shard_of(print: u128) -> usize {
    (print >> 124) as usize
}

/// A set of fingerprints.
#[derive(Default)]
pub struct Prints {
    slots: Vec<u128>,
    /// The least number of steps in which each was reached, if that is kept: as long as `slots`, or empty.
    depths: Vec<u32>,
    keeps_depths: bool,
    len: usize,
    limit: usize,
}

/// No fingerprint: an empty slot.
const EMPTY: u128 = 0;

impl Prints {
    fn home(&self, print: u128) -> usize {
        ((u128::from(print as u64) * self.slots.len() as u128) >> 64) as usize
    }

    /// Reads the homes of fingerprints that are about to be inserted. The reads do not wait for each other, so their cache misses
    /// overlap.
    pub fn touch(&self, prints: &[u128]) {
        if self.slots.is_empty() {
            return;
        }
        let touched = prints.iter().fold(0, |sum, &print| sum ^ self.slots[self.home(print)] as u64);
        black_box(touched);
    }

    /// Whether the fingerprint is new.
    pub fn insert(&mut self, print: u128) -> bool {
        self.place(print).1
    }

    /// Adds a fingerprint that was reached in `depth` steps.
    pub fn insert_at(&mut self, print: u128, depth: u32) -> Arrival {
        let (slot, new) = self.place(print);
        let least = &mut self.depths[slot];
        match new {
            true => {
                *least = depth;
                Arrival::New
            }
            false if depth >= *least => Arrival::Known,
            false => Arrival::Sooner(std::mem::replace(least, depth)),
        }
    }

    /// Where the fingerprint is now, and whether it is new.
    fn place(&mut self, print: u128) -> (usize, bool) {
        let print = if print == EMPTY { 1 } else { print };
        if self.len == self.limit {
            self.grow();
        }
        let slot = self.slot(print);
        if self.slots[slot] == print {
            return (slot, false);
        }
        self.slots[slot] = print;
        self.len += 1;
        (slot, true)
    }

    /// Where the fingerprint is, or where it belongs.
    fn slot(&self, print: u128) -> usize {
        let mut slot = self.home(print);
        while self.slots[slot] != print && self.slots[slot] != EMPTY {
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
        slot
    }

    fn grow(&mut self) {
        let length = (self.slots.len() / 2 * 3).max(64);
        // Written, not just promised to be zero: a page that is read before it is written costs a second fault, and with several workers
        // an interrupt of the other cores.
        let mut slots = Vec::with_capacity(length);
        slots.resize(length, EMPTY);
        let old = std::mem::replace(&mut self.slots, slots);
        let depths = if self.keeps_depths { vec![0; length] } else { Vec::new() };
        let old_depths = std::mem::replace(&mut self.depths, depths);
        self.limit = length / 20 * 17;
        for (i, print) in old.into_iter().enumerate().filter(|&(_, print)| print != EMPTY) {
            let slot = self.slot(print);
            self.slots[slot] = print;
            if self.keeps_depths {
                self.depths[slot] = old_depths[i];
            }
        }
    }
}

/// A shard of the states seen so far.
pub enum Seen<S> {
    /// What stands for them.
    Prints(Prints),
    /// The states themselves.
    Whole(FxHashSet<S>),
}

impl<S: Clone + Eq + Hash> Seen<S> {
    /// A shard without states.
    pub fn new(exact: bool) -> Seen<S> {
        if exact { Seen::Whole(FxHashSet::default()) } else { Seen::Prints(Prints::default()) }
    }

    /// Prepares for the insertion of states with these fingerprints.
    pub fn touch(&self, prints: &[u128]) {
        if let Seen::Prints(set) = self {
            set.touch(prints);
        }
    }

    /// Whether the state is new; `state` is there if whole states are kept.
    pub fn insert(&mut self, print: u128, state: Option<&S>) -> bool {
        match (self, state) {
            (Seen::Prints(set), _) => set.insert(print),
            (Seen::Whole(set), Some(state)) => !set.contains(state) && set.insert(state.clone()),
            (Seen::Whole(_), None) => unreachable!("whole states are kept, so they are built at once"),
        }
    }
}

/// What stands for a state in a map: the state itself if states are compared in full.
#[derive(Clone, PartialEq, Eq)]
pub enum Key<S> {
    /// Its fingerprint.
    Print(u128),
    /// Itself.
    Whole(S),
}

impl<S: Clone> Key<S> {
    /// The key of a state.
    pub fn new(exact: bool, print: u128, state: &S) -> Key<S> {
        if exact { Key::Whole(state.clone()) } else { Key::Print(print) }
    }
}

impl<S: Hash> Hash for Key<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            // A fingerprint is a hash already.
            Key::Print(print) => hasher.write_u64(*print as u64),
            Key::Whole(state) => state.hash(hasher),
        }
    }
}

/// A shard of the states seen so far; with a bound on the depth it also knows how soon each was reached.
pub enum Reached<S> {
    /// Without a bound.
    Plain(Seen<S>),
    /// The least number of steps in which each state was reached, by fingerprint.
    Depths(Prints),
    /// The same by state.
    WholeDepths(FxHashMap<S, u32>),
}

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// For the first time.
    New,
    /// In fewer steps than before: those.
    Sooner(u32),
    /// Once more.
    Known,
}

impl<S: Clone + Eq + Hash> Reached<S> {
    /// A shard without states.
    pub fn new(exact: bool, bounded: bool) -> Reached<S> {
        match (bounded, exact) {
            (true, true) => Reached::WholeDepths(FxHashMap::default()),
            (true, false) => Reached::Depths(Prints { keeps_depths: true, ..Prints::default() }),
            (false, _) => Reached::Plain(Seen::new(exact)),
        }
    }

    /// Adds a state that was reached in `depth` steps.
    pub fn insert(&mut self, print: u128, state: Option<&S>, depth: u32) -> Arrival {
        match (self, state) {
            (Reached::Plain(seen), _) => match seen.insert(print, state) {
                true => Arrival::New,
                false => Arrival::Known,
            },
            (Reached::Depths(prints), _) => prints.insert_at(print, depth),
            (Reached::WholeDepths(least), Some(state)) => sooner(least, state.clone(), depth),
            (Reached::WholeDepths(_), None) => unreachable!("whole states are kept, so they are built at once"),
        }
    }

    /// Prepares for the insertion of a state with this fingerprint.
    pub fn touch(&self, print: u128) {
        match self {
            Reached::Plain(seen) => seen.touch(&[print]),
            Reached::Depths(prints) => prints.touch(&[print]),
            Reached::WholeDepths(_) => {}
        }
    }
}

/// Notes that something was reached in `depth` steps.
fn sooner<K: Eq + Hash>(least: &mut FxHashMap<K, u32>, key: K, depth: u32) -> Arrival {
    match least.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(depth);
            Arrival::New
        }
        Entry::Occupied(entry) if depth >= *entry.get() => Arrival::Known,
        Entry::Occupied(mut entry) => Arrival::Sooner(entry.insert(depth)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn agrees_with_the_standard_set() {
        let (mut prints, mut naive) = (Prints::default(), HashSet::new());
        for i in 0..20_000u64 {
            // Few lower halves: long probes, and probes that go round the end of the table.
            let print = u128::from(i % 37).pow(20) << 64 | u128::from((i % 5_003).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            prints.touch(&[print]);
            assert_eq!(prints.insert(print), naive.insert(print.max(1)));
        }
        let top = u128::from(u64::MAX);
        assert!((1..50).all(|i| prints.insert(i << 64 | top)), "these go round the end of the table");
        assert!(!(1..50).any(|i| prints.insert(i << 64 | top)));
    }

    #[test]
    fn zero_is_a_fingerprint_like_any_other() {
        let mut prints = Prints::default();
        assert!(prints.insert(0));
        assert!(!prints.insert(0));
    }
}
