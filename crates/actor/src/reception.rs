//! Messages that are deferred or ignored: what an actor does with a message depends on its local state ([`Actor::accepts`](crate::Actor::accepts)).
//!
//! Which messages can be delivered next then depends on the local state and the inbox together: of each queue the first message that is not deferred
//! (under causal delivery: none that must be received before it and is not deferred is in flight). To ignore a message is to take it without any effect.
//! Actors that do not defer are not asked, except when a handler runs: one that answers although it does not say that it may is a failure.

use crate::acts::{Change, Head, Span, key};
use crate::erased::Event;
use crate::inbox::{self, Inbox};
use crate::sleep;
use crate::state::State;
use crate::system::Blueprint;
use crate::table::{Branch, Entries, Input, Local, Mirrors, NONE, Status};
use crate::worlds::Worlds;
use manyworlds_core::{Accept, panics};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Entries {
    /// Whether the actor with this local state is up and may defer or ignore messages.
    pub fn defers(&self, blueprint: &Blueprint, local: &Local) -> bool {
        local.status == Status::Up && self.code(blueprint, local.actor, local.origin).1.defers()
    }

    /// What an actor does with a message in a local state. A panic counts as taking it: then the handler fails with the same panic.
    pub fn accepts(&mut self, blueprint: &Blueprint, local: u32, envelope: u32) -> Accept {
        if let Some(&known) = self.accepted.get(&(local, envelope)) {
            return known;
        }
        let before = self.locals.get(local).clone();
        let sent = self.envelopes.get(envelope).clone();
        let (_, code) = self.code(blueprint, before.actor, before.origin);
        let accept = match before.status {
            Status::Up if code.defers() => {
                let state = self.values.get(before.value).value.clone();
                let (from, message) = (self.names.pid(sent.from), self.values.get(sent.message).value.clone());
                let ask =
                    || panics::listen(|| catch_unwind(AssertUnwindSafe(|| code.accepts(&*state, from, &*message))));
                ask().unwrap_or(Accept::Take)
            }
            _ => Accept::Take,
        };
        self.accepted.insert((local, envelope), accept);
        accept
    }

    /// The effects of a message that is ignored.
    pub fn ignored(&mut self, blueprint: &Blueprint, local: u32, input: Input) -> Option<Branch> {
        let Input::Message(envelope) = input else { return None };
        (self.accepts(blueprint, local, envelope) == Accept::Ignore).then(|| Branch::nothing(local))
    }
}

impl Branch {
    /// A branch that changes nothing.
    fn nothing(local: u32) -> Branch {
        let (sends, created, notes, chosen) = Default::default();
        Branch { local, sends, created, halts: false, notes, chosen, failure: NONE }
    }
}

/// Complains if an actor that does not say that it may defer does not take the message.
pub fn complaint(
    code: &dyn crate::erased::AnyActor,
    state: Option<&dyn crate::erased::Value>,
    event: Event<'_>,
) -> Option<String> {
    let (Some(state), Event::Message(from, message)) = (state, event) else { return None };
    let accept = code.accepts(state, from, message);
    (accept != Accept::Take && !code.defers()).then(|| {
        format!(
            "`accepts` answers {accept:?} for {message:?}, but `defers` says that it always takes: let it return true"
        )
    })
}

impl Worlds {
    /// What an actor does with a message in a local state.
    pub(crate) fn accept(&self, mirrors: &mut Mirrors, local: u32, envelope: u32) -> Accept {
        if let Some(&known) = mirrors.accepted.get(&(local, envelope)) {
            return known;
        }
        let accept = self.learn(mirrors, |entries, blueprint| entries.accepts(blueprint, local, envelope));
        mirrors.accepted.insert((local, envelope), accept);
        accept
    }

    /// The heads of an inbox for an actor that defers.
    pub(crate) fn picked_heads(&self, mirrors: &mut Mirrors, local: u32, inbox: u32) -> Span {
        match mirrors.picked.get(local, inbox) {
            Some(&heads) => heads,
            None => self.pick_heads(mirrors, local, inbox),
        }
    }

    #[cold]
    fn pick_heads(&self, mirrors: &mut Mirrors, local: u32, inbox: u32) -> Span {
        let Inbox { owner, items } = (**mirrors.inboxes.get(inbox)).clone();
        let waiting = self.not_deferred(mirrors, local, &items);
        let key = |id: u32| key(self.blueprint(), mirrors.envelopes.get(id).from, owner, id);
        let envelopes: Vec<u32> = inbox::heads(&waiting, key).collect();
        let start = mirrors.heads.len();
        for (envelope, nth) in envelopes.into_iter().zip(0..) {
            let from = mirrors.envelopes.get(envelope).from;
            let rest = self.taken(mirrors, inbox, envelope);
            let change = Change::between(mirrors.inboxes.print(inbox), mirrors.inboxes.print(rest));
            mirrors.sleep_slots.push(sleep::message_slot(self.blueprint(), owner, from, nth) as u8);
            mirrors.heads.push(Head { envelope, rest, change });
        }
        let heads = match mirrors.heads.len() {
            end if end == start => Span::NOTHING,
            end => Span::between(start, end),
        };
        mirrors.picked.insert(local, inbox, heads);
        heads
    }

    /// The messages that are not deferred in a local state, in their order.
    pub(crate) fn not_deferred(&self, mirrors: &mut Mirrors, local: u32, items: &[u32]) -> Vec<u32> {
        items.iter().copied().filter(|&id| self.accept(mirrors, local, id) != Accept::Defer).collect()
    }

    /// Whether an actor defers messages in a state.
    pub(crate) fn picks(&self, mirrors: &Mirrors, state: &State, actor: u16) -> bool {
        mirrors.local_summaries[state.ids[usize::from(actor)] as usize].picks
    }
}
