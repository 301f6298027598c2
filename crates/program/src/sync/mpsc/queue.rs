//! The receiving end of a channel.
//!
//! Values wait in the daemon's own mailbox, in no order, until somebody receives: only then the first one is determined, and only it. So
//! `n` senders of one value each make `n` executions for the first `recv`, `n!` for `n` of them.

use crate::sync::server::{Client, Inbox};
use crate::values::Message;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Request<T> {
    /// A value was sent.
    Item(T),
    /// No more values will be sent: comes causally after all of them.
    Closed,
    /// Wants the first value; `None` if there will be none.
    Pop(Client<Option<T>>),
    /// Wants the first value that is there by now.
    TryPop(Client<Option<T>>),
}

pub fn serve<T: Message>(inbox: Inbox<Request<T>>) {
    let mut closed = false;
    loop {
        match inbox.next(|request| matches!(request, Request::Pop(_) | Request::TryPop(_))) {
            Request::Pop(client) if closed => client.reply(None),
            Request::Pop(client) => {
                let first = item(inbox.next(|request| matches!(request, Request::Item(_) | Request::Closed)));
                closed = first.is_none();
                client.reply(first);
            }
            Request::TryPop(client) => {
                client.reply(inbox.poll(|request| matches!(request, Request::Item(_))).and_then(item));
            }
            Request::Item(_) | Request::Closed => unreachable!("not wanted"),
        }
    }
}

fn item<T>(request: Request<T>) -> Option<T> {
    match request {
        Request::Item(value) => Some(value),
        _ => None,
    }
}
