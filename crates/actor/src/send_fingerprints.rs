//! The change of a state's fingerprint by a message that is sent.
//!
//! The fingerprint of an inbox is a sum over its messages, each with its position in its queue (0 under asyn, where there is no order). So
//! a new message adds a term that depends on the message and on the length of its queue, and on nothing else of the inbox. There are few
//! such terms compared with the number of inboxes, so the table of them stays in the cache.

use crate::acts::{Change, key};
use crate::inbox::{self, Inbox, Key};
use crate::table::{Mirrors, Send, Slot};
use crate::worlds::Worlds;
use manyworlds_core::Pid;
use manyworlds_explore::fingerprint;

/// The number of positions for which the terms are computed in advance.
const PRECOMPUTED: u32 = 4;

/// A message that an act sends.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The destination.
    pub to: u16,
    /// The queue in the destination's inbox, see [`Key::lane`].
    lane: u16,
    /// Id of the envelope.
    pub envelope: u32,
    /// The number of messages that the same act adds to that queue before this one.
    earlier: u32,
    /// The index of its first term in [`Mirrors::send_changes`].
    first_change: u32,
}

/// The term of a message at this position of its queue in the fingerprint of an inbox; `created` is the id of the owner if it is a created actor.
pub fn message_fingerprint(owner: u16, created: Option<u64>, place: u32, envelope: u128) -> u128 {
    fingerprint::of(&(created.map_or(Slot::Inbox(owner), Slot::CreatedInbox), place, envelope))
}

/// The fingerprint of an inbox.
pub fn inbox_fingerprint(
    inbox: &Inbox,
    created: Option<u64>,
    key: impl Fn(u32) -> Key,
    envelope: impl Fn(u32) -> u128,
) -> u128 {
    let fingerprint = |(id, place)| message_fingerprint(inbox.owner, created, place, envelope(id));
    inbox::places(&inbox.items, key).map(fingerprint).fold(0, u128::wrapping_add)
}

impl Worlds {
    /// Adds the messages that an act of `from` sends to [`Mirrors::sends`].
    pub(crate) fn list_sends(&self, mirrors: &mut Mirrors, from: u16, sends: &[Send]) {
        for (at, &Send { to, envelope, .. }) in sends.iter().enumerate() {
            let key = key(self.blueprint(), from, to, envelope);
            let earlier = sends[..at].iter().filter(|send| key.is_ordered() && send.to == to).count() as u32;
            let first_change = self.first_change(mirrors, to, envelope);
            mirrors.sends.push(Sent { to, lane: key.lane(), envelope, earlier, first_change });
        }
    }

    fn first_change(&self, mirrors: &mut Mirrors, to: u16, envelope: u32) -> u32 {
        if let Some(&first_change) = mirrors.send_change_starts.get(u32::from(to), envelope) {
            return first_change;
        }
        let first_change = u32::try_from(mirrors.send_changes.len()).expect("more entries than 32 bits can count");
        let print = mirrors.envelopes.print(envelope);
        let created = mirrors.names.created(to).map(Pid::to_bits);
        let term = |place| Change::by(message_fingerprint(to, created, place, print));
        mirrors.send_changes.extend((0..PRECOMPUTED).map(term));
        mirrors.send_change_starts.insert(u32::from(to), envelope, first_change);
        first_change
    }

    /// The change of the fingerprint by one message of an act; `inbox` is the inbox of its destination before the act sends anything.
    #[inline(always)]
    pub(crate) fn send_change(&self, mirrors: &Mirrors, inbox: u32, sent: &Sent) -> Change {
        let waiting = mirrors.lengths[inbox as usize * mirrors.lanes + usize::from(sent.lane)];
        let place = u32::from(waiting) + sent.earlier;
        if place < PRECOMPUTED {
            mirrors.send_changes[(sent.first_change + place) as usize]
        } else {
            self.send_change_in_long_queue(mirrors, inbox, sent)
        }
    }

    /// The same for queues that are longer than [`PRECOMPUTED`].
    #[cold]
    fn send_change_in_long_queue(&self, mirrors: &Mirrors, inbox: u32, sent: &Sent) -> Change {
        let Inbox { owner, items } = &**mirrors.inboxes.get(inbox);
        let key = |id: u32| key(self.blueprint(), mirrors.envelopes.get(id).from, *owner, id);
        let same = items.iter().filter(|&&id| key(id) == key(sent.envelope)).count() as u32;
        let created = mirrors.names.created(*owner).map(Pid::to_bits);
        Change::by(message_fingerprint(*owner, created, same + sent.earlier, mirrors.envelopes.print(sent.envelope)))
    }
}
