//! The standard library's errors, but for one thing: they can be the result of a process.

use std::error::Error;
use std::fmt::{self, Debug, Display};

/// The receiver is gone; the value comes back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SendError<T>(pub T);

/// Why a value was not sent; it comes back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TrySendError<T> {
    /// There was no room.
    Full(T),
    /// The receiver is gone.
    Disconnected(T),
}

/// All senders are gone, and everything they sent was received.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RecvError;

/// Why there was nothing to receive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TryRecvError {
    /// Nothing was there.
    Empty,
    /// All senders are gone, and everything they sent was received.
    Disconnected,
}

/// Why nothing was received in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecvTimeoutError {
    /// Nothing came.
    Timeout,
    /// All senders are gone, and everything they sent was received.
    Disconnected,
}

const NO_RECEIVER: &str = "the receiver of the channel is gone";
const NO_SENDER: &str = "all senders of the channel are gone";

macro_rules! errors {
    ($($name:ident $(<$value:ident>)? { $($case:pat => $words:expr),* })*) => {$(
        impl$(<$value>)? Display for $name$(<$value>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($case => $words),*
                })
            }
        }
        impl$(<$value: Debug>)? Error for $name$(<$value>)? {}
    )*};
}

errors! {
    SendError<T> { SendError(_) => NO_RECEIVER }
    TrySendError<T> { TrySendError::Full(_) => "the channel is full", TrySendError::Disconnected(_) => NO_RECEIVER }
    RecvError { RecvError => NO_SENDER }
    TryRecvError { TryRecvError::Empty => "the channel is empty", TryRecvError::Disconnected => NO_SENDER }
    RecvTimeoutError { RecvTimeoutError::Timeout => "nothing came in time", RecvTimeoutError::Disconnected => NO_SENDER }
}
