//! Functions: control-flow graphs of basic blocks.
//!
//! Expressions have no effect: they read variables and compute, and may fail. Whatever has an effect, makes a choice or lets another machine run is an
//! instruction or a terminator of its own. So what remains to be done of a running function is (function, block, index of the instruction, values of
//! the locals), and that of a handler a stack of these.

use crate::ids::{
    BlockId, EventId, FieldId, FunctionId, InterfaceId, LocalId, MachineId, NamesId, ParamId, StateId, TypeId,
};
use crate::program::{Const, Variable};

/// A place in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The index of the file.
    pub file: u32,
    /// The line, from 1; 0 if there is no source.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Span {
    /// A place in a file.
    pub const fn new(file: u32, line: u32, column: u32) -> Span {
        Span { file, line, column }
    }
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name, which no other function has: `M.f` for the function `f` of the machine `M`.
    pub name: String,
    /// The machine that it belongs to. A global function reads no field and does not change the state.
    pub machine: Option<MachineId>,
    /// How many of the locals are parameters: the first ones.
    pub params: u32,
    /// The type of the result.
    pub result: Option<TypeId>,
    /// The parameters, local variables and temporaries. A call gives locals that are not parameters the default value of their type.
    pub locals: Vec<Variable>,
    /// What it does.
    pub body: Body,
    /// Where it is declared.
    pub span: Span,
}

/// What a function does.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    /// Its blocks. The first one is the entry.
    Blocks(Vec<Block>),
    /// It is foreign.
    Foreign,
}

impl Function {
    /// A block.
    ///
    /// # Panics
    /// If the function is foreign, or has no such block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks()[id.index()]
    }

    /// The blocks; a foreign function has none.
    pub fn blocks(&self) -> &[Block] {
        match &self.body {
            Body::Blocks(blocks) => blocks,
            Body::Foreign => &[],
        }
    }
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// What follows.
    pub end: Terminator,
    /// The place of the terminator in the source.
    pub span: Span,
}

/// An instruction with its place in the source.
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// Where it is in the source.
    pub span: Span,
}

/// What an instruction does. Operands are evaluated in the order in which they are listed, a place before them.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// `to = value`.
    Assign {
        /// Where.
        to: Place,
        /// What.
        value: Expr,
    },
    /// `to += (key, value)`: inserts at an index of a sequence, or adds a new key to a map.
    Insert {
        /// The sequence or map.
        to: Place,
        /// The index or key.
        key: Expr,
        /// The element or value.
        value: Expr,
    },
    /// `to += (value)`: adds to a set.
    Add {
        /// The set.
        to: Place,
        /// The element.
        value: Expr,
    },
    /// `from -= key`: removes an index of a sequence, an element of a set, a key of a map.
    Remove {
        /// The collection.
        from: Place,
        /// The index, element or key.
        key: Expr,
    },
    /// Calls a function of the same machine, or a global one.
    Call {
        /// Where the result goes.
        to: Option<LocalId>,
        /// The function.
        function: FunctionId,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// Makes a choice.
    Choose {
        /// Where the chosen value goes.
        to: LocalId,
        /// What can be chosen.
        from: Choice,
    },
    /// `send target, event, payload`.
    Send {
        /// The machine.
        target: Expr,
        /// The event.
        event: Expr,
        /// The payload.
        payload: Option<Expr>,
    },
    /// `announce event, payload`.
    Announce {
        /// The event.
        event: Expr,
        /// The payload.
        payload: Option<Expr>,
    },
    /// `new interface(payload)`.
    New {
        /// Where the reference to the machine goes.
        to: Option<LocalId>,
        /// The interface in the source.
        interface: InterfaceId,
        /// The payload.
        payload: Option<Expr>,
    },
    /// `assert condition, message`. The message is evaluated only if the condition does not hold. A message that is not an expression without effects
    /// is lowered to a branch and [`Terminator::Fail`].
    Assert {
        /// What must hold.
        condition: Expr,
        /// What is reported otherwise.
        message: Option<Expr>,
    },
    /// `print message`.
    Print {
        /// The message.
        message: Expr,
    },
}

/// What can be chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// `$`, `choose()`: a boolean; no value is owed to a program that makes the choice again and again.
    Bool,
    /// `$$`: a boolean, fair.
    FairBool,
    /// `choose(n)`: an integer from 0 to n - 1, fair.
    Int(Expr),
    /// `choose(collection)`: an element, or a key of a map; fair.
    Element(Expr),
}

