//! Manyworlds runs a distributed system, or a concurrent object, in *every* world it can reach: each distinct behaviour once. It tells you
//! which world breaks your property, why, and how to see it again.

mod actors;
mod checker;
mod options;
mod programs;
mod states;
mod subject;
pub mod testing;
mod watch;

pub use checker::{Checker, Engine};
pub use manyworlds_core::{
    Deadlock, Network, NoObserver, Observer, Outcome, Pid, Policy, Progress, Property, Replayed, ScheduleStats, Stats,
    StopReason, Trace, TraceError, TraceHistory, TraceOperation, TraceProcess, TraceStep, Verdict, Violation,
};
pub use manyworlds_graph::{Ending, World, WorldEvent};
pub use manyworlds_macros::{monitor, test};
pub use manyworlds_program::{
    Channel, Choices, JoinHandle, Message, Monitor, Observe, Observed, ProcessBuilder, assume, choose, flip, me,
    monitor, on, process, recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn,
};
pub use options::{EngineName, Options};
pub use states::Specification;
pub use subject::{Answer, Refused, Subject};
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
/// use manyworlds::{Checker, thread};
///
/// // Who locks first? Nobody can tell, but all agree in the end.
/// let outcome = Checker::new(|| {
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
/// .check();
/// assert!(outcome.is_verified());
/// assert_eq!(outcome.stats.executions, Some(6)); // 3!
///
/// // Another may write between this load and this store.
/// let outcome = Checker::new(|| {
///     let hits = AtomicU32::new(0);
///     let count = |hits: AtomicU32| hits.store(hits.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
///     let (mine, other) = (hits.clone(), hits.clone());
///     let thread = thread::spawn(move || count(other));
///     count(mine);
///     thread.join().unwrap();
///     assert_eq!(hits.load(Ordering::SeqCst), 2);
/// })
/// .check();
/// assert!(outcome.violation().is_some());
///
/// // Values of two senders come in either order; then both are gone.
/// let outcome = Checker::new(|| {
///     let (tx, rx) = mpsc::sync_channel(1);
///     for i in 1..=2 {
///         let tx = tx.clone();
///         thread::spawn(move || tx.send(i).unwrap());
///     }
///     drop(tx);
///     assert_eq!(rx.iter().sum::<i32>(), 3);
/// })
/// .check();
/// assert_eq!(outcome.stats.executions, Some(2));
/// ```
#[doc(inline)]
pub use manyworlds_program::sync;

/// Threads, in every world.
///
/// ```
/// use manyworlds::{Checker, thread};
///
/// let outcome = Checker::new(|| {
///     let threads = [1, 2].map(|i| thread::spawn(move || 10 * i));
///     let results = threads.map(|thread| thread.join().unwrap());
///     assert_eq!(results, [10, 20]);
/// })
/// .check();
/// assert!(outcome.is_verified());
/// assert_eq!(outcome.stats.executions, Some(1)); // they do not get in each other's way
/// ```
#[doc(inline)]
pub use manyworlds_program::thread;

/// What a program under check usually needs.
pub mod prelude {
    pub use crate::{
        Checker, Deadlock, JoinHandle, Network, Observe, Observed, Outcome, Pid, assume, choose, flip, me, on, process,
        recv, recv_timeout, recv_timeout_where, recv_where, send, send_lossy, spawn,
    };
}
