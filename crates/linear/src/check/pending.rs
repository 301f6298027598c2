//! Interned sets of pending operations that have been linearized (*used*).
//!
//! Pending operations of one kind differ only in the time of their invocation, so they are used in that order, and a set is represented by a
//! count for each kind. A long history has many pending operations, of which few are ever used; each set is stored once, and a
//! configuration holds its id.

use rustc_hash::FxHashMap;

/// A set of used pending operations: the non-zero count of each class.
type Counts = Box<[(u32, u32)]>;

/// The interned sets.
pub struct UsedSets {
    sets: Vec<Counts>,
    ids: FxHashMap<Counts, u32>,
    /// By set and class: the set with one more operation of that class.
    more: FxHashMap<(u32, u32), u32>,
}

impl UsedSets {
    /// Creates the table with the empty set, whose id is 0.
    pub fn new() -> UsedSets {
        let empty = Counts::default();
        UsedSets { ids: FxHashMap::from_iter([(empty.clone(), 0)]), sets: vec![empty], more: FxHashMap::default() }
    }

    /// How many operations of a class are in a set.
    pub fn count(&self, set: u32, class: u32) -> u32 {
        let counts = &self.sets[set as usize];
        counts.binary_search_by_key(&class, |&(class, _)| class).map_or(0, |at| counts[at].1)
    }

    /// The set with one more operation of a class.
    pub fn with(&mut self, set: u32, class: u32) -> u32 {
        if let Some(&known) = self.more.get(&(set, class)) {
            return known;
        }
        let mut counts = self.sets[set as usize].to_vec();
        match counts.binary_search_by_key(&class, |&(class, _)| class) {
            Ok(at) => counts[at].1 += 1,
            Err(at) => counts.insert(at, (class, 1)),
        }
        let counts = counts.into_boxed_slice();
        let id = *self.ids.entry(counts).or_insert_with_key(|counts| {
            self.sets.push(counts.clone());
            (self.sets.len() - 1) as u32
        });
        self.more.insert((set, class), id);
        id
    }

    /// Whether `a` is a subset of `b`.
    pub fn within(&self, a: u32, b: u32) -> bool {
        a == b || a == 0 || self.sets[a as usize].iter().all(|&(class, count)| count <= self.count(b, class))
    }
}
