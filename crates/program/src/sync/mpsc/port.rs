//! The sending end of a channel: takes values in, as long as there is a receiver and room.
//!
//! An unbounded channel has a port for each of its senders. Values of different senders then meet only in the queue, which orders
//! them as late as it can, and a sender races with nothing but the end of the receiver. The receiver tells the first port that it
//! goes, and each port tells those that were cloned from it before it answers: when `drop` returns, all ports know.
//!
//! A bounded channel has one port for all senders: who gets the last room is the order that matters, and it is also the order of the
//! values. Room that the receiver makes is taken note of only when somebody waits for it, so receiving and sending do not race.

use super::queue;
use crate::sync::server::{Client, Inbox, Server};
use crate::values::Message;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Request<T> {
    /// Wants to send.
    Push(Client<Pushed<T>>, T),
    /// Wants to send now or not at all.
    TryPush(Client<Pushed<T>>, T),
    /// Wants a port of its own.
    Clone(Client<Server<Request<T>>>),
    /// The receiver takes a value out, or waits for one.
    Room,
    /// The receiver wants the value of somebody who waits for room, if there is one.
    Probe(Client<Option<T>>),
    /// The receiver wants its room back; told whether nobody used it.
    Withdraw(Client<bool>),
    /// The receiver is about to go: from now on nothing is taken in.
    HangUp(Client<()>),
    /// The receiver is gone, and all ports knew before.
    Gone,
}

/// What became of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pushed<T> {
    Taken,
    Full(T),
    Disconnected(T),
}

struct Port<T> {
    inbox: Inbox<Request<T>>,
    queue: Server<queue::Request<T>>,
    /// How many values can be taken in before the receiver makes room; `None` for any number.
    room: Option<usize>,
    /// Whether there is a receiver.
    open: bool,
    clones: Vec<Server<Request<T>>>,
}

/// Starts a port.
#[track_caller]
pub fn start<T: Message>(queue: Server<queue::Request<T>>, room: Option<usize>, open: bool) -> Server<Request<T>> {
    Server::start("port", move |inbox| Port { inbox, queue, room, open, clones: Vec::new() }.serve())
}

impl<T: Message> Port<T> {
    fn serve(mut self) {
        loop {
            match self.inbox.next(|request| !matches!(request, Request::Room)) {
                Request::Push(client, value) => self.push(client, value),
                Request::TryPush(client, value) => self.try_push(client, value),
                Request::Clone(client) => {
                    let clone = start(self.queue, self.room, self.open);
                    self.clones.push(clone);
                    client.reply(clone);
                }
                Request::Probe(client) => client.reply(None),
                Request::Withdraw(client) => client.reply(self.got_room()),
                Request::HangUp(client) => self.hang_up(client),
                Request::Room | Request::Gone => unreachable!("received when waited for"),
            }
        }
    }

    fn push(&mut self, client: Client<Pushed<T>>, value: T) {
        if !self.open {
            return client.reply(Pushed::Disconnected(value));
        }
        if !self.has_room() {
            let wanted = |request: &_| matches!(request, Request::Room | Request::Probe(_) | Request::HangUp(_));
            match self.inbox.next(wanted) {
                Request::Probe(receiver) => {
                    receiver.reply(Some(value));
                    return client.reply(Pushed::Taken);
                }
                Request::HangUp(receiver) => {
                    self.hang_up(receiver);
                    return client.reply(Pushed::Disconnected(value));
                }
                _ => {}
            }
        }
        self.pass_on(client, value);
    }

    fn try_push(&mut self, client: Client<Pushed<T>>, value: T) {
        if !self.open {
            client.reply(Pushed::Disconnected(value));
        } else if self.has_room() || self.got_room() {
            self.pass_on(client, value);
        } else {
            client.reply(Pushed::Full(value));
        }
    }

    /// Uses room that was there from the start.
    fn has_room(&mut self) -> bool {
        match &mut self.room {
            Some(0) => return false,
            Some(room) => *room -= 1,
            None => {}
        }
        true
    }

    /// Uses room that the receiver has made by now.
    fn got_room(&self) -> bool {
        self.inbox.poll(|request| matches!(request, Request::Room)).is_some()
    }

    /// Passes a value on before its sender is told: what the sender does next comes after it.
    fn pass_on(&self, client: Client<Pushed<T>>, value: T) {
        self.queue.tell(queue::Request::Item(value));
        client.reply(Pushed::Taken);
    }

    /// Waits with answering senders until all ports take nothing in any more: once a send has failed, all later ones fail.
    fn hang_up(&mut self, receiver: Client<()>) {
        for clone in &self.clones {
            clone.ask(Request::HangUp);
        }
        receiver.reply(());
        self.inbox.next(|request| *request == Request::Gone);
        for clone in &self.clones {
            clone.tell(Request::Gone);
        }
        self.open = false;
    }
}
