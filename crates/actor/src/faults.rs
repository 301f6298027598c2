//! Faults and fault budgets. The remaining budgets are part of the global state.

/// The fault budget: how often each fault may occur in one execution. Losses and duplicates do not hit messages of an actor to itself, unless the
/// system says so ([`System::faults_hit_own_messages`](crate::System::faults_hit_own_messages)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// Message losses. Losing a message that cannot be delivered yet leads to the same states as losing it once it can be, so only
    /// deliverable messages are lost.
    pub losses: u8,
    /// Deliveries after which the message stays in flight.
    pub duplicates: u8,
    /// Crashes of actors.
    pub crashes: u8,
    /// Restarts of crashed actors. If this budget is 0 initially, messages to a crashed actor are dropped; otherwise they wait for its
    /// restart.
    pub restarts: u8,
    /// Partitions of the network into two sides; messages between the sides wait until the partition heals.
    pub splits: u8,
}

impl Faults {
    /// Whether the budget is exhausted. An actor that is down or a partition may still be there; healing a partition costs nothing.
    pub fn none(&self) -> bool {
        *self == Faults::default()
    }
}

/// The environment: the part of a global state that belongs to no actor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Environment {
    /// The remaining fault budget.
    pub left: Faults,
    /// The side of the current partition that does not contain the last actor: a bit for each actor.
    pub split: Option<u64>,
    /// The actor whose failure ended the execution, and the number of that failure.
    pub failed: Option<(u16, u32)>,
    /// The stage of the history, if a specification monitors it.
    pub history: Option<u32>,
    /// Id of the states of the monitors.
    pub monitors: u32,
}

/// Summary of an environment: the facts that determine which steps are enabled.
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentSummary {
    /// A handler failed: no step is enabled.
    pub failed: bool,
    /// Every message can be delivered and is delivered exactly once: no partition, no losses and no duplicates left.
    pub reliable: bool,
    /// No fault is enabled, and there is no partition that could heal.
    pub fault_free: bool,
}

impl EnvironmentSummary {
    /// The summary of an environment.
    pub fn new(environment: &Environment) -> EnvironmentSummary {
        let Environment { left, split, failed, .. } = environment;
        EnvironmentSummary {
            failed: failed.is_some(),
            reliable: split.is_none() && left.duplicates == 0 && left.losses == 0,
            fault_free: split.is_none() && left.none(),
        }
    }
}

/// The canonical side of a partition: the one without the last of `actors`.
pub fn named_side(side: u64, actors: usize) -> u64 {
    let last = 1 << (actors - 1);
    if side & last == 0 { side } else { !side & (last - 1) }
}

impl Environment {
    /// Whether the current partition lets messages from one actor to another through.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.split.is_none_or(|side| (side >> from) & 1 == (side >> to) & 1)
    }
}
