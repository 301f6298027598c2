//! Exhaustive (EX): every schedule, depth first (DS2 §2.2.2). Two schedules that go through the same states by the same actions are one.

use super::frame::Frame;
use super::{Promise, Scheduler};
use crate::TransitionSystem;

/// Explores every enabled transition.
pub struct Exhaustive;

impl Scheduler for Exhaustive {
    const PROMISE: Promise = Promise::EverySchedule;
    const RECEIVES: bool = false;

    fn open<M: TransitionSystem>(&mut self, frames: &mut [Frame<M>]) {
        if let Some(top) = frames.last_mut() {
            top.backtrack.fill(true);
        }
    }
}
