//! Data shared by the workers of depth-first search: the visited states, in shards behind locks, and states that were handed over to idle workers.

use crate::TransitionSystem;
use crate::config::Config;
use crate::prints::Arrival;
use crate::round::lock;
use crate::visited::Reached;
use manyworlds_core::{Observer, StopReason};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many shards there are: many where workers lock them; a few for one worker, so that their headers stay in the nearest cache, and growing copies
/// only a part of the visited states.
fn shards(threads: usize) -> usize {
    if threads > 1 { 256 } else { 4 }
}

/// A state to be visited.
pub struct Task<S> {
    /// Which action led to it.
    pub nth: u32,
    /// The state.
    pub state: S,
    /// How it was reached.
    pub arrival: Arrival,
}

/// A state to be visited by any worker that is idle.
pub struct Job<S> {
    /// The path to the state before.
    pub trail: Vec<u32>,
    /// The state.
    pub task: Task<S>,
}

/// States that were given away.
pub struct Queue<S> {
    /// The states.
    pub jobs: Vec<Job<S>>,
    /// Workers that have nothing to do.
    pub waiting: usize,
    /// Workers that could not be started.
    absent: usize,
}

/// Everything workers share.
pub struct Shared<'a, M: TransitionSystem> {
    /// Watches the run.
    pub observer: &'a dyn Observer,
    /// The states seen so far.
    pub visited: Vec<Mutex<Reached<M::State>>>,
    /// The number of visited states.
    pub states: AtomicU64,
    queue: Mutex<Queue<M::State>>,
    wake: Condvar,
    /// Waiting workers for whom there is no job.
    pub idle: AtomicUsize,
    /// Whether the run is to end now.
    pub stop: AtomicBool,
    /// The reason, unless it is a violation.
    pub stopped: Mutex<Option<StopReason>>,
}

impl<'a, M: TransitionSystem> Shared<'a, M> {
    /// Nothing seen, nothing to do.
    pub fn new(config: &Config, observer: &'a dyn Observer) -> Shared<'a, M> {
        Shared {
            observer,
            visited: (0..shards(config.threads))
                .map(|_| Mutex::new(Reached::new(config.exact, config.budget.depth.is_some(), config.threads <= 1)))
                .collect(),
            states: AtomicU64::new(0),
            queue: Mutex::new(Queue { jobs: Vec::new(), waiting: 0, absent: 0 }),
            wake: Condvar::new(),
            idle: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            stopped: Mutex::new(None),
        }
    }

    /// The states that were given away.
    pub fn queue(&self) -> MutexGuard<'_, Queue<M::State>> {
        lock(&self.queue)
    }

    /// Ends the run.
    pub fn stop(&self, reason: Option<StopReason>) {
        let mut stopped = lock(&self.stopped);
        *stopped = stopped.or(reason);
        self.stop.store(true, Ordering::Relaxed);
        // With the queue locked no worker is between its check of `stop` and waiting.
        let _queue = self.queue();
        self.wake.notify_all();
    }

    /// So many workers will not start: there is no thread for them.
    pub fn do_without(&self, absent: usize) {
        self.queue().absent = absent;
        self.wake.notify_all();
    }

    /// Lets waiting workers know of new jobs in the queue.
    pub fn announce(&self, queue: &Queue<M::State>) {
        self.idle.store(queue.waiting.saturating_sub(queue.jobs.len()), Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// A job, or `None` when the run is over.
    pub fn take(&self, threads: usize) -> Option<Job<M::State>> {
        let mut queue = self.queue();
        queue.waiting += 1;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(job) = queue.jobs.pop() {
                queue.waiting -= 1;
                self.idle.store(queue.waiting.saturating_sub(queue.jobs.len()), Ordering::Relaxed);
                return Some(job);
            }
            if queue.waiting + queue.absent == threads {
                self.wake.notify_all();
                return None;
            }
            self.idle.store(queue.waiting, Ordering::Relaxed);
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Wakes the others when a worker panics: its panic ends the run.
pub struct Leave<'a, 'b, M: TransitionSystem>(pub &'a Shared<'b, M>);

impl<M: TransitionSystem> Drop for Leave<'_, '_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(None);
        }
    }
}
