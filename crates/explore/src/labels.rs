//! Sets of fairness assumptions, as numbers. A graph has few different sets, so each is stored once.

use crate::fairness::{Label, Strength};
use rustc_hash::FxHashMap;

/// The assumptions that were seen, numbered as they were seen, and sets of them.
pub struct LabelSets {
    labels: Vec<Label>,
    numbers: FxHashMap<Label, u32>,
    sets: Vec<Vec<u32>>,
    ids: FxHashMap<Vec<u32>, u32>,
}

/// The empty set.
pub const EMPTY: u32 = 0;

impl LabelSets {
    /// No assumptions, and the empty set.
    pub fn new() -> LabelSets {
        LabelSets {
            labels: Vec::new(),
            numbers: FxHashMap::default(),
            sets: vec![Vec::new()],
            ids: FxHashMap::from_iter([(Vec::new(), EMPTY)]),
        }
    }

    /// The set of these.
    pub fn of(&mut self, labels: impl IntoIterator<Item = Label>) -> u32 {
        let mut set: Vec<u32> = labels.into_iter().map(|label| self.number(label)).collect();
        set.sort_unstable();
        set.dedup();
        if let Some(&id) = self.ids.get(&set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }

    fn number(&mut self, label: Label) -> u32 {
        let new = self.labels.len() as u32;
        let number = *self.numbers.entry(label).or_insert(new);
        if number == new {
            self.labels.push(label);
        }
        number
    }

    /// The assumptions of a set, by number, in ascending order.
    pub fn set(&self, id: u32) -> &[u32] {
        &self.sets[id as usize]
    }

    /// Whether an assumption is in a set.
    pub fn contains(&self, id: u32, number: u32) -> bool {
        self.set(id).binary_search(&number).is_ok()
    }

    /// Whether the assumption with this number is one of strong fairness.
    pub fn is_strong(&self, number: u32) -> bool {
        self.labels[number as usize].strength == Strength::Strong
    }

    /// The assumption with this number.
    pub fn label(&self, number: u32) -> Label {
        self.labels[number as usize]
    }
}
