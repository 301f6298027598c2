//! Reports from a [`Trace`](manyworlds_core::Trace): text for a terminal, a page for a browser, a graph for other tools. All functions are pure and
//! independent of engines, files and terminals. The caller chooses the width of a text and whether it may contain colours, in a [`Style`].
//!
//! | module or function | contents |
//! |---|---|
//! | [`failure`] | the complete report of a violation: property, source location, chart, commands and files |
//! | [`chart`] | the message-sequence chart |
//! | [`summary`] | the outcome of a run in one line |
//! | [`history`] | operations of a history on lanes, and the results of a linearizability check |
//! | [`timeline`] | the same operations as bars in the terminal |
//! | [`step`] | a step as a sentence, for replays |
//! | [`html`](mod@html) | one self-contained page: the interactive chart, the timeline, the figures |
//! | [`dot`](mod@dot), [`shiviz`](mod@shiviz) | the same trace for Graphviz and for ShiViz |
//! | `causality`, `cause` | the happens-before relation and the failing steps; the steps that explain them |
//! | `order`, `rows`, `layout`, `canvas` | from steps to a chart: drawing order, rows, columns, characters |
//! | `brief` | short labels of messages, with the differing part first |
//! | `place`, `style`, `text` | short source locations; glyphs and colours; widths and truncation |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod brief;
mod canvas;
mod causality;
mod cause;
mod chart;
pub mod dot;
mod failure;
pub mod history;
pub mod html;
mod layout;
mod order;
mod place;
mod rows;
pub mod shiviz;
mod style;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
#[cfg(test)]
mod trace_builder;
mod words;

pub use chart::chart;
pub use dot::dot;
pub use failure::{Hints, failure, headline};
pub use html::html;
pub use shiviz::shiviz;
pub use style::Style;
pub use summary::{grouped, histories, summary};
pub use timeline::timeline;
pub use words::step;