impl Choice {
    /// Whether a path that makes the choice infinitely often takes every value infinitely often.
    pub fn is_fair(&self) -> bool {
        !matches!(self, Choice::Bool)
    }
}

/// What follows a block.
#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    /// Continues with a block.
    Jump(BlockId),
    /// Continues with one of two blocks.
    Branch {
        /// Which.
        condition: Expr,
        /// The block if it holds.
        then: BlockId,
        /// The block if it does not hold.
        otherwise: BlockId,
    },
    /// Returns from the function.
    Return(Option<Expr>),
    /// `raise event, payload`: ends the handler.
    Raise {
        /// The event.
        event: Expr,
        /// The payload.
        payload: Option<Expr>,
    },
    /// `goto state, payload`: ends the handler.
    Goto {
        /// The new state.
        state: StateId,
        /// The payload of its entry function.
        payload: Option<Expr>,
    },
    /// Waits for one of these events.
    Receive(Vec<Case>),
    /// An assertion that does not hold, with this message.
    Fail(Option<Expr>),
}

/// A case of a receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The event.
    pub event: EventId,
    /// Where its payload goes.
    pub payload: Option<LocalId>,
    /// The block that follows.
    pub block: BlockId,
}

/// Something that can be assigned to.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The variable.
    pub root: Root,
    /// The part of its value, outermost first.
    pub path: Vec<Step>,
}

/// The variable of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    /// A local.
    Local(LocalId),
    /// A field.
    Field(FieldId),
}

/// A part of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// The field of a tuple or a named tuple, by position.
    Item(u32),
    /// The element of a sequence, or the value of a key of a map. An assignment to the last step of a place adds a missing key; otherwise it must be
    /// there.
    Index(Expr),
}

impl Place {
    /// A whole local.
    pub fn local(local: LocalId) -> Place {
        Place { root: Root::Local(local), path: Vec::new() }
    }

    /// A whole field.
    pub fn field(field: FieldId) -> Place {
        Place { root: Root::Field(field), path: Vec::new() }
    }

    /// A field of the tuple in this place.
    pub fn item(mut self, item: u32) -> Place {
        self.path.push(Step::Item(item));
        self
    }

    /// The element at an index of the sequence, or the value of a key of the map, in this place.
    pub fn at(mut self, index: Expr) -> Place {
        self.path.push(Step::Index(index));
        self
    }
}

/// An expression. It has no effect, but it may fail.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A value.
    Const(Const),
    /// A local.
    Local(LocalId),
    /// A field of the machine.
    Field(FieldId),
    /// A global test parameter.
    Param(ParamId),
    /// The machine that runs.
    This,
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `(x = a, y = b)`.
    Named(NamesId, Vec<Expr>),
    /// A field of a tuple or a named tuple, by position.
    Item(Box<Expr>, u32),
    /// The element at an index of a sequence or a set, or the value of a key of a map.
    Index(Box<Expr>, Box<Expr>),
    /// `value as type`: fails unless the value is of the type, which is checked deeply.
    Cast(Box<Expr>, TypeId),
    /// `value to type`: converts.
    Coerce(Box<Expr>, TypeId),
    /// `default(type)`.
    Default(TypeId),
    /// `format(…)`: the pieces in order.
    Format(Vec<Piece>, Vec<Expr>),
}

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// This text.
    Text(String),
    /// The argument with this number.
    Arg(u32),
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `!`.
    Not,
    /// `-`.
    Negate,
    /// `sizeof`.
    Size,
    /// `keys`, a sequence.
    Keys,
    /// `values`, a sequence in the order of the keys.
    Values,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `in`.
    In,
    /// `&&`: the second operand is evaluated only if the first one holds.
    And,
    /// `||`: the second operand is evaluated only if the first one does not hold.
    Or,
}

impl Expr {
    /// An integer.
    pub fn int(n: i64) -> Expr {
        Expr::Const(Const::Int(n))
    }

    /// A boolean.
    pub fn bool(b: bool) -> Expr {
        Expr::Const(Const::Bool(b))
    }

    /// An event.
    pub fn event(event: EventId) -> Expr {
        Expr::Const(Const::Event(event))
    }

    /// An operator with two operands.
    pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// An operator with one operand.
    pub fn unary(op: Unary, a: Expr) -> Expr {
        Expr::Unary(op, Box::new(a))
    }

    /// A field of this tuple.
    pub fn item(self, item: u32) -> Expr {
        Expr::Item(Box::new(self), item)
    }

    /// The element of this collection at an index.
    pub fn at(self, index: Expr) -> Expr {
        Expr::Index(Box::new(self), Box::new(index))
    }
}
