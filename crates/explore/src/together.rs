//! Specifications that list actions and next states together.

use crate::model::Model;
use crate::property::Property;
use std::fmt::{Debug, Formatter, Result};
use std::hash::Hash;

/// A specification that lists actions and next states together. [`Together`] makes a [`Model`] of it.
pub trait Successors: Clone + Send + 'static {
    /// A global state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// An action of a state.
    type Action: Clone + PartialEq + Debug + Send + Sync;

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds the actions of `state`, with the states they lead to, to `out`.
    fn successors(&self, state: &Self::State, out: &mut Vec<(Self::Action, Self::State)>);

    /// The properties to check.
    fn properties(&self) -> Vec<Property<Together<Self>>> {
        Vec::new()
    }
}

/// A model whose actions carry the states they lead to.
///
/// ```
/// use manyworlds_explore::{Config, Engine, NoObserver, Specification, Successors, Together, explore};
///
/// #[derive(Clone)]
/// struct Collatz;
///
/// impl Successors for Collatz {
///     type State = u64;
///     type Action = &'static str;
///     fn initial(&self) -> Vec<u64> { vec![7] }
///     fn successors(&self, n: &u64, out: &mut Vec<(&'static str, u64)>) {
///         if n % 2 == 0 { out.push(("halve", n / 2)) } else { out.push(("triple", 3 * n + 1)) }
///     }
/// }
///
/// let report = explore(&Specification::new(Together(Collatz)), Engine::Bfs, &Config::default(), &NoObserver).unwrap();
/// assert_eq!(report.stats.states, Some(17));
/// ```
#[derive(Clone, Debug)]
pub struct Together<S>(pub S);

/// An action and the state it leads to; it is shown as the action alone.
#[derive(Clone, PartialEq)]
pub struct Leading<A, S> {
    /// The action.
    pub action: A,
    /// The state it leads to.
    pub to: S,
}

impl<A: Debug, S> Debug for Leading<A, S> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.action.fmt(f)
    }
}

impl<S: Successors> Model for Together<S> {
    type State = S::State;
    type Action = Leading<S::Action, S::State>;

    fn initial(&self) -> Vec<S::State> {
        self.0.initial()
    }

    fn actions(&self, state: &S::State, out: &mut Vec<Self::Action>) {
        let mut successors = Vec::new();
        self.0.successors(state, &mut successors);
        out.extend(successors.into_iter().map(|(action, to)| Leading { action, to }));
    }

    fn next(&self, _: &S::State, action: &Self::Action) -> Option<S::State> {
        Some(action.to.clone())
    }

    fn properties(&self) -> Vec<Property<Together<S>>> {
        self.0.properties()
    }
}
