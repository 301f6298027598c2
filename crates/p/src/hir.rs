//! The checked program: names are resolved, expressions have types, handlers are tables. Indices refer to the tables of [`Program`].

use crate::ast::{BinaryOp, Ident, MachineKind, ParamValue, Temperature, UnaryOp};
use crate::source::Span;
use crate::types::Ty;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The event `null`.
pub const NULL: usize = 0;
/// The event `halt`.
pub const HALT: usize = 1;

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The enums.
    pub enums: Vec<Enum>,
    /// The foreign types.
    pub foreign: Vec<Ident>,
    /// The events; the first two are `null` and `halt`.
    pub events: Vec<Event>,
    /// The event sets.
    pub event_sets: Vec<EventSet>,
    /// The interfaces. Every machine has one of its own name.
    pub interfaces: Vec<Interface>,
    /// Machines, specifications and scenarios.
    pub machines: Vec<Machine>,
    /// All functions, the blocks of handlers among them.
    pub functions: Vec<Function>,
    /// The test parameters.
    pub params: Vec<Param>,
    /// The tests, without those that have errors.
    pub tests: Vec<Test>,
    /// Where names are used, and where what they name is declared.
    pub references: Vec<(Span, Span)>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// The name.
    pub name: Ident,
    /// The elements with their numbers.
    pub elements: Vec<(Ident, i64)>,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The name.
    pub name: Ident,
    /// The type of the payload; [`Ty::Null`] if there is none.
    pub payload: Ty,
}

/// An event set.
#[derive(Clone, Debug)]
pub struct EventSet {
    /// The name.
    pub name: Ident,
    /// The events.
    pub events: BTreeSet<usize>,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The name.
    pub name: Ident,
    /// The type of the payload; [`Ty::Null`] if there is none.
    pub payload: Ty,
    /// What may be sent to it.
    pub receives: BTreeSet<usize>,
    /// The machine whose name it has.
    pub machine: Option<usize>,
}

/// A machine, a specification or a scenario.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it is.
    pub kind: MachineKind,
    /// The name.
    pub name: Ident,
    /// The interface of its name, if it is a machine.
    pub interface: Option<usize>,
    /// The fields.
    pub fields: Vec<Local>,
    /// The states.
    pub states: Vec<State>,
    /// The start state.
    pub start: usize,
    /// What may be sent to it.
    pub receives: BTreeSet<usize>,
    /// What it may send.
    pub sends: BTreeSet<usize>,
    /// What a specification observes.
    pub observes: BTreeSet<usize>,
    /// Its functions.
    pub functions: Vec<usize>,
    /// The interfaces that it creates, also through the functions that it calls.
    pub creates: BTreeSet<usize>,
}

/// A field, a parameter or a variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: Ty,
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// The name.
    pub name: Ident,
    /// Its temperature.
    pub temperature: Temperature,
    /// The entry function.
    pub entry: Option<usize>,
    /// The exit function.
    pub exit: Option<usize>,
    /// The handlers by event, and where they are.
    pub handlers: BTreeMap<usize, (Handler, Span)>,
}

/// What a state does with an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handler {
    /// Calls a function.
    Do(usize),
    /// Goes to a state, calling a function on the way.
    Goto(usize, Option<usize>),
    /// Leaves the event in the inbox.
    Defer,
    /// Drops the event.
    Ignore,
}

/// A function, or the block of a handler.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name; that of a block says what it handles.
    pub name: Arc<str>,
    /// Where it is declared.
    pub span: Span,
    /// Whether it is the block of a handler.
    pub anonymous: bool,
    /// The machine to which it belongs.
    pub owner: Option<usize>,
    /// How many of the locals are parameters; they come first.
    pub params: usize,
    /// Parameters and variables, those of the cases of receives among them.
    pub locals: Vec<Local>,
    /// The type of the result.
    pub result: Option<Ty>,
    /// The body; nothing if it is foreign.
    pub body: Option<Vec<Stmt>>,
    /// The interfaces that a foreign function creates.
    pub creates: Vec<usize>,
    /// What it does itself.
    pub effects: Effects,
}

