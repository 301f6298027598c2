//! A shared register: "a process that stores the current value, while others send it read and write requests" (Must §5).
//!
//! Writes are sent and forgotten; the daemon takes them only when somebody asks for the value, up to that moment. So writes that nobody
//! reads make no executions, one writer and one reader make two. Questions are answered one after the other: the order of
//! concurrent ones is explored, even of two reads, since the daemon cannot know whom it could answer in any order.

use super::server::{Client, Inbox, Server};
use crate::values::Message;

/// A step that reads the old value and writes a new one.
pub trait Change<T>: Message {
    /// The new value.
    fn apply(self, old: &T) -> T;
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Request<T, C> {
    Write(T),
    Read(Client<T>),
    Change(C, Client<T>),
}

fn serve<T: Message, C: Change<T>>(inbox: Inbox<Request<T, C>>, mut value: T) {
    loop {
        let question = inbox.next(|request| !matches!(request, Request::Write(_)));
        if let Some(Request::Write(last)) = inbox.drain(|request| matches!(request, Request::Write(_))).pop() {
            value = last;
        }
        match question {
            Request::Read(client) => client.reply(value.clone()),
            Request::Change(change, client) => {
                let new = change.apply(&value);
                client.reply(std::mem::replace(&mut value, new));
            }
            Request::Write(_) => unreachable!("not wanted"),
        }
    }
}

/// The address of a register with changes of type `C`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Memory<T, C> {
    server: Server<Request<T, C>>,
}

impl<T: Message, C: Change<T>> Memory<T, C> {
    #[track_caller]
    pub fn new(name: &str, value: T) -> Memory<T, C> {
        Memory { server: Server::start(name, move |inbox| serve(inbox, value)) }
    }

    #[track_caller]
    pub fn read(&self) -> T {
        self.server.ask(Request::Read)
    }

    #[track_caller]
    pub fn write(&self, value: T) {
        self.server.tell(Request::Write(value));
    }

    /// Changes the value and returns the old one.
    #[track_caller]
    pub fn change(&self, change: C) -> T {
        self.server.ask(|client| Request::Change(change, client))
    }
}

/// What can be done to a value of any type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Exchange<T> {
    /// Writes.
    Swap(T),
    /// Writes the second if the value is the first.
    CompareExchange(T, T),
}

impl<T: Message> Change<T> for Exchange<T> {
    fn apply(self, old: &T) -> T {
        match self {
            Exchange::CompareExchange(current, _) if *old != current => old.clone(),
            Exchange::Swap(new) | Exchange::CompareExchange(_, new) => new,
        }
    }
}

/// What a compare-and-exchange says, given what it found.
pub fn exchanged<T: Eq>(found: T, current: &T) -> Result<T, T> {
    if found == *current { Ok(found) } else { Err(found) }
}

/// A value of any type that processes share, with reads and writes that happen at one moment each.
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// use manyworlds::sync::Register;
/// use manyworlds::thread;
///
/// let register = Register::new("old");
/// let other = register.clone();
/// thread::spawn(move || other.write("new"));
/// let seen = register.read(); // "old" in one execution, "new" in another
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Register<T: Message> {
    memory: Memory<T, Exchange<T>>,
}

impl<T: Message> Register<T> {
    /// A register that holds `value`.
    #[track_caller]
    pub fn new(value: T) -> Register<T> {
        Register { memory: Memory::new("register", value) }
    }

    /// The value.
    #[track_caller]
    pub fn read(&self) -> T {
        self.memory.read()
    }

    /// Writes.
    #[track_caller]
    pub fn write(&self, value: T) {
        self.memory.write(value);
    }

    /// Writes and returns what was there.
    #[track_caller]
    pub fn swap(&self, value: T) -> T {
        self.memory.change(Exchange::Swap(value))
    }

    /// Writes `new` if the value is `current`. Returns what was there: `Ok` if it wrote.
    #[track_caller]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        exchanged(self.memory.change(Exchange::CompareExchange(current.clone(), new)), &current)
    }
}

impl<T: Message + Default> Default for Register<T> {
    #[track_caller]
    fn default() -> Register<T> {
        Register::new(T::default())
    }
}
