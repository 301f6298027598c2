//! An integer counter.

use crate::spec::Sequential;

/// A 64-bit counter, which wraps around.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    initial: i64,
}

impl Counter {
    /// Creates the specification with an initial count.
    pub fn new(initial: i64) -> Counter {
        Counter { initial }
    }
}

/// An operation of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Read the count.
    Read,
    /// Add this number, which may be negative.
    Add(i64),
    /// Add this number and return the previous count.
    FetchAdd(i64),
}

/// A response of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response {
    /// The current or the previous count.
    Count(i64),
    /// The number was added.
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
