//! The order of the writes to a map of texts, inferred from its reads: for [`Spec::precedence`](crate::Spec::precedence) and
//! [`Spec::proposal`](crate::Spec::proposal).
//!
//! A read determines the base and the appended texts that its value consists of (`parse`), in their order, and that no write came in between; so it
//! determines *blocks* of writes and reads (`blocks`). A write whose text is not unique, or may be a part of a longer one, is not recognized, and nothing
//! is inferred about it. Appending the empty text has no observable effect and is ignored.

use super::blocks::{Act, Blocks, Contradiction};
use super::parse::{Parser, Pieces};
use crate::spec::Seen;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The effect of an operation on the text at its key.
#[derive(Clone, Copy)]
pub enum Effect<'h> {
    /// Sets the text.
    Becomes(&'h str),
    /// Appends this text.
    Appends(&'h str),
    /// Reads this text.
    Reads(&'h str),
    /// Reads an unknown text.
    ReadsAnything,
}

/// An operation on a key.
struct Observed<'h> {
    place: usize,
    effect: Effect<'h>,
    invoked: usize,
    returned: Option<usize>,
}

/// The index of the initial value among the writes of a key.
const INITIAL: usize = 0;

/// The limit on the steps of parsing the texts of one key: this many for each byte, in addition to `STEPS`.
const STEPS_PER_BYTE: usize = 64;
const STEPS: usize = 1 << 16;

/// The inferred relations of the operations on one key.
struct Knowledge {
    blocks: Blocks,
    /// Whether every read that returned a known text belongs to a block.
    complete: bool,
    /// The operations without a block that may take effect at any time: reads of an unknown text, and appends of the empty text.
    free: Vec<usize>,
    /// Some read that returned.
    read: Option<usize>,
}

/// See [`Spec::precedence`](crate::Spec::precedence).
pub fn precedence<'h, K: Eq + Hash + 'h, O, R>(
    history: &[Seen<'h, O, R>],
    initial: &'h str,
    effect: impl Fn(&Seen<'h, O, R>) -> (&'h K, Option<Effect<'h>>),
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for key in by_key(history, effect).into_iter().flatten() {
        let of_key = Knowledge::of(&key, initial).and_then(|known| {
            let read = known.read;
            known.blocks.pairs().map_err(|Contradiction(place)| Contradiction(place.or(read)))
        });
        match of_key {
            Ok(more) => pairs.extend(more),
            Err(Contradiction(Some(place))) => return vec![(place, place)],
            Err(Contradiction(None)) => {}
        }
    }
    pairs
}

/// See [`Spec::proposal`](crate::Spec::proposal).
pub fn proposal<'h, K: Eq + Hash + 'h, O, R>(
    history: &[Seen<'h, O, R>],
    initial: &'h str,
    effect: impl Fn(&Seen<'h, O, R>) -> (&'h K, Option<Effect<'h>>),
) -> Option<Vec<usize>> {
    // Each operation takes effect as early as its predecessors on its key allow.
    let mut points: Vec<(usize, usize)> = Vec::with_capacity(history.len());
    for key in by_key(history, effect) {
        let known = Knowledge::of(&key?, initial).ok().filter(|known| known.complete)?;
        let mut now = 0;
        for place in known.blocks.order().ok()? {
            now = now.max(history[place].invoked);
            points.push((now, place));
        }
        points.extend(known.free.iter().map(|&place| (history[place].invoked, place)));
    }
    // The sort is stable: operations on one key keep their order.
    points.sort_by_key(|&(point, _)| point);
    Some(points.into_iter().map(|(_, place)| place).collect())
}

/// The operations on each key; `None` for a key with a value that is not a text.
fn by_key<'h, K: Eq + Hash + 'h, O, R>(
    history: &[Seen<'h, O, R>],
    effect: impl Fn(&Seen<'h, O, R>) -> (&'h K, Option<Effect<'h>>),
) -> Vec<Option<Vec<Observed<'h>>>> {
    let mut number_of: FxHashMap<&K, usize> = FxHashMap::default();
    let mut keys: Vec<Option<Vec<Observed<'h>>>> = Vec::new();
    for (place, seen) in history.iter().enumerate() {
        let (key, effect) = effect(seen);
        let number = *number_of.entry(key).or_insert(keys.len());
        if number == keys.len() {
            keys.push(Some(Vec::new()));
        }
        let Seen { invoked, returned, .. } = *seen;
        match (&mut keys[number], effect) {
            (Some(key), Some(effect)) => key.push(Observed { place, effect, invoked, returned }),
            (known, _) => *known = None,
        }
    }
    keys
}

impl Knowledge {
    fn of<'h>(key: &[Observed<'h>], initial: &'h str) -> Result<Knowledge, Contradiction> {
        let mut pieces = Pieces::default();
        pieces.add_base(initial, INITIAL);
        let (mut writes, mut free, mut bytes) = (vec![Act::INITIAL], Vec::new(), 0);
        for seen in key {
            match (seen.effect, seen.returned) {
                (Effect::Becomes(text), _) => pieces.add_base(text, writes.len()),
                (Effect::Appends(""), None) => continue,
                (Effect::Appends(""), Some(_)) | (Effect::ReadsAnything, Some(_)) => {
                    free.push(seen.place);
                    continue;
                }
                (Effect::Appends(text), _) => pieces.add_appended(text, writes.len()),
                (Effect::Reads(text), _) => {
                    bytes += text.len();
                    continue;
                }
                (Effect::ReadsAnything, None) => continue,
            }
            writes.push(Act::new(seen.place, seen.invoked, seen.returned));
        }
        let mut known = Knowledge { blocks: Blocks::new(writes), complete: true, free, read: None };
        known.add_reads(key, &pieces, STEPS + STEPS_PER_BYTE * bytes)?;
        Ok(known)
    }

    fn add_reads<'h>(&mut self, key: &[Observed<'h>], pieces: &Pieces<'h>, work: usize) -> Result<(), Contradiction> {
        let read = |seen: &Observed<'h>| match (seen.effect, seen.returned) {
            (Effect::Reads(text), Some(_)) => Some((text, Act::new(seen.place, seen.invoked, seen.returned))),
            _ => None,
        };
        let mut reads: Vec<(&str, Act)> = key.iter().filter_map(read).collect();
        self.read = reads.first().and_then(|(_, read)| read.place);
        // Sorting puts texts with common prefixes next to each other, which the parser exploits.
        reads.sort_by_key(|&(text, _)| text);
        let mut parser = Parser::new(pieces, work);
        for same in reads.chunk_by(|(one, _), (other, _)| one == other) {
            let (text, first) = same[0];
            match self.add_text(text, &mut parser).ok_or(Contradiction(first.place))? {
                Some(write) => same.iter().for_each(|&(_, read)| self.blocks.read(write, read)),
                None => self.complete = false,
            }
        }
        Ok(())
    }

    /// Adds the relations that a text implies, and returns its last write, if that is known. `None` if the text is impossible.
    fn add_text<'h>(&mut self, text: &'h str, parser: &mut Parser<'_, 'h>) -> Option<Option<usize>> {
        let parsed = parser.parse(text)?;
        for two in parsed.windows(2) {
            if let [Some(first), Some(second)] = *two
                && !self.blocks.follow(first, second)
            {
                return None;
            }
        }
        Some(parsed.last().copied().flatten())
    }
}
