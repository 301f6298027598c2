//! TransDPOR (TD): a backtracking set grows by one receive at a time and is then frozen until that one is explored (DS2 §2.2.5, Algorithm 1).
//!
//! The receive that is added is the one that races, if it was enabled; otherwise the root of what made it possible. Algorithm 1 and
//! Definition 6 take for that the first receive after the dependent step on which it depends; the text and the walk through figure 5 take
//! the first one whatsoever. This is the text: [`Scheduler::did_enable`] is always true. (With Definition 6 in its place hardly anything is
//! left for IRed to improve.) The second option is tried only if the first one fails, as the text says; by the letter of line 6 both are
//! candidates at once. In line 7 the receive is one of `E \ backtrack`, of course, and not any of `E`.
//!
//! It misses schedules: if the first receive after the dependent step was not enabled in that state, nothing is added at all. The smallest system
//! that shows it has three actors, and IRed misses the same schedule:
//!
//! ```text
//! c starts: sends m1 to a, n to b        schedule:  m1▹a, w▹c, n▹b, m2▹a
//! a on m1:  sends w to c                 m2 races with m1, and was not enabled there; w is the first receive
//! b on n:   sends m2 to a                after m1, and was not either: a never gets m2 before m1
//! ```

use super::frame::Frame;
use super::races::Race;
use super::{Promise, Scheduler};
use crate::Model;
use crate::receive::{Lane, Receive};

/// One reversal at a time.
pub struct TransDpor;

impl Scheduler for TransDpor {
    const PROMISE: Promise = Promise::SomeSchedules;
}

/// Adds one receive to the backtracking set of the state from which the step was taken, unless that is frozen.
pub fn reverse<M: Model, S: Scheduler>(scheduler: &S, frames: &mut [Frame<M>], race: &Race<'_>) {
    let at = &frames[race.step];
    if at.frozen {
        return;
    }
    // What is no receive is explored in full where it can happen; the paper has none.
    let Some(receive) = race.receive else { return };
    let co_enabled = at.entry(receive.lane);
    let Some(entry) = co_enabled.or_else(|| at.entry(root(scheduler, frames, race.step, receive)?)) else { return };
    let at = &mut frames[race.step];
    if !at.backtrack[entry] {
        at.backtrack[entry] = true;
        at.frozen = true;
    }
}

/// The root enabler: follows what enabled the receive back to the step that it races with.
fn root<M: Model, S: Scheduler>(scheduler: &S, frames: &[Frame<M>], step: usize, receive: &Receive) -> Option<Lane> {
    let between = &frames[step + 1..frames.len() - 1];
    let (mut current, mut root) = (receive, None);
    for earlier in between.iter().rev().filter_map(Frame::received) {
        if scheduler.did_enable(earlier, current) {
            (current, root) = (earlier, Some(earlier.lane));
        }
    }
    root
}
