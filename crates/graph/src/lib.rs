//! The engine of *Model Checking Distributed Protocols in Must* (OOPSLA 2024): execution graphs, consistency predicates for four
//! communication models, and an optimal dynamic partial order reduction with polynomial memory, on interned ids.
//!
//! | module | what it does |
//! |---|---|
//! | `graph` | execution graphs with insertion stamps |
//! | `clocks` | porf as vector clocks |
//! | `consistency` | which message a receive may read; one file per communication model |
//! | `revisit` | which receives a new send may revisit |
//! | `restrict` | the graph after a backward revisit |
//! | `ready`, `schedule` | `next_P`: which process adds the next event |
//! | `search` | the depth-first search of one worker |
//! | `isolation` | reruns sampled executions to check that processes share no state |
//! | `addressing` | sends to processes whose id the sender cannot have obtained |
//! | `parallel` | several workers on one search tree |
//! | `portable` | graphs in a form that another worker can rebuild |
//! | `eager` | p2p with a total order of arrivals per process, for comparison |
//! | `witness`, [`replay`] | conversion of a graph to a trace, and of a trace to a graph |
//! | `world` | finished executions in canonical form |
//! | [`brute`] | the reference engine: explores every interleaving |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod addressing;
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
mod witness;
mod world;

pub use config::{GraphConfig, GraphReport};
pub use parallel::explore;
pub use world::{Ending, World, WorldEvent};
