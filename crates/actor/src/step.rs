//! What can happen in a global state: one macro step. Every id in it is valid for all workers of a run.

/// A macro step: one message, timer or fault, and the handler to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
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
        /// Id of what is on its way to this actor without it; of no meaning under causal delivery.
        rest: u32,
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
    /// What the handler does, if one runs.
    pub fn effects(&self) -> Option<u32> {
        match *self {
            Step::Start { effects, .. }
            | Step::Timer { effects, .. }
            | Step::Deliver { effects, .. }
            | Step::Restart { effects, .. } => Some(effects),
            _ => None,
        }
    }

    /// The actor that takes the step, if one does.
    pub fn actor(&self) -> Option<u16> {
        match *self {
            Step::Start { actor, .. } | Step::Timer { actor, .. } => Some(actor),
            Step::Deliver { to, .. } => Some(to),
            _ => None,
        }
    }
}
