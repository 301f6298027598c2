//! The front end for the P language: from text to a checked program.
//!
//! [`parser`] builds a syntax tree ([`ast`]) of each file.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod ast;
pub mod check;
pub mod diagnostic;
pub mod hir;
pub mod lower;
pub mod parser;
pub mod project;
pub mod source;
mod suggest;
pub mod token;
pub mod types;
mod xml;
