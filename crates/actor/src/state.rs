//! A global state: a short vector of ids, and the fingerprint that goes with it.

use smallvec::SmallVec;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Room for eleven actors without a detour.
type Ids = SmallVec<[u32; 12]>;

/// A global state. Slot `n` is the situation of actor `n`; then comes all that is on its way, where channels are causal; then the weather.
pub struct State {
    /// The sum of the prints of all slots.
    pub(crate) print: u128,
    pub(crate) ids: Ids,
}

impl State {
    /// A situation for each actor, what is on its way if that is kept apart, the weather.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn weather(&self) -> u32 {
        self.ids[self.ids.len() - 1]
    }

    /// Puts another id into a slot; `print` says what ids stand for.
    pub(crate) fn set(&mut self, slot: usize, id: u32, print: impl Fn(u32) -> u128) {
        let old = std::mem::replace(&mut self.ids[slot], id);
        self.print = self.print.wrapping_add(print(id)).wrapping_sub(print(old));
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        // The derived one would go id by id.
        State { print: self.print, ids: SmallVec::from_slice(&self.ids) }
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.print == other.print && self.ids == other.ids
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.ids.as_slice())
    }
}
