//! The syntax tree. Every node has the span of its text.

use crate::source::Span;
use std::sync::Arc;

/// A name and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Arc<str>,
    /// Where.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its declarations.
    pub items: Vec<Item>,
    /// Whether all declarations could be understood. If not, other declarations may seem to use names that are missing.
    pub complete: bool,
}

/// A declaration at the top level.
#[derive(Clone, Debug)]
pub enum Item {
    /// `type T = …;`, or a foreign type `type T;`.
    Type(TypeDef),
    /// `enum E { … }`
    Enum(EnumDef),
    /// `event e: t;`
    Event(EventDef),
    /// `eventset S = { … };`
    EventSet(EventSetDef),
    /// `interface I (t) receives …;`
    Interface(InterfaceDef),
    /// A machine, a specification or a scenario.
    Machine(MachineDef),
    /// A function.
    Fun(FunDef),
    /// `param p: t;`
    Param(VarDef),
    /// `module M = …;`
    Module(ModuleDef),
    /// `implementation I [main = M]: …;`
    Implementation(TestDef),
    /// `test T [main = M]: …;`
    Test(TestDef),
}

/// `type T = …;`
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The name.
    pub name: Ident,
    /// What it stands for; nothing if it is foreign.
    pub is: Option<TypeExpr>,
}

/// `enum E { A = 1, B = 2 }`
#[derive(Clone, Debug)]
pub struct EnumDef {
    /// The name.
    pub name: Ident,
    /// The elements with their numbers.
    pub elements: Vec<(Ident, i64)>,
}

/// `event e: t;`
#[derive(Clone, Debug)]
pub struct EventDef {
    /// The name.
    pub name: Ident,
    /// The type of the payload.
    pub payload: Option<TypeExpr>,
}

/// `eventset S = { e, f };`
#[derive(Clone, Debug)]
pub struct EventSetDef {
    /// The name.
    pub name: Ident,
    /// The events.
    pub events: Vec<EventRef>,
}

/// `interface I (t) receives e, f;`
#[derive(Clone, Debug)]
pub struct InterfaceDef {
    /// The name.
    pub name: Ident,
    /// The type of the payload.
    pub payload: Option<TypeExpr>,
    /// The events that may be sent to it.
    pub receives: Vec<EventRef>,
}

/// The name of an event in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventRef {
    /// Which.
    pub event: EventName,
    /// Where.
    pub span: Span,
}

/// How an event is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventName {
    /// By its name.
    Named(Arc<str>),
    /// `halt`
    Halt,
    /// `null`
    Null,
}

/// Machines, specifications and scenarios differ in what they may do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MachineKind {
    /// `machine`
    Machine,
    /// `spec`
    Spec,
    /// `scenario`
    Scenario,
}

/// A machine, a specification or a scenario.
#[derive(Clone, Debug)]
pub struct MachineDef {
    /// What it is.
    pub kind: MachineKind,
    /// The name.
    pub name: Ident,
    /// `receives …;`, if it is written.
    pub receives: Option<Vec<EventRef>>,
    /// `sends …;`, if it is written.
    pub sends: Option<Vec<EventRef>>,
    /// `observes …`; empty for machines.
    pub observes: Vec<EventRef>,
    /// The fields.
    pub fields: Vec<VarDef>,
    /// The functions.
    pub functions: Vec<FunDef>,
    /// The states.
    pub states: Vec<StateDef>,
}

/// `var x, y: t;`, `param p: t;`
#[derive(Clone, Debug)]
pub struct VarDef {
    /// The names.
    pub names: Vec<Ident>,
    /// Their type.
    pub ty: TypeExpr,
}

/// How a specification judges being in a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Temperature {
    /// `hot`: the state must be left.
    Hot,
    /// Neither.
    Warm,
    /// `cold`: progress was made.
    Cold,
}

/// A state.
#[derive(Clone, Debug)]
pub struct StateDef {
    /// The name.
    pub name: Ident,
    /// `start`
    pub start: bool,
    /// `hot` or `cold`
    pub temperature: Temperature,
    /// What is in it.
    pub items: Vec<StateItem>,
}

