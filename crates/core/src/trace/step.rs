//! The steps of a trace.

use super::{Fingerprint, Location, ValueTree};
use crate::Network;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Index into the processes of a trace.
pub type ProcessIndex = usize;
/// Index into the messages of a trace.
pub type MessageIndex = usize;
/// Index into the steps of a trace.
pub type StepIndex = usize;

/// A value with what identifies it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceValue {
    /// The value as it is shown.
    pub value: ValueTree,
    /// A fingerprint of its content: unequal values have different ones, even if they are shown alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Fingerprint>,
}

impl TraceValue {
    /// A value that is known only as it is shown.
    pub fn shown(value: ValueTree) -> TraceValue {
        TraceValue { value, id: None }
    }
}

impl fmt::Display for TraceValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A note that a process records for traces and histories.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceNote {
    /// An operation is invoked.
    Invoked(TraceValue),
    /// The operation that the process invoked last returns.
    Returned(TraceValue),
    /// The operation takes effect here.
    Linearized(TraceValue),
    /// Words.
    Text(String),
}

impl fmt::Display for TraceNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceNote::Invoked(operation) => write!(f, "invoked {operation}"),
            TraceNote::Returned(response) => write!(f, "returned {response}"),
            TraceNote::Linearized(operation) => write!(f, "linearized {operation}"),
            TraceNote::Text(text) => f.write_str(text),
        }
    }
}

impl TraceNote {
    /// The same note without fingerprints.
    fn unidentified(&self) -> TraceNote {
        let shown = |value: &TraceValue| TraceValue::shown(value.value.clone());
        match self {
            TraceNote::Invoked(value) => TraceNote::Invoked(shown(value)),
            TraceNote::Returned(value) => TraceNote::Returned(shown(value)),
            TraceNote::Linearized(value) => TraceNote::Linearized(shown(value)),
            TraceNote::Text(text) => TraceNote::Text(text.clone()),
        }
    }
}

/// A message of a trace. Its index in the table of messages is its id: two messages that are not equal have two entries, even if they are shown
/// alike.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceMessage {
    /// A message between processes.
    Value(ValueTree),
    /// A message that a monitor observes.
    Observed {
        /// The id of the process that sends it, as `Pid` shows it.
        from: String,
        /// The id of the process that it is sent to.
        to: String,
        /// The message.
        value: ValueTree,
    },
    /// All notes of one step, sent to the process that records the history.
    Notes(Vec<TraceNote>),
}

impl TraceMessage {
    /// A message between processes, as `Debug` shows it.
    pub fn shown(text: &str) -> TraceMessage {
        TraceMessage::Value(ValueTree::parse(text))
    }

    /// The value that is sent or observed; a message that consists of notes has none.
    pub fn value(&self) -> Option<&ValueTree> {
        match self {
            TraceMessage::Value(value) | TraceMessage::Observed { value, .. } => Some(value),
            TraceMessage::Notes(_) => None,
        }
    }

    /// The name of its type, where it shows one: see [`ValueTree::type_name`].
    pub fn type_name(&self) -> &str {
        let of_note = |note: &TraceNote| match note {
            TraceNote::Invoked(_) => "invoked",
            TraceNote::Returned(_) => "returned",
            TraceNote::Linearized(_) => "linearized",
            TraceNote::Text(_) => "note",
        };
        match self {
            TraceMessage::Value(value) | TraceMessage::Observed { value, .. } => value.type_name().unwrap_or("value"),
            TraceMessage::Notes(notes) => notes.first().map_or("note", of_note),
        }
    }

    /// Whether both are shown alike.
    pub fn looks_like(&self, other: &TraceMessage) -> bool {
        match (self, other) {
            (TraceMessage::Notes(some), TraceMessage::Notes(others)) => {
                some.iter().map(TraceNote::unidentified).eq(others.iter().map(TraceNote::unidentified))
            }
            _ => self == other,
        }
    }
}

