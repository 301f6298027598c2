//! A channel for one value: a [`channel`](super::mpsc::channel) whose sender is used up by sending.
//!
//! ```no_run
//! # extern crate manyworlds_program as manyworlds;
//! use manyworlds::sync::oneshot;
//! use manyworlds::thread;
//!
//! let (tx, rx) = oneshot::channel();
//! thread::spawn(move || tx.send("done").unwrap());
//! assert_eq!(rx.recv(), Ok("done"));
//! ```

use super::mpsc;
pub use super::mpsc::{RecvError, SendError, TryRecvError};
use super::server::{in_program, misuse};
use crate::values::Message;

/// A channel for one value.
#[track_caller]
pub fn channel<T: Message>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    (Sender { sender }, Receiver { receiver })
}

/// The half that sends.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Sender<T: Message> {
    sender: mpsc::Sender<T>,
}

impl<T: Message> Sender<T> {
    /// Sends; an error if the receiver is gone.
    #[track_caller]
    pub fn send(self, value: T) -> Result<(), SendError<T>> {
        self.sender.send(value)
    }
}

impl<T: Message> Clone for Sender<T> {
    /// For the runtime only, which copies closures and messages: one value has one sender.
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        if in_program() {
            misuse("a value is sent once: its sender cannot be cloned");
        }
        Sender { sender: self.sender.clone() }
    }
}

/// The half that receives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Receiver<T: Message> {
    receiver: mpsc::Receiver<T>,
}

impl<T: Message> Receiver<T> {
    /// Waits for the value; an error if the sender is gone without sending.
    #[track_caller]
    pub fn recv(self) -> Result<T, RecvError> {
        self.receiver.recv()
    }

    /// Takes the value if it is there now.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.receiver.try_recv()
    }
}
