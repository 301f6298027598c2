//! Global states as plain values. All messages in flight are one list in the order of sending, each with the set of all messages causally
//! before it; the delivery condition is then one line for each network.

use super::handlers::Effect;
use super::table::{Case, Local, TIMERS};
use manyworlds_actor::Faults;
use manyworlds_core::Network;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// The status and the local state of an actor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    New,
    Up(Local),
    Down(Option<Local>),
}

/// An actor in a global state.
#[derive(Clone, Debug)]
pub struct ActorState {
    pub status: Status,
    pub timers: BTreeSet<usize>,
    /// The messages causally before its next step: a bit for each.
    pub past: u64,
    /// The messages of its last handler that have not entered the network; empty unless sends are steps of their own.
    pub outbox: VecDeque<(usize, u8)>,
}

/// A message in flight.
#[derive(Clone, Debug)]
pub struct Message {
    pub id: u32,
    pub from: usize,
    pub to: usize,
    pub tag: u8,
    pub past: u64,
}

/// A global state.
#[derive(Clone, Debug)]
pub struct World {
    pub actors: Vec<ActorState>,
    pub messages: Vec<Message>,
    /// The number of messages sent so far.
    pub sent: u32,
    pub left: Faults,
    pub split: Option<u64>,
    /// The actor that failed, and the message of the failure.
    pub failed: Option<(usize, String)>,
}

/// The identification of a message in flight: its channel and its position in it.
type Name = (usize, usize, usize);

/// The canonical form: two states are equal iff their keys are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// Local states, messages by queue, fault budgets, partition.
    pub text: String,
    /// The messages in flight under causal delivery that are causally before each actor and each message.
    pub causes: String,
    pub failed: Option<(usize, String)>,
}

/// The name of the queue of a message; under asyn it is a multiset.
pub fn queue(network: Network, from: usize, to: usize) -> String {
    match network {
        Network::Mbox => format!("*>{to}"),
        network => format!("{from}>{to} {network}"),
    }
}

/// The text of a state of either explorer: `messages` is (from, to, tag) in the order of each queue.
pub fn text(
    case: &Case,
    locals: &[String],
    messages: &[(usize, usize, u8)],
    left: Faults,
    split: Option<u64>,
) -> String {
    let mut queues: BTreeMap<String, Vec<(usize, u8)>> = BTreeMap::new();
    for &(from, to, tag) in messages {
        queues.entry(queue(case.channel(from, to), from, to)).or_default().push((from, tag));
    }
    queues.iter_mut().filter(|(name, _)| name.ends_with("asyn")).for_each(|(_, queue)| queue.sort());
    // The side without the first actor represents the partition.
    let all = (1 << case.actors.len()) - 1;
    let split = split.map(|side: u64| if side & 1 == 1 { all & !side } else { side });
    format!("{locals:?} {queues:?} {left:?} {split:?}")
}

impl World {
    /// The local state of an actor, displayed as the engine does.
    pub fn local(&self, n: usize) -> String {
        let actor = &self.actors[n];
        let timers: Vec<&str> = actor.timers.iter().map(|&t| TIMERS[t]).collect();
        match actor.status {
            Status::New => "New -".to_string(),
            Status::Up(local) if timers.is_empty() => format!("{local:?}"),
            Status::Up(local) => format!("{local:?} {timers:?}"),
            Status::Down(None) => "Down -".to_string(),
            Status::Down(Some(local)) => format!("Down {local:?}"),
        }
    }

    /// The local states of all actors.
    pub fn locals(&self) -> Vec<String> {
        (0..self.actors.len()).map(|n| self.local(n)).collect()
    }

    /// The local state of an actor; of one that has crashed, the part that survived.
    pub fn get(&self, n: usize) -> Option<Local> {
        match self.actors[n].status {
            Status::Up(local) | Status::Down(Some(local)) => Some(local),
            _ => None,
        }
    }

    /// The row of an actor.
    pub fn row(&self, n: usize) -> Option<u8> {
        self.get(n).map(|local| local.at)
    }

    /// The canonical form.
    pub fn key(&self, case: &Case) -> Key {
        let messages: Vec<_> = self.messages.iter().map(|m| (m.from, m.to, m.tag)).collect();
        let actors: Vec<_> = self.actors.iter().map(|actor| self.causes(case, actor.past)).collect();
        // Messages under asyn in any order, others in the order of their channel.
        let mut keyed: Vec<_> = self.messages.iter().enumerate().map(|(i, m)| self.cause(case, i, m)).collect();
        keyed.sort();
        let outboxes: Vec<_> = self.actors.iter().map(|actor| &actor.outbox).collect();
        Key {
            text: text(case, &self.locals(), &messages, self.left, self.split),
            causes: format!("{actors:?} {keyed:?} {outboxes:?}"),
            failed: self.failed.clone(),
        }
    }

