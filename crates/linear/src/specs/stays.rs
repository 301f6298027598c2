//! When the values of a queue or a stack were in it, as its responses show: for [`Spec::precedence`](crate::Spec::precedence).
//!
//! Only values that are put in once are considered: of equal values it is not known which one was taken out. An operation whose response
//! is not known may take out anything, and a pending one may take out something; before they are invoked, they do not.

use crate::spec::{Datum, Seen};
use rustc_hash::FxHashMap;

/// What an operation does with values.
pub enum Deed<'h, V> {
    /// It puts this in.
    Put(&'h V),
    /// It takes this out.
    Took(&'h V),
    /// It finds that nothing is in.
    FoundNothing,
    /// What it takes out is not known.
    TookAnything,
}

/// A value that was put in for certain: by which operation, and when that was invoked and returned; when it was taken out.
pub struct Stay {
    /// The place of the operation that put it in.
    pub put: usize,
    /// When that was invoked.
    pub put_asked: usize,
    /// When that returned.
    pub put_answered: usize,
    /// It is in at least until then: the operation was invoked that took it out, or may have; [`NEVER`] if there is none.
    pub taken_asked: usize,
    /// It is out then; [`NEVER`], if that is not known.
    pub taken_answered: usize,
}

/// The end of time.
pub const NEVER: usize = usize::MAX;

/// The values of a history.
pub struct Stays {
    /// Those that were put in for certain, and once.
    pub stays: Vec<Stay>,
    /// Contradictions, as pairs for [`Spec::precedence`](crate::Spec::precedence): an operation would have to come before one that it comes after, or
    /// before itself.
    pub pairs: Vec<(usize, usize)>,
}

/// What is known about one value.
struct Known {
    puts: usize,
    put: usize,
    takes: usize,
    taken: usize,
    /// When the first pending operation was invoked that may have taken it out.
    maybe_taken: usize,
}

impl Default for Known {
    fn default() -> Known {
        Known { puts: 0, put: 0, takes: 0, taken: 0, maybe_taken: NEVER }
    }
}

impl Stays {
    /// The values of a history.
    pub fn of<'h, O, R, V: Datum>(history: &[Seen<'h, O, R>], deed: impl Fn(&Seen<'h, O, R>) -> Deed<'h, V>) -> Stays {
        let mut values: FxHashMap<&V, Known> = FxHashMap::default();
        let (mut anything_taken, mut empty) = (NEVER, Vec::new());
        for (place, seen) in history.iter().enumerate() {
            match (deed(seen), seen.returned) {
                (Deed::Put(value), _) => {
                    let known = values.entry(value).or_default();
                    (known.puts, known.put) = (known.puts + 1, place);
                }
                (Deed::Took(value), Some(_)) => {
                    let known = values.entry(value).or_default();
                    (known.takes, known.taken) = (known.takes + 1, place);
                }
                (Deed::Took(value), None) => {
                    let known = values.entry(value).or_default();
                    known.maybe_taken = known.maybe_taken.min(seen.invoked);
                }
                (Deed::FoundNothing, Some(returned)) => empty.push((place, seen.invoked, returned)),
                (Deed::FoundNothing, None) => {}
                (Deed::TookAnything, _) => anything_taken = anything_taken.min(seen.invoked),
            }
        }
        let once = values.values().filter(|known| known.puts == 1);
        let mut stays: Vec<Stay> = once.filter_map(|known| stay(history, known, anything_taken)).collect();
        stays.sort_unstable_by_key(|stay| stay.put);
        let mut pairs: Vec<_> = values.values().filter_map(|known| out_of_nothing(history, known)).collect();
        pairs.extend(found_nothing(&stays, &empty));
        Stays { stays, pairs }
    }
}

fn stay<O, R>(history: &[Seen<'_, O, R>], known: &Known, anything_taken: usize) -> Option<Stay> {
    let put = &history[known.put];
    let taken = &history[known.taken];
    let (taken_asked, taken_answered) = match known.takes {
        0 => (known.maybe_taken.min(anything_taken), NEVER),
        _ => (taken.invoked, taken.returned?),
    };
    Some(Stay { put: known.put, put_asked: put.invoked, put_answered: put.returned?, taken_asked, taken_answered })
}

/// A value was taken out more often than it was put in, or before.
fn out_of_nothing<O, R>(history: &[Seen<'_, O, R>], known: &Known) -> Option<(usize, usize)> {
    let too_often = known.takes > known.puts;
    let too_early =
        known.takes == 1 && known.puts == 1 && history[known.taken].returned < Some(history[known.put].invoked);
    (too_often || too_early).then_some((known.taken, known.taken))
}

/// An operation found nothing although, by the times, something was in during all of it.
fn found_nothing(stays: &[Stay], empty: &[(usize, usize, usize)]) -> Option<(usize, usize)> {
    let stays_until = Latest::of(stays, |stay| (stay.put_answered, stay.taken_asked));
    let wrong = |&&(_, asked, answered): &&(usize, usize, usize)| stays_until.before(asked) > answered;
    empty.iter().find(wrong).map(|&(place, ..)| (place, place))
}

/// Answers: of all values that had got somewhere before a time, the latest time of something else.
pub struct Latest(Vec<(usize, usize)>);

impl Latest {
    /// Of two times of each value.
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

    /// The latest second time of those whose first is before this; 0, if there are none.
    pub fn before(&self, time: usize) -> usize {
        let count = self.0.partition_point(|&(first, _)| first < time);
        count.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

/// The pairs of values that were put in at the same time, in either order, as indices.
pub fn put_together(stays: &[Stay]) -> Vec<(usize, usize)> {
    let (mut open, mut pairs): (Vec<usize>, Vec<_>) = (Vec::new(), Vec::new());
    for one in sorted(stays, |stay| stay.put_asked) {
        open.retain(|&other| stays[other].put_answered >= stays[one].put_asked);
        pairs.extend(open.iter().flat_map(|&other| [(other, one), (one, other)]));
        open.push(one);
    }
    pairs
}

/// Their indices in the order of some time.
pub fn sorted(stays: &[Stay], key: impl Fn(&Stay) -> usize) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..stays.len()).collect();
    sorted.sort_by_key(|&at| (key(&stays[at]), at));
    sorted
}
