//! An object is a daemon (Must §5): it owns the value, others send it requests and wait for its replies.
//!
//! Requests travel under mbox whatever the default of the run: one order of all sends, to all objects, contains causality, and every
//! daemon takes its requests in that order. So each operation happens at one moment, and these moments agree for all objects: they are
//! linearizable, and a request that needs no reply can be sent and forgotten. Under causal delivery two objects could disagree about
//! the order of independent requests, which shared memory never does. Replies travel under asyn, the weakest network: a process waits for
//! one reply at a time, so there is nothing to confuse it with.
//!
//! Each receive that has several messages to take from makes that many executions. Daemons therefore take a request only when somebody
//! needs to know its place in the order, and say with a filter which requests those are. To find out what was *not* sent before a
//! certain moment, a daemon sends itself a mark and receives up to it: [`Inbox::drain`].

use crate::api::{me, on, process};
use crate::context::{try_with, with};
use crate::values::Message;
use manyworlds_core::{Network, Pid};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

const REQUESTS: Network = Network::Mbox;
const REPLIES: Network = Network::Asyn;

/// Whether the running code is a process's own: not the runtime that copies or drops a value, and not a process that is being torn down.
/// Destructors and `Clone` ask before they communicate.
pub fn in_program() -> bool {
    try_with(|_| ()).is_some()
}

/// Reports a wrong use of the API.
#[track_caller]
pub fn misuse(what: &str) -> ! {
    let loc = Location::caller();
    with(|ctx| ctx.misuse(what.to_string(), loc))
}

/// Gives a type that is nothing but an address the traits of one.
macro_rules! address {
    ($name:ident) => {
        impl<R> Clone for $name<R> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<R> Copy for $name<R> {}
        impl<R> PartialEq for $name<R> {
            fn eq(&self, other: &Self) -> bool {
                self.pid == other.pid
            }
        }
        impl<R> Eq for $name<R> {}
        impl<R> Hash for $name<R> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.pid.hash(state);
            }
        }
        impl<R> fmt::Debug for $name<R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.pid, f)
            }
        }
    };
}

/// A daemon that takes requests of type `R`.
pub struct Server<R> {
    pid: Pid,
    requests: PhantomData<fn(R)>,
}
address!(Server);

impl<R: Message> Server<R> {
    /// Starts a daemon.
    #[track_caller]
    pub fn start(name: &str, serve: impl FnOnce(Inbox<R>) + Clone + Send + 'static) -> Server<R> {
        let daemon = process(name).daemon().spawn(move || serve(Inbox(PhantomData)));
        Server { pid: daemon.pid(), requests: PhantomData }
    }

    /// Sends a request that needs no reply.
    #[track_caller]
    pub fn tell(self, request: R) {
        on(REQUESTS).send(self.pid, Mail::Request(request));
    }

    /// Sends a request and waits for the reply.
    #[track_caller]
    pub fn ask<A: Message>(self, request: impl FnOnce(Client<A>) -> R) -> A {
        let client = Client::me();
        self.tell(request(client));
        client.wait()
    }
}

/// A process that waits for a reply of type `A`.
pub struct Client<A> {
    pid: Pid,
    replies: PhantomData<fn(A)>,
}
address!(Client);

impl<A: Message> Client<A> {
    /// The running process.
    #[track_caller]
    pub fn me() -> Client<A> {
        Client { pid: me(), replies: PhantomData }
    }

    /// Which process that is.
    pub fn pid(self) -> Pid {
        self.pid
    }

    /// Lets it go on.
    pub fn reply(self, answer: A) {
        on(REPLIES).send(self.pid, Reply(answer));
    }

    /// Waits for the reply; called by the client itself.
    #[track_caller]
    pub fn wait(self) -> A {
        let Reply(answer) = on(REPLIES).recv();
        answer
    }
}

/// A type of its own: programs never receive it by accident.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Reply<A>(A);

/// What a daemon receives.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Mail<R> {
    Request(R),
    /// Sent by the daemon to itself.
    Mark,
}

impl<R: fmt::Debug> fmt::Debug for Mail<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mail::Request(request) => request.fmt(f),
            Mail::Mark => f.write_str("Mark"),
        }
    }
}

/// The requests a daemon has not taken yet.
pub struct Inbox<R>(PhantomData<fn() -> R>);

impl<R> Clone for Inbox<R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R> Copy for Inbox<R> {}

impl<R: Message> Inbox<R> {
    /// Waits for the first request that is `wanted`.
    pub fn next(self, wanted: impl Fn(&R) -> bool + 'static) -> R {
        match on(REQUESTS).recv_where(move |mail| matches!(mail, Mail::Request(request) if wanted(request))) {
            Mail::Request(request) => request,
            Mail::Mark => unreachable!("marks are not wanted"),
        }
    }

    /// Takes every `wanted` request that was sent before now. One that was not causally before now is taken in some executions only.
    pub fn drain(self, wanted: impl Fn(&R) -> bool + Clone + 'static) -> Vec<R> {
        let mut taken = Vec::new();
        self.mark();
        while let Some(request) = self.before_mark(wanted.clone()) {
            taken.push(request);
        }
        taken
    }

    /// Takes the first `wanted` request, if one was sent before now.
    pub fn poll(self, wanted: impl Fn(&R) -> bool + 'static) -> Option<R> {
        self.mark();
        let request = self.before_mark(wanted)?;
        self.before_mark(|_| false);
        Some(request)
    }

    fn mark(self) {
        on(REQUESTS).send(me(), Mail::<R>::Mark);
    }

    fn before_mark(self, wanted: impl Fn(&R) -> bool + 'static) -> Option<R> {
        let first = on(REQUESTS).recv_where(move |mail| match mail {
            Mail::Request(request) => wanted(request),
            Mail::Mark => true,
        });
        match first {
            Mail::Request(request) => Some(request),
            Mail::Mark => None,
        }
    }
}
