//! The history in a trace (`manyworlds-trace/2`, or 1): operations of the provided specifications, in their `Debug` representation. `Put("a", 1)` is the
//! operation `put` on the key `"a"`, and `Got(Some(1))` is the response 1.
//!
//! A trace records neither the initial value of the object nor its specification: the user supplies the first, the second can be
//! inferred from the operations.

use super::debug::Term;
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;
use manyworlds_core::{TRACE_SCHEMA, TRACE_SCHEMA_1, Trace, TraceHistory, TraceOperation, TraceValue};
use serde_json::Value as Json;

/// The supported schemas of traces.
const SCHEMAS: [&str; 2] = [TRACE_SCHEMA, TRACE_SCHEMA_1];

/// Whether a text is a trace.
pub fn is_trace(text: &str) -> bool {
    let schema = |text: &str| match serde_json::from_str::<Json>(text) {
        Ok(json) => Some(json.get("schema").and_then(Json::as_str).is_some_and(|schema| SCHEMAS.contains(&schema))),
        Err(_) => None,
    };
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // The search for the schema is cheap and avoids parsing a long history that is not a trace.
    SCHEMAS.iter().any(|schema| text.contains(schema)) && schema(first).or_else(|| schema(text)).unwrap_or(false)
}

/// Reads a trace.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let trace = Trace::from_json(text).map_err(|e| BadLine::new(0, e.to_string()))?;
    match trace.history.clone().or_else(|| TraceHistory::recorded(&trace)) {
        Some(history) => recorded(&history).map_err(|problem| BadLine::new(0, problem)),
        None => {
            Err(BadLine::new(0, "the trace records no operations; expected one of a model that is to be linearizable"))
        }
    }
}

/// Converts the history of a trace to a recorded history, which can be checked, and written as JSON.
pub fn recorded(history: &TraceHistory) -> Result<Recorded, String> {
    let mut recorded = Recorded::default();
    let calls: Vec<Term> =
        history.operations.iter().map(|operation| term(&operation.call)).collect::<Result<_, _>>()?;
    let keyed = !calls.iter().any(is_of_log);
    for (number, returns) in events(&history.operations) {
        let operation = &history.operations[number];
        let event = match returns {
            true => Event::Respond(answer(&calls[number], operation.response.as_ref())?),
            false => {
                // A process that invokes another operation has abandoned the open one.
                if recorded.history.open(operation.process).is_some() {
                    recorded.history.abandon(operation.process).map_err(|misplaced| misplaced.to_string())?;
                }
                Event::Invoke(call(&calls[number], keyed)?)
            }
        };
        recorded.history.event(operation.process, event).map_err(|misplaced| misplaced.to_string())?;
    }
    Ok(recorded)
}

/// Invocations and returns by index of the operation, in the order of the trace. Events of the same step are in the order of their
/// operations.
fn events(operations: &[TraceOperation]) -> Vec<(usize, bool)> {
    let mut events: Vec<(usize, usize, bool)> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        events.push((operation.invoked, number, false));
        events.extend(operation.returned.map(|returned| (returned, number, true)));
    }
    events.sort_unstable();
    events.into_iter().map(|(_, number, returns)| (number, returns)).collect()
}

fn term(value: &TraceValue) -> Result<Term, String> {
    Term::of(&value.value).ok_or_else(|| format!("`{value}` cannot be understood; expected something like Write(1)"))
}

/// Both maps and logs have `Get` and `Append`; the other operations of a log distinguish them.
fn is_of_log(call: &Term) -> bool {
    match call {
        Term::Named(name, values) => name == "Read" || (name == "Append" && values.len() == 1),
        _ => false,
    }
}

fn call(call: &Term, keyed: bool) -> Result<Call, String> {
    match call {
        Term::Named(name, values) => {
            let key = match (name.as_str(), &values[..]) {
                ("Put" | "Append", [key, _]) | ("Delete", [key]) => Some(key.value()),
                ("Get", [key]) if keyed => Some(key.value()),
                _ => None,
            };
            let value = match &values[usize::from(key.is_some())..] {
                [] => Value::Nil,
                [value] => value.value(),
                several => Value::List(several.iter().map(Term::value).collect()),
            };
            Ok(Call { name: kebab(name), key, value })
        }
        Term::List(parts) => {
            let value = parts.iter().map(part).collect::<Result<_, _>>().map(Value::List)?;
            Ok(Call { name: "txn".to_string(), key: None, value })
        }
        Term::Plain(value) => Err(format!("`{value}` is not an operation; expected something like Write(1)")),
    }
}

/// `Read(k)` or `Write(k, v)` of a transaction.
fn part(access: &Term) -> Result<Value, String> {
    match access {
        Term::Named(name, values) => {
            let words = values.iter().map(Term::value);
            Ok(Value::List([Value::Str(kebab(name))].into_iter().chain(words).collect()))
        }
        other => {
            Err(format!("`{}` is not a part of a transaction; expected Read(key) or Write(key, value)", other.value()))
        }
    }
}

/// Converts the name of a variant to kebab case: `FetchAdd` to `fetch-add`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
    }
    kebab
}

/// The value of a response; nil for a variant without fields.
fn answer(call: &Term, response: Option<&TraceValue>) -> Result<Value, String> {
    let Some(response) = response else { return Ok(Value::Nil) };
    let response = term(response)?;
    match (call, &response) {
        (Term::List(parts), Term::List(read)) if parts.len() == read.len() => parts
            .iter()
            .zip(read)
            .map(|(access, read)| part_read(access, read))
            .collect::<Result<_, _>>()
            .map(Value::List),
        (_, Term::Named(name, values)) => Ok(match (name.as_str(), &values[..]) {
            ("Some", _) => response.value(),
            (_, [value]) => value.value(),
            (_, []) => Value::Nil,
            _ => response.value(),
        }),
        _ => Ok(response.value()),
    }
}

/// A part of a transaction with the value that it read.
fn part_read(access: &Term, read: &Term) -> Result<Value, String> {
    let mut words = match part(access)? {
        Value::List(words) => words,
        other => vec![other],
    };
    if let Term::Named(_, values) = read {
        words.extend(values.iter().map(Term::value));
    }
    Ok(Value::List(words))
}
