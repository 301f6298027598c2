//! Checks by sampling that handlers are isolated. The table runs a handler once for each (actor, local state, input), which is sound only
//! if the effects of the handler depend on nothing else. So walks through the system are taken twice, in parallel: on the table of the run,
//! and on an empty table, so that every handler on the walk runs again. In each state the successors must be the same.
//!
//! The first walk always takes a step of the first enabled actor, the second a step of the last one, the others are pseudo-random: so
//! actors that share memory access it in different orders. In each state the handlers of all enabled steps run; in every second walk the empty
//! table runs those of the last actor first. If the system can be constructed again, each walk uses a new instance; otherwise memory that actors share
//! keeps what the run and earlier walks left in it, and an actor that reads a value which was written once looks the same in every walk.

use crate::state::State;
use crate::step::Step;
use crate::worlds::Worlds;
use manyworlds_core::random::SplitMix64;
use manyworlds_core::{Flaw, InvalidModel};
use manyworlds_explore::TransitionSystem;

/// The maximal number of steps of one walk.
const LENGTH: u64 = 32;
/// The maximal number of successors that are compared on all walks together, independent of the length of the run.
const MOST: u64 = 2_048;

/// A step with its successor.
struct Successor {
    print: u128,
    step: Step,
    state: State,
}

/// Takes walks until about `effort` successors have been compared, and returns the number of walks; `fresh` makes worlds with an empty
/// table.
pub fn check(worlds: &Worlds, mut fresh: impl FnMut() -> Worlds, seed: u64, effort: u64) -> Result<u64, InvalidModel> {
    let mut random = SplitMix64::new(seed);
    let (mut left, mut walks) = (effort.clamp(LENGTH, MOST), 0);
    while left > 0 {
        let mut pick = |successors: &[Successor]| match walks {
            0 => (0..successors.len()).min_by_key(|&i| actor(&successors[i].step)),
            1 => (0..successors.len()).max_by_key(|&i| actor(&successors[i].step)),
            _ => (!successors.is_empty()).then(|| random.below(successors.len())),
        };
        let compared = walk(worlds, &fresh(), walks % 2 == 1, left, &mut pick)?;
        walks += 1;
        // Walks without any successors must use up the effort, too.
        left = left.saturating_sub(compared.max(LENGTH / 4));
    }
    Ok(walks)
}

/// Takes one walk on both tables; returns how many successors were compared. `backwards`: on the empty table the handlers of the last actor run first.
fn walk(
    worlds: &Worlds,
    fresh: &Worlds,
    backwards: bool,
    effort: u64,
    pick: &mut dyn FnMut(&[Successor]) -> Option<usize>,
) -> Result<u64, InvalidModel> {
    if backwards {
        fresh.run_handlers_backwards(&fresh.blank_state());
    }
    let (Some(mut one), Some(mut other)) = (worlds.initial().pop(), fresh.initial().pop()) else { return Ok(0) };
    if worlds.fingerprint(&one) != fresh.fingerprint(&other) {
        let (first, again) = (worlds.in_words(&one), fresh.in_words(&other));
        return if first == again { Ok(0) } else { Err(invalid(None, worlds, None, &[first], &[again])) };
    }
    let mut compared = 0;
    for _ in 0..LENGTH {
        if backwards {
            fresh.run_handlers_backwards(&other);
        }
        let (first, mut again) = (successors(worlds, &one), successors(fresh, &other));
        compared += first.len() as u64;
        if !same_prints(&first, &again) {
            return compare_in_words(worlds, fresh, &one, &first, &again).map(|()| compared);
        }
        let Some(next) = pick(&first).filter(|_| compared < effort) else { return Ok(compared) };
        let Some(place) = again.iter().position(|successor| successor.print == first[next].print) else {
            return Ok(compared);
        };
        other = again.swap_remove(place).state;
        one = first.into_iter().nth(next).expect("it was picked").state;
    }
    Ok(compared)
}

