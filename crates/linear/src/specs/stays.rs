//! What the responses of a queue or a stack tell about when its values were in it: for [`Spec::precedence`](crate::Spec::precedence).
//!
//! Only values that are put in once tell something; where values come again, nobody knows which of them was taken out. An operation whose response
//! is not known may have taken out anything.

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
    /// Nobody knows what it takes out.
    TookAnything,
}

/// A value that was put in for certain: by whom, and when that was asked and answered; when somebody asked for it, and got it.
pub struct Stay {
    /// The place of the operation that put it in.
    pub put: usize,
    /// When that was asked.
    pub put_asked: usize,
    /// When that was answered.
    pub put_answered: usize,
    /// When the operation was asked that took it out; [`NEVER`], if none did.
    pub taken_asked: usize,
    /// When that was answered.
    pub taken_answered: usize,
}

/// The end of time.
pub const NEVER: usize = usize::MAX;

/// The values of a history.
pub struct Stays {
    /// Those of which it is known whether they were taken out.
    pub stays: Vec<Stay>,
    /// Contradictions, as pairs for [`Spec::precedence`](crate::Spec::precedence): an operation would have to come before one that it comes after, or
    /// before itself.
    pub pairs: Vec<(usize, usize)>,
}

/// What is known about one value.
#[derive(Default)]
struct Known {
    puts: usize,
    put: usize,
    takes: usize,
    taken: usize,
    /// Somebody may have taken it whose answer never came.
    maybe_taken: bool,
}

impl Stays {
    /// The values of a history.
    pub fn of<'h, O, R, V: Datum>(history: &[Seen<'h, O, R>], deed: impl Fn(&Seen<'h, O, R>) -> Deed<'h, V>) -> Stays {
        let mut values: FxHashMap<&V, Known> = FxHashMap::default();
        let (mut anything_taken, mut empty) = (false, Vec::new());
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
                (Deed::Took(value), None) => values.entry(value).or_default().maybe_taken = true,
                (Deed::FoundNothing, Some(returned)) => empty.push((place, seen.invoked, returned)),
                (Deed::FoundNothing, None) => {}
                (Deed::TookAnything, _) => anything_taken = true,
            }
        }
        let known_to_stay = |known: &Known| known.takes > 0 || !known.maybe_taken && !anything_taken;
        let of_one = |known: &Known| stay(history, known);
        let mut stays: Vec<Stay> =
            values.values().filter(|known| known.puts == 1 && known_to_stay(known)).filter_map(of_one).collect();
        stays.sort_unstable_by_key(|stay| stay.put);
        let mut pairs: Vec<_> = values.values().filter_map(|known| out_of_nothing(history, known)).collect();
        pairs.extend(found_nothing(&stays, &empty));
        Stays { stays, pairs }
    }
}

fn stay<O, R>(history: &[Seen<'_, O, R>], known: &Known) -> Option<Stay> {
    let put = &history[known.put];
    let taken = &history[known.taken];
    let (taken_asked, taken_answered) = if known.takes > 0 { (taken.invoked, taken.returned?) } else { (NEVER, NEVER) };
    Some(Stay { put: known.put, put_asked: put.invoked, put_answered: put.returned?, taken_asked, taken_answered })
}

/// A value was taken out more often than it was put in, or before.
fn out_of_nothing<O, R>(history: &[Seen<'_, O, R>], known: &Known) -> Option<(usize, usize)> {
    let too_often = known.takes > known.puts;
    let too_early =
        known.takes == 1 && known.puts == 1 && history[known.taken].returned < Some(history[known.put].invoked);
    (too_often || too_early).then_some((known.taken, known.taken))
}

/// Somebody found nothing while, by the clock, something was in.
fn found_nothing(stays: &[Stay], empty: &[(usize, usize, usize)]) -> Option<(usize, usize)> {
    let put = sorted(stays, |stay| stay.put_answered);
    // Of those put in so far, until when one of them stays at least.
    let longer = |longest: &mut usize, stay: &&Stay| {
        *longest = stay.taken_asked.max(*longest);
        Some(*longest)
    };
    let until: Vec<usize> = put.iter().scan(0, longer).collect();
    empty.iter().find_map(|&(place, asked, answered)| {
        let before = put.partition_point(|stay| stay.put_answered < asked);
        (before > 0 && until[before - 1] > answered).then_some((place, place))
    })
}

/// The pairs of values that were put in at the same time, in either order.
pub fn put_together(stays: &[Stay]) -> Vec<(&Stay, &Stay)> {
    let (mut open, mut pairs): (Vec<&Stay>, Vec<_>) = (Vec::new(), Vec::new());
    for stay in sorted(stays, |stay| stay.put_asked) {
        open.retain(|other| other.put_answered >= stay.put_asked);
        pairs.extend(open.iter().flat_map(|&other| [(other, stay), (stay, other)]));
        open.push(stay);
    }
    pairs
}

/// In the order of some time.
pub fn sorted(stays: &[Stay], key: impl Fn(&Stay) -> usize) -> Vec<&Stay> {
    let mut sorted: Vec<&Stay> = stays.iter().collect();
    sorted.sort_by_key(|stay| (key(stay), stay.put));
    sorted
}
