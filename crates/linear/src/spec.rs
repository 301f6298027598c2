//! Sequential specifications: what an object does when operations come one after the other.

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
    /// Its operations.
    type Operation: Datum;
    /// Its responses.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Adds every way in which `operation` can go in `state`: the state after it and its response. If there is none, it cannot take effect there.
    fn outcomes(&self, state: &Self::State, operation: &Self::Operation, out: &mut Vec<(Self::State, Self::Response)>);

    /// The part of the object that an operation is about, if operations on different parts are independent: then each part is
    /// checked on its own (P-compositionality). `None` if it is about the whole; one such operation, and nothing is split. [`key_of`]
    /// makes a key of any value; if two values share a key, the check is slower and still right.
    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        let _ = operation;
        None
    }

    /// Whether an operation with this response only reads: wherever it can have this response, it leaves the state as it is. `None` is any response.
    /// The checker relies on it, and is much faster with it: such operations are linearized as soon as they fit, and are dropped if they are pending.
    /// `false` is always right.
    fn reads(&self, operation: &Self::Operation, response: Option<&Self::Response>) -> bool {
        let _ = (operation, response);
        false
    }

    /// Whether an operation has this response in a state; called only if it [`reads`](Spec::reads) with this response. Worth writing where a response
    /// is large: comparing is cheaper than building one and comparing that.
    fn reads_as(&self, state: &Self::State, operation: &Self::Operation, response: &Self::Response) -> bool {
        let mut outcomes = Vec::new();
        self.outcomes(state, operation, &mut outcomes);
        outcomes.iter().any(|(_, given)| given == response)
    }

    /// Pairs of operations, by their places, of which the first takes effect before the second in every order that explains the history, as far as
    /// responses show it and times alone do not: of two values in a queue, the one that is taken out first was put in first. A pair of an operation with
    /// itself says that no order explains the history. The checker relies on it; it helps where responses show late in which order earlier operations
    /// took effect. An empty list is always right.
    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let _ = history;
        Vec::new()
    }

    /// An order of operations, by their places, that explains the history if any does, as far as it is easy to see. Operations that returned are in it;
    /// pending ones may be. It is tried before anything else, and checked: a wrong one costs time and no more. `None` is always right.
    fn proposal(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Option<Vec<usize>> {
        let _ = history;
        None
    }
}

/// An operation of a history, for [`Spec::precedence`] and [`Spec::proposal`]. See [`Operation`](crate::Operation).
#[derive(Debug)]
pub struct Seen<'h, O, R> {
    /// What was invoked.
    pub operation: &'h O,
    /// The response. `None`: it is not known, any response fits.
    pub response: Option<&'h R>,
    /// When it was invoked.
    pub invoked: usize,
    /// When it returned. `None`: it did not, and the operation takes effect at any time after its invocation, or never.
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
    /// Its operations.
    type Operation: Datum;
    /// Its responses.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Performs `operation`, and gives its response.
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

    /// See [`Spec::reads_as`].
    fn reads_as(&self, state: &Self::State, operation: &Self::Operation, response: &Self::Response) -> bool {
        self.apply(&mut state.clone(), operation) == *response
    }

    /// See [`Spec::precedence`].
    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let _ = history;
        Vec::new()
    }

    /// See [`Spec::proposal`].
    fn proposal(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Option<Vec<usize>> {
        let _ = history;
        None
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

    fn reads_as(&self, state: &S::State, operation: &S::Operation, response: &S::Response) -> bool {
        Sequential::reads_as(self, state, operation, response)
    }

    fn precedence(&self, history: &[Seen<'_, S::Operation, S::Response>]) -> Vec<(usize, usize)> {
        Sequential::precedence(self, history)
    }

    fn proposal(&self, history: &[Seen<'_, S::Operation, S::Response>]) -> Option<Vec<usize>> {
        Sequential::proposal(self, history)
    }
}

/// A key for [`Spec::key`].
pub fn key_of<K: Hash + ?Sized>(key: &K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
