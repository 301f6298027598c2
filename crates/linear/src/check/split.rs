//! P-compositionality: a history is linearizable if and only if its operations on each key are.

use super::search::Found;
use super::{Options, check_part};
use crate::history::History;
use crate::spec::Spec;
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

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

/// The first look at a part ends after so many ticks.
const GLANCE: u64 = 16;

/// One look at many parts.
struct Look<'o> {
    observer: &'o dyn Observer,
    /// Each part is given up after so many ticks.
    most: u64,
    /// The first part that is known to have no order.
    first_bad: AtomicUsize,
    /// The observer's reason to stop.
    stopped: OnceLock<StopReason>,
}

/// Watches one part: stops what need not be finished, because an earlier one is bad, or what takes too long for this look.
struct Watched<'o> {
    look: &'o Look<'o>,
    part: usize,
    ticks: AtomicU64,
}

impl Observer for Watched<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let late = self.ticks.fetch_add(1, Ordering::Relaxed) >= self.look.most;
        if late || self.look.first_bad.load(Ordering::Relaxed) < self.part {
            return Some(StopReason::Cancelled);
        }
        let reason = self.look.observer.tick(progress)?;
        Some(*self.look.stopped.get_or_init(|| reason))
    }
}

/// Checks every part, up to the first that has no order. A hard part must not hide a bad one behind it, so all parts are given a short look before any is
/// given a long one. How long a look is does not depend on the clock, so neither does the answer, nor on the number of workers, unless the observer
/// stops it: then whatever is known to be bad is told.
pub fn check_all<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    parts: &[Vec<usize>],
    options: &Options,
) -> (FoundInAll, u64) {
    let mut results: Vec<Option<Found>> = parts.iter().map(|_| None).collect();
    let user_steps = AtomicU64::new(0);
    let looks = if parts.len() > 1 { [GLANCE, u64::MAX].as_slice() } else { &[u64::MAX] };
    for &most in looks {
        let open = |found: &Option<Found>| !matches!(found, Some(Found::Order(_)));
        let hard: Vec<usize> = (0..parts.len()).filter(|&part| open(&results[part])).collect();
        let look = Look {
            observer: options.observer,
            most,
            first_bad: AtomicUsize::new(usize::MAX),
            stopped: OnceLock::new(),
        };
        let check = |part: usize| {
            let observer = Watched { look: &look, part, ticks: AtomicU64::new(0) };
            let (found, steps) = check_part(spec, history, &parts[part], options.consistency, &observer);
            user_steps.fetch_add(steps, Ordering::Relaxed);
            if matches!(found, Found::Stuck(_) | Found::Never | Found::Dead { .. }) {
                look.first_bad.fetch_min(part, Ordering::Relaxed);
            }
            found
        };
        let threads = if history.len() < WORTH_THREADS { 1 } else { options.threads.clamp(1, hard.len().max(1)) };
        for (part, found) in in_parallel(&hard, threads, &look, check) {
            results[part] = Some(found);
        }
        let bad = look.first_bad.into_inner();
        if let Some(found) = results.get_mut(bad).and_then(Option::take) {
            return (FoundInAll::Stuck { part: bad, found }, user_steps.into_inner());
        }
        if let Some(reason) = look.stopped.into_inner() {
            return (FoundInAll::Stopped(reason), user_steps.into_inner());
        }
    }
    let order = |found: Option<Found>| match found {
        Some(Found::Order(order)) => order,
        _ => unreachable!("a part that has no order, or was stopped, was told above"),
    };
    (FoundInAll::Orders(results.into_iter().map(order).collect()), user_steps.into_inner())
}

/// Checks the parts one after the other, several at a time, until there is no point in going on.
fn in_parallel(
    parts: &[usize],
    threads: usize,
    look: &Look,
    check: impl Fn(usize) -> Found + Sync,
) -> Vec<(usize, Found)> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if look.first_bad.load(Ordering::Relaxed) < part || look.stopped.get().is_some() {
                return;
            }
            let found = check(part);
            results.lock().expect("nobody panics with it").push((part, found));
        }
    };
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(start).collect();
        work();
        // A panic of the specification is the same panic, however many there are.
        workers.into_iter().for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
    });
    results.into_inner().expect("nobody panics with it")
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
