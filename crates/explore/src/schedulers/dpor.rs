//! Dynamic partial-order reduction (DP) after Flanagan and Godefroid: only orders of dependent receives are told apart (DS2 §2.2.4).
//!
//! When a receive races with an earlier step, the race is reversed in the state from which that step was taken: there the receive itself is
//! added to the backtracking set, or, if it was not enabled, the receives after that step which it depends on and which were. DS2 adds all receives
//! that came in between; those on which it does not depend bring it no nearer. If there are none, everything enabled is added.
//!
//! Where several processes send into one queue (mbox) it may miss schedules, and is incomplete: whether a step sends there, and so what it depends on, may
//! itself depend on an earlier step of its actor. The smallest system that shows it: at the start, `m` for a (from a), `n` for b (from a), a timer of
//! b. On `m`, a sends to itself; on `n`, b answers a, but only after its timer went off. In the schedule m, timer, n the last step that n depends
//! on is the timer, so that n is not tried against m; timer, n, m is never seen.
//!
//! Elsewhere it is complete for states at rest, failures and histories. The argument is theirs, with lanes for processes: a
//! lane has one next step at a time; steps that do not interfere commute (they change different actors and different queues, and taking from the
//! front of a queue commutes with putting something at its end); no step but its own, of the same actor, disables the next step of a
//! lane, except a fault, a failure, and a handler that takes a timer back, and those make everything they disable be explored in the same
//! state. A system in which schedules do not end has no such guarantee; its runs are cut off and incomplete.

use super::frame::Frame;
use super::races::Race;
use super::{Promise, Scheduler};
use crate::Model;

/// Reverses every race.
pub struct Dpor;

impl Scheduler for Dpor {
    const PROMISE: Promise = Promise::EveryTrace;

    fn reverse<M: Model>(&self, frames: &mut [Frame<M>], race: &Race<'_>) {
        let (below, above) = frames.split_at_mut(race.step + 1);
        let at = &mut below[race.step];
        if let Some(entry) = race.receive.and_then(|receive| at.entry(receive.lane)) {
            at.backtrack[entry] = true;
            return;
        }
        let mut found = false;
        for (nth, frame) in above.iter().enumerate() {
            if !race.past.contains(race.step + 1 + nth) {
                continue;
            }
            if let Some(entry) = frame.received().and_then(|receive| at.entry(receive.lane)) {
                at.backtrack[entry] = true;
                found = true;
            }
        }
        if !found {
            at.backtrack.fill(true);
        }
    }
}
