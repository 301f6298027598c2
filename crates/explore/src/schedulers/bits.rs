//! Sets of steps of a schedule.

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// All numbers below `end`.
    pub fn below(end: usize) -> Bits {
        let mut bits = Bits(vec![u64::MAX; end / 64]);
        bits.0.push((1 << (end % 64)) - 1);
        bits
    }

    /// Whether a number is in it.
    pub fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| (word >> (n % 64)) & 1 == 1)
    }

    /// Adds a number.
    pub fn insert(&mut self, n: usize) {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        self.0[n / 64] |= 1 << (n % 64);
    }

    /// Adds all numbers of another set.
    pub fn extend(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_is_in_it_and_nothing_else() {
        for end in [0, 1, 63, 64, 65, 130] {
            let below = Bits::below(end);
            assert!((0..200).all(|n| below.contains(n) == (n < end)), "below {end}");
        }
        let mut bits = Bits::default();
        bits.insert(70);
        bits.extend(&Bits::below(3));
        assert!((0..200).all(|n| bits.contains(n) == (n < 3 || n == 70)));
    }
}
