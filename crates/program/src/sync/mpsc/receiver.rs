//! What a program sees of the receiving end.

use super::{RecvError, RecvTimeoutError, TryRecvError, closer, port, queue};
use crate::sync::server::{Server, in_program, misuse};
use crate::values::Message;
use std::time::Duration;

/// The receiving half of a channel.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Receiver<T: Message> {
    queue: Server<queue::Request<T>>,
    port: Server<port::Request<T>>,
    closer: Server<closer::Request>,
    bound: Option<usize>,
}

impl<T: Message> Receiver<T> {
    pub(super) fn new(
        queue: Server<queue::Request<T>>,
        port: Server<port::Request<T>>,
        closer: Server<closer::Request>,
        bound: Option<usize>,
    ) -> Receiver<T> {
        Receiver { queue, port, closer, bound }
    }

    /// Waits for a value; an error if all senders are gone and everything they sent was received.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        // A receiver that waits is room for one value more: it will not stay in the channel.
        self.make_room();
        self.queue.ask(queue::Request::Pop).ok_or(RecvError)
    }

    /// Takes a value that is there now; on a rendezvous channel, the value of a sender that waits now.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let first = if self.bound == Some(0) { self.port.ask(port::Request::Probe) } else { self.try_pop() };
        first.map_or_else(|| self.nothing_there(), Ok)
    }

    /// Waits for a value or for the time to run out. While there is no value it may always run out: the duration does not matter.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let _ = timeout;
        // Whoever waits and gives up is no different from one that never waits, but for a rendezvous: it can be tried with.
        let tried = if self.bound == Some(0) { self.rendezvous() } else { self.try_recv() };
        tried.map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Values until all senders are gone.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// Values until none is there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }

    #[track_caller]
    fn make_room(&self) {
        if self.bound.is_some() {
            self.port.tell(port::Request::Room);
        }
    }

    #[track_caller]
    fn try_pop(&self) -> Option<T> {
        let first = self.queue.ask(queue::Request::TryPop)?;
        self.make_room();
        Some(first)
    }

    /// There was no value a moment ago. If all senders are gone by now, what they sent since is there for certain.
    #[track_caller]
    fn nothing_there(&self) -> Result<T, TryRecvError> {
        if self.closer.ask(closer::Request::IsClosed) {
            self.recv().map_err(|_| TryRecvError::Disconnected)
        } else {
            Err(TryRecvError::Empty)
        }
    }

    /// Waits for a sender, but not for ever.
    #[track_caller]
    fn rendezvous(&self) -> Result<T, TryRecvError> {
        self.make_room();
        match self.port.ask(port::Request::Withdraw) {
            true => self.nothing_there(),
            false => self.queue.ask(queue::Request::Pop).ok_or(TryRecvError::Disconnected),
        }
    }
}

impl<T: Message> Clone for Receiver<T> {
    /// For the runtime only, which copies closures and messages: a channel has one receiver.
    #[track_caller]
    fn clone(&self) -> Receiver<T> {
        if in_program() {
            misuse("a channel has one receiver: it cannot be cloned");
        }
        Receiver::new(self.queue, self.port, self.closer, self.bound)
    }
}

impl<T: Message> Drop for Receiver<T> {
    fn drop(&mut self) {
        if in_program() {
            self.port.ask(port::Request::HangUp);
            self.port.tell(port::Request::Gone);
        }
    }
}

/// See [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T: Message> {
    receiver: &'a Receiver<T>,
}

impl<T: Message> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

/// See [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T: Message> {
    receiver: &'a Receiver<T>,
}

impl<T: Message> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

/// Values until all senders are gone.
#[derive(Debug)]
pub struct IntoIter<T: Message> {
    receiver: Receiver<T>,
}

impl<T: Message> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T: Message> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<'a, T: Message> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
