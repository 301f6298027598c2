//! A small cache of the property keys of states that violate nothing: the parts of states that properties read repeat more often than whole states.
//!
//! It is direct-mapped and lossy: each key has one slot, and a newer key replaces an older one. So it stays in the processor's caches, whatever the
//! size of the state space.

/// Slots: 256 kB.
const PLACES: usize = 1 << 14;

/// Property keys of states that violate nothing.
#[derive(Default)]
pub struct PropertyKeys {
    places: Vec<u128>,
}

impl PropertyKeys {
    /// Whether this key was added and not replaced since.
    #[inline]
    pub fn holds(&self, key: u128) -> bool {
        self.places.get(place(key)) == Some(&known(key))
    }

    /// Adds a key.
    #[inline]
    pub fn add(&mut self, key: u128) {
        self.places.resize(PLACES, 0);
        self.places[place(key)] = known(key);
    }
}

fn place(key: u128) -> usize {
    (key >> 64) as usize % PLACES
}

/// Zero marks an empty slot.
#[inline]
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
