//! Engines on global states. They know a [`TransitionSystem`] and nothing else: what a state is made of is the model's business.
//!
//! | module | what it does |
//! |---|---|
//! | [`model`] | what a specification writes: initial states, actions, next states, properties |
//! | [`abilities`] | what a specification may know besides: symmetry, independence, fairness and so on |
//! | [`specification`] | a model with the abilities it opted into |
//! | [`together`] | specifications that list actions and next states together |
//! | [`system`] | what engines work on |
//! | [`property`] | what must hold of a model |
//! | [`fingerprint`] | 128 bits that stand for a state |
//! | [`path`], `rebuild` | paths, and how one is found again |
//! | `plain_trace` | traces of specifications that have none of their own |
//! | [`mod@narrate`], [`mod@replay`] | from a path to a trace and back |
//! | [`config`], `run` | what a run is given, and what it reports |
//! | `engine` | [`explore`]: picks the engine, runs it, and refuses what it cannot decide |
//! | `bfs` | breadth-first search: levels of rounds, the same result for any number of workers |
//! | `estimate` | how much of breadth-first search lies behind |
//! | `round` | one round: list the successors of chunks of the frontier, insert them into the visited states, build what is new |
//! | `sorted` | the successors of a chunk, sorted by shard of the visited states |
//! | `recent` | what was listed lately need not be looked up again |
//! | `barrier` | where workers wait for each other |
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
//! | `check`, `property_keys` | which properties a state violates |
//! | `guard` | panics of a specification are violations |
//! | `sample` | whether a specification is a function |
//! | `visited` | the set of states seen |
#![warn(missing_docs)]
#![forbid(unsafe_code)]
// Types are spelled out in terms of states and actions: an alias would hide which is which.
#![allow(clippy::type_complexity)]

pub mod abilities;
mod barrier;
mod bfs;
mod check;
mod concrete;
pub mod config;
mod dfs;
mod engine;
mod estimate;
mod eventually;
pub mod fingerprint;
mod frontier;
mod guard;
mod links;
pub mod model;
pub mod narrate;
pub mod path;
mod plain_trace;
mod prints;
pub mod property;
mod property_keys;
mod random;
mod rebuild;
pub mod receive;
mod recent;
pub mod replay;
mod round;
mod run;
mod sample;
mod schedulers;
mod sharing;
mod sleep;
mod sorted;
pub mod specification;
mod stepper;
pub mod system;
mod tarjan;
pub mod together;
mod visited;

pub use abilities::{Failing, Fair, Fingerprinted, Independent, Narrated, PersistentSets, Symmetric};
pub use config::{Config, Found, Reduction, Report};
pub use engine::{Refusal, Unanswered, explore};
pub use manyworlds_core::{Budget, Engine, NoObserver, Observer, Progress, StopReason};
pub use model::Model;
pub use narrate::{narrate, narrate_nothing, recorded};
pub use path::Path;
pub use property::{Kind, Property};
pub use receive::{HistoryEvent, HistoryKind, Keys, Lane, Receive, Receives};
pub use replay::replay;
pub use specification::{Declared, Specification, Undeclared};
pub use system::{Listed, States, TransitionSystem};
pub use together::{Successors, Together};
