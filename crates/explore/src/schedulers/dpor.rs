//! Dynamic partial-order reduction (DP): only orders of dependent receives are distinguished (DS2 §2.2.4).
//!
//! When a step races with an earlier one, the race is reversed in the state from which that was taken: there one of the receives with which a schedule
//! can begin that has the two the other way round is added to the backtracking set, unless one of them is in it already. Such a schedule
//! takes what comes between the two and does not happen after the earlier one, then the later one; it can begin with each of its receives before
//! which none of the others has to come. They are called its initials, and the set a *source set* (Abdulla, Aronis, Jonsson, Sagonas).
//!
//! DS2 follows Flanagan and Godefroid here: only the last race of each pending receive is reversed. That assumes that a receive depends on the same steps
//! whenever it is taken. But the sends, invocations and returns of an actor may depend on its earlier receives. The smallest system that shows it:
//! under mbox, at the start, `m` for a (from a), `n` for b (from a), a timer of b. On `m`, a sends to itself; on `n`, b answers a, but only
//! after its timer went off. In the schedule m, timer, n the last step that n depends on is the timer. So n is never tried against m, and
//! timer, n, m is never seen. Here n races with m as well, and the schedule that has them the other way round begins with the timer.
//!
//! It is complete for terminal states, failures and histories. Proof: let a schedule w continue from a state, and let no initial of it be explored
//! there. Take an explored receive p that commutes with as many first steps of w as possible, and let q be the next one. As q depends on p, they
//! race after p in a schedule that is explored; so there is an explored initial u of a schedule that begins with those steps that q needs
//! and q. It is no initial of w, so it is a step that is none of those and commutes with all of them and with q as it is after p. If that is q
//! as it is in w, u commutes with more steps of w than p: impossible. If not, p is a step of the actor of q, u is not, and q
//! depends on u. Then u does as well as p, and q is the same with and without u: the same argument with u for p ends it.
//!
//! It takes for granted that steps that do not interfere commute (they change different actors and different queues, and taking from the front of a
//! queue commutes with putting something at its end), and that no step but one of the same actor disables the next step of a lane, except a
//! fault, a failure, and a handler that takes a timer back. Those make everything they disable be explored in the same state. A system in
//! which schedules do not end has no such guarantee; its runs are cut off and incomplete.

use super::bits::Bits;
use super::frame::Frame;
use super::{Promise, Scheduler, races};
use crate::TransitionSystem;

/// Reverses every race.
pub struct Dpor;

impl Scheduler for Dpor {
    const PROMISE: Promise = Promise::EveryTrace;

    fn open<M: TransitionSystem>(&mut self, frames: &mut [Frame<M>]) {
        for step in races::look_at_last(self, frames) {
            reverse(frames, step);
        }
        frames.last_mut().into_iter().for_each(races::begin);
    }
}

/// The step that was taken last could come before this one. The last of the initials is that step itself or near it: that makes fewer
/// schedules than taking the first.
fn reverse<M: TransitionSystem>(frames: &mut [Frame<M>], step: usize) {
    let initials = initials(frames, step);
    let backtrack = &mut frames[step].backtrack;
    if let Some(&entry) = initials.last()
        && !initials.iter().any(|&entry| backtrack[entry])
    {
        backtrack[entry] = true;
    }
}

/// What a schedule can begin with that takes the last step before this one: the entries of this one's frame. There are none if the last step
/// is not a receive and nothing comes between: it can happen in that frame, which is explored in full then, or this step made it possible.
fn initials<M: TransitionSystem>(frames: &[Frame<M>], step: usize) -> Vec<usize> {
    let last = frames.len() - 2;
    let mut before = Bits::default();
    let mut initials = Vec::new();
    for other in step + 1..=last {
        let past = &frames[other].past;
        if other != last && past.contains(step) {
            continue;
        }
        if !past.meets(&before) {
            initials.extend(frames[other].received().and_then(|receive| frames[step].entry(receive.lane)));
        }
        before.insert(other);
    }
    initials
}
