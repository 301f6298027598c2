//! Several registers, read and written together in transactions.

use crate::spec::{Datum, Sequential, key_of};
use std::collections::BTreeMap;

/// Registers by key, all with the same initial value. Keys are independent, and checked separately, only if every transaction accesses a
/// single key.
#[derive(Clone, Debug, Default)]
pub struct MultiRegister<K, V> {
    initial: V,
    of: std::marker::PhantomData<fn() -> K>,
}

impl<K, V> MultiRegister<K, V> {
    /// Creates the specification with an initial value.
    pub fn new(initial: V) -> MultiRegister<K, V> {
        MultiRegister { initial, of: std::marker::PhantomData }
    }
}

/// An access in a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access<K, V> {
    /// Read this register.
    Read(K),
    /// Write this value to this register.
    Write(K, V),
}

impl<K, V> Access<K, V> {
    /// The key of the register.
    pub fn key(&self) -> &K {
        match self {
            Access::Read(key) | Access::Write(key, _) => key,
        }
    }
}

/// The response of a transaction: the value read by each access, `None` for writes.
pub type Response<V> = Vec<Option<V>>;

impl<K: Datum + Ord, V: Datum> Sequential for MultiRegister<K, V> {
    /// The values of the registers that were written.
    type State = BTreeMap<K, V>;
    /// A transaction: its accesses take effect atomically, in this order.
    type Operation = Vec<Access<K, V>>;
    type Response = Response<V>;

    fn initial(&self) -> BTreeMap<K, V> {
        BTreeMap::new()
    }

    fn apply(&self, held: &mut BTreeMap<K, V>, transaction: &Vec<Access<K, V>>) -> Response<V> {
        let perform = |access: &Access<K, V>| match access {
            Access::Read(key) => Some(held.get(key).unwrap_or(&self.initial).clone()),
            Access::Write(key, value) => {
                held.insert(key.clone(), value.clone());
                None
            }
        };
        transaction.iter().map(perform).collect()
    }

    fn key(&self, transaction: &Vec<Access<K, V>>) -> Option<u64> {
        let first = transaction.first()?.key();
        transaction.iter().all(|access| access.key() == first).then(|| key_of(first))
    }

    fn reads(&self, transaction: &Vec<Access<K, V>>, _: Option<&Response<V>>) -> bool {
        transaction.iter().all(|access| matches!(access, Access::Read(_)))
    }
}
