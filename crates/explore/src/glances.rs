//! A small memory of what states without fault look like: what properties look at repeats more often than whole states do.
//!
//! It forgets: each glance has one place, and the last one there is remembered. So it stays in the processor's caches, whatever the size of the
//! state space.

/// Places: 256 kB.
const PLACES: usize = 1 << 14;

/// Glances at states without fault.
#[derive(Default)]
pub struct Glances {
    places: Vec<u128>,
}

impl Glances {
    /// Whether this was added, and not forgotten.
    pub fn holds(&self, glance: u128) -> bool {
        self.places.get(place(glance)) == Some(&known(glance))
    }

    /// Remembers a glance.
    pub fn add(&mut self, glance: u128) {
        self.places.resize(PLACES, 0);
        self.places[place(glance)] = known(glance);
    }
}

fn place(glance: u128) -> usize {
    (glance >> 64) as usize % PLACES
}

/// Zero marks a place that was never used.
fn known(glance: u128) -> u128 {
    glance.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_remembered_that_was_not_added() {
        let mut glances = Glances::default();
        assert!(!glances.holds(0) && !glances.holds(7));
        for glance in (0..100_000u128).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)) {
            assert!(!glances.holds(glance));
            glances.add(glance);
            assert!(glances.holds(glance));
        }
    }
}
