//! Packed states in words: what `Debug` shows of sets that are bits, and of places that are numbers.

use std::collections::BTreeSet;
use std::fmt;

/// The members of a set of small numbers.
pub fn members(set: u32) -> BTreeSet<u32> {
    (0..u32::BITS).filter(|bit| set >> bit & 1 == 1).collect()
}

/// A word that is shown without quotes.
#[derive(Clone, Copy)]
pub struct Word(pub &'static str);

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