/// A part of a state.
#[derive(Clone, Debug)]
pub struct StateItem {
    /// What it is.
    pub kind: StateItemKind,
    /// Where.
    pub span: Span,
}

/// A part of a state.
#[derive(Clone, Debug)]
pub enum StateItemKind {
    /// `entry …`
    Entry(HandlerFun),
    /// `exit …`
    Exit(HandlerFun),
    /// `defer e, f;`
    Defer(Vec<EventRef>),
    /// `ignore e, f;`
    Ignore(Vec<EventRef>),
    /// `on e, f do …`
    Do(Vec<EventRef>, HandlerFun),
    /// `on e, f goto S with …`
    Goto(Vec<EventRef>, Ident, Option<HandlerFun>),
}

/// The function of a handler.
#[derive(Clone, Debug)]
pub enum HandlerFun {
    /// A function by its name.
    Named(Ident),
    /// A block with at most one parameter (more are reported by the checker).
    Block(Box<Closure>),
}

/// A block with parameters.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The parameters.
    pub params: Vec<ParamDef>,
    /// The body.
    pub body: Body,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct ParamDef {
    /// The name.
    pub name: Ident,
    /// The type.
    pub ty: TypeExpr,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunDef {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<ParamDef>,
    /// The type of the result.
    pub result: Option<TypeExpr>,
    /// The interfaces that a foreign function creates.
    pub creates: Vec<Ident>,
    /// The body; nothing if it is foreign.
    pub body: Option<Body>,
}

/// Variables and statements.
#[derive(Clone, Debug)]
pub struct Body {
    /// The variables.
    pub vars: Vec<VarDef>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// From brace to brace.
    pub span: Span,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `float`
    Float,
    /// `string`
    String,
    /// `event`
    Event,
    /// `machine`
    Machine,
    /// `data`
    Data,
    /// `any`
    Any,
    /// `seq[t]`
    Seq(Box<TypeExpr>),
    /// `set[t]`
    Set(Box<TypeExpr>),
    /// `map[k, v]`
    Map(Box<TypeExpr>, Box<TypeExpr>),
    /// `(t, u)`
    Tuple(Vec<TypeExpr>),
    /// `(a: t, b: u)`
    Named(Vec<(Ident, TypeExpr)>),
    /// A name.
    Name(Arc<str>),
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
    Foreach(Ident, Expr, Box<Stmt>),
    /// `if (e) s else if (f) t else u`
    If(Vec<(Expr, Stmt)>, Option<Box<Stmt>>),
    /// `new I(…);`
    New(Ident, Vec<Expr>),
    /// `f(…);`
    Call(Ident, Vec<Expr>),
    /// `raise e, …;`
    Raise(Expr, Vec<Expr>),
    /// `send m, e, …;`
    Send(Expr, Expr, Vec<Expr>),
    /// `announce e, …;`
    Announce(Expr, Vec<Expr>),
    /// `goto S, …;`
    Goto(Ident, Vec<Expr>),
    /// `receive { case … }`
    Receive(Vec<Case>),
    /// `;`
    Empty,
    /// A statement that could not be understood.
    Error,
}

/// A case of a receive.
#[derive(Clone, Debug)]
pub struct Case {
    /// The events.
    pub events: Vec<EventRef>,
    /// The parameters and the body.
    pub closure: Closure,
    /// Where.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// How many expressions are nested in one another here, this one among them.
    pub height: u32,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(Arc<str>),
    /// A number; nothing if it is out of range, which was reported.
    Int(Option<i64>),
    /// A number with a point.
    Float(f64),
    /// `true`, `false`
    Bool(bool),
    /// The text between the quotation marks, with its escapes.
    Str(Arc<str>),
    /// `null`
    Null,
    /// `halt`
    Halt,
    /// `this`
    This,
    /// `$`
    Nondet,
    /// `$$`
    FairNondet,
    /// `format("…", e)`
    Format(Ident, Vec<Expr>),
    /// `keys(e)`
    Keys(Box<Expr>),
    /// `values(e)`
    Values(Box<Expr>),
    /// `sizeof(e)`
    Sizeof(Box<Expr>),
    /// `default(t)`
    Default(TypeExpr),
    /// `choose(e)`
    Choose(Option<Box<Expr>>),
    /// `new I(…)`
    New(Ident, Vec<Expr>),
    /// `f(…)`
    Call(Ident, Vec<Expr>),
    /// `(e, f)`
    Tuple(Vec<Expr>),
    /// `(a = e, b = f)`
    Named(Vec<(Ident, Expr)>),
    /// `e.f`
    Field(Box<Expr>, Ident),
    /// `e.0`; nothing if the index is out of range, which was reported.
    Index(Box<Expr>, Option<u32>, Span),
    /// `e[f]`
    Element(Box<Expr>, Box<Expr>),
    /// `-e`, `!e`
    Unary(UnaryOp, Box<Expr>),
    /// `e + f`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `e as t`
    As(Box<Expr>, TypeExpr),
    /// `e to t`
    To(Box<Expr>, TypeExpr),
    /// What could not be understood and was reported.
    Error,
}

impl ExprKind {
    /// The expressions that are a part of it.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            ExprKind::Format(_, all) | ExprKind::New(_, all) | ExprKind::Call(_, all) | ExprKind::Tuple(all) => {
                all.iter().collect()
            }
            ExprKind::Named(all) => all.iter().map(|(_, value)| value).collect(),
            ExprKind::Keys(a)
            | ExprKind::Values(a)
            | ExprKind::Sizeof(a)
            | ExprKind::Choose(Some(a))
            | ExprKind::Field(a, _)
            | ExprKind::Index(a, ..)
            | ExprKind::Unary(_, a)
            | ExprKind::As(a, _)
            | ExprKind::To(a, _) => vec![a],
            ExprKind::Element(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

/// `-`, `!`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// An operator between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Lt,
    Gt,
    Le,
    Ge,
    In,
    Eq,
    Ne,
    And,
    Or,
}

impl BinaryOp {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::In => "in",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

/// `module M = …;`
#[derive(Clone, Debug)]
pub struct ModuleDef {
    /// The name.
    pub name: Ident,
    /// What it is.
    pub is: ModExpr,
}

/// A test or an implementation.
#[derive(Clone, Debug)]
pub struct TestDef {
    /// The name.
    pub name: Ident,
    /// The values of parameters.
    pub params: Vec<TestParam>,
    /// `assume e`
    pub assume: Option<Expr>,
    /// `pairwise`, `(k wise)`
    pub wise: Option<(i64, Span)>,
    /// `[main = M]`
    pub main: Option<Ident>,
    /// The module.
    pub module: ModExpr,
}

/// `p in [1, 2]`
#[derive(Clone, Debug)]
pub struct TestParam {
    /// The parameter.
    pub name: Ident,
    /// Its values.
    pub values: Vec<(ParamValue, Span)>,
}

/// The value of a test parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ParamValue {
    /// A number.
    Int(i64),
    /// `true`, `false`
    Bool(bool),
}

/// A module expression.
#[derive(Clone, Debug)]
pub struct ModExpr {
    /// Which.
    pub kind: ModKind,
    /// Where.
    pub span: Span,
}

/// A module expression.
#[derive(Clone, Debug)]
pub enum ModKind {
    /// `{ M, M -> I }`
    Bind(Vec<(Ident, Option<Ident>)>),
    /// The name of a module.
    Name(Arc<str>),
    /// `compose m, n`
    Compose(Vec<ModExpr>),
    /// `union m, n`
    Union(Vec<ModExpr>),
    /// `hidee e in m`
    HideEvents(Vec<EventRef>, Box<ModExpr>),
    /// `hidei I in m`
    HideInterfaces(Vec<Ident>, Box<ModExpr>),
    /// `assert S in m`
    Assert(Vec<Ident>, Box<ModExpr>),
    /// `rename I to J in m`
    Rename(Ident, Ident, Box<ModExpr>),
    /// What could not be understood and was reported.
    Error,
}
