//! Turns a path between representatives (see [`TransitionSystem::canonical`]) into a path of the system: each step leads to *some* state of the class
//! that the representative stands for, so a path through those exists; it is found step by step. If there is none, the declared symmetry is wrong.

use crate::{Path, TransitionSystem, guard};
use manyworlds_core::{Flaw, InvalidModel};

/// A cycle of representatives is followed at most so often: a renaming that is repeated comes back to the start much sooner.
const ROUNDS: usize = 10_000;

/// The real path from one of the initial states. A loop of representatives comes back to a renamed state; it is followed until it comes back to a state
/// it has seen.
pub fn concrete<M: TransitionSystem>(
    model: &M,
    initial: Vec<M::State>,
    path: &Path<M>,
) -> Result<Path<M>, InvalidModel> {
    let start = initial.into_iter().find(|state| model.canonical(state.clone()) == path.start);
    let start = start.ok_or_else(|| {
        wrong(format!("no initial state has the representative {:?}, although one had it before", path.start))
    })?;
    let mut real: Path<M> = Path::new(start);
    real.asks = path.asks;
    let endless = path.loop_from.is_some();
    follow(model, &mut real, path.steps.iter().map(|(_, state)| state), endless)?;
    if let Some(action) = &path.attempted {
        real.attempted = Some(attempted(model, real.last(), action));
    }
    let Some(from) = path.loop_from else { return Ok(real) };
    let round: Vec<&M::State> = path.steps[from..].iter().map(|(_, state)| state).collect();
    let mut rounds = vec![from];
    loop {
        let state_at = |at: usize| if at == 0 { &real.start } else { &real.steps[at - 1].1 };
        if let Some(&at) = rounds.iter().find(|&&at| state_at(at) == real.last()) {
            real.loop_from = Some(at);
            return Ok(real);
        }
        if rounds.len() > ROUNDS {
            return Err(wrong(format!(
                "a cycle of representatives does not come back to the state it started in after {ROUNDS} rounds, which no renaming explains"
            )));
        }
        rounds.push(real.steps.len());
        follow(model, &mut real, round.iter().copied(), endless)?;
    }
}

/// Goes through states with these representatives; by steps that change the state, if all steps of the path do.
fn follow<'a, M: TransitionSystem>(
    model: &M,
    real: &mut Path<M>,
    representatives: impl Iterator<Item = &'a M::State>,
    changing: bool,
) -> Result<(), InvalidModel>
where
    M::State: 'a,
{
    for representative in representatives {
        let mut actions = Vec::new();
        model.actions(real.last(), &mut actions);
        let step = actions.into_iter().find_map(|action| {
            let next = guard::call::<M, _>(|| model.next(real.last(), &action)).ok()??;
            let follows = !changing || next != *real.last();
            (follows && model.canonical(next.clone()) == *representative).then_some((action, next))
        });
        let step = step.ok_or_else(|| {
            let state = real.last();
            wrong(format!("the states {state:?} and {:?} are declared the same up to renaming, but only one of them has a successor \
                           that is the same as {representative:?} up to renaming", model.canonical(state.clone())))
        })?;
        real.steps.push(step);
    }
    Ok(())
}

/// The action of a state whose evaluation panics, as that of its representative does; if none does, the representative's own.
fn attempted<M: TransitionSystem>(model: &M, state: &M::State, of_representative: &M::Action) -> M::Action {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let panics = |action: &M::Action| guard::call::<M, _>(|| model.next(state, action)).is_err();
    actions.into_iter().find(panics).unwrap_or_else(|| of_representative.clone())
}

fn wrong(why: String) -> InvalidModel {
    InvalidModel::new(Flaw::WrongSymmetry, format!("what the model says about symmetry is wrong: {why}"))
        .advice("fix the function that renames states, or check without symmetry")
}
