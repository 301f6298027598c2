//! The visited states, in shards by the upper bits of their fingerprints; stored as fingerprints or as whole states.

use crate::prints::{Arrival, Prints};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};

/// How many shards there are at most.
pub const MOST_SHARDS: usize = 64;
/// How many shards a single worker has: some, so that they do not grow all at once.
pub const FEW: usize = 4;

/// How many shards so many workers have: a few for each, so that no worker waits long for the last one, and few, because each is at least a large page.
pub fn shards_for(workers: usize) -> usize {
    (FEW * workers).next_power_of_two().min(MOST_SHARDS)
}

/// The shard of a fingerprint among so many: a power of two.
#[inline(always)]
pub fn shard_of(print: u128, shards: usize) -> usize {
    (print >> 120) as usize & (shards - 1)
}

/// A shard of the states seen so far.
pub enum Seen<S> {
    /// Fingerprints.
    Prints(Prints),
    /// Whole states.
    Whole(FxHashSet<S>),
}

impl<S: Clone + Eq + Hash> Seen<S> {
    /// A shard without states; one of `few`.
    pub fn new(exact: bool, few: bool) -> Seen<S> {
        if exact { Seen::Whole(FxHashSet::default()) } else { Seen::Prints(Prints::new(few)) }
    }

    /// Prefetches the memory needed to insert a state with this fingerprint.
    #[inline]
    pub fn prefetch(&self, print: u128) {
        if let Seen::Prints(set) = self {
            set.prefetch(print);
        }
    }

    /// Whether so many more may need a longer table. (Sets of whole states grow by themselves.)
    #[inline]
    pub fn is_short_of(&self, more: usize) -> bool {
        matches!(self, Seen::Prints(set) if set.spare() < more)
    }

    /// Makes its table longer.
    pub fn grow(&mut self) {
        if let Seen::Prints(set) = self {
            set.grow();
        }
    }

    /// Whether the state was inserted.
    #[inline]
    pub fn contains(&self, print: u128, state: &S) -> bool {
        match self {
            Seen::Prints(set) => set.contains(print),
            Seen::Whole(set) => set.contains(state),
        }
    }

    /// Whether the state is new; `state` is there if whole states are kept.
    #[inline(always)]
    pub fn insert(&mut self, print: u128, state: Option<&S>) -> bool {
        match (self, state) {
            (Seen::Prints(set), _) => set.insert(print),
            (Seen::Whole(set), Some(state)) => !set.contains(state) && set.insert(state.clone()),
            (Seen::Whole(_), None) => unreachable!("whole states are kept, so they are built at once"),
        }
    }
}

/// The key of a state in a map: the state itself if states are compared in full, otherwise its fingerprint.
#[derive(Clone, PartialEq, Eq)]
pub enum Key<S> {
    /// Its fingerprint.
    Print(u128),
    /// The state.
    Whole(S),
}

impl<S: Clone> Key<S> {
    /// The key of a state.
    pub fn new(exact: bool, print: u128, state: &S) -> Key<S> {
        if exact { Key::Whole(state.clone()) } else { Key::Print(print) }
    }
}

impl<S: Eq> Key<S> {
    /// Whether it is the key of this state.
    pub fn is_of(&self, print: u128, state: &S) -> bool {
        match self {
            Key::Print(own) => *own == print,
            Key::Whole(own) => own == state,
        }
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

/// A shard of the visited states; with a bound on the depth it also stores the least depth of each.
pub enum Reached<S> {
    /// Without a bound.
    Plain(Seen<S>),
    /// The least number of steps in which each state was reached, by fingerprint.
    Depths(Prints),
    /// The same by state.
    WholeDepths(FxHashMap<S, u32>),
}

impl<S: Clone + Eq + Hash> Reached<S> {
    /// A shard without states; one of `few`.
    pub fn new(exact: bool, bounded: bool, few: bool) -> Reached<S> {
        match (bounded, exact) {
            (true, true) => Reached::WholeDepths(FxHashMap::default()),
            (true, false) => Reached::Depths(Prints::new(few)),
            (false, _) => Reached::Plain(Seen::new(exact, few)),
        }
    }

    /// Whether the state was reached.
    #[inline]
    pub fn contains(&self, print: u128, state: &S) -> bool {
        match self {
            Reached::Plain(seen) => seen.contains(print, state),
            Reached::Depths(prints) => prints.contains_upper(print),
            Reached::WholeDepths(least) => least.contains_key(state),
        }
    }

    /// Adds a state that was reached in `depth` steps.
    #[inline(always)]
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

    /// Prefetches the memory needed to insert a state with this fingerprint.
    #[inline]
    pub fn prefetch(&self, print: u128) {
        match self {
            Reached::Plain(seen) => seen.prefetch(print),
            Reached::Depths(prints) => prints.prefetch(print),
            Reached::WholeDepths(_) => {}
        }
    }
}

/// Records that a state was reached in `depth` steps.
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
