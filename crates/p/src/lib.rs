//! The front end for the P language: from text to a checked program.
//!
//! [`parser`] builds a syntax tree ([`ast`]) of each file.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod ast;
pub mod diagnostic;
pub mod parser;
pub mod source;
pub mod token;
