//! Identical actors: what a renaming is.

use manyworlds_core::Pid;

/// A new name for every actor.
pub struct Renaming {
    /// Actor `n` becomes actor `to[n]`.
    pub(crate) to: Vec<u16>,
}

impl Renaming {
    /// The new name of an actor.
    pub fn rename(&self, actor: Pid) -> Pid {
        (0..self.to.len()).find(|&n| Pid::root(n as u16) == actor).map_or(actor, |n| Pid::root(self.to[n]))
    }
}
