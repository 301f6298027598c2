//! Checks by samples whether a specification is a pure function: the successors of some states are evaluated again at the end of a run, by a clone of
//! the model that was made before the run and took no part in it.
//!
//! So hidden state in the model, in a static or in a thread-local variable is found if it affects a sample. The order in which actions are listed may
//! differ; the set of successors must not.

use crate::rebuild::{ADVICE, differs};
use crate::run::Run;
use crate::{Property, TransitionSystem, guard};
use manyworlds_core::{Flaw, InvalidModel};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// So many of the first states are sampled.
const FIRST: u64 = 32;
/// After those, one in so many.
const ONE_IN: u64 = 64;
/// From this state on samples become rare: about [`RARE`] / [`ONE_IN`] / 2 each time the number of states doubles.
const RARE: u64 = 1 << 15;

/// Actions of two lists are compared one by one if there are at most so many pairs.
const FEW_PAIRS: usize = 1 << 14;

/// A state and its successors, as the search found them.
pub struct Sample<M: TransitionSystem> {
    /// The state.
    pub state: M::State,
    /// Actions, and where they led.
    pub seen: Vec<(M::Action, Option<M::State>)>,
    /// Whether those were all of them.
    pub complete: bool,
}

/// Whether the state with this number is sampled: the same ones in every run with this seed.
pub fn is_sampled(number: u64, seed: u64) -> bool {
    if number < FIRST {
        return true;
    }
    let mixed = (number ^ seed.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
    let one_in =
        if number < RARE { ONE_IN } else { number.checked_next_power_of_two().unwrap_or(1 << 63) / RARE * ONE_IN };
    mixed.is_multiple_of(one_in)
}

/// Evaluates samples again, last ones first: a hidden counter that starts anew would repeat itself in the order of the search. `Err` if something
/// else comes of it.
pub fn verify<M: TransitionSystem>(fresh: &M, samples: &[Sample<M>]) -> Result<(), InvalidModel> {
    samples.iter().rev().try_for_each(|sample| verify_one(fresh, sample))
}

fn verify_one<M: TransitionSystem>(fresh: &M, sample: &Sample<M>) -> Result<(), InvalidModel> {
    let state = &sample.state;
    // Each twice in succession: a hidden counter cannot have the value it had in the search both times.
    for (action, first) in sample.seen.iter().rev().flat_map(|seen| [seen; 2]) {
        let again = guard::call::<M, _>(|| fresh.next(state, action)).map_err(|panic| {
            differs(state, action, first.as_ref(), None::<&M::State>).evidence(format!("it panics: {}", panic.message))
        })?;
        if again != *first {
            return Err(differs(state, action, first.as_ref(), again.as_ref()));
        }
    }
    let listed = guard::call::<M, _>(|| {
        let mut actions = Vec::new();
        fresh.actions(state, &mut actions);
        let successors = successors_again(fresh, sample, &actions);
        (actions, successors)
    });
    let first: BTreeSet<u128> =
        sample.seen.iter().filter_map(|(_, next)| Some(fresh.fingerprint(next.as_ref()?))).collect();
    match listed {
        Ok((_, again)) if first == again || !sample.complete && first.is_subset(&again) => Ok(()),
        Ok((actions, _)) => {
            let seen: Vec<&M::Action> = sample.seen.iter().map(|(action, _)| action).collect();
            Err(unequal("`actions` gives two results", &format!(" for the state {state:?}"), &seen, &actions))
        }
        Err(panic) => Err(InvalidModel::new(
            Flaw::NotAFunction,
            format!("the specification is not a function: `actions` gives two results for the state {state:?}"),
        )
        .evidence("first: it returned")
        .evidence(format!("again: it panicked: {}", panic.message))
        .at(panic.location.clone())
        .advice(ADVICE)),
    }
}

/// The successors by these actions, by fingerprint. The successors by the actions of the sample were compared before, so they are not evaluated once
/// more, unless there are too many actions to match them. If all of them are listed again, and the sample has only a part of all actions, the others
/// are not needed.
fn successors_again<M: TransitionSystem>(fresh: &M, sample: &Sample<M>, actions: &[M::Action]) -> BTreeSet<u128> {
    let seen = &sample.seen;
    let print = |next: Option<&M::State>| Some(fresh.fingerprint(next?));
    if seen.iter().map(|(action, _)| action).eq(actions) {
        return seen.iter().filter_map(|(_, next)| print(next.as_ref())).collect();
    }
    let few = seen.len() * actions.len() <= FEW_PAIRS;
    let all_again = few && seen.iter().all(|(action, _)| actions.contains(action));
    let known = |action: &M::Action| if few { seen.iter().find(|(seen, _)| seen == action) } else { None };
    let next = |action: &M::Action| match known(action) {
        Some((_, next)) => print(next.as_ref()),
        None if all_again && !sample.complete => None,
        None => print(fresh.next(&sample.state, action).as_ref()),
    };
    actions.iter().filter_map(next).collect()
}

/// Compares the transitions of sampled successors with those of their representatives: they must be the same, up to renaming.
pub fn verify_symmetry<M: TransitionSystem>(fresh: &M, samples: &[Sample<M>]) -> Result<(), InvalidModel> {
    let successors = |state: &M::State| {
        guard::call::<M, _>(|| {
            let mut actions = Vec::new();
            fresh.actions(state, &mut actions);
            let next = |action| Some(fresh.canonical(fresh.next(state, action)?));
            let next: Vec<M::State> = actions.iter().filter_map(next).collect();
            let prints: BTreeSet<u128> = next.iter().map(|state| fresh.fingerprint(state)).collect();
            (prints, next)
        })
    };
    // Where a step has failed there are no successors, and a panic is reported as what it is.
    let renamed = |state: &M::State| {
        let representative = guard::call::<M, _>(|| fresh.canonical(state.clone())).ok()?;
        (representative != *state && !fresh.has_failed(state)).then_some(representative)
    };
    for state in samples.iter().flat_map(|sample| &sample.seen).filter_map(|(_, next)| next.as_ref()) {
        let Some(representative) = renamed(state) else { continue };
        let (Ok(own), Ok(other)) = (successors(state), successors(&representative)) else { continue };
        if own.0 != other.0 {
            return Err(InvalidModel::new(
                Flaw::WrongSymmetry,
                format!(
                    "what the model says about symmetry is wrong: the states {state:?} and {representative:?} are declared the same up to \
                     renaming, but their successors are not"
                ),
            )
            .evidence(format!("representatives of the successors of {state:?}: {:?}", own.1))
            .evidence(format!("representatives of the successors of {representative:?}: {:?}", other.1))
            .advice("fix the function that renames states, or check without symmetry"));
        }
    }
    Ok(())
}

/// Evaluates the initial states again.
pub fn verify_initial<M: TransitionSystem>(fresh: &M, run: &Run<'_, M>) -> Result<(), InvalidModel> {
    let prints = |states: &[(u128, M::State)]| states.iter().map(|(print, _)| *print).collect::<BTreeSet<u128>>();
    let shown = |states: &[(u128, M::State)]| states.iter().map(|(_, state)| format!("{state:?}")).collect::<Vec<_>>();
    let two = "`initial` gives two results";
    match Run::new(fresh, run.config, run.observer) {
        Ok(again) if prints(&again.initial) == prints(&run.initial) => Ok(()),
        Ok(again) => Err(unequal(two, "", &shown(&run.initial), &shown(&again.initial))),
        Err(panic) => Err(unequal(two, "", &shown(&run.initial), &[format!("a panic: {}", panic.message)])),
    }
}

/// Lists the properties again.
pub fn verify_properties<M: TransitionSystem>(fresh: &M, first: &[Property<M>]) -> Result<(), InvalidModel> {
    let shown = |properties: &[Property<M>]| properties.iter().map(|p| p.reported().to_string()).collect::<Vec<_>>();
    match guard::call::<M, _>(|| fresh.properties()) {
        Ok(again) if shown(&again) == shown(first) => Ok(()),
        Ok(again) => Err(unequal("`properties` gives two results", "", &shown(first), &shown(&again))),
        Err(panic) => {
            Err(unequal("`properties` gives two results", "", &shown(first), &[format!("a panic: {}", panic.message)]))
        }
    }
}

fn unequal(what: &str, of: &str, first: &[impl Debug], again: &[impl Debug]) -> InvalidModel {
    InvalidModel::new(Flaw::NotAFunction, format!("the specification is not a function: {what}{of}"))
        .evidence(format!("first: {first:?}"))
        .evidence(format!("again: {again:?}"))
        .advice(ADVICE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_states_are_sampled_and_about_two_in_a_hundred_of_the_next() {
        assert!((0..FIRST).all(|number| is_sampled(number, 7)));
        let many = (0..RARE).filter(|&number| is_sampled(number, 7)).count();
        assert!((300..900).contains(&many), "{many}");
        let more = (RARE..1 << 23).filter(|&number| is_sampled(number, 7)).count();
        assert!((500..6_000).contains(&more), "{more}");
    }
}
