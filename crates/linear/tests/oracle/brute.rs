//! The definition of consistency by brute force: tries every order. The only optimization is that the same set of placed operations in the same state is
//! not extended twice.

use manyworlds_linear::{Consistency, History, Operation, Spec};
use std::collections::HashSet;

type Ops<S> = [Operation<<S as Spec>::Operation, <S as Spec>::Response>];

/// Whether `a` must come before `b`.
fn before<O, R>(a: &Operation<O, R>, b: &Operation<O, R>, consistency: Consistency) -> bool {
    match consistency {
        Consistency::Linearizable => a.precedes(b),
        // A pending operation comes after the earlier operations of its process, but not necessarily before the later ones.
        Consistency::Sequential => a.process == b.process && a.invoked < b.invoked && !a.is_pending(),
    }
}

/// Whether some order of all completed and some pending operations explains every response.
pub fn is_consistent<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    consistency: Consistency,
) -> bool {
    let mut dead_ends = HashSet::new();
    place(spec, history.operations(), &mut vec![false; history.len()], &spec.initial(), consistency, &mut dead_ends)
}

fn place<S: Spec>(
    spec: &S,
    operations: &Ops<S>,
    placed: &mut Vec<bool>,
    state: &S::State,
    consistency: Consistency,
    dead_ends: &mut HashSet<(Vec<bool>, S::State)>,
) -> bool {
    if dead_ends.contains(&(placed.clone(), state.clone())) {
        return false;
    }
    if operations.iter().zip(&*placed).all(|(operation, placed)| *placed || operation.is_pending()) {
        return true;
    }
    for at in 0..operations.len() {
        let waits = || {
            let others = (0..operations.len()).filter(|&other| !placed[other] && other != at);
            others.into_iter().any(|other| before(&operations[other], &operations[at], consistency))
        };
        if placed[at] || waits() {
            continue;
        }
        let mut outcomes = Vec::new();
        spec.outcomes(state, &operations[at].operation, &mut outcomes);
        placed[at] = true;
        for (after, response) in outcomes {
            let fits = operations[at].response.as_ref().is_none_or(|seen| *seen == response);
            if fits && place(spec, operations, placed, &after, consistency, dead_ends) {
                return true;
            }
        }
        placed[at] = false;
    }
    dead_ends.insert((placed.clone(), state.clone()));
    false
}

/// Whether this order explains every response, respects the order of operations that `consistency` requires, and contains every operation that returned,
/// and no operation twice.
pub fn explains<S: Spec>(
    spec: &S,
    history: &History<S::Operation, S::Response>,
    order: &[usize],
    consistency: Consistency,
) -> bool {
    let operations = history.operations();
    let place_of = |number: usize| order.iter().position(|&placed| placed == number);
    let complete = operations.iter().enumerate().all(|(at, op)| op.is_pending() || place_of(at).is_some());
    let once = order.iter().enumerate().all(|(at, &number)| place_of(number) == Some(at));
    let timely = order.iter().enumerate().all(|(at, &late)| {
        (0..operations.len()).all(|early| {
            !before(&operations[early], &operations[late], consistency)
                || place_of(early).is_some_and(|place| place < at)
        })
    });
    complete && once && timely && responds(spec, operations, order, &spec.initial())
}

fn responds<S: Spec>(spec: &S, operations: &Ops<S>, order: &[usize], state: &S::State) -> bool {
    let [first, rest @ ..] = order else { return true };
    let mut outcomes = Vec::new();
    spec.outcomes(state, &operations[*first].operation, &mut outcomes);
    outcomes.iter().any(|(after, response)| {
        operations[*first].response.as_ref().is_none_or(|seen| seen == response)
            && responds(spec, operations, rest, after)
    })
}
