//! Bit sets of slots: a fixed-size array if the concurrency is small, else a boxed slice.

use std::hash::Hash;

/// A set of small numbers.
pub trait Bits: Clone + Eq + Hash {
    /// The empty set of numbers below `64 * words`.
    fn empty(words: usize) -> Self;

    /// The words.
    fn words(&self) -> &[u64];

    /// The words, mutable.
    fn words_mut(&mut self) -> &mut [u64];

    /// Whether the set contains a number.
    #[inline]
    fn has(&self, number: u32) -> bool {
        self.words()[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Inserts a number.
    #[inline]
    fn set(&mut self, number: u32) {
        self.words_mut()[number as usize / 64] |= 1 << (number % 64);
    }

    /// Removes a number.
    #[inline]
    fn clear(&mut self, number: u32) {
        self.words_mut()[number as usize / 64] &= !(1 << (number % 64));
    }

    /// The difference of this set and the other.
    #[inline]
    fn without(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.words_mut().iter_mut().zip(other.words()).for_each(|(mine, theirs)| *mine &= !theirs);
        rest
    }

    /// The intersection.
    #[inline]
    fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.words_mut().iter_mut().zip(other.words()).for_each(|(mine, theirs)| *mine &= theirs);
        both
    }

    /// Whether this set is a subset of the other.
    #[inline]
    fn within(&self, other: &Self) -> bool {
        self.words().iter().zip(other.words()).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Removes and returns the least number.
    #[inline]
    fn pop(&mut self) -> Option<u32> {
        for (at, word) in self.words_mut().iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                return Some(at as u32 * 64 + bit);
            }
        }
        None
    }
}

impl<const N: usize> Bits for [u64; N] {
    fn empty(_: usize) -> [u64; N] {
        [0; N]
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}

impl Bits for Box<[u64]> {
    fn empty(words: usize) -> Box<[u64]> {
        vec![0; words].into_boxed_slice()
    }

    fn words(&self) -> &[u64] {
        self
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}
