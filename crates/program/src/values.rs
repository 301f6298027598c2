//! Interned messages: equal values have equal ids.
//!
//! User code (`Hash`, `Eq`, `Drop`) never runs while the table is borrowed: it may be slow, deep, or call back into the API.

use crate::context::quietly;
use manyworlds_core::panics;
use rustc_hash::{FxHashMap, FxHasher};
use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What the table can hold and compare.
pub trait Payload: Clone + Eq + Hash + Debug + 'static {}
impl<T: Clone + Eq + Hash + Debug + 'static> Payload for T {}

/// What can be sent, or returned by a process. It must be `Send`, as between threads of the standard library: what is not may be shared memory in
/// disguise, such as an `Rc<Cell<_>>`.
pub trait Message: Payload + Send {}
impl<T: Payload + Send> Message for T {}

/// A message whose type is forgotten.
pub trait Value: Any {
    /// The user's `Debug`.
    fn show(&self) -> String;
}

impl dyn Value {
    /// The value, if it is of this type.
    #[inline]
    pub fn downcast<M: Payload>(&self) -> Option<&M> {
        (self as &dyn Any).downcast_ref()
    }
}

impl<T: Payload> Value for T {
    fn show(&self) -> String {
        show(self)
    }
}

/// A value in words. They are wanted in the middle of a report: a `Debug` that panics spoils its own words and nothing else.
pub fn show(value: &impl Debug) -> String {
    let shown = panics::listen(|| catch_unwind(AssertUnwindSafe(|| quietly(|| format!("{value:?}")))));
    shown.unwrap_or_else(|_| "(its Debug panics)".to_string())
}

/// A number for a type; types meet in one table per worker.
pub type Tag = u32;

const NONE: u32 = u32::MAX;

struct Slot {
    value: Option<Rc<dyn Value>>,
    tag: Tag,
    hash: u64,
    /// The next value with the same hash.
    next: u32,
}

/// The interner.
#[derive(Default)]
pub struct Values {
    slots: Vec<Slot>,
    free: Vec<u32>,
    by_hash: FxHashMap<u64, u32>,
    tags: FxHashMap<TypeId, Tag>,
    /// The type asked for last: processes mostly receive one type.
    recent: Option<(TypeId, Tag)>,
    names: Vec<&'static str>,
}

/// The hash under which a value is filed. Runs user code.
#[inline]
pub fn hash<T: Payload>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    TypeId::of::<T>().hash(&mut hasher);
    value.hash(&mut hasher);
    hasher.finish()
}

impl Values {
    /// The number of a type.
    #[inline]
    pub fn tag<T: 'static>(&mut self) -> Tag {
        let kind = TypeId::of::<T>();
        if let Some((recent, tag)) = self.recent
            && recent == kind
        {
            return tag;
        }
        let names = &mut self.names;
        let tag = *self.tags.entry(kind).or_insert_with(|| {
            names.push(std::any::type_name::<T>());
            names.len() as Tag - 1
        });
        self.recent = Some((kind, tag));
        tag
    }

    /// The name of a type.
    pub fn name(&self, tag: Tag) -> &'static str {
        self.names[tag as usize]
    }

    /// The first value filed under `hash`, to be compared outside.
    #[inline]
    pub fn first(&self, hash: u64) -> Option<(u32, Rc<dyn Value>)> {
        self.get(*self.by_hash.get(&hash)?)
    }

    /// The next value filed under the same hash.
    #[inline]
    pub fn following(&self, id: u32) -> Option<(u32, Rc<dyn Value>)> {
        self.get(self.slots[id as usize].next)
    }

    #[inline]
    fn get(&self, id: u32) -> Option<(u32, Rc<dyn Value>)> {
        let slot = self.slots.get(id as usize)?;
        Some((id, slot.value.clone()?))
    }

    /// Files a value that is not here yet.
    pub fn insert(&mut self, hash: u64, tag: Tag, value: Rc<dyn Value>) -> u32 {
        let next = self.by_hash.get(&hash).copied().unwrap_or(NONE);
        let slot = Slot { value: Some(value), tag, hash, next };
        let id = match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = slot;
                id
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        self.by_hash.insert(hash, id);
        id
    }

    /// The value with this id.
    #[inline(always)]
    pub fn value(&self, id: u32) -> Rc<dyn Value> {
        self.slots[id as usize].value.clone().expect("ids in use have values")
    }

    /// The type of the value with this id.
    #[inline]
    pub fn tag_of(&self, id: u32) -> Tag {
        self.slots[id as usize].tag
    }

    /// The hash under which the value with this id is filed.
    #[inline]
    pub fn hash_of(&self, id: u32) -> u64 {
        self.slots[id as usize].hash
    }

    /// Some value of this type, if there is one.
    pub fn any_of(&self, tag: Tag) -> Option<Rc<dyn Value>> {
        self.slots.iter().filter(|slot| slot.tag == tag).find_map(|slot| slot.value.clone())
    }

    /// How many ids have been given out.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Forgets the values that are not `live`; the caller drops what is returned when nothing is borrowed.
    pub fn retain(&mut self, live: impl Fn(u32) -> bool) -> Vec<Rc<dyn Value>> {
        let mut dropped = Vec::new();
        self.by_hash.clear();
        for id in 0..self.slots.len() as u32 {
            let slot = &mut self.slots[id as usize];
            if slot.value.is_none() {
                continue;
            }
            if live(id) {
                slot.next = self.by_hash.insert(slot.hash, id).unwrap_or(NONE);
            } else {
                dropped.extend(slot.value.take());
                self.free.push(id);
            }
        }
        dropped
    }
}
