//! Traces of specifications that have no traces of their own: one process, and each action is a step.

use manyworlds_core::{NarratedStep, Pid, ProcessRole, ProcessStatus, StepKind, TraceProcess, TraceStep, ValueTree};
use std::fmt::Debug;

/// The one process.
pub fn processes() -> Vec<TraceProcess> {
    vec![TraceProcess {
        pid: Pid::ROOT.to_string(),
        id: Pid::ROOT.to_bits(),
        name: "system".to_string(),
        role: ProcessRole::Process,
        daemon: false,
        status: ProcessStatus::Running,
    }]
}

/// An initial state.
pub fn start(state: &impl Debug) -> Vec<NarratedStep> {
    vec![TraceStep { state: Some(ValueTree::of(state)), ..TraceStep::new(0, StepKind::Start) }]
}

/// An action and the state it led to, if it led to one.
pub fn step(action: &impl Debug, after: Option<&impl Debug>) -> Vec<NarratedStep> {
    let action = StepKind::Action(ValueTree::of(action));
    vec![TraceStep { state: after.map(|after| ValueTree::of(after)), ..TraceStep::new(0, action) }]
}
