//! Explanations of non-linearizable histories: the longest linearizable prefix, the operation whose return ends it, and a small set of
//! operations that contradict each other.

use crate::check::{CheckOptions, Found, Known, Subject, check_part};
use crate::minimize::minimize;
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a history is not linearizable, or not sequentially consistent. Operations are given by their indices in the history.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// An order of the longest consistent prefix, for the key whose operations are inconsistent. Also empty if it takes too long to compute.
    pub prefix: Vec<usize>,
    /// The operations that cannot be placed: for linearizability the operation whose return ends the prefix, for sequential consistency the next
    /// operation of each process.
    pub stuck: Vec<usize>,
    /// A subset of the operations that is inconsistent by itself. `None` if [`CheckOptions::explain`] is off.
    pub minimal: Option<Vec<usize>>,
    /// Whether `minimal` is known to be minimal: removing any one operation makes the others consistent. False if it takes too long to decide.
    pub is_minimal: bool,
    /// Operations whose times and responses contradict each other even if every other operation is pending, so that it may take effect at any
    /// time after its invocation or never. No smaller subset has such a contradiction (unless it takes too long to decide). The core is more informative
    /// than `minimal`, which is often just a read of a value whose write was removed. `None` if no contradiction was found near the stuck operations.
    pub core: Option<Vec<usize>>,
}

/// Explains why a part of a history is inconsistent.
pub(crate) fn explain(subject: &dyn Subject, part: &[usize], found: Found, options: &CheckOptions) -> Explanation {
    let (prefix, stuck, cause) = match found {
        Found::Stuck(number) => longest(subject, part, number, options),
        Found::Never => {
            let stuck = first_stuck(subject, part, options);
            longest(
                subject,
                part,
                stuck,
                &CheckOptions { observer: &TickLimit::new(options, PREFIX_TICKS), ..*options },
            )
        }
        Found::Dead { order, stuck } => (order, stuck, part.to_vec()),
        Found::Order(_) | Found::Stopped => unreachable!("only a violation is explained"),
    };
    let mut explanation = Explanation { prefix, stuck, ..Explanation::default() };
    if options.explain {
        let near = by_distance(subject, &cause, &explanation.stuck);
        let (minimal, done) = smallest(subject, &near, options);
        (explanation.minimal, explanation.is_minimal) = (Some(minimal), done.is_ok());
        explanation.core = core(subject, part, &near, options);
    }
    explanation
}

/// The limit on the total number of operations in all checks of one minimization: enough for any history of some hundred operations.
const EFFORT: usize = 2_000_000;
/// A larger core is not reported: it does not help a reader.
const LARGEST_CORE: usize = 512;

/// Why a minimization ended early.
enum Interrupted {
    /// The effort is used up.
    Effort,
    /// The observer stopped a check.
    Stopped,
}

/// The remaining effort.
struct Effort(usize);

impl Effort {
    fn spend(&mut self, operations: usize) -> Result<(), Interrupted> {
        self.0 = self.0.checked_sub(operations).ok_or(Interrupted::Effort)?;
        Ok(())
    }
}

/// The stuck operations, then the others by distance of their invocations from that of the first stuck operation.
fn by_distance(subject: &dyn Subject, cause: &[usize], stuck: &[usize]) -> Vec<usize> {
    let spans = subject.spans();
    let centre = stuck.first().map_or(0, |&number| spans[number].invoked);
    let mut near = cause.to_vec();
    near.sort_by_key(|&number| (!stuck.contains(&number), spans[number].invoked.abs_diff(centre)));
    near
}

