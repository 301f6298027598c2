//! A step in words: `client sends Get to server`.

use crate::place;
use crate::style::{Paint, Style};
use crate::text::clean;
use manyworlds_core::{Trace, TraceStep};

/// The step with this index, numbered, in words, with its source line: what a replay prints as it goes.
pub fn step(trace: &Trace, index: usize, style: &Style) -> String {
    let Some(step) = trace.steps.get(index) else { return format!("{index:>3}  there is no such step") };
    let digits = trace.steps.len().to_string().len().max(3);
    let place = place::short(step.location.as_deref());
    let gap = if place.is_empty() { "" } else { "  " };
    let words = words(trace, step, style);
    format!("{index:>digits$}  {words}{gap}{}", style.paint(&place, Paint::Faint))
}

/// The name of a process.
pub fn name(trace: &Trace, process: usize, style: &Style) -> String {
    trace.processes.get(process).map_or_else(|| format!("process {process}"), |p| clean(&p.name, style))
}

/// What happens in a step, and to whom.
pub fn words(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    format!("{} {}", name(trace, step.process, style), deed(trace, step, style))
}

/// What happens in a step.
pub fn deed(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    let message = || clean(step.message.as_deref().unwrap_or("a message"), style);
    let peer = |alone: &str| step.peer.map_or_else(|| alone.to_string(), |p| name(trace, p, style));
    let number = || step.choice.map_or_else(|| "something".to_string(), |c| c.to_string());
    let chosen = || step.message.as_deref().map_or_else(number, |chosen| clean(chosen, style));
    match step.kind.as_str() {
        "send" => format!("sends {} to {}", message(), peer("a process that is not here")),
        "recv" => format!("receives {} from {}", message(), peer("somebody")),
        "timeout" => "times out".to_string(),
        "choose" => format!("chooses {}", chosen()),
        "lose" if !is_lost(step) => "loses nothing".to_string(),
        "lose" if step.peer.is_none() => format!("loses {}", message()),
        "lose" => format!("loses {} to {}", message(), peer("somebody")),
        "spawn" => format!("spawns {}", peer("a process")),
        "join" => format!("joins {}", peer("a process")),
        "fail" => format!("fails: {}", message()),
        "wait" => {
            format!("waits {} for ever", clean(step.message.as_deref().unwrap_or_default(), style)).replace("  ", " ")
        }
        "start" => "starts".to_string(),
        "timer" => format!("timer {} goes off", message()),
        "crash" => "crashes".to_string(),
        "restart" => "restarts".to_string(),
        "drop" => format!("never gets {} from {}", message(), peer("somebody")),
        "duplicate" => format!("receives {} from {}, and not for the last time", message(), peer("somebody")),
        "split" => format!("splits: {}", message()),
        "heal" => "heals".to_string(),
        "note" | "action" => message(),
        other => clean(other, style),
    }
}

/// Whether a message that could get lost on the way did.
pub fn is_lost(step: &TraceStep) -> bool {
    step.kind == "lose" && step.choice != Some(0)
}

/// What a step waits for, with names instead of ids.
pub fn waits(trace: &Trace, step: &TraceStep, style: &Style) -> String {
    let detail = clean(step.message.as_deref().unwrap_or_default(), style);
    let named = |word: &str| {
        let process = trace.processes.iter().position(|process| word.strip_prefix('p') == Some(process.pid.as_str()));
        process.map_or_else(|| word.to_string(), |process| name(trace, process, style))
    };
    let words = detail.split_whitespace().map(named);
    std::iter::once("waits".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}
