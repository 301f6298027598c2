//! Conversion of values of traces, such as `Put("a", Some(1))`, to values of recorded histories. Structs with named fields are not supported.

use crate::value::Value;
use manyworlds_core::ValueTree;

/// A Rust value in `Debug` representation.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// An integer, a string or a Boolean.
    Plain(Value),
    /// A variant or a tuple struct with its fields.
    Named(String, Vec<Term>),
    /// A list, a set or a tuple.
    List(Vec<Term>),
}

impl Term {
    /// Converts a value, if recorded histories support its type.
    pub fn of(value: &ValueTree) -> Option<Term> {
        let terms = |values: &[ValueTree]| values.iter().map(Term::of).collect::<Option<Vec<_>>>();
        match value {
            ValueTree::Atom(text) => atom(text),
            ValueTree::List(items) | ValueTree::Set(items) => terms(items).map(Term::List),
            ValueTree::Tuple(name, items) if !name.is_empty() => {
                // A name must be a single word.
                matches!(atom(name)?, Term::Named(..)).then_some(())?;
                Some(Term::Named(name.clone(), terms(items)?))
            }
            ValueTree::Tuple(_, items) if items.is_empty() => Some(Term::Plain(Value::Nil)),
            ValueTree::Tuple(_, items) => terms(items).map(Term::List),
            ValueTree::Struct(..) | ValueTree::Map(_) => None,
        }
    }

    /// Converts to a value: `None` and `()` to nil, and `Some` to its content.
    pub fn value(&self) -> Value {
        match self {
            Term::Plain(value) => value.clone(),
            Term::List(terms) => Value::List(terms.iter().map(Term::value).collect()),
            Term::Named(name, terms) => match (name.as_str(), &terms[..]) {
                ("None", []) => Value::Nil,
                ("Some", [some]) => match some.value() {
                    // `Some(None)` must differ from `None`.
                    Value::Nil => Value::List(vec![Value::Nil]),
                    value => value,
                },
                (name, []) => Value::Str(name.to_string()),
                (name, terms) => {
                    let name = Value::Str(name.to_string());
                    Value::List(std::iter::once(name).chain(terms.iter().map(Term::value)).collect())
                }
            },
        }
    }
}

/// An integer, a quoted string, a Boolean, or a name.
fn atom(text: &str) -> Option<Term> {
    if let Some(rest) = text.strip_prefix('"') {
        return unescaped(rest.strip_suffix('"')?).map(|text| Term::Plain(Value::Str(text)));
    }
    let plain = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.:'".contains(c));
    match (text, text.parse()) {
        ("true", _) => Some(Term::Plain(Value::Bool(true))),
        ("false", _) => Some(Term::Plain(Value::Bool(false))),
        (_, Ok(number)) => Some(Term::Plain(Value::Int(number))),
        _ => (plain && !text.ends_with(':')).then(|| Term::Named(text.to_string(), Vec::new())),
    }
}

/// The content of a quoted string, with escapes replaced.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                'u' => {
                    let code: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                    char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
                }
                other => other,
            },
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_debug_representations() {
        let printed = |value: &dyn std::fmt::Debug| Term::of(&ValueTree::of(&value)).unwrap().value().to_string();
        assert_eq!(printed(&(1, -2, "a\"\n\u{7}é", [true])), "[1 -2 \"a\\\"\\n\\u{7}é\" [true]]");
        assert_eq!(printed(&[Some(1), None]), "[1 nil]");
        assert_eq!(printed(&(Some(None::<u8>), ())), "[[nil] nil]");
        assert_eq!(printed(&(std::cmp::Ordering::Less, Ok::<u8, ()>(3))), "[\"Less\" [\"Ok\" 3]]");
        assert_eq!(
            Term::of(&ValueTree::parse("Put(\"a\", 1)")).map(|term| term.value().to_string()),
            Some("[\"Put\" \"a\" 1]".to_string())
        );
    }

    #[test]
    fn malformed_values_are_none() {
        for text in
            ["", "Write(", "Write(1", "P { x: 1 }", "Write(1))", "\"a", "[1 2]", "\"\\u{zz}\"", &"[".repeat(100_000)]
        {
            assert_eq!(Term::of(&ValueTree::parse(text)), None, "{text}");
        }
    }
}
