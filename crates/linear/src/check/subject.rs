//! A history and its specification over interned ids. This is the only file of the checker that is compiled for each specification.

use super::relation::{Relation, Source};
use crate::history::{History, Operation};
use crate::interner::Interner;
use crate::spec::{Seen, Spec};

/// The process and the times of an operation; see [`Operation`].
#[derive(Clone, Copy)]
pub struct Span {
    /// The process that invoked the operation.
    pub process: usize,
    /// The time of the invocation.
    pub invoked: usize,
    /// The time of the return, if the operation returned.
    pub returned: Option<usize>,
}

/// The information about an operation that a check uses. An explanation checks the same history many times with less information.
#[derive(Clone, Copy)]
pub struct Known {
    /// The index of the operation in the history.
    pub number: usize,
    /// The time of the return; `None` makes the operation pending.
    pub returned: Option<usize>,
    /// Whether the response, if there is one, is used.
    pub response: bool,
}

/// A history and its specification, with types erased.
pub trait Subject: Sync {
    /// The process and the times of each operation, by index.
    fn spans(&self) -> &[Span];

    /// The key of an operation, see [`Spec::key`].
    fn key(&self, number: usize) -> Option<u64>;

    /// The specification as a table that is filled on demand, and the kind of each of these operations.
    fn interned(&self, known: &[Known]) -> (Relation<'_>, Vec<u32>);

    /// See [`Spec::precedence`]; indices refer to `known`.
    fn precedence(&self, known: &[Known]) -> Vec<(usize, usize)>;

    /// See [`Spec::proposal`]; indices refer to `known`.
    fn proposal(&self, known: &[Known]) -> Option<Vec<usize>>;
}

impl dyn Subject + '_ {
    /// An operation with all information in the history.
    pub fn known(&self, number: usize) -> Known {
        Known { number, returned: self.spans()[number].returned, response: true }
    }

    /// Several operations with all information in the history.
    pub fn all_known(&self, numbers: &[usize]) -> Vec<Known> {
        numbers.iter().map(|&number| self.known(number)).collect()
    }
}

/// The [`Subject`] of a specification and a history.
pub struct Typed<'a, S: Spec> {
    spec: &'a S,
    operations: &'a [Operation<S::Operation, S::Response>],
    spans: Vec<Span>,
}

impl<'a, S: Spec> Typed<'a, S> {
    /// Creates a subject.
    pub fn new(spec: &'a S, history: &'a History<S::Operation, S::Response>) -> Typed<'a, S> {
        let operations = history.operations();
        let span =
            |&Operation { process, invoked, returned, .. }: &Operation<_, _>| Span { process, invoked, returned };
        Typed { spec, operations, spans: operations.iter().map(span).collect() }
    }

    fn seen(&self, known: &Known) -> Seen<'a, S::Operation, S::Response> {
        let Operation { operation, response, invoked, .. } = &self.operations[known.number];
        let response = response.as_ref().filter(|_| known.response);
        Seen { operation, response, invoked: *invoked, returned: known.returned }
    }

    fn all_seen(&self, known: &[Known]) -> Vec<Seen<'a, S::Operation, S::Response>> {
        known.iter().map(|known| self.seen(known)).collect()
    }
}

impl<S: Spec> Subject for Typed<'_, S> {
    fn spans(&self) -> &[Span] {
        &self.spans
    }

    fn key(&self, number: usize) -> Option<u64> {
        self.spec.key(&self.operations[number].operation)
    }

    fn interned(&self, known: &[Known]) -> (Relation<'_>, Vec<u32>) {
        let mut numbers = Interner::new();
        let (mut kinds, mut reads) = (Vec::new(), Vec::new());
        let mut kind_of = |known: &Known| {
            let Seen { operation, response, .. } = self.seen(known);
            let kind = numbers.intern((operation, response));
            if kind as usize == kinds.len() {
                let reads_only = self.spec.reads(operation, response);
                reads.push(reads_only);
                kinds.push(Kind { operation, response, reads: reads_only });
            }
            kind
        };
        let kind_of_each = known.iter().map(&mut kind_of).collect();
        let mut states = Interner::new();
        states.intern(self.spec.initial());
        let source = Evaluated { spec: self.spec, states, kinds, outcomes: Vec::new() };
        (Relation::new(Box::new(source), reads), kind_of_each)
    }

    fn precedence(&self, known: &[Known]) -> Vec<(usize, usize)> {
        self.spec.precedence(&self.all_seen(known))
    }

    fn proposal(&self, known: &[Known]) -> Option<Vec<usize>> {
        self.spec.proposal(&self.all_seen(known))
    }
}

/// An operation with its response.
struct Kind<'a, S: Spec> {
    operation: &'a S::Operation,
    response: Option<&'a S::Response>,
    reads: bool,
}

/// Evaluates the specification, and interns its states.
struct Evaluated<'a, S: Spec> {
    spec: &'a S,
    states: Interner<S::State>,
    kinds: Vec<Kind<'a, S>>,
    /// Empty between calls.
    outcomes: Vec<(S::State, S::Response)>,
}

impl<S: Spec> Source for Evaluated<'_, S> {
    fn successors(&mut self, state: u32, kind: u32, next: &mut Vec<u32>) {
        let &Kind { operation, response, reads } = &self.kinds[kind as usize];
        let before = self.states.value(state);
        if let Some(response) = response.filter(|_| reads) {
            next.extend(self.spec.reads_as(before, operation, response).then_some(state));
            return;
        }
        self.spec.outcomes(before, operation, &mut self.outcomes);
        for (after, given) in self.outcomes.drain(..) {
            if response.is_none_or(|wanted| *wanted == given) {
                let after = self.states.intern(after);
                if !next.contains(&after) {
                    next.push(after);
                }
            }
        }
    }
}
