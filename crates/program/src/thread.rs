//! The standard library's `thread`: a thread is a process.
//!
//! Threads need no time: [`sleep`] and [`yield_now`] do nothing, since every order of what threads do is explored anyway. A thread that
//! panics violates a property, so `join` never returns an error; a run is over when all threads are, not when the main one is.
//!
//! ```no_run
//! # extern crate manyworlds_program as manyworlds;
//! use manyworlds::thread;
//!
//! let thread = thread::spawn(|| 6 * 7);
//! assert_eq!(thread.join().unwrap(), 42);
//! ```

use crate::api::{self, process};
use crate::values::Message;
use manyworlds_core::Pid;
use std::io;
use std::time::Duration;

pub use std::thread::Result;

/// Starts a thread. The closure is cloned whenever it has to be run again, so what it captures must be `Clone`.
#[track_caller]
pub fn spawn<T: Message, F: FnOnce() -> T + Clone + Send + 'static>(f: F) -> JoinHandle<T> {
    JoinHandle { process: api::spawn(f) }
}

/// A thread to be started under a name.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    name: String,
}

impl Builder {
    /// A thread without a name.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Its name, in traces.
    pub fn name(self, name: String) -> Builder {
        Builder { name }
    }

    /// Nothing: stacks have the size that the checker was given.
    pub fn stack_size(self, bytes: usize) -> Builder {
        let _ = bytes;
        self
    }

    /// Starts it. Never an error.
    #[track_caller]
    pub fn spawn<T: Message, F: FnOnce() -> T + Clone + Send + 'static>(self, f: F) -> io::Result<JoinHandle<T>> {
        Ok(JoinHandle { process: process(self.name).spawn(f) })
    }
}

/// A thread that was started.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct JoinHandle<T: Message> {
    process: api::JoinHandle<T>,
}

impl<T: Message> JoinHandle<T> {
    /// Waits for the thread to end and returns its result. Never an error.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        Ok(self.process.join())
    }

    /// Which thread it is.
    pub fn thread(&self) -> Thread {
        Thread { pid: self.process.pid() }
    }
}

/// The running thread.
#[track_caller]
pub fn current() -> Thread {
    Thread { pid: api::me() }
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    pid: Pid,
}

impl Thread {
    /// What tells it from others: the same in every execution.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.pid)
    }
}

/// What tells threads apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadId(Pid);

/// Nothing: other threads get their turns anyway.
pub fn yield_now() {}

/// Nothing: any time may pass between two steps.
pub fn sleep(duration: Duration) {
    let _ = duration;
}
