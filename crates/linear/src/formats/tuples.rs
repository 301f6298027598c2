//! Histories of Jepsen's `independent`, which record many objects in one history: the value of every operation is a tuple `[key value]`.
//!
//! A tuple has the same syntax as a vector that is a value, so it must be recognized by its use: operations that read have no argument, which in such a
//! history is written as `[key nil]`. If one operation without an argument is invoked with such a tuple, all operations must have tuples as values. If
//! all operations have arguments, tuples matter only to `cas`, whose value would be `[key [from to]]`: that is rejected, as it may also be a
//! plain `[from to]`.

use super::edn::Edn;
use crate::recorded::BadLine;

/// Operations without an argument.
const WITHOUT_ARGUMENT: [&str; 6] = ["read", "dequeue", "pop", "acquire", "release", "try-acquire"];

/// If the values are tuples, replaces each of them by a `:key` and a `:value`, and returns a remark for the user.
pub fn split(entries: &mut [(usize, Edn)]) -> Result<Option<String>, BadLine> {
    let Some(evidence) = evidence(entries)? else { return Ok(None) };
    for (line, entry) in entries.iter_mut().filter(|(_, entry)| is_client(entry)) {
        let parts = tuple(entry).map(|(key, value)| (key.clone(), value.clone()));
        match (parts, word(entry, "type")) {
            (Some((key, value)), _) => put(entry, key, value),
            // The value of an operation that failed is not a response.
            (None, Some("info" | "fail")) => {}
            (None, _) => {
                let problem =
                    format!("the :value is not a tuple; expected [key value], as line {evidence} has [key nil]");
                return Err(BadLine::new(*line, problem));
            }
        }
    }
    Ok(Some(format!("values are taken for tuples [key value], because line {evidence} has [key nil]")))
}

/// The line that shows that values are tuples, if they are.
fn evidence(entries: &[(usize, Edn)]) -> Result<Option<usize>, BadLine> {
    let invocations = || entries.iter().filter(|(_, entry)| is_client(entry) && word(entry, "type") == Some("invoke"));
    if invocations().any(|(_, entry)| entry.get("key").is_some() || word(entry, "f") == Some("txn")) {
        return Ok(None);
    }
    let has_no_argument = |entry: &Edn| word(entry, "f").is_some_and(|name| WITHOUT_ARGUMENT.contains(&name));
    if invocations().any(|(_, entry)| has_no_argument(entry)) {
        let nothing = |entry: &Edn| tuple(entry).is_some_and(|(_, value)| *value == Edn::Nil);
        return Ok(invocations().find(|(_, entry)| has_no_argument(entry) && nothing(entry)).map(|(line, _)| *line));
    }
    let nested = |entry: &Edn| tuple(entry).is_some_and(|(_, value)| pair(value).is_some());
    let mut swaps = invocations().filter(|(_, entry)| word(entry, "f") == Some("cas"));
    match swaps.clone().next() {
        Some((line, _))
            if swaps.all(|(_, entry)| nested(entry)) && invocations().all(|(_, entry)| tuple(entry).is_some()) =>
        {
            let problem = "the :value may be a tuple [key [from to]], or a plain [from to]: the file does not show which; \
                           expected a :key beside the :value";
            Err(BadLine::new(*line, problem))
        }
        _ => Ok(None),
    }
}

fn is_client(entry: &Edn) -> bool {
    matches!(entry.get("process"), Some(Edn::Int(_)))
}

fn word<'e>(entry: &'e Edn, name: &str) -> Option<&'e str> {
    match entry.get(name)? {
        Edn::Keyword(word) | Edn::Symbol(word) | Edn::Str(word) => Some(word),
        _ => None,
    }
}

fn tuple(entry: &Edn) -> Option<(&Edn, &Edn)> {
    pair(entry.get("value")?)
}

fn pair(form: &Edn) -> Option<(&Edn, &Edn)> {
    match form {
        Edn::List(items) => match &items[..] {
            [first, second] => Some((first, second)),
            _ => None,
        },
        _ => None,
    }
}

fn put(entry: &mut Edn, key: Edn, value: Edn) {
    if let Edn::Map(fields) = entry {
        fields.retain(|(name, _)| *name != Edn::Keyword("value".to_string()));
        fields.extend([("key", key), ("value", value)].map(|(name, form)| (Edn::Keyword(name.to_string()), form)));
    }
}
