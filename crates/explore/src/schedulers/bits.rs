//! Sets of steps of a schedule.

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether a number is in it.
    pub fn contains(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| (word >> (n % 64)) & 1 == 1)
    }

    /// Whether some number is in both.
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(word, more)| word & more != 0)
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
        let of = |numbers: &[usize]| {
            let mut bits = Bits::default();
            numbers.iter().for_each(|&n| bits.insert(n));
            bits
        };
        let sets: [&[usize]; 5] = [&[], &[0], &[63, 64], &[70, 3], &[130]];
        for one in sets {
            for other in sets {
                let mut both = of(one);
                both.extend(&of(other));
                assert!((0..200).all(|n| both.contains(n) == (one.contains(&n) || other.contains(&n))));
                assert_eq!(of(one).meets(&of(other)), one.iter().any(|n| other.contains(n)), "{one:?} and {other:?}");
            }
        }
    }
}
