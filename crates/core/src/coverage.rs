//! Coverage of a run: a verified run that never delivered some message type has verified little.

use serde::{Deserialize, Serialize};

/// The coverage of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// The checked properties, as text.
    pub properties: Vec<String>,
    /// The names of the `sometimes` properties that held in no state so far.
    pub unreached: Vec<String>,
    /// Every process.
    pub processes: Vec<ProcessCoverage>,
    /// Every kind of fault that has a budget.
    pub faults: Vec<FaultCoverage>,
    /// Every kind of action of a specification that was listed in some state.
    #[serde(default)]
    pub actions: Vec<ActionCoverage>,
}

/// The coverage of one kind of action of a specification.
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

/// The coverage of one process over all executions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessCoverage {
    /// Its name.
    pub name: String,
    /// Its distinct local states; for blocking code, the places at which it waits.
    pub states: u64,
    /// Distinct pairs of a local state and an input; its code runs once for each. For blocking code, pairs of a place and a kind of input received
    /// there.
    pub handlers: u64,
    /// Its possible inputs, by kind and name.
    pub inputs: Vec<InputCoverage>,
}

/// A message type, or a timer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InputCoverage {
    /// `message` or `timer`.
    pub kind: String,
    /// The type of the message as [`TraceMessage::type_name`](crate::TraceMessage::type_name) gives it, or the name of the timer.
    pub name: String,
    /// Distinct pairs of a sender and a message of this type sent to the process; 1 for a timer that was set.
    pub offered: u64,
    /// How many of them it received in some execution; 1 for a timer that went off.
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
