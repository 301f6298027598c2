//! What a message that sets out adds to the fingerprint of a state.
//!
//! The print of an inbox is a sum over its messages, each with its place in its queue (under asyn there is no order, so there are no places). So a
//! new message adds something that depends on the message and on the length of its queue, and on nothing else of the inbox: there are
//! few such additions, however many inboxes there are, and they stay near.

use crate::acts::{Change, key};
use crate::inbox::{self, Inbox, Key};
use crate::table::{Mirrors, Send, Slot};
use crate::worlds::Worlds;
use manyworlds_explore::fingerprint;

/// The additions for so many places are worked out in advance.
const NEAR: u32 = 4;

/// A message that an act sends.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// To whom.
    pub to: u16,
    /// Its queue there, see [`Key::lane`].
    lane: u16,
    /// Id of the envelope.
    pub envelope: u32,
    /// How many messages the same act puts into that queue before this one.
    earlier: u32,
    /// Where its additions begin in [`Mirrors::landings`].
    near: u32,
}

/// What a message at this place of its queue adds to the print of an inbox.
pub fn landing(owner: u16, place: u32, envelope: u128) -> u128 {
    fingerprint::of(&(Slot::Inbox(owner), place, envelope))
}

/// The print of an inbox.
pub fn print(inbox: &Inbox, key: impl Fn(u32) -> Key, envelope: impl Fn(u32) -> u128) -> u128 {
    let lands = |(id, place)| landing(inbox.owner, place, envelope(id));
    inbox::places(&inbox.items, key).map(lands).fold(0, u128::wrapping_add)
}

impl Worlds {
    /// Adds what an act of `from` sends to [`Mirrors::sends`].
    pub(crate) fn list_sends(&self, mirrors: &mut Mirrors, from: u16, sends: &[Send]) {
        for (at, &Send { to, envelope, .. }) in sends.iter().enumerate() {
            let key = key(self.blueprint(), from, to, envelope);
            let earlier = sends[..at].iter().filter(|send| key.is_ordered() && send.to == to).count() as u32;
            let near = self.near(mirrors, to, envelope);
            mirrors.sends.push(Sent { to, lane: key.lane(), envelope, earlier, near });
        }
    }

    fn near(&self, mirrors: &mut Mirrors, to: u16, envelope: u32) -> u32 {
        if let Some(&near) = mirrors.near.get(u32::from(to), envelope) {
            return near;
        }
        let near = u32::try_from(mirrors.landings.len()).expect("more entries than 32 bits can count");
        let print = mirrors.envelopes.print(envelope);
        mirrors.landings.extend((0..NEAR).map(|place| Change::by(landing(to, place, print))));
        mirrors.near.insert(u32::from(to), envelope, near);
        near
    }

    /// What a message of an act adds to the fingerprint; `inbox` is its destination's before the act sends anything.
    #[inline(always)]
    pub(crate) fn landing(&self, mirrors: &Mirrors, inbox: u32, sent: &Sent) -> Change {
        let waiting = mirrors.lengths[inbox as usize * mirrors.lanes + usize::from(sent.lane)];
        let place = u32::from(waiting) + sent.earlier;
        if place < NEAR { mirrors.landings[(sent.near + place) as usize] } else { self.far(mirrors, inbox, sent) }
    }

    /// The same for a long queue.
    #[cold]
    fn far(&self, mirrors: &Mirrors, inbox: u32, sent: &Sent) -> Change {
        let Inbox { owner, items } = &**mirrors.inboxes.get(inbox);
        let key = |id: u32| key(self.blueprint(), mirrors.envelopes.get(id).from, *owner, id);
        let same = items.iter().filter(|&&id| key(id) == key(sent.envelope)).count() as u32;
        Change::by(landing(*owner, same + sent.earlier, mirrors.envelopes.print(sent.envelope)))
    }
}
