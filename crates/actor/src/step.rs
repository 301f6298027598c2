//! The steps of a system. Every id in a step is valid for all workers of a run.

/// A macro step: one message, timer or fault, and the complete run of the handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An actor reacts: a short form of `Start`, `Deliver` or `Timer`. See [`crate::Worlds::in_full`].
    Act {
        /// The actor.
        actor: u16,
        /// The index of the input among its items: deliverable messages, then inputs other than messages.
        item: u16,
        /// The branch of the handler.
        branch: u16,
    },
    /// An actor starts. This is a step only where the order of starts is observable: under mbox, and where the start records an operation.
    Start {
        /// The actor.
        actor: u16,
        /// Id of the effects of the handler.
        effects: u32,
        /// The branch of the handler.
        branch: u16,
    },
    /// A message is delivered.
    Deliver {
        /// The destination.
        to: u16,
        /// Id of the envelope; if some channel is causal, its position among the messages in flight.
        message: u32,
        /// Id of the effects of the handler.
        effects: u32,
        /// The branch of the handler.
        branch: u16,
        /// The message stays in flight: a duplicate.
        again: bool,
    },
    /// A timer expires.
    Timer {
        /// The actor.
        actor: u16,
        /// The index of the timer among those that are set.
        timer: u16,
        /// Id of the effects of the handler.
        effects: u32,
        /// The branch of the handler.
        branch: u16,
    },
    /// A message is lost.
    Lose {
        /// The destination.
        to: u16,
        /// Id of the envelope; if some channel is causal, its position among the messages in flight.
        message: u32,
    },
    /// An actor crashes.
    Crash {
        /// The actor.
        actor: u16,
    },
    /// An actor restarts after a crash.
    Restart {
        /// The actor.
        actor: u16,
        /// Id of the effects of the handler.
        effects: u32,
        /// The branch of the handler.
        branch: u16,
    },
    /// The network is partitioned into two sides.
    Split {
        /// One of the sides: a bit for each actor.
        side: u64,
    },
    /// The partition heals.
    Heal,
}

impl Step {
    /// The effects of the handler that runs, and the branch; `None` if no handler runs, or for [`Step::Act`], which does not contain them.
    pub fn handler(&self) -> Option<(u32, u16)> {
        match *self {
            Step::Start { effects, branch, .. }
            | Step::Timer { effects, branch, .. }
            | Step::Deliver { effects, branch, .. }
            | Step::Restart { effects, branch, .. } => Some((effects, branch)),
            _ => None,
        }
    }

    /// The actor whose handler runs, also for a restart.
    pub fn whose(&self) -> Option<u16> {
        match *self {
            Step::Restart { actor, .. } => Some(actor),
            _ => self.actor(),
        }
    }

    /// The actor that takes the step; `None` for faults, including restarts.
    pub fn actor(&self) -> Option<u16> {
        match *self {
            Step::Act { actor, .. } | Step::Start { actor, .. } | Step::Timer { actor, .. } => Some(actor),
            Step::Deliver { to, .. } => Some(to),
            _ => None,
        }
    }
}
