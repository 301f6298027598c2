//! A register with compare-and-set.

use crate::spec::{Datum, Sequential};

/// A register that holds one value, with an atomic compare-and-set.
#[derive(Clone, Debug, Default)]
pub struct CasRegister<V> {
    initial: V,
}

impl<V> CasRegister<V> {
    /// Creates the specification with an initial value.
    pub fn new(initial: V) -> CasRegister<V> {
        CasRegister { initial }
    }
}

/// An operation of the register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Read the value.
    Read,
    /// Write this value.
    Write(V),
    /// Write the second value if the register holds the first.
    Cas(V, V),
}

/// A response of the register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The value that was read.
    Read(V),
    /// The value was written.
    Written,
    /// Whether the register held the expected value.
    Cas(bool),
}

impl<V: Datum> Sequential for CasRegister<V> {
    type State = V;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> V {
        self.initial.clone()
    }

    fn apply(&self, held: &mut V, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Read => Response::Read(held.clone()),
            Operation::Write(value) => {
                held.clone_from(value);
                Response::Written
            }
            Operation::Cas(from, to) => {
                let changed = held == from;
                if changed {
                    held.clone_from(to);
                }
                Response::Cas(changed)
            }
        }
    }

    fn reads(&self, operation: &Operation<V>, response: Option<&Response<V>>) -> bool {
        matches!((operation, response), (Operation::Read, _) | (Operation::Cas(..), Some(Response::Cas(false))))
    }
}
