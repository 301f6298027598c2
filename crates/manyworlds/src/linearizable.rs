//! Programs that record operations: a monitor judges what they record while they run.
//!
//! Which of two operations of different processes came first is seen only in the order of events, and an execution of `must` is a partial one. The
//! monitor is told in real time ([`MonitorSpec::in_real_time`]): in every order in which the notes of an execution may have been made, mailboxes
//! and all. So each history that can happen is judged, and no other.

use crate::Program;
use manyworlds_core::panics::{NotLinearizable, listen};
use manyworlds_core::{Pid, Trace, TraceHistory, Violation};
use manyworlds_linear::stage::Stuck;
use manyworlds_linear::{Datum, Explanation, History, Spec, Watched, first_impossible};
use manyworlds_program::monitor::{Monitor, MonitorSpec, Observe, Observed, Subscription};
use manyworlds_program::{Recorded, record};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A process asks for an operation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Invoked<O>(pub O);

/// The operation that a process asked for returns.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Returned<R>(pub R);

// That it is an invocation or a response is not part of the value that is shown: the record says so.
impl<O: fmt::Debug> fmt::Debug for Invoked<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<R: fmt::Debug> fmt::Debug for Returned<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Records that this process invokes an operation, for [`Program::linearizable`]. Nobody else hears of it.
#[track_caller]
pub fn invoked<O: Datum>(operation: O) {
    record(Recorded::Invocation, Invoked(operation));
}

/// Records what the operation that this process invoked returns.
#[track_caller]
pub fn returned<R: Datum>(response: R) {
    record(Recorded::Response, Returned(response));
}

/// What was heard before a response that cannot be, and that response.
type Heard<S> = History<<S as Spec>::Operation, <S as Spec>::Response>;

/// Where a monitor leaves what it heard.
type Desk<S> = Arc<Mutex<Option<Heard<S>>>>;

/// The monitor.
struct Watcher<S: Spec> {
    watched: Watched<S>,
    heard: Heard<S>,
    desk: Desk<S>,
    /// A small number for each process, in the order in which they are heard of.
    processes: Vec<Pid>,
}

impl<S: Spec> Watcher<S> {
    fn number(&mut self, process: Pid) -> u16 {
        let known = self.processes.iter().position(|&pid| pid == process);
        known.unwrap_or_else(|| {
            self.processes.push(process);
            self.processes.len() - 1
        }) as u16
    }
}

impl<S: Spec> Monitor for Watcher<S> {
    fn subscriptions() -> Vec<Subscription<Watcher<S>>> {
        vec![Subscription::to::<Invoked<S::Operation>>(), Subscription::to::<Returned<S::Response>>()]
    }
}

impl<S: Spec> Observe<Invoked<S::Operation>> for Watcher<S> {
    fn notify(&mut self, seen: &Observed<'_, Invoked<S::Operation>>) {
        let process = self.number(seen.from);
        let operation = seen.message.0.clone();
        // One that it was waiting for is given up.
        let _ = self.heard.abandon(usize::from(process));
        self.heard.invoke(usize::from(process), operation.clone()).expect("nothing of it is open");
        self.watched.invoke(process, operation);
    }
}

impl<S: Spec> Observe<Returned<S::Response>> for Watcher<S> {
    fn notify(&mut self, seen: &Observed<'_, Returned<S::Response>>) {
        let process = self.number(seen.from);
        let response = seen.message.0.clone();
        let _ = self.heard.respond(usize::from(process), response.clone());
        match self.watched.respond(process, response) {
            Ok(()) => {}
            Err(unexplained) if unexplained.why == Stuck::NotLinearizable => {
                *self.desk.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::mem::take(&mut self.heard));
                std::panic::panic_any(NotLinearizable(unexplained.to_string()));
            }
            Err(unexplained) => panic!("{unexplained}"),
        }
    }
}

