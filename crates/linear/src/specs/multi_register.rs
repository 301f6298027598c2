//! Several registers, read and written together in transactions.

use crate::spec::{Datum, Sequential, key_of};
use std::collections::BTreeMap;

/// Registers by key, all with the same value at the start. A transaction on several keys ties them together; keys that no transaction joins with
/// others are independent only if every transaction has one key.
#[derive(Clone, Debug, Default)]
pub struct MultiRegister<K, V> {
    initial: V,
    of: std::marker::PhantomData<fn() -> K>,
}

impl<K, V> MultiRegister<K, V> {
    /// Registers that hold this at the start.
    pub fn new(initial: V) -> MultiRegister<K, V> {
        MultiRegister { initial, of: std::marker::PhantomData }
    }
}

/// A part of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access<K, V> {
    /// What is in this register?
    Read(K),
    /// Hold this.
    Write(K, V),
}

impl<K, V> Access<K, V> {
    /// The register.
    pub fn key(&self) -> &K {
        match self {
            Access::Read(key) | Access::Write(key, _) => key,
        }
    }
}

/// What a transaction answers: for each access what was read, and `None` for writes.
pub type Response<V> = Vec<Option<V>>;

impl<K: Datum + Ord, V: Datum> Sequential for MultiRegister<K, V> {
    /// The registers that were written.
    type State = BTreeMap<K, V>;
    /// A transaction: its parts take effect in this order, with nothing in between.
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
