//! Linearizability: does a concurrent object behave as if each operation took effect at once, somewhere between its invocation and its
//! response?
//!
//! A [`Spec`] says what the operations do one after the other; the ready ones are in [`specs`]. A [`History`] is what was seen. [`check`]
//! says whether the one explains the other: it finds an order of the operations, or says why there is none ([`Explanation`]).
//!
//! Histories recorded from real systems are read by [`formats`], as a [`Recorded`] history; an [`Object`] checks it. A [`stage::Stage`] is what a model
//! checker keeps of a history.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod check;
mod explain;
mod first;
pub mod formats;
mod history;
mod interner;
mod minimize;
mod objects;
mod per_key;
mod recorded;
pub mod spec;
pub mod specs;
pub mod stage;
mod translate;
mod value;
mod watched;

pub use check::{Answer, Consistency, Options, Verdict, check, check_with};
pub use explain::Explanation;
pub use first::first_impossible;
pub use history::{Event, History, Misplaced, Operation};
pub use objects::Object;
pub use recorded::{Aside, BadLine, Call, Recorded};
pub use spec::{Datum, Seen, Sequential, Spec, key_of};
pub use value::Value;
pub use watched::{Unexplained, Watched};
