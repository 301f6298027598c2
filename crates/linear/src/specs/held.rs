//! Values of a map that share common prefixes of texts.
//!
//! A text after an append refers to the text before it, so that a state of a long history is a few words and not a copy of a long text.

use super::map::Append;
use crate::spec::Datum;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of a map. Two are equal if and only if the values are equal, whatever pieces they consist of.
#[derive(Clone)]
pub struct Held<V>(Form<V>);

#[derive(Clone)]
enum Form<V> {
    /// A value that is not a text.
    Whole(V),
    /// A text.
    Text(Arc<Piece<V>>),
}

/// A text: the text before the last append, and the appended text.
struct Piece<V> {
    before: Option<Arc<Piece<V>>>,
    appended: V,
    /// The length of the whole text.
    len: usize,
    /// A polynomial in the bytes of the whole text: it does not depend on the boundaries of the pieces.
    hash: u64,
}

impl<V> Drop for Piece<V> {
    /// Iterative: the many pieces of a long text would overflow the stack in a recursion.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut piece) = before.and_then(Arc::into_inner) {
            before = piece.before.take();
        }
    }
}

fn hash_on(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| hash.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(byte) + 1))
}

impl<V: Datum + Append> Held<V> {
    /// Creates a value without shared pieces.
    pub fn new(value: V) -> Held<V> {
        match value.as_text().map(|text| (text.len(), hash_on(0, text))) {
            Some((len, hash)) => Held(Form::Text(Arc::new(Piece { before: None, appended: value, len, hash }))),
            None => Held(Form::Whole(value)),
        }
    }

    /// The value with `more` appended.
    pub fn appended(&self, more: &V) -> Held<V> {
        match (&self.0, more.as_text()) {
            (Form::Text(_), Some("")) => self.clone(),
            (Form::Text(before), Some(text)) => {
                let (len, hash) = (before.len + text.len(), hash_on(before.hash, text));
                let piece = Piece { before: Some(before.clone()), appended: more.clone(), len, hash };
                Held(Form::Text(Arc::new(piece)))
            }
            _ => {
                let mut value = self.value();
                value.append(more);
                Held::new(value)
            }
        }
    }

    /// The value as one piece.
    pub fn value(&self) -> V {
        match &self.0 {
            Form::Whole(value) => value.clone(),
            Form::Text(last) => {
                let mut pieces: Vec<&V> = last.backwards().map(|piece| &piece.appended).collect();
                let mut value = pieces.pop().expect("a text has a first piece").clone();
                pieces.into_iter().rev().for_each(|piece| value.append(piece));
                value
            }
        }
    }

    /// Whether this equals `value`.
    pub fn is(&self, value: &V) -> bool {
        match (&self.0, value.as_text()) {
            (Form::Whole(mine), None) => mine == value,
            (Form::Text(last), Some(mut text)) => {
                last.len == text.len()
                    && last.backwards().all(|piece| match text.strip_suffix(piece.text()) {
                        Some(rest) => {
                            text = rest;
                            true
                        }
                        None => false,
                    })
            }
            _ => false,
        }
    }
}

impl<V: Append> Piece<V> {
    fn text(&self) -> &str {
        self.appended.as_text().expect("only texts are made of pieces")
    }

    /// This piece and those before it, last first.
    fn backwards(&self) -> impl Iterator<Item = &Piece<V>> {
        std::iter::successors(Some(self), |piece| piece.before.as_deref())
    }

    /// Whether two texts of the same length are equal. Compares backward from the end; once both reach a shared piece, the rest is equal.
    fn same(&self, other: &Piece<V>) -> bool {
        let (mut mine, mut theirs) = (Some(self), Some(other));
        let (mut left, mut right) = (self.text().as_bytes(), other.text().as_bytes());
        while let (Some(a), Some(b)) = (mine, theirs) {
            if std::ptr::eq(a, b) && left.len() == right.len() {
                return true;
            }
            let len = left.len().min(right.len());
            let (rest, end) = left.split_at(left.len() - len);
            let (other_rest, other_end) = right.split_at(right.len() - len);
            if end != other_end {
                return false;
            }
            (left, right) = (rest, other_rest);
            if left.is_empty() {
                mine = a.before.as_deref();
                left = mine.map_or(&[], |piece| piece.text().as_bytes());
            }
            if right.is_empty() {
                theirs = b.before.as_deref();
                right = theirs.map_or(&[], |piece| piece.text().as_bytes());
            }
        }
        left.is_empty() && right.is_empty()
    }
}

impl<V: Datum + Append> PartialEq for Held<V> {
    fn eq(&self, other: &Held<V>) -> bool {
        match (&self.0, &other.0) {
            (Form::Whole(mine), Form::Whole(theirs)) => mine == theirs,
            (Form::Text(mine), Form::Text(theirs)) => {
                mine.len == theirs.len && mine.hash == theirs.hash && mine.same(theirs)
            }
            _ => false,
        }
    }
}

impl<V: Datum + Append> Eq for Held<V> {}

impl<V: Datum + Append> Hash for Held<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Form::Whole(value) => value.hash(state),
            Form::Text(last) => state.write_u64(last.hash),
        }
    }
}

impl<V: Datum + Append> fmt::Debug for Held<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(pieces: &[&str]) -> Held<String> {
        let first = Held::new(pieces[0].to_string());
        pieces[1..].iter().fold(first, |held, piece| held.appended(&piece.to_string()))
    }

    /// All ways to split all texts over two letters of up to four letters into three pieces, some of them empty, compared with the texts themselves.
    #[test]
    fn values_are_equal_if_and_only_if_their_texts_are() {
        let texts: Vec<String> = (0..5).flat_map(|len| (0..1 << len).map(move |bits: u32| text(len, bits))).collect();
        let cut = |text: &str| -> Vec<Held<String>> {
            let cuts = (0..=text.len()).flat_map(|one| (one..=text.len()).map(move |two| (one, two)));
            cuts.map(|(one, two)| held(&[&text[..one], &text[one..two], &text[two..]])).collect()
        };
        let all: Vec<(&String, Held<String>)> =
            texts.iter().flat_map(|text| cut(text).into_iter().map(move |held| (text, held))).collect();
        let mut compared = 0;
        for (text, value) in &all {
            assert_eq!(value.value(), **text);
            for (other, other_value) in &all {
                assert_eq!(value == other_value, text == other, "{text:?} {other:?}");
                assert_eq!(value.is(other), text == other, "{text:?} {other:?}");
                compared += 1;
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    fn text(len: u32, bits: u32) -> String {
        (0..len).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect()
    }

    #[test]
    fn a_text_of_many_pieces_is_dropped() {
        let mut value = Held::new(String::new());
        (0..300_000).for_each(|_| value = value.appended(&"x".to_string()));
        assert_eq!(value.value().len(), 300_000);
    }

    #[test]
    fn numbers_are_added() {
        assert_eq!(Held::new(3u8).appended(&4), Held::new(7));
        assert!(Held::new(3u8).appended(&4).is(&7));
    }
}
