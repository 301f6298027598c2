//! The complete report of a violation: the property, the source location, the chart, and how to reproduce it.

use crate::chart::chart;
use crate::history::{Operation, Timeline};
use crate::style::{Paint, Style};
use crate::text::clean;
use crate::timeline::timeline;
use crate::words::{name, sentence};
use manyworlds_core::{Requirement, StepKind, Trace};

/// Commands and files that the caller provides for the report of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hints<'a> {
    /// The command that replays the violation.
    pub replay: Option<&'a str>,
    /// The file that holds its trace.
    pub file: Option<&'a str>,
    /// The file that holds the report for the browser.
    pub html: Option<&'a str>,
}

/// The report of a violation: the property, the source location, the message, the chart, the operations if the property is linearizability, and the hints.
pub fn failure(trace: &Trace, hints: &Hints<'_>, style: &Style) -> String {
    let mut text = headline(trace, style);
    text.push_str(&format!("\n{}\n\n", caption(trace)));
    for line in chart(trace, &Style { width: style.width.saturating_sub(2), ..*style }).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str(&operations(trace, style));
    text.push_str(&ending(trace, style));
    let hints = [("replay:", hints.replay), ("trace: ", hints.file), ("report:", hints.html)];
    for (i, (title, hint)) in hints.into_iter().filter_map(|(title, hint)| Some((title, hint?))).enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        text.push_str(&format!("{gap}{} {hint}\n", style.paint(title, Paint::Strong)));
    }
    text
}

/// The violated property, the process, the source location and the message.
pub fn headline(trace: &Trace, style: &Style) -> String {
    let violation = &trace.violation;
    let title = format!("{} property violated: {}", style.glyphs().bad, violation.property);
    let mut text = format!("{}\n", style.paint(&title, Paint::Bad));
    let process =
        violation.process.as_ref().map(|name| format!("in {}", style.paint(&clean(name, style), Paint::Strong)));
    let place = violation.location.as_ref().map(|location| format!("at {}", clean(&location.to_string(), style)));
    let whereabouts: Vec<String> = process.into_iter().chain(place).collect();
    if !whereabouts.is_empty() {
        text.push_str(&format!("  {}\n", whereabouts.join(" ")));
    }
    for line in violation.message.lines() {
        // The indentation of the message is kept.
        let indent = line.len() - line.trim_start().len();
        text.push_str(&format!("  {}{}\n", " ".repeat(indent), clean(line, style)));
    }
    text
}

/// The title of the chart: the model, its parameters, the network and the number of steps.
fn caption(trace: &Trace) -> String {
    let params: Vec<String> = trace.params.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    let steps = match trace.steps.len() {
        1 => "1 step".to_string(),
        n => format!("{n} steps"),
    };
    let specified = trace.steps.iter().all(|step| matches!(step.kind, StepKind::Start | StepKind::Action(_)));
    let network = match specified && !trace.steps.is_empty() {
        // A specification has no network.
        true => String::new(),
        false => format!(" under {}", trace.network),
    };
    format!("{}{}{network}, {steps}:", trace.model, params.concat())
}

/// The operations as bars with the impossible one marked, the longest linearization before it, and the operations that contradict it.
fn operations(trace: &Trace, style: &Style) -> String {
    let is_linearizability = trace.violation.property == Requirement::Linearizable;
    let Some(history) = Timeline::from_trace(trace).filter(|_| is_linearizability) else { return String::new() };
    let bad = style.glyphs().bad;
    let mark = if history.stuck.is_empty() { String::new() } else { format!(" ({bad}: no order has room for it)") };
    let mut text = format!("\noperations{mark}:\n\n");
    for line in timeline(&history, &Style { width: style.width.saturating_sub(2), ..*style }).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    let named = |numbers: &[usize], between: &str| {
        let operations = numbers.iter().filter_map(|&number| history.operations.get(number));
        let named = |o: &Operation| {
            let lane = history.lanes.get(o.process).map_or("", String::as_str);
            clean(&format!("{lane} {}", o.words()), style)
        };
        operations.map(named).collect::<Vec<_>>().join(between)
    };
    if !history.linearization.is_empty() {
        text.push_str(&format!("\n  before it, in this order: {}\n", named(&history.linearization, ", then ")));
    }
    if !history.core.is_empty() {
        text.push_str(&format!("  at odds, whatever the others did: {}\n", named(&history.core, " and ")));
    }
    text
}

/// The cycle, if the path is infinite, and the final local states, if the trace records states.
fn ending(trace: &Trace, style: &Style) -> String {
    let mut text = String::new();
    if let Some(from) = trace.loop_from {
        text.push_str(&match from == trace.steps.len() {
            true => "\nthe execution then stays in this state forever\n".to_string(),
            false => {
                let again = sentence(trace, &trace.steps[from], style);
                format!("\nand so on for ever, from step {from} on ({again})\n")
            }
        });
    }
    let last = |process: usize| trace.steps.iter().rev().find(|s| s.process == process && s.state.is_some());
    let states: Vec<(String, String)> = (0..trace.processes.len())
        .filter_map(|process| Some((name(trace, process, style), last(process)?.state.as_ref()?.to_string())))
        .collect();
    let width = states.iter().map(|(name, _)| crate::text::width(name)).max().unwrap_or(0);
    for (i, (name, state)) in states.iter().enumerate() {
        let title = if i == 0 { "\nin the end:\n" } else { "" };
        let pad = " ".repeat(width - crate::text::width(name));
        text.push_str(&format!("{title}  {}{pad}  {}\n", style.paint(name, Paint::Strong), clean(state, style)));
    }
    text
}
