//! Properties of global states, as data that engines can look into.
//!
//! A property has a [`Form`]: a closure over the whole state, which can only be evaluated; or a function of local states, which an engine
//! can evaluate local state by local state and combine without building a global state. The user's functions of a local state run once for
//! each distinct local state and worker ([`Memo`]); what they return is interned, so that the rest is done on small numbers.

use crate::erased::Value;
use crate::view::View;
use manyworlds_core::{Requirement, Violation, decides, panics};
use manyworlds_explore::Kind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A predicate on global states.
pub type Predicate = Arc<dyn Fn(&View<'_>) -> bool + Send + Sync>;

/// A predicate on the state of one actor.
pub type LocalPredicate = Arc<dyn Fn(&dyn Value) -> bool + Send + Sync>;

/// The key of a local state, if it has one.
pub type KeyOf = Arc<dyn Fn(&dyn Value) -> Option<Arc<dyn Value>> + Send + Sync>;

/// What a property looks at.
#[derive(Clone)]
pub enum Form {
    /// A closure over the whole state.
    Global(Predicate),
    /// A predicate on the state of one actor; it is not evaluated while the actor has no state.
    Actor {
        /// The index of the actor.
        actor: u16,
        /// The predicate.
        holds: LocalPredicate,
    },
    /// A projection of local states to keys: no key is that of more actors than `at_most`. Actors without a state have no key.
    Keys {
        /// The number of actors that may have the same key.
        at_most: usize,
        /// The projection.
        key: KeyOf,
    },
    /// A fold: each local state has a summary, and the predicate is about the combination of all of them.
    Fold(Arc<dyn AnyFold>),
}

/// A fold over the local states of all actors: a commutative monoid of small values.
///
/// ```
/// use manyworlds_actor::Fold;
///
/// /// The sum of all balances.
/// struct Total;
///
/// impl Fold for Total {
///     type State = u32;
///     type Summary = u32;
///     fn empty(&self) -> u32 { 0 }
///     fn of(&self, balance: &u32) -> u32 { *balance }
///     fn combine(&self, a: &u32, b: &u32) -> u32 { a + b }
/// }
/// ```
pub trait Fold: Send + Sync + 'static {
    /// The states that have a summary; states of other types do not count.
    type State: 'static;
    /// The summary of some actors: few distinct values, if the property is to be cheap.
    type Summary: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The summary of no actor: `combine` with it changes nothing.
    fn empty(&self) -> Self::Summary;

    /// The summary of one actor.
    fn of(&self, state: &Self::State) -> Self::Summary;

    /// The summary of two disjoint sets of actors; it must be associative and commutative, because engines combine in any order.
    fn combine(&self, a: &Self::Summary, b: &Self::Summary) -> Self::Summary;
}

/// A fold and its predicate, with erased types.
pub trait AnyFold: Send + Sync {
    /// The summary of no actor.
    fn empty(&self) -> Arc<dyn Value>;
    /// The summary of an actor with this state; `None` if states of this type do not count.
    fn of(&self, state: &dyn Value) -> Option<Arc<dyn Value>>;
    /// The summary of two disjoint sets of actors.
    fn combine(&self, a: &dyn Value, b: &dyn Value) -> Arc<dyn Value>;
    /// Whether the property holds if this is the summary of all actors.
    fn holds(&self, summary: &dyn Value) -> bool;
}

struct Folded<F, P>(F, P);

impl<F: Fold, P: Fn(&F::Summary) -> bool + Send + Sync> AnyFold for Folded<F, P> {
    fn empty(&self) -> Arc<dyn Value> {
        Arc::new(self.0.empty())
    }

    fn of(&self, state: &dyn Value) -> Option<Arc<dyn Value>> {
        Some(Arc::new(self.0.of(state.as_any().downcast_ref()?)))
    }

