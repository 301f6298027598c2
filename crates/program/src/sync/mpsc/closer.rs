//! Notices when the last sender of a channel is gone.
//!
//! Senders form a tree: each is cloned from another. A sender that is dropped says how often it was cloned, and the closer waits for
//! senders in the order of that tree, one at a time: whatever the order in which they are dropped, it makes one execution. Everything they
//! sent is causally before its word that the channel is closed.

use super::queue;
use crate::sync::server::{Client, Inbox, Server, in_program};
use crate::values::Message;
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};

/// From the first sender: which clone of which clone.
type Path = Vec<u32>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Request {
    /// A sender was dropped after being cloned so often.
    Gone(Path, u32),
    /// The receiver wants to know whether all are gone by now.
    IsClosed(Client<bool>),
}

pub fn serve<T: Message>(inbox: Inbox<Request>, queue: Server<queue::Request<T>>) {
    let mut present = vec![Path::new()];
    while let Some(sender) = present.pop() {
        let clones = wait_for(inbox, sender.clone());
        present.extend((0..clones).rev().map(|nth| child(&sender, nth)));
    }
    queue.tell(queue::Request::Closed);
    loop {
        if let Request::IsClosed(client) = inbox.next(|request| matches!(request, Request::IsClosed(_))) {
            client.reply(true);
        }
    }
}

/// Waits until the sender is gone; how often it was cloned.
fn wait_for(inbox: Inbox<Request>, sender: Path) -> u32 {
    loop {
        let sender = sender.clone();
        match inbox.next(move |request| !matches!(request, Request::Gone(path, _) if *path != sender)) {
            Request::Gone(_, clones) => return clones,
            Request::IsClosed(client) => client.reply(false),
        }
    }
}

fn child(path: &Path, nth: u32) -> Path {
    path.iter().copied().chain([nth]).collect()
}

/// What a sender holds to be missed. Copies that the runtime makes are the same sender.
#[derive(PartialEq, Eq)]
pub struct Presence {
    closer: Server<Request>,
    path: Path,
    clones: Cell<u32>,
}

impl Presence {
    /// The first sender of a channel.
    pub fn new(closer: Server<Request>) -> Presence {
        Presence { closer, path: Path::new(), clones: Cell::new(0) }
    }
}

impl Clone for Presence {
    fn clone(&self) -> Presence {
        let Presence { closer, path, clones } = self;
        if !in_program() {
            return Presence { closer: *closer, path: path.clone(), clones: clones.clone() };
        }
        let nth = clones.replace(clones.get() + 1);
        Presence { closer: *closer, path: child(path, nth), clones: Cell::new(0) }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if in_program() {
            self.closer.tell(Request::Gone(std::mem::take(&mut self.path), self.clones.get()));
        }
    }
}

impl Hash for Presence {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.closer, &self.path).hash(state);
    }
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(f)
    }
}