    /// A message with its position in its queue (0 under asyn) and its causal past.
    fn cause(&self, case: &Case, nth: usize, m: &Message) -> (String, usize, usize, u8, Vec<Name>) {
        let network = case.channel(m.from, m.to);
        let name = queue(network, m.from, m.to);
        let same = |other: &&Message| queue(case.channel(other.from, other.to), other.from, other.to) == name;
        let place = if network == Network::Asyn { 0 } else { self.messages[..nth].iter().filter(same).count() };
        (name, place, m.from, m.tag, self.causes(case, m.past))
    }

    /// The messages of `past` in flight under cd.
    fn causes(&self, case: &Case, past: u64) -> Vec<Name> {
        let place = |m: &Message| {
            self.messages.iter().filter(|o| (o.from, o.to) == (m.from, m.to)).position(|o| o.id == m.id).expect("there")
        };
        let before = |m: &&Message| case.channel(m.from, m.to) == Network::Cd && (past >> m.id) & 1 == 1;
        let mut names: Vec<_> = self.messages.iter().filter(before).map(|m| (m.from, m.to, place(m))).collect();
        names.sort_unstable();
        names
    }

    /// The state with actor `n` renamed to `names[n]`.
    pub fn renamed(&self, names: &[usize]) -> World {
        let mut world = self.clone();
        for (n, actor) in self.actors.iter().enumerate() {
            world.actors[names[n]] = actor.clone();
        }
        for message in &mut world.messages {
            (message.from, message.to) = (names[message.from], names[message.to]);
        }
        let moved = |side: u64| (0..names.len()).filter(|n| (side >> n) & 1 == 1).fold(0, |to, n| to | 1 << names[n]);
        world.split = self.split.map(moved);
        world.failed = self.failed.clone().map(|(n, words)| (names[n], words));
        world
    }

    /// Whether this message can be delivered: no message that must be delivered before it is in flight, and its destination is up and
    /// reachable.
    fn deliverable(&self, case: &Case, nth: usize) -> bool {
        let m = &self.messages[nth];
        let earlier = &self.messages[..nth];
        let network = |o: &Message| case.channel(o.from, o.to);
        let free = match network(m) {
            Network::Asyn => true,
            Network::P2p => !earlier.iter().any(|o| (o.from, o.to) == (m.from, m.to)),
            Network::Mbox => !earlier.iter().any(|o| o.to == m.to && network(o) == Network::Mbox),
            Network::Cd => {
                let first = |o: &Message| o.to == m.to && network(o) == Network::Cd && (m.past >> o.id) & 1 == 1;
                !self.messages.iter().any(|o| o.id != m.id && first(o))
            }
        };
        let side = |n: usize| self.split.map(|side| (side >> n) & 1);
        let waits = matches!(self.actors[m.to].status, Status::Up(_)) && self.actors[m.to].outbox.is_empty();
        free && waits && side(m.from) == side(m.to)
    }

    /// The deliverable messages, equal ones once.
    pub fn deliverables(&self, case: &Case) -> Vec<usize> {
        let mut seen = HashSet::new();
        let new = |&i: &usize| {
            let m = &self.messages[i];
            self.deliverable(case, i) && seen.insert((m.from, m.to, m.tag, self.causes(case, m.past)))
        };
        (0..self.messages.len()).filter(new).collect()
    }

    /// Applies the result of a handler.
    pub fn settle(&mut self, n: usize, result: Result<Effect, String>) {
        let effect = match result {
            Ok(effect) => effect,
            Err(words) => return self.failed = Some((n, words)),
        };
        self.actors[n].status = Status::Up(effect.local);
        self.actors[n].timers = effect.timers;
        self.actors[n].outbox.extend(effect.sends);
    }

    /// All messages in an outbox enter the network, in order.
    pub fn post_all(&mut self, case: &Case, n: usize) {
        while self.post(case, n) {}
    }

    /// The first message of an outbox enters the network, if there is one.
    pub fn post(&mut self, case: &Case, n: usize) -> bool {
        let Some((to, tag)) = self.actors[n].outbox.pop_front() else { return false };
        let id = self.sent;
        assert!(id < 64, "the system is too large for this explorer");
        self.sent += 1;
        let past = self.actors[n].past;
        self.actors[n].past |= 1 << id;
        if case.faults.restarts > 0 || !matches!(self.actors[to].status, Status::Down(_)) {
            self.messages.push(Message { id, from: n, to, tag, past });
        }
        true
    }
}
