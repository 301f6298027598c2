//! p2p-eager (Must §6.2), for comparison only: executions are distinguished by the order in which messages *arrive* at a process, even messages
//! that are not read.
//!
//! Every process gets a relay: a daemon that receives all p2p messages to the process in any order that p2p allows and forwards them one by one.
//! The engine is unchanged: the arrival order is the order in which the relay reads. This module is an adapter from `Locals` to `Locals`.
//!
//! Ids: inner process `p` is `2p` and its relay `2p + 1`; inner node `n` is `2n`, nodes of relays are odd.

use manyworlds_core::{
    Action, Cursor, Detail, Failure, LocalStats, Locals, Network, NodeId, Obs, Pid, ProcId, ProcessRole, Root,
    StepInfo, TraceMessage, ValueId,
};
use rustc_hash::FxHashMap;

/// The spawn index of a relay: greater than that of any process that the program spawns.
const RELAY: u32 = 0x7000;

/// The state of a relay: the process it belongs to, and the message to forward, if any.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Relay {
    of: ProcId,
    held: Option<ValueId>,
}

/// `Locals` with relays.
pub struct Eager<L> {
    inner: L,
    states: Vec<Relay>,
    numbers: FxHashMap<Relay, u32>,
    relays: FxHashMap<Pid, ProcId>,
}

impl<L: Locals> Eager<L> {
    /// Adds relays to `inner`.
    pub fn new(inner: L) -> Eager<L> {
        Eager { inner, states: Vec::new(), numbers: FxHashMap::default(), relays: FxHashMap::default() }
    }

    fn relay_node(&mut self, relay: Relay) -> NodeId {
        let states = &mut self.states;
        let number = *self.numbers.entry(relay).or_insert_with(|| {
            states.push(relay);
            states.len() as u32 - 1
        });
        NodeId(2 * number + 1)
    }

    fn add_relay(&mut self, of: ProcId) -> (ProcId, NodeId) {
        let relay = ProcId(2 * of.0 + 1);
        self.relays.insert(self.inner.pid(of).child(RELAY), relay);
        (relay, self.relay_node(Relay { of, held: None }))
    }

    /// The inner cursor for an outer one, and whether the outer one is at the spawn of a relay. An inner spawn is two outer ones.
    fn inner_cursor(&self, at: Cursor) -> (Cursor, bool) {
        let node = NodeId(at.node.0 / 2);
        let (mut inner, mut outer) = (0, 0);
        loop {
            let cursor = Cursor { node, off: inner };
            let width = match self.inner.action(cursor) {
                Action::Spawn { .. } => 2,
                Action::Send { .. } => 1,
                _ => return (cursor, false),
            };
            if at.off < outer + width {
                return (cursor, width == 2 && at.off == outer);
            }
            (inner, outer) = (inner + 1, outer + width);
        }
    }
}

impl<L: Locals> Locals for Eager<L> {
    fn roots(&mut self) -> Vec<Root> {
        let mut roots = Vec::new();
        for mut root in self.inner.roots() {
            let (proc, node) = self.add_relay(root.proc);
            let monitor = root.role.observes();
            self.add_child_relays(root.node);
            (root.proc, root.node) = (ProcId(2 * root.proc.0), NodeId(2 * root.node.0));
            let name = format!("{}'s relay", root.name);
            roots.push(root);
            if !monitor {
                roots.push(Root { proc, node, daemon: true, role: ProcessRole::Monitor, name });
            }
        }
        roots
    }

    fn root_name(&self, proc: ProcId) -> String {
        let name = self.inner.root_name(ProcId(proc.0 / 2));
        if proc.0 % 2 == 1 { format!("{name}'s relay") } else { name }
    }

    fn root_role(&self, proc: ProcId) -> ProcessRole {
        if proc.0 % 2 == 1 { ProcessRole::Monitor } else { self.inner.root_role(ProcId(proc.0 / 2)) }
    }

    fn start(&mut self, root: NodeId) {
        if root.0.is_multiple_of(2) {
            self.inner.start(NodeId(root.0 / 2));
            self.add_child_relays(NodeId(root.0 / 2));
        }
    }

