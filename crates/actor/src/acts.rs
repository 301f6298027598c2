//! What an actor can do. That depends on its local state and on the *heads* of its inbox, the messages that can come next (while the
//! weather is calm). Neither is looked at together with more of the global state than it needs: what a handler does is worked out once for
//! each local state and message, what becomes of an inbox once for each inbox and message. These tables stay small, whatever the number of
//! global states, and a step is a few additions to a fingerprint and a few ids.

use crate::inbox::{self, Inbox, Key};
use crate::sleep;
use crate::step::Step;
use crate::system::Blueprint;
use crate::table::{Entries, Input, Local, Mirrors, NONE, Status};
use crate::worlds::Worlds;

/// Neighbours in one of the lists of [`Mirrors`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// Nobody has asked for it yet.
    pub const UNKNOWN: Span = Span { start: u32::MAX, len: 0 };
    /// There is nothing.
    pub const NOTHING: Span = Span { start: 0, len: 0 };

    fn between(start: usize, end: usize) -> Span {
        let narrow = |n: usize| u32::try_from(n).expect("more entries than 32 bits can count");
        Span { start: narrow(start), len: narrow(end - start) }
    }

    /// Where they are.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// What a local state means for what its actor can do.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// Reactions to what does not come from outside: its start, its timers.
    own: Span,
    /// It takes messages.
    pub hears: bool,
    /// It is down.
    pub down: bool,
    /// It can do something that does not come from outside.
    pub busy: bool,
}

impl Seat {
    /// The seat of an actor none of whose handlers has run yet.
    pub fn new(local: &Local) -> Seat {
        let (status, timers) = (local.status, !local.timers.is_empty());
        let busy = status == Status::New || status == Status::Up && timers;
        Seat { own: Span::UNKNOWN, hears: status == Status::Up, down: status == Status::Down, busy }
    }
}

/// A message that can come next.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Id of the envelope.
    pub envelope: u32,
    /// The inbox without it.
    pub rest: u32,
    /// How that changes the fingerprint.
    pub change: Change,
}

/// What an actor does: one way in which its handler can go.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    /// The next local state.
    pub local: u32,
    /// How that changes the fingerprint.
    pub change: Change,
    /// What it sends: in [`Mirrors::sends`].
    pub sends: Span,
    /// What may go on sleeping after it, see [`crate::sleep`].
    pub undisturbed: u64,
    /// More than that happens: the handler fails, or notes something that a specification watches.
    pub aside: bool,
}

/// A difference of fingerprints in two halves, so that what holds it takes less room.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change(u64, u64);

impl Change {
    fn between(before: u128, after: u128) -> Change {
        Change::by(after.wrapping_sub(before))
    }

    /// This difference.
    pub fn by(difference: u128) -> Change {
        Change((difference >> 64) as u64, difference as u64)
    }

    /// The fingerprint after it.
    #[inline(always)]
    pub fn after(self, print: u128) -> u128 {
        print.wrapping_add(u128::from(self.0) << 64 | u128::from(self.1))
    }
}

/// What an actor may react to: the heads of its inbox, then its own.
#[derive(Clone, Copy, Debug)]
pub struct Items {
    /// In [`Mirrors::heads`].
    pub heads: Span,
    /// In [`Mirrors::own`].
    pub own: Span,
}

impl Items {
    /// How many there are.
    #[inline]
    pub fn count(self) -> u32 {
        self.heads.len + self.own.len
    }
}

impl Worlds {
    /// What an actor may react to.
    #[inline(always)]
    pub(crate) fn items(&self, mirrors: &mut Mirrors, local: u32, inbox: u32) -> Items {
        if mirrors.seats[local as usize].own == Span::UNKNOWN {
            self.ask_for_own(mirrors, local);
        }
        let Seat { own, hears, .. } = mirrors.seats[local as usize];
        if !hears {
            return Items { heads: Span::NOTHING, own };
        }
        if mirrors.shelves[inbox as usize] == Span::UNKNOWN {
            self.ask_for_heads(mirrors, inbox);
        }
        Items { heads: mirrors.shelves[inbox as usize], own }
    }

    /// One of them: the message, if it is one, and what the actor may do.
    #[inline]
    pub(crate) fn item(&self, mirrors: &mut Mirrors, local: u32, items: Items, at: u32) -> (Option<Head>, Span) {
        match at.checked_sub(items.heads.len) {
            Some(at) => (None, mirrors.own[items.own.range()][at as usize]),
            None => {
                let head = mirrors.heads[items.heads.range()][at as usize];
                (Some(head), self.answer(mirrors, local, head.envelope))
            }
        }
    }

