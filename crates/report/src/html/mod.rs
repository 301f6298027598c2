//! The report as one self-contained HTML page, which loads no other resources.
//!
//! The page is a template (`assets/`) with the data of the run embedded as JSON. As much as possible is computed in Rust (texts, drawing
//! order, types of messages, failing steps); the scripts draw the page and handle its events.

mod data;
mod pack;
#[cfg(test)]
mod tests;

use crate::history::Timeline;
use manyworlds_core::{Coverage, Network, Outcome, Trace};
use serde_json::{Map, Value};
use std::time::Duration;

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/style.css");

/// The scripts in the order of the page: definitions come before their uses.
const SCRIPTS: [&str; 13] = [
    include_str!("assets/svg.js"),
    include_str!("assets/unpack.js"),
    include_str!("assets/values.js"),
    include_str!("assets/difference.js"),
    include_str!("assets/story.js"),
    include_str!("assets/highlight.js"),
    include_str!("assets/arrows.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/detail.js"),
    include_str!("assets/figures.js"),
    include_str!("assets/app.js"),
];

/// Reads a file; `None` if it cannot be read.
pub type ReadSource<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The contents of a page. Parts that are `None` are not shown.
#[derive(Clone, Copy, Default)]
pub struct Page<'a> {
    /// The name of the model, or of the file.
    pub title: &'a str,
    /// The verdict and the figures.
    pub run: Option<Run<'a>>,
    /// The counterexample.
    pub trace: Option<&'a Trace>,
    /// The history; if it is `None`, the history of the trace is shown, if that records operations.
    pub timeline: Option<&'a Timeline>,
    /// The verdict on a history; for pages without a run.
    pub headline: Option<Headline<'a>>,
    /// Reads a source file, so that steps can show their lines.
    pub source: Option<&'a ReadSource<'a>>,
}

/// A verdict as text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Headline<'a> {
    /// One word or two: `linearizable`, `not linearizable`.
    pub verdict: &'a str,
    /// Whether the verdict is positive; `None` if it is undecided.
    pub good: Option<bool>,
    /// A sentence.
    pub sentence: &'a str,
}

/// The result of a check.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The verdict and the figures.
    pub outcome: &'a Outcome,
    /// `program`, `actors` or `specification`.
    pub kind: &'a str,
    /// The parameters of the model.
    pub params: &'a Map<String, Value>,
    /// The engine that ran.
    pub engine: &'a str,
    /// Why this engine was chosen.
    pub why: Option<&'a str>,
    /// The default network, if there is one.
    pub network: Option<Network>,
    /// The wall-clock time of the run.
    pub time: Option<Duration>,
    /// The coverage.
    pub coverage: Option<&'a Coverage>,
}

/// The page as one HTML file.
pub fn html(page: &Page<'_>) -> String {
    let data = inert(&pack::packed(data::of(page).to_string()));
    let script = SCRIPTS.concat();
    let mut text = String::with_capacity(TEMPLATE.len() + STYLE.len() + data.len() + script.len());
    // One pass, because inserted text may look like a marker.
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (marker, after) = after.split_once("}}").expect("every marker of the template is closed");
        text.push_str(before);
        match marker {
            "title" => text.push_str(&escaped(page.title)),
            "style" => text.push_str(STYLE),
            "data" => text.push_str(&data),
            "script" => text.push_str(&script),
            _ => unreachable!("the template has no other markers"),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Escapes the characters of a JSON text with which an HTML parser could end the script element or start a comment in it. They occur only in strings, so
/// the value does not change.
fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text.push_str(&format!("\\u{:04x}", c as u32)),
            c => text.push(c),
        }
    }
    text
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
