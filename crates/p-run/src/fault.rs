//! What goes wrong while a program runs.

use manyworlds_p_ir::{Span, StateId};

/// The kind of an error at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    /// An assertion does not hold.
    Assertion,
    /// No handler for an event.
    Unhandled,
    /// An integer is divided by zero.
    DivisionByZero,
    /// An index is outside of a sequence or a set.
    OutOfRange,
    /// A map does not have the key.
    MissingKey,
    /// A map has the key already.
    DuplicateKey,
    /// `null` is used where a value is needed.
    Null,
    /// A value is not of the type of a cast, or of a parameter.
    BadCast,
    /// A payload is not of the type of the parameter.
    BadPayload,
    /// An event is not in the send set of the sender, or not in the permissions of the reference.
    NotPermitted,
    /// Nothing can be chosen, or too much.
    BadChoice,
    /// An element of a set is assigned to.
    SetElement,
    /// An interface is created that the test does not bind.
    Unbound,
    /// An event is raised, or the state is changed, in an exit or transition function.
    RaiseInExit,
    /// A handler runs on and on without letting another machine run.
    Endless,
    /// A value or the stack of calls is too deep.
    TooDeep,
    /// A function that must return a value returns none.
    NoResult,
    /// A number is too large.
    TooLarge,
}

/// An error at run time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened.
    pub message: String,
}

impl Fault {
    /// A fault with a message.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }

    /// `null` where something else is needed.
    pub fn null(needed: &str) -> Fault {
        Fault::new(FaultKind::Null, format!("null is used where {needed} is needed"))
    }
}

/// A failure: a fault, and where it happened.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    /// The fault.
    pub fault: Fault,
    /// The machine or spec, as it is shown.
    pub machine: String,
    /// The name of its declaration.
    pub declaration: String,
    /// Its state.
    pub state: StateId,
    /// The place in the source.
    pub span: Span,
}
