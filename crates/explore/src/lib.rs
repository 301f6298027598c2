//! Engines on global states. They know a [`Model`] and nothing else: what a state is made of is the model's business.
//!
//! | room | what it does |
//! |---|---|
//! | [`model`] | the interface: initial states, actions, next states, and what a model may add |
//! | [`property`] | what can be asked of a model |
//! | [`fingerprint`] | 128 bits that stand for a state |
//! | [`narrate`], [`replay`] | from a path to a trace and back |
//! | [`config`] | what a run is told, and what it answers |
#![forbid(unsafe_code)]

pub mod config;
pub mod fingerprint;
pub mod model;
pub mod narrate;
pub mod property;
pub mod replay;

pub use config::{Config, Found, Reduction, Report};
pub use model::{Model, Path};
pub use narrate::narrate;
pub use property::{Kind, Property};
pub use replay::{Replayed, replay};
