//! Parsing of texts into the writes that they consist of.
//!
//! A map with appends holds a *base* (its initial text, or one that was put) followed by the texts that were appended since. A text that was read can
//! often be split into such pieces in only one way. If it can be split in several ways, the pieces common to all of them are still known: those
//! between two positions at which every way splits the text, if no other piece matches between them.

use rustc_hash::FxHashMap;

/// A write, as an index chosen by the caller.
pub type Id = usize;

/// The writes that have the same text.
#[derive(Clone, Copy)]
enum Owner {
    One(Id),
    Several,
}

/// One piece of a text: the write that it comes from, if only one is possible.
pub type Piece = Option<Id>;

/// The texts that values may begin with, or the texts that were appended.
#[derive(Default)]
struct Texts<'t> {
    owners: FxHashMap<&'t [u8], Owner>,
    /// The lengths of the texts, without repetition.
    lengths: Vec<usize>,
}

impl<'t> Texts<'t> {
    fn add(&mut self, text: &'t str, id: Id) {
        self.owners.entry(text.as_bytes()).and_modify(|owner| *owner = Owner::Several).or_insert(Owner::One(id));
        if let Err(at) = self.lengths.binary_search(&text.len()) {
            self.lengths.insert(at, text.len());
        }
    }
}

/// The texts that a value may consist of.
#[derive(Default)]
pub struct Pieces<'t> {
    bases: Texts<'t>,
    appended: Texts<'t>,
}

impl<'t> Pieces<'t> {
    /// Adds a text with which a value may begin.
    pub fn add_base(&mut self, text: &'t str, id: Id) {
        self.bases.add(text, id);
    }

    /// Adds a text that was appended. It must not be empty.
    pub fn add_appended(&mut self, text: &'t str, id: Id) {
        self.appended.add(text, id);
    }
}

/// The start of every text, before its base. The position before the first byte is 1.
const START: usize = 0;

/// A possible piece of a text.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    owner: Owner,
}

/// Splits texts into pieces. The common prefix of a text with the previous one is not parsed again, so texts should be passed in sorted order.
pub struct Parser<'p, 't> {
    pieces: &'p Pieces<'t>,
    /// The last text, all its pieces that begin at a reachable position, and the reachable positions.
    text: &'t [u8],
    edges: Vec<Edge>,
    reached: Vec<bool>,
    /// The number of steps left.
    work: usize,
}

impl<'p, 't> Parser<'p, 't> {
    /// Creates a parser that stops after `work` steps: then no piece is certain.
    pub fn new(pieces: &'p Pieces<'t>, work: usize) -> Parser<'p, 't> {
        let mut parser = Parser { pieces, text: &[], edges: Vec::new(), reached: vec![false; 2], work };
        parser.add_edges(START, 0, None);
        parser
    }

    /// The pieces of a text from its base to its end, with `None` for a section whose pieces are not certain. `None` if the text does not consist
    /// of pieces.
    pub fn parse(&mut self, text: &'t str) -> Option<Vec<Piece>> {
        let text = text.as_bytes();
        let common = self.text.iter().zip(text).take_while(|(one, other)| one == other).count();
        self.text = text;
        self.edges.retain(|edge| edge.to <= common + 1);
        self.reached.truncate(common + 2);
        self.reached.resize(text.len() + 2, false);
        self.add_edges(START, 0, Some(common));
        // Only pieces that extend beyond the common prefix are new.
        let longest = self.pieces.appended.lengths.last().copied().unwrap_or(0);
        for start in (common + 1).saturating_sub(longest)..text.len() {
            if self.reached[start + 1] {
                self.add_edges(start + 1, start, Some(common));
            }
        }
        match self.work {
            0 => Some(vec![None]),
            _ => self.reached[text.len() + 1].then(|| certain(self.edges.clone(), text.len() + 1)),
        }
    }

