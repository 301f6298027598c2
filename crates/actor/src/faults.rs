//! What may go wrong, and how often. What is left of each budget is part of the global state.

/// How often each fault may happen in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// Messages that get lost. Losing one that cannot be delivered yet is the same as losing it when it can, so only those are lost.
    pub losses: u8,
    /// Messages that are delivered and stay on their way.
    pub duplicates: u8,
    /// Actors that go down.
    pub crashes: u8,
    /// Actors that come up again. With none in the run's budget, messages to an actor that is down are gone; otherwise they wait.
    pub restarts: u8,
    /// Times that the network falls into two parts which do not reach each other; messages between them wait until it heals.
    pub splits: u8,
}

impl Faults {
    /// Whether nothing can go wrong (any more). Healing and restarting need no fault to be left over.
    pub fn none(&self) -> bool {
        *self == Faults::default()
    }
}

/// The part of a global state that belongs to no actor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Weather {
    /// What may still go wrong.
    pub left: Faults,
    /// Who is on one side while the network is split, the one without the last actor: a bit for each actor.
    pub split: Option<u64>,
    /// This actor ended the execution by the failure with this number.
    pub failed: Option<(u16, u32)>,
    /// The stage of the history, if a specification watches.
    pub history: Option<u32>,
}

/// What a weather means for what can happen, at a glance.
#[derive(Clone, Copy, Debug)]
pub struct Sky {
    /// A handler failed: nothing more happens.
    pub failed: bool,
    /// Every message arrives, once and for sure.
    pub calm: bool,
    /// No fault can happen, and none can end.
    pub clear: bool,
}

impl Sky {
    /// What it means.
    pub fn new(weather: &Weather) -> Sky {
        let Weather { left, split, failed, .. } = weather;
        Sky {
            failed: failed.is_some(),
            calm: split.is_none() && left.duplicates == 0 && left.losses == 0,
            clear: split.is_none() && left.none(),
        }
    }
}

/// A split has two sides; of them the one without the last of `actors` stands for both.
pub fn named_side(side: u64, actors: usize) -> u64 {
    let last = 1 << (actors - 1);
    if side & last == 0 { side } else { !side & (last - 1) }
}

impl Weather {
    /// Whether a message from one actor reaches another now.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.split.is_none_or(|side| (side >> from) & 1 == (side >> to) & 1)
    }
}
