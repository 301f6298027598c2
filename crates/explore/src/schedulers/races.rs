//! The happens-before relation of a schedule, and its races: pairs of steps that could occur in the other order. DP uses the races of each step
//! that is taken ([`look_at_last`]), the others the last race of each pending receive ([`look_back`], as in the paper).
//!
//! A step happens before a later one if they are dependent, if it sent what the later one receives, if it received from the same lane,
//! or by transitivity. (DS2's Definition 4 has the first of these only. Taken literally, a message would not be caused by the receive that made its
//! sender send it; line 4 of Algorithm 1 stops at such a pair and never reaches the race behind it. The papers that it builds on
//! have all of them.)

use super::Scheduler;
use super::bits::Bits;
use super::frame::Frame;
use super::trans_dpor;
use crate::TransitionSystem;
use crate::receive::{Lane, Receive};

/// Algorithm 1, lines 3 to 12, for the state on top: finds the last race of each pending receive and schedules its reversal.
pub fn look_back<M: TransitionSystem, S: Scheduler>(scheduler: &S, frames: &mut [Frame<M>]) {
    look_at_last(scheduler, frames);
    let top = frames.len() - 1;
    let entries = std::mem::take(&mut frames[top].entries);
    for receive in entries.iter().filter_map(|entry| entry.receive.as_ref()) {
        let past = causes(frames, receive);
        if let Some(step) = last_race(scheduler, frames, receive, &past) {
            trans_dpor::reverse(scheduler, frames, step, receive);
        }
    }
    frames[top].entries = entries;
}

/// Initialises the backtracking set of the state on top: with one entry, or with all entries if one of them is not a receive and so depends on
/// everything.
pub fn begin<M: TransitionSystem>(top: &mut Frame<M>) {
    let all = top.entries.iter().any(|entry| entry.receive.is_none());
    match top.backtrack.as_mut_slice() {
        backtrack if all => backtrack.fill(true),
        [first, ..] => *first = true,
        [] => {}
    }
}

/// Computes the steps that happen before the last step, and returns those it races with: those that it depends on, that did not enable
/// it, and that happen before no other one on which it depends. They could come after it, with everything else unchanged.
pub fn look_at_last<M: TransitionSystem, S: Scheduler>(scheduler: &S, frames: &mut [Frame<M>]) -> Vec<usize> {
    let Some(last) = frames.len().checked_sub(2) else { return Vec::new() };
    explore_disabled(frames);
    let receive = frames[last].received();
    let mut past = receive.map_or_else(Bits::default, |receive| causes(&frames[..=last], receive));
    let mut races = Vec::new();
    for step in (0..last).rev() {
        if !past.contains(step) && receive.is_none_or(|receive| depend(scheduler, frames[step].received(), receive)) {
            add(&mut past, frames, step);
            races.push(step);
        }
    }
    frames[last].past = past;
    races
}

/// The last step may have disabled others: a timer, or everything, if it failed. The disabled receives are no longer pending, so these races are
/// reversed at once.
fn explore_disabled<M: TransitionSystem>(frames: &mut [Frame<M>]) {
    let [.., before, after] = frames else { return };
    let taken = before.taken();
    for (nth, entry) in before.entries.iter().enumerate() {
        let gone = entry.lane().is_some_and(|lane| after.entry(lane).is_none());
        if gone && Some(nth) != taken {
            before.backtrack[nth] = true;
        }
    }
}

/// The last step that could come after `receive` instead of before it (line 4).
fn last_race<M: TransitionSystem, S: Scheduler>(
    scheduler: &S,
    frames: &[Frame<M>],
    receive: &Receive,
    past: &Bits,
) -> Option<usize> {
    let steps = 0..frames.len() - 1;
    steps.rev().find(|&step| !past.contains(step) && depend(scheduler, frames[step].received(), receive))
}

/// Whether two steps are dependent; `None` is a step that is not a receive.
fn depend<S: Scheduler>(scheduler: &S, step: Option<&Receive>, receive: &Receive) -> bool {
    step.is_none_or(|step| scheduler.are_dependent(step, receive))
}

/// The steps that must have been taken before `receive` can be: the one that sent it, the one that took what was before it in its lane, the one
/// that unblocked it, and what happened before those.
fn causes<M: TransitionSystem>(frames: &[Frame<M>], receive: &Receive) -> Bits {
    let mut past = Bits::default();
    let received = |frame: &Frame<M>| frame.received().is_some_and(|other| other.lane == receive.lane);
    let steps = &frames[..frames.len() - 1];
    let creator = creator(frames, receive);
    for step in [creator, steps.iter().rposition(received), unblocked(frames, receive, creator)].into_iter().flatten() {
        add(&mut past, frames, step);
    }
    past
}

/// The step that made it possible to receive a message which had been sent before and had to wait: for another one that precedes it
/// causally, or for its receiver to start.
fn unblocked<M: TransitionSystem>(frames: &[Frame<M>], receive: &Receive, creator: Option<usize>) -> Option<usize> {
    let step = (0..frames.len() - 1).rev().find(|&step| frames[step].entry(receive.lane).is_none())?;
    creator.is_none_or(|creator| creator < step).then_some(step)
}

/// The step that sent the received message. A step that is not a receive is taken for the sender of every message.
fn creator<M: TransitionSystem>(frames: &[Frame<M>], receive: &Receive) -> Option<usize> {
    let mut left = receive.waiting as usize;
    let sent = |receive: &Receive, lane: Lane| receive.sends.iter().filter(|&&to| to == lane).count();
    (0..frames.len() - 1).rev().find(|&step| match frames[step].received() {
        None => true,
        Some(earlier) => {
            left = left.saturating_sub(sent(earlier, receive.lane));
            left == 0
        }
    })
}

fn add<M: TransitionSystem>(past: &mut Bits, frames: &[Frame<M>], step: usize) {
    past.extend(&frames[step].past);
    past.insert(step);
}
