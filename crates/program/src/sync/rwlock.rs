//! `RwLock`: a daemon that hands out copies to readers and the value itself to a writer.
//!
//! Readers that leave are noticed only when a writer wants in, and then in the order in which they came: leaving adds no executions.
//! Requests are taken in the order of sending. A writer that was taken waits for the readers inside and keeps later ones out, as the
//! standard library's may do; since a waiting request has no consequences, executions in which those readers are faster are explored too.
//! So is the order in which readers come in: the daemon cannot know whom it could take in any order.

use super::server::{Client, Inbox, Server, in_program};
use crate::values::Message;
use manyworlds_core::Pid;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockError, TryLockResult};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request<T> {
    Read(Client<T>),
    TryRead(Client<Option<T>>),
    Write(Client<T>),
    TryWrite(Client<Option<T>>),
    ReadDone(Pid),
    WriteDone(T),
}

impl<T> Request<T> {
    /// Whether it is answered at once, whatever the state of the lock.
    fn tries(&self) -> bool {
        matches!(self, Request::TryRead(_) | Request::TryWrite(_))
    }

    fn refuse(self)
    where
        T: Message,
    {
        match self {
            Request::TryRead(client) | Request::TryWrite(client) => client.reply(None),
            _ => unreachable!("only tries are refused"),
        }
    }
}

struct State<T> {
    inbox: Inbox<Request<T>>,
    value: T,
    /// Readers that came in and were not seen leaving, in that order.
    readers: Vec<Pid>,
}

fn serve<T: Message>(inbox: Inbox<Request<T>>, value: T) {
    let mut lock = State { inbox, value, readers: Vec::new() };
    loop {
        match inbox.next(|request| !matches!(request, Request::ReadDone(_))) {
            Request::Read(client) => {
                lock.readers.push(client.pid());
                client.reply(lock.value.clone());
            }
            Request::TryRead(client) => {
                lock.readers.push(client.pid());
                client.reply(Some(lock.value.clone()));
            }
            Request::Write(client) => {
                lock.wait_for_readers();
                lock = lock.lend(|value| client.reply(value));
            }
            Request::TryWrite(client) if lock.without_readers() => lock = lock.lend(|value| client.reply(Some(value))),
            Request::TryWrite(client) => client.reply(None),
            Request::ReadDone(_) | Request::WriteDone(_) => unreachable!("received when somebody waits for it"),
        }
    }
}

impl<T: Message> State<T> {
    fn wait_for_readers(&mut self) {
        for reader in std::mem::take(&mut self.readers) {
            loop {
                match self.inbox.next(move |request| request.tries() || *request == Request::ReadDone(reader)) {
                    Request::ReadDone(_) => break,
                    other => other.refuse(),
                }
            }
        }
    }

    /// Whether all readers are gone by now.
    fn without_readers(&mut self) -> bool {
        while let Some(&reader) = self.readers.first() {
            if self.inbox.poll(move |request| *request == Request::ReadDone(reader)).is_none() {
                return false;
            }
            self.readers.remove(0);
        }
        true
    }

    /// Gives the value to a writer and waits until it comes back.
    fn lend(self, to: impl FnOnce(T)) -> State<T> {
        let State { inbox, value, readers } = self;
        to(value);
        loop {
            match inbox.next(|request| request.tries() || matches!(request, Request::WriteDone(_))) {
                Request::WriteDone(value) => return State { inbox, value, readers },
                other => other.refuse(),
            }
        }
    }
}

/// A value that many processes can read or one can write, like [`std::sync::RwLock`]. Never poisoned; what it holds is never dropped.
///
/// Readers work on copies, which is invisible: nobody writes while they read.
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// use manyworlds::sync::RwLock;
/// use manyworlds::thread;
///
/// let config = RwLock::new("old");
/// let handle = config.clone();
/// thread::spawn(move || *handle.write().unwrap() = "new");
/// let seen = *config.read().unwrap(); // "old" in one execution, "new" in another
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RwLock<T: Message> {
    server: Server<Request<T>>,
}

impl<T: Message> RwLock<T> {
    /// A lock that nobody holds.
    #[track_caller]
    pub fn new(value: T) -> RwLock<T> {
        RwLock { server: Server::start("rwlock", move |inbox| serve(inbox, value)) }
    }

    /// Waits until no writer is inside or waiting, and reads. Never an error.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let value = self.server.ask(Request::Read);
        Ok(RwLockReadGuard { lock: self, value })
    }

    /// Reads if no writer is inside or waiting.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let value = self.server.ask(Request::TryRead).ok_or(TryLockError::WouldBlock)?;
        Ok(RwLockReadGuard { lock: self, value })
    }

    /// Waits until nobody is inside, and writes. Never an error.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let value = self.server.ask(Request::Write);
        Ok(RwLockWriteGuard { lock: self, value: Some(value) })
    }

    /// Writes if nobody is inside.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let value = self.server.ask(Request::TryWrite).ok_or(TryLockError::WouldBlock)?;
        Ok(RwLockWriteGuard { lock: self, value: Some(value) })
    }

    /// Takes the value for good; whoever uses this lock through another handle waits for ever.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        Ok(self.server.ask(Request::Write))
    }

    /// Always false.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}

impl<T: Message + Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

/// The value of an [`RwLock`] that is being read; leaves the lock when dropped.
#[derive(Debug)]
#[must_use = "a lock is left when its guard is dropped"]
pub struct RwLockReadGuard<'a, T: Message> {
    lock: &'a RwLock<T>,
    value: T,
}

impl<T: Message> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Message> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if in_program() {
            self.lock.server.tell(Request::ReadDone(crate::api::me()));
        }
    }
}

/// The value of an [`RwLock`] that is being written; leaves the lock when dropped.
#[derive(Debug)]
#[must_use = "a lock is left when its guard is dropped"]
pub struct RwLockWriteGuard<'a, T: Message> {
    lock: &'a RwLock<T>,
    /// Taken out only by `drop`.
    value: Option<T>,
}

impl<T: Message> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("a guard holds the value until it is dropped")
    }
}

impl<T: Message> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a guard holds the value until it is dropped")
    }
}

impl<T: Message> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take()
            && in_program()
        {
            self.lock.server.tell(Request::WriteDone(value));
        }
    }
}
