//! Helpers for the `Debug` text of packed states: sets that are stored as bits, and enumerations that are stored as numbers.

use std::collections::BTreeSet;
use std::fmt;

/// The members of a set of small numbers.
pub fn members(set: u32) -> BTreeSet<u32> {
    (0..u32::BITS).filter(|bit| set >> bit & 1 == 1).collect()
}

/// A word whose `Debug` text has no quotes.
#[derive(Clone, Copy)]
pub struct Word(pub &'static str);

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
