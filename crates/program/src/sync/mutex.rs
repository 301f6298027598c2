//! `Mutex`: a daemon that gives its value away and waits until it comes back.
//!
//! Lock requests are ordered only when the mutex is free to be given: `n` processes that lock once each make `n!` executions, and a mutex
//! that nobody fights for makes one. A request that waits has no consequences yet, so any waiting process may be the next: the mutex is
//! as unfair as the standard library's.

use super::server::{Client, Inbox, Server, in_program};
use crate::values::Message;
use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, TryLockError, TryLockResult};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request<T> {
    Lock(Client<T>),
    TryLock(Client<Option<T>>),
    Unlock(T),
}

fn serve<T: Message>(inbox: Inbox<Request<T>>, mut value: T) {
    loop {
        match inbox.next(|request| !matches!(request, Request::Unlock(_))) {
            Request::Lock(client) => client.reply(value),
            Request::TryLock(client) => client.reply(Some(value)),
            Request::Unlock(_) => unreachable!("only the owner of the value gives it back"),
        }
        value = wait_for_unlock(inbox);
    }
}

fn wait_for_unlock<T: Message>(inbox: Inbox<Request<T>>) -> T {
    loop {
        match inbox.next(|request| !matches!(request, Request::Lock(_))) {
            Request::Unlock(value) => return value,
            Request::TryLock(client) => client.reply(None),
            Request::Lock(_) => unreachable!("locks wait"),
        }
    }
}

/// A value that one process at a time can use, like [`std::sync::Mutex`].
///
/// It is the address of a daemon that holds the value: it can be shared in an [`Arc`](super::Arc), cloned, or sent in a message. It is
/// never poisoned, since a process that panics violates a property anyway. What it holds is never dropped.
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// use manyworlds::sync::Mutex;
/// use manyworlds::thread;
///
/// let total = Mutex::new(0);
/// let workers: Vec<_> = (1..=3).map(|i| {
///     let total = total.clone();
///     thread::spawn(move || *total.lock().unwrap() += i)
/// }).collect();
/// for worker in workers {
///     worker.join().unwrap();
/// }
/// assert_eq!(*total.lock().unwrap(), 6); // in all 3! executions
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mutex<T: Message> {
    server: Server<Request<T>>,
}

impl<T: Message> Mutex<T> {
    /// A mutex that is free.
    #[track_caller]
    pub fn new(value: T) -> Mutex<T> {
        Mutex { server: Server::start("mutex", move |inbox| serve(inbox, value)) }
    }

    /// Waits until the mutex is free and takes it. Never an error.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(self.wait())
    }

    #[track_caller]
    pub(super) fn wait(&self) -> MutexGuard<'_, T> {
        let value = self.server.ask(Request::Lock);
        MutexGuard { mutex: self, value: Some(value) }
    }

    /// Takes the mutex if it is free now.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.server.ask(Request::TryLock) {
            Some(value) => Ok(MutexGuard { mutex: self, value: Some(value) }),
            None => Err(TryLockError::WouldBlock),
        }
    }

    /// Takes the value for good; whoever locks this mutex through another handle waits for ever.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        Ok(self.server.ask(Request::Lock))
    }

    /// Always false.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}

impl<T: Message + Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

/// The value of a locked [`Mutex`]; unlocks it when dropped.
#[derive(Debug)]
#[must_use = "a mutex is unlocked when its guard is dropped"]
pub struct MutexGuard<'a, T: Message> {
    mutex: &'a Mutex<T>,
    /// Taken out only by `drop`.
    value: Option<T>,
}

impl<'a, T: Message> MutexGuard<'a, T> {
    /// What it locks.
    pub(super) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }
}

impl<T: Message> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("a guard holds the value until it is dropped")
    }
}

impl<T: Message> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a guard holds the value until it is dropped")
    }
}

impl<T: Message> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take()
            && in_program()
        {
            self.mutex.server.tell(Request::Unlock(value));
        }
    }
}
