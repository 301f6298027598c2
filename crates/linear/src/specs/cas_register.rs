//! A register with compare-and-set.

use crate::spec::{Datum, Sequential};

/// A register that holds one value, which can be changed on condition.
#[derive(Clone, Debug, Default)]
pub struct CasRegister<V> {
    initial: V,
}

impl<V> CasRegister<V> {
    /// A register that holds this at the start.
    pub fn new(initial: V) -> CasRegister<V> {
        CasRegister { initial }
    }
}

/// An operation of the register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// What is in it?
    Read,
    /// Hold this.
    Write(V),
    /// Hold the second if you hold the first.
    Cas(V, V),
}

/// What it answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// This is in it.
    Read(V),
    /// It is written.
    Written,
    /// Whether it was changed.
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
