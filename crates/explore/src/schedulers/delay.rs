//! Delay-bounded (DB): actors take turns, and at most so many of them are skipped in one schedule (DS2 §2.2.3).
//!
//! The turn goes to the next actor after the one that moved last for which something is enabled; skipping `d` such actors costs `d`. DS2
//! draws `d` for each receive. Here every `d` that the budget allows is explored, as in the work that DS2 takes the idea from: the
//! result is not random, and all schedules with at most so many delays are explored. The choice between the receives of an actor costs no delay. With
//! a sufficiently large budget this is EX.

use super::frame::{Entry, Frame};
use super::{Promise, Scheduler};
use crate::TransitionSystem;
use crate::config::Config;

/// The actor of faults: they are scheduled as if an additional last actor performed them.
const FAULTS: u32 = u32::MAX;

/// A round robin with delays.
pub struct Delay {
    most: u32,
    /// For each state on the stack: the delays before it, and the actor that moved last.
    spent: Vec<(u32, u32)>,
}

impl Delay {
    /// With the budget of the run.
    pub fn new(config: &Config) -> Delay {
        Delay { most: config.delays, spent: Vec::new() }
    }
}

impl Scheduler for Delay {
    const PROMISE: Promise = Promise::SomeSchedules;

    fn open<M: TransitionSystem>(&mut self, frames: &mut [Frame<M>]) {
        self.spent.truncate(frames.len() - 1);
        let (spent, last) = match (self.spent.last(), &*frames) {
            (Some(&(spent, last)), [.., before, _]) => {
                let taken = &before.entries[before.taken().expect("a step was taken there")];
                (spent + delays(before, taken, last), whose(taken))
            }
            // Before the first turn.
            _ => (0, FAULTS),
        };
        self.spent.push((spent, last));
        let Some(top) = frames.last_mut() else { return };
        for nth in 0..top.entries.len() {
            top.backtrack[nth] = spent + delays(top, &top.entries[nth], last) <= self.most;
        }
    }
}

fn whose<M: TransitionSystem>(entry: &Entry<M>) -> u32 {
    entry.receive.as_ref().map_or(FAULTS, |receive| receive.receiver)
}

/// How many actors are skipped if this entry is explored.
fn delays<M: TransitionSystem>(frame: &Frame<M>, entry: &Entry<M>, last: u32) -> u32 {
    let turn = |entry: &Entry<M>| (whose(entry) <= last, whose(entry));
    let mut sooner: Vec<_> = frame.entries.iter().map(turn).filter(|&other| other < turn(entry)).collect();
    sooner.sort_unstable();
    sooner.dedup();
    sooner.len() as u32
}
