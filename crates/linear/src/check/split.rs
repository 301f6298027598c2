//! Separate checks of each key (P-compositionality): a history is linearizable if and only if its operations on each key are.

use super::search::Found;
use super::subject::{Span, Subject};
use super::{CheckOptions, check_part};
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// Threads are started for histories of at least this many operations: for shorter ones, starting threads takes longer than the check.
const WORTH_THREADS: usize = 4000;

/// The combined result of all parts.
pub enum FoundInAll {
    /// An order for each part.
    Orders(Vec<Vec<usize>>),
    /// The first part that has no order.
    Stuck {
        /// The index of the part.
        part: usize,
        /// The result of its check.
        found: Found,
    },
    /// The observer stopped the check.
    Stopped(StopReason),
}

/// The indices of the operations on each key, keys in the order of their first operation. One part for all operations if some operation has no key.
pub fn by_key(subject: &dyn Subject) -> Vec<Vec<usize>> {
    let mut part_of: FxHashMap<u64, usize> = FxHashMap::default();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let len = subject.spans().len();
    for number in 0..len {
        let Some(key) = subject.key(number) else { return vec![(0..len).collect()] };
        let part = *part_of.entry(key).or_insert(parts.len());
        if part == parts.len() {
            parts.push(Vec::new());
        }
        parts[part].push(number);
    }
    parts
}

/// The limit on the ticks of each part in the first round.
const FIRST_ROUND: u64 = 16;

/// One round of checks of many parts.
struct Round<'o> {
    observer: &'o dyn Observer,
    /// The limit on the ticks of each part.
    most: u64,
    /// The least index of a part that is known to have no order.
    first_bad: AtomicUsize,
    /// The reason why the observer stopped the check, if it did.
    stopped: OnceLock<StopReason>,
}

/// The observer of one part: stops its check if an earlier part has no order, or at the tick limit of the round.
struct Watched<'o> {
    round: &'o Round<'o>,
    part: usize,
    ticks: AtomicU64,
}

impl Observer for Watched<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let late = self.ticks.fetch_add(1, Ordering::Relaxed) >= self.round.most;
        if late || self.round.first_bad.load(Ordering::Relaxed) < self.part {
            return Some(StopReason::Cancelled);
        }
        let reason = self.round.observer.tick(progress)?;
        Some(*self.round.stopped.get_or_init(|| reason))
    }
}

/// Checks every part, up to the first that has no order. An expensive part must not delay the detection of a later inconsistent one, so all parts are
/// checked with a small limit before any is checked without one. The limit is a number of ticks and not a duration, so the result does not depend on the
/// machine or the number of threads, unless the observer stops the check: then a part that is known to have no order is reported.
pub fn check_all(subject: &dyn Subject, parts: &[Vec<usize>], options: &CheckOptions) -> (FoundInAll, u64) {
    let mut results: Vec<Option<Found>> = parts.iter().map(|_| None).collect();
    let user_steps = AtomicU64::new(0);
    let rounds = if parts.len() > 1 { [FIRST_ROUND, u64::MAX].as_slice() } else { &[u64::MAX] };
    for &most in rounds {
        let open = |found: &Option<Found>| !matches!(found, Some(Found::Order(_)));
        let hard: Vec<usize> = (0..parts.len()).filter(|&part| open(&results[part])).collect();
        let round = Round {
            observer: options.observer,
            most,
            first_bad: AtomicUsize::new(usize::MAX),
            stopped: OnceLock::new(),
        };
        let check = |part: usize| {
            let observer = Watched { round: &round, part, ticks: AtomicU64::new(0) };
            let (found, steps) = check_part(subject, &subject.all_known(&parts[part]), options.consistency, &observer);
            user_steps.fetch_add(steps, Ordering::Relaxed);
            if matches!(found, Found::Stuck(_) | Found::Never | Found::Dead { .. }) {
                round.first_bad.fetch_min(part, Ordering::Relaxed);
            }
            found
        };
        let threads =
            if subject.spans().len() < WORTH_THREADS { 1 } else { options.threads.clamp(1, hard.len().max(1)) };
        for (part, found) in in_parallel(&hard, threads, &round, check) {
            results[part] = Some(found);
        }
        let bad = round.first_bad.into_inner();
        if let Some(found) = results.get_mut(bad).and_then(Option::take) {
            return (FoundInAll::Stuck { part: bad, found }, user_steps.into_inner());
        }
        if let Some(reason) = round.stopped.into_inner() {
            return (FoundInAll::Stopped(reason), user_steps.into_inner());
        }
    }
    let order = |found: Option<Found>| match found {
        Some(Found::Order(order)) => order,
        _ => unreachable!("a part that has no order, or was stopped, was returned above"),
    };
    (FoundInAll::Orders(results.into_iter().map(order).collect()), user_steps.into_inner())
}

/// Checks the parts in order, with several threads, until an earlier part has no order or the observer stops the check.
fn in_parallel(
    parts: &[usize],
    threads: usize,
    round: &Round,
    check: impl Fn(usize) -> Found + Sync,
) -> Vec<(usize, Found)> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            if round.first_bad.load(Ordering::Relaxed) < part || round.stopped.get().is_some() {
                return;
            }
            let found = check(part);
            results.lock().expect("no thread panics while it holds the lock").push((part, found));
        }
    };
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(start).collect();
        work();
        // A panic of the specification is propagated unchanged.
        workers.into_iter().for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
    });
    results.into_inner().expect("no thread panics while it holds the lock")
}

/// Merges the orders of the parts: each operation takes effect as early as the order of its part allows, at its invocation or immediately after
/// its predecessor. That is before its own return, so real-time order is respected between parts too.
pub fn merge(spans: &[Span], mut orders: Vec<Vec<usize>>) -> Vec<usize> {
    if orders.len() == 1 {
        return orders.remove(0);
    }
    let mut points: Vec<(usize, usize, usize, usize)> = Vec::with_capacity(spans.len());
    for (part, order) in orders.iter().enumerate() {
        let mut now = 0;
        for (place, &number) in order.iter().enumerate() {
            now = now.max(spans[number].invoked);
            points.push((now, part, place, number));
        }
    }
    points.sort_unstable();
    points.into_iter().map(|(.., number)| number).collect()
}
