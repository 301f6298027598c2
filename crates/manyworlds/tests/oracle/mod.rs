//! Random programs as data, run with the real API, and the comparison of the engines on them.
//!
//! A program is a value ([`Program`]), so proptest can shrink it and a failure prints as something a person can read and paste into a
//! test. [`interpret`] turns it into processes; [`agree`] compares the optimal engine with the naive one.

pub mod agree;
pub mod interpret;
pub mod replay;
pub mod strategy;

use manyworlds::Network;

/// A small program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The processes that exist from the start.
    pub roots: Vec<Vec<Op>>,
    /// How many messages may be lost.
    pub losses: u32,
    /// A monitor, if there is one.
    pub watch: Option<Watch>,
}

/// A monitor: it counts messages of type [`Tag::A`] whose value its filter lets through and objects to `objects_to`-th one; at the end it
/// objects if it has seen fewer than `wants`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watch {
    /// Whether the filter drops even values.
    pub odd_only: bool,
    /// It objects to seeing this many.
    pub objects_to: u8,
    /// It objects at the end if it saw fewer.
    pub wants: u8,
}

/// What a process does. `last` below is the last value it received, chose, or got from a join.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Sends.
    Send { to: To, tag: Tag, value: Expr, on: Option<Network>, lossy: bool },
    /// Receives; a time-out sets `last` to [`TIMED_OUT`].
    Recv { tag: Tag, filter: Option<Cond>, on: Option<Network>, blocking: bool },
    /// Chooses `last` among so many values.
    Choose(u8),
    /// Does one list or the other.
    If(Cond, Vec<Op>, Vec<Op>),
    /// Spawns a process.
    Spawn { daemon: bool, body: Vec<Op> },
    /// Joins the n-th child so far (modulo their number), if there is one; sets `last` to its own.
    Join(u8),
    /// Gives the execution up unless the condition holds.
    Assume(Cond),
    /// Fails unless the condition holds.
    Assert(Cond),
}

/// The value of `last` after a time-out.
pub const TIMED_OUT: u8 = 9;

/// A message type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// A bare value: equal from whomever it comes.
    A,
    /// A value with the id of its sender, who can be answered.
    B,
}

/// A destination. One that does not exist is the process itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    /// The n-th process from the start.
    Root(u8),
    /// The n-th child so far, modulo their number.
    Child(u8),
    /// Itself.
    Me,
    /// Who spawned it.
    Parent,
    /// Who sent the last message of type [`Tag::B`].
    Reply,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// This one.
    Const(u8),
    /// `last`.
    Last,
}

/// A condition on a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cond {
    /// It is this.
    Is(u8),
    /// It is something else.
    IsNot(u8),
}

impl Cond {
    /// Whether it holds.
    pub fn holds(self, value: u8) -> bool {
        match self {
            Cond::Is(wanted) => value == wanted,
            Cond::IsNot(other) => value != other,
        }
    }
}
