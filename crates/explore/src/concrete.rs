//! A path between representatives (see [`Model::canonical`]) as a path that the model can really take: each step leads to *some* state of the
//! class that the representative stands for, so a path through those exists; it is found step by step.

use crate::{Model, Path};

/// The real path. A loop of representatives comes back to a renamed state; it is followed until it comes back to a state it has seen.
pub fn concrete<M: Model>(model: &M, path: &Path<M>) -> Path<M> {
    let start = model.initial().into_iter().find(|state| model.canonical(state.clone()) == path.start);
    let mut real: Path<M> = Path::new(start.expect("a path starts in an initial state"));
    follow(model, &mut real, path.steps.iter().map(|(_, state)| state));
    let Some(from) = path.loop_from else { return real };
    let round: Vec<&M::State> = path.steps[from..].iter().map(|(_, state)| state).collect();
    let mut rounds = vec![from];
    loop {
        let state_at = |at: usize| if at == 0 { &real.start } else { &real.steps[at - 1].1 };
        if let Some(&at) = rounds.iter().find(|&&at| state_at(at) == real.last()) {
            real.loop_from = Some(at);
            return real;
        }
        rounds.push(real.steps.len());
        follow(model, &mut real, round.iter().copied());
    }
}

fn follow<'a, M: Model>(model: &M, real: &mut Path<M>, representatives: impl Iterator<Item = &'a M::State>)
where
    M::State: 'a,
{
    for representative in representatives {
        let mut actions = Vec::new();
        model.actions(real.last(), &mut actions);
        let step = actions.into_iter().find_map(|action| {
            let next = model.next(real.last(), &action)?;
            (model.canonical(next.clone()) == *representative).then_some((action, next))
        });
        real.steps.push(step.expect("what a renamed state can do, the state can do"));
    }
}
