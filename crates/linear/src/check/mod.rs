//! The checker for linearizability and sequential consistency.
//!
//! | file | content |
//! |---|---|
//! | `subject` | a history and its specification over interned ids: all code that is generic over the specification |
//! | `relation` | the specification as a table over interned ids |
//! | `problem` | a history as events over interned ids |
//! | `proposal` | verifies a linearization that the specification proposes |
//! | `search` | the search for a linearization; with `cursor`, `bits`, `pending` and `visited` |
//! | `sequential` | the search for a sequentially consistent order |
//! | `split` | separate, parallel checks of each key |

mod bits;
mod cursor;
mod pending;
mod problem;
mod proposal;
mod relation;
mod search;
mod sequential;
mod split;
mod subject;
mod visited;

use crate::explain::{Explanation, explain};
use crate::history::History;
use crate::spec::Spec;
use manyworlds_core::{NoObserver, Observer, Progress, StopReason};
use problem::Problem;
pub(crate) use search::Found;
use search::Search;
use sequential::Sequentially;
use std::sync::atomic::{AtomicU64, Ordering};
use subject::Typed;
pub(crate) use subject::{Known, Subject};

/// The condition that a history is checked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Consistency {
    /// Operations take effect one at a time, each between its invocation and its response.
    #[default]
    Linearizable,
    /// Operations take effect one at a time, those of each process in program order. A pending operation takes effect, if at all, after the
    /// earlier operations of its process, and not necessarily before the later ones. Keys cannot be checked separately.
    Sequential,
}

/// The options of a check.
#[derive(Clone, Copy)]
pub struct CheckOptions<'o> {
    /// The condition to check.
    pub consistency: Consistency,
    /// Number of threads that check different keys; 0 counts as 1.
    pub threads: usize,
    /// Whether keys are checked separately where the specification allows it. Off only for measurements.
    pub split: bool,
    /// Whether to compute a minimal set and a core for a violation, which takes many additional smaller checks.
    pub explain: bool,
    /// Observes the check, and may stop it.
    pub observer: &'o dyn Observer,
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        CheckOptions {
            consistency: Consistency::default(),
            threads: 1,
            split: true,
            explain: true,
            observer: &NoObserver,
        }
    }
}

/// The verdict of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The history is consistent: the operations, by index, in an order that explains every response. Pending operations that do not take effect are
    /// omitted.
    Consistent(Vec<usize>),
    /// The history is not consistent.
    Violated(Explanation),
    /// Undecided: the observer stopped the check.
    Incomplete(StopReason),
}

/// The result of a check: the verdict and statistics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Judgement,
    /// The number of parts of the history that were checked separately.
    pub partitions: usize,
    /// The number of evaluated steps of the specification.
    pub user_steps: u64,
}

impl Answer {
    /// Whether the history is consistent.
    pub fn is_linearizable(&self) -> bool {
        matches!(self.verdict, Judgement::Consistent(_))
    }

    /// The explanation, if the history is not consistent.
    pub fn explanation(&self) -> Option<&Explanation> {
        match &self.verdict {
            Judgement::Violated(explanation) => Some(explanation),
            _ => None,
        }
    }
}

/// Checks whether a history is linearizable.
///
/// # Panics
/// If the specification does.
pub fn check<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>) -> Answer {
    check_with(spec, history, &CheckOptions::default())
}

/// Checks whether a history satisfies the condition in `options`.
///
/// # Panics
/// If the specification does, and with the same message.
pub fn check_with<S: Spec>(spec: &S, history: &History<S::Operation, S::Response>, options: &CheckOptions) -> Answer {
    check_subject(&Typed::new(spec, history), options)
}

fn check_subject(subject: &dyn Subject, options: &CheckOptions) -> Answer {
    if options.consistency == Consistency::Sequential
        && let Some(answer) = linearizable_first(subject, options)
    {
        return answer;
    }
    let parts = match options.consistency {
        Consistency::Linearizable if options.split => split::by_key(subject),
        _ => vec![(0..subject.spans().len()).collect()],
    };
    let (found, user_steps) = split::check_all(subject, &parts, options);
    let verdict = match found {
        split::FoundInAll::Orders(orders) => Judgement::Consistent(split::merge(subject.spans(), orders)),
        split::FoundInAll::Stuck { part, found } => Judgement::Violated(explain(subject, &parts[part], found, options)),
        split::FoundInAll::Stopped(reason) => Judgement::Incomplete(reason),
    };
    Answer { verdict, partitions: parts.len(), user_steps }
}

/// Tries to show sequential consistency by linearizability, with bounded effort. A linearizable history is sequentially consistent, because real-time
/// order contains the program order of every process. Most histories of correct systems are linearizable, and that is much cheaper to check: key by key,
/// return by return.
fn linearizable_first(subject: &dyn Subject, options: &CheckOptions) -> Option<Answer> {
    let parts = split::by_key(subject);
    let effort = Effort { inner: options.observer, left: AtomicU64::new(EFFORT + subject.spans().len() as u64 / 64) };
    let options = CheckOptions { consistency: Consistency::Linearizable, threads: 1, observer: &effort, ..*options };
    match split::check_all(subject, &parts, &options) {
        (split::FoundInAll::Orders(orders), user_steps) => {
            let verdict = Judgement::Consistent(split::merge(subject.spans(), orders));
            Some(Answer { verdict, partitions: 1, user_steps })
        }
        _ => None,
    }
}

/// The limit, in ticks, of the attempt to show linearizability first.
const EFFORT: u64 = 64;

/// An observer that stops a search after a number of ticks.
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

/// Checks a subset of the operations of a history, using only the information in `known`. Also returns the number of evaluated steps of the
/// specification.
pub(crate) fn check_part(
    subject: &dyn Subject,
    known: &[Known],
    consistency: Consistency,
    observer: &dyn Observer,
) -> (Found, u64) {
    let (mut relation, kinds) = subject.interned(known);
    let spans = subject.spans();
    let found = match consistency {
        Consistency::Sequential => Sequentially::new(spans, known, &kinds, &mut relation, observer).run(),
        Consistency::Linearizable => {
            if let Some(order) = subject.proposal(known)
                && proposal::explains(&order, spans, known, &kinds, &mut relation)
            {
                let order = order.into_iter().map(|place| known[place].number).collect();
                return (Found::Order(order), relation.user_steps);
            }
            let problem = Problem::new(spans, known, &kinds, &subject.precedence(known), &relation);
            match problem.slots {
                0..=64 => Search::<[u64; 1]>::new(&problem, &mut relation, observer).run(),
                65..=256 => Search::<[u64; 4]>::new(&problem, &mut relation, observer).run(),
                _ => Search::<Box<[u64]>>::new(&problem, &mut relation, observer).run(),
            }
        }
    };
    (found, relation.user_steps)
}
