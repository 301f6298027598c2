//! Values of user types as trees. Only this module parses the output of `Debug`; code that shows, searches or compares parts of values works on the
//! tree.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Maximum depth of a tree; anything nested deeper is one atom, because JSON readers limit nesting.
const DEEPEST: usize = 24;

/// A value as a tree. Shown, it is the one-line output of `Debug` that it was built from, letter by letter.
///
/// In JSON an atom is a string and a list an array; the others are objects with one field: `{"struct": ["Vote", [["term", "2"]]]}`,
/// `{"tuple": ["Some", ["1"]]}`, `{"set": ["1", "2"]}`, `{"map": [["1", "2"]]}`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ValueTree {
    /// A number, a text in quotes, the name of a variant without fields, or anything else that has no parts.
    Atom(String),
    /// A struct or a variant with named fields. A field without a name is the `..` of a struct that does not show all of its fields.
    Struct(String, Vec<(String, ValueTree)>),
    /// A tuple struct or a variant with fields; a tuple, if the name is empty.
    Tuple(String, Vec<ValueTree>),
    /// A list, an array, a slice.
    List(Vec<ValueTree>),
    /// A set.
    Set(Vec<ValueTree>),
    /// A map.
    Map(Vec<(ValueTree, ValueTree)>),
}

impl ValueTree {
    /// The tree of a value.
    pub fn of(value: &impl fmt::Debug) -> ValueTree {
        ValueTree::parse(&format!("{value:?}"))
    }

    /// Parses the output of `Debug`. Text that does not have the usual shape becomes one atom.
    pub fn parse(text: &str) -> ValueTree {
        tree(text, 0)
    }

    /// The first name in the value, which says what kind of value it is: `Vote(1)` is a `Vote`, `(3, Get { key: 1 })` a `Get`. `None` if there is
    /// no name in it: text in quotes and numbers are data.
    pub fn type_name(&self) -> Option<&str> {
        match self {
            ValueTree::Atom(text) => first_name(text),
            ValueTree::Struct(name, fields) => {
                first_name(name).or_else(|| fields.iter().find_map(|(_, value)| value.type_name()))
            }
            ValueTree::Tuple(name, items) => first_name(name).or_else(|| items.iter().find_map(ValueTree::type_name)),
            ValueTree::List(items) | ValueTree::Set(items) => items.iter().find_map(ValueTree::type_name),
            ValueTree::Map(entries) => entries.iter().find_map(|(key, value)| key.type_name().or(value.type_name())),
        }
    }

    /// Whether some atom satisfies `is`.
    pub fn any_atom(&self, is: &mut dyn FnMut(&str) -> bool) -> bool {
        match self {
            ValueTree::Atom(text) => is(text),
            ValueTree::Struct(_, fields) => fields.iter().any(|(_, value)| value.any_atom(is)),
            ValueTree::Tuple(_, items) | ValueTree::List(items) | ValueTree::Set(items) => {
                items.iter().any(|item| item.any_atom(is))
            }
            ValueTree::Map(entries) => entries.iter().any(|(key, value)| key.any_atom(is) || value.any_atom(is)),
        }
    }
}

/// The first identifier of a text that does not stand in quotes and does not begin with a digit.
fn first_name(text: &str) -> Option<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| word(c) || c == '"' || c == '\'') {
        let found = &rest[start..];
        let end = match quoted(found) {
            Some(end) => end,
            None => found.find(|c| !word(c)).unwrap_or(found.len()).max(1),
        };
        if found.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Some(&found[..end]);
        }
        rest = &found[end..];
    }
    None
}

