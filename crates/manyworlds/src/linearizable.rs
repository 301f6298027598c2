//! Programs that record operations: a monitor judges what they record while they run.
//!
//! Which of two operations of different processes came first is seen only in the order of events, and an execution of `must` is a partial one. The
//! monitor is told in real time ([`MonitorSpec::in_real_time`]): in every order in which the notes of an execution may have been made, mailboxes
//! and all. So each history that can happen is judged, and no other.

use crate::Checker;
use manyworlds_core::Pid;
use manyworlds_core::panics::NotLinearizable;
use manyworlds_linear::stage::Stuck;
use manyworlds_linear::{Datum, Spec, Watched};
use manyworlds_program::monitor::{Monitor, MonitorSpec, Observe, Observed, Subscription};
use manyworlds_program::note;
use std::sync::Arc;

/// A process asks for an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Invoked<O>(pub O);

/// The operation that a process asked for returns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Returned<R>(pub R);

/// Records that this process invokes an operation, for [`Checker::linearizable`]. Nobody else hears of it.
#[track_caller]
pub fn invoked<O: Datum>(operation: O) {
    note(Invoked(operation));
}

/// Records what the operation that this process invoked returns.
#[track_caller]
pub fn returned<R: Datum>(response: R) {
    note(Returned(response));
}

/// The name of the monitor in traces.
const NAME: &str = "history";

/// The monitor.
struct History<S: Spec> {
    watched: Watched<S>,
    /// A small number for each process, in the order in which they are heard of.
    processes: Vec<Pid>,
}

impl<S: Spec> History<S> {
    fn number(&mut self, process: Pid) -> u16 {
        let known = self.processes.iter().position(|&pid| pid == process);
        known.unwrap_or_else(|| {
            self.processes.push(process);
            self.processes.len() - 1
        }) as u16
    }
}

impl<S: Spec> Monitor for History<S> {
    fn subscriptions() -> Vec<Subscription<History<S>>> {
        vec![Subscription::to::<Invoked<S::Operation>>(), Subscription::to::<Returned<S::Response>>()]
    }
}

impl<S: Spec> Observe<Invoked<S::Operation>> for History<S> {
    fn notify(&mut self, seen: &Observed<'_, Invoked<S::Operation>>) {
        let process = self.number(seen.from);
        self.watched.invoke(process, seen.message.0.clone());
    }
}

impl<S: Spec> Observe<Returned<S::Response>> for History<S> {
    fn notify(&mut self, seen: &Observed<'_, Returned<S::Response>>) {
        let process = self.number(seen.from);
        match self.watched.respond(process, seen.message.0.clone()) {
            Ok(()) => {}
            Err(unexplained) if unexplained.why == Stuck::NotLinearizable => {
                std::panic::panic_any(NotLinearizable(unexplained.to_string()));
            }
            Err(unexplained) => panic!("{unexplained}"),
        }
    }
}

impl Checker {
    /// The operations that processes record with [`invoked`] and [`returned`] must behave as if each took effect at once, somewhere between its
    /// invocation and its response.
    ///
    /// ```
    /// use manyworlds::linear::specs::Counter;
    /// use manyworlds::linear::specs::counter::{Operation, Response};
    /// use manyworlds::sync::atomic::{AtomicI64, Ordering};
    /// use manyworlds::{Checker, invoked, returned, thread};
    ///
    /// // Not an atomic increment: two of them may read the same value.
    /// fn increment(count: &AtomicI64) {
    ///     invoked(Operation::Add(1));
    ///     let before = count.load(Ordering::SeqCst);
    ///     count.store(before + 1, Ordering::SeqCst);
    ///     returned(Response::Added);
    /// }
    ///
    /// fn read(count: &AtomicI64) {
    ///     invoked(Operation::Read);
    ///     let value = count.load(Ordering::SeqCst);
    ///     returned(Response::Count(value));
    /// }
    ///
    /// let outcome = Checker::new(|| {
    ///     let count = AtomicI64::new(0);
    ///     let other = count.clone();
    ///     let thread = thread::spawn(move || increment(&other));
    ///     increment(&count);
    ///     thread.join().unwrap();
    ///     read(&count);
    /// })
    /// .linearizable(Counter::new(0))
    /// .check();
    /// assert!(outcome.violation().unwrap().message.contains("Read returned Count(1)"));
    /// ```
    pub fn linearizable<S: Spec>(self, spec: S) -> Checker {
        let spec = Arc::new(spec);
        let make = move || History { watched: Watched::new(spec.clone()), processes: Vec::new() };
        self.watch(MonitorSpec::new(make).named(NAME).in_real_time())
    }
}
