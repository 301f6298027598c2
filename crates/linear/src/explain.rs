//! Why there is no order: how far one goes, what cannot come next, and what is at odds with what.

use crate::check::{Found, Options, check_part};
use crate::history::{History, Operation};
use crate::minimize::minimize;
use crate::spec::Spec;
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a history is not linearizable, or not sequentially consistent. Operations are given by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// An order of the longest prefix that can be explained, of the part (the key) that cannot.
    pub prefix: Vec<usize>,
    /// The operations that cannot be placed: the one whose response ends that prefix; without real time, all that should come next.
    pub stuck: Vec<usize>,
    /// Operations that are not linearizable by themselves; without any one of them, the others are. `None` if the check was stopped before
    /// they were found, or not asked for them.
    pub minimal: Option<Vec<usize>>,
    /// Operations whose times and responses contradict each other even if every other operation is pending: it took effect
    /// whenever that helps, or never. A smaller set has no such contradiction (unless it takes too long to see). This says more than
    /// `minimal`, which is often just a read of a value whose write was left out.
    pub core: Option<Vec<usize>>,
}

/// Explains why a part of a history has no order.
pub(crate) fn explain<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    part: &[usize],
    found: Found,
    options: &Options,
) -> Explanation {
    let (prefix, stuck, cause) = match found {
        Found::Stuck(number) => longest(spec, history, part, number, options),
        Found::Dead { order, stuck } => (order, stuck, part.to_vec()),
        Found::Order(_) | Found::Stopped(_) => unreachable!("there is nothing to explain"),
    };
    let mut explanation = Explanation { prefix, stuck, minimal: None, core: None };
    if options.explain {
        explanation.minimal = smallest(spec, history, &cause, options).ok();
        explanation.core = core(spec, history, part, &cause, options).ok();
    }
    explanation
}

/// An order of everything up to the return of an operation, the operation, and what was invoked before its return.
fn longest<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    part: &[usize],
    stuck: usize,
    options: &Options,
) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let operations = history.operations();
    let end = operations[stuck].returned.expect("only operations that return get stuck");
    let cause: Vec<usize> = part.iter().copied().filter(|&number| operations[number].invoked <= end).collect();
    let cut = cause.iter().map(|&number| cut(&operations[number], end)).collect();
    let all: Vec<usize> = (0..cause.len()).collect();
    let found = check_part(spec, &History::from_operations(cut), &all, options.consistency, options.observer).0;
    let prefix = match found {
        Found::Order(order) => order.into_iter().map(|at| cause[at]).collect(),
        // It was stopped here.
        _ => Vec::new(),
    };
    (prefix, vec![stuck], cause)
}

/// An operation in a history that ends before `end`. What is still open there may or may not have taken effect; if it did, it was with the
/// response that came later.
fn cut<O: Clone, R: Clone>(operation: &Operation<O, R>, end: usize) -> Operation<O, R> {
    Operation { returned: operation.returned.filter(|&returned| returned < end), ..operation.clone() }
}

/// An operation of which nothing but its invocation is known.
fn freed<O: Clone, R>(operation: &Operation<O, R>) -> Operation<O, R> {
    let Operation { process, operation, invoked, .. } = operation;
    Operation { process: *process, operation: operation.clone(), invoked: *invoked, returned: None, response: None }
}

/// Removing an operation means that it never was.
fn smallest<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    cause: &[usize],
    options: &Options,
) -> Result<Vec<usize>, StopReason> {
    minimize(cause, &mut |kept| is_bad(check_part(spec, history, kept, options.consistency, options.observer).0))
}

/// Removing an operation means that nothing but its invocation is known.
fn core<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    part: &[usize],
    cause: &[usize],
    options: &Options,
) -> Result<Vec<usize>, StopReason> {
    let operations = history.operations();
    let place_of: FxHashMap<usize, usize> = part.iter().enumerate().map(|(at, &number)| (number, at)).collect();
    let free: Vec<_> = part.iter().map(|&number| freed(&operations[number])).collect();
    let all: Vec<usize> = (0..free.len()).collect();
    minimize(cause, &mut |kept| {
        let mut looser = free.clone();
        kept.iter().for_each(|number| looser[place_of[number]] = operations[*number].clone());
        let patience = Patience { inner: options.observer, ticks: AtomicU32::new(PATIENCE) };
        match check_part(spec, &History::from_operations(looser), &all, options.consistency, &patience).0 {
            // Too hard to tell: keep what was to be left out.
            Found::Stopped(_) if patience.is_over() => Ok(false),
            found => is_bad(found),
        }
    })
}

fn is_bad(found: Found) -> Result<bool, StopReason> {
    match found {
        Found::Stopped(reason) => Err(reason),
        Found::Order(_) => Ok(false),
        Found::Stuck(_) | Found::Dead { .. } => Ok(true),
    }
}

/// How often a search for a core may ask its observer.
const PATIENCE: u32 = 4;

/// An observer that gives up after some ticks: a count, not a time, so that the answer is always the same.
struct Patience<'o> {
    inner: &'o dyn Observer,
    ticks: AtomicU32,
}

impl Patience<'_> {
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