    /// Adds the pieces that begin at byte `start` and end beyond the first `common` bytes, if that is given.
    fn add_edges(&mut self, from: usize, start: usize, common: Option<usize>) {
        let texts = if from == START { &self.pieces.bases } else { &self.pieces.appended };
        for &len in &texts.lengths {
            let end = start + len;
            if end > self.text.len() {
                break;
            }
            if common.is_some_and(|common| end <= common) {
                continue;
            }
            self.work = self.work.saturating_sub(1 + len / 8);
            if let Some(&owner) = texts.owners.get(&self.text[start..end]) {
                self.reached[end + 1] = true;
                self.edges.push(Edge { from, to: end + 1, owner });
            }
            if self.work == 0 {
                return;
            }
        }
    }
}

/// The pieces common to all paths from [`START`] to `end`. All edges begin at positions reachable from the start.
fn certain(mut edges: Vec<Edge>, end: usize) -> Vec<Piece> {
    // Drop edges from which the end is not reachable, later edges first, because that depends on the later edges that are kept.
    let mut leads_to_end = vec![false; end + 1];
    leads_to_end[end] = true;
    edges.sort_unstable_by_key(|edge| std::cmp::Reverse(edge.to));
    edges.retain(|edge| {
        leads_to_end[edge.from] |= leads_to_end[edge.to];
        leads_to_end[edge.to]
    });
    edges.sort_unstable_by_key(|edge| edge.from);
    // Every path passes a position if no edge spans it: it is then the greatest end of the edges so far.
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < edges.len() {
        let (mut farthest, first) = (edges[at].to, at);
        at += 1;
        while let Some(edge) = edges.get(at).filter(|edge| edge.from < farthest) {
            farthest = farthest.max(edge.to);
            at += 1;
        }
        pieces.push(match &edges[first..at] {
            [Edge { owner: Owner::One(id), .. }] => Some(*id),
            _ => None,
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bases: &[&str], appended: &[&str], text: &str) -> Option<Vec<Piece>> {
        let mut pieces = Pieces::default();
        bases.iter().enumerate().for_each(|(id, text)| pieces.add_base(text, id));
        appended.iter().enumerate().for_each(|(id, text)| pieces.add_appended(text, 10 + id));
        let fresh = Parser::new(&pieces, 1000).parse(text);
        // The same after any other text.
        for before in ["", "a", "abc", "dabce", "cab", "xa"] {
            let mut parser = Parser::new(&pieces, 1000);
            parser.parse(before);
            assert_eq!(parser.parse(text), fresh, "{text} after {before}");
        }
        fresh
    }

    #[test]
    fn exactly_the_certain_pieces_are_found() {
        assert_eq!(parse(&[""], &["ab", "c"], "cab"), Some(vec![Some(0), Some(11), Some(10)]));
        assert_eq!(parse(&[""], &["ab", "c"], ""), Some(vec![Some(0)]));
        assert_eq!(parse(&[""], &["ab", "c"], "ca"), None, "no piece ends with a");
        assert_eq!(parse(&["x"], &["ab"], "ab"), None, "no base begins with a");
        assert_eq!(parse(&["x", "x"], &["ab"], "xab"), Some(vec![None, Some(10)]), "two bases have this text");
        assert_eq!(parse(&[""], &["a", "a", "b"], "bab"), Some(vec![Some(0), Some(12), None, Some(12)]));
        // a + bc or ab + c, but d in any case.
        assert_eq!(parse(&[""], &["a", "bc", "ab", "c", "d"], "dabcd"), Some(vec![Some(0), Some(14), None, Some(14)]));
        // The base may be empty or a.
        assert_eq!(parse(&["", "a"], &["a", "b"], "ab"), Some(vec![None, Some(11)]));
        // A split that does not reach the end is ignored.
        assert_eq!(parse(&[""], &["a", "ab", "c"], "abc"), Some(vec![Some(0), Some(11), Some(12)]));
        assert_eq!(parse(&["", "ab"], &["c"], "abc"), Some(vec![Some(1), Some(10)]));
    }

    #[test]
    fn work_is_bounded() {
        let mut pieces = Pieces::default();
        pieces.add_base("", 0);
        pieces.add_appended("a", 1);
        assert_eq!(Parser::new(&pieces, 3).parse("aaaa"), Some(vec![None]));
    }
}
