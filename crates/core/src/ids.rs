//! Small integer ids for all objects of the engines.
//!
//! `NodeId`, `ValueId` and `ProcId` are dense, private to one [`Locals`](crate::Locals) and never leave it;
//! [`Pid`] is the name of a process everywhere else: the same process has the same `Pid` in every
//! execution, in every worker and on every machine.

use crate::random::mix;
use std::fmt;

/// A local state of a process: a node of the trie of observed histories, or an interned actor state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// An interned message or result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

/// A process, numbered densely in the order in which one `Locals` first saw it. Not stable between workers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProcId(pub u32);

/// The stable identity of a process: *(parent, n-th spawn of that parent)*, folded into 64 bits.
///
/// Up to four levels below a root the path itself is stored, sixteen bits a level, so the order of `Pid`s is
/// "parents before children, siblings in spawn order". Deeper or wider trees fall back to a hash of the path
/// with the top bit set; the front end refuses a run in which two paths collide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pid(u64);

const LEVEL_BITS: u32 = 16;
const HASHED: u64 = 1 << 63;
/// The widest sibling number the path form can hold; the first level keeps one bit for `HASHED`.
const MAX_STEP: u64 = (1 << 15) - 2;

impl Pid {
    /// The main process of a program.
    pub const ROOT: Pid = Pid::root(0);

    /// The `n`-th process that exists before the first step (0 is the main process, monitors follow).
    pub const fn root(n: u16) -> Pid {
        match n as u64 {
            n if n < MAX_STEP => Pid((n + 1) << (3 * LEVEL_BITS)),
            // Not one of the hashed children's: their upper bits are mixed, these are not.
            n => Pid(HASHED | (n + 1)),
        }
    }

    /// The `nth` process (from 0) spawned by this one.
    pub fn child(self, nth: u32) -> Pid {
        match self.free_level() {
            Some(shift) if u64::from(nth) < MAX_STEP => Pid(self.0 | ((u64::from(nth) + 1) << shift)),
            _ => self.hashed_child(nth),
        }
    }

    /// The 64 bits, for hashing and for files.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// The inverse of [`Pid::to_bits`].
    pub fn from_bits(bits: u64) -> Pid {
        Pid(bits)
    }

    fn free_level(self) -> Option<u32> {
        if self.0 & HASHED != 0 {
            return None;
        }
        (0..3).rev().map(|level| level * LEVEL_BITS).find(|shift| (self.0 >> shift) & 0xffff == 0)
    }

    fn hashed_child(self, nth: u32) -> Pid {
        // Well mixed, and the same on every machine.
        Pid(mix(self.0 ^ (u64::from(nth) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | HASHED)
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 & HASHED != 0 {
            return write!(f, "#{:x}", self.0 & !HASHED);
        }
        write!(f, "{}", (self.0 >> (3 * LEVEL_BITS)) - 1)?;
        for level in (0..3).rev() {
            match (self.0 >> (level * LEVEL_BITS)) & 0xffff {
                0 => break,
                n => write!(f, ".{}", n - 1)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_stable_ordered_and_readable() {
        let a = Pid::ROOT.child(0);
        let b = Pid::ROOT.child(1);
        assert_eq!(format!("{a} {b} {:?}", a.child(4).child(2)), "0.0 0.1 p0.0.4.2");
        assert!(Pid::ROOT < a && a < a.child(7) && a.child(7) < b && b < Pid::root(1));
    }

    #[test]
    fn every_root_has_a_name_of_its_own() {
        let roots: std::collections::HashSet<Pid> = (0..=u16::MAX).map(Pid::root).collect();
        assert_eq!(roots.len(), 1 << 16);
    }

    #[test]
    fn deep_and_wide_trees_stay_distinct() {
        let mut seen = std::collections::HashSet::new();
        let mut pid = Pid::ROOT;
        for _ in 0..50 {
            for nth in [0, 1, 2, 40_000, 70_000] {
                assert!(seen.insert(pid.child(nth)), "{pid:?} {nth}");
            }
            pid = pid.child(0);
        }
    }
}
