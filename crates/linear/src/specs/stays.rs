//! The intervals during which values were in a queue or a stack, as implied by responses: for [`Spec::precedence`](crate::Spec::precedence).
//!
//! Only values that are put in once are considered: of equal values it is not known which one was taken. An operation with an unknown
//! response may have taken any value, and a pending operation may have taken its value; neither takes a value before its invocation.

use crate::spec::{Datum, Seen};
use rustc_hash::FxHashMap;

/// The effect of an operation on a queue or a stack.
pub enum Effect<'h, V> {
    /// Puts this value in.
    Put(&'h V),
    /// Takes this value.
    Took(&'h V),
    /// Finds the container empty.
    FoundEmpty,
    /// Takes an unknown value, or finds the container empty.
    TookAnything,
}

/// The interval during which a value was in the container. The put returned, so the value was certainly put in.
pub struct Stay {
    /// The index of the put operation in the history.
    pub put: usize,
    /// The invocation of the put.
    pub put_invoked: usize,
    /// The return of the put.
    pub put_returned: usize,
    /// The earliest invocation of an operation that took the value, or may have taken it; [`NEVER`] if there is none. The value is in the container
    /// at least until then.
    pub take_invoked: usize,
    /// The return of the operation that took the value; [`NEVER`] if it is not known. The value is out of the container after it.
    pub take_returned: usize,
}

/// A time after all events.
pub const NEVER: usize = usize::MAX;

/// The intervals of the values of a history.
pub struct Stays {
    /// The intervals of values that were put in exactly once, by an operation that returned.
    pub stays: Vec<Stay>,
    /// Contradictions, as pairs for [`Spec::precedence`](crate::Spec::precedence): an operation would have to precede itself.
    pub pairs: Vec<(usize, usize)>,
}

/// The operations on one value: the number of puts and of takes that returned, and the last of each.
struct Known {
    puts: usize,
    put: usize,
    takes: usize,
    taken: usize,
    /// The first invocation of a pending operation that may have taken the value.
    maybe_taken: usize,
}

impl Default for Known {
    fn default() -> Known {
        Known { puts: 0, put: 0, takes: 0, taken: 0, maybe_taken: NEVER }
    }
}

impl Stays {
    /// Computes the intervals of the values of a history.
    pub fn of<'h, O, R, V: Datum>(
        history: &[Seen<'h, O, R>],
        effect: impl Fn(&Seen<'h, O, R>) -> Effect<'h, V>,
    ) -> Stays {
        let mut values: FxHashMap<&V, Known> = FxHashMap::default();
        let (mut anything_taken, mut empty) = (NEVER, Vec::new());
        for (place, seen) in history.iter().enumerate() {
            match (effect(seen), seen.returned) {
                (Effect::Put(value), _) => {
                    let known = values.entry(value).or_default();
                    (known.puts, known.put) = (known.puts + 1, place);
                }
                (Effect::Took(value), Some(_)) => {
                    let known = values.entry(value).or_default();
                    (known.takes, known.taken) = (known.takes + 1, place);
                }
                (Effect::Took(value), None) => {
                    let known = values.entry(value).or_default();
                    known.maybe_taken = known.maybe_taken.min(seen.invoked);
                }
                (Effect::FoundEmpty, Some(returned)) => empty.push((place, seen.invoked, returned)),
                (Effect::FoundEmpty, None) => {}
                (Effect::TookAnything, _) => anything_taken = anything_taken.min(seen.invoked),
            }
        }
        let once = values.values().filter(|known| known.puts == 1);
        let mut stays: Vec<Stay> = once.filter_map(|known| stay(history, known, anything_taken)).collect();
        stays.sort_unstable_by_key(|stay| stay.put);
        let mut pairs: Vec<_> = values.values().filter_map(|known| out_of_nothing(history, known)).collect();
        pairs.extend(found_empty(&stays, &empty));
        Stays { stays, pairs }
    }
}

fn stay<O, R>(history: &[Seen<'_, O, R>], known: &Known, anything_taken: usize) -> Option<Stay> {
    let put = &history[known.put];
    let taken = &history[known.taken];
    let (take_invoked, take_returned) = match known.takes {
        0 => (known.maybe_taken.min(anything_taken), NEVER),
        _ => (taken.invoked, taken.returned?),
    };
    Some(Stay { put: known.put, put_invoked: put.invoked, put_returned: put.returned?, take_invoked, take_returned })
}

/// A contradiction if a value was taken more often than it was put in, or before it was put in.
fn out_of_nothing<O, R>(history: &[Seen<'_, O, R>], known: &Known) -> Option<(usize, usize)> {
    let too_often = known.takes > known.puts;
    let too_early =
        known.takes == 1 && known.puts == 1 && history[known.taken].returned < Some(history[known.put].invoked);
    (too_often || too_early).then_some((known.taken, known.taken))
}

/// A contradiction if an operation found the container empty although, by the times, some value was in it during the whole operation.
fn found_empty(stays: &[Stay], empty: &[(usize, usize, usize)]) -> Option<(usize, usize)> {
    let stays_until = Latest::of(stays, |stay| (stay.put_returned, stay.take_invoked));
    let wrong = |&&(_, invoked, returned): &&(usize, usize, usize)| stays_until.before(invoked) > returned;
    empty.iter().find(wrong).map(|&(place, ..)| (place, place))
}

/// For a pair of times of each value: finds the maximum of the second times over all values whose first time is before a given time.
pub struct Latest(Vec<(usize, usize)>);

impl Latest {
    /// Creates the structure from a pair of times of each value.
    pub fn of(stays: &[Stay], times: impl Fn(&Stay) -> (usize, usize)) -> Latest {
        let mut times: Vec<(usize, usize)> = stays.iter().map(times).collect();
        times.sort_unstable();
        let mut latest = 0;
        for (_, time) in &mut times {
            latest = latest.max(*time);
            *time = latest;
        }
        Latest(times)
    }

    /// The maximum of the second times over the values whose first time is before `time`; 0 if there are none.
    pub fn before(&self, time: usize) -> usize {
        let count = self.0.partition_point(|&(first, _)| first < time);
        count.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

/// The pairs of values whose puts overlap, in both orders, as indices.
pub fn put_concurrently(stays: &[Stay]) -> Vec<(usize, usize)> {
    let (mut open, mut pairs): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
    for one in sorted(stays, |stay| stay.put_invoked) {
        open.retain(|&other| stays[other].put_returned >= stays[one].put_invoked);
        pairs.extend(open.iter().flat_map(|&other| [(other, one), (one, other)]));
        open.push(one);
    }
    pairs
}

/// The indices of the intervals, sorted by a time.
pub fn sorted(stays: &[Stay], key: impl Fn(&Stay) -> usize) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..stays.len()).collect();
    sorted.sort_by_key(|&at| (key(&stays[at]), at));
    sorted
}