/// Checks prefixes of `near` of doubling length until one is bad (inconsistent), and minimizes that prefix. The whole of `near` is known to be
/// bad. The returned set is bad even if it is not minimal; `None` if no bad prefix of at most `most` operations was found.
fn minimal_near(
    near: &[usize],
    most: usize,
    bad: &mut dyn FnMut(&[usize]) -> Result<bool, Interrupted>,
) -> (Option<Vec<usize>>, Result<(), Interrupted>) {
    let nearest = |size: usize| {
        let mut some = near[..size].to_vec();
        some.sort_unstable();
        some
    };
    let mut size = 1;
    while size < near.len() && size <= most {
        match bad(&nearest(size)) {
            Ok(true) => break,
            Ok(false) => size = (2 * size).min(near.len()),
            Err(why) => return (None, Err(why)),
        }
    }
    if size > most {
        return (None, Ok(()));
    }
    let some = nearest(size);
    let (kept, done) = minimize(&some, bad);
    (Some(kept), done)
}

/// The first operation whose return makes the history inconsistent, by binary search: the history is inconsistent at the last return. If a check is
/// too expensive, a later operation at whose return the inconsistency is easier to decide.
fn first_stuck(subject: &dyn Subject, part: &[usize], options: &CheckOptions) -> usize {
    let spans = subject.spans();
    let mut returns: Vec<(usize, usize)> =
        part.iter().filter_map(|&number| Some((spans[number].returned?, number))).collect();
    returns.sort_unstable();
    let is_bad_at = |&(returned, number): &(usize, usize)| {
        let options = CheckOptions { observer: &TickLimit::new(options, PREFIX_TICKS), ..*options };
        is_bad(check_before(subject, part, (returned, number + 1), &options).1).unwrap_or(false)
    };
    let mut first = returns.len() - 1;
    // A check that was given up counts as consistent, so the predicate need not be monotone: repeat while an earlier return is inconsistent.
    while first > 0 && is_bad_at(&returns[first - 1]) {
        first = returns[..first - 1].partition_point(|returned| !is_bad_at(returned));
    }
    returns[first].1
}

/// A linearization of the history up to the return of an operation, the operation, and the operations invoked before its return.
fn longest(
    subject: &dyn Subject,
    part: &[usize],
    stuck: usize,
    options: &CheckOptions,
) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let end = subject.spans()[stuck].returned.expect("only operations that return get stuck");
    let (cause, found) = check_before(subject, part, (end, stuck), options);
    let prefix = match found {
        Found::Order(order) => order,
        // The check was stopped.
        _ => Vec::new(),
    };
    (prefix, vec![stuck], cause)
}

/// Checks the prefix of a history that ends before the return at position `end.0` of operation `end.1`. Also returns the operations invoked in that
/// prefix. An operation open at its end may or may not have taken effect; if it has, then with its later response.
fn check_before(
    subject: &dyn Subject,
    part: &[usize],
    end: (usize, usize),
    options: &CheckOptions,
) -> (Vec<usize>, Found) {
    let spans = subject.spans();
    let invoked: Vec<usize> = part.iter().copied().filter(|&number| spans[number].invoked <= end.0).collect();
    let cut = |&number: &usize| {
        let returned = spans[number].returned.filter(|&returned| (returned, number) < end);
        Known { number, returned, response: true }
    };
    let known: Vec<Known> = invoked.iter().map(cut).collect();
    let found = check_part(subject, &known, options.consistency, options.observer).0;
    (invoked, found)
}

/// Minimizes an inconsistent set of operations, where the others are removed from the history.
fn smallest(subject: &dyn Subject, near: &[usize], options: &CheckOptions) -> (Vec<usize>, Result<(), Interrupted>) {
    let mut effort = Effort(EFFORT);
    let (found, done) = minimal_near(near, near.len(), &mut |kept| {
        effort.spend(kept.len())?;
        is_bad(check_part(subject, &subject.all_known(kept), options.consistency, options.observer).0)
    });
    let all = || {
        let mut all = near.to_vec();
        all.sort_unstable();
        all
    };
    (found.unwrap_or_else(all), done)
}

