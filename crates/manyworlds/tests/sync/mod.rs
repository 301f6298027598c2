//! The standard library's `thread` and `sync` on message passing: what they allow, what they forbid, and in how many executions.

mod bounded;
mod channels;
mod explored;
mod locks;
mod memory;
mod threads;
mod waiting;
