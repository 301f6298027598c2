//! The input of every engine.

use crate::TransitionSystem;
use crate::config::Config;
use crate::guard;
use manyworlds_core::{Observer, Violation};
use std::sync::Arc;

/// Initial states with their fingerprints; representatives, if states are explored up to symmetry.
pub type Initial<S> = Arc<Vec<(u128, S)>>;

/// A run: the system, and how it is explored.
pub struct Run<'a, M: TransitionSystem> {
    /// The system; every worker clones it.
    pub model: &'a M,
    /// Its initial states, evaluated once.
    pub initial: Initial<M::State>,
    /// How it is explored.
    pub config: &'a Config,
    /// Watches the run.
    pub observer: &'a dyn Observer,
}

impl<'a, M: TransitionSystem> Run<'a, M> {
    /// Evaluates the initial states of a system; `Err` if that panics.
    pub fn new(model: &'a M, config: &'a Config, observer: &'a dyn Observer) -> Result<Run<'a, M>, Violation> {
        let initial = guard::call::<M, _>(|| {
            let representative = |state: M::State| if config.symmetry { model.canonical(state) } else { state };
            let states = model.initial().into_iter().map(representative);
            states.map(|state| (model.fingerprint(&state), state)).collect()
        })?;
        Ok(Run { model, initial: Arc::new(initial), config, observer })
    }

    /// The same run with another configuration.
    pub fn configured(&self, config: &'a Config) -> Run<'a, M> {
        Run { model: self.model, initial: self.initial.clone(), config, observer: self.observer }
    }
}
