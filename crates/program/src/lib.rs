//! Front end 1: processes are ordinary Rust code that blocks in `recv`.
//!
//! User code runs on coroutines, behind a trie of *observed histories*: what a process does next depends only on what it has observed
//! (received, chosen, joined), so each history is run once and remembered. [`Table`] is that trie as [`Locals`](manyworlds_core::Locals);
//! engines see nothing else.
//!
//! | room | what it holds |
//! |---|---|
//! | [`api`](crate::spawn) | `spawn`, `send`, `recv`, `choose`, `assume` |
//! | `context` | what a running process knows: replaying its past, or recording something new |
//! | `trie`, `values` | the memory: local histories and interned messages |
//! | `table` | runs user code when an unknown node is reached |
//! | `rerun` | runs a whole execution again, to check that processes share nothing |
//! | `running` | which process runs at the moment |
//! | `coroutine`, `overflow`, `panics` | stacks, their pool, and what can go wrong on them |
//! | [`monitor`] | processes that watch |
//! | [`thread`], [`sync`] | the standard library's names, on message passing |
#![warn(missing_docs)]

mod api;
mod context;
mod coroutine;
pub mod monitor;
mod overflow;
mod rerun;
mod running;
pub mod sync;
mod table;
pub mod thread;
mod trie;
mod values;

pub use api::{
    Channel, JoinHandle, ProcessBuilder, assume, choose, flip, me, note, on, process, record, recv, recv_timeout,
    recv_timeout_where, recv_where, send, send_lossy, spawn,
};
pub use manyworlds_core::Choices;
pub use manyworlds_core::Pid;
pub use monitor::{Monitor, Observe, Observed, Recorded};
pub use table::{Main, Program, ProgramConfig, Table};
pub use values::Message;
