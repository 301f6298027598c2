//! A queue: first in, first out.

use crate::spec::{Datum, Sequential};
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
}
