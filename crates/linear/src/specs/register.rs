//! A read-write register.

use crate::spec::{Datum, Sequential};

/// A register that holds one value.
#[derive(Clone, Debug, Default)]
pub struct Register<V> {
    initial: V,
}

impl<V> Register<V> {
    /// Creates the specification with an initial value.
    pub fn new(initial: V) -> Register<V> {
        Register { initial }
    }
}

/// An operation of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Read the value.
    Read,
    /// Write this value.
    Write(V),
}

/// A response of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The value that was read.
    Read(V),
    /// The value was written.
    Written,
}

impl<V: Datum> Sequential for Register<V> {
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
        }
    }

    fn reads(&self, operation: &Operation<V>, _: Option<&Response<V>>) -> bool {
        matches!(operation, Operation::Read)
    }
}
