//! `manyworlds-trace/1`: one execution, as a list of steps in an order that respects causality. Every face of a
//! counterexample (terminal, replay, HTML, …) reads this and nothing else.

use crate::{Network, TraceError, TraceHistory, Violation};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The value of the `schema` field.
pub const TRACE_SCHEMA: &str = "manyworlds-trace/1";

/// A process of a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceProcess {
    /// Its stable id, as `Pid` prints it: `0`, `0.2`, …
    pub pid: String,
    /// The same as a number.
    pub id: u64,
    /// The name the program gave it.
    pub name: String,
    /// Whether it may wait for ever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub daemon: bool,
    /// How it stands when the trace ends: `ended`, `waiting`, `failed`, `running`, `stuck`.
    pub status: String,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TraceStep {
    /// Index into `processes`.
    pub process: usize,
    /// `send`, `recv`, `timeout`, `choose`, `lose`, `spawn`, `join`, `fail`, `wait`; of actors also `start`, `timer`, `crash`, `restart`,
    /// `drop`, `duplicate`, `split`, `heal`, `note`; of transition systems `action`.
    pub kind: String,
    /// The message (the one that was lost, too), or what was chosen, as the user's `Debug` shows it; why it fails, or what it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The other process of a send, receive, loss, spawn or join: index into `processes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<usize>,
    /// The network of a send or receive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// The number of the option that a choice took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<u32>,
    /// The step that a receive reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<usize>,
    /// `file:line:column` of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The steps this one directly depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<usize>,
    /// What changed in the local state, where the front end can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_diff: Option<String>,
}

/// One execution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// Always [`TRACE_SCHEMA`].
    pub schema: String,
    /// Name of the model or of the test.
    pub model: String,
    /// Its parameters.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The engine that found it.
    pub engine: String,
    /// The default network of the run.
    pub network: Network,
    /// The seed of the run.
    pub seed: u64,
    /// How many messages of actors may be lost, where the run said so and not the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub losses: Option<u32>,
    /// What it violates.
    pub violation: Violation,
    /// Everybody who takes part.
    pub processes: Vec<TraceProcess>,
    /// What happens, causes before effects.
    pub steps: Vec<TraceStep>,
    /// Set when the execution goes on for ever: after the last step it is where it was before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_from: Option<usize>,
    /// The operations on a shared object that it records, and why no order explains them, where that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<TraceHistory>,
}

impl Trace {
    /// The trace as indented JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a trace holds nothing JSON cannot say");
        text.push('\n');
        text
    }

    /// Reads a trace and checks that its references make sense.
    pub fn from_json(text: &str) -> Result<Trace, TraceError> {
        let malformed = |e: serde_json::Error| TraceError::Malformed {
            line: e.line(),
            column: e.column(),
            message: e.to_string().split(" at line ").next().unwrap_or_default().to_string(),
        };
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("schema").and_then(Value::as_str) {
            Some(TRACE_SCHEMA) => {}
            other => return Err(TraceError::Schema { found: other.unwrap_or("missing").to_string() }),
        }
        // Parsed from the text again, so that an error knows its line.
        let trace: Trace = serde_json::from_str(text).map_err(malformed)?;
        trace.check()?;
        Ok(trace)
    }

    fn check(&self) -> Result<(), TraceError> {
        for (step, s) in self.steps.iter().enumerate() {
            let bad = |message: String| Err(TraceError::BadStep { step, message });
            if s.process >= self.processes.len() || s.peer.is_some_and(|p| p >= self.processes.len()) {
                return bad(format!("there are only {} processes", self.processes.len()));
            }
            if let Some(late) = s.parents.iter().chain(&s.reads).find(|&&p| p >= step) {
                return bad(format!("it depends on step {late}, which does not come before it"));
            }
            if let Some(read) = s.reads
                && self.steps[read].kind != "send"
            {
                return bad(format!("it reads step {read}, which is no send"));
            }
        }
        if let Some(message) = self.history.as_ref().and_then(|h| h.complaint(self.processes.len(), self.steps.len())) {
            return Err(TraceError::BadHistory { message });
        }
        match self.loop_from {
            Some(step) if step > self.steps.len() => {
                let message = format!("the trace goes on from it for ever, but it has only {} steps", self.steps.len());
                Err(TraceError::BadStep { step, message })
            }
            _ => Ok(()),
        }
    }
}

/// What a replay of a trace ended with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replayed {
    /// The same violation.
    Reproduced,
    /// Every step could be done, but the violation did not show.
    Gone,
}
