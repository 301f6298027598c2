//! The engine of *Model Checking Distributed Protocols in Must* (OOPSLA 2024): execution graphs, consistency predicates for four
//! communication models, and an optimal dynamic partial order reduction with polynomial memory, on interned ids.
//!
//! | module | what it does |
//! |---|---|
//! | `graph` | execution graphs with insertion stamps |
//! | `clocks` | porf as vector clocks |
//! | `consistency` | which message a receive may read; one file a model |
//! | `revisit` | which receives a new send may revisit |
//! | `restrict` | the graph after a backward revisit |
//! | `ready`, `schedule` | `next_P`: which process goes on |
//! | `search` | the depth-first search of one worker |
//! | `isolation` | runs sampled executions again: processes must share nothing |
//! | `stray` | sends to ids that the sender cannot know |
//! | `parallel` | several workers, and what they hand each other |
//! | `eager` | p2p with arrival orders, for comparison |
//! | `witness`, [`replay`] | from a graph to a trace and back |
//! | `world` | finished executions in canonical form |
//! | [`brute`] | the naive twin: every interleaving |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod brute;
mod clocks;
mod config;
mod consistency;
mod eager;
mod graph;
mod isolation;
mod parallel;
mod portable;
mod ready;
pub mod replay;
mod restrict;
mod revisit;
mod schedule;
mod search;
mod stray;
mod witness;
mod world;

pub use config::{Config, Report};
pub use parallel::explore;
pub use world::{Ending, World, WorldEvent};