/// How long the literal is with which a text begins, if it begins with a string or a character in quotes. A quote that is never closed is an
/// ordinary character, except that a string extends to the end.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let mut escaped = false;
    let close = text.char_indices().skip(1).find(|&(_, c)| {
        let closes = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    match (quote, close) {
        ('"', close) => Some(close.map_or(text.len(), |(at, _)| at + 1)),
        // `'a'` and `'\u{1f}'` are characters; an apostrophe is not.
        (_, Some((at, _))) if text[1..at].chars().count() == 1 || text[1..at].starts_with('\\') => Some(at + 1),
        _ => None,
    }
}

/// The places of the brackets, commas and colons of a text outside of quotes, with how deep they are nested; `None` if brackets do not match.
fn marks(text: &str) -> Option<Vec<(usize, char, usize)>> {
    let mut marks = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if let Some(length) = quoted(&text[at..]) {
            at += length;
            continue;
        }
        match c {
            '(' | '[' | '{' => {
                marks.push((at, c, open.len()));
                open.push(c);
            }
            ')' | ']' | '}' => {
                let expected = match open.pop()? {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                };
                if c != expected {
                    return None;
                }
                marks.push((at, c, open.len()));
            }
            ',' | ':' => marks.push((at, c, open.len())),
            _ => {}
        }
        at += c.len_utf8();
    }
    open.is_empty().then_some(marks)
}

fn tree(text: &str, depth: usize) -> ValueTree {
    let atom = || ValueTree::Atom(text.to_string());
    if depth == DEEPEST {
        return atom();
    }
    // A tree that does not print as the input was parsed wrongly.
    group(text, depth).filter(|tree| tree.to_string() == text).unwrap_or_else(atom)
}

/// A value with parts, if the text is one: something before brackets that close at its end.
fn group(text: &str, depth: usize) -> Option<ValueTree> {
    let marks = marks(text)?;
    let &(start, open, _) = marks.iter().find(|(_, c, _)| ['(', '[', '{'].contains(c))?;
    let &(end, ..) = marks.iter().find(|&&(at, c, depth)| at > start && depth == 0 && [')', ']', '}'].contains(&c))?;
    if end + 1 != text.len() {
        return None;
    }
    let (name, inside) = (&text[..start], &text[start + 1..end]);
    let trees = |text: &str| items(text).into_iter().map(|item| tree(item, depth + 1)).collect::<Vec<_>>();
    match (open, name) {
        ('(', "") => Some(ValueTree::Tuple(String::new(), trees(inside.strip_suffix(',').unwrap_or(inside)))),
        ('(', name) => Some(ValueTree::Tuple(name.to_string(), trees(inside))),
        ('[', "") => Some(ValueTree::List(trees(inside))),
        ('{', "") => {
            let entries: Option<Vec<_>> = items(inside).into_iter().map(|item| entry(item, depth + 1)).collect();
            match entries.filter(|entries| !entries.is_empty()) {
                Some(entries) => Some(ValueTree::Map(entries)),
                None => Some(ValueTree::Set(trees(inside))),
            }
        }
        ('{', name) => {
            let name = name.strip_suffix(' ')?;
            let inside = inside.strip_prefix(' ')?.strip_suffix(' ')?;
            let fields: Option<Vec<_>> = items(inside).into_iter().map(|item| field(item, depth + 1)).collect();
            Some(ValueTree::Struct(name.to_string(), fields?))
        }
        _ => None,
    }
}

/// The parts between the commas of the outermost level.
fn items(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    for (at, c, depth) in marks(text).unwrap_or_default() {
        if c == ',' && depth == 0 && text[at..].starts_with(", ") {
            items.push(&text[start..at]);
            start = at + 2;
        }
    }
    if start < text.len() {
        items.push(&text[start..]);
    }
    items
}

/// The key and the value of `key: value`.
fn entry(text: &str, depth: usize) -> Option<(ValueTree, ValueTree)> {
    let marks = marks(text)?;
    let colon = marks.iter().find(|&&(at, c, depth)| c == ':' && depth == 0 && text[at..].starts_with(": "));
    colon.map(|&(at, ..)| (tree(&text[..at], depth), tree(&text[at + 2..], depth)))
}

