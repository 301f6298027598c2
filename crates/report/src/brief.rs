//! Messages as labels, where there is room for a few letters.
//!
//! Protocols wrap their messages: `Versioned { version: 2, body: Request(…) }`. Cut where the room ends, all of them read `Versioned { vers…`. So
//! what differs comes first, and the wrapper after it: `Request(…) · Versioned { version: 2 }`. A wrapper is a constructor that holds several
//! others in its last field, with so much before it that they would be cut off.

use manyworlds_core::{TraceStep, route};
use std::collections::{HashMap, HashSet};

/// What may stand before a message in a message without being in its way, in characters.
const SHORT: usize = 12;

/// The label of each step that has a message and is better told in another order.
pub fn labels(steps: &[TraceStep]) -> Vec<Option<String>> {
    let mut inside: HashMap<&str, HashSet<&str>> = HashMap::new();
    for parts in steps.iter().filter_map(message).filter_map(|(_, text)| parts(text)) {
        inside.entry(parts.wrapper).or_default().insert(constructor(parts.inner).unwrap_or_default());
    }
    let several = |wrapper: &str| inside.get(wrapper).is_some_and(|found| found.len() > 1);
    let label = |step: &TraceStep| {
        let (route, text) = message(step)?;
        let wrapped = parts(text).filter(|parts| several(parts.wrapper) && parts.before.chars().count() > SHORT);
        let route = route.map_or_else(String::new, |route| format!(" · {route}"));
        match wrapped {
            Some(parts) => Some(format!("{} · {}{route}", parts.inner, parts.rest())),
            None => (!route.is_empty()).then(|| format!("{text}{route}")),
        }
    };
    steps.iter().map(label).collect()
}

/// A message, and from whom to whom it went, if it says so.
fn message(step: &TraceStep) -> Option<(Option<&str>, &str)> {
    let carries = matches!(step.kind.as_str(), "send" | "recv" | "duplicate" | "drop" | "lose");
    step.message.as_deref().filter(|_| carries).map(route)
}

/// `Wrapper { version: 2, body: Inner(…) }`, taken apart.
struct Parts<'t> {
    wrapper: &'t str,
    /// All that stands before `Inner`.
    before: &'t str,
    inner: &'t str,
    close: char,
}

impl Parts<'_> {
    /// The wrapper without what it holds: `Wrapper { version: 2 }`.
    fn rest(&self) -> String {
        let fields = self.before[self.wrapper.len()..].trim_start().get(1..).unwrap_or_default();
        let kept = fields.rfind(',').map_or("", |comma| fields[..comma].trim());
        match (kept, self.close) {
            ("", _) => self.wrapper.to_string(),
            (kept, '}') => format!("{} {{ {kept} }}", self.wrapper),
            (kept, _) => format!("{}({kept})", self.wrapper),
        }
    }
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let wrapper = constructor(text)?;
    let rest = text[wrapper.len()..].trim_start();
    let close = match rest.chars().next()? {
        '{' => '}',
        '(' => ')',
        _ => return None,
    };
    let inside = rest.strip_suffix(close)?;
    let start = text.len() - rest.len() + last_field(&inside[1..])? + 1;
    let inner = text[start..text.len() - 1].trim();
    let from = text.len() - 1 - text[start..text.len() - 1].trim_start().len();
    constructor(inner)?;
    Some(Parts { wrapper, before: &text[..from], inner, close })
}

/// Where the value of the last field begins; `None` if brackets do not match.
fn last_field(fields: &str) -> Option<usize> {
    let (mut depth, mut start, mut quoted, mut escaped) = (0_usize, 0, false, false);
    let mut named = false;
    for (at, c) in fields.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => (start, named) = (at + 1, false),
            ':' if depth == 0 && !named => (start, named) = (at + 1, true),
            _ => {}
        }
    }
    (depth == 0 && !quoted).then_some(start)
}

/// The name with which a value begins.
fn constructor(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(&text[..end]).filter(|name| name.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(messages: &[&str]) -> Vec<Option<String>> {
        let step = |message: &&str| TraceStep {
            kind: "send".to_string(),
            message: Some(message.to_string()),
            ..TraceStep::default()
        };
        labels(&messages.iter().map(step).collect::<Vec<_>>())
    }

    #[test]
    fn what_differs_comes_first() {
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
    fn what_can_be_read_stays_as_it_is() {
        assert_eq!(labels_of(&["Ask(Put(0, 1))", "Ask(Get(0))"]), [None, None], "nothing is in the way");
        assert_eq!(labels_of(&["RequestVote(1, End { term: 0 })"; 2]), [None, None], "it always holds the same");
        for odd in ["", "{", "A {", "A { b: ]", "A { b: \"", "(1, 2)", "A { b: C(1 }", "Ä { é: Ö }", "A()", "A { , }"]
        {
            assert_eq!(labels_of(&[odd]), [None], "{odd}");
        }
    }

    #[test]
    fn who_is_watched_comes_last() {
        let labels = labels_of(&["p0.8→p0.4 Locate { client: p0.8 }"]);
        assert_eq!(labels[0].as_deref(), Some("Locate { client: p0.8 } · p0.8→p0.4"));
    }
}
