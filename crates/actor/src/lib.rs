//! Actors: local states with handlers. An actor never blocks and shares no memory; it reacts to a message or a timer by changing its state
//! and sending messages.
//!
//! The effects of a handler depend on *(actor, local state, input)* only, so it runs once for each such triple in a whole run, for all
//! engines and threads together (`table`). Global states are vectors of ids; engines see no user values.
//!
//! | module | content |
//! |---|---|
//! | `actor` | the trait that users implement |
//! | `address` | typed references to actors |
//! | `context` | the actions available to a handler |
//! | `erased` | actors, states and messages with erased types |
//! | [`system`] | the builder: actors, networks, faults and properties |
//! | `table` | the shared table of local transitions, and each worker's copy |
//! | `interner` | ids for equal values |
//! | `idle` | deliveries that do nothing, left out under asyn |
//! | `inbox` | messages in flight to one actor: asyn, p2p, mbox |
//! | `causal` | messages in flight under causal delivery |
//! | `creation` | actors that are created or halt while the system runs |
//! | `faults` | fault budgets; the environment |
//! | `worlds` | the system as a transition system for the engines of `explore` |
//! | `state` | a global state: a vector of ids |
//! | `acts` | the acts of an actor, by local state and message |
//! | `send_fingerprints` | the change of the fingerprint by a message that is sent |
//! | `sleep` | sleep sets: acts that need not be explored in both orders |
//! | `pairs` | a hash map from pairs of ids |
//! | `step`, `enabled` | the enabled steps of a global state |
//! | `perform` | the successors of a global state |
//! | `question` | properties, as data that engines can look into |
//! | `receives` | the interface to schedulers: sender, receiver, keys and recorded events of a step |
//! | `reception` | messages that are deferred or ignored |
//! | `transitions` | the table of local transitions as a public interface |
//! | `view` | a global state as the argument of properties |
//! | `symmetry` | symmetry reduction for identical actors |
//! | `persistent` | partial-order reduction by persistent sets |
//! | [`client`] | a generic client that records a history |
//! | [`isolation`] | runs handlers again along sampled paths: they must depend only on state and input |
//! | [`locals`] | the system as local transition relations for the DPOR engine |
//! | `monitor`, `watch` | monitors: what they are; what they see of a step, and the environment after it |
//! | `narrate` | steps of a system as steps of a trace |
//! | `coverage` | the coverage of a run |
//! | `running` | the handler that is currently running |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod actor;
mod acts;
mod address;
mod causal;
pub mod client;
mod context;
mod coverage;
mod creation;
mod enabled;
mod erased;
mod explain;
mod fair;
mod faults;
mod history;
mod idle;
mod inbox;
mod interner;
pub mod isolation;
pub mod locals;
mod monitor;
mod narrate;
mod pairs;
mod perform;
mod persistent;
mod question;
mod receives;
mod reception;
mod running;
mod send_fingerprints;
mod sleep;
mod state;
mod step;
mod symmetry;
pub mod system;
mod table;
mod transitions;
mod view;
mod watch;
mod worlds;

pub use actor::Actor;
pub use address::{Address, Handle, Recipient, Reserved};
pub use client::{Client, Service};
pub use context::{Context, NoteKind};
pub use erased::Value;
pub use faults::Faults;
pub use monitor::{Monitor, Observed, ObservedEvent};
pub use question::Fold;
pub use state::State;
pub use step::Step;
pub use symmetry::Renaming;
pub use system::System;
pub use view::{Flight, View};
pub use worlds::Worlds;
