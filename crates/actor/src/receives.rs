//! The interface to schedulers. For each step: sender and receiver, the messages that are sent, the keys that are touched, the events that
//! are recorded.
//!
//! A lane is a set of messages that must not overtake each other: under asyn equal messages from one actor to another (their order makes no
//! difference), under p2p and cd a channel, under mbox all messages to one actor under mbox. A timer is treated as a message to oneself, at
//! most one at a time; so is the start of an actor, where starting is a step. If some channel is causal, messages under asyn carry the
//! causal past of their sender, so that equal ones can differ: the delivery of such a message is not reported as a receive, and schedulers
//! treat it as dependent on everything.

use crate::acts::key;
use crate::context::NoteKind;
use crate::inbox::Key;
use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors};
use crate::worlds::Worlds;
use manyworlds_core::{Network, panics};
use manyworlds_explore::{HistoryEvent, HistoryKind, Keys, Lane, Receive, fingerprint};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A user's annotation of messages of one type; returns `None` for messages of other types.
type Annotation<T> = Arc<dyn Fn(&dyn Any) -> Option<T> + Send + Sync>;

/// The keys that messages touch, and the messages that are excluded.
#[derive(Clone, Default)]
pub struct Annotations {
    keys: Vec<Annotation<Keys>>,
    excluded: Vec<Annotation<bool>>,
}

impl Annotations {
    /// Declares the keys of messages of one type.
    pub fn touches<M: 'static>(&mut self, keys: impl Fn(&M) -> Keys + Send + Sync + 'static) {
        self.keys.push(Arc::new(move |message| Some(keys(message.downcast_ref::<M>()?))));
    }

    /// Declares which messages of one type are excluded.
    pub fn excludes<M: 'static>(&mut self, excluded: impl Fn(&M) -> bool + Send + Sync + 'static) {
        self.excluded.push(Arc::new(move |message| Some(excluded(message.downcast_ref::<M>()?))));
    }

    fn keys_of(&self, message: &dyn Any) -> Keys {
        first_answer(&self.keys, message).unwrap_or_default()
    }

    fn is_excluded(&self, message: &dyn Any) -> bool {
        first_answer(&self.excluded, message).unwrap_or(false)
    }
}

/// The first annotation for a message. One that panics is ignored: a message without annotations is explored in every order.
fn first_answer<T>(says: &[Annotation<T>], message: &dyn Any) -> Option<T> {
    let answer =
        |say: &Annotation<T>| panics::listen(|| catch_unwind(AssertUnwindSafe(|| say(message)))).ok().flatten();
    says.iter().find_map(answer)
}

const TIMER: u64 = 4;
const START: u64 = 5;

fn lane(class: u64, from: u16, to: u16, content: u64) -> Lane {
    Lane(class << 32 | u64::from(from) << 16 | u64::from(to), content)
}

/// The lane of an envelope.
fn lane_of(network: Network, from: u16, to: u16, envelope: u32) -> Lane {
    match network {
        Network::Asyn => lane(0, from, to, u64::from(envelope)),
        Network::P2p | Network::Cd => lane(1, from, to, 0),
        Network::Mbox => lane(2, 0, to, 0),
    }
}

fn timer_lane(actor: u16, timer: &str) -> Lane {
    lane(TIMER, actor, actor, fingerprint::of(timer) as u64)
}

impl Worlds {
    /// The receive of a step given in full ([`Worlds::in_full`]).
    pub(crate) fn received(&self, state: &State, step: &Step) -> Option<Receive> {
        let done = step.handler()?;
        let watchers = self.watchers(&mut self.mirrors.borrow_mut(), done);
        let mirrors = &*self.prepared();
        let (effects, branch) = done;
        let branch = &mirrors.effects[effects as usize][usize::from(branch)];
        // A step after which its actor takes other messages, or none, depends on everything that may send to that actor.
        let is_start = matches!(step, Step::Start { .. });
        let picks = |actor| !is_start && self.picks(mirrors, state, actor);
        if branch.halts || step.actor().is_some_and(picks) {
            return None;
        }
        let receive = match *step {
            Step::Deliver { to, message, again: false, .. } => self.delivery(mirrors, state, to, message, branch),
            Step::Start { actor, .. } => {
                Some(self.receive_of(mirrors, state, actor, actor, lane(START, actor, actor, 0), branch))
            }
            Step::Timer { actor, timer, .. } => {
                let name = mirrors.local(state, actor).timers[usize::from(timer)];
                Some(self.receive_of(mirrors, state, actor, actor, timer_lane(actor, name), branch))
            }
            _ => None,
        };
        // Steps that one monitor observes interfere, as if they appended to one queue: those with the last numbers.
        receive.map(|receive| Receive { orders: receive.orders | watchers.reverse_bits(), ..receive })
    }

