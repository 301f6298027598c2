//! A hash map from pairs of ids to small values, optimized for look-ups that touch one cache line.
//!
//! Open addressing with linear probing, at most two thirds full: a compact table stays in the cache. Entries are never removed.

/// The key of an empty slot; no pair of ids has this value.
const EMPTY: u64 = u64::MAX;
const FEWEST: usize = 64;

/// A hash map from pairs of ids to small values.
pub struct Pairs<V> {
    slots: Vec<(u64, V)>,
    len: usize,
    /// The first slot to probe is given by the upper bits of a product, which is shifted right by this number of bits.
    shift: u32,
}

impl<V> Default for Pairs<V> {
    fn default() -> Pairs<V> {
        Pairs { slots: Vec::new(), len: 0, shift: 64 }
    }
}

impl<V: Copy + Default> Pairs<V> {
    /// The value of a pair.
    #[inline(always)]
    pub fn get(&self, a: u32, b: u32) -> Option<&V> {
        if self.slots.is_empty() {
            return None;
        }
        let (key, value) = &self.slots[self.find(word(a, b))];
        (*key != EMPTY).then_some(value)
    }

    /// Inserts the value of a pair that has none yet.
    pub fn insert(&mut self, a: u32, b: u32, value: V) {
        if 2 * self.slots.len() <= 3 * self.len {
            self.grow();
        }
        let at = self.find(word(a, b));
        self.len += usize::from(self.slots[at].0 == EMPTY);
        self.slots[at] = (word(a, b), value);
    }

    /// The slot of a key, or the slot in which it is to be inserted.
    #[inline(always)]
    fn find(&self, key: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize & last;
        while self.slots[at].0 != key && self.slots[at].0 != EMPTY {
            at = (at + 1) & last;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(FEWEST);
        self.shift = 64 - size.trailing_zeros();
        let old = std::mem::replace(&mut self.slots, vec![(EMPTY, V::default()); size]);
        for (key, value) in old.into_iter().filter(|(key, _)| *key != EMPTY) {
            let at = self.find(key);
            self.slots[at] = (key, value);
        }
    }
}

fn word(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_the_standard_map() {
        let (mut pairs, mut naive) = (Pairs::default(), HashMap::new());
        for i in 0..20_000u32 {
            let (a, b) = (i.wrapping_mul(2_654_435_761) % 300, i % 70);
            assert_eq!(pairs.get(a, b), naive.get(&(a, b)));
            pairs.insert(a, b, i);
            naive.insert((a, b), i);
        }
        assert_eq!(pairs.len, naive.len());
        assert!(naive.iter().all(|(&(a, b), value)| pairs.get(a, b) == Some(value)));
        assert_eq!(pairs.get(300, 0), None);
    }
}
