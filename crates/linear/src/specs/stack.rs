//! A stack: last in, first out.

use super::stays::{Deed, Stay, Stays, put_together, sorted};
use crate::spec::{Datum, Seen, Sequential};
use std::collections::{BTreeMap, BTreeSet};

/// A stack that is empty at the start.
#[derive(Clone, Debug)]
pub struct Stack<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Stack<V> {
    /// An empty one.
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
    /// Put this on top.
    Push(V),
    /// Take what is on top.
    Pop,
}

/// A response of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// It is on the stack.
    Pushed,
    /// This was on top; nothing, if the stack was empty.
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

    /// What was put in while another value was in, and taken out after it, lay below it: it was put in first.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let Stays { stays, mut pairs } = Stays::of(history, deed);
        for (below, above) in put_together(&stays) {
            let (below, above) = (&stays[below], &stays[above]);
            if below.put_answered < above.taken_asked && above.taken_answered < below.taken_asked {
                pairs.push((below.put, above.put));
            }
        }
        pairs.extend(pulled_out(&stays));
        pairs
    }
}

fn deed<'h, V>(seen: &Seen<'h, Operation<V>, Response<V>>) -> Deed<'h, V> {
    match (seen.operation, seen.response) {
        (Operation::Push(value), _) => Deed::Put(value),
        (Operation::Pop, Some(Response::Popped(Some(value)))) => Deed::Took(value),
        (Operation::Pop, Some(Response::Popped(None))) => Deed::FoundNothing,
        (Operation::Pop, _) => Deed::TookAnything,
    }
}

/// Two values of which the first was put on the second, as their times show, and taken out after it: it should have been put in before.
fn pulled_out(stays: &[Stay]) -> Option<(usize, usize)> {
    // Those that are in for certain: when they were out, and when the first operation was invoked that may have taken them out.
    let (mut until, mut asked_for) = (BTreeMap::new(), BTreeSet::new());
    sorted(stays, |stay| stay.put_answered).into_iter().find_map(|at| {
        let stay = &stays[at];
        while let Some(&(asked, answered, put)) = asked_for.first()
            && asked <= stay.put_answered
        {
            asked_for.pop_first();
            until.remove(&(answered, put));
        }
        let mut out_before = until.range(..(stay.taken_asked, 0)).map(|(_, &below): (_, &&Stay)| below);
        let below = out_before.find(|below| below.put_answered < stay.put_asked);
        let pair = below.map(|below| (stay.put, below.put));
        asked_for.insert((stay.taken_asked, stay.taken_answered, stay.put));
        until.insert((stay.taken_answered, stay.put), stay);
        pair
    })
}
