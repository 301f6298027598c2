//! Why a history is not linearizable: its longest linearizable prefix, the operation that ends it, and a small set of operations that contradict each other.

use crate::check::{Found, Known, Options, Subject, check_part};
use crate::minimize::minimize;
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a history is not linearizable, or not sequentially consistent. Operations are given by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// An order of the longest prefix that can be explained, of the part (the key) that cannot. Empty also where it takes too long to see one.
    pub prefix: Vec<usize>,
    /// The operations that cannot be placed: the one whose response ends that prefix; without real time, all that should come next.
    pub stuck: Vec<usize>,
    /// Operations that are not linearizable by themselves. `None` if [`Options::explain`] is off.
    pub minimal: Option<Vec<usize>>,
    /// Whether it is known that without any one of the `minimal` operations the others are linearizable. If not, it would have taken too long.
    pub is_minimal: bool,
    /// Operations whose times and responses contradict each other even if every other operation is pending: it took effect
    /// whenever that helps, or never. A smaller set has no such contradiction (unless it takes too long to see). This says more than
    /// `minimal`, which is often just a read of a value whose write was left out. `None` if no contradiction was found near what is stuck.
    pub core: Option<Vec<usize>>,
}

/// Explains why a part of a history has no order.
pub(crate) fn explain(subject: &dyn Subject, part: &[usize], found: Found, options: &Options) -> Explanation {
    let (prefix, stuck, cause) = match found {
        Found::Stuck(number) => longest(subject, part, number, options),
        Found::Never => {
            let stuck = first_stuck(subject, part, options);
            longest(subject, part, stuck, &Options { observer: &Patience::new(options, FOR_PREFIX), ..*options })
        }
        Found::Dead { order, stuck } => (order, stuck, part.to_vec()),
        Found::Order(_) | Found::Stopped => unreachable!("there is nothing to explain"),
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

/// How many operations the checks of one search for a part may look at, all together: enough for any history of some hundred operations.
const EFFORT: usize = 2_000_000;
/// A larger core is not reported: it does not help a reader.
const LARGEST_CORE: usize = 512;

/// Why a search for a smaller part ended early.
enum Tired {
    /// It took too long.
    Effort,
    /// The observer stopped it.
    Stopped,
}

/// What is left of the effort.
struct Effort(usize);

impl Effort {
    fn spend(&mut self, operations: usize) -> Result<(), Tired> {
        self.0 = self.0.checked_sub(operations).ok_or(Tired::Effort)?;
        Ok(())
    }
}

/// The operations that are stuck, then the others, those that were invoked nearest to them first.
fn by_distance(subject: &dyn Subject, cause: &[usize], stuck: &[usize]) -> Vec<usize> {
    let spans = subject.spans();
    let centre = stuck.first().map_or(0, |&number| spans[number].invoked);
    let mut near = cause.to_vec();
    near.sort_by_key(|&number| (!stuck.contains(&number), spans[number].invoked.abs_diff(centre)));
    near
}

/// Neighbourhoods of what is stuck, ever larger, until one is bad; then what of it is needed. All of `near` is known to be bad. What is
/// left is bad, whether it is minimal or not; `None` if nothing smaller than `most` is.
fn minimal_near(
    near: &[usize],
    most: usize,
    bad: &mut dyn FnMut(&[usize]) -> Result<bool, Tired>,
) -> (Option<Vec<usize>>, Result<(), Tired>) {
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

/// The first operation at whose return there is no order any more, by halves: there is none at the last return. Where that takes too long to see, a later
/// one at whose return it is easy.
fn first_stuck(subject: &dyn Subject, part: &[usize], options: &Options) -> usize {
    let spans = subject.spans();
    let mut returns: Vec<(usize, usize)> =
        part.iter().filter_map(|&number| Some((spans[number].returned?, number))).collect();
    returns.sort_unstable();
    let is_bad_at = |&(returned, number): &(usize, usize)| {
        let options = Options { observer: &Patience::new(options, FOR_PREFIX), ..*options };
        is_bad(check_before(subject, part, (returned, number + 1), &options).1).unwrap_or(false)
    };
    let mut first = returns.len() - 1;
    // What is hard to see may hide between what is easy.
    while first > 0 && is_bad_at(&returns[first - 1]) {
        first = returns[..first - 1].partition_point(|returned| !is_bad_at(returned));
    }
    returns[first].1
}

/// An order of everything up to the return of an operation, the operation, and what was invoked before its return.
fn longest(
    subject: &dyn Subject,
    part: &[usize],
    stuck: usize,
    options: &Options,
) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let end = subject.spans()[stuck].returned.expect("only operations that return get stuck");
    let (cause, found) = check_before(subject, part, (end, stuck), options);
    let prefix = match found {
        Found::Order(order) => order,
        // It was stopped here.
        _ => Vec::new(),
    };
    (prefix, vec![stuck], cause)
}

/// Checks a history that ends before a return: at this position, of the operation with this number. Also gives the operations that were invoked by then.
/// What is still open there may or may not have taken effect; if it did, it was with the response that came later.
fn check_before(subject: &dyn Subject, part: &[usize], end: (usize, usize), options: &Options) -> (Vec<usize>, Found) {
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

/// Removing an operation means that it never was.
fn smallest(subject: &dyn Subject, near: &[usize], options: &Options) -> (Vec<usize>, Result<(), Tired>) {
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

/// Removing an operation means that nothing but its invocation is known.
fn core(subject: &dyn Subject, part: &[usize], near: &[usize], options: &Options) -> Option<Vec<usize>> {
    let place_of: FxHashMap<usize, usize> = part.iter().enumerate().map(|(at, &number)| (number, at)).collect();
    let free: Vec<Known> = part.iter().map(|&number| Known { number, returned: None, response: false }).collect();
    let mut effort = Effort(EFFORT);
    let (found, _) = minimal_near(near, LARGEST_CORE, &mut |kept| {
        let mut looser = free.clone();
        kept.iter().for_each(|&number| looser[place_of[&number]] = subject.known(number));
        let patience = Patience::new(options, PATIENCE);
        let found = check_part(subject, &looser, options.consistency, &patience).0;
        effort.spend(part.len() + patience.spent() * WORK)?;
        match found {
            // Not decided within the limit: keep the operations that were to be left out.
            Found::Stopped if patience.is_over() => Ok(false),
            found => is_bad(found),
        }
    });
    found
}

fn is_bad(found: Found) -> Result<bool, Tired> {
    match found {
        Found::Stopped => Err(Tired::Stopped),
        Found::Order(_) => Ok(false),
        Found::Stuck(_) | Found::Never | Found::Dead { .. } => Ok(true),
    }
}

/// How many ticks a search for a core may take.
const PATIENCE: u32 = 4;
/// The same of a search for a prefix that has an order; there are few of them.
const FOR_PREFIX: u32 = 128;
/// What a search does in between is worth looking at so many operations.
const WORK: usize = 4_096;

/// An observer that stops a search after some ticks: a count and not a time, so that the answer is always the same.
struct Patience<'o> {
    inner: &'o dyn Observer,
    ticks: AtomicU32,
}

impl<'o> Patience<'o> {
    fn new(options: &Options<'o>, ticks: u32) -> Patience<'o> {
        Patience { inner: options.observer, ticks: AtomicU32::new(ticks) }
    }

    fn spent(&self) -> usize {
        (PATIENCE - self.ticks.load(Ordering::Relaxed)) as usize
    }

    fn is_over(&self) -> bool {
        self.ticks.load(Ordering::Relaxed) == 0
    }
}

impl Observer for Patience<'_> {
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
    fn neighbourhoods_grow_until_one_is_bad() {
        let near: Vec<usize> = (0..100).rev().collect();
        let bad = |kept: &[usize]| kept.contains(&90) && kept.contains(&99);
        let mut farthest = 99;
        let (found, done) = minimal_near(&near, 100, &mut |kept| {
            farthest = farthest.min(kept[0]);
            Ok(bad(kept))
        });
        assert!(done.is_ok());
        assert_eq!(found, Some(vec![90, 99]));
        assert_eq!(farthest, 84, "the others were never looked at");
        // Nothing small enough.
        let (found, done) = minimal_near(&near, 8, &mut |kept| Ok(bad(kept)));
        assert!(found.is_none() && done.is_ok());
        // All of them are known to be bad.
        let (found, _) = minimal_near(&near[..3], 3, &mut |kept| Ok(kept.len() == 3));
        assert_eq!(found, Some(vec![97, 98, 99]));
    }

    #[test]
    fn what_is_found_when_the_effort_ends_is_bad() {
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
