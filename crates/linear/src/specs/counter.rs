//! A counter.

use crate::spec::Sequential;

/// A counter of 64 bits, which wraps around.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    initial: i64,
}

impl Counter {
    /// A counter that starts here.
    pub fn new(initial: i64) -> Counter {
        Counter { initial }
    }
}

/// An operation of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// How far is it?
    Read,
    /// Add this, which may be negative.
    Add(i64),
    /// Add this and say how far it was before.
    FetchAdd(i64),
}

/// A response of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response {
    /// So far it is, or was.
    Count(i64),
    /// It is added.
    Added,
}

impl Sequential for Counter {
    type State = i64;
    type Operation = Operation;
    type Response = Response;

    fn initial(&self) -> i64 {
        self.initial
    }

    fn apply(&self, count: &mut i64, operation: &Operation) -> Response {
        let before = *count;
        match operation {
            Operation::Read => Response::Count(before),
            Operation::Add(more) => {
                *count = before.wrapping_add(*more);
                Response::Added
            }
            Operation::FetchAdd(more) => {
                *count = before.wrapping_add(*more);
                Response::Count(before)
            }
        }
    }

    fn reads(&self, operation: &Operation, _: Option<&Response>) -> bool {
        matches!(operation, Operation::Read | Operation::Add(0) | Operation::FetchAdd(0))
    }
}
