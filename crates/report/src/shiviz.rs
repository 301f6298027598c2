//! A trace as a log for ShiViz: two lines for each event, the host with its vector clock and a description.
//!
//! The first lines of the log contain the regular expression to be entered into ShiViz. The expression matches only events, so these lines may remain.

use crate::causality::clocks;
use crate::words::event;
use crate::{Style, place};
use manyworlds_core::Trace;
use std::collections::HashSet;
use std::fmt::Write;

/// The regular expression with which ShiViz parses the log.
pub const PARSER: &str = r"^(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)$";

/// The trace as a log for ShiViz.
pub fn shiviz(trace: &Trace) -> String {
    let hosts = hosts(trace);
    let mut text = format!(
        "# Manyworlds: {}: {} violated\n# Log parsing regular expression for ShiViz:\n# {PARSER}\n",
        one_line(&trace.model),
        one_line(&trace.violation.property.to_string()),
    );
    for (step, clock) in trace.steps.iter().zip(clocks(trace)) {
        let known = hosts.iter().zip(&clock).filter(|(_, ticks)| **ticks > 0);
        let clock: serde_json::Map<String, serde_json::Value> =
            known.map(|(host, &ticks)| (host.clone(), ticks.into())).collect();
        let place = place::short(step.at.as_ref());
        let gap = if place.is_empty() { "" } else { " @ " };
        let event = format!("{}{gap}{place}", event(trace, step, &Style::default()));
        let _ = writeln!(text, "{} {}\n{}", hosts[step.process], serde_json::Value::Object(clock), one_line(&event));
    }
    text
}

/// A unique name without spaces for each process.
fn hosts(trace: &Trace) -> Vec<String> {
    let mut taken = HashSet::new();
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
    };
    let mut unique = |name: String| {
        let numbered = (2..).map(|n| format!("{name}#{n}"));
        let names = std::iter::once(name.clone()).filter(|name| !name.is_empty()).chain(numbered);
        names.into_iter().find(|name| taken.insert(name.clone())).expect("there are enough numbers")
    };
    trace.processes.iter().map(|process| unique(plain(&process.name))).collect()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