/// Every successor once, in an order that is the same in every run.
fn successors(worlds: &Worlds, state: &State) -> Vec<Successor> {
    let mut steps = Vec::new();
    worlds.actions(state, &mut steps);
    let successor = |step: Step| {
        let state = worlds.next(state, &step)?;
        Some(Successor { print: worlds.fingerprint(&state), step, state })
    };
    let mut successors: Vec<Successor> = steps.into_iter().filter_map(successor).collect();
    successors.sort_by_key(|successor| successor.print);
    successors.dedup_by_key(|successor| successor.print);
    successors
}

fn same_prints(first: &[Successor], again: &[Successor]) -> bool {
    first.iter().map(|successor| successor.print).eq(again.iter().map(|successor| successor.print))
}

/// The fingerprints of different values with equal hashes depend on the order in which the values were interned, so a difference counts
/// only if it also shows in the displayed states.
fn compare_in_words(
    worlds: &Worlds,
    fresh: &Worlds,
    state: &State,
    first: &[Successor],
    again: &[Successor],
) -> Result<(), InvalidModel> {
    let words = |worlds: &Worlds, successors: &[Successor]| {
        let shown = |successor: &Successor| (worlds.in_words(&successor.state), declared(worlds, &successor.step));
        let mut words: Vec<(String, Option<u16>)> = successors.iter().map(shown).collect();
        words.sort();
        words.dedup();
        words
    };
    let (first, again) = (words(worlds, first), words(fresh, again));
    let only = |these: &[(String, Option<u16>)], others: &[(String, Option<u16>)]| {
        these.iter().filter(|one| !others.contains(one)).cloned().collect::<Vec<_>>()
    };
    let (gone, new) = (only(&first, &again), only(&again, &first));
    if gone.is_empty() && new.is_empty() {
        return Ok(());
    }
    let culprit = gone.iter().chain(&new).find_map(|(_, actor)| *actor);
    let of_culprit = |words: Vec<(String, Option<u16>)>| {
        words.into_iter().filter(|(_, actor)| *actor == culprit).map(|(words, _)| words).collect::<Vec<_>>()
    };
    Err(invalid(culprit, worlds, Some(state), &of_culprit(gone), &of_culprit(new)))
}

fn invalid(
    actor: Option<u16>,
    worlds: &Worlds,
    state: Option<&State>,
    first: &[String],
    again: &[String],
) -> InvalidModel {
    let name = actor.map(|actor| match (worlds.blueprint().actors.get(usize::from(actor)), state) {
        (Some(declared), _) => declared.name.clone(),
        (None, Some(state)) => worlds.name(&worlds.prepared(), state, actor),
        (None, None) => format!("{actor}"),
    });
    let who = name.map_or("an actor".to_string(), |name| format!("actor `{name}`"));
    let shown = |states: &[String]| if states.is_empty() { "no such step".to_string() } else { states.join(" | ") };
    let message = format!("{who} is not isolated: a handler gave two results for the same state and input");
    let mut invalid = InvalidModel::new(Flaw::NotIsolated, message);
    if let Some(state) = state {
        invalid = invalid.evidence(format!("in state: {}", worlds.in_words(state)));
    }
    invalid
        .evidence(format!("first run: {}", shown(first)))
        .evidence(format!("run again: {}", shown(again)))
        .advice("a handler may depend only on its actor's `State` and its input: keep what changes in `State`, send messages, and use `choose` for a choice")
}

/// The declared actor that takes a step, or from which that actor descends: the indices of created ones differ between runs.
fn declared(worlds: &Worlds, step: &Step) -> Option<u16> {
    actor(step).map(|actor| worlds.prepared().names.root(actor))
}

/// The actor that takes a step, or that the fault step affects.
fn actor(step: &Step) -> Option<u16> {
    match *step {
        Step::Act { actor, .. }
        | Step::Start { actor, .. }
        | Step::Timer { actor, .. }
        | Step::Crash { actor }
        | Step::Restart { actor, .. } => Some(actor),
        Step::Deliver { to, .. } | Step::Lose { to, .. } => Some(to),
        Step::Split { .. } | Step::Heal => None,
    }
}
