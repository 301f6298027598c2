//! Errors in trace files.

use thiserror::Error;

/// Why a text is not a trace, or a trace does not belong to this program.
#[derive(Debug, Error, PartialEq)]
pub enum TraceError {
    /// Not JSON, or JSON of another shape.
    #[error("line {line}, column {column}: {message}; expected a `manyworlds-trace/2` object")]
    Malformed {
        /// Line of the text, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// A trace of another version or of another tool.
    #[error("schema is `{found}`; expected `manyworlds-trace/2` or `manyworlds-trace/1`")]
    Schema {
        /// The schema that the file names.
        found: String,
    },
    /// A step that refers to nothing, or to something that comes later.
    #[error("step {step}: {message}")]
    BadStep {
        /// Index of the step, from 0.
        step: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A history that refers to nothing.
    #[error("history: {message}")]
    BadHistory {
        /// What is wrong with it.
        message: String,
    },
    /// More losses than there can be.
    #[error("{message}")]
    BadLosses {
        /// What is wrong with it.
        message: String,
    },
    /// The program deviates from the trace.
    #[error(
        "step {step} ({process}): the trace says `{expected}`, the program does `{found}`; was the program changed since the trace was written?"
    )]
    Diverged {
        /// Index of the step, from 0.
        step: usize,
        /// The process.
        process: String,
        /// The step of the trace.
        expected: String,
        /// The step of the program.
        found: String,
    },
}
