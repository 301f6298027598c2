//! A checker for linearizability and sequential consistency. A history of a concurrent object is linearizable if each operation appears to take
//! effect atomically at some point between its invocation and its response.
//!
//! A [`Spec`] is the sequential specification of an object; [`specs`] contains specifications of common objects. A [`History`] is a set of observed
//! operations. [`check`] decides whether a history is linearizable with respect to a specification: it returns a linearization, or an
//! [`Explanation`] of why there is none.
//!
//! [`formats`] reads histories recorded from real systems as [`Recorded`] histories; an [`Object`] checks them. A [`stage::Stage`] is the part of a
//! history that a model checker stores in a state.
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

pub use check::{Answer, CheckOptions, Consistency, Judgement, check, check_with};
pub use explain::Explanation;
pub use first::first_impossible;
pub use history::{Event, History, Misplaced, Operation};
pub use objects::Object;
pub use recorded::{Aside, BadLine, Call, Recorded};
pub use spec::{Datum, Seen, Sequential, Spec, key_of};
pub use value::Value;
pub use watched::{Unexplained, Watched};
