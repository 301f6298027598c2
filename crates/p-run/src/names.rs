//! Stable names of machine instances: the creating machine, and a number among its creations.
//!
//! The order in which different machines create others is not part of a name, so it does not keep states apart. The number is the least one that is
//! free: a machine that has halted and that nothing refers to any more gives its name back (see `world`). So the counters of machines that create
//! and forget others again and again stay bounded.

use manyworlds_core::Pid;
use manyworlds_explore::fingerprint;
use manyworlds_p_ir::{InterfaceId, MachineId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The name of an instance: an index into [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NameId(pub u32);

/// A name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    /// The machine that created it; the main machine and specs have none.
    pub creator: Option<NameId>,
    /// The number among the creations of that machine; specs are numbered from 1.
    pub nth: u32,
    /// The interface through which it was created; specs have none.
    pub interface: Option<InterfaceId>,
    /// The declaration.
    pub machine: MachineId,
}

/// The names that occurred so far.
#[derive(Default)]
pub struct Names {
    names: Vec<Name>,
    pids: Vec<Pid>,
    paths: Vec<Box<[(u32, u32)]>>,
    prints: Vec<u128>,
    ids: FxHashMap<Name, NameId>,
}

impl Names {
    /// The id of a name.
    pub fn intern(&mut self, name: Name) -> NameId {
        if let Some(&id) = self.ids.get(&name) {
            return id;
        }
        let kind = name.interface.map_or(0, |interface| interface.0 + 1);
        let (mut path, pid, above) = match name.creator {
            Some(creator) => {
                let at = creator.0 as usize;
                (self.paths[at].to_vec(), self.pids[at].child(name.nth), self.prints[at])
            }
            None => (Vec::new(), Pid::root(name.nth.min(u32::from(u16::MAX)) as u16), 0),
        };
        path.push((name.nth, kind));
        let id = NameId(u32::try_from(self.names.len()).expect("fewer than 2^32 names"));
        self.prints.push(fingerprint::of(&("name", above, name.nth, kind, name.machine.0)));
        self.paths.push(path.into());
        self.pids.push(pid);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    /// The id of a name, if it has one.
    pub fn find(&self, name: &Name) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    /// The name with this id.
    pub fn get(&self, id: NameId) -> &Name {
        &self.names[id.0 as usize]
    }

    /// The process id under which traces show it.
    pub fn pid(&self, id: NameId) -> Pid {
        self.pids[id.0 as usize]
    }

    /// The fingerprint.
    pub fn print(&self, id: NameId) -> u128 {
        self.prints[id.0 as usize]
    }

    /// The order of names, which is the same in every run: creators before their creations, and those in the order of their numbers.
    pub fn compare(&self, a: NameId, b: NameId) -> Ordering {
        if a == b { Ordering::Equal } else { self.paths[a.0 as usize].cmp(&self.paths[b.0 as usize]) }
    }

    /// The numbers from the main machine on, each with the interface: what the order of names compares.
    pub fn numbers(&self, id: NameId) -> impl Iterator<Item = u32> + '_ {
        self.paths[id.0 as usize].iter().flat_map(|&(nth, kind)| [nth, kind])
    }

    /// The numbers from the main machine on: `0.2.1`.
    pub fn path(&self, id: NameId) -> String {
        let numbers: Vec<String> = self.paths[id.0 as usize].iter().map(|(nth, _)| nth.to_string()).collect();
        numbers.join(".")
    }
}
