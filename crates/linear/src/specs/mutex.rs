//! A mutual-exclusion lock.

use crate::spec::Spec;

/// A lock. An acquisition takes effect only when the lock is free, a release only when it is held; which process holds it does not matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutex {
    held: bool,
}

impl Mutex {
    /// Creates the specification of a lock that is initially free.
    pub fn new() -> Mutex {
        Mutex { held: false }
    }

    /// Creates the specification of a lock that is initially held.
    pub fn held() -> Mutex {
        Mutex { held: true }
    }
}

/// An operation of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// Acquire the lock.
    Acquire,
    /// Acquire the lock if it is free.
    TryAcquire,
    /// Release the lock.
    Release,
}

/// A response of a lock: whether it was acquired or released. Only [`Operation::TryAcquire`] may fail.
pub type Response = bool;

impl Spec for Mutex {
    /// Whether the lock is held.
    type State = bool;
    type Operation = Operation;
    type Response = Response;

    fn initial(&self) -> bool {
        self.held
    }

    fn outcomes(&self, &held: &bool, operation: &Operation, out: &mut Vec<(bool, bool)>) {
        match (operation, held) {
            (Operation::Acquire | Operation::TryAcquire, false) => out.push((true, true)),
            (Operation::TryAcquire, true) => out.push((true, false)),
            (Operation::Release, true) => out.push((false, true)),
            (Operation::Acquire, true) | (Operation::Release, false) => {}
        }
    }

    fn reads(&self, operation: &Operation, response: Option<&bool>) -> bool {
        matches!((operation, response), (Operation::TryAcquire, Some(false)))
    }
}
