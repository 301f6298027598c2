//! A specification with the abilities it opted into, as a transition system.
//!
//! Three abilities are part of the type. Independence and fingerprints are used for every successor, so calls to them are compiled in. Receives
//! decide whether the schedulers are compiled for the specification at all. The others are pointers to functions.

use crate::abilities::{Failing, Fair, Fingerprinted, Independent, Narrated, PersistentSets, Symmetric};
use crate::fairness::{Assumed, Fairness, Label, Strength};
use crate::model::Model;
use crate::property::{Holds, Property};
use crate::receive::Receives;
use crate::system::{States, TransitionSystem};
use crate::{fingerprint, plain_trace};
use manyworlds_core::{NarratedStep, TraceProcess, Violation};
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// An ability that was not opted into.
pub enum Undeclared {}

/// An ability that was opted into.
pub enum Declared {}

/// Which actions are independent, if that was declared.
pub trait Independence<M: Model>: 'static {
    /// Whether it was.
    const DECLARED: bool;

    /// See [`Independent::independent`].
    fn independent(model: &M, state: &M::State, a: &M::Action, b: &M::Action) -> bool;

    /// See [`Independent::name`].
    fn name(model: &M, action: &M::Action) -> Option<u32>;
}

impl<M: Model> Independence<M> for Undeclared {
    const DECLARED: bool = false;

    fn independent(_: &M, _: &M::State, _: &M::Action, _: &M::Action) -> bool {
        false
    }

    fn name(_: &M, _: &M::Action) -> Option<u32> {
        None
    }
}

impl<M: Independent> Independence<M> for Declared {
    const DECLARED: bool = true;

    #[inline]
    fn independent(model: &M, state: &M::State, a: &M::Action, b: &M::Action) -> bool {
        model.independent(state, a, b)
    }

    #[inline]
    fn name(model: &M, action: &M::Action) -> Option<u32> {
        model.name(action)
    }
}

/// Where fingerprints come from.
pub trait Fingerprints<M: Model>: 'static {
    /// The fingerprint of a state.
    fn fingerprint(model: &M, state: &M::State) -> u128;
}

impl<M: Model> Fingerprints<M> for Undeclared {
    #[inline]
    fn fingerprint(_: &M, state: &M::State) -> u128 {
        fingerprint::of(state)
    }
}

impl<M: Fingerprinted> Fingerprints<M> for Declared {
    #[inline]
    fn fingerprint(model: &M, state: &M::State) -> u128 {
        model.fingerprint(state)
    }
}

/// The receives of actions, if they were declared.
pub trait Receiving<M: Model>: 'static {
    /// Whether they were.
    const DECLARED: bool;

    /// See [`TransitionSystem::receives`].
    fn receives(model: &M) -> Option<&dyn Receives<M::State, M::Action>>;
}

impl<M: Model> Receiving<M> for Undeclared {
    const DECLARED: bool = false;

    fn receives(_: &M) -> Option<&dyn Receives<M::State, M::Action>> {
        None
    }
}

impl<M: Model + Receives<<M as Model>::State, <M as Model>::Action>> Receiving<M> for Declared {
    const DECLARED: bool = true;

    fn receives(model: &M) -> Option<&dyn Receives<M::State, M::Action>> {
        Some(model)
    }
}

/// Functions of abilities that are rarely called.
struct Abilities<M: Model> {
    canonical: Option<fn(&M, M::State) -> M::State>,
    persistent: Option<fn(&M, &M::State, &mut [M::Action]) -> usize>,
    failure: Option<fn(&M, &M::State) -> Option<Violation>>,
    fairness: Option<fn(&M) -> Vec<Fairness<M>>>,
    narration: Option<Narration<M>>,
}

struct Narration<M: Model> {
    processes: fn(&M) -> Vec<TraceProcess>,
    start: fn(&M, &M::State) -> Vec<NarratedStep>,
    step: fn(&M, &M::State, &M::Action, Option<&M::State>) -> Vec<NarratedStep>,
}

