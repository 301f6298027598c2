//! The standard library's `sync`, on message passing.
//!
//! Processes share nothing, so a shared object is a process of its own (Must §5): a daemon, started by whoever creates the object, that
//! owns the value and answers requests. Its order of requests is part of the execution, so every way in which processes can get in each
//! other's way is explored. The daemons are written to make no more executions than that: an object that one process uses at a time makes
//! one.
//!
//! | object | what makes executions |
//! |---|---|
//! | [`Mutex`] | the order in which waiting processes get it |
//! | [`RwLock`] | the order in which processes get in; leaving makes none |
//! | [`Condvar`] | notifications that race with waiting; who is woken |
//! | [`Barrier`] | the order of arrival, since the last one leads |
//! | [`Register`], [`atomic`] | the order of reads, and of writes that are read |
//! | [`mpsc`], [`oneshot`] | the order of concurrent values that are received; what is tried; sends that race with the end of the receiver |
//!
//! Operations happen at one moment each, and all objects agree about the order of these moments, whatever the default network of the run.
//! Weak memory, spurious wake-ups and poisoning are not modelled. An object lives to the end of the run: what it holds is never dropped.
//! Values must be [`Message`](crate::Message)s.
//!
//! Handles are addresses: they can be cloned, captured and sent. [`Arc`] is the standard library's and works, too, as long as
//! nobody asks it how many there are: closures are kept to be run again, and messages to be received again, so there are more than the
//! program made.

pub mod atomic;
mod barrier;
mod condvar;
pub mod mpsc;
mod mutex;
pub mod oneshot;
mod register;
mod rwlock;
mod server;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use register::Register;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{Arc, LockResult, PoisonError, TryLockError, TryLockResult};
