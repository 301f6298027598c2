//! The successors of a chunk, sorted by shard: who inserts into a shard finds them side by side.
//!
//! Sorting is counting: how many there are for each shard, where each shard's begin, and then each goes to the next place of its shard.

use crate::Listed;
use crate::visited::{SHARDS, Seen, shard_of};
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many insertions ahead the visited set is asked to fetch what they need.
pub const AHEAD: usize = 16;

/// The successors of a chunk, sorted by shard.
#[derive(Default)]
pub struct Deal {
    /// Their fingerprints.
    prints: Vec<u128>,
    /// Their places in the listing; after a shard's were inserted, first those of the new ones. (A shard's belong to one worker, but those of other
    /// shards do not.)
    places: Vec<AtomicU32>,
    /// Where each shard's begin.
    starts: [u32; SHARDS + 1],
    /// How many of each shard's are new.
    new: [AtomicU32; SHARDS],
}

impl Deal {
    /// Sorts the successors.
    pub fn sort(&mut self, listed: &[Listed]) {
        if self.prints.len() < listed.len() {
            self.prints.resize(listed.len(), 0);
            self.places.resize_with(listed.len(), AtomicU32::default);
        }
        let mut counts = [0u32; SHARDS];
        listed.iter().for_each(|next| counts[shard_of(next.print, SHARDS)] += 1);
        let mut start = 0;
        let mut ends = counts.map(|count| {
            start += count;
            start - count
        });
        self.starts[..SHARDS].copy_from_slice(&ends);
        self.starts[SHARDS] = start;
        for (next, place) in listed.iter().zip(0..) {
            let end = &mut ends[shard_of(next.print, SHARDS)];
            self.prints[*end as usize] = next.print;
            self.places[*end as usize] = AtomicU32::new(place);
            *end += 1;
        }
    }

    fn range(&self, shard: usize) -> std::ops::Range<usize> {
        self.starts[shard] as usize..self.starts[shard + 1] as usize
    }

    /// Starts to fetch what the first insertions into a shard need.
    pub fn prefetch<S: Clone + Eq + Hash>(&self, shard: usize, seen: &Seen<S>) {
        self.prints[self.range(shard)].iter().take(AHEAD).for_each(|&print| seen.prefetch(print));
    }

    /// Inserts into a shard what belongs there; `built` are the successors themselves, if whole states are wanted.
    pub fn insert<S: Clone + Eq + Hash>(&self, shard: usize, seen: &mut Seen<S>, built: &[S]) {
        let (prints, places) = (&self.prints[self.range(shard)], &self.places[self.range(shard)]);
        let mut new = 0;
        for (at, &print) in prints.iter().enumerate() {
            if let Some(&later) = prints.get(at + AHEAD) {
                seen.prefetch(later);
            }
            let place = places[at].load(Ordering::Relaxed);
            if seen.insert(print, built.get(place as usize)) {
                places[new].store(place, Ordering::Relaxed);
                new += 1;
            }
        }
        self.new[shard].store(new as u32, Ordering::Relaxed);
    }

    /// How many are new.
    pub fn count_new(&self) -> usize {
        self.new.iter().map(|new| new.load(Ordering::Relaxed) as usize).sum()
    }

    /// The places of the new ones, shard after shard.
    pub fn new_places(&self) -> impl Iterator<Item = u32> {
        (0..SHARDS).flat_map(|shard| {
            let new = self.new[shard].load(Ordering::Relaxed) as usize;
            self.places[self.range(shard)][..new].iter().map(|place| place.load(Ordering::Relaxed))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_is_new_is_what_a_set_says() {
        let (mut deal, mut naive) = (Deal::default(), HashSet::new());
        let mut shards: Vec<Seen<()>> = (0..SHARDS).map(|_| Seen::new(false)).collect();
        for chunk in 0..50u128 {
            let print = |i: u128| (i * i % 1_000 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let prints = (0..chunk * 37 % 400).map(|i| print(i + chunk * 11));
            let listed: Vec<Listed> = prints.map(|print| Listed { number: 0, asleep: 0, print }).collect();
            deal.sort(&listed);
            for (shard, seen) in shards.iter_mut().enumerate() {
                deal.prefetch(shard, seen);
                deal.insert(shard, seen, &[]);
            }
            let mut new: Vec<u32> = deal.new_places().collect();
            new.sort_unstable();
            let expected = (0..listed.len() as u32).filter(|&place| naive.insert(listed[place as usize].print));
            assert_eq!(new, expected.collect::<Vec<u32>>());
        }
    }
}
