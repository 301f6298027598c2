//! A map from keys to values. Keys are independent of each other, so each is checked on its own.

use crate::spec::{Datum, Sequential, key_of};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A map that is empty at the start.
#[derive(Clone, Debug)]
pub struct Map<K, V> {
    of: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub fn new() -> Map<K, V> {
        Map { of: PhantomData }
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

/// Values to which something can be appended.
pub trait Append {
    /// Puts `more` behind what is there.
    fn append(&mut self, more: &Self);
}

impl Append for String {
    fn append(&mut self, more: &String) {
        self.push_str(more);
    }
}

impl<T: Clone> Append for Vec<T> {
    fn append(&mut self, more: &Vec<T>) {
        self.extend_from_slice(more);
    }
}

macro_rules! numbers_append_by_adding {
    ($($number:ty)*) => {$(
        /// To append a number is to add it.
        impl Append for $number {
            fn append(&mut self, more: &$number) {
                *self = self.wrapping_add(*more);
            }
        }
    )*};
}
numbers_append_by_adding!(u8 u16 u32 u64 i8 i16 i32 i64);

/// What can be asked of a map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<K, V> {
    /// What is at this key?
    Get(K),
    /// Keep this value at this key.
    Put(K, V),
    /// Append this to what is at this key; put it there if there is nothing.
    Append(K, V),
    /// Forget what is at this key.
    Delete(K),
}

impl<K, V> Operation<K, V> {
    /// The key it is about.
    pub fn key(&self) -> &K {
        match self {
            Operation::Get(key) | Operation::Put(key, _) | Operation::Append(key, _) | Operation::Delete(key) => key,
        }
    }
}

/// What a map answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// This is there, or nothing.
    Got(Option<V>),
    /// It is done.
    Done,
}

impl<K: Datum + Ord, V: Datum + Append> Sequential for Map<K, V> {
    type State = BTreeMap<K, V>;
    type Operation = Operation<K, V>;
    type Response = Response<V>;

    fn initial(&self) -> BTreeMap<K, V> {
        BTreeMap::new()
    }

    fn apply(&self, map: &mut BTreeMap<K, V>, operation: &Operation<K, V>) -> Response<V> {
        match operation {
            Operation::Get(key) => return Response::Got(map.get(key).cloned()),
            Operation::Put(key, value) => drop(map.insert(key.clone(), value.clone())),
            Operation::Append(key, more) => match map.get_mut(key) {
                Some(value) => value.append(more),
                None => drop(map.insert(key.clone(), more.clone())),
            },
            Operation::Delete(key) => drop(map.remove(key)),
        }
        Response::Done
    }

    fn key(&self, operation: &Operation<K, V>) -> Option<u64> {
        Some(key_of(operation.key()))
    }

    fn reads(&self, operation: &Operation<K, V>, _: Option<&Response<V>>) -> bool {
        matches!(operation, Operation::Get(_))
    }
}
