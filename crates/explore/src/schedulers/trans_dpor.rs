//! TransDPOR (TD): a backtracking set grows by one receive at a time and is then frozen until that one is explored (DS2 §2.2.5, Algorithm 1).
//!
//! The receive that is added is the one that races, if it was enabled; otherwise the first of what may have made it possible and was
//! enabled. The paper is not of one mind about that. By Definition 6 it is the first receive after the dependent step on which the
//! racing one depends; by the text, the walk through figure 5 and the figures it is the first one whatsoever. This is the text:
//! [`Scheduler::did_enable`] is always true. (With Definition 6 in its place nothing is left for IRed to improve.) The text tries the second
//! option only if the first one fails; by the letter of line 6 both are candidates at once. In line 7 the receive is one of `E \\ backtrack`, of
//! course, and not any of `E`.
//!
//! MISSES

use super::frame::Frame;
use super::races::Race;
use super::{Promise, Scheduler};
use crate::Model;
use crate::receive::Receive;

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
    let Some(entry) = at.entry(receive.lane).or_else(|| root(scheduler, frames, race.step, receive)) else { return };
    let at = &mut frames[race.step];
    if !at.backtrack[entry] {
        at.backtrack[entry] = true;
        at.frozen = true;
    }
}

/// The root enabler: follows what enabled the receive back to the step that it races with; the first that was enabled there.
fn root<M: Model, S: Scheduler>(scheduler: &S, frames: &[Frame<M>], step: usize, receive: &Receive) -> Option<usize> {
    let between = &frames[step + 1..frames.len() - 1];
    let (mut current, mut root) = (receive, None);
    for earlier in between.iter().rev().filter_map(Frame::received) {
        if scheduler.did_enable(earlier, current) {
            current = earlier;
            root = frames[step].entry(earlier.lane).or(root);
        }
    }
    root
}
