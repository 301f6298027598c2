//! A small cache of the property keys of states that violate nothing: what properties look at repeats more often than whole states do.
//!
//! It forgets: each key has one place, and the last one there is remembered. So it stays in the processor's caches, whatever the size of the
//! state space.

/// Places: 256 kB.
const PLACES: usize = 1 << 14;

/// Property keys of states that violate nothing.
#[derive(Default)]
pub struct PropertyKeys {
    places: Vec<u128>,
}

impl PropertyKeys {
    /// Whether this was added, and not forgotten.
    pub fn holds(&self, key: u128) -> bool {
        self.places.get(place(key)) == Some(&known(key))
    }

    /// Remembers a key.
    pub fn add(&mut self, key: u128) {
        self.places.resize(PLACES, 0);
        self.places[place(key)] = known(key);
    }
}

fn place(key: u128) -> usize {
    (key >> 64) as usize % PLACES
}

/// Zero marks a place that was never used.
fn known(key: u128) -> u128 {
    key.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_remembered_that_was_not_added() {
        let mut keys = PropertyKeys::default();
        assert!(!keys.holds(0) && !keys.holds(7));
        for key in (0..100_000u128).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)) {
            assert!(!keys.holds(key));
            keys.add(key);
            assert!(keys.holds(key));
        }
    }
}
