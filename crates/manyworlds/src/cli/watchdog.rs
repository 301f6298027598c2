//! Ends a command whose engine cannot stop, because user code that it has called does not return.
//!
//! Engines look at the clock and at Ctrl-C between two calls of user code. A watchdog thread waits until the run is to stop; if the engine has still
//! not returned a little later, it gives up on it.

use crate::{Observer, Options, Progress, StopReason};
use manyworlds_core::running::{Call, running};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A call that has been running for so long since the run was to stop does not return.
const PATIENCE: Duration = Duration::from_secs(1);
/// An engine that gives no sign for so long since the run was to stop is kept by a call that is not noted: of a specification, or of a property.
const SILENCE: Duration = Duration::from_millis(1700);
/// How often the watchdog looks.
const POLL: Duration = Duration::from_millis(50);

/// Why the watchdog gave up, and what is known of the run.
pub struct Stuck {
    /// Why the run was to stop.
    pub reason: StopReason,
    /// The last figures that the engine gave.
    pub progress: Progress,
    /// The calls of user code that have not returned, as far as they are noted.
    pub calls: Vec<Call>,
}

/// What has happened so far.
struct Seen {
    progress: Progress,
    /// When the engine last gave a sign.
    sign: Instant,
    /// The engine has not returned.
    exploring: bool,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Working,
    Done,
    GivenUp,
}

/// The observer of a run that sees to it that the run ends.
pub struct Watchdog<'a> {
    inner: &'a dyn Observer,
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
    seen: Mutex<Seen>,
    done: Condvar,
}

impl<'a> Watchdog<'a> {
    /// A watchdog for a run with these options that starts now.
    pub fn new(options: &Options, inner: &'a dyn Observer) -> Watchdog<'a> {
        let now = Instant::now();
        let deadline = options.timeout.and_then(|timeout| now.checked_add(timeout));
        let seen = Seen { progress: Progress::default(), sign: now, exploring: true, phase: Phase::Working };
        Watchdog { inner, deadline, cancel: options.cancel.clone(), seen: Mutex::new(seen), done: Condvar::new() }
    }

    /// Does `work`, which is observed by this watchdog. If it cannot stop, `give_up` is called on another thread; it must end the program.
    pub fn guard<R>(&self, work: impl FnOnce() -> R, give_up: impl FnOnce(Stuck) + Send) -> R {
        struct Finish<'b, 'c>(&'b Watchdog<'c>);
        impl Drop for Finish<'_, '_> {
            fn drop(&mut self) {
                self.0.finish();
            }
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                if let Some(stuck) = self.wait() {
                    give_up(stuck);
                }
            });
            let _finish = Finish(self);
            work()
        })
    }

    /// The work is done. If the watchdog has given up on it before, it is about to end the program, and nothing more must be printed.
    fn finish(&self) {
        let mut seen = self.lock();
        while seen.phase == Phase::GivenUp {
            seen = self.done.wait(seen).unwrap_or_else(PoisonError::into_inner);
        }
        seen.phase = Phase::Done;
        self.done.notify_all();
    }

    /// Waits until the work is done, or cannot stop.
    fn wait(&self) -> Option<Stuck> {
        let mut stop: Option<(StopReason, Instant)> = None;
        let mut calls: Vec<(Call, Instant)> = Vec::new();
        let mut seen = self.lock();
        while seen.phase == Phase::Working {
            seen = self.done.wait_timeout(seen, POLL).unwrap_or_else(PoisonError::into_inner).0;
            let now = Instant::now();
            stop = stop.or_else(|| self.stop_reason(now).map(|reason| (reason, now)));
            let Some((reason, since)) = stop else { continue };
            calls = still_running(&calls, running(), now);
            let stuck = calls.iter().any(|(_, since)| now - *since >= PATIENCE);
            let silent = seen.exploring && now.saturating_duration_since(seen.sign.max(since)) >= SILENCE;
            if seen.phase == Phase::Working && (stuck || silent) {
                seen.phase = Phase::GivenUp;
                let calls = calls.into_iter().filter(|(_, since)| !stuck || now - *since >= PATIENCE);
                return Some(Stuck { reason, progress: seen.progress, calls: calls.map(|(call, _)| call).collect() });
            }
        }
        None
    }

    fn stop_reason(&self, now: Instant) -> Option<StopReason> {
        let cancelled = self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = self.deadline.is_some_and(|deadline| now >= deadline);
        cancelled.then_some(StopReason::Cancelled).or(late.then_some(StopReason::Timeout))
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calls that are running `now`, each with the time when it was first seen.
fn still_running(before: &[(Call, Instant)], running: Vec<Call>, now: Instant) -> Vec<(Call, Instant)> {
    let first_seen = |call: &Call| before.iter().find(|(known, _)| known == call).map_or(now, |(_, since)| *since);
    running.into_iter().map(|call| (call.clone(), first_seen(&call))).collect()
}

impl Observer for Watchdog<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        {
            let mut seen = self.lock();
            (seen.progress, seen.sign) = (*progress, Instant::now());
        }
        self.inner.tick(progress)
    }

    fn explored(&self) {
        self.lock().exploring = false;
        self.inner.explored();
    }

    fn first_bug(&self, schedule: u64) {
        self.inner.first_bug(schedule);
    }

    fn judging(&self, begins: bool) {
        self.inner.judging(begins);
    }
}

impl Stuck {
    /// What does not return, in a sentence; `kind` is that of the model.
    pub fn message(&self, kind: &str) -> String {
        let when = match self.reason {
            StopReason::Cancelled => "the run was cancelled",
            _ => "the time was up",
        };
        let calls: Vec<&str> = self.calls.iter().map(|call| call.what.as_str()).collect();
        let what = match (calls.is_empty(), kind) {
            (false, _) => calls.join("; "),
            (true, "specification") => "`initial`, `actions`, `next` or a property of the specification".to_string(),
            (true, "actors") => "a property, or another function of the model that is not a handler".to_string(),
            (true, _) => "a function of the model".to_string(),
        };
        format!("user code did not return after {when}, so the run was ended: {what}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: u64) -> Call {
        Call { number, what: format!("call {number}") }
    }

    #[test]
    fn a_call_is_as_old_as_its_number() {
        let (start, later) = (Instant::now(), Instant::now() + PATIENCE);
        let known = still_running(&[], vec![call(1), call(2)], start);
        assert_eq!(known, [(call(1), start), (call(2), start)]);
        assert_eq!(still_running(&known, vec![call(2), call(3)], later), [(call(2), start), (call(3), later)]);
    }

    #[test]
    fn work_that_ends_in_time_is_left_alone() {
        let bar = manyworlds_core::NoObserver;
        let cancel = Arc::new(AtomicBool::new(true));
        let options = Options { cancel: Some(cancel), ..Options::default() };
        let watchdog = Watchdog::new(&options, &bar);
        assert_eq!(watchdog.guard(|| 7, |_| panic!("nothing is stuck")), 7);
    }

    #[test]
    fn a_report_that_takes_long_is_left_alone() {
        let bar = manyworlds_core::NoObserver;
        let options = Options { timeout: Some(Duration::from_millis(1)), ..Options::default() };
        let watchdog = Watchdog::new(&options, &bar);
        let report = || {
            watchdog.explored();
            std::thread::sleep(SILENCE + 4 * POLL);
            7
        };
        assert_eq!(watchdog.guard(report, |_| panic!("nothing is stuck")), 7);
    }
}
