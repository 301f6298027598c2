//! IRed (IR): TransDPOR with another root (DS2 §2.2.6, Definition 7): the first of a chain of receives, each of which was sent by the receiver
//! of the one before.
//!
//! The chain is a heuristic: the last receive of an actor before a message from it arrives is taken for the cause of that message, although it may
//! have come after the send. If the root of the chain was not enabled together with the step, nothing is added. So it misses
//! schedules; the smallest system that shows it has four receives (none with fewer does, if actors always answer alike):
//!
//! ```text
//! at the start:  n for b (from a), m for a (from c)          b on n: sends x to c          a on m: sends w to b
//! ```
//!
//! In `n x m w` the last receive races with the first. Its chain goes from w to m, which c sent, and on to x, which c received before
//! m arrived but after it had been sent. x was not enabled at the start; that b gets w before n is never seen. TransDPOR takes m.

use super::{Promise, Scheduler};
use crate::receive::Receive;

/// Follows chains of senders.
pub struct IRed;

impl Scheduler for IRed {
    const PROMISE: Promise = Promise::SomeSchedules;

    fn did_enable(&self, earlier: &Receive, later: &Receive, _: bool) -> bool {
        earlier.receiver == later.sender
    }
}
