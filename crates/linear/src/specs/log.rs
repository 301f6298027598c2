//! An append-only log.

use crate::spec::{Datum, Sequential};

/// A log that is initially empty.
#[derive(Clone, Debug)]
pub struct Log<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Log<V> {
    /// Creates the specification.
    pub fn new() -> Log<V> {
        Log { of: std::marker::PhantomData }
    }
}

impl<V> Default for Log<V> {
    fn default() -> Log<V> {
        Log::new()
    }
}

/// An operation of a log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Append this entry.
    Append(V),
    /// Read all entries.
    Read,
    /// Read the entry at this index, from 0.
    Get(usize),
}

/// A response of a log.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The entry was appended at this index.
    At(usize),
    /// All entries.
    Read(Vec<V>),
    /// The entry at the index, if there is one.
    Got(Option<V>),
}

impl<V: Datum> Sequential for Log<V> {
    type State = Vec<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn apply(&self, log: &mut Vec<V>, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Append(value) => {
                log.push(value.clone());
                Response::At(log.len() - 1)
            }
            Operation::Read => Response::Read(log.clone()),
            Operation::Get(place) => Response::Got(log.get(*place).cloned()),
        }
    }

    fn reads(&self, operation: &Operation<V>, _: Option<&Response<V>>) -> bool {
        matches!(operation, Operation::Read | Operation::Get(_))
    }
}