impl<M: Model> Clone for Abilities<M> {
    fn clone(&self) -> Abilities<M> {
        *self
    }
}

impl<M: Model> Copy for Abilities<M> {}

impl<M: Model> Clone for Narration<M> {
    fn clone(&self) -> Narration<M> {
        *self
    }
}

impl<M: Model> Copy for Narration<M> {}

/// A specification to be checked: a [`Model`] and the abilities it shall be checked with.
///
/// `I`, `F` and `R` are the declarations of independence, fingerprints and receives; they follow from the calls of the builder.
pub struct Specification<M: Model, I = Undeclared, F = Undeclared, R = Undeclared> {
    model: M,
    abilities: Abilities<M>,
    /// The properties, evaluated once.
    properties: OnceLock<Vec<Property<M>>>,
    /// The fairness assumptions, evaluated once.
    fairness: OnceLock<Vec<Fairness<M>>>,
    declared: PhantomData<fn() -> (I, F, R)>,
}

impl<M: Model> Specification<M> {
    /// A specification that knows nothing but its behaviour.
    pub fn new(model: M) -> Specification<M> {
        let abilities = Abilities { canonical: None, persistent: None, failure: None, fairness: None, narration: None };
        let (properties, fairness) = (OnceLock::new(), OnceLock::new());
        Specification { model, abilities, properties, fairness, declared: PhantomData }
    }
}

impl<M: Model, I, F, R> Specification<M, I, F, R> {
    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// States may be explored up to renaming.
    pub fn symmetric(mut self) -> Specification<M, I, F, R>
    where
        M: Symmetric,
    {
        self.abilities.canonical = Some(M::canonical);
        self
    }

    /// Breadth-first search tries one order of independent actions.
    pub fn independent(self) -> Specification<M, Declared, F, R>
    where
        M: Independent,
    {
        self.declaring()
    }

    /// Fingerprints are the model's own.
    pub fn fingerprinted(self) -> Specification<M, I, Declared, R>
    where
        M: Fingerprinted,
    {
        self.declaring()
    }

    /// The fairness is assumed that the model declares.
    pub fn fair(mut self) -> Specification<M, I, F, R>
    where
        M: Fair,
    {
        self.abilities.fairness = Some(M::fairness);
        self
    }

    /// Partial-order reduction by persistent sets is possible.
    pub fn persistent_sets(mut self) -> Specification<M, I, F, R>
    where
        M: PersistentSets,
    {
        self.abilities.persistent = Some(M::persistent);
        self
    }

    /// Steps can fail.
    pub fn failing(mut self) -> Specification<M, I, F, R>
    where
        M: Failing,
    {
        self.abilities.failure = Some(M::failure);
        self
    }

    /// Schedulers can be used: the receive of each action is known.
    pub fn receiving(self) -> Specification<M, I, F, Declared>
    where
        M: Receives<<M as Model>::State, <M as Model>::Action>,
    {
        self.declaring()
    }

    /// Traces are the model's own.
    pub fn narrated(mut self) -> Specification<M, I, F, R>
    where
        M: Narrated,
    {
        self.abilities.narration =
            Some(Narration { processes: M::trace_processes, start: M::trace_start, step: M::trace_step });
        self
    }

    fn fairness(&self) -> &[Fairness<M>] {
        let Some(fairness) = self.abilities.fairness else { return &[] };
        self.fairness.get_or_init(|| fairness(&self.model))
    }

    fn declaring<J, G, S>(self) -> Specification<M, J, G, S> {
        let Specification { model, abilities, properties, fairness, .. } = self;
        Specification { model, abilities, properties, fairness, declared: PhantomData }
    }
}

impl<M: Model, I, F, R> Clone for Specification<M, I, F, R> {
    fn clone(&self) -> Specification<M, I, F, R> {
        Specification {
            model: self.model.clone(),
            abilities: self.abilities,
            properties: self.properties.clone(),
            fairness: self.fairness.clone(),
            declared: PhantomData,
        }
    }
}

impl<M: Model, I, F, R> States for Specification<M, I, F, R> {
    type State = M::State;
}

