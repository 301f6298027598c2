//! Short labels of messages.
//!
//! Protocols wrap their messages: `Versioned { version: 2, body: Request(…) }`. Truncated, all of them read `Versioned { vers…`. A label
//! therefore begins with the wrapped message, and the wrapper follows: `Request(…) · Versioned { version: 2 }`. A wrapper is a constructor whose last field
//! holds several different constructors, and whose text before that field is so long that they would be cut off.

use manyworlds_core::{TraceMessage, ValueTree};
use std::collections::{HashMap, HashSet};

/// If at most this number of characters precede the wrapped message, the message is shown unchanged.
const SHORT: usize = 12;

/// The label of each message whose label differs from its text.
pub fn labels(messages: &[TraceMessage]) -> Vec<Option<String>> {
    let mut inside: HashMap<&str, HashSet<&str>> = HashMap::new();
    for parts in messages.iter().filter_map(TraceMessage::value).filter_map(Parts::of) {
        inside.entry(parts.wrapper).or_default().insert(constructor(parts.inner).unwrap_or_default());
    }
    let several = |wrapper: &str| inside.get(wrapper).is_some_and(|found| found.len() > 1);
    let label = |message: &TraceMessage| {
        let value = message.value()?;
        let wrapped = Parts::of(value).filter(|parts| several(parts.wrapper) && parts.before > SHORT);
        let route = match message {
            TraceMessage::Observed { from, to, .. } => format!(" · p{from}→p{to}"),
            _ => String::new(),
        };
        match wrapped {
            Some(parts) => Some(format!("{} · {}{route}", parts.inner, parts.rest)),
            None => (!route.is_empty()).then(|| format!("{value}{route}")),
        }
    };
    messages.iter().map(label).collect()
}

/// `Wrapper { version: 2, body: Inner(…) }`, taken apart.
struct Parts<'t> {
    wrapper: &'t str,
    inner: &'t ValueTree,
    /// The number of characters before `Inner`.
    before: usize,
    /// The wrapper without its last field: `Wrapper { version: 2 }`.
    rest: String,
}

impl Parts<'_> {
    fn of(value: &ValueTree) -> Option<Parts<'_>> {
        let wrapper = constructor(value)?;
        let (inner, rest, closing) = match value {
            ValueTree::Struct(name, fields) => {
                let ((_, inner), others) = fields.split_last()?;
                (inner, without(name, others.is_empty(), || ValueTree::Struct(name.clone(), others.to_vec())), " }")
            }
            ValueTree::Tuple(name, items) => {
                let (inner, others) = items.split_last()?;
                (inner, without(name, others.is_empty(), || ValueTree::Tuple(name.clone(), others.to_vec())), ")")
            }
            _ => return None,
        };
        constructor(inner)?;
        let length = |value: &ValueTree| value.to_string().chars().count();
        Some(Parts { wrapper, inner, before: length(value) - length(inner) - closing.len(), rest })
    }
}

fn without(name: &str, is_empty: bool, rest: impl FnOnce() -> ValueTree) -> String {
    if is_empty { name.to_string() } else { rest().to_string() }
}

/// The name at the start of a value, if it is that of a type or a variant.
fn constructor(value: &ValueTree) -> Option<&str> {
    let name = match value {
        ValueTree::Atom(name) | ValueTree::Struct(name, _) | ValueTree::Tuple(name, _) => name,
        _ => return None,
    };
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end]).filter(|name| name.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(messages: &[&str]) -> Vec<Option<String>> {
        labels(&messages.iter().map(|text| TraceMessage::shown(text)).collect::<Vec<_>>())
    }

    #[test]
    fn the_wrapped_message_comes_first() {
        let labels = labels_of(&[
            "Versioned { version: 2, body: Chain([p1, p2]) }",
            "Versioned { version: 3, body: Request { client: p0, op: Read } }",
            "Versioned { version: 3, from: (1, \", {\"), body: Ping }",
        ]);
        let expected = [
            "Chain([p1, p2]) · Versioned { version: 2 }",
            "Request { client: p0, op: Read } · Versioned { version: 3 }",
            "Ping · Versioned { version: 3, from: (1, \", {\") }",
        ];
        assert_eq!(labels, expected.map(|label| Some(label.to_string())));
        let tuples = labels_of(&["Stamped(12345678, Put(1))", "Stamped(12345678, Get)"]);
        assert_eq!(tuples[1].as_deref(), Some("Get · Stamped(12345678)"));
    }

    #[test]
    fn messages_without_a_long_wrapper_are_unchanged() {
        assert_eq!(labels_of(&["Ask(Put(0, 1))", "Ask(Get(0))"]), [None, None], "the wrapper is short");
        assert_eq!(
            labels_of(&["RequestVote(1, End { term: 0 })"; 2]),
            [None, None],
            "it always holds the same constructor"
        );
        for odd in ["", "{", "A {", "A { b: ]", "A { b: \"", "(1, 2)", "A { b: C(1 }", "Ä { é: Ö }", "A()", "A { , }"]
        {
            assert_eq!(labels_of(&[odd]), [None], "{odd}");
        }
    }

    #[test]
    fn the_sender_and_receiver_of_an_observed_message_come_last() {
        let value = ValueTree::parse("Locate { client: p0.8 }");
        let labels = labels(&[TraceMessage::Observed { from: "0.8".to_string(), to: "0.4".to_string(), value }]);
        assert_eq!(labels[0].as_deref(), Some("Locate { client: p0.8 } · p0.8→p0.4"));
    }
}
