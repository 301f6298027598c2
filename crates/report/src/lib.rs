//! One [`Trace`](manyworlds_core::Trace) in, a report out: text for a terminal, a page for a browser, a graph for other tools. Everything here
//! is a pure function: no report knows an engine, a file or a terminal; the caller says how wide a text may be and whether it may have
//! colours, in a [`Style`].
//!
//! | room | what it holds |
//! |---|---|
//! | [`failure`] | the whole report of a violation: property, place, chart, how to see it again |
//! | [`chart`] | the message-sequence chart |
//! | [`summary`] | one line for any outcome |
//! | [`history`] | operations on lanes, and what is known of them |
//! | [`timeline`] | the same operations as bars in the terminal |
//! | [`step`] | a step in words, for replays |
//! | [`html`](mod@html) | one self-contained page: the interactive chart, the timeline, the figures |
//! | [`dot`](mod@dot), [`shiviz`](mod@shiviz) | the same trace for Graphviz and for ShiViz |
//! | `causality`, `cause` | what comes before what, and which steps a trace is about; which of them explain it |
//! | `order`, `rows`, `layout`, `canvas` | the way from steps to a chart: drawing order, rows, columns, characters |
//! | `brief` | messages as labels, what differs first |
//! | `place`, `style`, `text` | short source locations, glyphs and colours, widths and cuts |
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
#[cfg(test)]
mod story;
mod style;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod timeline;
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
