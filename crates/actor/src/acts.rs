//! The acts of actors: the ways in which an actor can react in a given state. While the network delivers every message exactly once, they
//! depend on the actor's local state and on the *heads* of its inbox (the messages that can be delivered next) and on nothing else of the
//! global state. So the acts are computed once for each pair of local state and message, and the next inbox once for each pair of inbox and
//! message. These tables stay small compared with the number of global states, and taking a step means adding a few differences to a
//! fingerprint and replacing a few ids.

use crate::inbox::{self, Inbox, Key};
use crate::sleep;
use crate::state::State;
use crate::step::Step;
use crate::system::Blueprint;
use crate::table::{Entries, Input, Local, Mirrors, Status};
use crate::worlds::Worlds;

/// A range of adjacent entries in one of the lists of [`Mirrors`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// It has not been computed yet.
    pub const UNKNOWN: Span = Span { start: u32::MAX, len: 0 };
    /// The empty range.
    pub const NOTHING: Span = Span { start: 0, len: 0 };

    /// The entries from `start` to `end`.
    pub fn between(start: usize, end: usize) -> Span {
        let narrow = |n: usize| u32::try_from(n).expect("more entries than 32 bits can count");
        Span { start: narrow(start), len: narrow(end - start) }
    }

    /// The indices of the entries.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// Summary of a local state: the inputs that its actor can react to.
#[derive(Clone, Copy, Debug)]
pub struct LocalSummary {
    /// Acts on inputs other than messages: the start, timers that are set.
    own: Span,
    /// The actor is up, so messages can be delivered to it.
    pub receives: bool,
    /// Messages to the actor vanish: it has crashed and will not restart, it has halted, or it does not exist.
    pub loses: bool,
    /// The actor may defer messages: see [`crate::reception`].
    pub picks: bool,
    /// The actor can react to an input other than a message.
    pub has_own_input: bool,
}

impl LocalSummary {
    /// The summary of a local state whose acts have not been computed.
    pub fn new(local: &Local, blueprint: &Blueprint, picks: bool) -> LocalSummary {
        let (status, timers) = (local.status, !local.timers.is_empty());
        let has_own_input = status == Status::New || status == Status::Up && timers;
        let loses = match status {
            Status::New | Status::Up => false,
            Status::Down => blueprint.drops_messages(),
            Status::Halted | Status::Absent => true,
        };
        LocalSummary { own: Span::UNKNOWN, receives: status == Status::Up, loses, picks, has_own_input }
    }
}

/// A message that can be delivered next.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Id of the envelope.
    pub envelope: u32,
    /// Id of the inbox without this message.
    pub rest: u32,
    /// The change of the fingerprint when the inbox is replaced by `rest`.
    pub change: Change,
}

/// An act of an actor: one branch of a handler, for one input.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    /// Id of the next local state.
    pub local: u32,
    /// The change of the fingerprint when the local state is replaced.
    pub change: Change,
    /// The messages that are sent, a range of [`Mirrors::sends`].
    pub sends: Span,
    /// The sleep slots whose items may stay asleep after this act, see [`crate::sleep`].
    pub stays_asleep: u64,
    /// Its number if monitors or the specification of a history observe it, see [`crate::watch`]; otherwise `QUIET`; or `UNKNOWN` if the act changes more
    /// than this says: the handler fails, creates actors or halts.
    pub watched: u32,
}

/// A difference of fingerprints as two words: an alignment of 8 instead of 16 bytes makes the structures that contain it smaller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change(u64, u64);

impl Change {
    /// The change from one fingerprint to another.
    pub fn between(before: u128, after: u128) -> Change {
        Change::by(after.wrapping_sub(before))
    }

    /// The change by this difference.
    pub fn by(difference: u128) -> Change {
        Change((difference >> 64) as u64, difference as u64)
    }

    /// The fingerprint after this change.
    #[inline(always)]
    pub fn after(self, print: u128) -> u128 {
        print.wrapping_add(u128::from(self.0) << 64 | u128::from(self.1))
    }
}

/// The inputs that an actor can react to (its *items*): the heads of its inbox, then the inputs other than messages.
#[derive(Clone, Copy, Debug)]
pub struct Items {
    /// A range of [`Mirrors::heads`].
    pub heads: Span,
    /// A range of [`Mirrors::own`].
    pub own: Span,
}

impl Items {
    /// The number of items.
    #[inline]
    pub fn count(self) -> u32 {
        self.heads.len + self.own.len
    }
}

