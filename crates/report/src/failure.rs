//! The whole report of a violation, in the order in which a person asks: what, where, how, and how to see it again.

use crate::chart::chart;
use crate::style::{Paint, Style};
use crate::text::clean;
use manyworlds_core::Trace;

/// What only the caller knows about a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hints<'a> {
    /// The command that replays it.
    pub replay: Option<&'a str>,
    /// The file that holds its trace.
    pub file: Option<&'a str>,
}

/// The property, the place, the message; the chart; the hints.
pub fn failure(trace: &Trace, hints: &Hints<'_>, style: &Style) -> String {
    let mut text = headline(trace, style);
    text.push_str(&format!("\n{}\n\n", caption(trace)));
    for line in chart(trace, &Style { width: style.width.saturating_sub(2), ..*style }).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    let hints = [("replay:", hints.replay), ("trace: ", hints.file)];
    for (i, (title, hint)) in hints.into_iter().filter_map(|(title, hint)| Some((title, hint?))).enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        text.push_str(&format!("{gap}{} {hint}\n", style.paint(title, Paint::Strong)));
    }
    text
}

/// Which property is violated, in which process at which file and line, and the message.
pub fn headline(trace: &Trace, style: &Style) -> String {
    let violation = &trace.violation;
    let title = format!("{} property violated: {}", style.glyphs().bad, violation.property);
    let mut text = format!("{}\n", style.paint(&title, Paint::Bad));
    let process =
        violation.process.as_ref().map(|name| format!("in {}", style.paint(&clean(name, style), Paint::Strong)));
    let place = violation.location.as_ref().map(|location| format!("at {}", clean(location, style)));
    let whereabouts: Vec<String> = process.into_iter().chain(place).collect();
    if !whereabouts.is_empty() {
        text.push_str(&format!("  {}\n", whereabouts.join(" ")));
    }
    for line in violation.message.lines() {
        // What a message aligns stays aligned.
        let indent = line.len() - line.trim_start().len();
        text.push_str(&format!("  {}{}\n", " ".repeat(indent), clean(line, style)));
    }
    text
}

/// What the chart shows.
fn caption(trace: &Trace) -> String {
    let params: Vec<String> = trace.params.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    let steps = match trace.steps.len() {
        1 => "1 step".to_string(),
        n => format!("{n} steps"),
    };
    format!("{}{} under {}, {steps}:", trace.model, params.concat(), trace.network)
}
