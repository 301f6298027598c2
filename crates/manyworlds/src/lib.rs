//! Manyworlds runs a distributed system, or a concurrent object, in *every* world it can reach: each distinct behaviour once. It tells you
//! which world breaks your property, why, and how to see it again.
//!
//! # A program
//!
//! Processes are ordinary code that sends, and blocks in [`recv`]. [`check()`] finds every way in which that can go:
//!
//! ```
//! use manyworlds::prelude::*;
//!
//! let answer = check(|| {
//!     let server = process("server").spawn(|| (recv::<&str>(), recv::<&str>()));
//!     for name in ["alice", "bob"] {
//!         process(name).spawn(move || send(server.pid(), name));
//!     }
//!     let (first, _) = server.join();
//!     assert_eq!(first, "alice", "alice is not first");
//! })
//! .run()?;
//! let violation = answer.violation().expect("bob may be first");
//! assert!(violation.message.contains("alice is not first"));
//! println!("{answer}"); // the messages of that world, as a chart
//! # Ok::<(), Refused>(())
//! ```
//!
//! In a test it is an attribute: [`#[manyworlds::test]`](macro@test). Code that shares memory uses [`thread`] and [`sync`], which have the names of the
//! standard library.
//!
//! # Actors
//!
//! A protocol may also be a state and handlers, with timers, crashes, and properties of global states:
//!
//! ```
//! use manyworlds::actor::{Actor, Address, Context, Faults, System};
//! use manyworlds::{Pid, check};
//!
//! struct Account;
//!
//! impl Actor for Account {
//!     type State = u32;
//!     type Message = u32;
//!     fn start(&self, _: &mut Context<'_>) -> u32 { 0 }
//!     fn message(&self, balance: &mut u32, _: Pid, amount: &u32, _: &mut Context<'_>) { *balance += amount }
//! }
//!
//! struct Customer(Address<u32>);
//!
//! impl Actor for Customer {
//!     type State = ();
//!     type Message = ();
//!     fn start(&self, ctx: &mut Context<'_>) { ctx.send(self.0, 10) }
//!     fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
//! }
//!
//! let mut system = System::new().faults(Faults { duplicates: 1, ..Faults::default() });
//! let account = system.add("account", Account);
//! system.add("customer", Customer(account.address()));
//! let system = system.always_of(account, "nobody pays twice", |balance| *balance <= 10);
//! let answer = check(system).run()?;
//! assert!(answer.violation().is_some()); // a message may come twice
//! # Ok::<(), manyworlds::Refused>(())
//! ```
//!
//! A specification in the manner of TLA+ is an [`explore::Model`], checked as a [`Specification`].
//!
//! # Where to look
//!
//! | to | look at |
//! |---|---|
//! | check anything | [`check()`], [`Answer`], [`#[manyworlds::test]`](macro@test) |
//! | write a program | [`prelude`], [`Program`], [`monitor`](macro@monitor) |
//! | write actors or a specification | [`actor::System`], [`Specification`] |
//! | ask for linearizability | [`Program::linearizable`], [`actor::System::linearizable`], [`linear`] |
//! | know what came of it | [`Outcome`], [`Verdict`], [`Stats`] |
//! | see a violation again | [`Trace`], [`Check::replay`], [`Subject::replay`] |
//! | know what a test does with a failure | [`testing`] |
//! | have a command line for your models | [`cli!`](macro@cli), [`models`] |
//! | change defaults from outside | [`environment`] |
//!
//! A [`Verdict`] is verified, violated or incomplete. A run that hit a bound is never verified, and every violation was replayed before it is reported.
#![warn(missing_docs)]

mod actors;
#[cfg(doctest)]
mod book;
mod check;
#[cfg(feature = "cli")]
pub mod cli;
mod coverage;
pub mod environment;
mod linearizable;
pub mod models;
mod options;
#[cfg(feature = "p")]
pub mod p;
mod program;
mod states;
mod subject;
mod suggest;
pub mod testing;
mod watch;