/// Minimizes a contradictory set of operations, where of the others nothing but the invocation is known.
fn core(subject: &dyn Subject, part: &[usize], near: &[usize], options: &CheckOptions) -> Option<Vec<usize>> {
    let place_of: FxHashMap<usize, usize> = part.iter().enumerate().map(|(at, &number)| (number, at)).collect();
    let free: Vec<Known> = part.iter().map(|&number| Known { number, returned: None, response: false }).collect();
    let mut effort = Effort(EFFORT);
    let (found, _) = minimal_near(near, LARGEST_CORE, &mut |kept| {
        let mut looser = free.clone();
        kept.iter().for_each(|&number| looser[place_of[&number]] = subject.known(number));
        let limit = TickLimit::new(options, CORE_TICKS);
        let found = check_part(subject, &looser, options.consistency, &limit).0;
        effort.spend(part.len() + limit.spent() * TICK_EFFORT)?;
        match found {
            // Not decided within the limit: keep the operations whose removal was tried.
            Found::Stopped if limit.is_over() => Ok(false),
            found => is_bad(found),
        }
    });
    found
}

fn is_bad(found: Found) -> Result<bool, Interrupted> {
    match found {
        Found::Stopped => Err(Interrupted::Stopped),
        Found::Order(_) => Ok(false),
        Found::Stuck(_) | Found::Never | Found::Dead { .. } => Ok(true),
    }
}

/// The limit on the ticks of one check in the search for a core.
const CORE_TICKS: u32 = 4;
/// The limit on the ticks of one check of a prefix; there are few of these checks.
const PREFIX_TICKS: u32 = 128;
/// The effort that one tick counts as, in operations.
const TICK_EFFORT: usize = 4_096;

/// An observer that stops a check after a number of ticks. A count and not a duration, so that the result is deterministic.
struct TickLimit<'o> {
    inner: &'o dyn Observer,
    ticks: AtomicU32,
}

impl<'o> TickLimit<'o> {
    fn new(options: &CheckOptions<'o>, ticks: u32) -> TickLimit<'o> {
        TickLimit { inner: options.observer, ticks: AtomicU32::new(ticks) }
    }

    fn spent(&self) -> usize {
        (CORE_TICKS - self.ticks.load(Ordering::Relaxed)) as usize
    }

    fn is_over(&self) -> bool {
        self.ticks.load(Ordering::Relaxed) == 0
    }
}

impl Observer for TickLimit<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let left = self.ticks.load(Ordering::Relaxed).saturating_sub(1);
        self.ticks.store(left, Ordering::Relaxed);
        if left == 0 { Some(StopReason::MaxStates) } else { self.inner.tick(progress) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_grow_until_one_is_bad() {
        let near: Vec<usize> = (0..100).rev().collect();
        let bad = |kept: &[usize]| kept.contains(&90) && kept.contains(&99);
        let mut farthest = 99;
        let (found, done) = minimal_near(&near, 100, &mut |kept| {
            farthest = farthest.min(kept[0]);
            Ok(bad(kept))
        });
        assert!(done.is_ok());
        assert_eq!(found, Some(vec![90, 99]));
        assert_eq!(farthest, 84, "the others were never checked");
        // No bad prefix is small enough.
        let (found, done) = minimal_near(&near, 8, &mut |kept| Ok(bad(kept)));
        assert!(found.is_none() && done.is_ok());
        // The whole list is bad.
        let (found, _) = minimal_near(&near[..3], 3, &mut |kept| Ok(kept.len() == 3));
        assert_eq!(found, Some(vec![97, 98, 99]));
    }

    #[test]
    fn a_set_found_when_the_effort_ends_is_bad() {
        let near: Vec<usize> = (0..8).collect();
        let mut effort = Effort(12);
        let (found, done) = minimal_near(&near, 8, &mut |kept| {
            effort.spend(kept.len())?;
            Ok(kept.contains(&6))
        });
        assert!(done.is_err());
        assert!(found.is_some_and(|found| found.contains(&6) && found.len() > 1));
    }
}
