//! Files of version 1, which held texts where version 2 has types. Only this module parses those texts.

use super::{
    Awaited, Delivery, Location, ProcessRole, ProcessStatus, StepKind, TRACE_SCHEMA, Trace, TraceMessage, TraceNote,
    TraceProcess, TraceStep, TraceValue, ValueTree, malformed,
};
use crate::{Engine, Network, TraceError, TraceHistory, TraceOperation, Violation};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The name that version 1 gave to the process that records a history.
const HISTORY_PROCESS: &str = "history";
/// The name that version 1 gave to the process that represents the network.
const NETWORK_PROCESS: &str = "network";

#[derive(Deserialize)]
struct Process1 {
    pid: String,
    id: u64,
    name: String,
    #[serde(default)]
    daemon: bool,
    status: String,
}

#[derive(Deserialize)]
struct Step1 {
    process: usize,
    kind: String,
    message: Option<String>,
    peer: Option<usize>,
    network: Option<Network>,
    choice: Option<u32>,
    reads: Option<usize>,
    location: Option<String>,
    #[serde(default)]
    parents: Vec<usize>,
    state_diff: Option<String>,
}

#[derive(Deserialize)]
struct Operation1 {
    process: usize,
    call: String,
    response: Option<String>,
    invoked: usize,
    returned: Option<usize>,
}

#[derive(Deserialize)]
struct History1 {
    operations: Vec<Operation1>,
    #[serde(default)]
    linearization: Vec<usize>,
    #[serde(default)]
    stuck: Vec<usize>,
    #[serde(default)]
    minimal: Vec<usize>,
    #[serde(default)]
    core: Vec<usize>,
}

#[derive(Deserialize)]
struct Trace1 {
    model: String,
    #[serde(default)]
    params: Map<String, Value>,
    engine: Engine,
    network: Network,
    seed: u64,
    losses: Option<u32>,
    violation: Violation,
    processes: Vec<Process1>,
    steps: Vec<Step1>,
    loop_from: Option<usize>,
    history: Option<History1>,
}

/// Reads a file of version 1.
pub fn from_version_1(text: &str) -> Result<Trace, TraceError> {
    let old: Trace1 = serde_json::from_str(text).map_err(malformed)?;
    let watches = matches!(old.engine, Engine::Must | Engine::Brute);
    let trace = Trace {
        schema: TRACE_SCHEMA.to_string(),
        model: old.model,
        params: old.params,
        engine: old.engine,
        network: old.network,
        seed: old.seed,
        losses: old.losses,
        violation: old.violation,
        processes: old.processes.iter().map(|old| process(old, watches)).collect(),
        messages: Vec::new(),
        start: None,
        steps: Vec::new(),
        loop_from: old.loop_from,
        history: old.history.map(history),
    };
    let mut upgrade = Upgrade { trace };
    for (at, step) in old.steps.into_iter().enumerate() {
        let step = upgrade.step(step).map_err(|message| TraceError::BadStep { step: at, message })?;
        upgrade.trace.steps.push(step);
    }
    Ok(upgrade.trace)
}

fn process(old: &Process1, watches: bool) -> TraceProcess {
    let role = match old.name.as_str() {
        HISTORY_PROCESS if watches => ProcessRole::History,
        NETWORK_PROCESS if !watches => ProcessRole::Network,
        _ => ProcessRole::Process,
    };
    let status = match old.status.as_str() {
        "ended" => ProcessStatus::Ended,
        "waiting" => ProcessStatus::Waiting,
        "failed" => ProcessStatus::Failed,
        "stuck" => ProcessStatus::Stuck,
        _ => ProcessStatus::Running,
    };
    TraceProcess { pid: old.pid.clone(), id: old.id, name: old.name.clone(), role, daemon: old.daemon, status }
}

fn history(old: History1) -> TraceHistory {
    let operation = |old: Operation1| TraceOperation {
        process: old.process,
        call: value(&old.call),
        response: old.response.as_deref().map(value),
        invoked: old.invoked,
        returned: old.returned,
    };
    TraceHistory {
        operations: old.operations.into_iter().map(operation).collect(),
        linearization: old.linearization,
        stuck: old.stuck,
        minimal: old.minimal,
        core: old.core,
    }
}

fn value(text: &str) -> TraceValue {
    TraceValue::shown(ValueTree::parse(text))
}

struct Upgrade {
    trace: Trace,
}

impl Upgrade {
    fn step(&mut self, old: Step1) -> Result<TraceStep, String> {
        let kind = self.kind(&old)?;
        // A choice that is not a step of its own is the outcome of the choices of a handler.
        let chooses = matches!(kind, StepKind::Choose { .. } | StepKind::Lose { .. });
        Ok(TraceStep {
            process: old.process,
            kind,
            branch: old.choice.filter(|_| !chooses),
            at: old.location.as_deref().map(Location::parse),
            parents: old.parents,
            state: old.state_diff.as_deref().map(ValueTree::parse),
            fingerprint: None,
        })
    }

