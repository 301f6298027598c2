//! Actors: a state and handlers. An actor never blocks and shares nothing; it reacts to a message or a timer, changes its state and sends.
//!
//! What a handler does depends on *(actor, local state, input)* only, so it runs once for each such triple in a whole run, whichever engine
//! and thread asks (`table`). Global states are vectors of ids; engines see those and nothing of the user's.
//!
//! | module | what it does |
//! |---|---|
//! | `actor` | the trait that users implement |
//! | `context` | what a handler can do |
//! | `erased` | actors, states and messages whose types are forgotten |
//! | [`system`] | actors, networks, faults and properties put together |
//! | `table` | the shared table of local transitions, and each worker's copy |
//! | `interner` | ids for whatever is equal |
//! | `inbox` | messages on their way to one actor: asyn, p2p, mbox |
//! | `causal` | messages on their way under causal delivery |
//! | `faults` | what may go wrong, and how often |
//! | `worlds` | the system as a transition system for the engines of `explore` |
//! | `state` | a global state: a vector of ids |
//! | `acts` | what an actor can do: its local state with each message that can come next |
//! | `landings` | what a message that sets out adds to a fingerprint |
//! | `sleep` | sleep sets: which acts need not be tried in both orders |
//! | `pairs` | a map from two ids to something small |
//! | `step`, `enabled` | what can happen in a global state |
//! | `perform` | what comes of it |
//! | `receives` | what schedulers are told: who receives what from whom, what is recorded |
//! | `view` | a global state as properties see it |
//! | `symmetry` | identical actors |
//! | `persistent` | partial-order reduction |
//! | [`client`] | a ready client that records a history |
//! | [`isolation`] | runs handlers again along sampled paths: they must depend on nothing but state and input |
//! | [`locals`] | the system as the DPOR engine sees it |
//! | `narrate` | paths as traces, and traces as paths |
//! | `coverage` | what a run exercised, and what it never did |
//! | `running` | which handler runs at the moment |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod actor;
mod acts;
mod causal;
pub mod client;
mod context;
mod coverage;
mod enabled;
mod erased;
mod explain;
mod faults;
mod history;
mod inbox;
mod interner;
pub mod isolation;
mod landings;
pub mod locals;
mod narrate;
mod pairs;
mod perform;
mod persistent;
mod receives;
mod running;
mod sleep;
mod state;
mod step;
mod symmetry;
pub mod system;
mod table;
mod view;
mod worlds;

pub use actor::Actor;
pub use client::{Client, Service};
pub use context::Context;
pub use erased::Value;
pub use faults::Faults;
pub use state::State;
pub use step::Step;
pub use symmetry::Renaming;
pub use system::System;
pub use view::{Flight, View};
pub use worlds::Worlds;
