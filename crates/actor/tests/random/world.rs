//! Global states as plain values. All messages on their way are one list in the order of sending, each with the set of all messages that
//! are causally before it; which of them may be delivered is then a line for each network.

use super::handlers::Effect;
use super::table::{Case, Local, TIMERS};
use manyworlds_actor::Faults;
use manyworlds_core::Network;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// Whether an actor runs, and what it remembers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Life {
    New,
    Up(Local),
    Down(Option<Local>),
}

/// An actor in a global state.
#[derive(Clone, Debug)]
pub struct Being {
    pub life: Life,
    pub timers: BTreeSet<usize>,
    /// The messages causally before its next step: a bit for each.
    pub past: u64,
    /// What its handler sent and the network does not have yet; empty unless sends are steps of their own.
    pub outbox: VecDeque<(usize, u8)>,
}

/// A message on its way.
#[derive(Clone, Debug)]
pub struct Mail {
    pub id: u32,
    pub from: usize,
    pub to: usize,
    pub tag: u8,
    pub past: u64,
}

/// A global state.
#[derive(Clone, Debug)]
pub struct World {
    pub actors: Vec<Being>,
    pub mail: Vec<Mail>,
    /// How many messages were ever sent.
    pub sent: u32,
    pub left: Faults,
    pub split: Option<u64>,
    /// Who failed, and the words.
    pub failed: Option<(usize, String)>,
}

/// The name of a message on its way: its channel and its place in it.
type Name = (usize, usize, usize);

/// The canonical form: two states are the same iff this is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// Locals, messages by queue, budgets.
    pub text: String,
    /// The messages on their way under causal delivery that are before each actor and each message.
    pub causes: String,
    pub failed: Option<(usize, String)>,
}

/// The queue in which a message waits; a bag under asyn.
pub fn queue(network: Network, from: usize, to: usize) -> String {
    match network {
        Network::Mbox => format!("*>{to}"),
        network => format!("{from}>{to} {network}"),
    }
}

/// The text of a state, whoever keeps it: `mail` is (from, to, tag) in the order of each queue.
pub fn text(case: &Case, locals: &[String], mail: &[(usize, usize, u8)], left: Faults, split: Option<u64>) -> String {
    let mut queues: BTreeMap<String, Vec<(usize, u8)>> = BTreeMap::new();
    for &(from, to, tag) in mail {
        queues.entry(queue(case.channel(from, to), from, to)).or_default().push((from, tag));
    }
    queues.iter_mut().filter(|(name, _)| name.ends_with("asyn")).for_each(|(_, mail)| mail.sort());
    // A split has two sides; the one without the first actor stands for both.
    let all = (1 << case.actors.len()) - 1;
    let split = split.map(|side: u64| if side & 1 == 1 { all & !side } else { side });
    format!("{locals:?} {queues:?} {left:?} {split:?}")
}

impl World {
    /// The local situation of an actor, in the words of the engine.
    pub fn local(&self, n: usize) -> String {
        let being = &self.actors[n];
        let timers: Vec<&str> = being.timers.iter().map(|&t| TIMERS[t]).collect();
        match being.life {
            Life::New => "New -".to_string(),
            Life::Up(local) if timers.is_empty() => format!("{local:?}"),
            Life::Up(local) => format!("{local:?} {timers:?}"),
            Life::Down(None) => "Down -".to_string(),
            Life::Down(Some(local)) => format!("Down {local:?}"),
        }
    }

    /// The local situations of all actors.
    pub fn locals(&self) -> Vec<String> {
        (0..self.actors.len()).map(|n| self.local(n)).collect()
    }

    /// What an actor remembers; of one that is down, what survived.
    pub fn get(&self, n: usize) -> Option<Local> {
        match self.actors[n].life {
            Life::Up(local) | Life::Down(Some(local)) => Some(local),
            _ => None,
        }
    }

    /// The row in which an actor is.
    pub fn row(&self, n: usize) -> Option<u8> {
        self.get(n).map(|local| local.at)
    }

    /// The canonical form.
    pub fn key(&self, case: &Case) -> Key {
        let mail: Vec<_> = self.mail.iter().map(|m| (m.from, m.to, m.tag)).collect();
        let actors: Vec<_> = self.actors.iter().map(|being| self.causes(case, being.past)).collect();
        // Messages of a bag in any order, others in the order of their channel.
        let mut mails: Vec<_> = self.mail.iter().enumerate().map(|(i, m)| self.cause(case, i, m)).collect();
        mails.sort();
        let outboxes: Vec<_> = self.actors.iter().map(|being| &being.outbox).collect();
        Key {
            text: text(case, &self.locals(), &mail, self.left, self.split),
            causes: format!("{actors:?} {mails:?} {outboxes:?}"),
            failed: self.failed.clone(),
        }
    }

