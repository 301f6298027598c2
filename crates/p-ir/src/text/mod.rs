//! The textual form of programs, which tests read and write.
//!
//! ```text
//! event ePing: int;
//! interface Main () receives all;
//! machine Main receives all sends all {
//!   field n: int;
//!   start state Init { entry Main.entry; on @ePing do Main.ping; defer @halt; }
//! }
//! fun Main.entry in Main () {
//! b0:
//!   send this, @ePing, (1 + 2);
//!   return;
//! }
//! fun Main.ping in Main (k: int) {
//!   local ok: bool;
//! b0:
//!   #0:7:9 this.n = (this.n + k);
//!   ok = choose bool;
//!   if ok b1 else b2;
//! b1:
//!   receive { @ePing (k) -> b0, @halt -> b2 };
//! b2:
//!   return;
//! }
//! test tc main Main { Main -> Main; }
//! ```
//!
//! Operators with two operands stand in parentheses; the other operators are written like functions: `not(x)`, `as(x, int)`, `tuple(a, b)`,
//! `named(a = 1, b = 2)`, `format("a", $0; x)`, `float("1.5")`. A local is a name, a field `this.x`, a test parameter `?p`, an event `@e`, an element of
//! an enum `E::A`. A place in the source, `#file:line:column`, may precede every instruction and declaration. Declarations may stand in any order.

mod body;
mod lexer;
mod parse;
mod print;

pub use parse::{SyntaxError, parse};
pub use print::{print, type_text};

/// Expressions and types nested more deeply are refused.
pub const DEEPEST: usize = 200;
