//! One [`Trace`](manyworlds_core::Trace) in, text for a terminal out. Everything here is a pure function: no report knows an engine, a file
//! or a terminal; the caller says how wide the text may be and whether it may have colours, in a [`Style`].
//!
//! | room | what it holds |
//! |---|---|
//! | [`failure`] | the whole report of a violation: property, place, chart, how to see it again |
//! | [`chart`] | the message-sequence chart |
//! | [`summary`] | one line for any outcome |
//! | [`timeline`] | operations of processes as bars |
//! | [`step`] | a step in words, for replays |
//! | `order`, `rows`, `layout`, `canvas` | the way from steps to a chart: drawing order, rows, columns, characters |
//! | `place`, `style`, `text` | short source locations, glyphs and colours, widths and cuts |
#![forbid(unsafe_code)]

mod canvas;
mod chart;
mod failure;
mod layout;
mod order;
mod place;
mod rows;
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
pub use failure::{Hints, failure, headline};
pub use style::Style;
pub use summary::summary;
pub use timeline::{Bar, Timeline, timeline};
pub use words::step;
