//! One page for a browser: everything in one file, nothing loaded from anywhere.
//!
//! The page is a template (`assets/`) with the data of the run embedded as JSON. What can be said in Rust is said in Rust (words, drawing
//! order, types of messages, which step failed); the scripts draw and react.

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

/// In the order in which they stand in the page: what is used comes first.
const SCRIPTS: [&str; 13] = [
    include_str!("assets/svg.js"),
    include_str!("assets/unpack.js"),
    include_str!("assets/values.js"),
    include_str!("assets/difference.js"),
    include_str!("assets/story.js"),
    include_str!("assets/lighting.js"),
    include_str!("assets/arrows.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/detail.js"),
    include_str!("assets/figures.js"),
    include_str!("assets/app.js"),
];

/// Reads a file, if it can be read.
pub type ReadSource<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What a page shows. Parts that are `None` have no place on it.
#[derive(Clone, Copy, Default)]
pub struct Page<'a> {
    /// The name of the model, or of the file.
    pub title: &'a str,
    /// The verdict and the figures.
    pub run: Option<Run<'a>>,
    /// The counterexample.
    pub trace: Option<&'a Trace>,
    /// The history; a trace that records operations fills one by itself.
    pub timeline: Option<&'a Timeline>,
    /// The verdict on a history; for pages without a run.
    pub headline: Option<Headline<'a>>,
    /// Reads a source file, so that steps can show their lines.
    pub source: Option<&'a ReadSource<'a>>,
}

/// A verdict in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Headline<'a> {
    /// One word or two: `linearizable`, `not linearizable`.
    pub verdict: &'a str,
    /// Whether that is good; `None` if nobody knows.
    pub good: Option<bool>,
    /// A sentence.
    pub sentence: &'a str,
}

/// What came of a check.
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
    /// Why that one.
    pub why: Option<&'a str>,
    /// The default network, if there is one.
    pub network: Option<Network>,
    /// How long it took.
    pub time: Option<Duration>,
    /// What was exercised.
    pub coverage: Option<&'a Coverage>,
}

/// The page as one HTML file.
pub fn html(page: &Page<'_>) -> String {
    let data = inert(&pack::packed(data::of(page).to_string()));
    let script = SCRIPTS.concat();
    let mut text = String::with_capacity(TEMPLATE.len() + STYLE.len() + data.len() + script.len());
    // One pass: what is put in may look like a marker itself.
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

/// JSON that no HTML parser takes for anything else: the characters that could end a script element or start a comment in it are written as
/// escapes. They can only stand in strings, so the JSON says the same.
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
