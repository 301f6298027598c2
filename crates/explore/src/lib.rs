//! Engines on global states. They know a [`Model`] and nothing else: what a state is made of is the model's business.
//!
//! | room | what it does |
//! |---|---|
//! | [`model`] | the interface: initial states, actions, next states, and what a model may add |
//! | [`property`] | what can be asked of a model |
//! | [`fingerprint`] | 128 bits that stand for a state |
//! | [`config`] | what a run is told, and what it answers |
//! | `engine` | [`explore`]: picks the engine, runs it, and refuses what it cannot decide |
//! | `bfs` | breadth-first search: levels of rounds, the same result for any number of workers |
//! | `round` | one round: expand chunks of the frontier, insert into shards of the visited states |
//! | `frontier` | states that wait to be expanded |
//! | `links` | where each state came from |
//! | `dfs` | depth-first search: no parent links; workers share the oldest states of their stacks |
//! | `random` | seeded walks |
//! | `eventually` | paths on which something never holds: dead ends and (fair) cycles |
//! | `tarjan` | strongly connected components |
//! | `stepper` | how every engine takes steps, with reductions or without |
//! | `check` | which properties a state violates |
//! | `visited` | the set of states seen |
#![forbid(unsafe_code)]

mod bfs;
mod check;
pub mod config;
mod dfs;
mod engine;
mod eventually;
pub mod fingerprint;
mod frontier;
mod links;
pub mod model;
pub mod property;
mod random;
mod round;
mod stepper;
mod tarjan;
mod visited;

pub use config::{Config, Found, Reduction, Report};
pub use engine::{Engine, Refusal, explore};
pub use manyworlds_core::{Budget, NoObserver, Observer, Progress, StopReason};
pub use model::{Model, Narration, Path};
pub use property::{Kind, Property};
