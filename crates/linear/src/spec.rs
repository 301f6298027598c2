//! Sequential specifications: the behaviour of an object whose operations are executed one after the other.

use rustc_hash::FxHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// The bounds on the types of states, operations and responses. Implemented for all types that meet them.
pub trait Datum: Clone + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Datum for T {}

/// A sequential specification, as a relation: an operation may have several outcomes. Objects whose operations have exactly one outcome are
/// easier to write as [`Sequential`].
///
/// A bag from which any element may be taken:
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
    /// The state of the object. Equal states must have equal outcomes.
    type State: Datum;
    /// Its operations.
    type Operation: Datum;
    /// Its responses.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Adds every outcome of `operation` in `state` to `out`: the state after it and its response. Without outcomes, the operation cannot take effect
    /// in this state.
    fn outcomes(&self, state: &Self::State, operation: &Self::Operation, out: &mut Vec<(Self::State, Self::Response)>);

    /// The key of the part of the object that an operation accesses, if operations on different parts are independent: then each part is
    /// checked separately (P-compositionality). `None` if the operation accesses the whole object; if there is one such operation, the history is
    /// not split. [`key_of`] computes a key from any value; if two values share a key, the check is slower and still correct.
    fn key(&self, operation: &Self::Operation) -> Option<u64> {
        let _ = operation;
        None
    }

    /// Whether an operation with this response is read-only: in every state in which it can have this response, it leaves the state unchanged. `None`
    /// stands for any response. The checker relies on the result, and is much faster with it: read-only operations are linearized as soon as their
    /// response matches, and are dropped if they are pending. `false` is always correct.
    fn reads(&self, operation: &Self::Operation, response: Option<&Self::Response>) -> bool {
        let _ = (operation, response);
        false
    }

    /// Whether a read-only operation can have this response in a state; called only if [`reads`](Spec::reads) is true. An implementation is worthwhile
    /// if responses are large: comparing in place is cheaper than building a response to compare.
    fn reads_as(&self, state: &Self::State, operation: &Self::Operation, response: &Self::Response) -> bool {
        let mut outcomes = Vec::new();
        self.outcomes(state, operation, &mut outcomes);
        outcomes.iter().any(|(_, given)| given == response)
    }

    /// Pairs of operations, by index in `history`, of which the first takes effect before the second in every linearization. Only pairs that follow
    /// from responses and not from times alone are useful: of two values in a queue, the one dequeued first was enqueued first. A pair of an operation
    /// with itself means that no linearization exists. The checker relies on the pairs; they help where a late response determines the order of
    /// earlier operations. An empty list is always correct.
    fn precedence(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Vec<(usize, usize)> {
        let _ = history;
        Vec::new()
    }

    /// A candidate linearization, as indices in `history`, that can be computed cheaply. It contains all operations that returned, and may contain
    /// pending ones. The checker verifies it before it starts a search, so a wrong proposal only costs time. `None` is always correct.
    fn proposal(&self, history: &[Seen<'_, Self::Operation, Self::Response>]) -> Option<Vec<usize>> {
        let _ = history;
        None
    }
}

/// An operation of a history, for [`Spec::precedence`] and [`Spec::proposal`]. See [`Operation`](crate::Operation).
#[derive(Debug)]
pub struct Seen<'h, O, R> {
    /// The invoked operation.
    pub operation: &'h O,
    /// The response. `None` if it is unknown: any response matches.
    pub response: Option<&'h R>,
    /// The time of the invocation.
    pub invoked: usize,
    /// The time of the return. `None` if the operation is pending: it takes effect at any time after its invocation, or never.
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
    /// The state of the object.
    type State: Datum;
    /// Its operations.
    type Operation: Datum;
    /// Its responses.
    type Response: Datum;

    /// What it holds at the start.
    fn initial(&self) -> Self::State;

    /// Applies `operation` to `state` and returns its response.
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

/// Computes a key for [`Spec::key`] from a value.
pub fn key_of<K: Hash + ?Sized>(key: &K) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
