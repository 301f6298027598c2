//! Global states and global steps.
//!
//! A state is a vector of ids: the failure, the specs in the order of attachment, then for each machine, in the order of names, its local state and its
//! inbox. A step replaces a few ids. The fingerprint of a state is the sum of the fingerprints of its slots, each of which covers the owner, so equal
//! contents of different slots do not cancel out.
//!
//! A step of a machine: what it was left for happens (its message is put into the inbox, the machine is created, a message is taken out of its own inbox),
//! then the local transition, and then the specs observe what was sent and announced, in order. A failure of a spec comes before a failure of the
//! machine, because the machine got there only after the observation.
//!
//! **Halted machines.** One that nothing refers to any more, neither a local state nor a message nor a spec, is removed, and its name is free again: the
//! next machine that its creator creates takes the least number that is free. This is sound because a name is visible to a program only by comparisons
//! with references, and there are none; by the order of sets and maps of references, which the language leaves open; and by `format`, of which
//! the scope says that names are stable and not numbered by creation. So a state with a removed machine, and one in which it never existed, have the same
//! futures up to the names of later machines.
//!
//! **Ignored messages** in front of the first message that can be taken are removed as soon as their machine waits for an event: the scan of its inbox would
//! remove them before anything else happens to it.

use crate::interner::NONE;
use crate::local::{Local, Status};
use crate::names::{Name, NameId};
use crate::table::{Access, Branch, Inbox, InputKey, Kind, LocalEntry};
use crate::value::Val;
use manyworlds_p_ir::InterfaceId;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A global state.
#[derive(Clone, Debug)]
pub struct World {
    /// The fingerprint.
    pub print: u128,
    /// The ids.
    pub ids: Box<[u32]>,
}

impl PartialEq for World {
    fn eq(&self, other: &World) -> bool {
        self.print == other.print && self.ids == other.ids
    }
}

impl Eq for World {}

impl Hash for World {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

/// A step: which machine is continued, and which of its branches it takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// The machine.
    pub machine: NameId,
    /// The number of the branch.
    pub branch: u32,
}

/// What a machine is continued with, and its inbox after that.
#[derive(Clone, Copy, Debug)]
pub struct Prepared {
    /// The input; for a machine that creates another one, the name is filled in later.
    pub input: InputKey,
    /// The inbox without the message that is taken.
    pub inbox: u32,
}

/// A step, and what happened in it besides.
#[derive(Clone, Debug, Default)]
pub struct Happened {
    /// Specs that entered a cold state, by their number.
    pub cold: Vec<usize>,
    /// The machine that was created.
    pub created: Option<NameId>,
}

/// Steps of global states with a number of specs.
pub struct Steps<'a> {
    /// The table.
    pub access: Access<'a>,
    /// The number of specs.
    pub specs: usize,
    /// No inbox gets more messages than this.
    pub max_inbox: Option<usize>,
    /// Whether a message was not delivered because of that.
    pub cut: bool,
}

