//! Messages in flight when some channel is causal (Must §3, `cd`): a message never overtakes one that causally precedes it.
//!
//! The definition refers to the whole causal past, but delivery depends only on which of the messages *still in flight* precede an actor's
//! next send, or a message. On a causal channel these are a prefix of its queue, so a past is one number for each channel: how many of its
//! pending messages it contains ([`Past`], a matrix clock counted from the front of the queues). A delivery decrements its channel's number
//! in every past. Two networks with the same queues and numbers have the same future behaviour, so this is a canonical form.

use crate::creation::Names;
use crate::inbox::Key;
use manyworlds_core::{Network, Pid};
use manyworlds_explore::fingerprint;

/// The number of pending messages of each causal channel (from, to) in a causal past; only numbers above 0, sorted.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Past(Vec<(u16, u16, u32)>);

impl Past {
    fn set(&mut self, from: u16, to: u16, count: u32) {
        match self.0.binary_search_by_key(&(from, to), |&(f, t, _)| (f, t)) {
            Ok(at) => self.0[at].2 = count,
            Err(at) => self.0.insert(at, (from, to, count)),
        }
    }

    /// The entries with the ids of the actors, sorted by them.
    fn named(&self, names: &Names) -> Vec<(Pid, Pid, u32)> {
        let mut named: Vec<_> = self.0.iter().map(|&(from, to, n)| (names.pid(from), names.pid(to), n)).collect();
        named.sort_unstable();
        named
    }

    /// The pending message of a channel at `place` is gone.
    fn delivered(&mut self, from: u16, to: u16, place: u32) {
        for entry in &mut self.0 {
            if (entry.0, entry.1) == (from, to) && entry.2 > place {
                entry.2 -= 1;
            }
        }
        self.0.retain(|entry| entry.2 > 0);
    }

    fn merge(&mut self, other: &Past) {
        for &(from, to, count) in &other.0 {
            let known = self.0.iter().find(|e| (e.0, e.1) == (from, to)).map_or(0, |e| e.2);
            self.set(from, to, known.max(count));
        }
    }
}

/// A message in flight.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pending {
    /// The sender.
    pub from: u16,
    /// The destination.
    pub to: u16,
    /// Id of the envelope.
    pub id: u32,
    /// Its causal past.
    past: Past,
}

/// All messages in flight, and the causal past of each actor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Causal {
    /// Sorted by destination, then by [`Key`], then in the order of arrival (asyn: by past).
    pub pending: Vec<Pending>,
    pasts: Vec<Past>,
}

impl Causal {
    /// The network of this many actors with no message in flight.
    pub fn new(actors: usize) -> Causal {
        Causal { pending: Vec::new(), pasts: vec![Past::default(); actors] }
    }

    /// An actor creates another one: its past is that of its creator.
    pub fn create(&mut self, creator: u16, new: u16) {
        if self.pasts.len() <= usize::from(new) {
            self.pasts.resize(usize::from(new) + 1, Past::default());
        }
        self.pasts[usize::from(new)] = self.pasts[usize::from(creator)].clone();
    }

    /// An actor has halted: its past matters no longer.
    pub fn forget(&mut self, actor: u16) {
        self.pasts[usize::from(actor)] = Past::default();
    }

    /// The pasts in words, the same in every run.
    pub fn show_pasts(&self, names: &Names) -> String {
        if !names.grows() {
            return format!("{:?}", self.pasts);
        }
        let named = (0..).zip(&self.pasts).map(|(actor, past)| (names.pid(actor), past.named(names)));
        let mut named: Vec<_> = named.filter(|(_, past)| !past.is_empty()).collect();
        named.sort();
        format!("{named:?}")
    }

    /// Sends a message.
    pub fn push(&mut self, from: u16, to: u16, id: u32, network: &impl Fn(u16, u16) -> Network) {
        let sent = Pending { from, to, id, past: self.pasts[from as usize].clone() };
        self.insert(sent, network);
        if network(from, to) == Network::Cd {
            let count = self.pending.iter().filter(|p| (p.from, p.to) == (from, to)).count() as u32;
            self.pasts[from as usize].set(from, to, count);
        }
    }

    /// Inserts a message behind those with the same key.
    fn insert(&mut self, sent: Pending, network: &impl Fn(u16, u16) -> Network) {
        let rank = |p: &Pending| {
            let key = Key::new(network(p.from, p.to), p.from, p.id);
            let bag = network(p.from, p.to) == Network::Asyn;
            (p.to, key, if bag { p.past.clone() } else { Past::default() })
        };
        let at = self.pending.partition_point(|p| rank(p) <= rank(&sent));
        self.pending.insert(at, sent);
    }

    /// The positions of the messages to `to` that can be delivered, if it defers those that `deferred` says.
    pub fn heads<'a>(
        &'a self,
        to: u16,
        network: &'a impl Fn(u16, u16) -> Network,
        deferred: &'a impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = usize> + 'a {
        let key = |p: &Pending| (p.to, Key::new(network(p.from, p.to), p.from, p.id));
        let is_first = move |at: usize| {
            let own = key(&self.pending[at]);
            let earlier = self.pending[..at].iter().rev().take_while(|p| key(p) == own);
            earlier.into_iter().all(|p| deferred(p.id))
        };
        (0..self.pending.len()).filter(move |&at| {
            let p = &self.pending[at];
            if p.to != to || deferred(p.id) {
                return false;
            }
            match network(p.from, p.to) {
                // Equal messages with different pasts are different messages.
                Network::Asyn => at == 0 || self.pending[at - 1] != *p,
                Network::Cd => is_first(at) && !self.is_held_up(&p.past, to, deferred),
                _ => is_first(at),
            }
        })
    }

