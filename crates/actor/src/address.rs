//! Typed references to actors: a [`Handle`] knows the type of its actor, an [`Address`] the type of the messages that its actor handles.
//!
//! A send to an address is checked by the compiler. The sender of a message is known by its id alone, so a send to a [`Pid`] is checked when
//! the handler returns: if the receiver does not handle messages of this type, the model is in error at the send.

use crate::erased::Value;
use crate::symmetry::Renaming;
use manyworlds_core::Pid;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The address of an actor that handles messages of type `M`; see [`Handle::address`].
///
/// It may be part of a state or of a message: it is compared, hashed and displayed as the id of the actor.
///
/// Only messages of type `M` can be sent to it:
///
/// ```
/// use manyworlds_actor::{Address, Context};
///
/// fn order(counter: Address<u32>, ctx: &mut Context<'_>) {
///     ctx.send(counter, 3);
/// }
/// ```
/// ```compile_fail
/// use manyworlds_actor::{Address, Context};
///
/// fn order(counter: Address<u32>, ctx: &mut Context<'_>) {
///     ctx.send(counter, "three"); // the trait `Recipient<&str>` is not implemented for `Address<u32>`
/// }
/// ```
pub struct Address<M> {
    pid: Pid,
    message: PhantomData<fn(M)>,
}

impl<M> Address<M> {
    pub(crate) fn new(pid: Pid) -> Address<M> {
        Address { pid, message: PhantomData }
    }

    /// The id of the actor.
    pub fn pid(self) -> Pid {
        self.pid
    }
}

impl Renaming {
    /// The address of the actor under its new name.
    pub fn rename_address<M>(&self, address: Address<M>) -> Address<M> {
        Address::new(self.rename(address.pid))
    }
}

/// An actor of type `A` in a system: what [`System::add`](crate::System::add) returns.
pub struct Handle<A> {
    pid: Pid,
    actor: PhantomData<fn() -> A>,
}

impl<A> Handle<A> {
    pub(crate) fn new(pid: Pid) -> Handle<A> {
        Handle { pid, actor: PhantomData }
    }

    /// The id of the actor.
    pub fn pid(self) -> Pid {
        self.pid
    }
}

impl<A: crate::Actor> Handle<A> {
    /// The address to which other actors send.
    pub fn address(self) -> Address<A::Message> {
        Address::new(self.pid)
    }
}

/// An actor that has a name and an address but no handlers yet: what [`System::reserve`](crate::System::reserve) returns.
#[must_use = "define the actor by `System::define`"]
pub struct Reserved<A> {
    handle: Handle<A>,
}

impl<A: crate::Actor> Reserved<A> {
    pub(crate) fn new(pid: Pid) -> Reserved<A> {
        Reserved { handle: Handle::new(pid) }
    }

    /// The handle that the actor will have.
    pub fn handle(&self) -> Handle<A> {
        self.handle
    }

    /// The address to which other actors send.
    pub fn address(&self) -> Address<A::Message> {
        self.handle.address()
    }

    /// The id of the actor.
    pub fn pid(&self) -> Pid {
        self.handle.pid
    }
}

/// Where a message of type `M` can be sent: an [`Address`] (checked by the compiler), a [`Pid`] (checked when it is sent), or a reference
/// to one of them.
pub trait Recipient<M> {
    /// The id of the actor.
    fn id(&self) -> Pid;
}

impl<M> Recipient<M> for Address<M> {
    fn id(&self) -> Pid {
        self.pid
    }
}

impl<M: Value> Recipient<M> for Pid {
    fn id(&self) -> Pid {
        *self
    }
}

impl<M, R: Recipient<M>> Recipient<M> for &R {
    fn id(&self) -> Pid {
        (**self).id()
    }
}

// Derived implementations would require that `A` and `M` have these traits, too.
macro_rules! compares_by_pid {
    ($name:ident) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.pid == other.pid
            }
        }

        impl<T> Eq for $name<T> {}

        impl<T> PartialEq<Pid> for $name<T> {
            fn eq(&self, other: &Pid) -> bool {
                self.pid == *other
            }
        }

        impl<T> PartialEq<$name<T>> for Pid {
            fn eq(&self, other: &$name<T>) -> bool {
                *self == other.pid
            }
        }

        impl<T> PartialOrd for $name<T> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<T> Ord for $name<T> {
            fn cmp(&self, other: &Self) -> Ordering {
                self.pid.cmp(&other.pid)
            }
        }

        impl<T> Hash for $name<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.pid.hash(state);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.pid.fmt(f)
            }
        }

        impl<T> From<$name<T>> for Pid {
            fn from(reference: $name<T>) -> Pid {
                reference.pid
            }
        }

        impl<T> From<&$name<T>> for Pid {
            fn from(reference: &$name<T>) -> Pid {
                reference.pid
            }
        }
    };
}

compares_by_pid!(Address);
compares_by_pid!(Handle);
