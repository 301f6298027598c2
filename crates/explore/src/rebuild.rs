//! Reconstruction of the path to a violating state.
//!
//! A search stores the number of the action that led to each state. That number is only a hint: a specification may list its actions in another order
//! each time. If the hints do not lead to the state, it is searched for among the visited states, breadth-first. So it is found, unless the
//! specification is not a function; then the state and the action that show this are reported.

use crate::stepper::Stepper;
use crate::{Path, TransitionSystem};
use manyworlds_core::{Flaw, InvalidModel, Violation};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A violating state, with the data needed to report it.
pub struct Wrong<M: TransitionSystem> {
    /// The state.
    pub state: M::State,
    /// The violation.
    pub violation: Violation,
    /// The action whose evaluation panicked, if that is the violation.
    pub attempted: Option<M::Action>,
}

/// The path to a state; `hints` are the number of the initial state, then the number of each action. `is_known` returns whether the search has visited
/// a state.
pub fn path<M: TransitionSystem>(
    stepper: &mut Stepper<M>,
    hints: &[u32],
    target: &M::State,
    is_known: impl Fn(u128, &M::State) -> bool,
) -> Result<Path<M>, Box<InvalidModel>> {
    match stepper.follow(hints).filter(|path| path.last() == target) {
        Some(path) => Ok(path),
        None => search(stepper, target, is_known, hints.len() - 1),
    }
}

/// Searches for a state breadth-first.
fn search<M: TransitionSystem>(
    stepper: &mut Stepper<M>,
    target: &M::State,
    is_known: impl Fn(u128, &M::State) -> bool,
    steps: usize,
) -> Result<Path<M>, Box<InvalidModel>> {
    // Each state with the index of its parent and the action that led to it.
    let mut found: Vec<(M::State, Option<(usize, M::Action)>)> = Vec::new();
    let mut indices: FxHashMap<u128, usize> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for (print, state) in stepper.initial().iter() {
        indices.entry(*print).or_insert_with(|| {
            found.push((state.clone(), None));
            queue.push_back(found.len() - 1);
            found.len() - 1
        });
    }
    let mut at = found.iter().position(|(state, _)| state == target);
    while at.is_none()
        && let Some(index) = queue.pop_front()
    {
        let state = found[index].0.clone();
        for (action, next) in stepper.evaluated_twice(&state)? {
            let print = stepper.model.fingerprint(&next);
            if indices.contains_key(&print) || !is_known(print, &next) {
                continue;
            }
            indices.insert(print, found.len());
            queue.push_back(found.len());
            if next == *target {
                at = Some(found.len());
            }
            found.push((next, Some((index, action))));
        }
    }
    let Some(mut at) = at else { return Err(Box::new(lost(target, steps, found.len()))) };
    let mut steps = Vec::new();
    while let (state, Some((parent, action))) = &found[at] {
        steps.push((action.clone(), state.clone()));
        at = *parent;
    }
    steps.reverse();
    Ok(Path { steps, ..Path::new(found.swap_remove(at).0) })
}

/// A state that was reached cannot be reached again.
fn lost(target: &impl std::fmt::Debug, steps: usize, known: usize) -> InvalidModel {
    InvalidModel::new(
        Flaw::NotAFunction,
        format!("the specification is not a function: a state that was reached cannot be reached again: {target:?}"),
    )
    .evidence(format!("first search: reached after {steps} steps"))
    .evidence(format!("second search: not among the {known} states that can be reached"))
    .advice(ADVICE)
}

/// Advice for a specification that is not a function.
pub const ADVICE: &str = "`initial`, `actions` and `next` must depend on the model, the state and the action alone: keep counters, caches of random \
                          numbers and clocks out of them, or make them part of the state";

/// `next` gave two results.
pub fn differs(
    state: &impl std::fmt::Debug,
    action: &impl std::fmt::Debug,
    first: Option<&impl std::fmt::Debug>,
    second: Option<&impl std::fmt::Debug>,
) -> InvalidModel {
    let shown = |next: Option<&dyn std::fmt::Debug>| match next {
        Some(next) => format!("leads to {next:?}"),
        None => "is disabled".to_string(),
    };
    InvalidModel::new(
        Flaw::NotAFunction,
        format!("the specification is not a function: `next` gives two results for the action {action:?} in the state {state:?}"),
    )
    .evidence(format!("first: the action {}", shown(first.map(|next| next as &dyn std::fmt::Debug))))
    .evidence(format!("again: the action {}", shown(second.map(|next| next as &dyn std::fmt::Debug))))
    .advice(ADVICE)
}
