//! Is a history linearizable, or sequentially consistent?
//!
//! | file | what |
//! |---|---|
//! | `relation` | the specification as a table over small numbers |
//! | `problem` | a history as events over small numbers |
//! | `search` | the search for a linearization; with `board`, `bits`, `pending` and `visited` |
//! | `sequential` | the same without real time: program order only |
//! | `split` | each key on its own, several at a time |

mod bits;
mod board;
mod pending;
mod problem;
mod relation;
mod search;
mod sequential;
mod split;
mod visited;

use crate::explain::{Explanation, explain};
use crate::history::{History, Operation};
use crate::spec::{Seen, Spec};
use manyworlds_core::{NoObserver, Observer, Progress, StopReason};
use problem::Problem;
pub(crate) use relation::Interner;
use relation::Relation;
pub(crate) use search::Found;
use search::Search;
use sequential::Sequentially;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked of a history.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Consistency {
    /// Operations take effect one at a time, each between its invocation and its response.
    #[default]
    Linearizable,
    /// Operations take effect one at a time, those of a process in its own order. A pending operation takes effect after those before it, if at
    /// all, and holds up nobody. Keys cannot be checked on their own.
    Sequential,
}

/// How to check.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// What to check.
    pub consistency: Consistency,
    /// Workers, for several keys; 0 counts as 1.
    pub threads: usize,
    /// Whether keys are checked on their own where the specification allows it. Only measurements want it otherwise.
    pub split: bool,
    /// Whether a negative answer is explained, which takes many more, smaller checks.
    pub explain: bool,
    /// May stop the check.
    pub observer: &'o dyn Observer,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { consistency: Consistency::default(), threads: 1, split: true, explain: true, observer: &NoObserver }
    }
}

/// What a check says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Yes: the operations (by number) in an order that explains every response. Pending ones that did not take effect are not in it.
    Consistent(Vec<usize>),
    /// No, and why.
    Violated(Explanation),
    /// It was stopped.
    Incomplete(StopReason),
}

/// What a check says, and some figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Yes, no, or stopped.
    pub verdict: Verdict,
    /// How many parts of the history were checked on their own.
    pub partitions: usize,
    /// How often user code ran.
    pub user_steps: u64,
}

impl Answer {
    /// Whether the answer is yes.
    pub fn is_linearizable(&self) -> bool {
        matches!(self.verdict, Verdict::Consistent(_))
    }

    /// Why the answer is no, if it is.
    pub fn explanation(&self) -> Option<&Explanation> {
        match &self.verdict {
            Verdict::Violated(explanation) => Some(explanation),
            _ => None,
        }
    }
}

/// Whether a history is linearizable.
///
/// # Panics
/// If the specification does.
pub fn check<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>) -> Answer {
    check_with(spec, history, &Options::default())
}

/// Whether a history is consistent.
///
/// # Panics
/// If the specification does, and with the same words.
pub fn check_with<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>, options: &Options) -> Answer {
    if options.consistency == Consistency::Sequential
        && let Some(answer) = linearizable_first(spec, history, options)
    {
        return answer;
    }
    let parts = match options.consistency {
        Consistency::Linearizable if options.split => split::by_key(spec, history),
        _ => vec![(0..history.len()).collect()],
    };
    let (found, user_steps) = split::check_all(spec, history, &parts, options);
    let verdict = match found {
        split::FoundInAll::Orders(orders) => Verdict::Consistent(split::merge(history, orders)),
        split::FoundInAll::Stuck { part, found } => {
            let part = &parts[part];
            Verdict::Violated(explain(spec, history, part, found, options))
        }
        split::FoundInAll::Stopped(reason) => Verdict::Incomplete(reason),
    };
    Answer { verdict, partitions: parts.len(), user_steps }
}

/// Real time contains the order of every process, so a linearizable history is sequentially consistent. Most histories of systems that work are, and it
/// is much easier to see: key by key, return by return. The answer, if a bounded effort shows it.
fn linearizable_first<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    options: &Options,
) -> Option<Answer> {
    let parts = split::by_key(spec, history);
    let effort = Effort { inner: options.observer, left: AtomicU64::new(EFFORT + history.len() as u64 / 64) };
    let options = Options { consistency: Consistency::Linearizable, threads: 1, observer: &effort, ..*options };
    match split::check_all(spec, history, &parts, &options) {
        (split::FoundInAll::Orders(orders), user_steps) => {
            let verdict = Verdict::Consistent(split::merge(history, orders));
            Some(Answer { verdict, partitions: 1, user_steps })
        }
        _ => None,
    }
}

/// Ticks of a search that is only a try.
const EFFORT: u64 = 64;

/// Ends a search after so many ticks.
struct Effort<'o> {
    inner: &'o dyn Observer,
    left: AtomicU64,
}

impl Observer for Effort<'_> {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        let spent = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        if spent { Some(StopReason::Cancelled) } else { self.inner.tick(progress) }
    }
}

/// Checks some operations of a history, given by their numbers; also says how often user code ran.
pub(crate) fn check_part<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    numbers: &[usize],
    consistency: Consistency,
    observer: &dyn Observer,
) -> (Found, u64) {
    let mut relation = Relation::new(spec);
    let found = match consistency {
        Consistency::Sequential => Sequentially::new(history.operations(), numbers, &mut relation, observer).run(),
        Consistency::Linearizable => {
            let pairs = precedence(spec, history, numbers);
            let problem = Problem::new(history.operations(), numbers, &pairs, &mut relation);
            match problem.slots {
                0..=64 => Search::<S, [u64; 1]>::new(&problem, &mut relation, observer).run(),
                65..=256 => Search::<S, [u64; 4]>::new(&problem, &mut relation, observer).run(),
                _ => Search::<S, Box<[u64]>>::new(&problem, &mut relation, observer).run(),
            }
        }
    };
    (found, relation.user_steps)
}

/// What the specification knows about the order of some operations, given by their numbers: pairs of places among them.
fn precedence<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    numbers: &[usize],
) -> Vec<(usize, usize)> {
    let seen = |&number: &usize| {
        let Operation { operation, response, invoked, returned, .. } = &history.operations()[number];
        Seen { operation, response: response.as_ref(), invoked: *invoked, returned: *returned }
    };
    spec.precedence(&numbers.iter().map(seen).collect::<Vec<_>>())
}
