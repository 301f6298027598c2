//! A cache of the fingerprints that a worker listed recently. In breadth-first order, states that are found together have successors in common; most
//! duplicates occur soon after the first occurrence and need no access to the large visited set.
//!
//! It is direct-mapped and lossy: each fingerprint has one slot, and a newer one replaces an older one. So it stays in the processor's caches.

use crate::Listed;

/// Slots: 128 kB.
const PLACES: usize = 1 << 13;

/// Fingerprints that were listed recently.
#[derive(Default)]
pub struct Recent {
    places: Vec<u128>,
}

impl Recent {
    /// Removes from the list, except from its first `start` entries, the successors that are in the cache; adds the rest to the cache. Each successor has
    /// one of the `actions`.
    #[inline]
    pub fn sift<A>(&mut self, listed: &mut Vec<Listed>, actions: &mut Vec<A>, start: usize) {
        if self.places.is_empty() {
            self.places.resize(PLACES, 0);
        }
        let mut kept = start;
        for at in start..listed.len() {
            let next = listed[at];
            let place = &mut self.places[next.print as usize % PLACES];
            // Zero marks an empty slot: a fingerprint that is zero is always kept in the list.
            if *place != next.print || next.print == 0 {
                *place = next.print;
                listed[kept] = next;
                actions.swap(kept, at);
                kept += 1;
            }
        }
        listed.truncate(kept);
        actions.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn nothing_is_dropped_that_was_not_listed_before() {
        let (mut recent, mut before, mut dropped) = (Recent::default(), HashSet::new(), 0);
        for round in 0..200u128 {
            let print = |i: u128| (i * i % 30_011).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let all: Vec<Listed> =
                (0..100).map(|i| Listed { number: i as u32, asleep: 0, print: print(round * 40 + i) }).collect();
            let mut listed = all.clone();
            let mut actions: Vec<u32> = all.iter().map(|next| next.number).collect();
            recent.sift(&mut listed, &mut actions, 10);
            assert!(listed.iter().map(|next| next.number).eq(actions));
            assert_eq!(listed[..10], all[..10]);
            let mut left = listed[10..].iter().copied().peekable();
            for next in &all[10..] {
                if left.next_if_eq(next).is_none() {
                    assert!(before.contains(&next.print) && next.print != 0);
                    dropped += 1;
                }
                before.insert(next.print);
            }
            assert_eq!(left.next(), None);
        }
        assert!(dropped > 1_000);
    }
}
