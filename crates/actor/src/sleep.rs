//! Sleep sets (Godefroid): which of the things an actor may react to need not be tried again, because their order makes no difference.
//!
//! Acts of two actors commute: what one sends goes behind whatever the other takes. Only if both send into one queue (mbox) does their order remain
//! visible. But what sleeps must be recognized after the other act. So a set has a *bed* for each thing that keeps its name:
//! what does not come from outside is numbered in a local state; the first message of a queue is known by the queue. Only under asyn is
//! a message known by its place among the others, and whatever arrives there wakes them all.
//!
//! A set is a word, with a few beds for each actor. Whatever finds none does not sleep.

use crate::system::Blueprint;
use crate::table::Send;
use manyworlds_core::Network;

/// Not a bed.
pub const NONE: u32 = u8::MAX as u32;
/// At most so many beds are for what does not come from outside.
const OWN: u32 = 8;

/// How many beds there are.
#[derive(Clone, Copy, Debug)]
pub struct Beds {
    /// For each actor.
    width: u32,
    /// For the messages among them.
    messages: u32,
}

impl Beds {
    /// In a system of so many actors.
    pub fn new(actors: usize) -> Beds {
        let width = 64 / actors.max(2) as u32;
        Beds { width, messages: width.min(width.saturating_sub(OWN).max(actors as u32)) }
    }

    /// The bed of an actor, as a set.
    #[inline(always)]
    pub fn bit(self, actor: u16, bed: u32) -> u64 {
        if bed < self.width { 1 << (u32::from(actor) * self.width + bed) } else { 0 }
    }

    /// The bed of the `nth` thing that does not come from outside.
    #[inline(always)]
    pub fn own(self, nth: u32) -> u32 {
        match self.width.checked_sub(nth + 1) {
            Some(bed) if bed >= self.messages => bed,
            _ => NONE,
        }
    }
}

/// The bed of a message from `from` that can be received, the `nth` of those.
pub fn bed_of_message(blueprint: &Blueprint, actor: u16, from: u16, nth: u32) -> u32 {
    let bed = match arrivals(blueprint, actor) {
        Some(Network::P2p) => u32::from(from),
        Some(Network::Mbox) => 0,
        Some(Network::Asyn) => nth,
        _ => NONE,
    };
    if bed < Beds::new(blueprint.actors.len()).messages { bed } else { NONE }
}

/// What may go on sleeping after an act of `actor`.
pub fn undisturbed(blueprint: &Blueprint, actor: u16, sends: &[Send]) -> u64 {
    let (actors, beds) = (blueprint.actors.len() as u16, Beds::new(blueprint.actors.len()));
    let queues = |from: u16, to: u16| blueprint.channel(from, to) == Network::Mbox;
    let races = |other: u16, to: u16| queues(actor, to) && queues(other, to) && blueprint.may_send(other, to);
    let left = |other: u16| {
        if other == actor || sends.iter().any(|send| races(other, send.to)) {
            return 0;
        }
        let disturbed = sends.iter().any(|send| send.to == other);
        let lost = disturbed && !matches!(arrivals(blueprint, other), Some(Network::P2p | Network::Mbox));
        let first = if lost { beds.messages } else { 0 };
        (first..beds.width).fold(0, |set, bed| set | beds.bit(other, bed))
    };
    (0..actors).map(left).sum()
}

/// How messages come to an actor, if all come in the same way.
fn arrivals(blueprint: &Blueprint, actor: u16) -> Option<Network> {
    let mut networks = (0..blueprint.actors.len() as u16).map(|from| blueprint.channel(from, actor));
    let first = networks.next()?;
    networks.all(|network| network == first).then_some(first)
}
