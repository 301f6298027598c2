//! A LIFO stack.

use super::stays::{Effect, Stay, Stays, put_concurrently, sorted};
use crate::spec::{Datum, Seen, Sequential};
use std::collections::{BTreeMap, BTreeSet};

/// A stack that is initially empty.
#[derive(Clone, Debug)]
pub struct Stack<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Stack<V> {
    /// Creates the specification.
    pub fn new() -> Stack<V> {
        Stack { of: std::marker::PhantomData }
    }
}

impl<V> Default for Stack<V> {
    fn default() -> Stack<V> {
        Stack::new()
    }
}

/// An operation of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Push this value.
    Push(V),
    /// Remove the value on top.
    Pop,
}

/// A response of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The value was pushed.
    Pushed,
    /// The value that was removed; `None` if the stack was empty.
    Popped(Option<V>),
}

impl<V: Datum> Sequential for Stack<V> {
    type State = Vec<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn apply(&self, stack: &mut Vec<V>, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Push(value) => {
                stack.push(value.clone());
                Response::Pushed
            }
            Operation::Pop => Response::Popped(stack.pop()),
        }
    }

    fn reads(&self, _: &Operation<V>, response: Option<&Response<V>>) -> bool {
        response == Some(&Response::Popped(None))
    }

    /// If two values were on the stack at the same time, the one popped later was below the other, so it was pushed first.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let Stays { stays, mut pairs } = Stays::of(history, effect);
        for (below, above) in put_concurrently(&stays) {
            let (below, above) = (&stays[below], &stays[above]);
            if below.put_returned < above.take_invoked && above.take_returned < below.take_invoked {
                pairs.push((below.put, above.put));
            }
        }
        pairs.extend(contradiction(&stays));
        pairs
    }
}

fn effect<'h, V>(seen: &Seen<'h, Operation<V>, Response<V>>) -> Effect<'h, V> {
    match (seen.operation, seen.response) {
        (Operation::Push(value), _) => Effect::Put(value),
        (Operation::Pop, Some(Response::Popped(Some(value)))) => Effect::Took(value),
        (Operation::Pop, Some(Response::Popped(None))) => Effect::FoundEmpty,
        (Operation::Pop, _) => Effect::TookAnything,
    }
}

/// A pair of values that contradicts the times: by the times of the pushes the first was pushed onto the second, but it was popped after the second, so it
/// should have been pushed before.
fn contradiction(stays: &[Stay]) -> Option<(usize, usize)> {
    // The values that are certainly on the stack: by the return of their pop, and by the first invocation of an operation that may have popped them.
    let (mut by_return, mut by_invocation) = (BTreeMap::new(), BTreeSet::new());
    sorted(stays, |stay| stay.put_returned).into_iter().find_map(|at| {
        let stay = &stays[at];
        while let Some(&(invoked, returned, put)) = by_invocation.first()
            && invoked <= stay.put_returned
        {
            by_invocation.pop_first();
            by_return.remove(&(returned, put));
        }
        let mut out_before = by_return.range(..(stay.take_invoked, 0)).map(|(_, &below): (_, &&Stay)| below);
        let below = out_before.find(|below| below.put_returned < stay.put_invoked);
        let pair = below.map(|below| (stay.put, below.put));
        by_invocation.insert((stay.take_invoked, stay.take_returned, stay.put));
        by_return.insert((stay.take_returned, stay.put), stay);
        pair
    })
}
