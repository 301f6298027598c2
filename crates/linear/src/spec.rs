//! What an object does when operations come one after the other.

use rustc_hash::FxHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// States, operations and responses: plain values.
pub trait Datum: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Datum for T {}

/// A sequential object, as a relation: an operation may have several outcomes. Objects whose operations have exactly one are easier to
/// write as [`Sequential`].
///
/// A bag that gives back anything it holds:
///
/// ```
/// use manyworlds_linear::Spec;
///
/// struct Bag;
///
/// impl Spec for Bag {
///     type State = Vec<u8>;
///     type Operation = Option<u8>; // put this, or take something
///     type Response = Option<u8>;
///     fn initial(&self) -> Vec<u8> { Vec::new() }
///     fn outcomes(&self, bag: &Vec<u8>, operation: &Option<u8>, out: &mut Vec<(Vec<u8>, Option<u8>)>) {
///         match operation {
///             Some(n) => {
///                 let mut more = bag.clone();
///                 more.push(*n);
///                 more.sort(); // so that equal bags are equal values
///                 out.push((more, None));
///             }
///             None => out.extend((0..bag.len()).map(|i| {
///                 let mut less = bag.clone();
///                 let taken = less.remove(i);
///                 (less, Some(taken))
///             })),
///         }
///     }
/// }
/// ```
pub trait Spec: Send + Sync + 'static {
    /// What the object holds. Equal values must behave alike.
    type State: Datum;
    /// What can be asked of it.
    type Operation: Datum;
    /// What it answers.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Adds every way in which `operation` can go in `state`: what it leaves and what it answers. None: it cannot take effect there.
    fn outcomes(&self, state: &Self::State, operation: &Self::Operation, out: &mut Vec<(Self::State, Self::Response)>);

    /// The part of the object that an operation is about, if operations on different parts know nothing of each other: then each part is
    /// checked on its own (P-compositionality). `None` if it is about the whole; one such operation, and nothing is split. [`key_of`]
    /// makes a key of any value; should two values share one, nothing is lost but time.
    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        let _ = operation;
        None
    }

    /// Whether an operation with this response only looks: wherever it can have it, it leaves the state as it is. `None` is any response.
    /// It is a promise, and a great help: such operations are put in place as soon as they fit, and are dropped if they are pending. To say
    /// `false` is always right.
    fn reads(&self, operation: &Self::Operation, response: Option<&Self::Response>) -> bool {
        let _ = (operation, response);
        false
    }

    /// Pairs of operations, by their places, of which the first takes effect before the second in every order that explains the history, as far as
    /// responses tell and times alone do not: who was served first by a queue stood before the other. An operation that precedes itself says
    /// that there is no such order. It is a promise, and a help where an object shows late in which order things were put into it. To say nothing is
    /// always right.
    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let _ = history;
        Vec::new()
    }
}

/// An operation of a history, for [`Spec::precedence`]. See [`Operation`](crate::Operation).
#[derive(Debug)]
pub struct Seen<'h, O, R> {
    /// What was asked.
    pub operation: &'h O,
    /// The answer. `None`: it is not known, any would do.
    pub response: Option<&'h R>,
    /// When it was asked.
    pub invoked: usize,
    /// When the answer came. `None`: it did not, and the operation takes effect at any time after its invocation, or never.
    pub returned: Option<usize>,
}

/// A sequential object whose operations have exactly one outcome.
///
/// ```
/// use manyworlds_linear::Sequential;
///
/// struct Tickets;
///
/// impl Sequential for Tickets {
///     type State = u32;
///     type Operation = ();
///     type Response = u32;
///     fn initial(&self) -> u32 { 0 }
///     fn apply(&self, next: &mut u32, _: &()) -> u32 {
///         *next += 1;
///         *next
///     }
/// }
/// ```
pub trait Sequential: Send + Sync + 'static {
    /// What the object holds.
    type State: Datum;
    /// What can be asked of it.
    type Operation: Datum;
    /// What it answers.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Performs `operation`, and answers it.
    fn apply(&self, state: &mut Self::State, operation: &Self::Operation) -> Self::Response;

    /// See [`Spec::key`].
    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        let _ = operation;
        None
    }

    /// See [`Spec::reads`].
    fn reads(&self, operation: &Self::Operation, response: Option<&Self::Response>) -> bool {
        let _ = (operation, response);
        false
    }

    /// See [`Spec::precedence`].
    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let _ = history;
        Vec::new()
    }
}

impl<S: Sequential> Spec for S {
    type State = S::State;
    type Operation = S::Operation;
    type Response = S::Response;

    fn initial(&self) -> S::State {
        Sequential::initial(self)
    }

    fn outcomes(&self, state: &S::State, operation: &S::Operation, out: &mut Vec<(S::State, S::Response)>) {
        let mut state = state.clone();
        let response = self.apply(&mut state, operation);
        out.push((state, response));
    }

    fn key(&self, operation: &S::Operation) -> Option<u64> {
        Sequential::key(self, operation)
    }

    fn reads(&self, operation: &S::Operation, response: Option<&S::Response>) -> bool {
        Sequential::reads(self, operation, response)
    }

    fn precedence(&self, history: &[Seen<'_, S::Operation, S::Response>]) -> Vec<(usize, usize)> {
        Sequential::precedence(self, history)
    }
}

/// A key for [`Spec::key`].
pub fn key_of<K: Hash + ?Sized>(key: &K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
