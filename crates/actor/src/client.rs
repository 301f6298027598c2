//! A generic client: it invokes operations of a service, one after the other, and records when each is invoked and what it returns.

use crate::actor::Actor;
use crate::address::Address;
use crate::context::Context;
use manyworlds_core::Pid;
use std::fmt::Debug;
use std::hash::Hash;

/// The protocol between a client and a service.
pub trait Service: Send + Sync + 'static {
    /// The operations of the service.
    type Operation: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The responses of the service.
    type Response: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The messages between clients and service.
    type Message: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The messages that request an operation; `number` counts the client's operations from 0, so that late responses can be recognized.
    fn request(&self, number: usize, operation: &Self::Operation) -> Vec<(Address<Self::Message>, Self::Message)>;

    /// The number of the operation and the response in a message, if the message is a response.
    fn response(&self, message: &Self::Message) -> Option<(usize, Self::Response)>;
}

/// A client with a list of operations. It invokes each one as soon as the one before has returned.
///
/// ```
/// use manyworlds_actor::client::{Client, Service};
/// use manyworlds_actor::{Actor, Address, Context, System};
/// use manyworlds_core::Pid;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// enum Message { Add(usize, u32), Total(usize, u32) }
///
/// struct Counter;
/// impl Actor for Counter {
///     type State = u32;
///     type Message = Message;
///     fn start(&self, _: &mut Context<'_>) -> u32 { 0 }
///     fn message(&self, total: &mut u32, from: Pid, message: &Message, ctx: &mut Context<'_>) {
///         if let Message::Add(number, n) = message {
///             *total += n;
///             ctx.send(from, Message::Total(*number, *total));
///         }
///     }
/// }
///
/// struct Adding { counter: Address<Message> }
/// impl Service for Adding {
///     type Operation = u32;
///     type Response = u32;
///     type Message = Message;
///     fn request(&self, number: usize, n: &u32) -> Vec<(Address<Message>, Message)> {
///         vec![(self.counter, Message::Add(number, *n))]
///     }
///     fn response(&self, message: &Message) -> Option<(usize, u32)> {
///         if let Message::Total(number, total) = message { Some((*number, *total)) } else { None }
///     }
/// }
///
/// let mut system = System::new();
/// let counter = system.add("counter", Counter);
/// let client = system.add("client", Client::new(Adding { counter: counter.address() }, [2, 3]));
/// let system = system.at_rest_of(client, "both were added", |progress| progress.responses == [2, 5]);
/// # let _ = system;
/// ```
pub struct Client<S: Service> {
    service: S,
    operations: Vec<S::Operation>,
    at_any_time: bool,
}

impl<S: Service> Client<S> {
    /// A client that performs these operations in order.
    pub fn new(service: S, operations: impl IntoIterator<Item = S::Operation>) -> Client<S> {
        Client { service, operations: operations.into_iter().collect(), at_any_time: false }
    }

    /// Invokes the first operation at any time instead of at the start, so that it may follow operations of other clients that have
    /// returned. The client triggers it by a message to itself: the first message of the request.
    pub fn at_any_time(self) -> Client<S> {
        Client { at_any_time: true, ..self }
    }

    fn invoke(&self, number: usize, ctx: &mut Context<'_>) {
        if let Some(operation) = self.operations.get(number) {
            ctx.invoked(operation.clone());
            for (to, message) in self.service.request(number, operation) {
                ctx.send(to, message);
            }
        }
    }
}

/// The state of a client.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Progress<R> {
    /// The responses so far.
    pub responses: Vec<R>,
}

impl<S: Service> Actor for Client<S> {
    type State = Progress<S::Response>;
    type Message = S::Message;

    fn start(&self, ctx: &mut Context<'_>) -> Progress<S::Response> {
        let reminder = self.operations.first().and_then(|first| self.service.request(0, first).into_iter().next());
        match reminder.filter(|_| self.at_any_time) {
            Some((_, message)) => ctx.send(ctx.me(), message),
            None => self.invoke(0, ctx),
        }
        Progress { responses: Vec::new() }
    }

    fn message(&self, progress: &mut Progress<S::Response>, from: Pid, message: &S::Message, ctx: &mut Context<'_>) {
        if from == ctx.me() {
            return self.invoke(0, ctx);
        }
        let number = progress.responses.len();
        match self.service.response(message) {
            Some((answered, response)) if answered == number && number < self.operations.len() => {
                ctx.returned(response.clone());
                progress.responses.push(response);
                self.invoke(number + 1, ctx);
            }
            // A response to an operation that has returned already: a duplicate, or one of several.
            _ => {}
        }
    }
}
