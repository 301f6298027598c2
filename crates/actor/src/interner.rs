//! Interning: ids for equal values, with fingerprints that depend on the value and not on its id, because ids differ between runs.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Equal values have equal ids.
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
    /// The id of `item`; `print` computes the fingerprint if the item is new.
    pub fn intern(&mut self, item: T, print: impl FnOnce(&T) -> u128) -> u32 {
        if let Some(&id) = self.ids.get(&item) {
            return id;
        }
        let print = print(&item);
        self.add(Arc::new(item), print)
    }

    fn add(&mut self, item: Arc<T>, print: u128) -> u32 {
        let id = u32::try_from(self.items.len()).expect("more distinct things than 32 bits can count");
        self.items.push(item.clone());
        self.prints.push(print);
        self.ids.insert(item, id);
        id
    }
}

impl<T> Interner<T> {
    /// The value with this id.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }

    /// The fingerprint of the value with this id.
    pub fn print(&self, id: u32) -> u128 {
        self.prints[id as usize]
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

/// A worker's copy of an interner, so that look-ups need no lock. It is updated when the interner has grown.
pub struct Mirror<T> {
    items: Vec<Arc<T>>,
    prints: Vec<u128>,
}

impl<T> Default for Mirror<T> {
    fn default() -> Mirror<T> {
        Mirror { items: Vec::new(), prints: Vec::new() }
    }
}

impl<T> Mirror<T> {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Copies the values that were added since the last update.
    pub fn update(&mut self, from: &Interner<T>) {
        self.items.extend_from_slice(&from.items[self.items.len()..]);
        self.prints.extend_from_slice(&from.prints[self.prints.len()..]);
    }

    /// The value with this id.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }

    /// The fingerprint of the value with this id.
    pub fn print(&self, id: u32) -> u128 {
        self.prints[id as usize]
    }
}
