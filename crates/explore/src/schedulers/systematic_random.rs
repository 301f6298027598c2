//! Systematic random (SR): draws a receive from what is enabled until nothing is, then begins again (DS2 §2.2.1). The n-th schedule depends on the
//! seed and n alone. Whether a schedule was drawn before is not checked.

use super::frame::Frame;
use super::{Promise, Scheduler};
use crate::TransitionSystem;
use crate::config::Config;
use crate::random::of_walk;
use manyworlds_core::random::SplitMix64;

/// Schedules, if the budget does not say.
const SCHEDULES: u64 = 1_000;

/// Draws schedules.
pub struct SystematicRandom {
    seed: u64,
    schedules: u64,
    dice: SplitMix64,
}

impl SystematicRandom {
    /// As many as the budget says.
    pub fn new(config: &Config) -> SystematicRandom {
        let schedules = config.budget.executions.unwrap_or(SCHEDULES);
        SystematicRandom { seed: config.seed, schedules, dice: of_walk(config.seed, 0) }
    }
}

impl Scheduler for SystematicRandom {
    const PROMISE: Promise = Promise::SomeSchedules;
    const RECEIVES: bool = false;

    fn root(&mut self, nth: u64, roots: usize) -> Option<usize> {
        self.dice = of_walk(self.seed, nth);
        (nth < self.schedules).then(|| self.dice.below(roots))
    }

    fn open<M: TransitionSystem>(&mut self, frames: &mut [Frame<M>]) {
        let Some(top) = frames.last_mut() else { return };
        if !top.entries.is_empty() {
            let drawn = self.dice.below(top.entries.len());
            top.backtrack[drawn] = true;
        }
    }
}
