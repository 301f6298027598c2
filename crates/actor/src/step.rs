//! What can happen in a global state: one macro step. Every id in it is valid for all workers of a run.

/// A macro step: one message, timer or fault, and the handler to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An actor reacts: one of the first three of the following. See [`crate::Worlds::in_full`].
    Act {
        /// Who.
        actor: u16,
        /// To which of its items: messages that can come next, then what does not come from outside.
        item: u16,
        /// Which of its choices.
        branch: u16,
    },
    /// An actor starts (only where the order of starts can be seen, that is under mbox).
    Start {
        /// Who.
        actor: u16,
        /// What its handler does.
        effects: u32,
        /// Which of its choices.
        branch: u16,
    },
    /// A message is delivered.
    Deliver {
        /// To whom.
        to: u16,
        /// Id of the envelope; under causal delivery its position.
        message: u32,
        /// What the handler does.
        effects: u32,
        /// Which of its choices.
        branch: u16,
        /// It stays on its way: a duplicate.
        again: bool,
    },
    /// A timer goes off.
    Timer {
        /// Whose.
        actor: u16,
        /// Which: its position among those that are set.
        timer: u16,
        /// What the handler does.
        effects: u32,
        /// Which of its choices.
        branch: u16,
    },
    /// A message is lost.
    Lose {
        /// To whom it was sent.
        to: u16,
        /// Id of the envelope; under causal delivery its position.
        message: u32,
    },
    /// An actor goes down.
    Crash {
        /// Who.
        actor: u16,
    },
    /// An actor comes up again.
    Restart {
        /// Who.
        actor: u16,
        /// What its handler does.
        effects: u32,
        /// Which of its choices.
        branch: u16,
    },
    /// The network falls into two parts.
    Split {
        /// One of them: a bit for each actor.
        side: u64,
    },
    /// The network is whole again.
    Heal,
}

impl Step {
    /// The handler that runs, and which of its choices; `None` if none runs, or if it is not told here.
    pub fn handler(&self) -> Option<(u32, u16)> {
        match *self {
            Step::Start { effects, branch, .. }
            | Step::Timer { effects, branch, .. }
            | Step::Deliver { effects, branch, .. }
            | Step::Restart { effects, branch, .. } => Some((effects, branch)),
            _ => None,
        }
    }

    /// The actor whose handler runs, coming up again included.
    pub fn whose(&self) -> Option<u16> {
        match *self {
            Step::Restart { actor, .. } => Some(actor),
            _ => self.actor(),
        }
    }

    /// The actor that takes the step, if one does.
    pub fn actor(&self) -> Option<u16> {
        match *self {
            Step::Act { actor, .. } | Step::Start { actor, .. } | Step::Timer { actor, .. } => Some(actor),
            Step::Deliver { to, .. } => Some(to),
            _ => None,
        }
    }
}
