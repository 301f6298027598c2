//! Parallel exploration: several workers on one search tree. Each worker has its own locals (user values need not be `Send`). While there
//! are idle workers, busy workers submit an alternative of their oldest choice point, forward or backward, as a [`Portable`] graph.
//! Every alternative is explored by exactly one worker, so the counts are those of a single worker.

use crate::config::{GraphConfig, GraphReport};
use crate::eager::Eager;
use crate::portable::Portable;
use crate::search::Worker;
use manyworlds_core::{LocalStats, LocalsFactory, Observer, Stats, StopReason};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// The state shared by the workers.
pub struct Shared<'a> {
    /// Observes the run, and may stop it.
    pub observer: &'a dyn Observer,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Idle workers in excess of queued tasks.
    starved: AtomicUsize,
    halted: AtomicBool,
    executions: AtomicU64,
    reason: Mutex<Option<StopReason>>,
}

#[derive(Default)]
struct Queue {
    tasks: Vec<Portable>,
    idle: usize,
    /// Workers that could not be started.
    absent: usize,
}

impl<'a> Shared<'a> {
    fn new(observer: &'a dyn Observer) -> Shared<'a> {
        Shared {
            observer,
            queue: Mutex::default(),
            wake: Condvar::new(),
            starved: AtomicUsize::new(0),
            halted: AtomicBool::new(false),
            executions: AtomicU64::new(0),
            reason: Mutex::new(None),
        }
    }

    /// Whether there are more idle workers than queued tasks.
    #[inline]
    pub fn wants_tasks(&self) -> bool {
        self.starved.load(Ordering::Relaxed) > 0
    }

    /// Queues a task and wakes an idle worker.
    pub fn submit(&self, task: Portable) {
        let mut queue = self.queue.lock().expect("no worker panics with the lock");
        queue.tasks.push(task);
        self.starved.store(queue.idle.saturating_sub(queue.tasks.len()), Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Waits for a task; `None` when the whole tree is explored or the run was halted.
    fn take(&self, workers: usize) -> Option<Portable> {
        let mut queue = self.queue.lock().expect("no worker panics with the lock");
        queue.idle += 1;
        loop {
            if self.stopped() {
                return None;
            }
            if let Some(task) = queue.tasks.pop() {
                queue.idle -= 1;
                self.starved.store(queue.idle.saturating_sub(queue.tasks.len()), Ordering::Relaxed);
                return Some(task);
            }
            if queue.idle + queue.absent == workers {
                self.halted.store(true, Ordering::Relaxed);
                self.wake.notify_all();
                return None;
            }
            self.starved.store(queue.idle, Ordering::Relaxed);
            queue = self.wake.wait(queue).expect("no worker panics with the lock");
        }
    }

    /// Records that `absent` workers could not be started.
    fn set_absent(&self, absent: usize) {
        self.queue.lock().expect("no worker panics with the lock").absent = absent;
        self.wake.notify_all();
    }

    /// Whether the run is over.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Ends the run.
    pub fn halt(&self) {
        self.halted.store(true, Ordering::Relaxed);
        // While the lock is held, no worker is between its check of `halted` and its wait.
        let _queue = self.queue.lock();
        self.wake.notify_all();
    }

    /// Ends the run early.
    pub fn stop(&self, reason: StopReason) {
        self.reason.lock().expect("no worker panics with the lock").get_or_insert(reason);
        self.halt();
    }

    /// Adds to the count of explored executions.
    pub fn add_executions(&self, count: u64) {
        self.executions.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts one more execution, unless there are `max` already; returns whether it was counted.
    pub fn claim_execution(&self, max: u64) -> bool {
        let next = |count: u64| (count < max).then_some(count + 1);
        self.executions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// The number of explored executions.
    pub fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }
}

/// Explores every execution of the program that `factory` holds.
pub fn explore<F: LocalsFactory>(factory: &F, config: &GraphConfig, observer: &dyn Observer) -> GraphReport {
    if config.eager {
        explore_with(&EagerFactory(factory), config, observer)
    } else {
        explore_with(factory, config, observer)
    }
}

struct EagerFactory<'f, F>(&'f F);

impl<F: LocalsFactory> LocalsFactory for EagerFactory<'_, F> {
    type Locals = Eager<F::Locals>;

    fn make(&self) -> Self::Locals {
        Eager::new(self.0.make())
    }

    fn shared_stats(&self) -> Option<LocalStats> {
        self.0.shared_stats()
    }
}

fn explore_with<F: LocalsFactory>(factory: &F, config: &GraphConfig, observer: &dyn Observer) -> GraphReport {
    let (shared, before) = (Shared::new(observer), factory.shared_stats());
    let workers = config.threads.max(1);
    let work = |first: bool| {
        let _guard = HaltOnPanic(&shared);
        let mut worker = Worker::new(factory.make(), config, &shared);
        if first {
            worker.explore_all();
        }
        if workers > 1 {
            while let Some(task) = shared.take(workers) {
                worker.explore_portable(&task);
            }
        }
        worker.finish()
    };
    let mut reports = Vec::new();
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, || work(false)).ok();
        let others: Vec<_> = (1..workers).map_while(start).collect();
        shared.set_absent(workers - 1 - others.len());
        reports.push(work(true));
        for other in others {
            match other.join() {
                Ok(report) => reports.push(report),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let mut report = merge(reports, &shared);
    if let (Some(before), Some(now)) = (before, factory.shared_stats()) {
        // The statistics are shared, so every worker reported those of all workers.
        report.stats.user_steps = now.user_steps - before.user_steps;
        report.stats.distinct_steps = now.distinct_steps - before.distinct_steps;
    }
    report
}

/// Halts the run when a worker panics, so that the other workers do not wait forever. Only a bug in the engine makes a worker panic.
struct HaltOnPanic<'s, 'a>(&'s Shared<'a>);

impl Drop for HaltOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt();
        }
    }
}

fn merge(reports: Vec<GraphReport>, shared: &Shared) -> GraphReport {
    let mut all = GraphReport::default();
    for report in reports {
        add(&mut all.stats, &report.stats);
        all.stopped = all.stopped.or(report.stopped);
        all.worlds.extend(report.worlds);
        all.invalid = all.invalid.or(report.invalid);
        all.samples = all.samples.map_or(report.samples, |sum| Some(sum + report.samples.unwrap_or(0)));
        let shorter = match (&all.counterexample, &report.counterexample) {
            (Some(mine), Some(theirs)) => theirs.steps.len() < mine.steps.len(),
            (mine, _) => mine.is_none(),
        };
        if shorter {
            all.counterexample = report.counterexample;
        }
    }
    all.stopped = shared.reason.lock().expect("no worker panics with the lock").or(all.stopped);
    let visited = all.worlds.len();
    all.worlds.sort_unstable();
    all.worlds.dedup();
    all.duplicates = (visited - all.worlds.len()) as u64;
    all
}

fn add(all: &mut Stats, one: &Stats) {
    let sum = |all: &mut Option<u64>, one: Option<u64>| {
        if let Some(one) = one {
            *all.get_or_insert(0) += one;
        }
    };
    sum(&mut all.executions, one.executions);
    sum(&mut all.blocked, one.blocked);
    sum(&mut all.truncated, one.truncated);
    sum(&mut all.events, one.events);
    sum(&mut all.revisits, one.revisits);
    all.depth = all.depth.max(one.depth);
    all.violations += one.violations;
    all.user_steps += one.user_steps;
    all.distinct_steps += one.distinct_steps;
}