    fn kind(&mut self, old: &Step1) -> Result<StepKind, String> {
        let text = || old.message.clone().unwrap_or_default();
        Ok(match old.kind.as_str() {
            "send" => {
                let message = self.message(&text(), old.peer);
                StepKind::Send { message, to: old.peer, network: old.network }
            }
            "recv" => StepKind::Receive(self.delivery(old)),
            "duplicate" => StepKind::Duplicate(self.delivery(old)),
            "drop" => StepKind::Drop(self.delivery(old)),
            "lose" => {
                let message = old.message.as_ref().map(|text| self.message(text, old.peer));
                StepKind::Lose { lost: old.choice != Some(0), message, to: old.peer }
            }
            "timeout" => StepKind::Timeout,
            "timer" => StepKind::Timer(text()),
            "choose" => StepKind::Choose { option: old.choice, value: old.message.as_deref().map(ValueTree::parse) },
            "spawn" => StepKind::Spawn { child: old.peer },
            "join" => StepKind::Join { child: old.peer },
            "crash" => StepKind::Crash,
            "restart" => StepKind::Restart,
            "split" => StepKind::Split { side: self.side(&text()) },
            "heal" => StepKind::Heal,
            "note" => StepKind::Note(note(&text())),
            "action" => StepKind::Action(ValueTree::parse(&text())),
            "start" => StepKind::Start,
            "wait" => StepKind::Wait(self.awaited(&text())),
            "fail" => StepKind::Fail(text()),
            other => return Err(format!("`{other}` is not a kind of step")),
        })
    }

    /// A receive has the message of the send that it reads. If the file gives it another one, it does not read that send, and a replay reports that.
    fn delivery(&mut self, old: &Step1) -> Delivery {
        let sent = old.reads.and_then(|send| self.trace.steps.get(send)).filter(|step| step.kind.is_send());
        let sent = sent.and_then(|step| step.kind.message().copied());
        let text = old.message.clone().unwrap_or_default();
        let (message, send) = match sent {
            Some(sent) if old.message.is_none() || self.trace.messages[sent].to_string() == text => (sent, old.reads),
            Some(_) => (self.message(&text, Some(old.process)), None),
            None => (self.message(&text, Some(old.process)), old.reads),
        };
        Delivery { message, from: old.peer, send, network: old.network }
    }

    /// The index of a message. Version 1 knew messages by their texts alone.
    fn message(&mut self, text: &str, to: Option<usize>) -> usize {
        let receiver = to.and_then(|to| self.trace.processes.get(to));
        let message = match receiver.map(|process| process.role) {
            Some(ProcessRole::History) => TraceMessage::Notes(notes(text).into_iter().map(note).collect()),
            _ => observed(text).unwrap_or_else(|| TraceMessage::shown(text)),
        };
        let messages = &mut self.trace.messages;
        messages.iter().position(|known| *known == message).unwrap_or_else(|| {
            messages.push(message);
            messages.len() - 1
        })
    }

    /// The processes before the bar of `a, b | c`.
    fn side(&self, text: &str) -> Vec<usize> {
        let names = text.split_once(" | ").map_or(text, |(names, _)| names);
        let index = |name: &str| self.trace.processes.iter().position(|process| process.name == name);
        names.split(", ").filter_map(index).collect()
    }

    /// `for p0.2 to end` or `for Vote`.
    fn awaited(&self, text: &str) -> Awaited {
        let Some(what) = text.strip_prefix("for ") else { return Awaited::Unknown };
        let pid = what.strip_suffix(" to end").and_then(|pid| pid.strip_prefix('p'));
        match pid.and_then(|pid| self.trace.processes.iter().position(|process| process.pid == pid)) {
            Some(process) => Awaited::Process(process),
            None => Awaited::Message(what.to_string()),
        }
    }
}

fn note(text: &str) -> TraceNote {
    let parse = |word: &str| text.strip_prefix(word).map(value);
    let invoked = parse("invoked ").map(TraceNote::Invoked);
    invoked
        .or_else(|| parse("returned ").map(TraceNote::Returned))
        .or_else(|| parse("linearized ").map(TraceNote::Linearized))
        .unwrap_or_else(|| TraceNote::Text(text.to_string()))
}

/// The notes that were joined to one message.
fn notes(text: &str) -> Vec<&str> {
    let mut notes = Vec::new();
    let mut rest = text;
    let next = |rest: &str| ["; invoked ", "; returned "].iter().filter_map(|mark| rest.find(mark)).min();
    while let Some(at) = next(rest) {
        notes.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    notes.push(rest);
    notes
}

/// `p0→p1 Vote(1)`: a message as a monitor observes it.
fn observed(text: &str) -> Option<TraceMessage> {
    let pid = |word: &str| {
        let digits = word.strip_prefix('p')?;
        let plain =
            digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        plain.then(|| digits.to_string())
    };
    let (route, value) = text.split_once(' ')?;
    let (from, to) = route.split_once('→')?;
    Some(TraceMessage::Observed { from: pid(from)?, to: pid(to)?, value: ValueTree::parse(value) })
}
