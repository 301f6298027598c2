//! Interning: equal contents have equal ids. Fingerprints are those of the contents: they are the same in every run, whatever the order of ids.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// The id that stands for nothing.
pub const NONE: u32 = u32::MAX;

/// Equal items have equal ids.
pub struct Interner<T> {
    items: Vec<Arc<T>>,
    prints: Vec<u128>,
    ids: FxHashMap<Arc<T>, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { items: Vec::new(), prints: Vec::new(), ids: FxHashMap::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The id of an item, if it has one.
    pub fn find(&self, item: &T) -> Option<u32> {
        self.ids.get(item).copied()
    }

    /// Gives a new item its id.
    pub fn add(&mut self, item: T, print: u128) -> u32 {
        let id = u32::try_from(self.items.len()).ok().filter(|&id| id != NONE);
        let id = id.expect("more distinct things than 32 bits can count");
        let item = Arc::new(item);
        self.items.push(item.clone());
        self.prints.push(print);
        self.ids.insert(item, id);
        id
    }

    /// The item with this id.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }

    /// The fingerprint of the item with this id.
    pub fn print(&self, id: u32) -> u128 {
        self.prints[id as usize]
    }

    /// The number of items.
    pub fn count(&self) -> usize {
        self.items.len()
    }
}
