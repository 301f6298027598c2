//! The successors of a chunk, sorted by shard, so that those of one shard are contiguous.
//!
//! This is a counting sort: count the successors of each shard, compute where each shard begins, and put each at the next position of its shard.

use crate::Listed;
use crate::visited::{MOST_SHARDS, Seen, shard_of};
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many insertions ahead memory is prefetched.
pub const AHEAD: usize = 16;

/// The successors of a chunk. The *place* of one is that in the order in which they were listed, its *position* that among the sorted.
#[derive(Default)]
pub struct Sorted {
    /// Fingerprints, by position.
    prints: Vec<u128>,
    /// Places, by position.
    places: Vec<u32>,
    /// Numbers of actions, by place.
    numbers: Vec<u32>,
    /// Sleep sets, by place, if there are any.
    asleep: Vec<u64>,
    /// The position at which each shard begins, and where the last one ends.
    starts: Vec<u32>,
    /// Which are new, a bit for each position; every shard begins with a word of its own, because it belongs to one worker.
    new: Vec<AtomicU64>,
}

impl Sorted {
    /// Sorts the successors by so many shards. `sleeps`: they have sleep sets.
    pub fn sort(&mut self, listed: &[Listed], shards: usize, sleeps: bool) {
        self.resize(listed.len(), shards);
        let mut ends = [0u32; MOST_SHARDS];
        listed.iter().for_each(|next| ends[shard_of(next.print, shards)] += 1);
        let mut start = 0;
        self.starts.clear();
        for end in &mut ends[..shards] {
            self.starts.push(start);
            start += std::mem::replace(end, start);
        }
        self.starts.push(start);
        for (next, place) in listed.iter().zip(0..) {
            let end = &mut ends[shard_of(next.print, shards)];
            self.prints[*end as usize] = next.print;
            self.places[*end as usize] = place;
            *end += 1;
        }
        self.numbers.clear();
        self.numbers.extend(listed.iter().map(|next| next.number));
        self.asleep.clear();
        self.asleep.extend(listed.iter().filter(|_| sleeps).map(|next| next.asleep));
    }

    /// Resizes the lists for so many.
    fn resize(&mut self, len: usize, shards: usize) {
        if self.prints.len() < len {
            self.prints.resize(len, 0);
            self.places.resize(len, 0);
        }
        let words = len / 64 + shards;
        if self.new.len() < words {
            self.new.resize_with(words, AtomicU64::default);
        }
    }

    /// The positions of a shard.
    #[inline]
    fn range(&self, shard: usize) -> Range<usize> {
        self.starts[shard] as usize..self.starts[shard + 1] as usize
    }

    /// The words that say which of them are new.
    #[inline]
    fn words(&self, shard: usize) -> &[AtomicU64] {
        let Range { start, end } = self.range(shard);
        &self.new[start / 64 + shard..][..(end - start).div_ceil(64)]
    }

    /// Prefetches the memory for the first insertions into a shard.
    #[inline]
    pub fn prefetch<S: Clone + Eq + Hash>(&self, shard: usize, seen: &Seen<S>) {
        self.prints[self.range(shard)].iter().take(AHEAD).for_each(|&print| seen.prefetch(print));
    }

    /// Inserts the successors of a shard; `built` are the successors themselves, if whole states are kept.
    #[inline]
    pub fn insert<S: Clone + Eq + Hash>(&self, shard: usize, seen: &mut Seen<S>, built: &[S]) {
        let (prints, places) = (&self.prints[self.range(shard)], &self.places[self.range(shard)]);
        for (word, start) in self.words(shard).iter().zip((0..).step_by(64)) {
            let mut bits = 0;
            for at in start..prints.len().min(start + 64) {
                if let Some(&later) = prints.get(at + AHEAD) {
                    seen.prefetch(later);
                }
                let new = seen.insert(prints[at], built.get(places[at] as usize));
                bits |= u64::from(new) << (at % 64);
            }
            word.store(bits, Ordering::Relaxed);
        }
    }

    /// Puts the new ones into the order in which they were listed.
    pub fn order(&self, order: &mut Order) {
        order.bits.resize(self.numbers.len().div_ceil(64), 0);
        if order.positions.len() < self.numbers.len() {
            order.positions.resize(self.numbers.len(), 0);
        }
        for shard in 0..self.starts.len() - 1 {
            for (word, start) in self.words(shard).iter().zip((self.starts[shard]..).step_by(64)) {
                for bit in ones(word.load(Ordering::Relaxed)) {
                    let place = self.places[(start + bit) as usize];
                    order.bits[place as usize / 64] |= 1 << (place % 64);
                    order.positions[place as usize] = start + bit;
                }
            }
        }
    }

    /// A successor by its place, if it is in this order.
    #[inline(always)]
    pub fn listed(&self, place: usize, order: &Order) -> Listed {
        let print = self.prints[order.positions[place] as usize];
        Listed { number: self.numbers[place], asleep: self.asleep.get(place).copied().unwrap_or(0), print }
    }
}

/// New successors in the order in which they were listed.
#[derive(Default)]
pub struct Order {
    /// A bit for each place.
    bits: Vec<u64>,
    /// The position at each place that has its bit set.
    positions: Vec<u32>,
}

impl Order {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Their places.
    pub fn places(&self) -> impl Iterator<Item = usize> {
        self.bits
            .iter()
            .zip((0..).step_by(64))
            .flat_map(|(&bits, start)| ones(bits).map(move |bit| start + bit as usize))
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.bits.clear();
    }
}

/// The bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_is_new_is_what_a_set_says() {
        let (mut sorted, mut order, mut naive) = (Sorted::default(), Order::default(), HashSet::new());
        let mut shards: Vec<Seen<()>> = (0..16).map(|_| Seen::new(false, false)).collect();
        for chunk in 0..50u128 {
            let print = |i: u128| (i * i % 1_000 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let prints = (0..chunk * 37 % 1_400).map(|i| print(i + chunk * 11));
            let sleeps = chunk % 3 > 0;
            let listed =
                |(print, number): (u128, u32)| Listed { number, asleep: u64::from(number * u32::from(sleeps)), print };
            let listed: Vec<Listed> = prints.zip(7..).map(listed).collect();
            sorted.sort(&listed, shards.len(), sleeps);
            for (shard, seen) in shards.iter_mut().enumerate() {
                sorted.prefetch(shard, seen);
                sorted.insert(shard, seen, &[]);
            }
            order.clear();
            sorted.order(&mut order);
            let new: Vec<Listed> = order.places().map(|place| sorted.listed(place, &order)).collect();
            let expected = listed.iter().filter(|next| naive.insert(next.print)).copied();
            assert_eq!(new, expected.collect::<Vec<Listed>>());
            assert_eq!(order.len(), new.len());
        }
    }
}