impl Worlds {
    /// The items of an actor with this local state and this inbox.
    #[inline(always)]
    pub(crate) fn items(&self, mirrors: &mut Mirrors, local: u32, inbox: u32) -> Items {
        if mirrors.local_summaries[local as usize].own == Span::UNKNOWN {
            self.compute_own(mirrors, local);
        }
        let LocalSummary { own, receives, picks, .. } = mirrors.local_summaries[local as usize];
        if !receives {
            return Items { heads: Span::NOTHING, own };
        }
        if picks {
            return Items { heads: self.picked_heads(mirrors, local, inbox), own };
        }
        if mirrors.inbox_heads[inbox as usize] == Span::UNKNOWN {
            self.compute_heads(mirrors, inbox);
        }
        Items { heads: mirrors.inbox_heads[inbox as usize], own }
    }

    /// The item with index `at`: the message if it is one, and the acts.
    #[inline]
    pub(crate) fn item(&self, mirrors: &mut Mirrors, local: u32, items: Items, at: u32) -> (Option<Head>, Span) {
        match at.checked_sub(items.heads.len) {
            Some(at) => (None, mirrors.own[items.own.range()][at as usize]),
            None => {
                let head = mirrors.heads[items.heads.range()][at as usize];
                (Some(head), self.acts_on_message(mirrors, local, head.envelope))
            }
        }
    }

    /// The acts of an actor in `local` when this message is delivered.
    #[inline(always)]
    pub(crate) fn acts_on_message(&self, mirrors: &mut Mirrors, local: u32, envelope: u32) -> Span {
        match mirrors.message_acts.get(local, envelope) {
            Some(&acts) => acts,
            None => self.compute_acts_on_message(mirrors, local, envelope),
        }
    }

    /// Whether an actor can take a step; only for states whose steps are local (see `Worlds::steps_are_local`).
    pub(crate) fn can_act(&self, mirrors: &mut Mirrors, state: &State, actor: u16) -> bool {
        let (local, inbox) = (state.ids[usize::from(actor)], state.inbox(actor));
        let summary = mirrors.local_summaries[local as usize];
        if summary.has_own_input {
            return true;
        }
        if self.leaves_out_idle() {
            let items = self.items(mirrors, local, inbox);
            return (0..items.count()).any(|at| self.item(mirrors, local, items, at).1 != Span::NOTHING);
        }
        match summary.picks {
            true => self.picked_heads(mirrors, local, inbox) != Span::NOTHING,
            false => summary.receives && mirrors.inbox_heads[inbox as usize] != Span::NOTHING,
        }
    }

    #[cold]
    fn compute_own(&self, mirrors: &mut Mirrors, local: u32) {
        let timers = 0..mirrors.locals.get(local).timers.len() as u16;
        let inputs: Vec<Input> = match mirrors.locals.get(local).status {
            Status::Down | Status::Halted | Status::Absent => Vec::new(),
            Status::New => vec![Input::Start],
            Status::Up => timers.map(Input::Timer).collect(),
        };
        let own: Vec<Span> = inputs.into_iter().map(|input| self.compute_acts(mirrors, local, input)).collect();
        let start = mirrors.own.len();
        mirrors.own.extend(own);
        mirrors.local_summaries[local as usize].own = Span::between(start, mirrors.own.len());
    }

    #[cold]
    fn compute_heads(&self, mirrors: &mut Mirrors, inbox: u32) {
        let Inbox { owner, items } = &**mirrors.inboxes.get(inbox);
        let key = |id: u32| key(self.blueprint(), mirrors.envelopes.get(id).from, *owner, id);
        let (owner, envelopes): (u16, Vec<u32>) = (*owner, inbox::heads(items, key).collect());
        let start = mirrors.heads.len();
        for (envelope, nth) in envelopes.into_iter().zip(0..) {
            let from = mirrors.envelopes.get(envelope).from;
            mirrors.sleep_slots.push(sleep::message_slot(self.blueprint(), owner, from, nth) as u8);
            let rest = self.taken(mirrors, inbox, envelope);
            let change = Change::between(mirrors.inboxes.print(inbox), mirrors.inboxes.print(rest));
            mirrors.heads.push(Head { envelope, rest, change });
        }
        mirrors.inbox_heads[inbox as usize] = Span::between(start, mirrors.heads.len());
    }

    #[cold]
    fn compute_acts_on_message(&self, mirrors: &mut Mirrors, local: u32, envelope: u32) -> Span {
        let acts = self.compute_acts(mirrors, local, Input::Message(envelope));
        mirrors.message_acts.insert(local, envelope, acts);
        acts
    }

