//! The messages in flight to one actor, in a canonical order, so that equal sets of messages have one id.
//!
//! Each channel has a network. Messages under asyn are a multiset, kept sorted; under p2p they are a queue for each sender; under mbox they
//! are one queue. All three are parts of one list ordered by [`Key`]: a new message is inserted behind the last one with the same key, and
//! a message can be delivered iff it is the first with its key.

use manyworlds_core::Network;

/// The messages in flight to one actor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Inbox {
    /// The destination.
    pub owner: u16,
    /// Ids of envelopes.
    pub items: Box<[u32]>,
}

/// The key of a message: it must not overtake messages with the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key(u8, u32);

impl Key {
    /// The key of the envelope `id` from `from` under `network`.
    pub fn new(network: Network, from: u16, id: u32) -> Key {
        match network {
            Network::Asyn => Key(0, id),
            Network::P2p | Network::Cd => Key(1, u32::from(from)),
            Network::Mbox => Key(2, 0),
        }
    }

    /// A number that is different for each key.
    pub fn to_bits(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.1)
    }

    /// Whether messages with this key form a queue.
    pub fn is_ordered(self) -> bool {
        self.0 != 0
    }

    /// The number of the queue: 0 for messages under asyn, which form no queue, 1 for mbox, then one for each sender.
    pub fn lane(self) -> u16 {
        match self {
            Key(0, _) => 0,
            Key(1, from) => 2 + from as u16,
            _ => 1,
        }
    }
}

/// The number of values that [`Key::lane`] can have.
pub fn lanes(actors: usize) -> usize {
    actors + 2
}

/// The list with one more message.
pub fn push(items: &[u32], id: u32, key: impl Fn(u32) -> Key) -> Box<[u32]> {
    let at = items.partition_point(|&other| key(other) <= key(id));
    let mut longer = Vec::with_capacity(items.len() + 1);
    longer.extend_from_slice(&items[..at]);
    longer.push(id);
    longer.extend_from_slice(&items[at..]);
    longer.into()
}

/// The list without the first message with this id.
pub fn take(items: &[u32], id: u32) -> Box<[u32]> {
    let at = items.iter().position(|&other| other == id).expect("only a message that is there is taken");
    items.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &other)| other).collect()
}

/// The heads: the messages that can be delivered.
pub fn heads<'a>(items: &'a [u32], key: impl Fn(u32) -> Key + 'a) -> impl Iterator<Item = u32> + 'a {
    let mut last = None;
    items.iter().copied().filter(move |&id| last.replace(key(id)) != Some(key(id)))
}

/// The messages, each with its position in its queue; 0 under asyn.
pub fn places<'a>(items: &'a [u32], key: impl Fn(u32) -> Key + 'a) -> impl Iterator<Item = (u32, u32)> + 'a {
    let (mut last, mut place) = (None, 0);
    items.iter().map(move |&id| {
        let key = key(id);
        place = if key.is_ordered() && last.replace(key) == Some(key) { place + 1 } else { 0 };
        (id, place)
    })
}

/// Appends the lengths of the first `lanes` queues to `out`; lengths saturate at 255.
pub fn lengths(items: &[u32], key: impl Fn(u32) -> Key, lanes: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + lanes, 0);
    for key in items.iter().map(|&id| key(id)).filter(|key| key.is_ordered()) {
        if let Some(length) = out.get_mut(start + usize::from(key.lane())) {
            *length = length.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In these tests the sender of envelope `id` is `id / 10`.
    fn key(network: Network) -> impl Fn(u32) -> Key {
        move |id| Key::new(network, (id / 10) as u16, id)
    }

    fn filled(network: Network, ids: &[u32]) -> Vec<u32> {
        ids.iter().fold(Box::<[u32]>::default(), |items, &id| push(&items, id, key(network))).into_vec()
    }

    fn first(network: Network, ids: &[u32]) -> Vec<u32> {
        heads(&filled(network, ids), key(network)).collect()
    }

    #[test]
    fn asyn_is_a_multiset_p2p_a_queue_a_sender_mbox_one_queue() {
        let ids = [21, 11, 22, 11];
        assert_eq!(filled(Network::Asyn, &ids), [11, 11, 21, 22]);
        assert_eq!(filled(Network::P2p, &ids), [11, 11, 21, 22]);
        assert_eq!(filled(Network::Mbox, &ids), [21, 11, 22, 11]);
        assert_eq!(first(Network::Asyn, &ids), [11, 21, 22]);
        assert_eq!(first(Network::P2p, &ids), [11, 21]);
        assert_eq!(first(Network::Mbox, &ids), [21]);
        assert_eq!(first(Network::P2p, &[22, 21]), [22]);
    }

    #[test]
    fn places_and_lengths_are_those_of_queues() {
        let ids = [21, 11, 22, 11];
        let of = |network| places(&filled(network, &ids), key(network)).collect::<Vec<_>>();
        assert_eq!(of(Network::Asyn), [(11, 0), (11, 0), (21, 0), (22, 0)]);
        assert_eq!(of(Network::P2p), [(11, 0), (11, 1), (21, 0), (22, 1)]);
        assert_eq!(of(Network::Mbox), [(21, 0), (11, 1), (22, 2), (11, 3)]);
        let of = |network, ids: &[u32]| {
            let mut out = vec![7];
            lengths(ids, key(network), lanes(3), &mut out);
            out
        };
        assert_eq!(of(Network::Asyn, &ids), [7, 0, 0, 0, 0, 0]);
        assert_eq!(of(Network::P2p, &ids), [7, 0, 0, 0, 2, 2]);
        assert_eq!(of(Network::Mbox, &ids), [7, 0, 4, 0, 0, 0]);
        assert_eq!(of(Network::P2p, &[11; 300]), [7, 0, 0, 0, 255, 0]);
    }
}