    fn action(&self, at: Cursor) -> Action {
        if at.node.0 % 2 == 1 {
            let relay = self.states[at.node.0 as usize / 2];
            return match relay.held {
                Some(value) if at.off == 0 => Action::Send { to: ProcId(2 * relay.of.0), value, network: Network::P2p },
                _ => Action::Recv { network: Network::P2p, blocking: true },
            };
        }
        let (cursor, at_relay) = self.inner_cursor(at);
        match self.inner.action(cursor) {
            Action::Send { to, value, network: Network::P2p } => {
                Action::Send { to: ProcId(2 * to.0 + 1), value, network: Network::P2p }
            }
            Action::Send { to, value, network } => Action::Send { to: ProcId(2 * to.0), value, network },
            Action::Spawn { child, .. } if at_relay => {
                let waiting = Relay { of: child, held: None };
                let root = NodeId(2 * self.numbers[&waiting] + 1);
                Action::Spawn { child: ProcId(2 * child.0 + 1), root, daemon: true }
            }
            Action::Spawn { child, root, daemon } => {
                Action::Spawn { child: ProcId(2 * child.0), root: NodeId(2 * root.0), daemon }
            }
            Action::Join { child } => Action::Join { child: ProcId(2 * child.0) },
            other => other,
        }
    }

    fn step(&mut self, node: NodeId, obs: Obs) -> NodeId {
        if node.0 % 2 == 1 {
            let relay = self.states[node.0 as usize / 2];
            // At the end of the execution a relay has no message to forward.
            let held = (obs != manyworlds_core::OBS_END).then_some(ValueId(obs));
            return self.relay_node(Relay { of: relay.of, held });
        }
        let next = self.inner.step(NodeId(node.0 / 2), obs);
        self.add_child_relays(next);
        NodeId(2 * next.0)
    }

    fn accepts(&mut self, node: NodeId, value: ValueId) -> bool {
        node.0 % 2 == 1 || self.inner.accepts(NodeId(node.0 / 2), value)
    }

    fn pid(&self, proc: ProcId) -> Pid {
        let pid = self.inner.pid(ProcId(proc.0 / 2));
        if proc.0 % 2 == 1 { pid.child(RELAY) } else { pid }
    }

    fn proc(&self, pid: Pid) -> Option<ProcId> {
        let own = self.relays.get(&pid).copied();
        own.or_else(|| self.inner.proc(pid).map(|proc| ProcId(2 * proc.0)))
    }

    fn failure(&self, node: NodeId) -> Option<Failure> {
        if node.0 % 2 == 1 { None } else { self.inner.failure(NodeId(node.0 / 2)) }
    }

    fn describe(&self, at: Cursor) -> StepInfo {
        if at.node.0 % 2 == 1 {
            return StepInfo { location: None, detail: Detail::AwaitsMessage("message".to_string()) };
        }
        let (cursor, at_relay) = self.inner_cursor(at);
        let mut info = self.inner.describe(cursor);
        if let (true, Detail::Child(name)) = (at_relay, &mut info.detail) {
            name.push_str("'s relay");
        }
        info
    }

    fn show(&self, value: ValueId) -> String {
        self.inner.show(value)
    }

    fn state(&self, node: NodeId) -> Option<u32> {
        if node.0 % 2 == 1 { None } else { self.inner.state(NodeId(node.0 / 2)) }
    }

    fn fingerprint(&self, value: ValueId) -> u64 {
        self.inner.fingerprint(value)
    }

    fn message(&self, value: ValueId) -> TraceMessage {
        self.inner.message(value)
    }

    fn show_choice(&self, node: NodeId, answer: Obs) -> String {
        self.inner.show_choice(NodeId(node.0 / 2), answer)
    }

    fn stats(&self) -> LocalStats {
        self.inner.stats()
    }

    fn over_bound(&self) -> bool {
        self.inner.over_bound()
    }

    fn trim(&mut self, live: &mut dyn Iterator<Item = NodeId>) {
        self.inner.trim(&mut live.filter(|node| node.0.is_multiple_of(2)).map(|node| NodeId(node.0 / 2)));
    }
}

impl<L: Locals> Eager<L> {
    /// Adds relays for the processes that `node` spawns, so that `action`, which cannot add them, finds them.
    fn add_child_relays(&mut self, node: NodeId) {
        let mut off = 0;
        loop {
            match self.inner.action(Cursor { node, off }) {
                Action::Spawn { child, .. } => {
                    self.add_relay(child);
                }
                Action::Send { .. } => {}
                _ => return,
            }
            off += 1;
        }
    }
}
