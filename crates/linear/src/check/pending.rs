//! Which pending operations were used up: sets with small names.
//!
//! Pending operations of one kind are interchangeable but for the time of their invocation, so they are used in that order, and a set is a
//! number for each kind. A long history collects many pending operations, of which few are ever used; a set is kept once, and a
//! configuration holds its name.

use rustc_hash::FxHashMap;

/// A set of used pending operations: how many of each class, for classes of which some are.
type Counts = Box<[(u32, u32)]>;

/// The sets that have been seen.
pub struct UsedSets {
    sets: Vec<Counts>,
    names: FxHashMap<Counts, u32>,
    /// By name and class: the name of the set with one more of that class.
    more: FxHashMap<(u32, u32), u32>,
}

impl UsedSets {
    /// The empty set alone, whose name is 0.
    pub fn new() -> UsedSets {
        let empty = Counts::default();
        UsedSets { names: FxHashMap::from_iter([(empty.clone(), 0)]), sets: vec![empty], more: FxHashMap::default() }
    }

    /// How many of a class are used.
    pub fn count(&self, set: u32, class: u32) -> u32 {
        let counts = &self.sets[set as usize];
        counts.binary_search_by_key(&class, |&(class, _)| class).map_or(0, |at| counts[at].1)
    }

    /// The set with one more of a class.
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
        let name = *self.names.entry(counts).or_insert_with_key(|counts| {
            self.sets.push(counts.clone());
            (self.sets.len() - 1) as u32
        });
        self.more.insert((set, class), name);
        name
    }

    /// Whether everything used in `a` is used in `b`.
    pub fn within(&self, a: u32, b: u32) -> bool {
        a == b || a == 0 || self.sets[a as usize].iter().all(|&(class, count)| count <= self.count(b, class))
    }
}
