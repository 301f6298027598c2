//! A queue: first in, first out.

use super::stays::{Deed, Latest, Stay, Stays, put_together};
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

/// An operation of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation<V> {
    /// Put this at the end.
    Enqueue(V),
    /// Take what is at the front.
    Dequeue,
}

/// A response of a queue.
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

    /// Values are taken out in the order in which they are put in. So the times of puts and the times of takes both show that order: which puts, and which takes, come one after
    /// the other (what is never taken comes last). What follows from them together follows from one of each: a chain of three has a
    /// shortcut, because of four operations, two by two one after the other, the first of one pair also comes before the second of the other.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let Stays { stays, mut pairs } = Stays::of(history, deed);
        let last_put_of_taken = Latest::of(&stays, |stay| (stay.taken_answered, stay.put_asked));
        let last_take_of_put = Latest::of(&stays, |stay| (stay.put_answered, stay.taken_asked));
        let limits: Vec<(usize, usize)> = stays
            .iter()
            .map(|stay| {
                let take = last_take_of_put.before(stay.put_asked);
                (last_put_of_taken.before(stay.taken_asked), take.max(stay.taken_asked))
            })
            .collect();
        let comes_first = |first: &Stay, second: usize| {
            let (put, take) = limits[second];
            first.put_answered < put || first.taken_answered < take
        };
        // Before itself: the times of puts and takes contradict each other.
        let with_itself = (0..stays.len()).map(|at| (at, at));
        let both = put_together(&stays).into_iter().chain(with_itself);
        let in_order = both.filter(|&(first, second)| comes_first(&stays[first], second));
        pairs.extend(in_order.map(|(first, second)| (stays[first].put, stays[second].put)));
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