impl Steps<'_> {
    /// Where the machines begin.
    pub fn first(&self) -> usize {
        1 + self.specs
    }

    /// The slots of the machines.
    pub fn slots(&self, ids: &[u32]) -> impl Iterator<Item = usize> + use<> {
        (self.first()..ids.len()).step_by(2)
    }

    /// The fingerprint of a state.
    pub fn print(&mut self, ids: &[u32]) -> u128 {
        let mut sum = self.access.failure_print(ids[0]);
        for &spec in &ids[1..self.first()] {
            sum = sum.wrapping_add(self.access.local(spec).print);
        }
        for slot in self.slots(ids) {
            sum = sum.wrapping_add(self.access.local(ids[slot]).print);
            sum = sum.wrapping_add(self.access.inbox(ids[slot + 1]).print);
        }
        sum
    }

    /// The initial state: the specs have started, the main machine exists.
    pub fn initial(&mut self) -> World {
        let code = self.access.table.code.clone();
        let mut ids = vec![NONE];
        {
            let mut entries = self.access.table.lock();
            for (n, attached) in code.test.specs.iter().enumerate() {
                let name = Name { creator: None, nth: n as u32 + 1, interface: None, machine: attached.spec };
                let name = entries.values.names.intern(name);
                let state = code.program.machine(attached.spec).start;
                ids.push(entries.local(Local { name, state, fields: Box::default(), status: Status::New(Val::NULL) }));
            }
            let machine = code.test.machine(code.test.main).expect("the validator has looked for the main machine");
            let name = Name { creator: None, nth: 0, interface: Some(code.test.main), machine };
            let name = entries.values.names.intern(name);
            let state = code.program.machine(machine).start;
            ids.push(entries.local(Local { name, state, fields: Box::default(), status: Status::New(Val::NULL) }));
            ids.push(entries.inbox(Inbox { owner: name, items: Box::default() }));
        }
        for slot in 1..self.first() {
            let step = self.access.spec_step(ids[slot], NONE);
            ids[slot] = step.next;
            if step.failure != NONE {
                ids[0] = step.failure;
                break;
            }
        }
        World { print: self.print(&ids), ids: ids.into() }
    }

    /// What the machine in a slot would be continued with; `None` if it cannot run.
    pub fn prepare(&mut self, ids: &[u32], slot: usize) -> Option<Prepared> {
        let (inbox, entry) = (ids[slot + 1], self.access.local(ids[slot]));
        let (kind, takes) = (entry.kind, entry.takes);
        let plain = |input| Some(Prepared { input, inbox });
        match kind {
            Kind::New => plain(InputKey::Start),
            Kind::Null | Kind::Send(..) | Kind::Choice => plain(InputKey::Continue),
            Kind::Create(_) => plain(InputKey::Created(NameId(NONE))),
            Kind::Halted => None,
            Kind::Ready(_) | Kind::Receive => match self.access.take(takes, inbox) {
                Some((message, inbox)) => Some(Prepared { input: InputKey::Message(message), inbox }),
                None if kind == Kind::Ready(true) => plain(InputKey::NoEvent),
                None => None,
            },
        }
    }

    /// The slot of the machine that makes a choice: no other machine can run.
    fn choosing(&mut self, ids: &[u32]) -> Option<usize> {
        self.slots(ids).find(|&slot| self.access.local(ids[slot]).kind == Kind::Choice)
    }

    /// The slots of the machines that can run.
    pub fn enabled(&mut self, ids: &[u32]) -> Vec<usize> {
        if ids[0] != NONE {
            return Vec::new();
        }
        match self.choosing(ids) {
            Some(slot) => vec![slot],
            None => self.slots(ids).filter(|&slot| self.prepare(ids, slot).is_some()).collect(),
        }
    }

    /// Whether no machine can run.
    pub fn at_rest(&mut self, ids: &[u32]) -> bool {
        ids[0] != NONE || !self.slots(ids).any(|slot| self.prepare(ids, slot).is_some())
    }

    /// The slot of a machine.
    pub fn slot(&mut self, ids: &[u32], name: NameId) -> Option<usize> {
        self.slots(ids).find(|&slot| self.access.local(ids[slot]).local.name == name)
    }

    /// The input and the branches of the machine in a slot.
    pub fn branches(&mut self, ids: &[u32], slot: usize) -> Option<(Prepared, Arc<[Branch]>)> {
        let mut prepared = self.prepare(ids, slot)?;
        if let InputKey::Created(_) = prepared.input {
            prepared.input = InputKey::Created(self.new_name(ids, slot));
        }
        Some((prepared, self.access.steps(ids[slot], prepared.input)))
    }

    /// All steps of a state.
    pub fn actions(&mut self, world: &World, out: &mut Vec<Action>) {
        for slot in self.enabled(&world.ids) {
            let machine = self.access.local(world.ids[slot]).local.name;
            let Some((_, branches)) = self.branches(&world.ids, slot) else { continue };
            out.extend((0..branches.len() as u32).map(|branch| Action { machine, branch }));
        }
    }

    fn created_interface(&mut self, local: u32) -> InterfaceId {
        match self.access.local(local).kind {
            Kind::Create(interface) => interface,
            _ => unreachable!("the machine creates another one"),
        }
    }

    /// The name of the machine that the one in a slot creates.
    fn new_name(&mut self, ids: &[u32], slot: usize) -> NameId {
        let creator = self.access.local(ids[slot]).local.name;
        let interface = self.created_interface(ids[slot]);
        let mut used: Vec<u32> = Vec::new();
        for slot in self.slots(ids) {
            let (by, nth) = self.access.local(ids[slot]).created;
            used.extend((by == Some(creator)).then_some(nth));
        }
        used.sort_unstable();
        let nth = used.iter().zip(0..).find(|&(&used, n)| used != n).map_or(used.len() as u32, |(_, n)| n);
        let table = self.access.table;
        let machine = table.code.test.machine(interface).expect("the interpreter has looked for the machine");
        let name = Name { creator: Some(creator), nth, interface: Some(interface), machine };
        table.lock().values.names.intern(name)
    }

    /// Adds the machine that the one in a slot creates.
    fn create(&mut self, ids: &mut Vec<u32>, slot: usize, name: NameId) {
        let table = self.access.table;
        let payload = match &self.access.local(ids[slot]).local.status {
            Status::Left(crate::local::Wait::New { payload, .. }, _) => *payload,
            _ => unreachable!("the machine creates another one"),
        };
        let (local, inbox) = {
            let mut entries = table.lock();
            let machine = entries.values.names.get(name).machine;
            let state = table.code.program.machine(machine).start;
            let local = Local { name, state, fields: Box::default(), status: Status::New(payload) };
            (entries.local(local), entries.inbox(Inbox { owner: name, items: Box::default() }))
        };
        let path = self.access.local(local).path.clone();
        let at = self.slots(ids).find(|&slot| self.access.local(ids[slot]).path > path).unwrap_or(ids.len());
        ids.splice(at..at, [local, inbox]);
    }

    /// Removes ignored messages from the inbox of a machine that waits for an event.
    fn tidy(&mut self, ids: &mut [u32], slot: usize) {
        let entry = self.access.local(ids[slot]);
        if let (Kind::Ready(_), takes) = (entry.kind, entry.takes) {
            ids[slot + 1] = self.access.tidy(takes, ids[slot + 1]);
        }
    }

    /// The state after a step; `None` if the step is not possible.
    pub fn perform(&mut self, world: &World, action: Action, happened: &mut Happened) -> Option<World> {
        let slot = self.slot(&world.ids, action.machine)?;
        if self.choosing(&world.ids).is_some_and(|choosing| choosing != slot) || world.ids[0] != NONE {
            return None;
        }
        let (prepared, branches) = self.branches(&world.ids, slot)?;
        let branch = branches.get(action.branch as usize)?;
        if self.is_full(&world.ids, slot) {
            self.cut = true;
            return None;
        }
        let mut ids = world.ids.to_vec();
        ids[slot + 1] = prepared.inbox;
        let mut slot = slot;
        match (self.access.local(ids[slot]).kind, prepared.input) {
            (Kind::Send(target, message), _) => self.deliver(&mut ids, target, message),
            (Kind::Create(_), InputKey::Created(name)) => {
                self.create(&mut ids, slot, name);
                happened.created = Some(name);
                slot = self.slot(&ids, action.machine)?;
            }
            _ => {}
        }
        ids[slot] = branch.next;
        self.settle(&mut ids, slot);
        self.observe(&mut ids, slot, branch, happened);
        self.collect(&mut ids);
        Some(World { print: self.print(&ids), ids: ids.into() })
    }

    /// Whether the machine in a slot sends to an inbox that may get no more messages.
    fn is_full(&mut self, ids: &[u32], slot: usize) -> bool {
        let (Some(most), Kind::Send(target, _)) = (self.max_inbox, self.access.local(ids[slot]).kind) else {
            return false;
        };
        let to = self.slot(ids, target);
        to.is_some_and(|to| self.access.inbox(ids[to + 1]).inbox.items.len() >= most)
    }

    /// Puts a message into the inbox of a machine, unless that has halted.
    fn deliver(&mut self, ids: &mut [u32], target: NameId, message: u32) {
        let Some(to) = self.slot(ids, target) else { return };
        if self.access.local(ids[to]).kind != Kind::Halted {
            ids[to + 1] = self.access.push(ids[to + 1], message);
            self.tidy(ids, to);
        }
    }

    /// The inbox of a machine after its step.
    fn settle(&mut self, ids: &mut [u32], slot: usize) {
        if self.access.local(ids[slot]).kind == Kind::Halted {
            let owner = self.access.local(ids[slot]).local.name;
            ids[slot + 1] = self.access.table.lock().inbox(Inbox { owner, items: Box::default() });
        } else {
            self.tidy(ids, slot);
        }
    }

    /// The specs observe what the machine in a slot sent and announced.
    fn observe(&mut self, ids: &mut [u32], slot: usize, branch: &Branch, happened: &mut Happened) {
        let code = self.access.table.code.clone();
        let interface = self.access.local(ids[slot]).interface;
        for (message, observed) in &branch.observed {
            let Some(interface) = interface else { break };
            for spec in code.observers(interface, observed.message.event) {
                let step = self.access.spec_step(ids[1 + spec], *message);
                ids[1 + spec] = step.next;
                if step.cold {
                    happened.cold.push(spec);
                }
                if step.failure != NONE {
                    ids[0] = step.failure;
                    return;
                }
            }
        }
        ids[0] = branch.failure;
    }

    /// Removes halted machines that nothing refers to.
    fn collect(&mut self, ids: &mut Vec<u32>) {
        let halted: Vec<usize> =
            self.slots(ids).filter(|&slot| self.access.local(ids[slot]).kind == Kind::Halted).collect();
        if halted.is_empty() {
            return;
        }
        let mut mentioned: Vec<NameId> = Vec::new();
        for &spec in &ids[1..self.first()] {
            mentioned.extend_from_slice(&self.access.local(spec).mentions);
        }
        for slot in self.slots(ids) {
            mentioned.extend_from_slice(&self.access.local(ids[slot]).mentions);
            mentioned.extend_from_slice(&self.access.inbox(ids[slot + 1]).mentions);
        }
        for slot in halted.into_iter().rev() {
            let name = self.access.local(ids[slot]).local.name;
            if !mentioned.contains(&name) {
                ids.drain(slot..slot + 2);
            }
        }
    }

    /// The entry of the machine in a slot.
    pub fn entry(&mut self, ids: &[u32], slot: usize) -> Arc<LocalEntry> {
        self.access.local(ids[slot]).clone()
    }
}