    fn combine(&self, a: &dyn Value, b: &dyn Value) -> Arc<dyn Value> {
        Arc::new(self.0.combine(summary::<F>(a), summary::<F>(b)))
    }

    fn holds(&self, all: &dyn Value) -> bool {
        (self.1)(summary::<F>(all))
    }
}

fn summary<F: Fold>(value: &dyn Value) -> &F::Summary {
    value.as_any().downcast_ref().expect("a summary has the summary type of its fold")
}

impl Form {
    pub(crate) fn of<S: 'static>(actor: u16, holds: impl Fn(&S) -> bool + Send + Sync + 'static) -> Form {
        let holds = move |state: &dyn Value| state.as_any().downcast_ref().is_none_or(&holds);
        Form::Actor { actor, holds: Arc::new(holds) }
    }

    pub(crate) fn keys<S: 'static, K>(at_most: usize, key: impl Fn(&S) -> Option<K> + Send + Sync + 'static) -> Form
    where
        K: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    {
        let key = move |state: &dyn Value| Some(Arc::new(key(state.as_any().downcast_ref()?)?) as Arc<dyn Value>);
        Form::Keys { at_most, key: Arc::new(key) }
    }

    pub(crate) fn fold<F: Fold>(fold: F, holds: impl Fn(&F::Summary) -> bool + Send + Sync + 'static) -> Form {
        Form::Fold(Arc::new(Folded(fold, holds)))
    }
}

/// A property of global states.
#[derive(Clone)]
pub struct Question {
    /// Its number: no other question of the system has the same.
    pub id: u32,
    /// In which states or on which paths it must hold.
    pub kind: Kind,
    /// The user's name for it.
    pub name: String,
    /// Once violated it stays violated on every path.
    pub stable: bool,
    /// The predicate; of [`Kind::LeadsTo`] the goal.
    pub form: Form,
    /// Of [`Kind::LeadsTo`]: the states that ask for the goal.
    pub when: Option<Predicate>,
}

impl Question {
    /// Whether the predicate holds; `None` if it is about an actor that has no state.
    #[inline]
    pub fn holds(&self, view: &View<'_>) -> Option<bool> {
        match &self.form {
            Form::Global(holds) => Some(holds(view)),
            form => view.memo(|memo| memo.holds(self.id, form, view)),
        }
    }

    /// Whether the predicate counts as true. If it is about an actor that has no state, the result neither violates nor satisfies the
    /// property. The second part of the result is whether that happened.
    #[inline]
    pub fn holds_or_skipped(&self, view: &View<'_>) -> (bool, bool) {
        match self.holds(view) {
            Some(holds) => (holds, false),
            None => (matches!(self.kind, Kind::Always | Kind::AtRest), true),
        }
    }

    /// Whether the predicate counts as true; if it panics, the message and the location of the panic.
    pub fn evaluate(&self, view: &View<'_>) -> Result<bool, (String, Option<manyworlds_core::Location>)> {
        panics::listen(|| catch_unwind(AssertUnwindSafe(|| self.holds_or_skipped(view).0)))
            .map_err(|payload| panics::take(payload.as_ref()))
    }

    /// The question in the terms of the decision table.
    pub fn as_decided(&self) -> decides::Question {
        decides::Question::States { kind: self.kind, stable: self.stable }
    }

    /// The violation that is reported if the property does not hold.
    pub fn violation(&self) -> Violation {
        let name = self.name.clone();
        let (property, message) = match self.kind {
            Kind::Always => (Requirement::Always { name }, "it does not hold"),
            Kind::Never => (Requirement::Never { name }, "it holds"),
            Kind::Sometimes => (Requirement::Sometimes { name }, "it holds nowhere"),
            Kind::Eventually => (Requirement::Eventually { name }, "it never holds"),
            Kind::AlwaysEventually => (Requirement::AlwaysEventually { name }, "from some state on it never holds"),
            Kind::LeadsTo => (Requirement::LeadsTo { name }, "the condition holds and the goal is never reached"),
            Kind::AtRest => (Requirement::AtRest { name }, "nothing more can happen, and it does not hold"),
        };
        Violation { property, message: message.to_string(), location: None, process: None }
    }
}