    fn delivery(&self, mirrors: &Mirrors, state: &State, to: u16, message: u32, branch: &Branch) -> Option<Receive> {
        let id = self.envelope(mirrors, state, message);
        let envelope = mirrors.envelopes.get(id);
        let network = self.blueprint().channel(envelope.from, to);
        if self.is_causal() && network == Network::Asyn {
            return None;
        }
        let content = mirrors.values.get(envelope.message).value.as_any();
        let lane = lane_of(network, envelope.from, to, id);
        let receive = self.receive_of(mirrors, state, envelope.from, to, lane, branch);
        Some(Receive {
            waiting: self.waiting(mirrors, state, to, key(self.blueprint(), envelope.from, to, id)),
            keys: self.blueprint().annotations.keys_of(content),
            excluded: self.blueprint().annotations.is_excluded(content),
            ..receive
        })
    }

    /// The number of messages in flight to an actor with this key.
    fn waiting(&self, mirrors: &Mirrors, state: &State, to: u16, wanted: Key) -> u32 {
        let blueprint = self.blueprint();
        let same = |&id: &u32| key(blueprint, mirrors.envelopes.get(id).from, to, id) == wanted;
        let count = if self.is_causal() {
            let pending = &mirrors.causals.get(state.ids[self.slots(state)]).pending;
            pending.iter().filter(|p| p.to == to).map(|p| p.id).filter(same).count()
        } else {
            mirrors.inboxes.get(state.inbox(to)).items.iter().copied().filter(same).count()
        };
        count as u32
    }

    /// The receive of an input with this lane and these effects; keys and exclusion are set to their defaults.
    fn receive_of(
        &self,
        mirrors: &Mirrors,
        state: &State,
        sender: u16,
        receiver: u16,
        lane: Lane,
        branch: &Branch,
    ) -> Receive {
        let notes = |kind| branch.notes.iter().any(|note| note.kind == kind);
        Receive {
            sender: u32::from(sender),
            receiver: u32::from(receiver),
            lane,
            waiting: 1,
            sends: self.lanes_filled(mirrors, state, receiver, lane, branch),
            orders: self.mailboxes(receiver, branch),
            invokes: notes(NoteKind::Invoked),
            returns: notes(NoteKind::Returned),
            keys: Keys::Unknown,
            excluded: false,
        }
    }

    /// The lanes to which a step of `actor` adds an entry: those of its messages, and of timers that were not set before or that expired in
    /// this step.
    fn lanes_filled(&self, mirrors: &Mirrors, state: &State, actor: u16, taken: Lane, branch: &Branch) -> Vec<Lane> {
        let blueprint = self.blueprint();
        let gone = |to: u16| self.is_lost(mirrors, state, to);
        let sent = branch.sends.iter().filter(|send| !gone(send.to));
        let mut lanes: Vec<Lane> =
            sent.map(|send| lane_of(blueprint.channel(actor, send.to), actor, send.to, send.envelope)).collect();
        let before = &mirrors.local(state, actor).timers;
        for timer in &mirrors.locals.get(branch.local).timers {
            let lane = timer_lane(actor, timer);
            if !before.contains(timer) || lane == taken {
                lanes.push(lane);
            }
        }
        lanes.extend(branch.created.iter().map(|new| lane(START, new.actor, new.actor, 0)));
        lanes
    }

    /// The mailboxes under mbox (shared by several senders) to which a step of `actor` sends: a bit for each; of more than 64 some share one.
    fn mailboxes(&self, actor: u16, branch: &Branch) -> u64 {
        let shared = |to: u16| self.blueprint().channel(actor, to) == Network::Mbox;
        branch.sends.iter().filter(|send| shared(send.to)).fold(0, |boxes, send| boxes | 1 << (send.to % 64))
    }

    /// Adds the events that a step, given in full, records.
    pub(crate) fn note_history(&self, step: &Step, out: &mut Vec<HistoryEvent>) {
        let (Some((effects, branch)), Some(actor)) = (step.handler(), step.whose()) else { return };
        let effects = self.mirrors.borrow().effects[effects as usize].clone();
        for note in &effects[usize::from(branch)].notes {
            let kind = match note.kind {
                NoteKind::Invoked => HistoryKind::Invoked,
                NoteKind::Returned => HistoryKind::Returned,
                NoteKind::Linearized | NoteKind::Recorded | NoteKind::Text => continue,
            };
            let label = self.with_entries(|entries, _| entries.value(note.value.clone()));
            out.push(HistoryEvent { process: u32::from(actor), kind, label });
        }
    }
}
