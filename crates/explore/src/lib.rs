//! Engines on global states. They know a [`Model`] and nothing else: what a state is made of is the model's business.
//!
//! | room | what it does |
//! |---|---|
//! | [`model`] | the interface: initial states, actions, next states, and what a model may add |
//! | [`property`] | what can be asked of a model |
//! | [`fingerprint`] | 128 bits that stand for a state |
//! | [`mod@narrate`], [`mod@replay`] | from a path to a trace and back |
//! | [`config`] | what a run is told, and what it answers |
//! | `engine` | [`explore`]: picks the engine, runs it, and refuses what it cannot decide |
//! | `bfs` | breadth-first search: levels of rounds, the same result for any number of workers |
//! | `estimate` | how much of breadth-first search lies behind |
//! | `round` | one round: list the successors of chunks of the frontier, insert them into the visited states, build what is new |
//! | `deal` | the successors of a chunk, sorted by shard of the visited states |
//! | `recent` | what was listed lately need not be looked up again |
//! | `meeting` | where workers wait for each other |
//! | `frontier` | states that wait to be expanded |
//! | `links` | where each state came from |
//! | `dfs` | depth-first search: no parent links; workers share the oldest states of their stacks |
//! | `sharing` | what the workers of depth-first search share |
//! | `random` | seeded walks |
//! | [`receive`] | what schedulers know about an action, and what histories are made of |
//! | `schedulers` | the seven schedulers of DS2: schedules of actor systems and their histories |
//! | `eventually` | paths on which something never holds: dead ends and (fair) cycles |
//! | `tarjan` | strongly connected components |
//! | `stepper` | how every engine takes steps, with reductions or without |
//! | `sleep` | sleep sets for specifications that say which actions are independent |
//! | `concrete` | a path between representatives as one that can really be taken |
//! | `check` | which properties a state violates |
//! | `visited` | the set of states seen |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod bfs;
mod check;
mod concrete;
pub mod config;
mod deal;
mod dfs;
mod engine;
mod estimate;
mod eventually;
pub mod fingerprint;
mod frontier;
mod glances;
mod links;
mod meeting;
pub mod model;
pub mod narrate;
mod prints;
pub mod property;
mod random;
pub mod receive;
mod recent;
pub mod replay;
mod round;
mod schedulers;
mod sharing;
mod sleep;
mod stepper;
mod tarjan;
mod visited;

pub use config::{Config, Found, Reduction, Report};
pub use engine::{Engine, Refusal, explore};
pub use manyworlds_core::{Budget, NoObserver, Observer, Progress, StopReason};
pub use model::{Listed, Model, Path};
pub use narrate::narrate;
pub use property::{Kind, Property};
pub use receive::{HistoryEvent, HistoryKind, Keys, Lane, Receive};
pub use replay::replay;
pub use schedulers::SchedulerName;