/// What the user's functions returned, by question and local state.
#[derive(Default)]
pub(crate) struct Memo {
    /// (question, local state) → whether the predicate on one actor holds.
    verdicts: FxHashMap<(u32, u32), bool>,
    /// (question, local state) → the key or the summary.
    values_of: FxHashMap<(u32, u32), Option<u32>>,
    /// (question, (summary, summary)) → the combination.
    combined: FxHashMap<(u32, (u32, u32)), u32>,
    /// (question, summary of all actors) → whether the property holds.
    judged: FxHashMap<(u32, u32), bool>,
    /// Question → the summary of no actor.
    empty: FxHashMap<u32, u32>,
    values: Vec<Arc<dyn Value>>,
    by_print: FxHashMap<u128, SmallVec<[u32; 1]>>,
}

impl Memo {
    fn holds(&mut self, question: u32, form: &Form, view: &View<'_>) -> Option<bool> {
        match form {
            Form::Global(holds) => Some(holds(view)),
            Form::Actor { actor, holds } => {
                let (local, state) = view.local(*actor);
                let state = state?;
                Some(*self.verdicts.entry((question, local)).or_insert_with(|| holds(state)))
            }
            Form::Keys { at_most, key } => {
                let locals = (0..view.slots() as u16).map(|actor| view.local(actor));
                let keys = locals.filter_map(|(local, state)| self.value_of(question, local, || key(state?)));
                let mut keys: SmallVec<[u32; 16]> = keys.collect();
                keys.sort_unstable();
                Some(keys.chunk_by(|a, b| a == b).all(|same| same.len() <= *at_most))
            }
            Form::Fold(fold) => Some(self.fold(question, &**fold, view)),
        }
    }

    fn fold(&mut self, question: u32, fold: &dyn AnyFold, view: &View<'_>) -> bool {
        let mut total = match self.empty.get(&question) {
            Some(&empty) => empty,
            None => {
                let empty = self.value(fold.empty());
                self.empty.insert(question, empty);
                empty
            }
        };
        for actor in 0..view.slots() as u16 {
            let (local, state) = view.local(actor);
            if let Some(summary) = self.value_of(question, local, || fold.of(state?)) {
                total = self.combine(question, fold, total, summary);
            }
        }
        match self.judged.get(&(question, total)) {
            Some(&holds) => holds,
            None => {
                let holds = fold.holds(&*self.values[total as usize]);
                self.judged.insert((question, total), holds);
                holds
            }
        }
    }

    fn combine(&mut self, question: u32, fold: &dyn AnyFold, a: u32, b: u32) -> u32 {
        if let Some(&combined) = self.combined.get(&(question, (a, b))) {
            return combined;
        }
        let combined = fold.combine(&*self.values[a as usize], &*self.values[b as usize]);
        let combined = self.value(combined);
        self.combined.insert((question, (a, b)), combined);
        combined
    }

    fn value_of(&mut self, question: u32, local: u32, value: impl FnOnce() -> Option<Arc<dyn Value>>) -> Option<u32> {
        if let Some(&known) = self.values_of.get(&(question, local)) {
            return known;
        }
        let id = value().map(|value| self.value(value));
        self.values_of.insert((question, local), id);
        id
    }

    /// The id of a value; equal values have the same.
    fn value(&mut self, value: Arc<dyn Value>) -> u32 {
        let same_print = self.by_print.entry(value.print()).or_default();
        if let Some(&known) = same_print.iter().find(|&&id| self.values[id as usize].same(&*value)) {
            return known;
        }
        let id = self.values.len() as u32;
        same_print.push(id);
        self.values.push(value);
        id
    }
}