    /// The position of a message in its channel.
    fn place(&self, at: usize) -> u32 {
        let Pending { from, to, .. } = self.pending[at];
        self.pending[..at].iter().filter(|p| (p.from, p.to) == (from, to)).count() as u32
    }

    /// Whether a past contains a message to `to` that is in flight and not deferred.
    fn is_held_up(&self, past: &Past, to: u16, deferred: &impl Fn(u32) -> bool) -> bool {
        past.0.iter().filter(|entry| entry.1 == to).any(|&(from, _, count)| {
            let channel = self.pending.iter().filter(|p| (p.from, p.to) == (from, to));
            channel.take(count as usize).any(|p| !deferred(p.id))
        })
    }

    /// Removes a message; its past is merged into that of its destination if `read`.
    pub fn take(&mut self, at: usize, read: bool, network: &impl Fn(u16, u16) -> Network) {
        let place = self.place(at);
        let Pending { from, to, mut past, .. } = self.pending.remove(at);
        if network(from, to) == Network::Cd {
            past.delivered(from, to, place);
            self.pending.iter_mut().for_each(|p| p.past.delivered(from, to, place));
            self.pasts.iter_mut().for_each(|p| p.delivered(from, to, place));
            self.sort_bags(network);
        }
        if read {
            self.pasts[to as usize].merge(&past);
        }
    }

    /// Merges the past of a message into that of its destination but keeps the message in flight, so that the message itself is now in that
    /// past too.
    pub fn read_again(&mut self, at: usize, network: &impl Fn(u16, u16) -> Network) {
        let Pending { from, to, mut past, .. } = self.pending[at].clone();
        if network(from, to) == Network::Cd {
            // With it, all that were sent before it and are still in flight, because they are deferred.
            past.set(from, to, self.place(at) + 1);
        }
        self.pasts[to as usize].merge(&past);
    }

    /// The network with actors renamed by `name`; `envelope` renames the envelope of a message to an actor (given by its old name).
    pub fn renamed(
        &self,
        name: impl Fn(u16) -> u16,
        mut envelope: impl FnMut(u16, u32) -> u32,
        network: &impl Fn(u16, u16) -> Network,
    ) -> Causal {
        let past = |past: &Past| {
            let mut renamed: Vec<_> = past.0.iter().map(|&(from, to, count)| (name(from), name(to), count)).collect();
            renamed.sort_unstable();
            Past(renamed)
        };
        let mut renamed = Causal::new(self.pasts.len());
        for (actor, known) in self.pasts.iter().enumerate() {
            renamed.pasts[usize::from(name(actor as u16))] = past(known);
        }
        for p in &self.pending {
            let id = envelope(p.to, p.id);
            let p = Pending { from: name(p.from), to: name(p.to), id, past: past(&p.past) };
            renamed.insert(p, network);
        }
        renamed
    }

    /// Restores the canonical order of equal messages under asyn after their pasts have changed.
    fn sort_bags(&mut self, network: &impl Fn(u16, u16) -> Network) {
        // Equal messages are adjacent.
        let equal = |a: &Pending, b: &Pending| (a.to, a.id) == (b.to, b.id) && network(a.from, a.to) == Network::Asyn;
        self.pending.chunk_by_mut(equal).for_each(|bag| bag.sort_by(|a, b| a.past.cmp(&b.past)));
    }

    /// The fingerprint, computed from the fingerprints of the envelopes (`print`). Messages that are sorted by id are summed, because ids
    /// differ between runs.
    pub fn print(&self, network: &impl Fn(u16, u16) -> Network, names: &Names, print: impl Fn(u32) -> u128) -> u128 {
        if names.grows() {
            return self.named_print(network, names, print);
        }
        let (mut bag, mut queue) = (0u128, Vec::new());
        for p in &self.pending {
            let content = (p.to, print(p.id), &p.past);
            match network(p.from, p.to) {
                Network::Asyn => bag = bag.wrapping_add(fingerprint::of(&content)),
                _ => queue.push(content),
            }
        }
        fingerprint::of(&(bag, queue, &self.pasts))
    }

    /// The same where actors are created: their indices, and so the order of the queues, differ between runs.
    fn named_print(&self, network: &impl Fn(u16, u16) -> Network, names: &Names, print: impl Fn(u32) -> u128) -> u128 {
        let (mut sum, mut last, mut place) = (0u128, None, 0u32);
        for p in &self.pending {
            let key = Key::new(network(p.from, p.to), p.from, p.id);
            place = if key.is_ordered() && last.replace((p.to, key)) == Some((p.to, key)) { place + 1 } else { 0 };
            let content = (names.pid(p.to), place, print(p.id), p.past.named(names));
            sum = sum.wrapping_add(fingerprint::of(&content));
        }
        for (actor, past) in (0..).zip(&self.pasts).filter(|(_, past)| !past.0.is_empty()) {
            sum = sum.wrapping_add(fingerprint::of(&(names.pid(actor), past.named(names))));
        }
        sum
    }
}