    /// A message with its place in its queue (none in a bag) and what is before it.
    fn cause(&self, case: &Case, nth: usize, m: &Mail) -> (String, usize, usize, u8, Vec<Name>) {
        let network = case.channel(m.from, m.to);
        let name = queue(network, m.from, m.to);
        let same = |other: &&Mail| queue(case.channel(other.from, other.to), other.from, other.to) == name;
        let place = if network == Network::Asyn { 0 } else { self.mail[..nth].iter().filter(same).count() };
        (name, place, m.from, m.tag, self.causes(case, m.past))
    }

    /// The messages of `past` on their way under cd, each named by its channel and its place in it.
    fn causes(&self, case: &Case, past: u64) -> Vec<Name> {
        let place = |m: &Mail| {
            self.mail.iter().filter(|o| (o.from, o.to) == (m.from, m.to)).position(|o| o.id == m.id).expect("there")
        };
        let before = |m: &&Mail| case.channel(m.from, m.to) == Network::Cd && (past >> m.id) & 1 == 1;
        let mut names: Vec<_> = self.mail.iter().filter(before).map(|m| (m.from, m.to, place(m))).collect();
        names.sort_unstable();
        names
    }

    /// The same with actor `n` called `names[n]`.
    pub fn renamed(&self, names: &[usize]) -> World {
        let mut world = self.clone();
        for (n, being) in self.actors.iter().enumerate() {
            world.actors[names[n]] = being.clone();
        }
        for mail in &mut world.mail {
            (mail.from, mail.to) = (names[mail.from], names[mail.to]);
        }
        let moved = |side: u64| (0..names.len()).filter(|n| (side >> n) & 1 == 1).fold(0, |to, n| to | 1 << names[n]);
        world.split = self.split.map(moved);
        world.failed = self.failed.clone().map(|(n, words)| (names[n], words));
        world
    }

    /// Whether the network lets this message through now: nothing that must come first is on its way.
    fn deliverable(&self, case: &Case, nth: usize) -> bool {
        let m = &self.mail[nth];
        let earlier = &self.mail[..nth];
        let network = |o: &Mail| case.channel(o.from, o.to);
        let free = match network(m) {
            Network::Asyn => true,
            Network::P2p => !earlier.iter().any(|o| (o.from, o.to) == (m.from, m.to)),
            Network::Mbox => !earlier.iter().any(|o| o.to == m.to && network(o) == Network::Mbox),
            Network::Cd => {
                let first = |o: &Mail| o.to == m.to && network(o) == Network::Cd && (m.past >> o.id) & 1 == 1;
                !self.mail.iter().any(|o| o.id != m.id && first(o))
            }
        };
        let side = |n: usize| self.split.map(|side| (side >> n) & 1);
        let waits = matches!(self.actors[m.to].life, Life::Up(_)) && self.actors[m.to].outbox.is_empty();
        free && waits && side(m.from) == side(m.to)
    }

    /// The deliverable messages, equal ones once.
    pub fn deliverables(&self, case: &Case) -> Vec<usize> {
        let mut seen = HashSet::new();
        let new = |&i: &usize| {
            let m = &self.mail[i];
            self.deliverable(case, i) && seen.insert((m.from, m.to, m.tag, self.causes(case, m.past)))
        };
        (0..self.mail.len()).filter(new).collect()
    }

    /// The actor comes out of its handler.
    pub fn settle(&mut self, n: usize, result: Result<Effect, String>) {
        let effect = match result {
            Ok(effect) => effect,
            Err(words) => return self.failed = Some((n, words)),
        };
        self.actors[n].life = Life::Up(effect.local);
        self.actors[n].timers = effect.timers;
        self.actors[n].outbox.extend(effect.sends);
    }

    /// The network takes all that a handler sent, in order.
    pub fn post_all(&mut self, case: &Case, n: usize) {
        while self.post(case, n) {}
    }

    /// The network takes the first message of an outbox, if there is one.
    pub fn post(&mut self, case: &Case, n: usize) -> bool {
        let Some((to, tag)) = self.actors[n].outbox.pop_front() else { return false };
        let id = self.sent;
        assert!(id < 64, "the system is too large for this explorer");
        self.sent += 1;
        let past = self.actors[n].past;
        self.actors[n].past |= 1 << id;
        if case.faults.restarts > 0 || !matches!(self.actors[to].life, Life::Down(_)) {
            self.mail.push(Mail { id, from: n, to, tag, past });
        }
        true
    }
}