impl<M, I, F, R> TransitionSystem for Specification<M, I, F, R>
where
    M: Model,
    I: Independence<M>,
    F: Fingerprints<M>,
    R: Receiving<M>,
{
    type Action = M::Action;

    const USER_CODE: bool = true;
    const KNOWS_INDEPENDENCE: bool = I::DECLARED;
    const RECEIVES: bool = R::DECLARED;

    fn initial(&self) -> Vec<M::State> {
        self.model.initial()
    }

    #[inline]
    fn actions(&self, state: &M::State, out: &mut Vec<M::Action>) {
        self.model.actions(state, out);
    }

    #[inline]
    fn next(&self, state: &M::State, action: &M::Action) -> Option<M::State> {
        self.model.next(state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let of_this = |property: &Property<M>| {
            let of_model = |holds: Holds<M>| -> Holds<Self> { Arc::new(move |this, state| holds(&this.model, state)) };
            Property {
                name: property.name.clone(),
                kind: property.kind,
                stable: property.stable,
                holds: of_model(property.holds.clone()),
                when: property.when.clone().map(of_model),
                promise: None,
            }
        };
        self.properties.get_or_init(|| self.model.properties()).iter().map(of_this).collect()
    }

    fn failure(&self, state: &M::State) -> Option<Violation> {
        self.abilities.failure.and_then(|failure| failure(&self.model, state))
    }

    #[inline]
    fn has_failed(&self, state: &M::State) -> bool {
        self.abilities.failure.is_some() && self.failure(state).is_some()
    }

    #[inline]
    fn fingerprint(&self, state: &M::State) -> u128 {
        F::fingerprint(&self.model, state)
    }

    fn has_symmetry(&self) -> bool {
        self.abilities.canonical.is_some()
    }

    fn canonical(&self, state: M::State) -> M::State {
        match self.abilities.canonical {
            Some(canonical) => canonical(&self.model, state),
            None => state,
        }
    }

    #[inline]
    fn independent(&self, state: &M::State, a: &M::Action, b: &M::Action) -> bool {
        I::independent(&self.model, state, a, b)
    }

    #[inline]
    fn name(&self, action: &M::Action) -> Option<u32> {
        I::name(&self.model, action)
    }

    fn persistent(&self, state: &M::State, actions: &mut [M::Action]) -> usize {
        match self.abilities.persistent {
            Some(persistent) => persistent(&self.model, state, actions),
            None => actions.len(),
        }
    }

    fn receives(&self) -> Option<&dyn Receives<M::State, M::Action>> {
        R::receives(&self.model)
    }

    fn assumes_fairness(&self) -> bool {
        self.abilities.fairness.is_some()
    }

    fn assumed(&self) -> Assumed {
        let mut assumed = Assumed::default();
        for Fairness { name, strength, .. } in self.fairness() {
            match strength {
                Strength::Weak => assumed.weakly.push(name.clone()),
                Strength::Strong => assumed.strongly.push(name.clone()),
            }
        }
        assumed
    }

    fn labels(&self, state: &M::State, action: &M::Action, out: &mut Vec<Label>) {
        for (nth, fairness) in self.fairness().iter().enumerate() {
            if (fairness.covers)(&self.model, state, action) {
                out.push(Label { strength: fairness.strength, key: nth as u128 });
            }
        }
    }

    fn trace_processes(&self) -> Vec<TraceProcess> {
        match self.abilities.narration {
            Some(narration) => (narration.processes)(&self.model),
            None => plain_trace::processes(),
        }
    }

    fn trace_start(&self, state: &M::State) -> Vec<NarratedStep> {
        match self.abilities.narration {
            Some(narration) => (narration.start)(&self.model, state),
            None => plain_trace::start(state),
        }
    }

    fn trace_step(&self, before: &M::State, action: &M::Action, after: Option<&M::State>) -> Vec<NarratedStep> {
        match self.abilities.narration {
            Some(narration) => (narration.step)(&self.model, before, action, after),
            None => plain_trace::step(action, after),
        }
    }
}
