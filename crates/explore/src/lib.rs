//! Engines on global states. They use a [`TransitionSystem`] only: states are opaque to them.
//!
//! | module | contents |
//! |---|---|
//! | [`model`] | the trait of specifications: initial states, actions, next states, properties |
//! | [`abilities`] | optional declarations of a specification: symmetry, independence, fairness and so on |
//! | [`specification`] | a model with the abilities it opted into |
//! | [`together`] | specifications that list actions and next states together |
//! | [`system`] | the interface of engines to models |
//! | [`property`] | properties of models |
//! | [`fingerprint`] | 128-bit fingerprints of states |
//! | [`path`], `rebuild` | paths, and their reconstruction |
//! | `plain_trace` | traces of specifications that have none of their own |
//! | [`mod@narrate`], [`mod@replay`] | from a path to a trace and back |
//! | [`config`], `run` | the configuration of a run, and its report |
//! | `engine` | [`explore`]: picks the engine, runs it, and refuses what it cannot decide |
//! | `bfs` | breadth-first search: levels of rounds, the same result for any number of workers |
//! | `estimate` | estimates the progress of breadth-first search |
//! | `round` | one round: list the successors of chunks of the frontier, insert them into the visited states, build what is new |
//! | `sorted` | the successors of a chunk, sorted by shard of the visited states |
//! | `recent` | a cache of recently listed fingerprints |
//! | `barrier` | where workers wait for each other |
//! | `frontier` | states that wait to be expanded |
//! | `links` | parent links of states |
//! | `dfs` | depth-first search: no parent links; workers share the oldest states of their stacks |
//! | `sharing` | data shared by the workers of depth-first search |
//! | `random` | seeded walks |
//! | [`receive`] | the data of schedulers about actions, and the events of histories |
//! | `schedulers` | the seven schedulers of DS2: schedules of actor systems and their histories |
//! | [`fairness`] | weak and strong fairness of sets of actions |
//! | `temporal` | counterexamples to `eventually`, `always_eventually` and `leads_to`: paths that end, and fair cycles |
//! | `pending` | the states on paths on which a property waits for something, as a graph of numbers |
//! | `streett`, `tarjan` | strongly connected components, and those that are fair |
//! | `labels` | sets of fairness assumptions, as numbers |
//! | `lasso` | a short fair cycle in a component |
//! | `stepper` | computes successors for all engines, with or without reductions |
//! | `sleep` | sleep sets for specifications that declare independent actions |
//! | `concrete` | turns a path between representatives into a path of the system |
//! | `check`, `property_keys` | which properties a state violates |
//! | `guard` | panics of a specification are violations |
//! | `sample` | whether a specification is a function |
//! | `visited` | the set of visited states |
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
mod created;
mod dfs;
mod engine;
mod estimate;
pub mod fairness;
pub mod fingerprint;
mod frontier;
mod guard;
mod labels;
mod lasso;
mod links;
pub mod model;
pub mod narrate;
pub mod path;
mod pending;
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
mod streett;
pub mod system;
mod tarjan;
mod temporal;
pub mod together;
mod visited;

pub use abilities::{Failing, Fair, Fingerprinted, Independent, Narrated, PersistentSets, Symmetric};
pub use config::{Config, Found, Reduction, Report};
pub use engine::{Refusal, Unanswered, explore};
pub use fairness::{Assumed, Fairness, Label, Strength};
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
