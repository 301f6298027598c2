//! An intermediate representation of programs in the language P: what a front end lowers to, and what interpreters and symbolic engines execute.
//!
//! Nothing here computes values: the representation is data, with a textual form ([`text`]) and a validator ([`validate()`]). Control flow is explicit. A
//! function is a graph of basic blocks over typed locals; expressions have no effect; sends, choices, creations and calls are instructions, `receive` is
//! a terminator. So a handler can be left at any of them, and what remains to be done is a plain value.
//!
//! | module | contents |
//! |---|---|
//! | [`ids`] | indices into the tables |
//! | [`types`] | types, field names and event sets, interned |
//! | [`program`] | events, interfaces, machines and states, tests |
//! | [`code`] | functions: blocks, instructions, expressions |
//! | [`builder`] | the interface for a lowering |
//! | [`typing`] | the types of expressions and places |
//! | [`mod@validate`] | what an executor relies on |
//! | [`text`] | the textual form: printer and parser |
//!
//! # How a lowering builds a program
//!
//! Declarations come first and are given their ids; what refers to other declarations is filled in afterwards. All tables are public fields of
//! [`Program`], so that nothing has to be known at once.
//!
//! 1. `Program::new()` has the events `null` ([`EventId::NULL`]) and `halt` ([`EventId::HALT`]). `add_file`, `add_enum`, `add_event`, `add_interface`,
//!    `add_machine`, `add_field`, `add_state`, `add_param` return ids. Types are interned by [`Types`]: `program.types.seq(TypeId::INT)`. A machine or
//!    interface used as a type is [`Type::Permission`] of its receive set; an omitted set is [`EventSetId::ALL`].
//! 2. `declare(name, machine, span)` gives a function its id; `define(id, builder)` its body. A [`FunctionBuilder`] has `param`, `local`, `block`,
//!    `switch`, `push` and `end`. Locals without a parameter start with the default value of their type.
//! 3. `state_mut(machine, state)` sets entry, exit, temperature and handlers (`State::on`).
//! 4. `add_test` says what runs: the main interface, the machine behind each interface, and the specs in the order of attachment. The operations of
//!    modules are resolved by the lowering: `rename` and `hidei` become [`Link`]s, `assert S in m` a [`program::Attached`] with the interfaces of `m`.
//! 5. [`validate()`] reports what the lowering got wrong. Executors refuse a program that does not pass.
//!
//! How statements of P are lowered:
//!
//! - Whatever has an effect inside an expression (`f(x)`, `choose`, `$`, `new`) is put into a temporary before; operands that were evaluated earlier and
//!   could change are put into temporaries, too. `&&` and `||` with such an operand on the right become branches.
//! - `foreach (x in c)` copies `c` into a temporary and counts: both sequences and sets are indexed by [`Expr::Index`].
//! - `receive` is a terminator; the cases continue in blocks of the same function, their variables are locals of it.
//! - `return`, `raise` and `goto` are terminators; `raise halt` raises [`EventId::HALT`].
//! - An assertion whose message is not an expression without effects is a branch to [`Terminator::Fail`].
//! - The payload of `send m, e, a, b` is a tuple.
//!
//! The result is executed by the crate `manyworlds-p-run`: `System::new(program, test)` is a transition system for the engines on global states.
//!
//! ```
//! use manyworlds_p_ir::{EventId, Expr, FunctionBuilder, Handler, MachineKind, Op, Program, Span, Terminator, Test};
//! use manyworlds_p_ir::{EventSetId, validate};
//!
//! let at = Span::default();
//! let mut program = Program::new();
//! let ping = program.add_event("ePing", None, at);
//! let main = program.add_machine("Main", MachineKind::Machine, at);
//! let interface = program.add_interface("Main", None, EventSetId::ALL, at);
//! let state = program.add_state(main, "Init", at);
//! let entry = program.declare("Main.Init.entry", Some(main), at);
//! let mut body = FunctionBuilder::new();
//! body.push(Op::Send { target: Expr::This, event: Expr::event(ping), payload: None }, at);
//! body.end(Terminator::Return(None), at);
//! program.define(entry, body);
//! program.state_mut(main, state).entry = Some(entry);
//! program.state_mut(main, state).on(ping, Handler::Ignore);
//! program.add_test(Test {
//!     name: "tc".to_string(),
//!     main: interface,
//!     bindings: vec![(interface, main)],
//!     links: Vec::new(),
//!     specs: Vec::new(),
//!     params: Vec::new(),
//!     span: at,
//! });
//! assert_eq!(validate(&program), Vec::new());
//! let text = manyworlds_p_ir::text::print(&program);
//! assert_eq!(manyworlds_p_ir::text::parse(&text).map(|read| manyworlds_p_ir::text::print(&read)), Ok(text));
//! # let _ = EventId::HALT;
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod builder;
pub mod code;
pub mod ids;
pub mod program;
pub mod text;
pub mod types;
pub mod typing;
pub mod validate;

pub use builder::FunctionBuilder;
pub use code::{
    Binary, Block, Body, Case, Choice, Expr, Function, Instruction, Op, Piece, Place, Root, Span, Step, Terminator,
    Unary,
};
pub use ids::{
    BlockId, EnumId, EventId, EventSetId, FieldId, ForeignId, FunctionId, InterfaceId, LocalId, MachineId, NamesId,
    ParamId, StateId, TypeId,
};
pub use program::{
    Attached, Const, Enum, Event, Handler, Interface, Link, Machine, MachineKind, Program, State, Temperature, Test,
    Variable,
};
pub use types::{EventSet, Type, Types};
pub use validate::{Flaw, validate};
