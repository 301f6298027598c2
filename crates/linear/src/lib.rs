//! Linearizability: does a concurrent object behave as if each operation took effect at once, somewhere between its invocation and its
//! response?
//!
//! A [`Spec`] says what the operations do one after the other. The ready ones are in [`specs`]. A [`stage::Stage`] is what a model checker keeps of a
//! history.

#![forbid(unsafe_code)]

pub mod spec;
pub mod specs;
pub mod stage;

pub use spec::{Datum, Sequential, Spec, key_of};