    /// What an actor may do when a message comes.
    #[inline(always)]
    pub(crate) fn answer(&self, mirrors: &mut Mirrors, local: u32, envelope: u32) -> Span {
        match mirrors.answers.get(local, envelope) {
            Some(&acts) => acts,
            None => self.ask_for_answer(mirrors, local, envelope),
        }
    }

    #[cold]
    fn ask_for_own(&self, mirrors: &mut Mirrors, local: u32) {
        let timers = 0..mirrors.locals.get(local).timers.len() as u16;
        let inputs: Vec<Input> = match mirrors.locals.get(local).status {
            Status::Down => Vec::new(),
            Status::New => vec![Input::Start],
            Status::Up => timers.map(Input::Timer).collect(),
        };
        let own: Vec<Span> = inputs.into_iter().map(|input| self.ask_for_acts(mirrors, local, input)).collect();
        let start = mirrors.own.len();
        mirrors.own.extend(own);
        mirrors.seats[local as usize].own = Span::between(start, mirrors.own.len());
    }

    #[cold]
    fn ask_for_heads(&self, mirrors: &mut Mirrors, inbox: u32) {
        let Inbox { owner, items } = &**mirrors.inboxes.get(inbox);
        let key = |id: u32| key(self.blueprint(), mirrors.envelopes.get(id).from, *owner, id);
        let (owner, envelopes): (u16, Vec<u32>) = (*owner, inbox::heads(items, key).collect());
        let start = mirrors.heads.len();
        for (envelope, nth) in envelopes.into_iter().zip(0..) {
            let from = mirrors.envelopes.get(envelope).from;
            mirrors.beds.push(sleep::bed_of_message(self.blueprint(), owner, from, nth) as u8);
            let rest = self.taken(mirrors, inbox, envelope);
            let change = Change::between(mirrors.inboxes.print(inbox), mirrors.inboxes.print(rest));
            mirrors.heads.push(Head { envelope, rest, change });
        }
        mirrors.shelves[inbox as usize] = Span::between(start, mirrors.heads.len());
    }

    #[cold]
    fn ask_for_answer(&self, mirrors: &mut Mirrors, local: u32, envelope: u32) -> Span {
        let acts = self.ask_for_acts(mirrors, local, Input::Message(envelope));
        mirrors.answers.insert(local, envelope, acts);
        acts
    }

    fn ask_for_acts(&self, mirrors: &mut Mirrors, local: u32, input: Input) -> Span {
        let effects = self.reaction(mirrors, local, input);
        let branches = mirrors.effects[effects as usize].clone();
        let (start, actor) = (mirrors.acts.len(), mirrors.locals.get(local).actor);
        for branch in branches.iter() {
            let first = mirrors.sends.len();
            self.list_sends(mirrors, actor, &branch.sends);
            mirrors.acts.push(Act {
                local: branch.local,
                change: Change::between(mirrors.locals.print(local), mirrors.locals.print(branch.local)),
                sends: Span::between(first, mirrors.sends.len()),
                undisturbed: sleep::undisturbed(self.blueprint(), actor, &branch.sends),
                aside: branch.failure != NONE || (self.watches() && branch.records()),
            });
        }
        Span::between(start, mirrors.acts.len())
    }

    /// An inbox with one more message.
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

    /// An inbox with one message less.
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

    /// What an actor does: the id of its effects.
    pub(crate) fn reaction(&self, mirrors: &mut Mirrors, local: u32, input: Input) -> u32 {
        if let Some(&id) = mirrors.reactions.get(&(local, input)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| entries.effects(blueprint, local, input));
        mirrors.reactions.insert((local, input), id);
        id
    }

    /// The step in which an actor reacts to one of its items, in full.
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
    /// The id of an inbox without messages.
    pub fn empty_inbox(&mut self, blueprint: &Blueprint, owner: u16) -> u32 {
        self.inbox(blueprint, Inbox { owner, items: Box::default() })
    }
}

/// The ways in which a handler can go.
pub(crate) fn branches(mirrors: &Mirrors, effects: u32) -> std::ops::Range<u16> {
    0..mirrors.effects[effects as usize].len() as u16
}

pub(crate) fn key(blueprint: &Blueprint, from: u16, to: u16, id: u32) -> Key {
    Key::new(blueprint.channel(from, to), from, id)
}
