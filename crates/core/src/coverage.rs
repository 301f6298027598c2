//! What a run exercised, and what it never did: a verified run that never delivered a message type has verified little.

use serde::{Deserialize, Serialize};

/// What a run exercised.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// What was asked of the model, in words.
    pub properties: Vec<String>,
    /// Those of them that something shall happen sometimes, and it did not so far: their names.
    pub unreached: Vec<String>,
    /// Every process.
    pub processes: Vec<ProcessCoverage>,
    /// Every kind of fault that has a budget.
    pub faults: Vec<FaultCoverage>,
    /// Every kind of action of a specification that was listed in some state.
    #[serde(default)]
    pub actions: Vec<ActionCoverage>,
}

/// What came of one kind of actions of a specification.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ActionCoverage {
    /// The first name in its `Debug` form, see [`type_of`].
    pub name: String,
    /// How often it was listed.
    pub listed: u64,
    /// How often it was enabled.
    pub taken: u64,
    /// How often it led to another state.
    pub changed: u64,
}

/// What one process did in all worlds together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessCoverage {
    /// Its name.
    pub name: String,
    /// Its distinct local states; of code, the places at which it waits.
    pub states: u64,
    /// Distinct pairs of a local state and something that came: so often its code had something new to do. Of code, pairs of a place and a kind
    /// of thing that came there.
    pub handlers: u64,
    /// What could come to it, by kind and name.
    pub inputs: Vec<InputCoverage>,
}

/// A message type, or a timer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InputCoverage {
    /// `message` or `timer`.
    pub kind: String,
    /// The type of the message as [`type_of`] tells it, or the name of the timer.
    pub name: String,
    /// Distinct messages of this type that were sent to the process, senders told apart; 1 for a timer that was set.
    pub offered: u64,
    /// How many of them it received in some world; 1 for a timer that went off.
    pub handled: u64,
}

/// A budget of faults.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FaultCoverage {
    /// `losses`, `crashes`, …
    pub name: String,
    /// How many may happen in one execution.
    pub budget: u64,
    /// The most that happened in one execution.
    pub used: u64,
}

/// The type of a message, read off its `Debug` form: the first name in it. `Vote(1)` is a `Vote`, `(3, Get { key: 1 })` a `Get`; what has no
/// name in it is a `value`.
pub fn type_of(shown: &str) -> &str {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = route(shown).1;
    while let Some(start) = rest.find(|c: char| word(c) || c == '"') {
        let text = &rest[start..];
        let end = text.find(|c| !word(c)).unwrap_or(text.len());
        if text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return &text[..end];
        }
        // What stands in quotes is data, and so are numbers.
        rest = if text.starts_with('"') { after_quotes(text) } else { &text[end..] };
    }
    "value"
}

/// A message that a monitor is told, `p0→p1 Ask`, and from whom to whom it went; other messages as they are.
pub fn route(shown: &str) -> (Option<&str>, &str) {
    let pid = |word: &str| {
        let digits = word.strip_prefix('p').unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let told = |(route, message)| {
        let (from, to) = str::split_once(route, '→')?;
        (pid(from) && pid(to)).then_some((Some(route), message))
    };
    shown.split_once(' ').and_then(told).unwrap_or((None, shown))
}

/// What follows a text in quotes.
fn after_quotes(text: &str) -> &str {
    let mut escaped = false;
    let closing = text.char_indices().skip(1).find(|&(_, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    });
    closing.map_or("", |(at, _)| &text[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::type_of;

    #[test]
    fn the_first_name_is_the_type() {
        assert_eq!(type_of("Vote(1)"), "Vote");
        assert_eq!(type_of("(3, Get { key: 1 })"), "Get");
        assert_eq!(type_of("Some(Ping)"), "Some");
        assert_eq!(type_of("42"), "value");
        assert_eq!(type_of("\"a \\\" b\""), "value");
        assert_eq!(type_of("(\"Put\", Get)"), "Get");
        assert_eq!(type_of("\"never closed"), "value");
        assert_eq!(type_of(""), "value");
        assert_eq!(type_of("Größe(1)"), "Größe");
        assert_eq!(type_of("p0.8→p0.4 Locate { client: p0.8 }"), "Locate", "a monitor is told who said it to whom");
        assert_eq!(type_of("p→p1 x"), "p");
    }
}
