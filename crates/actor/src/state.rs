//! A global state: a short vector of ids, with its fingerprint.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// The number of ids that are stored inline: enough for seven actors.
const INLINE: usize = 16;

/// A short list of ids with a fixed length. States are cloned often; cloning a list of usual length copies an array and does not allocate.
#[derive(Clone)]
pub(crate) struct Ids {
    len: u32,
    inline: [u32; INLINE],
    long: Option<Box<Long>>,
}

/// A list that is too long for the array.
#[derive(Clone)]
struct Long(Box<[u32]>);

impl From<&[u32]> for Ids {
    fn from(ids: &[u32]) -> Ids {
        let (mut inline, fits) = ([0; INLINE], ids.len() <= INLINE);
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

/// A global state: the local state of each actor, then the inbox of each (one slot for all messages in flight, if some channel is causal),
/// then the environment.
#[derive(Clone)]
pub struct State {
    /// The fingerprint: the sum of the fingerprints of all slots.
    pub(crate) print: u128,
    pub(crate) ids: Ids,
}

impl State {
    /// The ids of the local states, of the inboxes (or of all messages in flight), and of the environment.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    #[inline]
    pub(crate) fn environment(&self) -> u32 {
        self.ids[self.ids.len() - 1]
    }

    /// The slot of an actor's inbox, if no channel is causal.
    #[inline]
    pub(crate) fn inbox_slot(&self, actor: u16) -> usize {
        self.ids.len() / 2 + usize::from(actor)
    }

    /// The inbox of an actor, if no channel is causal.
    #[inline]
    pub(crate) fn inbox(&self, actor: u16) -> u32 {
        self.ids[self.inbox_slot(actor)]
    }

    /// Replaces the id in a slot and updates the fingerprint; `print` returns the fingerprint of an id.
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
