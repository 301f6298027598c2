//! Which properties a state violates.

use crate::property_keys::PropertyKeys;
use crate::rebuild::{ADVICE, Wrong};
use crate::{Kind, Property, TransitionSystem};
use manyworlds_core::{Flaw, InvalidModel, Location, Violation, panics};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The properties of a model, sorted by when they are evaluated.
pub struct Checks<M: TransitionSystem> {
    /// `always` and `never`.
    states: Vec<Property<M>>,
    at_rest: Vec<Property<M>>,
    /// `sometimes`, and whether a state was seen that satisfies it.
    sometimes: Vec<(Property<M>, Cell<bool>)>,
    /// The property keys of states that violate nothing.
    fine: RefCell<PropertyKeys>,
}

impl<M: TransitionSystem> Checks<M> {
    /// The properties of `model`.
    pub fn new(model: &M) -> Checks<M> {
        let mut checks =
            Checks { states: Vec::new(), at_rest: Vec::new(), sometimes: Vec::new(), fine: RefCell::default() };
        for property in model.properties() {
            match property.kind {
                Kind::Always | Kind::Never => checks.states.push(property),
                Kind::AtRest => checks.at_rest.push(property),
                Kind::Sometimes => checks.sometimes.push((property, Cell::new(false))),
                Kind::Eventually => {}
            }
        }
        checks
    }

    /// Whether there are properties of states in which nothing more can happen.
    pub fn asks_at_rest(&self) -> bool {
        !self.at_rest.is_empty()
    }

    /// Looks at a new state in which no handler failed: notes which `sometimes` hold, and says whether it is wrong whatever comes after it.
    pub fn look(&self, model: &M, state: &M::State) -> bool {
        let asked = !self.states.is_empty() || self.sometimes.iter().any(|(_, seen)| !seen.get());
        let Some(key) = model.property_key(state).filter(|_| asked) else {
            self.note(model, state);
            return self.broken(model, state).is_some();
        };
        if self.fine.borrow().holds(key) {
            return false;
        }
        model.looked_beyond_key();
        self.note(model, state);
        let wrong = self.broken(model, state).is_some();
        if !wrong && !model.looked_beyond_key() {
            self.fine.borrow_mut().add(key);
        }
        wrong
    }

    /// Whether states with this property key are known to violate nothing.
    pub fn is_fine(&self, key: u128) -> bool {
        self.fine.borrow().holds(key)
    }

    fn note(&self, model: &M, state: &M::State) {
        for (property, seen) in &self.sometimes {
            if !seen.get() && ask(property, model, state) == Ok(true) {
                seen.set(true);
            }
        }
    }

    fn broken(&self, model: &M, state: &M::State) -> Option<&Property<M>> {
        self.states.iter().find(|property| ask(property, model, state) != Ok(property.kind == Kind::Always))
    }

    fn broken_at_rest(&self, model: &M, state: &M::State) -> Option<&Property<M>> {
        self.at_rest.iter().find(|property| ask(property, model, state) != Ok(true))
    }

    /// Whether a state is wrong whatever comes after it.
    pub fn is_wrong(&self, model: &M, state: &M::State) -> bool {
        model.has_failed(state) || self.broken(model, state).is_some()
    }

    /// Whether a state in which nothing more can happen, and that is not wrong otherwise, is wrong.
    pub fn is_wrong_at_rest(&self, model: &M, state: &M::State) -> bool {
        self.broken_at_rest(model, state).is_some()
    }

    /// A state that was found to be wrong, with what is wrong with it. `Err` if nothing is, the second time.
    pub fn blame(&self, model: &M, state: &M::State) -> Result<Wrong<M>, Box<InvalidModel>> {
        match self.violation(model, state) {
            Some(violation) => Ok(Wrong { state: state.clone(), violation, attempted: None }),
            None => Err(Box::new(
                InvalidModel::new(
                    Flaw::NotAFunction,
                    format!("a property is not a function: it gives two results for the state {state:?}"),
                )
                .evidence("first: a property is violated")
                .evidence("again: no property is violated")
                .advice(ADVICE),
            )),
        }
    }

    /// What is wrong with a state; the properties of states at rest are evaluated last.
    fn violation(&self, model: &M, state: &M::State) -> Option<Violation> {
        let states = || self.broken(model, state).map(|property| (property, "in this state"));
        let at_rest =
            || self.broken_at_rest(model, state).map(|property| (property, "although nothing more can happen"));
        model.failure(state).or_else(|| {
            states().or_else(at_rest).map(|(property, when)| match ask(property, model, state) {
                Ok(holds) => {
                    let verb = if holds { "holds" } else { "does not hold" };
                    violation(property, format!("`{}` {verb} {when}", property.name))
                }
                Err((panic, location)) => {
                    let message = format!("`{}` panics {when}: {panic}", property.name);
                    Violation { location, ..violation(property, message) }
                }
            })
        })
    }

    /// Every `sometimes` that none of the workers saw.
    fn unseen<'a>(workers: &'a [&Checks<M>]) -> impl Iterator<Item = &'a Property<M>> {
        let unseen = |i: &usize| !workers.iter().any(|worker| worker.sometimes[*i].1.get());
        let sometimes = &workers[0].sometimes;
        (0..sometimes.len()).filter(unseen).map(|i| &sometimes[i].0)
    }

    /// The names of all that none of the workers saw.
    pub fn unreached(workers: &[&Checks<M>]) -> Vec<String> {
        Checks::unseen(workers).map(|property| property.name.clone()).collect()
    }

    /// The first `sometimes` that none of the workers saw, after a complete exploration.
    pub fn never_seen(workers: &[&Checks<M>], states: u64) -> Option<Violation> {
        let property = Checks::unseen(workers).next()?;
        let message = format!("no reachable state satisfies `{}`; {states} states were explored", property.name);
        Some(violation(property, message))
    }
}

/// Whether a property holds in a state; a predicate that panics neither holds nor does not: its words, and where.
pub fn ask<M: TransitionSystem>(
    property: &Property<M>,
    model: &M,
    state: &M::State,
) -> Result<bool, (String, Option<Location>)> {
    panics::listen(|| catch_unwind(AssertUnwindSafe(|| (property.holds)(model, state))))
        .map_err(|payload| panics::take(payload.as_ref()))
}

/// The violation of a property.
pub fn violation<M: TransitionSystem>(property: &Property<M>, message: String) -> Violation {
    Violation { property: property.reported(), message, location: None, process: None }
}
