//! A queue: first in, first out.

use super::stays::{Deed, Stay, Stays, put_together, sorted};
use crate::spec::{Datum, Seen, Sequential};
use std::collections::VecDeque;

/// A queue that is empty at the start.
#[derive(Clone, Debug)]
pub struct Queue<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Queue<V> {
    /// An empty one.
    pub fn new() -> Queue<V> {
        Queue { of: std::marker::PhantomData }
    }
}

impl<V> Default for Queue<V> {
    fn default() -> Queue<V> {
        Queue::new()
    }
}

/// What can be asked of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Put this at the end.
    Enqueue(V),
    /// Take what is at the front.
    Dequeue,
}

/// What a queue answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// It is in the queue.
    Enqueued,
    /// This was at the front; nothing, if the queue was empty.
    Dequeued(Option<V>),
}

impl<V: Datum> Sequential for Queue<V> {
    type State = VecDeque<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> VecDeque<V> {
        VecDeque::new()
    }

    fn apply(&self, queue: &mut VecDeque<V>, operation: &Operation<V>) -> Response<V> {
        match operation {
            Operation::Enqueue(value) => {
                queue.push_back(value.clone());
                Response::Enqueued
            }
            Operation::Dequeue => Response::Dequeued(queue.pop_front()),
        }
    }

    fn reads(&self, _: &Operation<V>, response: Option<&Response<V>>) -> bool {
        response == Some(&Response::Dequeued(None))
    }

    /// What was taken out first was put in first, and what stays was put in after what was taken out.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let Stays { stays, mut pairs } = Stays::of(history, deed);
        for (one, other) in put_together(&stays) {
            if one.taken_answered < other.taken_asked {
                pairs.push((one.put, other.put));
            }
        }
        pairs.extend(overtaken(&stays));
        pairs
    }
}

fn deed<'h, V>(seen: &Seen<'h, Operation<V>, Response<V>>) -> Deed<'h, V> {
    match (seen.operation, seen.response) {
        (Operation::Enqueue(value), _) => Deed::Put(value),
        (Operation::Dequeue, Some(Response::Dequeued(Some(value)))) => Deed::Took(value),
        (Operation::Dequeue, Some(Response::Dequeued(None))) => Deed::FoundNothing,
        (Operation::Dequeue, _) => Deed::TookAnything,
    }
}

/// Two values of which the first was put in after the second, by the clock, and taken out before it.
fn overtaken(stays: &[Stay]) -> Option<(usize, usize)> {
    let mut gone = sorted(stays, |stay| stay.taken_answered).into_iter().peekable();
    // Of those that were taken out so far, the one that was put in last.
    let mut latest: Option<&Stay> = None;
    sorted(stays, |stay| stay.taken_asked).into_iter().find_map(|stay| {
        while let Some(other) = gone.next_if(|other| other.taken_answered < stay.taken_asked) {
            latest = latest.into_iter().chain([other]).max_by_key(|stay| stay.put_asked);
        }
        let latest = latest.filter(|latest| latest.put_asked > stay.put_answered)?;
        Some((latest.put, stay.put))
    })
}
