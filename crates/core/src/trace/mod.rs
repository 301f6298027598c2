//! `manyworlds-trace/2`: one execution, as a list of steps in an order that respects causality. Every view of a
//! counterexample (terminal, replay, HTML, …) is computed from this alone.
//!
//! Traces are typed: kinds of steps, notes, messages, values, places in the source. A message has an id, its index in the table of
//! messages, and a receive names the step that sent what it reads. Where a model has global states, the file holds their fingerprints, so that a
//! replay takes the same transition even if another one looks the same.

mod fingerprint;
mod json;
mod location;
mod step;
mod upgrade;
mod value;

#[cfg(test)]
mod tests;

use crate::{Engine, Network, TraceError, TraceHistory, Violation};
pub use fingerprint::Fingerprint;
pub use location::Location;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
pub use step::{
    Awaited, Delivery, MessageIndex, NarratedMessage, NarratedStep, ProcessIndex, StepIndex, StepKind, TraceMessage,
    TraceNote, TraceStep, TraceValue,
};
pub use value::ValueTree;

/// The value of the `schema` field.
pub const TRACE_SCHEMA: &str = "manyworlds-trace/2";
/// The `schema` field of files that older versions wrote. They are upgraded as they are read.
pub const TRACE_SCHEMA_1: &str = "manyworlds-trace/1";

/// The role of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessRole {
    /// It belongs to the program or the model.
    #[default]
    Process,
    /// A monitor: observes messages and may fail.
    Monitor,
    /// Receives the operations that processes record, and checks the history.
    History,
    /// Represents the network, which may be partitioned.
    Network,
}

impl ProcessRole {
    /// Whether it only observes other processes.
    pub fn observes(self) -> bool {
        matches!(self, ProcessRole::Monitor | ProcessRole::History)
    }

    fn is_process(&self) -> bool {
        *self == ProcessRole::Process
    }
}

/// The status of a process at the end of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessStatus {
    /// It can still take steps.
    #[default]
    Running,
    /// It waits.
    Waiting,
    /// It has terminated.
    Ended,
    /// It has failed.
    Failed,
    /// An assumption does not hold, or a bound is reached.
    Stuck,
}

/// A process of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceProcess {
    /// Its stable id, as `Pid` prints it: `0`, `0.2`, …
    pub pid: String,
    /// The same as a number.
    pub id: u64,
    /// The name the program gave it.
    pub name: String,
    /// Its role.
    #[serde(default, skip_serializing_if = "ProcessRole::is_process")]
    pub role: ProcessRole,
    /// Whether it may wait for ever.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub daemon: bool,
    /// Its status at the end of the trace.
    pub status: ProcessStatus,
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
    pub engine: Engine,
    /// The default network of the run.
    pub network: Network,
    /// The seed of the run.
    pub seed: u64,
    /// The loss budget for messages of actors, if it was set by the run and not by the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub losses: Option<u32>,
    /// The violation.
    pub violation: Violation,
    /// Every process that takes part.
    pub processes: Vec<TraceProcess>,
    /// Every message that a step refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<TraceMessage>,
    /// The fingerprint of the global state in which the model starts, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Fingerprint>,
    /// The steps, causes before effects.
    pub steps: Vec<TraceStep>,
    /// Set for an infinite execution: the state after the last step equals the state before this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_from: Option<usize>,
    /// The recorded operations on a shared object, and why no order explains them, if that was determined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<TraceHistory>,
}

impl Trace {
    /// A trace in which nothing happens yet. Model, parameters, engine, network and seed are for the caller to fill in.
    pub fn new(violation: Violation, processes: Vec<TraceProcess>) -> Trace {
        Trace {
            schema: TRACE_SCHEMA.to_string(),
            model: String::new(),
            params: Map::new(),
            engine: Engine::default(),
            network: Network::default(),
            seed: 0,
            losses: None,
            violation,
            processes,
            messages: Vec::new(),
            start: None,
            steps: Vec::new(),
            loop_from: None,
            history: None,
        }
    }

