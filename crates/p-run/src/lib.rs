//! Executes P programs in the representation of [`manyworlds_p_ir`], as the reference checker of the language does.
//!
//! [`System::new`] makes a test of a program a transition system for the engines of `explore`: `explore(&system, Engine::Bfs, …)` visits all its states.
//! A global state is a vector of ids; a step is looked up in a table of *local transitions*, which the interpreter fills: it runs once for each distinct
//! (local state, input) and each way in which the choices can go. A handler that was left at a send is a plain value.
//!
//! What a run decides: errors at run time of machines and specs, deadlock (no machine can run, and one waits in a receive statement), and hot states of
//! specs when no machine can run. All of them are failures of states ([`manyworlds_explore::TransitionSystem::failure`]). Liveness by cycles is a
//! search of its own, [`System::liveness`]; an answer that does not rest on it must say that only hot states at the end were looked for.
//!
//! [`System::with_max_inbox`] bounds inboxes, [`System::limited`] what a handler may do at once. With persistent sets (`Reduction::Persistent`) quiet steps of one
//! machine stand for all interleavings with others; failures and states without enabled machines are the same.
//!
//! | module | contents |
//! |---|---|
//! | [`value`], [`names`] | canonical values; stable names of machines |
//! | [`code`], `live` | a program prepared for a test; which locals may still be read |
//! | [`local`] | local states: fields, control state, continuation |
//! | [`machine`], `ops`, `eval` | the interpreter |
//! | [`table`] | the table of local transitions |
//! | [`world`] | global states and steps |
//! | [`system`], `narrate` | the transition system; traces |
//! | [`liveness`] | fair cycles on which a spec is hot |
//! | `persistent` | a reduction of interleavings |
//! | [`fault`] | errors at run time |
//!
//! Departures from the reference checker, which an answer should state: sets and maps iterate in the order of their contents, `format` prints stable
//! names of machines, casts are checked deeply.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod code;
mod eval;
pub mod fault;
pub mod interner;
mod live;
pub mod liveness;
pub mod local;
pub mod machine;
pub mod names;
mod narrate;
mod ops;
mod persistent;
mod show;
pub mod system;
pub mod table;
pub mod value;
pub mod world;

pub use code::{Code, Limits, Unusable};
pub use fault::{Failure, Fault, FaultKind};
pub use liveness::{Lasso, Liveness};
pub use system::{Covered, System};
pub use world::{Action, Happened, World};
