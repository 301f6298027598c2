//! What a run exercised, and what it never did: a verified run that never delivered a message type has verified little.

use serde::{Deserialize, Serialize};

/// What a run exercised.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// What was asked of the model, in words.
    pub properties: Vec<String>,
    /// Those of them that something shall happen sometimes, and it did not so far: their names.
    pub unreached: Vec<String>,
    /// Every process.
    pub processes: Vec<ProcessCoverage>,
    /// Every kind of fault that has a budget.
    pub faults: Vec<FaultCoverage>,
    /// Every kind of action of a specification that was listed in some state.
    #[serde(default)]
    pub actions: Vec<ActionCoverage>,
}

/// What came of one kind of actions of a specification.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ActionCoverage {
    /// The first name in its `Debug` form, see [`ValueTree::type_name`](crate::ValueTree::type_name).
    pub name: String,
    /// How often it was listed.
    pub listed: u64,
    /// How often it was enabled.
    pub taken: u64,
    /// How often it led to another state.
    pub changed: u64,
}

/// What one process did in all worlds together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessCoverage {
    /// Its name.
    pub name: String,
    /// Its distinct local states; of code, the places at which it waits.
    pub states: u64,
    /// Distinct pairs of a local state and something that came: so often its code had something new to do. Of code, pairs of a place and a kind
    /// of thing that came there.
    pub handlers: u64,
    /// What could come to it, by kind and name.
    pub inputs: Vec<InputCoverage>,
}

/// A message type, or a timer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InputCoverage {
    /// `message` or `timer`.
    pub kind: String,
    /// The type of the message as [`TraceMessage::type_name`](crate::TraceMessage::type_name) gives it, or the name of the timer.
    pub name: String,
    /// Distinct messages of this type that were sent to the process, senders told apart; 1 for a timer that was set.
    pub offered: u64,
    /// How many of them it received in some world; 1 for a timer that went off.
    pub handled: u64,
}

/// A budget of faults.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FaultCoverage {
    /// `losses`, `crashes`, …
    pub name: String,
    /// How many may happen in one execution.
    pub budget: u64,
    /// The most that happened in one execution.
    pub used: u64,
}