impl fmt::Display for TraceMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceMessage::Value(value) => value.fmt(f),
            TraceMessage::Observed { from, to, value } => write!(f, "p{from}→p{to} {value}"),
            TraceMessage::Notes(notes) => {
                for (i, note) in notes.iter().enumerate() {
                    write!(f, "{}{note}", if i == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}

/// A message that reaches its receiver, or would have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delivery<M = MessageIndex> {
    /// The message.
    pub message: M,
    /// The sender, where that process is part of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ProcessIndex>,
    /// The step that sent it, where that step is part of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<StepIndex>,
    /// The network that carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// The condition that a blocked process waits for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Awaited {
    /// Nothing more is known.
    #[default]
    Unknown,
    /// A message of this type.
    Message(String),
    /// The end of this process.
    Process(ProcessIndex),
}

/// The kind of a step. `M` is its reference to a message: in a trace, an index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind<M = MessageIndex> {
    /// A process, or the whole system, starts.
    Start,
    /// A message is sent.
    Send {
        /// The message.
        message: M,
        /// The receiver, where it is part of the trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<ProcessIndex>,
        /// The network that carries it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        network: Option<Network>,
    },
    /// A message is received.
    Receive(Delivery<M>),
    /// A message is received, and will be received again.
    Duplicate(Delivery<M>),
    /// A message is lost on its way to this process.
    Drop(Delivery<M>),
    /// Whether a message is lost as it is sent.
    Lose {
        /// Whether it is.
        lost: bool,
        /// The message, if it is lost.
        #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
        message: Option<M>,
        /// Its receiver.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<ProcessIndex>,
    },
    /// A receive times out.
    Timeout,
    /// A timer goes off.
    Timer(String),
    /// A choice is made.
    Choose {
        /// The number of the option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<u32>,
        /// The chosen value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<ValueTree>,
    },
    /// A process is spawned.
    Spawn {
        /// Which, where it is part of the trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        child: Option<ProcessIndex>,
    },
    /// The end of a process is observed.
    Join {
        /// Of which, where it is part of the trace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        child: Option<ProcessIndex>,
    },
    /// A process crashes.
    Crash,
    /// A process that had crashed starts again.
    Restart,
    /// The network is partitioned.
    Split {
        /// The processes on one side; all others are on the other side.
        side: Vec<ProcessIndex>,
    },
    /// The network is whole again.
    Heal,
    /// A note is recorded.
    Note(TraceNote),
    /// A specification takes a step.
    Action(ValueTree),
    /// A process waits for ever.
    Wait(Awaited),
    /// A process fails, for this reason.
    Fail(String),
}

