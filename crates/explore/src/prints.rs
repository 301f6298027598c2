//! A set of fingerprints, made for a memory that is far away.
//!
//! Fingerprints lie in an open-addressed table of cache lines, four to a line. The home of a fingerprint is a line: 32 of its bits
//! scaled to the length of the table, so that a table may have any length: it grows by half, and memory stays close to need. Scaling keeps
//! the order of those bits, so that a growing table is copied nearly front to back. Nearly all searches end in the line they begin with, and
//! that line can be asked for before it is needed.

use manyworlds_memory::{LARGE_PAGE, Words, prefetch};

/// No fingerprint: an empty slot.
const EMPTY: u128 = 0;
/// Slots in a line.
const LINE: usize = 4;
/// A table with fewer lines is small.
const SMALL: usize = 1 << 12;
/// Lines in a large page.
const PAGE: usize = LARGE_PAGE / 64;
/// Where the number of steps is kept, in a set that keeps it.
const STEPS: u128 = u32::MAX as u128;

/// A set of fingerprints. The lower 32 bits of each may be taken for something else.
#[derive(Default)]
pub struct Prints {
    /// Line after line. Lines are filled from the front.
    slots: Words,
    lines: usize,
    len: usize,
    limit: usize,
}

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// For the first time.
    New,
    /// In fewer steps than before: those.
    Sooner(u32),
    /// Once more.
    Known,
}

impl Prints {
    #[inline(always)]
    fn home(&self, print: u128) -> usize {
        ((u64::from((print >> 32) as u32) * self.lines as u64) >> 32) as usize
    }

    /// Starts to fetch what is needed to insert a fingerprint.
    #[inline(always)]
    pub fn prefetch(&self, print: u128) {
        prefetch(&self.slots, self.home(print) * LINE);
    }

    /// Whether the fingerprint is new.
    #[inline(always)]
    pub fn insert(&mut self, print: u128) -> bool {
        let print = if print == EMPTY { 1 } else { print };
        self.room();
        let at = self.find::<false>(print);
        let new = self.slots[at] == EMPTY;
        if new {
            self.slots[at] = print;
            self.len += 1;
        }
        new
    }

    /// Adds a fingerprint that was reached in so many steps; they take the place of its lower 32 bits.
    #[inline(always)]
    pub fn insert_at(&mut self, print: u128, steps: u32) -> Arrival {
        let upper = print & !STEPS;
        let upper = if upper == EMPTY { 1 << 64 } else { upper };
        self.room();
        let at = self.find::<true>(upper);
        let slot = &mut self.slots[at];
        let (old, least) = (*slot, *slot as u32);
        if old != EMPTY && least <= steps {
            return Arrival::Known;
        }
        *slot = upper | u128::from(steps);
        match old {
            EMPTY => {
                self.len += 1;
                Arrival::New
            }
            _ => Arrival::Sooner(least),
        }
    }

    /// Where the fingerprint is, or where it belongs; `UPPER` if its lower 32 bits do not count.
    #[inline(always)]
    fn find<const UPPER: bool>(&self, print: u128) -> usize {
        let top = high(print);
        let mut line = self.home(print);
        loop {
            let start = line * LINE;
            let slots: &[u128; LINE] = self.slots[start..start + LINE].try_into().expect("a line");
            for (nth, &slot) in slots.iter().enumerate() {
                // Half of a slot is nearly always enough to go on.
                if high(slot) != top && high(slot) != high(EMPTY) {
                    continue;
                }
                let same = if UPPER { (slot ^ print) >> 32 == 0 } else { slot == print };
                if same || slot == EMPTY {
                    return start + nth;
                }
            }
            line = if line + 1 == self.lines { 0 } else { line + 1 };
        }
    }

    #[inline(always)]
    fn room(&mut self) {
        if self.len == self.limit {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        // While it is small, memory matters less than copying. What nearly fills a large page takes all of it; after that, quarters are near enough.
        let lines = if self.lines < SMALL { (self.lines * 2).max(16) } else { self.lines / 2 * 3 };
        self.lines = if lines < PAGE / 4 * 3 { lines } else { lines.next_multiple_of(PAGE / 4).max(PAGE) };
        assert!(self.lines <= u32::MAX as usize, "a table of fingerprints is too long");
        let old = std::mem::replace(&mut self.slots, Words::zeroed(self.lines * LINE));
        self.limit = self.lines * LINE / 4 * 3;
        for print in old.iter().copied().filter(|&print| print != EMPTY) {
            let at = self.find::<false>(print);
            self.slots[at] = print;
        }
    }
}

#[inline(always)]
fn high(print: u128) -> u64 {
    (print >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    /// Few lower halves: full lines, and searches that go round the end of the table.
    fn awkward(i: u64) -> u128 {
        u128::from(i % 37).pow(20) << 64 | u128::from((i % 5_003).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[test]
    fn agrees_with_the_standard_set() {
        let (mut prints, mut naive) = (Prints::default(), HashSet::new());
        for print in (0..20_000).map(awkward) {
            prints.prefetch(print);
            assert_eq!(prints.insert(print), naive.insert(print.max(1)));
        }
        let top = u128::from(u64::MAX);
        assert!((1..50).all(|i| prints.insert(i << 64 | top)), "these go round the end of the table");
        assert!(!(1..50).any(|i| prints.insert(i << 64 | top)));
    }

    #[test]
    fn agrees_with_the_standard_map() {
        let (mut prints, mut naive) = (Prints::default(), HashMap::new());
        for i in 0..40_000u64 {
            let (print, steps) = (awkward(i) << 32, (i.wrapping_mul(2_654_435_761) % 50) as u32);
            let expected = match naive.get(&print) {
                None => Arrival::New,
                Some(&least) if least <= steps => Arrival::Known,
                Some(&least) => Arrival::Sooner(least),
            };
            assert_eq!(prints.insert_at(print, steps), expected);
            if expected != Arrival::Known {
                naive.insert(print, steps);
            }
        }
    }

    #[test]
    fn zero_is_a_fingerprint_like_any_other() {
        let mut prints = Prints::default();
        assert!(prints.insert(0));
        assert!(!prints.insert(0));
        let mut prints = Prints::default();
        assert_eq!(
            [3, 2, 2].map(|steps| prints.insert_at(0, steps)),
            [Arrival::New, Arrival::Sooner(3), Arrival::Known]
        );
    }
}