    fn compute_acts(&self, mirrors: &mut Mirrors, local: u32, input: Input) -> Span {
        let effects = self.reaction(mirrors, local, input);
        let branches = mirrors.effects[effects as usize].clone();
        let (start, actor) = (mirrors.acts.len(), mirrors.locals.get(local).actor);
        if self.is_left_out(local, input, &branches) {
            // An item without acts is not counted where it is asleep.
            mirrors.several_branches = true;
            return Span::NOTHING;
        }
        for (branch, nth) in branches.iter().zip(0..) {
            let watched = self.observation(mirrors, actor, (effects, nth));
            let first = mirrors.sends.len();
            self.list_sends(mirrors, actor, &branch.sends);
            mirrors.acts.push(Act {
                local: branch.local,
                change: Change::between(mirrors.locals.print(local), mirrors.locals.print(branch.local)),
                sends: Span::between(first, mirrors.sends.len()),
                stays_asleep: sleep::stays_asleep(self.blueprint(), actor, &branch.sends),
                watched,
            });
        }
        Span::between(start, mirrors.acts.len())
    }

    /// The inbox with one more message.
    pub(crate) fn pushed(&self, mirrors: &mut Mirrors, inbox: u32, envelope: u32) -> u32 {
        if let Some(&next) = mirrors.pushes.get(inbox, envelope) {
            return next;
        }
        let next = self.learn(mirrors, |entries, blueprint| {
            let Inbox { owner, items } = &**entries.inboxes.get(inbox);
            let key = |id: u32| key(blueprint, entries.envelopes.get(id).from, *owner, id);
            let longer = Inbox { owner: *owner, items: inbox::push(items, envelope, key) };
            entries.inbox(blueprint, longer)
        });
        mirrors.pushes.insert(inbox, envelope, next);
        next
    }

    /// The inbox without this message.
    pub(crate) fn taken(&self, mirrors: &mut Mirrors, inbox: u32, envelope: u32) -> u32 {
        if let Some(&rest) = mirrors.taken.get(inbox, envelope) {
            return rest;
        }
        let rest = self.learn(mirrors, |entries, blueprint| {
            let Inbox { owner, items } = &**entries.inboxes.get(inbox);
            let shorter = Inbox { owner: *owner, items: inbox::take(items, envelope) };
            entries.inbox(blueprint, shorter)
        });
        mirrors.taken.insert(inbox, envelope, rest);
        rest
    }

    /// The id of the effects of the handler that runs for `input` in `local`.
    pub(crate) fn reaction(&self, mirrors: &mut Mirrors, local: u32, input: Input) -> u32 {
        if let Some(&id) = mirrors.reactions.get(&(local, input)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| entries.effects(blueprint, local, input));
        mirrors.reactions.insert((local, input), id);
        id
    }

    /// The step in which an actor reacts to the item with index `at`, with the ids that [`Step::Act`] leaves out.
    pub(crate) fn step_in_full(&self, mirrors: &mut Mirrors, (local, inbox): (u32, u32), at: u32, branch: u16) -> Step {
        let items = self.items(mirrors, local, inbox);
        let actor = mirrors.locals.get(local).actor;
        match self.item(mirrors, local, items, at).0 {
            Some(Head { envelope: message, .. }) => {
                let effects = self.reaction(mirrors, local, Input::Message(message));
                Step::Deliver { to: actor, message, effects, branch, again: false }
            }
            None if mirrors.locals.get(local).status == Status::New => {
                Step::Start { actor, effects: self.reaction(mirrors, local, Input::Start), branch }
            }
            None => {
                let timer = (at - items.heads.len) as u16;
                Step::Timer { actor, timer, effects: self.reaction(mirrors, local, Input::Timer(timer)), branch }
            }
        }
    }

    pub(crate) fn timer_steps(&self, mirrors: &mut Mirrors, local: u32, out: &mut Vec<Step>) {
        let actor = mirrors.locals.get(local).actor;
        for timer in 0..mirrors.locals.get(local).timers.len() as u16 {
            let effects = self.reaction(mirrors, local, Input::Timer(timer));
            out.extend(branches(mirrors, effects).map(|branch| Step::Timer { actor, timer, effects, branch }));
        }
    }
}

impl Entries {
    /// The id of the empty inbox of an actor.
    pub fn empty_inbox(&mut self, blueprint: &Blueprint, owner: u16) -> u32 {
        self.inbox(blueprint, Inbox { owner, items: Box::default() })
    }
}

/// The indices of the branches of a handler.
pub(crate) fn branches(mirrors: &Mirrors, effects: u32) -> std::ops::Range<u16> {
    0..mirrors.effects[effects as usize].len() as u16
}

pub(crate) fn key(blueprint: &Blueprint, from: u16, to: u16, id: u32) -> Key {
    Key::new(blueprint.channel(from, to), from, id)
}
