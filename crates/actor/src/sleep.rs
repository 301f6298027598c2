//! Sleep sets (Godefroid): the items of actors that need not be explored in a state, because an earlier exploration in the other order
//! leads to the same states.
//!
//! Acts of two actors commute: a message that one sends is queued behind every message that the other can receive. Only if both send into
//! one queue (mbox) does the state depend on their order. But an item that is asleep must also be identified after the other act. So a
//! sleep set has a *slot* for each item whose identity survives acts of other actors: an input other than a message is identified by its
//! index in the local state, the head of a queue by the queue. Under asyn, however, a message is identified by its position among the
//! heads, so an arrival at this actor wakes all its messages.
//!
//! A sleep set is a word, with a few slots for each actor. An item without a slot is never asleep.

use crate::system::Blueprint;
use crate::table::Send;
use manyworlds_core::Network;

/// The item has no slot.
pub const NO_SLOT: u32 = u8::MAX as u32;
/// The maximal number of slots of an actor for inputs other than messages.
const OWN: u32 = 8;

/// The layout of the slots in a sleep set.
#[derive(Clone, Copy, Debug)]
pub struct SleepSlots {
    /// The number of slots of each actor.
    width: u32,
    /// How many of them are for messages.
    messages: u32,
}

impl SleepSlots {
    /// The layout for a system. Where actors can be created there are no slots.
    pub fn new(blueprint: &Blueprint) -> SleepSlots {
        let actors = blueprint.actors.len();
        let width = if blueprint.creates > 0 { 0 } else { 64 / actors.max(2) as u32 };
        SleepSlots { width, messages: width.min(width.saturating_sub(OWN).max(actors as u32)) }
    }

    /// The sleep set that contains only this slot of an actor; empty if there is no such slot.
    #[inline(always)]
    pub fn bit(self, actor: u16, slot: u32) -> u64 {
        if slot < self.width { 1 << (u32::from(actor) * self.width + slot) } else { 0 }
    }

    /// The slot of the `nth` input other than a message.
    #[inline(always)]
    pub fn own(self, nth: u32) -> u32 {
        match self.width.checked_sub(nth + 1) {
            Some(slot) if slot >= self.messages => slot,
            _ => NO_SLOT,
        }
    }
}

/// The slot of a deliverable message from `from`, the `nth` head of its inbox.
pub fn message_slot(blueprint: &Blueprint, actor: u16, from: u16, nth: u32) -> u32 {
    let slot = match arrivals(blueprint, actor) {
        Some(Network::P2p) => u32::from(from),
        Some(Network::Mbox) => 0,
        Some(Network::Asyn) => nth,
        _ => NO_SLOT,
    };
    if slot < SleepSlots::new(blueprint).messages { slot } else { NO_SLOT }
}

/// The sleep set of all items that an act of `actor` commutes with and that can be identified after it.
pub fn stays_asleep(blueprint: &Blueprint, actor: u16, sends: &[Send]) -> u64 {
    let (actors, sleep_slots) = (blueprint.actors.len() as u16, SleepSlots::new(blueprint));
    let queues = |from: u16, to: u16| blueprint.channel(from, to) == Network::Mbox;
    let races = |other: u16, to: u16| queues(actor, to) && queues(other, to) && blueprint.may_send(other, to);
    let kept = |other: u16| {
        if other == actor || sends.iter().any(|send| races(other, send.to)) {
            return 0;
        }
        let gets_message = sends.iter().any(|send| send.to == other);
        let renumbered = gets_message && !matches!(arrivals(blueprint, other), Some(Network::P2p | Network::Mbox));
        let first = if renumbered { sleep_slots.messages } else { 0 };
        (first..sleep_slots.width).fold(0, |set, slot| set | sleep_slots.bit(other, slot))
    };
    (0..actors).map(kept).sum()
}

/// The network of all channels to an actor, if it is the same for all of them.
fn arrivals(blueprint: &Blueprint, actor: u16) -> Option<Network> {
    let mut networks = (0..blueprint.actors.len() as u16).map(|from| blueprint.channel(from, actor));
    let first = networks.next()?;
    networks.all(|network| network == first).then_some(first)
}
