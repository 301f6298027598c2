//! A set of fingerprints, optimised for few cache misses.
//!
//! Fingerprints lie in an open-addressed table of cache lines, four to a line. The home of a fingerprint is a line: 32 of its bits
//! scaled to the length of the table, so that a table may have any length: it grows by half, and memory stays close to need. Scaling keeps
//! the order of those bits, so that a table grows where it is, from back to front. Nearly all searches end in the line they begin with, and
//! that line can be prefetched before it is needed.

use manyworlds_memory::{LARGE_PAGE, Words, prefetch};

/// No fingerprint: an empty slot.
const EMPTY: u128 = 0;
/// Slots in a line.
const LINE: usize = 4;
/// A table with fewer lines is small.
const SMALL: usize = 1 << 12;
/// Lines in a large page.
const PAGE: usize = LARGE_PAGE / 64;
/// A table with so many lines nearly fills a large page, or needs many.
const NEARLY: usize = PAGE / 4 * 3;
const MANY: usize = PAGE;
/// Where the number of steps is kept, in a set that keeps it.
const STEPS: u128 = u32::MAX as u128;

/// A set of fingerprints. The lower 32 bits of each may hold a number of steps instead.
#[derive(Default)]
pub struct Prints {
    /// Line after line. Lines are filled from the front.
    slots: Words,
    lines: usize,
    len: usize,
    limit: usize,
    /// It takes a large page as soon as it is not small any more: tables of sizes in between would be cleared, filled and copied repeatedly.
    hasty: bool,
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
    /// An empty set; `few` if there are so few sets that large pages for all of them cost little memory.
    pub fn new(few: bool) -> Prints {
        Prints { hasty: few, ..Prints::default() }
    }

    #[inline(always)]
    fn home(&self, print: u128) -> usize {
        ((u64::from((print >> 32) as u32) * self.lines as u64) >> 32) as usize
    }

    /// Prefetches the line needed to insert a fingerprint.
    #[inline(always)]
    pub fn prefetch(&self, print: u128) {
        prefetch(&self.slots, self.home(print) * LINE);
    }

    /// Whether the fingerprint is new.
    #[inline(always)]
    pub fn insert(&mut self, print: u128) -> bool {
        let print = if print == EMPTY { 1 } else { print };
        self.grow_if_full();
        let at = self.find::<false>(print);
        let new = self.slots[at] == EMPTY;
        if new {
            self.slots[at] = print;
            self.len += 1;
        }
        new
    }

    /// Whether the fingerprint was inserted.
    pub fn contains(&self, print: u128) -> bool {
        let print = if print == EMPTY { 1 } else { print };
        self.lines > 0 && self.slots[self.find::<false>(print)] == print
    }

    /// Whether the fingerprint was inserted with a number of steps.
    pub fn contains_upper(&self, print: u128) -> bool {
        let upper = print & !STEPS;
        let upper = if upper == EMPTY { 1 << 64 } else { upper };
        self.lines > 0 && self.slots[self.find::<true>(upper)] != EMPTY
    }

    /// Adds a fingerprint that was reached in so many steps; they take the place of its lower 32 bits.
    #[inline(always)]
    pub fn insert_at(&mut self, print: u128, steps: u32) -> Arrival {
        let upper = print & !STEPS;
        let upper = if upper == EMPTY { 1 << 64 } else { upper };
        self.grow_if_full();
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
    fn grow_if_full(&mut self) {
        if self.len == self.limit {
            self.grow();
        }
    }

    /// How many more can be inserted before it grows.
    pub fn spare(&self) -> usize {
        self.limit - self.len
    }

    /// Makes it longer.
    #[cold]
    pub fn grow(&mut self) {
        let old = self.lines;
        // While it is small, the cost of moving entries matters more than memory. A table that nearly fills a large page gets the whole page; above that,
        // sizes are rounded to quarters of a page, then to whole pages.
        let lines = if old < SMALL { (old * 2).max(16) } else { old / 2 * 3 };
        self.lines = match lines {
            SMALL.. if self.hasty && lines < PAGE => PAGE,
            ..NEARLY => lines,
            NEARLY..MANY => lines.next_multiple_of(PAGE / 4).max(PAGE),
            MANY.. => lines.next_multiple_of(PAGE),
        };
        assert!(self.lines <= u32::MAX as usize, "a table of fingerprints is too long");
        self.slots.grow(self.lines * LINE);
        self.limit = self.lines * LINE / 4 * 3;
        self.spread(old);
    }

    /// The first empty slot of this line or a later one. Lines are filled from the front, so a line is halved twice: nothing has to be predicted.
    #[inline(always)]
    fn empty_slot_from(&self, line: usize) -> Option<usize> {
        (line..self.lines).find_map(|line| {
            let slots: &[u128; LINE] = self.slots[line * LINE..][..LINE].try_into().expect("a line");
            let half = 2 * usize::from(slots[1] != EMPTY);
            let full = half + usize::from(slots[half] != EMPTY);
            (slots[full] == EMPTY).then_some(line * LINE + full)
        })
    }

    /// Moves the entries of the first `old` lines to their homes in a longer table. Homes move towards the end, and keep their order: from the last line to
    /// the first, each line goes to lines that were emptied before it. Entries for which that fails (few, near both ends of the old table) are inserted
    /// last.
    fn spread(&mut self, old: usize) {
        let mut late = Vec::new();
        for line in (0..old).rev() {
            let start = line * LINE;
            let slots: &mut [u128] = &mut self.slots[start..start + LINE];
            let prints: [u128; LINE] = slots.try_into().expect("a line");
            slots.fill(EMPTY);
            for print in prints.into_iter().take_while(|&print| print != EMPTY) {
                let home = self.home(print);
                match (home >= line).then(|| self.empty_slot_from(home)).flatten() {
                    Some(at) => self.slots[at] = print,
                    None => late.push(print),
                }
            }
        }
        for print in late {
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
        let (mut prints, mut naive) = (Prints::new(true), HashSet::new());
        for print in (0..20_000).map(awkward) {
            prints.prefetch(print);
            assert_eq!(prints.contains(print), naive.contains(&print.max(1)));
            assert_eq!(prints.insert(print), naive.insert(print.max(1)));
            assert!(prints.contains(print));
        }
        let top = u128::from(u64::MAX);
        assert!((1..50).all(|i| prints.insert(i << 64 | top)), "these go round the end of the table");
        assert!(!(1..50).any(|i| prints.insert(i << 64 | top)));
    }

    #[test]
    fn a_table_that_grows_keeps_what_goes_round_its_end() {
        let top = u128::from(u64::MAX);
        let (mut prints, mut known) = (Prints::default(), Vec::new());
        for i in 1..3_000u128 {
            // Some at the end, some at the beginning, some anywhere.
            let print = i << 64 | [top, (i % 3) << 32, i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & top][i as usize % 3];
            assert!(prints.insert(print));
            known.push(print);
            if i.is_power_of_two() || i % 1_000 == 0 {
                prints.grow();
            }
            assert!(i % 100 > 0 || !known.iter().any(|&print| prints.insert(print)));
        }
        assert!(!known.iter().any(|&print| prints.insert(print)));
    }

    #[test]
    fn large_tables_grow_too() {
        let print = |i: u64| u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 32 | u128::from(i) << 96;
        let mut prints = Prints::default();
        assert!((0..700_000).all(|i| prints.insert(print(i))));
        assert!(prints.lines > 4 * PAGE);
        assert!(!(0..700_000).any(|i| prints.insert(print(i))));
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
            assert_eq!(prints.contains_upper(print), naive.contains_key(&print));
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
