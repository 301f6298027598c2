//! Messages on their way to one actor, in a canonical order, so that equal sets of messages are one id.
//!
//! Each channel has a network. What comes by asyn is a multiset, kept sorted; what comes by p2p is a queue for each sender; what comes by
//! mbox is one queue. All three are one list ordered by [`Key`]: a new message goes behind the last one with the same key, and a message can
//! be delivered iff it is the first with its key.

use manyworlds_core::Network;
use manyworlds_explore::fingerprint;

/// Messages on their way to one actor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Inbox {
    /// Whose it is.
    pub owner: u16,
    /// Ids of envelopes.
    pub items: Box<[u32]>,
}

/// What a message must not overtake: messages with the same key.
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

    fn ordered(self) -> bool {
        self.0 != 0
    }
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

/// The messages that can be delivered.
pub fn heads<'a>(items: &'a [u32], key: impl Fn(u32) -> Key + 'a) -> impl Iterator<Item = u32> + 'a {
    let mut last = None;
    items.iter().copied().filter(move |&id| last.replace(key(id)) != Some(key(id)))
}

/// 128 bits that stand for the list. Ids differ from run to run, so it is made of the `print`s of the envelopes; those under asyn
/// are sorted by id, so they are added up.
pub fn print(items: &[u32], key: impl Fn(u32) -> Key, print: impl Fn(u32) -> u128) -> u128 {
    let (ordered, unordered): (Vec<u32>, Vec<u32>) = items.iter().partition(|&&id| key(id).ordered());
    let queue: Vec<u128> = ordered.into_iter().map(&print).collect();
    let bag = unordered.into_iter().fold(0u128, |sum, id| sum.wrapping_add(fingerprint::of(&print(id))));
    fingerprint::of(&(bag, queue))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Envelope ids say who sent them: tens are the sender.
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
    fn the_print_ignores_the_order_of_ids_only_where_there_is_no_order() {
        let of = |network, ids: &[u32]| print(ids, key(network), u128::from);
        assert_eq!(of(Network::Asyn, &[11, 21]), of(Network::Asyn, &[21, 11]));
        assert_ne!(of(Network::Asyn, &[11, 11]), of(Network::Asyn, &[11]));
        assert_ne!(of(Network::Mbox, &[11, 21]), of(Network::Mbox, &[21, 11]));
    }
}
