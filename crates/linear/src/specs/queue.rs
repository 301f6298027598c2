//! A FIFO queue.

use super::stays::{Effect, Latest, Stay, Stays, put_concurrently};
use crate::spec::{Datum, Seen, Sequential};
use std::collections::VecDeque;

/// A queue that is initially empty.
#[derive(Clone, Debug)]
pub struct Queue<V> {
    of: std::marker::PhantomData<fn() -> V>,
}

impl<V> Queue<V> {
    /// Creates the specification.
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
    /// Append this value at the end.
    Enqueue(V),
    /// Remove the value at the front.
    Dequeue,
}

/// A response of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Response<V> {
    /// The value was enqueued.
    Enqueued,
    /// The value that was removed; `None` if the queue was empty.
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

    /// Values are dequeued in the order in which they are enqueued. So both the real-time order of enqueues and that of dequeues imply the order of values
    /// (a value that is never dequeued comes last). A chain of implications of both kinds can be shortened to one of each kind: if `a` precedes `b` and
    /// `c` precedes `d` in real time, then `a` precedes `d` or `c` precedes `b`.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let Stays { stays, mut pairs } = Stays::of(history, effect);
        let last_put_of_taken = Latest::of(&stays, |stay| (stay.take_returned, stay.put_invoked));
        let last_take_of_put = Latest::of(&stays, |stay| (stay.put_returned, stay.take_invoked));
        let limits: Vec<(usize, usize)> = stays
            .iter()
            .map(|stay| {
                let take = last_take_of_put.before(stay.put_invoked);
                (last_put_of_taken.before(stay.take_invoked), take.max(stay.take_invoked))
            })
            .collect();
        let comes_first = |first: &Stay, second: usize| {
            let (put, take) = limits[second];
            first.put_returned < put || first.take_returned < take
        };
        // A value before itself: the times of enqueues and dequeues contradict each other.
        let with_itself = (0..stays.len()).map(|at| (at, at));
        let both = put_concurrently(&stays).into_iter().chain(with_itself);
        let in_order = both.filter(|&(first, second)| comes_first(&stays[first], second));
        pairs.extend(in_order.map(|(first, second)| (stays[first].put, stays[second].put)));
        pairs
    }
}

fn effect<'h, V>(seen: &Seen<'h, Operation<V>, Response<V>>) -> Effect<'h, V> {
    match (seen.operation, seen.response) {
        (Operation::Enqueue(value), _) => Effect::Put(value),
        (Operation::Dequeue, Some(Response::Dequeued(Some(value)))) => Effect::Took(value),
        (Operation::Dequeue, Some(Response::Dequeued(None))) => Effect::FoundEmpty,
        (Operation::Dequeue, _) => Effect::TookAnything,
    }
}
