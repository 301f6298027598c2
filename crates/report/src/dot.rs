//! A trace as a graph for Graphviz: processes as clusters, program order within them, messages between them.

use crate::causality::{causes, failing};
use crate::words::event;
use crate::{Style, place};
use manyworlds_core::{StepKind, Trace, TraceStep};
use std::fmt::Write;

/// The trace in the DOT language.
pub fn dot(trace: &Trace) -> String {
    let failing = failing(trace);
    let mut text = String::from("digraph trace {\n");
    text.push_str("  graph [rankdir=TB, fontname=\"sans-serif\", labelloc=t, ");
    let _ = writeln!(text, "label={}];", quoted(&title(trace)));
    text.push_str("  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n");
    text.push_str("  edge [fontname=\"sans-serif\", fontsize=9, color=gray40];\n");
    for (p, process) in trace.processes.iter().enumerate() {
        let own: Vec<usize> = (0..trace.steps.len()).filter(|&i| trace.steps[i].process == p).collect();
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(text, "  subgraph cluster_{p} {{\n    label={}; color=gray80;", quoted(&process.name));
        for i in own {
            let _ = writeln!(text, "    {};", node(trace, i, failing.contains(&i)));
        }
        text.push_str("  }\n");
    }
    for edge in edges(trace) {
        let _ = writeln!(text, "  {edge};");
    }
    text.push_str("}\n");
    text
}

fn title(trace: &Trace) -> String {
    format!("{}: {} violated", trace.model, trace.violation.property)
}

fn node(trace: &Trace, i: usize, bad: bool) -> String {
    let step = &trace.steps[i];
    let mut label = format!("{i}: {}", event(trace, step, &Style::default()));
    let place = place::short(step.at.as_ref());
    if !place.is_empty() {
        label.push_str(&format!("\n{place}"));
    }
    let paint = if bad { ", color=red, fontcolor=red, penwidth=2" } else { "" };
    format!("s{i} [label={}{paint}]", quoted(&label))
}

/// The edges of the graph: program order plain, from a send to its receive in blue, to its loss dotted in red, all others dashed.
fn edges(trace: &Trace) -> Vec<String> {
    let causes = causes(trace);
    let kind = |cause: usize, step: &TraceStep| match () {
        () if step.kind.send() == Some(cause) && matches!(step.kind, StepKind::Drop(_)) => {
            " [color=red, style=dotted, label=\"lost\"]".to_string()
        }
        () if step.kind.send() == Some(cause) => {
            let message = trace.message(step).map_or_else(String::new, ToString::to_string);
            format!(" [color=blue, label={}]", quoted(&message))
        }
        () if trace.steps[cause].process == step.process => String::new(),
        () => " [style=dashed]".to_string(),
    };
    let edge = |(i, cause): (usize, usize)| format!("s{cause} -> s{i}{}", kind(cause, &trace.steps[i]));
    causes.iter().enumerate().flat_map(|(i, causes)| causes.iter().map(move |&cause| (i, cause))).map(edge).collect()
}

/// A quoted string of DOT. A backslash starts an escape there.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
