//! A log: entries are appended and never change.

use crate::spec::{Datum, Sequential};

/// A log that is empty at the start.
#[derive(Clone, Debug)]
pub struct Log<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Log<V> {
    /// An empty one.
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
    /// Put this at the end.
    Append(V),
    /// What is in it?
    Read,
    /// What is at this place? Places count from 0.
    Get(usize),
}

/// A response of a log.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// It is in the log, at this place.
    At(usize),
    /// Everything in it.
    Read(Vec<V>),
    /// This is there, or nothing.
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
