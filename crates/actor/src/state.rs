//! A global state: a short vector of ids, and the fingerprint that goes with it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// Room for seven actors without a detour.
const ROOM: usize = 16;

/// A short list of ids whose length never changes. Copying a list of the usual length is copying an array: that happens once for each state.
#[derive(Clone)]
pub(crate) struct Ids {
    len: u32,
    inline: [u32; ROOM],
    long: Option<Box<Long>>,
}

/// A list that is too long for the array.
#[derive(Clone)]
struct Long(Box<[u32]>);

impl From<&[u32]> for Ids {
    fn from(ids: &[u32]) -> Ids {
        let (mut inline, fits) = ([0; ROOM], ids.len() <= ROOM);
        if fits {
            inline[..ids.len()].copy_from_slice(ids);
        }
        Ids { len: ids.len() as u32, inline, long: (!fits).then(|| Box::new(Long(ids.into()))) }
    }
}

impl Deref for Ids {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        match &self.long {
            None => &self.inline[..self.len as usize],
            Some(long) => &long.0,
        }
    }
}

impl DerefMut for Ids {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        match &mut self.long {
            None => &mut self.inline[..self.len as usize],
            Some(long) => &mut long.0,
        }
    }
}

/// A global state: the local situation of each actor, then the inbox of each (or all that is on its way in one slot, where channels are causal),
/// then the weather.
#[derive(Clone)]
pub struct State {
    /// The sum of the prints of all slots.
    pub(crate) print: u128,
    pub(crate) ids: Ids,
}

impl State {
    /// Local situations, inboxes or what is on its way, the weather.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    #[inline]
    pub(crate) fn weather(&self) -> u32 {
        self.ids[self.ids.len() - 1]
    }

    /// Where the inbox of an actor is, where channels are not causal.
    #[inline]
    pub(crate) fn inbox_slot(&self, actor: u16) -> usize {
        self.ids.len() / 2 + usize::from(actor)
    }

    /// The inbox of an actor, where channels are not causal.
    #[inline]
    pub(crate) fn inbox(&self, actor: u16) -> u32 {
        self.ids[self.inbox_slot(actor)]
    }

    /// Puts another id into a slot; `print` says what ids stand for.
    pub(crate) fn set(&mut self, slot: usize, id: u32, print: impl Fn(u32) -> u128) {
        let old = std::mem::replace(&mut self.ids[slot], id);
        self.print = self.print.wrapping_add(print(id)).wrapping_sub(print(old));
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.print == other.print && *self.ids == *other.ids
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
        write!(f, "{:?}", &*self.ids)
    }
}