pub use check::{Check, check};
pub use linearizable::{Invoked, Returned, invoked, returned};
pub use manyworlds_core::{
    ActionCoverage, Awaited, Bounds, Coverage, Deadlock, Delivery, Engine, Explored, FaultBounds, FaultCoverage,
    Fingerprint, Flaw, InputCoverage, InvalidModel, Keyed, Location, Network, NoObserver, Observer, Outcome, Pid,
    Policy, ProcessCoverage, ProcessRole, ProcessStatus, Progress, Reduced, Replayed, Requirement, SampleUnit,
    ScheduleStats, Scope, Semantics, Stats, StepKind, StopReason, Trace, TraceError, TraceHistory, TraceMessage,
    TraceNote, TraceOperation, TraceProcess, TraceStep, TraceValue, ValueTree, Verdict, Violation,
};
pub use manyworlds_graph::{Ending, World, WorldEvent};
pub use manyworlds_macros::{monitor, test};
pub use manyworlds_program::{
    Channel, Choices, JoinHandle, Message, Monitor, Observe, Observed, ProcessBuilder, assume, choose, flip, me,
    monitor, on, process, recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn,
};
pub use options::{Options, Rebuild};
pub use program::Program;
pub use states::Specification;
pub use subject::{Answer, IntoSubject, Refused, Subject};
pub use watch::{Watch, peak_resident_bytes, resident_bytes};

/// Actors: a state and handlers, in every world.
#[doc(inline)]
pub use manyworlds_actor as actor;
/// Transition systems in the style of TLA+, and the engines on global states.
#[doc(inline)]
pub use manyworlds_explore as explore;

/// Linearizability: histories, sequential specifications, and whether the one behaves like the other.
#[doc(inline)]
pub use manyworlds_linear as linear;

/// Code that shares memory, in every world.
///
/// ```
/// use manyworlds::sync::atomic::{AtomicU32, Ordering};
/// use manyworlds::sync::{Arc, Mutex, mpsc};
/// use manyworlds::{check, thread};
///
/// // Who locks first? Nobody can tell, but all agree in the end.
/// let answer = check(|| {
///     let total = Arc::new(Mutex::new(0));
///     let workers = [1, 2, 3].map(|i| {
///         let total = total.clone();
///         thread::spawn(move || *total.lock().unwrap() += i)
///     });
///     for worker in workers {
///         worker.join().unwrap();
///     }
///     assert_eq!(*total.lock().unwrap(), 6);
/// })
/// .run()?;
/// assert!(answer.is_verified());
/// assert_eq!(answer.stats.executions, Some(6)); // 3!
///
/// // Another may write between this load and this store.
/// let answer = check(|| {
///     let hits = AtomicU32::new(0);
///     let count = |hits: AtomicU32| hits.store(hits.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
///     let (mine, other) = (hits.clone(), hits.clone());
///     let thread = thread::spawn(move || count(other));
///     count(mine);
///     thread.join().unwrap();
///     assert_eq!(hits.load(Ordering::SeqCst), 2);
/// })
/// .run()?;
/// assert!(answer.violation().is_some());
///
/// // Values of two senders come in either order; then both are gone.
/// let answer = check(|| {
///     let (tx, rx) = mpsc::sync_channel(1);
///     for i in 1..=2 {
///         let tx = tx.clone();
///         thread::spawn(move || tx.send(i).unwrap());
///     }
///     drop(tx);
///     assert_eq!(rx.iter().sum::<i32>(), 3);
/// })
/// .run()?;
/// assert_eq!(answer.stats.executions, Some(2));
/// # Ok::<(), manyworlds::Refused>(())
/// ```
#[doc(inline)]
pub use manyworlds_program::sync;

/// Threads, in every world.
///
/// ```
/// use manyworlds::{check, thread};
///
/// let answer = check(|| {
///     let threads = [1, 2].map(|i| thread::spawn(move || 10 * i));
///     let results = threads.map(|thread| thread.join().unwrap());
///     assert_eq!(results, [10, 20]);
/// })
/// .run()?;
/// assert!(answer.is_verified());
/// assert_eq!(answer.stats.executions, Some(1)); // they do not get in each other's way
/// # Ok::<(), manyworlds::Refused>(())
/// ```
#[doc(inline)]
pub use manyworlds_program::thread;

/// What a program under check usually needs.
pub mod prelude {
    pub use crate::{
        Answer, Check, Deadlock, JoinHandle, Network, Observe, Observed, Outcome, Pid, Program, Refused, assume, check,
        choose, flip, me, on, process, recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn,
    };
}
