//! A queue: first in, first out.

use crate::spec::{Datum, Seen, Sequential};
use rustc_hash::FxHashMap;
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

    /// What was taken out first was put in first, and what stays was put in after what was taken out. Only values that are put in once tell.
    fn precedence(&self, history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<(usize, usize)> {
        let stays = stays(history);
        first_in_first_out(&stays)
    }
}

/// A value in a queue: the operation that put it in, and when that was asked and answered; when somebody asked for it and got it.
#[derive(Clone, Copy)]
struct Stay {
    put: usize,
    put_asked: usize,
    put_answered: usize,
    /// The end of time, if nobody did.
    taken_asked: usize,
    taken_answered: usize,
}

const NEVER: usize = usize::MAX;

/// What is known about one value.
#[derive(Default)]
struct Known {
    puts: usize,
    put: usize,
    taken: Option<usize>,
    /// Somebody may have taken it whose answer never came.
    maybe_taken: bool,
}

/// The values that were certainly put in, once, and of which it is known whether they were taken out.
fn stays<V: Datum>(history: &[Seen<'_, Operation<V>, Response<V>>]) -> Vec<Stay> {
    let mut values: FxHashMap<&V, Known> = FxHashMap::default();
    let mut anything_taken = false;
    for (place, seen) in history.iter().enumerate() {
        match (seen.operation, seen.response) {
            (Operation::Enqueue(value), _) => {
                let known = values.entry(value).or_default();
                (known.puts, known.put) = (known.puts + 1, place);
            }
            (Operation::Dequeue, Some(Response::Dequeued(Some(value)))) => {
                let known = values.entry(value).or_default();
                match seen.returned {
                    Some(_) => known.taken = Some(place),
                    None => known.maybe_taken = true,
                }
            }
            (Operation::Dequeue, Some(Response::Dequeued(None))) => {}
            (Operation::Dequeue, _) => anything_taken = true,
        }
    }
    let stay = |known: &Known| {
        let put = &history[known.put];
        let taken = match known.taken {
            Some(place) => (history[place].invoked, history[place].returned?),
            None if known.maybe_taken || anything_taken => return None,
            None => (NEVER, NEVER),
        };
        Some(Stay {
            put: known.put,
            put_asked: put.invoked,
            put_answered: put.returned?,
            taken_asked: taken.0,
            taken_answered: taken.1,
        })
    };
    values.values().filter(|known| known.puts == 1).filter_map(stay).collect()
}

/// The pairs of operations that put something in at the same time, of which it shows later who was first; and one pair that contradicts the
/// times at which they were asked, if there is one.
fn first_in_first_out(stays: &[Stay]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut order = |first: &Stay, second: &Stay| {
        if first.taken_answered < second.taken_asked {
            pairs.push((first.put, second.put));
        }
    };
    let mut open: Vec<&Stay> = Vec::new();
    for stay in sorted(stays, |stay| stay.put_asked) {
        open.retain(|other| other.put_answered >= stay.put_asked);
        for other in &open {
            order(other, stay);
            order(stay, other);
        }
        open.push(stay);
    }
    // Of those that were taken out so far, the one that was put in last.
    let mut gone = sorted(stays, |stay| stay.taken_answered).into_iter().peekable();
    let mut latest: Option<&Stay> = None;
    for stay in sorted(stays, |stay| stay.taken_asked) {
        while let Some(other) = gone.next_if(|other| other.taken_answered < stay.taken_asked) {
            latest = latest.into_iter().chain([other]).max_by_key(|stay| stay.put_asked);
        }
        if let Some(latest) = latest.filter(|latest| latest.put_asked > stay.put_answered) {
            pairs.push((latest.put, stay.put));
            break;
        }
    }
    pairs
}

fn sorted(stays: &[Stay], key: impl Fn(&Stay) -> usize) -> Vec<&Stay> {
    let mut sorted: Vec<&Stay> = stays.iter().collect();
    sorted.sort_by_key(|stay| (key(stay), stay.put));
    sorted
}