impl<M> StepKind<M> {
    /// The name of the kind, as files have it.
    pub fn name(&self) -> &'static str {
        match self {
            StepKind::Start => "start",
            StepKind::Send { .. } => "send",
            StepKind::Receive(_) => "receive",
            StepKind::Duplicate(_) => "duplicate",
            StepKind::Drop(_) => "drop",
            StepKind::Lose { .. } => "lose",
            StepKind::Timeout => "timeout",
            StepKind::Timer(_) => "timer",
            StepKind::Choose { .. } => "choose",
            StepKind::Spawn { .. } => "spawn",
            StepKind::Join { .. } => "join",
            StepKind::Crash => "crash",
            StepKind::Restart => "restart",
            StepKind::Split { .. } => "split",
            StepKind::Heal => "heal",
            StepKind::Note(_) => "note",
            StepKind::Action(_) => "action",
            StepKind::Wait(_) => "wait",
            StepKind::Fail(_) => "fail",
        }
    }

    /// The delivery of a receive, a duplicate or a drop.
    pub fn delivery(&self) -> Option<&Delivery<M>> {
        match self {
            StepKind::Receive(delivery) | StepKind::Duplicate(delivery) | StepKind::Drop(delivery) => Some(delivery),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn delivery_mut(&mut self) -> Option<&mut Delivery<M>> {
        match self {
            StepKind::Receive(delivery) | StepKind::Duplicate(delivery) | StepKind::Drop(delivery) => Some(delivery),
            _ => None,
        }
    }

    /// The message that it is about.
    pub fn message(&self) -> Option<&M> {
        match self {
            StepKind::Send { message, .. } => Some(message),
            StepKind::Lose { message, .. } => message.as_ref(),
            other => other.delivery().map(|delivery| &delivery.message),
        }
    }

    /// The network of a send, a receive, a duplicate or a drop.
    pub fn network(&self) -> Option<Network> {
        match self {
            StepKind::Send { network, .. } => *network,
            other => other.delivery().and_then(|delivery| delivery.network),
        }
    }

    /// The other process: the receiver or the sender of a message, the child.
    pub fn peer(&self) -> Option<ProcessIndex> {
        match self {
            StepKind::Send { to, .. } | StepKind::Lose { to, .. } => *to,
            StepKind::Spawn { child } | StepKind::Join { child } => *child,
            other => other.delivery().and_then(|delivery| delivery.from),
        }
    }

    /// The step that sent the message of a receive, a duplicate or a drop.
    pub fn send(&self) -> Option<StepIndex> {
        self.delivery().and_then(|delivery| delivery.send)
    }

    /// Whether it is a send.
    pub fn is_send(&self) -> bool {
        matches!(self, StepKind::Send { .. })
    }

    /// Whether a message reaches its receiver, for the last time or not.
    pub fn arrives(&self) -> bool {
        matches!(self, StepKind::Receive(_) | StepKind::Duplicate(_))
    }

    /// Whether a message is lost as it is sent.
    pub fn loses(&self) -> bool {
        matches!(self, StepKind::Lose { lost: true, .. })
    }

    /// Whether the network is partitioned, or becomes whole again.
    pub fn is_partition(&self) -> bool {
        matches!(self, StepKind::Split { .. } | StepKind::Heal)
    }

    /// Whether it is the end of a violating trace: a failure, or a process that waits for ever.
    pub fn is_bad(&self) -> bool {
        matches!(self, StepKind::Fail(_) | StepKind::Wait(_))
    }

    /// The same step with other references to messages.
    pub fn map<N>(self, mut message: impl FnMut(M) -> N) -> StepKind<N> {
        let mut delivery = |d: Delivery<M>| {
            let Delivery { message: m, from, send, network } = d;
            Delivery { message: message(m), from, send, network }
        };
        match self {
            StepKind::Receive(d) => StepKind::Receive(delivery(d)),
            StepKind::Duplicate(d) => StepKind::Duplicate(delivery(d)),
            StepKind::Drop(d) => StepKind::Drop(delivery(d)),
            StepKind::Send { message: m, to, network } => StepKind::Send { message: message(m), to, network },
            StepKind::Lose { lost, message: m, to } => StepKind::Lose { lost, message: m.map(message), to },
            StepKind::Start => StepKind::Start,
            StepKind::Timeout => StepKind::Timeout,
            StepKind::Timer(name) => StepKind::Timer(name),
            StepKind::Choose { option, value } => StepKind::Choose { option, value },
            StepKind::Spawn { child } => StepKind::Spawn { child },
            StepKind::Join { child } => StepKind::Join { child },
            StepKind::Crash => StepKind::Crash,
            StepKind::Restart => StepKind::Restart,
            StepKind::Split { side } => StepKind::Split { side },
            StepKind::Heal => StepKind::Heal,
            StepKind::Note(note) => StepKind::Note(note),
            StepKind::Action(action) => StepKind::Action(action),
            StepKind::Wait(awaited) => StepKind::Wait(awaited),
            StepKind::Fail(reason) => StepKind::Fail(reason),
        }
    }

    /// Whether another step looks the same: its kind, its values as they are shown, the other process. `alike` compares messages. Networks, and
    /// which step sent a message, follow from the rest.
    pub fn looks_like<N>(&self, other: &StepKind<N>, alike: impl Fn(&M, &N) -> bool) -> bool {
        match (self, other) {
            (StepKind::Send { message, to, .. }, StepKind::Send { message: other, to: also, .. }) => {
                to == also && alike(message, other)
            }
            (StepKind::Receive(one), StepKind::Receive(other))
            | (StepKind::Duplicate(one), StepKind::Duplicate(other))
            | (StepKind::Drop(one), StepKind::Drop(other)) => {
                one.from == other.from && alike(&one.message, &other.message)
            }
            (StepKind::Lose { lost, message, to }, StepKind::Lose { lost: too, message: other, to: also }) => {
                let same = match (message, other) {
                    (Some(message), Some(other)) => alike(message, other),
                    (message, other) => message.is_none() && other.is_none(),
                };
                lost == too && to == also && same
            }
            (StepKind::Note(one), StepKind::Note(other)) => one.unidentified() == other.unidentified(),
            (StepKind::Timer(one), StepKind::Timer(other)) | (StepKind::Fail(one), StepKind::Fail(other)) => {
                one == other
            }
            (StepKind::Choose { option, value }, StepKind::Choose { option: other, value: also }) => {
                option == other && value == also
            }
            (StepKind::Spawn { child }, StepKind::Spawn { child: other })
            | (StepKind::Join { child }, StepKind::Join { child: other }) => child == other,
            (StepKind::Split { side }, StepKind::Split { side: other }) => side == other,
            (StepKind::Action(one), StepKind::Action(other)) => one == other,
            (StepKind::Wait(one), StepKind::Wait(other)) => one == other,
            (one, other) => one.name() == other.name(),
        }
    }
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceStep<M = MessageIndex> {
    /// The process that takes it.
    pub process: ProcessIndex,
    /// Its kind.
    pub kind: StepKind<M>,
    /// The outcome of the choices of the handler that this step runs, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<u32>,
    /// Where in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
    /// The steps this one directly depends on.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<StepIndex>,
    /// The state of the process after the step, if the step changed it and the front end can show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ValueTree>,
    /// The fingerprint of the global state that this step completes. A transition of the model may be several steps: the last of them has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl<M> TraceStep<M> {
    /// A step of this process and kind, with all other fields empty.
    pub fn new(process: ProcessIndex, kind: StepKind<M>) -> TraceStep<M> {
        TraceStep { process, kind, branch: None, at: None, parents: Vec::new(), state: None, fingerprint: None }
    }

    /// Adds its place in the source.
    pub fn located(self, at: Option<Location>) -> TraceStep<M> {
        TraceStep { at, ..self }
    }

    /// Whether another step looks the same, see [`StepKind::looks_like`]. Places in the source may differ: lines move.
    pub fn looks_like<N>(&self, other: &TraceStep<N>, alike: impl Fn(&M, &N) -> bool) -> bool {
        (self.process, self.branch) == (other.process, other.branch) && self.kind.looks_like(&other.kind, alike)
    }
}

/// A message that a front end refers to before there is a table of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NarratedMessage {
    /// Identifies its content: two messages have equal ids if and only if they are equal.
    pub id: u128,
    /// The message.
    pub message: TraceMessage,
}

/// A step as a model describes it. Parents, and the step that sent a message, are filled in later.
pub type NarratedStep = TraceStep<NarratedMessage>;
