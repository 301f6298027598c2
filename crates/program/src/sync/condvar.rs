//! `Condvar`: a daemon that knows who waits.
//!
//! A process says that it waits while it still holds the mutex, and unlocks then: whoever locks the mutex later notifies later. Waiting
//! processes are taken note of only when a notification comes, so a notification races with waiting exactly where the program lets it:
//! where it is sent without the mutex. One that finds nobody waiting is lost, as it should be.
//!
//! `notify_one` wakes any of those that wait, each in an execution of its own. Spurious wake-ups are not modelled: they would make every
//! `wait` infinitely many executions. A loop around `wait` is still needed where another process can be faster to lock the mutex.

use super::mutex::MutexGuard;
use super::server::{Client, Inbox, Server};
use crate::api::choose;
use crate::values::Message;
use std::sync::LockResult;
use std::time::Duration;

/// Somebody who waits is told whether the time ran out.
type Waiter = Client<bool>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request {
    /// The flag says whether a `TimeOut` follows.
    Wait(Waiter, bool),
    TimeOut(Waiter),
    NotifyOne,
    NotifyAll,
}

fn serve(inbox: Inbox<Request>) {
    let mut waiting: Vec<(Waiter, bool)> = Vec::new();
    let wake = |(waiter, timed)| {
        if timed {
            // It was sent at once after `Wait` and is of no use any more; it must not end a later wait.
            inbox.next(move |request| *request == Request::TimeOut(waiter));
        }
        waiter.reply(false);
    };
    loop {
        let request = inbox.next(|request| !matches!(request, Request::Wait(..)));
        for wait in inbox.drain(|request| matches!(request, Request::Wait(..))) {
            let Request::Wait(waiter, timed) = wait else { unreachable!("drained") };
            waiting.push((waiter, timed));
        }
        match request {
            Request::NotifyOne if waiting.is_empty() => {}
            Request::NotifyOne => wake(waiting.remove(choose(0..waiting.len()))),
            Request::NotifyAll => waiting.drain(..).for_each(wake),
            Request::TimeOut(waiter) => {
                waiting.retain(|(other, _)| *other != waiter);
                waiter.reply(true);
            }
            Request::Wait(..) => unreachable!("not wanted"),
        }
    }
}

/// Lets processes wait for a change of what a [`Mutex`](super::Mutex) protects, like [`std::sync::Condvar`], without spurious wake-ups.
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// use manyworlds::sync::{Condvar, Mutex};
/// use manyworlds::thread;
///
/// let (ready, changed) = (Mutex::new(false), Condvar::new());
/// let (r, c) = (ready.clone(), changed.clone());
/// thread::spawn(move || {
///     *r.lock().unwrap() = true;
///     c.notify_one();
/// });
/// let guard = changed.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap();
/// assert!(*guard);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Condvar {
    server: Server<Request>,
}

impl Condvar {
    /// A condition nobody waits for.
    #[track_caller]
    pub fn new() -> Condvar {
        Condvar { server: Server::start("condvar", serve) }
    }

    /// Unlocks the mutex, waits for a notification and locks it again. Never an error.
    #[track_caller]
    pub fn wait<'a, T: Message>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        Ok(self.sleep(guard, false).0)
    }

    /// Waits as long as `condition` holds.
    #[track_caller]
    pub fn wait_while<'a, T: Message>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits for a notification or for the time to run out. It may always run out before a notification: the duration does not matter.
    #[track_caller]
    pub fn wait_timeout<'a, T: Message>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let _ = timeout;
        Ok(self.sleep(guard, true))
    }

    /// Wakes one of those who wait, any one.
    #[track_caller]
    pub fn notify_one(&self) {
        self.server.tell(Request::NotifyOne);
    }

    /// Wakes all who wait.
    #[track_caller]
    pub fn notify_all(&self) {
        self.server.tell(Request::NotifyAll);
    }

    #[track_caller]
    fn sleep<'a, T: Message>(&self, guard: MutexGuard<'a, T>, timed: bool) -> (MutexGuard<'a, T>, WaitTimeoutResult) {
        let mutex = guard.mutex();
        let waiter = Waiter::me();
        self.server.tell(Request::Wait(waiter, timed));
        drop(guard);
        if timed {
            self.server.tell(Request::TimeOut(waiter));
        }
        let timed_out = waiter.wait();
        (mutex.wait(), WaitTimeoutResult(timed_out))
    }
}

impl Default for Condvar {
    #[track_caller]
    fn default() -> Condvar {
        Condvar::new()
    }
}

/// Whether a wait ended because its time ran out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether it did.
    pub fn timed_out(&self) -> bool {
        self.0
    }
}
