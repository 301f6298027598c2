//! Channels, like [`std::sync::mpsc`]: unbounded ones, bounded ones and, with no room at all, rendezvous.
//!
//! A channel is three kinds of daemons, one file each. A *port* takes values in and answers `send`; the *queue* gives them out and answers
//! `recv`; the *closer* notices when all senders are gone. What makes executions is the order of concurrent values as far as they are
//! received, whether a `send` comes before the end of the receiver, and whether a `try_recv` comes before what it looks for: a
//! value, or the end of the senders. Dropping senders makes none.
//!
//! Closures that processes run must be `Clone`, so handles are, even [`Receiver`]; a program that clones one misuses it, as the standard
//! library's types would say. A handle inside a message that nobody receives is never dropped.
//!
//! ```no_run
//! # extern crate manyworlds_program as manyworlds;
//! use manyworlds::sync::mpsc::channel;
//! use manyworlds::thread;
//!
//! let (tx, rx) = channel();
//! for i in 1..=2 {
//!     let tx = tx.clone();
//!     thread::spawn(move || tx.send(i).unwrap());
//! }
//! drop(tx);
//! let order: Vec<i32> = rx.iter().collect(); // [1, 2] in one execution, [2, 1] in another
//! ```

mod closer;
mod error;
mod port;
mod queue;
mod receiver;

use super::server::{Server, in_program};
use crate::values::Message;
use closer::Presence;
pub use error::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use port::Pushed;
pub use receiver::{IntoIter, Iter, Receiver, TryIter};

/// A channel that takes in any number of values: `send` never waits.
#[track_caller]
pub fn channel<T: Message>() -> (Sender<T>, Receiver<T>) {
    let (port, presence, receiver) = start(None);
    (Sender { port, presence }, receiver)
}

/// A channel that takes in at most `bound` values at a time: `send` waits for room. With a bound of 0, it waits for the receiver to take
/// the value.
#[track_caller]
pub fn sync_channel<T: Message>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (port, presence, receiver) = start(Some(bound));
    (SyncSender { port, presence }, receiver)
}

#[track_caller]
fn start<T: Message>(bound: Option<usize>) -> (Server<port::Request<T>>, Presence, Receiver<T>) {
    let queue = Server::start("queue", queue::serve);
    let closer = Server::start("closer", move |inbox| closer::serve::<T>(inbox, queue));
    let port = port::start(queue, bound, true);
    (port, Presence::new(closer), Receiver::new(queue, port, closer, bound))
}

/// The sending half of a [`channel`].
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Sender<T: Message> {
    port: Server<port::Request<T>>,
    presence: Presence,
}

impl<T: Message> Sender<T> {
    /// Sends; an error if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        sent(self.port.ask(|client| port::Request::Push(client, value)))
    }
}

impl<T: Message> Clone for Sender<T> {
    /// Another sender of the same channel.
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        let port = if in_program() { self.port.ask(port::Request::Clone) } else { self.port };
        Sender { port, presence: self.presence.clone() }
    }
}

/// The sending half of a [`sync_channel`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SyncSender<T: Message> {
    port: Server<port::Request<T>>,
    presence: Presence,
}

impl<T: Message> SyncSender<T> {
    /// Waits for room and sends; an error if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        sent(self.port.ask(|client| port::Request::Push(client, value)))
    }

    /// Sends if there is room now; on a rendezvous channel, if the receiver waits now.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match self.port.ask(|client| port::Request::TryPush(client, value)) {
            Pushed::Taken => Ok(()),
            Pushed::Full(value) => Err(TrySendError::Full(value)),
            Pushed::Disconnected(value) => Err(TrySendError::Disconnected(value)),
        }
    }
}

fn sent<T>(pushed: Pushed<T>) -> Result<(), SendError<T>> {
    match pushed {
        Pushed::Taken => Ok(()),
        Pushed::Disconnected(value) => Err(SendError(value)),
        Pushed::Full(_) => unreachable!("`send` waits for room"),
    }
}
