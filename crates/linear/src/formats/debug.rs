//! Values as Rust's `Debug` prints them in one line: `Put("a", Some(1))`. Structs with named fields are not needed.

use crate::value::Value;

/// Values may be nested so deep.
const DEEPEST: usize = 64;

/// A value of Rust.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// A number, a text or a truth.
    Plain(Value),
    /// A variant or a tuple struct, and what is in it.
    Named(String, Vec<Term>),
    /// A list, a set, a tuple.
    List(Vec<Term>),
}

impl Term {
    /// What a text says, if it can be read.
    pub fn parse(text: &str) -> Option<Term> {
        let mut reader = Reader { rest: text };
        let term = reader.term(0)?;
        reader.rest.trim().is_empty().then_some(term)
    }

    /// As a value: `None` and `()` are nothing, and `Some` is what is in it.
    pub fn value(&self) -> Value {
        match self {
            Term::Plain(value) => value.clone(),
            Term::List(terms) => Value::List(terms.iter().map(Term::value).collect()),
            Term::Named(name, terms) => match (name.as_str(), &terms[..]) {
                ("None", []) => Value::Nil,
                ("Some", [some]) => match some.value() {
                    // What is there, but nothing, is not the same as nothing.
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

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn take(&mut self, bytes: usize) -> &str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn term(&mut self, depth: usize) -> Option<Term> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next().filter(|_| depth <= DEEPEST)? {
            '"' => self.text().map(|text| Term::Plain(Value::Str(text))),
            '[' => self.terms(']', depth).map(Term::List),
            '{' => self.terms('}', depth).map(Term::List),
            '(' => match self.terms(')', depth)? {
                terms if terms.is_empty() => Some(Term::Plain(Value::Nil)),
                terms => Some(Term::List(terms)),
            },
            _ => self.word(depth),
        }
    }

    /// A number, or a name and what is in it.
    fn word(&mut self, depth: usize) -> Option<Term> {
        let ends = |c: char| !(c.is_alphanumeric() || "_-.:'".contains(c));
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = self.take(end).to_string();
        if word.is_empty() || word.ends_with(':') {
            return None;
        }
        match (word.as_str(), word.parse()) {
            ("true", _) => Some(Term::Plain(Value::Bool(true))),
            ("false", _) => Some(Term::Plain(Value::Bool(false))),
            (_, Ok(number)) => Some(Term::Plain(Value::Int(number))),
            _ if self.rest.starts_with('(') => Some(Term::Named(word, self.terms(')', depth)?)),
            _ => Some(Term::Named(word, Vec::new())),
        }
    }

    /// What stands between the opener that comes next and its closer.
    fn terms(&mut self, closer: char, depth: usize) -> Option<Vec<Term>> {
        self.take(1);
        let mut terms = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix(closer) {
                self.rest = rest;
                return Some(terms);
            }
            terms.push(self.term(depth + 1)?);
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None if self.rest.starts_with(closer) => {}
                None => return None,
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        loop {
            match chars.next()? {
                (at, '"') => {
                    self.take(at + 1);
                    return Some(text);
                }
                (_, '\\') => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    'u' => {
                        let code: String = chars.by_ref().map(|(_, c)| c).skip(1).take_while(|&c| c != '}').collect();
                        char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
                    }
                    other => other,
                }),
                (_, c) => text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_debug_prints() {
        let printed = |value: &dyn std::fmt::Debug| Term::parse(&format!("{value:?}")).unwrap().value().to_string();
        assert_eq!(printed(&(1, -2, "a\"\n\u{7}é", [true])), "[1 -2 \"a\\\"\\n\\u{7}é\" [true]]");
        assert_eq!(printed(&[Some(1), None]), "[1 nil]");
        assert_eq!(printed(&(Some(None::<u8>), ())), "[[nil] nil]");
        assert_eq!(printed(&(std::cmp::Ordering::Less, Ok::<u8, ()>(3))), "[\"Less\" [\"Ok\" 3]]");
        assert_eq!(
            Term::parse("Put(\"a\", 1)").map(|term| term.value().to_string()),
            Some("[\"Put\" \"a\" 1]".to_string())
        );
    }

    #[test]
    fn what_cannot_be_read_is_none() {
        for text in
            ["", "Write(", "Write(1", "P { x: 1 }", "Write(1))", "\"a", "[1 2]", "\"\\u{zz}\"", &"[".repeat(100_000)]
        {
            assert_eq!(Term::parse(text), None, "{text}");
        }
    }
}
