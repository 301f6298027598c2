//! A map from keys to values. Operations on different keys are independent, so each key is checked separately.

use super::held::Held;
use super::observed::{self, Effect};
use crate::spec::{Datum, Seen, Sequential, key_of};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A map that is initially empty.
#[derive(Clone, Debug)]
pub struct Map<K, V> {
    of: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Map<K, V> {
    /// Creates the specification.
    pub fn new() -> Map<K, V> {
        Map { of: PhantomData }
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}

/// Values to which values can be appended.
pub trait Append {
    /// Appends `more`.
    fn append(&mut self, more: &Self);

    /// The text, if the value is a text: then appending another text must concatenate them. The checker shares the common prefixes of texts, and infers
    /// from texts that were read in which order their parts were appended. `None` is always correct.
    fn as_text(&self) -> Option<&str> {
        None
    }
}

impl Append for String {
    fn append(&mut self, more: &String) {
        self.push_str(more);
    }

    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl<T: Clone> Append for Vec<T> {
    fn append(&mut self, more: &Vec<T>) {
        self.extend_from_slice(more);
    }
}

macro_rules! numbers_append_by_adding {
    ($($number:ty)*) => {$(
        /// Appending a number adds it.
        impl Append for $number {
            fn append(&mut self, more: &$number) {
                *self = self.wrapping_add(*more);
            }
        }
    )*};
}
numbers_append_by_adding!(u8 u16 u32 u64 i8 i16 i32 i64);

/// An operation of a map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<K, V> {
    /// Read the value of this key.
    Get(K),
    /// Set the value of this key.
    Put(K, V),
    /// Append this to the value of this key, or set it if the key has no value.
    Append(K, V),
    /// Remove this key.
    Delete(K),
}

impl<K, V> Operation<K, V> {
    /// The key of the operation.
    pub fn key(&self) -> &K {
        match self {
            Operation::Get(key) | Operation::Put(key, _) | Operation::Append(key, _) | Operation::Delete(key) => key,
        }
    }
}

/// A response of a map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The value of the key, if it has one.
    Got(Option<V>),
    /// The map was changed as requested.
    Done,
}

impl<K: Datum + Ord, V: Datum + Append> Sequential for Map<K, V> {
    type State = BTreeMap<K, Held<V>>;
    type Operation = Operation<K, V>;
    type Response = Response<V>;

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn apply(&self, map: &mut Self::State, operation: &Operation<K, V>) -> Response<V> {
        match operation {
            Operation::Get(key) => return Response::Got(map.get(key).map(Held::value)),
            Operation::Put(key, value) => drop(map.insert(key.clone(), Held::new(value.clone()))),
            Operation::Append(key, more) => match map.get_mut(key) {
                Some(value) => *value = value.appended(more),
                None => drop(map.insert(key.clone(), Held::new(more.clone()))),
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

    fn reads_as(&self, map: &Self::State, operation: &Operation<K, V>, response: &Response<V>) -> bool {
        match (operation, response) {
            (Operation::Get(key), Response::Got(wanted)) => match (map.get(key), wanted) {
                (Some(held), Some(wanted)) => held.is(wanted),
                (None, None) => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// A text that was read determines the order in which its parts were put and appended.
    fn precedence(&self, history: &[Seen<'_, Operation<K, V>, Response<V>>]) -> Vec<(usize, usize)> {
        observed::precedence(history, "", effect)
    }

    fn proposal(&self, history: &[Seen<'_, Operation<K, V>, Response<V>>]) -> Option<Vec<usize>> {
        observed::proposal(history, "", effect)
    }
}

/// The key of an operation, and its effect on a text. A missing value is treated as the empty text, which can only make more values possible, not fewer.
fn effect<'h, K, V: Append>(seen: &Seen<'h, Operation<K, V>, Response<V>>) -> (&'h K, Option<Effect<'h>>) {
    let effect = match (seen.operation, seen.response) {
        (Operation::Put(_, value), _) => value.as_text().map(Effect::Becomes),
        (Operation::Append(_, value), _) => value.as_text().map(Effect::Appends),
        (Operation::Delete(_), _) => Some(Effect::Becomes("")),
        (Operation::Get(_), Some(Response::Got(Some(value)))) => value.as_text().map(Effect::Reads),
        (Operation::Get(_), Some(Response::Got(None))) => Some(Effect::Reads("")),
        (Operation::Get(_), Some(Response::Done) | None) => Some(Effect::ReadsAnything),
    };
    (seen.operation.key(), effect)
}