    /// The message that a step is about.
    pub fn message<'t>(&'t self, step: &TraceStep) -> Option<&'t TraceMessage> {
        self.messages.get(*step.kind.message()?)
    }

    /// The subject of a step as text: its message, the name of its timer, the chosen value, the reason of a failure. `message` is the message that the
    /// step refers to.
    pub fn describe<M>(&self, kind: &StepKind<M>, message: Option<&TraceMessage>) -> String {
        match kind {
            StepKind::Timer(text) | StepKind::Fail(text) => text.clone(),
            StepKind::Choose { value: Some(value), .. } | StepKind::Action(value) => value.to_string(),
            StepKind::Choose { option, .. } => option.map_or_else(String::new, |option| option.to_string()),
            StepKind::Split { side } => self.sides(side),
            StepKind::Note(note) => note.to_string(),
            StepKind::Wait(awaited) => match awaited {
                Awaited::Unknown => String::new(),
                Awaited::Message(name) => format!("for {name}"),
                Awaited::Process(process) => {
                    let name = self.processes.get(*process).map_or("a process", |process| process.name.as_str());
                    format!("for {name} to end")
                }
            },
            _ => message.map_or_else(String::new, ToString::to_string),
        }
    }

    /// The names of the processes on both sides of a partition: `a, b | c`.
    fn sides(&self, side: &[ProcessIndex]) -> String {
        let names = |inside: bool| {
            let parts = self.processes.iter().enumerate().filter(|(_, process)| process.role == ProcessRole::Process);
            let members = parts.filter(|(at, _)| side.contains(at) == inside);
            members.map(|(_, process)| process.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        format!("{} | {}", names(true), names(false))
    }

    /// Whether an engine on executions (`must`, `brute`) found it, where the state of a process is its whole observed history; otherwise it is a path
    /// through global states.
    pub fn is_of_executions(&self) -> bool {
        matches!(self.engine, Engine::Must | Engine::Brute)
    }

    /// The trace as JSON: a line for each process, message and step.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, json::Lines::default());
        self.serialize(&mut writer).expect("a trace holds nothing JSON cannot say");
        bytes.push(b'\n');
        String::from_utf8(bytes).expect("JSON is text")
    }

    /// Reads a trace and checks that its references make sense. Files of version 1 are upgraded.
    pub fn from_json(text: &str) -> Result<Trace, TraceError> {
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        // Parsed from the text again, so that an error knows its line.
        let trace: Trace = match value.get("schema").and_then(Value::as_str) {
            Some(TRACE_SCHEMA) => serde_json::from_str(text).map_err(malformed)?,
            Some(TRACE_SCHEMA_1) => upgrade::from_version_1(text)?,
            other => return Err(TraceError::Schema { found: other.unwrap_or("missing").to_string() }),
        };
        trace.check()?;
        Ok(trace)
    }

    fn check(&self) -> Result<(), TraceError> {
        for step in 0..self.steps.len() {
            if let Some(message) = self.complaint(step) {
                return Err(TraceError::BadStep { step, message });
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

    /// The problem of a step that is not valid.
    fn complaint(&self, at: usize) -> Option<String> {
        let step = &self.steps[at];
        let also: &[usize] = match &step.kind {
            StepKind::Split { side } => side,
            StepKind::Wait(Awaited::Process(process)) => std::slice::from_ref(process),
            _ => &[],
        };
        let mut processes = [Some(step.process), step.kind.peer()].into_iter().flatten().chain(also.iter().copied());
        if processes.any(|process| process >= self.processes.len()) {
            return Some(format!("there are only {} processes", self.processes.len()));
        }
        if let Some(message) = step.kind.message().filter(|&&message| message >= self.messages.len()) {
            return Some(format!("there is no message {message}; there are {}", self.messages.len()));
        }
        if let Some(late) = step.parents.iter().copied().chain(step.kind.send()).find(|&cause| cause >= at) {
            return Some(format!("it depends on step {late}, which does not come before it"));
        }
        let send = step.kind.send()?;
        match &self.steps[send].kind {
            StepKind::Send { message, .. } if Some(message) == step.kind.message() => None,
            StepKind::Send { message, .. } => {
                Some(format!("its message is not message {message}, which step {send} sends"))
            }
            _ => Some(format!("it reads step {send}, which is not a send")),
        }
    }
}

/// The problem of a text that is not valid JSON, and its place.
fn malformed(error: serde_json::Error) -> TraceError {
    let (line, column) = (error.line(), error.column());
    // The JSON reader appends the place to its messages; here the place is a field of its own.
    let (message, place) = (error.to_string(), format!(" at line {line} column {column}"));
    TraceError::Malformed { line, column, message: message.strip_suffix(&place).unwrap_or(&message).to_string() }
}

/// The result of replaying a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replayed {
    /// The same violation.
    Reproduced,
    /// Every step was performed, but the violation did not occur.
    Gone,
}
