//! Ids for whatever is equal, and 128 bits that depend on the thing and not on its id: ids differ from run to run, prints do not.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Equal things have equal ids.
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
    /// The id of `item`; `print` is asked if it is new.
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
    /// The thing.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }

    /// The 128 bits that stand for it.
    pub fn print(&self, id: u32) -> u128 {
        self.prints[id as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

/// A worker's own copy of an interner, so that looking something up needs no lock. It is brought up to date when the interner has grown.
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
    /// How many are there.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Copies what is new.
    pub fn update(&mut self, from: &Interner<T>) {
        self.items.extend_from_slice(&from.items[self.items.len()..]);
        self.prints.extend_from_slice(&from.prints[self.prints.len()..]);
    }

    /// The thing.
    pub fn get(&self, id: u32) -> &Arc<T> {
        &self.items[id as usize]
    }

    /// The 128 bits that stand for it.
    pub fn print(&self, id: u32) -> u128 {
        self.prints[id as usize]
    }
}