fn monitor<S: Spec>(spec: &Arc<S>, desk: &Desk<S>) -> MonitorSpec {
    let (spec, desk) = (spec.clone(), desk.clone());
    let make = move || Watcher {
        watched: Watched::new(spec.clone()),
        heard: Heard::<S>::new(),
        desk: desk.clone(),
        processes: Vec::new(),
    };
    MonitorSpec::new(make).named("history").of_history().in_real_time()
}

/// Why the history that was replayed last is impossible; `None` if the specification allows it.
pub(crate) type Reason = Box<dyn FnOnce() -> Option<Explanation>>;

/// Prepares a program for a replay after which the reason can be given.
pub(crate) type Explain = Arc<dyn Fn(Program) -> (Program, Reason) + Send + Sync>;

/// Puts a monitor that leaves what it heard on a desk of its own in the place of the one that judged the search. The values are those of the replay
/// that confirms the violation.
fn explainer<S: Spec>(spec: Arc<S>, place: usize) -> Explain {
    Arc::new(move |program| {
        let (spec, desk) = (spec.clone(), Desk::<S>::default());
        let listening = program.watch_instead(place, monitor(&spec, &desk));
        let reason = move || {
            let heard = desk.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            // The specification is user code.
            listen(|| catch_unwind(AssertUnwindSafe(|| first_impossible(&*spec, heard.operations())))).ok().flatten()
        };
        (listening, Box::new(reason))
    })
}

/// A program whose replays leave behind why a history is impossible, and what reads that afterwards.
pub(crate) fn listening(program: &Program) -> (Program, Vec<Reason>) {
    program.explainers().iter().fold((program.clone(), Vec::new()), |(program, mut reasons), explain| {
        let (listening, reason) = explain(program);
        reasons.push(reason);
        (listening, reasons)
    })
}

/// Adds to a violation the history and why no order explains it, and names the process that got the impossible response, and the place.
pub(crate) fn explain(reasons: Vec<Reason>, violation: &mut Violation, trace: &mut Trace) {
    let Some(mut history) = TraceHistory::recorded(trace) else { return };
    let is_there = |why: &Explanation| why.stuck.iter().chain(&why.prefix).all(|&at| at < history.operations.len());
    if let Some(why) = reasons.into_iter().find_map(|reason| reason()).filter(is_there) {
        (history.linearization, history.stuck) = (why.prefix, why.stuck);
        history.minimal = why.minimal.filter(|_| why.is_minimal).unwrap_or_default();
        history.core = why.core.unwrap_or_default();
    }
    if let Some(operation) = history.stuck.first().map(|&at| &history.operations[at]) {
        violation.process = Some(trace.processes[operation.process].name.clone());
        let said = operation.returned.and_then(|heard| trace.steps[heard].kind.send());
        violation.location = said.and_then(|said| trace.steps[said].at.clone());
        trace.violation = violation.clone();
    }
    trace.history = Some(history);
}

impl Program {
    /// The operations that processes record with [`invoked`] and [`returned`] must behave as if each took effect at once, somewhere between its
    /// invocation and its response.
    ///
    /// ```
    /// use manyworlds::linear::specs::Counter;
    /// use manyworlds::linear::specs::counter::{Operation, Response};
    /// use manyworlds::sync::atomic::{AtomicI64, Ordering};
    /// use manyworlds::{Program, check, invoked, returned, thread};
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
    /// let program = Program::new(|| {
    ///     let count = AtomicI64::new(0);
    ///     let other = count.clone();
    ///     let thread = thread::spawn(move || increment(&other));
    ///     increment(&count);
    ///     thread.join().unwrap();
    ///     read(&count);
    /// })
    /// .linearizable(Counter::new(0));
    /// let answer = check(program).run()?;
    /// assert!(answer.violation().unwrap().message.contains("Read returned Count(1)"));
    /// # Ok::<(), manyworlds::Refused>(())
    /// ```
    pub fn linearizable<S: Spec>(self, spec: S) -> Program {
        let spec = Arc::new(spec);
        let monitor = monitor(&spec, &Desk::<S>::default());
        let place = self.monitors();
        self.watch(monitor).explain_with(explainer(spec, place))
    }
}