/// What a function does apart from computing: for each kind of effect the first place.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// `raise`
    pub raise: Option<Span>,
    /// `goto`
    pub goto: Option<Span>,
    /// `send`
    pub send: Option<Span>,
    /// `announce`
    pub announce: Option<Span>,
    /// `receive`
    pub receive: Option<Span>,
    /// `new`
    pub new: Option<Span>,
    /// `$`, `$$`, `choose`
    pub nondet: Option<Span>,
    /// The functions that it calls, and where it does so first.
    pub calls: BTreeMap<usize, Span>,
    /// The interfaces that it creates.
    pub creates: BTreeSet<usize>,
}

/// A test parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The name.
    pub name: Ident,
    /// `int` or `bool`, or whatever else it was declared with; then it has its default value.
    pub ty: Ty,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `assert e, m;`
    Assert(Expr, Option<Expr>),
    /// `print e;`
    Print(Expr),
    /// `return e;`
    Return(Option<Expr>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `l = e;`
    Assign(Expr, Expr),
    /// `l += (k, v);`
    Insert(Expr, Expr, Expr),
    /// `l += (e);`
    Add(Expr, Expr),
    /// `l -= e;`
    Remove(Expr, Expr),
    /// `while (e) s`
    While(Expr, Box<Stmt>),
    /// `foreach (x in e) s`
    Foreach(Expr, Expr, Box<Stmt>),
    /// `if (e) s else if (f) t else u`
    If(Vec<(Expr, Stmt)>, Option<Box<Stmt>>),
    /// A call or `new`, the result of which is dropped.
    Eval(Expr),
    /// `raise e, v;`
    Raise(Expr, Option<Expr>),
    /// `send m, e, v;`
    Send(Expr, Expr, Option<Expr>),
    /// `announce e, v;`
    Announce(Expr, Option<Expr>),
    /// `goto S, v;`
    Goto(usize, Option<Expr>),
    /// `receive { … }`
    Receive(Vec<Case>),
}

/// A case of a receive.
#[derive(Clone, Debug)]
pub struct Case {
    /// The events.
    pub events: Vec<usize>,
    /// The local that gets the payload.
    pub param: Option<usize>,
    /// The variables that the case declares: they get their default values when it begins.
    pub locals: Vec<usize>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Where.
    pub span: Span,
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Where.
    pub span: Span,
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Characters.
    Text(String),
    /// The argument with this number.
    Arg(u32),
}

/// An expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ExprKind {
    Local(usize),
    Field(usize),
    Param(usize),
    Element(usize, i64),
    Event(usize),
    Int(i64),
    Float(f64),
    Bool(bool),
    Str(String),
    Null,
    This,
    Nondet,
    FairNondet,
    /// `choose(n)`
    ChooseInt(Box<Expr>),
    /// `choose(collection)`
    ChooseFrom(Box<Expr>),
    Format(Vec<Piece>, Vec<Expr>),
    Keys(Box<Expr>),
    Values(Box<Expr>),
    Sizeof(Box<Expr>),
    /// The default value of the type of the expression.
    Default,
    New(usize, Option<Box<Expr>>),
    Call(usize, Vec<Expr>),
    Tuple(Vec<Expr>),
    /// The names are those of the type of the expression.
    Named(Vec<Expr>),
    Item(Box<Expr>, u32),
    Index(Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// To the type of the expression.
    As(Box<Expr>),
    /// To the type of the expression.
    To(Box<Expr>),
    /// There was an error.
    Error,
}

/// What a module is made of. An interface that was hidden has an instance number of its own.
pub type Bound = (usize, u32);

/// A test, or one instance of a parametrised test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The name that was written.
    pub name: Arc<str>,
    /// The name of the instance.
    pub instance: String,
    /// Where it is declared.
    pub span: Span,
    /// What is created first.
    pub main: Bound,
    /// The machine that each interface creates.
    pub bindings: BTreeMap<Bound, usize>,
    /// What `new` of an interface creates in a machine that was created through another, where that is not the interface itself.
    pub links: BTreeMap<(Bound, usize), Bound>,
    /// The specifications and scenarios with the interfaces whose machines they observe, in the order in which they are attached; nothing if they
    /// observe all.
    pub specs: Vec<(usize, Option<BTreeSet<Bound>>)>,
    /// The values of test parameters.
    pub params: Vec<(usize, ParamValue)>,
}
