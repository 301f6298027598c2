//! IRed (IR): TransDPOR with another root (DS2 §2.2.6, Definition 7): the first of a chain of receives, each of which was sent by the receiver
//! of the one before.
//!
//! The chain guesses: the last receive of an actor before something it sent arrived is taken for its cause, although it may have come after
//! the sending. In the system of `trans_dpor` `n` was sent by `c` when it started; the chain from `m2` goes to `n` and on
//! to `w`, which `c` received later. `w` was not enabled in the state of `m1`, so nothing is added, and a schedule is missed.

use super::{Promise, Scheduler};
use crate::receive::Receive;

/// Follows chains of senders.
pub struct IRed;

impl Scheduler for IRed {
    const PROMISE: Promise = Promise::SomeSchedules;

    fn did_enable(&self, earlier: &Receive, later: &Receive) -> bool {
        earlier.receiver == later.sender
    }
}