/// A field of a struct.
fn field(text: &str, depth: usize) -> Option<(String, ValueTree)> {
    if text == ".." {
        return Some((String::new(), ValueTree::Atom(text.to_string())));
    }
    let (name, value) = text.split_once(": ")?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '#');
    plain.then(|| (name.to_string(), tree(value, depth)))
}

impl fmt::Display for ValueTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueTree::Atom(text) => f.write_str(text),
            ValueTree::Struct(name, fields) => {
                write!(f, "{name} {{ ")?;
                for (i, (key, value)) in fields.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    let colon = if key.is_empty() { "" } else { ": " };
                    write!(f, "{comma}{key}{colon}{value}")?;
                }
                f.write_str(" }")
            }
            ValueTree::Tuple(name, items) => {
                write!(f, "{name}(")?;
                list(f, items)?;
                f.write_str(if name.is_empty() && items.len() == 1 { ",)" } else { ")" })
            }
            ValueTree::List(items) => bracketed(f, '[', items, ']'),
            ValueTree::Set(items) => bracketed(f, '{', items, '}'),
            ValueTree::Map(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

fn bracketed(f: &mut fmt::Formatter<'_>, open: char, items: &[ValueTree], close: char) -> fmt::Result {
    write!(f, "{open}")?;
    list(f, items)?;
    write!(f, "{close}")
}

fn list(f: &mut fmt::Formatter<'_>, items: &[ValueTree]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Default for ValueTree {
    fn default() -> ValueTree {
        ValueTree::Atom(String::new())
    }
}

/// The trees that are objects in JSON.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Labelled<'t> {
    Struct(&'t str, &'t [(String, ValueTree)]),
    Tuple(&'t str, &'t [ValueTree]),
    Set(&'t [ValueTree]),
    Map(&'t [(ValueTree, ValueTree)]),
}

/// The same, read.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Read {
    Struct(String, Vec<(String, ValueTree)>),
    Tuple(String, Vec<ValueTree>),
    Set(Vec<ValueTree>),
    Map(Vec<(ValueTree, ValueTree)>),
}

impl Serialize for ValueTree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ValueTree::Atom(text) => serializer.serialize_str(text),
            ValueTree::List(items) => items.serialize(serializer),
            ValueTree::Struct(name, fields) => Labelled::Struct(name, fields).serialize(serializer),
            ValueTree::Tuple(name, items) => Labelled::Tuple(name, items).serialize(serializer),
            ValueTree::Set(items) => Labelled::Set(items).serialize(serializer),
            ValueTree::Map(entries) => Labelled::Map(entries).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ValueTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ValueTree, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = ValueTree;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value: a string, a list, or a `struct`, `tuple`, `set` or `map`")
            }

            fn visit_str<E>(self, text: &str) -> Result<ValueTree, E> {
                Ok(ValueTree::Atom(text.to_string()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<ValueTree, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(ValueTree::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ValueTree, A::Error> {
                Ok(match Read::deserialize(MapAccessDeserializer::new(map))? {
                    Read::Struct(name, fields) => ValueTree::Struct(name, fields),
                    Read::Tuple(name, items) => ValueTree::Tuple(name, items),
                    Read::Set(items) => ValueTree::Set(items),
                    Read::Map(entries) => ValueTree::Map(entries),
                })
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn atom(text: &str) -> ValueTree {
        ValueTree::Atom(text.to_string())
    }

    #[test]
    fn debug_output_becomes_a_tree_and_is_shown_as_it_was() {
        #[derive(Debug)]
        #[allow(dead_code)]
        struct Vote {
            term: u8,
            to: Option<&'static str>,
            mark: char,
        }
        let vote = Vote { term: 2, to: Some("a, (b"), mark: '(' };
        let fields = [
            ("term", atom("2")),
            ("to", ValueTree::Tuple("Some".to_string(), vec![atom("\"a, (b\"")])),
            ("mark", atom("'('")),
        ];
        let fields = fields.map(|(name, value)| (name.to_string(), value));
        assert_eq!(ValueTree::of(&vote), ValueTree::Struct("Vote".to_string(), fields.to_vec()));
        assert_eq!(ValueTree::of(&[1, 2]), ValueTree::List(vec![atom("1"), atom("2")]));
        assert_eq!(ValueTree::of(&BTreeSet::from([1])), ValueTree::Set(vec![atom("1")]));
        let map = BTreeMap::from([((1, 2), ":")]);
        let key = ValueTree::Tuple(String::new(), vec![atom("1"), atom("2")]);
        assert_eq!(ValueTree::of(&map), ValueTree::Map(vec![(key, atom("\":\""))]));
        assert_eq!(ValueTree::of(&()), ValueTree::Tuple(String::new(), vec![]));
        assert_eq!(ValueTree::of(&(7,)), ValueTree::Tuple(String::new(), vec![atom("7")]));
        assert_eq!(ValueTree::of(&(7,)).to_string(), "(7,)");
        let hidden = ValueTree::of(&std::sync::Mutex::new(1));
        assert_eq!(hidden.to_string(), "Mutex { data: 1, poisoned: false, .. }");
        assert!(matches!(hidden, ValueTree::Struct(..)));
    }

    #[test]
    fn what_is_not_of_the_usual_shape_is_an_atom() {
        for text in [
            "",
            "1.5s",
            "0..3",
            "a, b",
            "Foo(1) and Bar(2)",
            "(",
            ")",
            "[1)",
            "\"never closed",
            "Foo {x: 1}",
            "it's (not)",
        ] {
            assert_eq!(ValueTree::parse(text).to_string(), text);
        }
        for text in ["a, b", "Foo(1) and Bar(2)", "(", "[1)", "Foo {x: 1}", "vec![1]"] {
            assert_eq!(ValueTree::parse(text), atom(text));
        }
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let tree = ValueTree::parse(&deep);
        assert_eq!(tree.to_string(), deep);
        let json = serde_json::to_string(&tree).unwrap();
        assert_eq!(
            serde_json::from_str::<ValueTree>(&json).unwrap(),
            tree,
            "JSON readers refuse what is nested too deep"
        );
    }

    #[test]
    fn the_first_name_is_the_type() {
        let name = |text: &str| ValueTree::parse(text).type_name().map(str::to_string);
        for (text, expected) in [
            ("Vote(1)", "Vote"),
            ("(3, Get { key: 1 })", "Get"),
            ("Some(Ping)", "Some"),
            ("(\"Put\", Get)", "Get"),
            ("Größe(1)", "Größe"),
        ] {
            assert_eq!(name(text).as_deref(), Some(expected));
        }
        for text in ["42", "\"a \\\" b\"", "\"never closed", "", "(1, [2])"] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn every_kind_of_tree_is_written_to_json_and_read_again() {
        let text = "Log { entries: [(1, \"a\"), (2, None)], votes: {p1, p2}, map: {1: Some(2)}, done: false }";
        let tree = ValueTree::parse(text);
        let json = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<ValueTree>(&json).unwrap(), tree);
        assert!(
            json.starts_with("{\"struct\":[\"Log\",[[\"entries\",[{\"tuple\":[\"\",[\"1\",\"\\\"a\\\"\"]]}"),
            "{json}"
        );
        let wrong = serde_json::from_str::<ValueTree>("{\"strukt\": 1}").unwrap_err().to_string();
        assert!(wrong.contains("unknown variant `strukt`, expected one of `struct`, `tuple`, `set`, `map`"), "{wrong}");
        let wrong = serde_json::from_str::<ValueTree>("7").unwrap_err().to_string();
        assert!(wrong.contains("expected a value: a string, a list, or"), "{wrong}");
    }
}
