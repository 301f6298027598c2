//! TransDPOR (TD): a backtracking set grows by one receive at a time and is then frozen until that one is explored (DS2 §2.2.5, Algorithm 1).
//!
//! The receive that is added is the one that races, if it was enabled together with the step that it races with; otherwise the root of what
//! made it possible. The paper defines that root in two ways. By Definition 6 it is the first receive after the step on which the
//! racing one depends. By the text, the walk through figure 5 and its figures it is the first one that was enabled, whatever it does,
//! and IRed improves on it by a more precise root. This implements the text. The text tries the second option only if the first one fails; according
//! to line 6 both are candidates at once. In line 7 the receive must be one of `E \ backtrack`, not any of `E`.
//!
//! It misses schedules: when the first receive is in the set already, nothing is added, although the cause may not be. The smallest system
//! that shows it has five receives (none with fewer does, if actors always answer alike):
//!
//! ```text
//! at the start:  x for d, y for b, z for c          b on y: sends q to d          c on z: sends p to b
//! ```
//!
//! There are two races, x and q at d, y and p at b, and so four ends. After `x y z q p` the state at the start is to explore y too. After
//! `y x z q p` the race of y and p adds the first receive after y: x, which is in the set already. No race adds z, so the two
//! reversals together (`z p y q x`) are never explored. DP adds z, on which p depends; IRed follows p to z.

use super::frame::Frame;
use super::{Promise, Scheduler};
use crate::TransitionSystem;
use crate::receive::Receive;

/// One reversal at a time.
pub struct TransDpor;

impl Scheduler for TransDpor {
    const PROMISE: Promise = Promise::SomeSchedules;
}

/// A receive could come before a step that was taken (Algorithm 1, lines 5 to 8): adds one receive to the backtracking set of the state from
/// which that step was taken, unless that is frozen.
pub fn reverse<M: TransitionSystem, S: Scheduler>(
    scheduler: &S,
    frames: &mut [Frame<M>],
    step: usize,
    receive: &Receive,
) {
    let at = &frames[step];
    if at.frozen {
        return;
    }
    let Some(entry) = at.entry(receive.lane).or_else(|| root(scheduler, frames, step, receive)) else { return };
    let at = &mut frames[step];
    if !at.backtrack[entry] {
        at.backtrack[entry] = true;
        at.frozen = true;
    }
}

/// The root enabler: follows what enabled the receive back to the step that it races with. It counts if it was enabled there.
fn root<M: TransitionSystem, S: Scheduler>(
    scheduler: &S,
    frames: &[Frame<M>],
    step: usize,
    receive: &Receive,
) -> Option<usize> {
    let between = &frames[step + 1..frames.len() - 1];
    let (mut current, mut root) = (receive, None);
    for earlier in between.iter().rev().filter_map(Frame::received) {
        let entry = frames[step].entry(earlier.lane);
        if scheduler.did_enable(earlier, current, entry.is_some()) {
            (current, root) = (earlier, entry);
        }
    }
    root
}
