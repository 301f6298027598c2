//! LiViola (LV): IRed, but receives interfere only if they may touch the same key (DS2 §2.2.7, Definition 8). Linearizability is local: it can be
//! checked for each key by itself, so the order of operations on different keys does not matter.
//!
//! The model declares which keys a message touches ([`Receive::keys`]; unknown keys interfere with everything), and which messages it
//! excludes: their order is not explored.
//!
//! Both are promises. For keys: a handler that gets a message reads and writes only what belongs to the keys that the message touches, and
//! sends only messages that touch no others. For exclusions DS2 (§4.1.2) has three conditions, all of which must hold. To receive the message
//!
//! - does not interfere with others, and does not make the receiver send messages into the system that may;
//! - does not change what the receiver stores, such as the value at a key;
//! - does not change what a client observes.
//!
//! It misses the schedules that IRed misses. It misses more if the declared keys are incomplete. The smallest system that shows it is an actor that
//! remembers which of two messages with different keys came first: one of its two terminal states is found.

use super::ired::IRed;
use super::{Promise, Scheduler};
use crate::receive::Receive;

/// Compares keys.
pub struct LiViola;

impl Scheduler for LiViola {
    const PROMISE: Promise = Promise::SomeSchedules;

    fn are_dependent(&self, one: &Receive, other: &Receive) -> bool {
        !one.excluded && !other.excluded && one.keys.meet(&other.keys) && IRed.are_dependent(one, other)
    }

    fn did_enable(&self, earlier: &Receive, later: &Receive, co_enabled: bool) -> bool {
        IRed.did_enable(earlier, later, co_enabled)
    }
}
