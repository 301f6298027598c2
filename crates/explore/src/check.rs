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
                Kind::Eventually | Kind::AlwaysEventually | Kind::LeadsTo => {}
            }
        }
        checks
    }

    /// Whether there are properties of terminal states.
    #[inline]
    pub fn has_terminal_properties(&self) -> bool {
        !self.at_rest.is_empty()
    }

    /// Checks a new state in which no handler failed: records which `sometimes` hold, and returns whether it violates an invariant.
    #[inline]
    pub fn look(&self, model: &M, state: &M::State) -> bool {
        let any_left = !self.states.is_empty() || self.sometimes.iter().any(|(_, seen)| !seen.get());
        let Some(key) = model.property_key(state).filter(|_| any_left) else {
            return self.note(model, state) || self.broken(model, state).is_some();
        };
        if self.fine.borrow().holds(key) {
            return false;
        }
        model.looked_beyond_key();
        let wrong = self.note(model, state) || self.broken(model, state).is_some();
        if !wrong && !model.looked_beyond_key() {
            self.fine.borrow_mut().add(key);
        }
        wrong
    }

    /// Whether states with this property key are known to violate nothing.
    #[inline]
    pub fn is_fine(&self, key: u128) -> bool {
        self.fine.borrow().holds(key)
    }

    /// Records which `sometimes` hold; returns whether the predicate of one panics. A predicate is evaluated until it holds in a state.
    #[inline]
    fn note(&self, model: &M, state: &M::State) -> bool {
        let mut panics = false;
        for (property, seen) in self.sometimes.iter().filter(|(_, seen)| !seen.get()) {
            match evaluate(property, model, state) {
                Ok(holds) => seen.set(holds),
                Err(_) => panics = true,
            }
        }
        panics
    }

    /// A `sometimes` whose predicate panics in this state.
    fn panicking(&self, model: &M, state: &M::State) -> Option<&Property<M>> {
        let mut properties = self.sometimes.iter().map(|(property, _)| property);
        properties.find(|property| evaluate(property, model, state).is_err())
    }

    #[inline]
    fn broken(&self, model: &M, state: &M::State) -> Option<&Property<M>> {
        self.states.iter().find(|property| evaluate(property, model, state) != Ok(property.kind == Kind::Always))
    }

    fn broken_at_rest(&self, model: &M, state: &M::State) -> Option<&Property<M>> {
        self.at_rest.iter().find(|property| evaluate(property, model, state) != Ok(true))
    }

    /// Whether a state violates an invariant, or the predicate of a `sometimes` panics in it.
    #[inline]
    pub fn is_wrong(&self, model: &M, state: &M::State) -> bool {
        model.has_failed(state) || self.broken(model, state).or_else(|| self.panicking(model, state)).is_some()
    }

    /// Whether a terminal state that violates no invariant violates a property of terminal states.
    pub fn is_wrong_at_rest(&self, model: &M, state: &M::State) -> bool {
        self.broken_at_rest(model, state).is_some()
    }

    /// A violating state, with its violation. `Err` if the second evaluation finds none.
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

    /// The violation of a state; the properties of terminal states are evaluated last.
    fn violation(&self, model: &M, state: &M::State) -> Option<Violation> {
        let states = || self.broken(model, state).or_else(|| self.panicking(model, state));
        let states = || states().map(|property| (property, "in this state"));
        let at_rest =
            || self.broken_at_rest(model, state).map(|property| (property, "although nothing more can happen"));
        model.failure(state).or_else(|| {
            states().or_else(at_rest).map(|(property, when)| match evaluate(property, model, state) {
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

    /// Every `sometimes` that held in no state of any worker.
    fn unseen<'a>(workers: &'a [&Checks<M>]) -> impl Iterator<Item = &'a Property<M>> {
        let unseen = |i: &usize| !workers.iter().any(|worker| worker.sometimes[*i].1.get());
        let sometimes = &workers[0].sometimes;
        (0..sometimes.len()).filter(unseen).map(|i| &sometimes[i].0)
    }

    /// The names of all `sometimes` that held in no state of any worker.
    pub fn unreached(workers: &[&Checks<M>]) -> Vec<String> {
        Checks::unseen(workers).map(|property| property.name.clone()).collect()
    }

    /// The first `sometimes` that held in no state of any worker, after a complete exploration.
    pub fn never_seen(workers: &[&Checks<M>], states: u128) -> Option<Violation> {
        let property = Checks::unseen(workers).next()?;
        let message = format!("no reachable state satisfies `{}`; {states} states were explored", property.name);
        Some(violation(property, message))
    }
}

/// Evaluates a property in a state; `Err` with message and place if the predicate panics.
#[inline]
pub fn evaluate<M: TransitionSystem>(
    property: &Property<M>,
    model: &M,
    state: &M::State,
) -> Result<bool, (String, Option<Location>)> {
    attempt(|| (property.holds)(model, state))
}

/// Calls functions of a property or of a fairness assumption; `Err` with message and place if they panic.
#[inline]
pub fn attempt<R>(call: impl FnOnce() -> R) -> Result<R, (String, Option<Location>)> {
    panics::listen(|| catch_unwind(AssertUnwindSafe(call))).map_err(|payload| panics::take(payload.as_ref()))
}

/// The violation of a property.
pub fn violation<M: TransitionSystem>(property: &Property<M>, message: String) -> Violation {
    Violation { property: property.reported(), message, location: None, process: None }
}
