//! Steps as sentences: `client sends Get to server`.

use crate::place;
use crate::style::{Paint, Style};
use crate::text::clean;
use manyworlds_core::{Awaited, StepKind, Trace, TraceStep};

/// The line that a replay prints for a step: its index, the step as a sentence, and its source location.
pub fn step(trace: &Trace, index: usize, style: &Style) -> String {
    let Some(step) = trace.steps.get(index) else { return format!("{index:>3}  there is no such step") };
    let digits = trace.steps.len().to_string().len().max(3);
    let place = place::short(step.at.as_ref());
    let gap = if place.is_empty() { "" } else { "  " };
    let sentence = sentence(trace, step, style);
    format!("{index:>digits$}  {sentence}{gap}{}", style.paint(&place, Paint::Faint))
}

/// The name of a process.
pub fn name(trace: &Trace, process: usize, style: &Style) -> String {
    trace.processes.get(process).map_or_else(|| format!("process {process}"), |p| clean(&p.name, style))
}

/// A step as a sentence, with its process.
pub fn sentence(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    format!("{} {}", name(trace, step.process, style), event(trace, step, style))
}

/// The event of a step, without its process.
pub fn event(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    let about = || clean(&trace.describe(&step.kind, trace.message(step)), style);
    let message = || if step.kind.message().is_some() { about() } else { "a message".to_string() };
    let peer = |alone: &str| step.kind.peer().map_or_else(|| alone.to_string(), |p| name(trace, p, style));
    match &step.kind {
        StepKind::Send { .. } => format!("sends {} to {}", message(), peer("an unknown process")),
        StepKind::Receive(_) => format!("receives {} from {}", message(), peer("an unknown process")),
        StepKind::Duplicate(_) => {
            format!("receives {} from {} (it will be delivered again)", message(), peer("an unknown process"))
        }
        StepKind::Drop(_) => format!("never gets {} from {}", message(), peer("an unknown process")),
        StepKind::Timeout => "times out".to_string(),
        StepKind::Choose { option: None, value: None } => "makes a choice".to_string(),
        StepKind::Choose { .. } => format!("chooses {}", about()),
        StepKind::Lose { lost: false, .. } => "loses nothing".to_string(),
        StepKind::Lose { to: None, .. } => format!("loses {}", message()),
        StepKind::Lose { .. } => format!("loses {} to {}", message(), peer("an unknown process")),
        StepKind::Spawn { .. } => format!("spawns {}", peer("a process")),
        StepKind::Join { .. } => format!("joins {}", peer("a process")),
        StepKind::Fail(_) => format!("fails: {}", about()),
        StepKind::Wait(Awaited::Unknown) => "waits forever".to_string(),
        StepKind::Wait(_) => format!("waits {} forever", about()),
        StepKind::Start => "starts".to_string(),
        StepKind::Timer(_) => format!("timer {} goes off", about()),
        StepKind::Crash => "crashes".to_string(),
        StepKind::Restart => "restarts".to_string(),
        StepKind::Split { .. } => format!("splits: {}", about()),
        StepKind::Heal => "heals".to_string(),
        StepKind::Note(_) | StepKind::Action(_) => about(),
    }
}

/// The condition that a process waits for.
pub fn waits(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    let about = clean(&trace.describe(&step.kind, None), style);
    if about.is_empty() { "waits".to_string() } else { format!("waits {about}") }
}
