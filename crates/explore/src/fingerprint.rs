//! 128-bit fingerprints of states.
//!
//! The bytes that `Hash` writes are gathered in a buffer and hashed at once by xxh3: for the few dozen bytes of a state this is several times
//! faster than hashing piece by piece. The result depends on the state alone: not on the run, the thread or the order of visits.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// Gathers the bytes that `Hash` writes.
#[derive(Default)]
struct Gather(Vec<u8>);

impl Hasher for Gather {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // `Hash` implementations only write; the 64-bit result is not used.
        self.0.len() as u64
    }
}

thread_local! {
    static GATHER: RefCell<Gather> = RefCell::default();
}

/// The fingerprint of a value.
#[inline]
pub fn of<T: Hash + ?Sized>(value: &T) -> u128 {
    // Taken out of its cell: the user's `Hash` may compute a fingerprint itself.
    let mut gather = GATHER.take();
    gather.0.clear();
    value.hash(&mut gather);
    let fingerprint = xxh3_128(&gather.0);
    GATHER.set(gather);
    fingerprint
}

/// The fingerprint of a state that is packed into words: faster than [`of`].
#[inline]
pub fn of_words<const N: usize>(words: [u64; N]) -> u128 {
    let mut bytes = [[0; 8]; N];
    for (bytes, word) in bytes.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    xxh3_128(bytes.as_flattened())
}

/// An upper bound of the probability that two of so many states have the same fingerprint of so many bits, so that one is taken for the other:
/// n²/2ᵇ⁺¹.
pub fn omission(states: u64, bits: i32) -> f64 {
    let n = states as f64;
    n * n / 2f64.powi(bits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_equal_fingerprints_and_near_ones_do_not() {
        assert_eq!(of(&(1u8, "a")), of(&(1u8, "a")));
        let all: std::collections::HashSet<u128> = (0..10_000u64).map(|i| of(&i)).collect();
        assert_eq!(all.len(), 10_000);
    }

    #[test]
    fn a_hash_that_asks_for_a_fingerprint_is_served() {
        struct Nested(u8);
        impl Hash for Nested {
            fn hash<H: Hasher>(&self, state: &mut H) {
                of(&self.0).hash(state);
                self.0.hash(state);
            }
        }
        assert_eq!(of(&Nested(3)), of(&Nested(3)));
        assert_ne!(of(&Nested(3)), of(&Nested(4)));
    }
}
