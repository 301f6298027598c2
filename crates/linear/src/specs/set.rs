//! A set. Operations on different members are independent, unless an operation reads the whole set.

use crate::spec::{Datum, Sequential, key_of};
use std::collections::BTreeSet;

/// A set that is initially empty.
#[derive(Clone, Debug)]
pub struct Set<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Set<V> {
    /// Creates the specification.
    pub fn new() -> Set<V> {
        Set { of: std::marker::PhantomData }
    }
}

impl<V> Default for Set<V> {
    fn default() -> Set<V> {
        Set::new()
    }
}

/// An operation of a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Insert this member.
    Add(V),
    /// Remove this member.
    Remove(V),
    /// Query whether this is a member.
    Contains(V),
    /// Read all members.
    Read,
}

/// A response of a set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The set was changed as requested.
    Done,
    /// Whether it is a member.
    Contains(bool),
    /// All members, sorted.
    Read(Vec<V>),
}

impl<V: Datum + Ord> Sequential for Set<V> {
    type State = BTreeSet<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> BTreeSet<V> {
        BTreeSet::new()
    }

    fn apply(&self, set: &mut BTreeSet<V>, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Add(value) => drop(set.insert(value.clone())),
            Operation::Remove(value) => drop(set.remove(value)),
            Operation::Contains(value) => return Response::Contains(set.contains(value)),
            Operation::Read => return Response::Read(set.iter().cloned().collect()),
        }
        Response::Done
    }

    fn key(&self, operation: &Operation<V>) -> Option<u64> {
        match operation {
            Operation::Add(value) | Operation::Remove(value) | Operation::Contains(value) => Some(key_of(value)),
            Operation::Read => None,
        }
    }

    fn reads(&self, operation: &Operation<V>, _: Option<&Response<V>>) -> bool {
        matches!(operation, Operation::Contains(_) | Operation::Read)
    }
}
