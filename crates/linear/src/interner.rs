//! Interning: consecutive small ids for values.

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

const NONE: u32 = u32::MAX;

/// Assigns ids to values in the order in which they are first interned. Each value is stored once.
pub struct Interner<T> {
    /// By hash: the newest value with that hash.
    heads: FxHashMap<u64, u32>,
    values: Vec<T>,
    /// By value: the previous value with the same hash, or [`NONE`].
    before: Vec<u32>,
}

impl<T: Eq + Hash> Interner<T> {
    /// Creates an empty interner.
    pub fn new() -> Interner<T> {
        Interner { heads: FxHashMap::default(), values: Vec::new(), before: Vec::new() }
    }

    /// Returns the id of a value, and adds the value if it is new.
    pub fn intern(&mut self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let head = self.heads.entry(hash).or_insert(NONE);
        let mut at = *head;
        while at != NONE {
            if self.values[at as usize] == value {
                return at;
            }
            at = self.before[at as usize];
        }
        let number = u32::try_from(self.values.len()).ok().filter(|&number| number < NONE);
        let number = number.expect("fewer than 2^32 - 1 values");
        self.before.push(std::mem::replace(head, number));
        self.values.push(value);
        number
    }

    /// The value with this id.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All values of this type have the same hash.
    #[derive(PartialEq, Eq)]
    struct Colliding(u32);

    impl Hash for Colliding {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            state.write_u32(0);
        }
    }

    #[test]
    fn values_have_equal_ids_iff_they_are_equal() {
        let mut interner = Interner::new();
        let numbers: Vec<u32> = [7, 8, 7, 9, 8, 9].map(|value| interner.intern(Colliding(value))).into();
        assert_eq!(numbers, [0, 1, 0, 2, 1, 2]);
        assert!([7, 8, 9].iter().enumerate().all(|(at, &value)| *interner.value(at as u32) == Colliding(value)));
    }
}
