//! P-compositionality: a history is linearizable if and only if its operations on each key are.

use super::search::Found;
use super::{Options, check_part};
use crate::history::History;
use crate::spec::Spec;
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Threads are started for histories of at least so many operations: for shorter ones it takes longer than to check them.
const WORTH_THREADS: usize = 4000;

/// What was found in all parts together.
pub enum FoundInAll {
    /// An order for each part.
    Orders(Vec<Vec<usize>>),
    /// The first part that has none.
    Stuck {
        /// Which part.
        part: usize,
        /// What was found there.
        found: Found,
    },
    /// The observer stopped it.
    Stopped(StopReason),
}

/// The numbers of the operations on each key, keys in the order in which they are first mentioned. One part, if some operation has no key.
pub fn by_key<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>) -> Vec<Vec<usize>> {
    let mut part_of: FxHashMap<u64, usize> = FxHashMap::default();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (number, operation) in history.operations().iter().enumerate() {
        let Some(key) = spec.key(&operation.operation) else { return vec![(0..history.len()).collect()] };
        let part = *part_of.entry(key).or_insert(parts.len());
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(number);
    }
    parts
}

/// Stops what need not be finished: parts after one that is known to have no order.
struct UpTo<'o> {
    inner: &'o dyn Observer,
    part: usize,
    first_bad: &'o AtomicUsize,
}

impl Observer for UpTo<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        match self.first_bad.load(Ordering::Relaxed) < self.part {
            true => Some(StopReason::Cancelled),
            false => self.inner.tick(progress),
        }
    }
}

/// Checks every part, up to the first that has no order. The answer does not depend on the number of workers.
pub fn check_all<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    parts: &[Vec<usize>],
    options: &Options,
) -> (FoundInAll, u64) {
    let (next, first_bad, user_steps) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX), AtomicU64::new(0));
    let results: Mutex<Vec<Option<Found>>> = Mutex::new(parts.iter().map(|_| None).collect());
    let work = || {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts.len() || first_bad.load(Ordering::Relaxed) < part {
                return;
            }
            let observer = UpTo { inner: options.observer, part, first_bad: &first_bad };
            let (found, steps) = check_part(spec, history, &parts[part], options.consistency, &observer);
            user_steps.fetch_add(steps, Ordering::Relaxed);
            if !matches!(found, Found::Order(_)) {
                first_bad.fetch_min(part, Ordering::Relaxed);
            }
            results.lock().expect("nobody panics with it")[part] = Some(found);
        }
    };
    let threads = options.threads.clamp(1, parts.len().max(1));
    if threads == 1 || history.len() < WORTH_THREADS {
        work();
    } else {
        std::thread::scope(|scope| {
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
            let workers: Vec<_> = (1..threads).map_while(start).collect();
            work();
            // A panic of the specification is the same panic, however many there are.
            workers.into_iter().for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        });
    }
    let results = results.into_inner().expect("nobody panics with it");
    (gather(results), user_steps.into_inner())
}

fn gather(results: Vec<Option<Found>>) -> FoundInAll {
    let mut orders = Vec::with_capacity(results.len());
    for (part, found) in results.into_iter().enumerate() {
        match found.expect("every part up to the first bad one was checked") {
            Found::Order(order) => orders.push(order),
            Found::Stopped(reason) => return FoundInAll::Stopped(reason),
            found => return FoundInAll::Stuck { part, found },
        }
    }
    FoundInAll::Orders(orders)
}

/// One order of all operations from the orders of the parts: each operation takes effect as early as its part allows, at its invocation or
/// right after the one before it. That is before its own response, so real time is respected between parts too.
pub fn merge<O, R>(history: &History<O, R>, mut orders: Vec<Vec<usize>>) -> Vec<usize> {
    if orders.len() == 1 {
        return orders.remove(0);
    }
    let mut points: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(history.len());
    for (part, order) in orders.iter().enumerate() {
        let mut now = 0;
        for (place, &number) in order.iter().enumerate() {
            now = now.max(history.operations()[number].invoked);
            points.push((now, part, place, number));
        }
    }
    points.sort_unstable();
    points.into_iter().map(|(.., number)| number).collect()
}
