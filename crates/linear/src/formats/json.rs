//! The format `manyworlds-history/1`: one JSON object per line, so that a system under test can append to the file while it runs.
//!
//! ```text
//! {"schema": "manyworlds-history/1", "spec": "cas-register", "init": 0}
//! {"process": 0, "type": "invoke", "f": "write", "value": 1}
//! {"process": 1, "type": "invoke", "f": "read"}
//! {"process": 1, "type": "ok", "value": 1}
//! {"process": 0, "type": "info"}
//! ```
//!
//! - The first line names the schema; `spec` (a name of the command line) and `init` may be left out.
//! - `invoke`: `f` is the operation, `value` its argument (null if there is none), `key` the part of the object that it accesses, or the object, if there
//!   are several. An omitted key and the key null are equivalent.
//! - `ok`: `value` is the response; if it is omitted, the response is unknown. `fail`: the operation had no effect. `info`: the process abandons the
//!   operation, which is pending, as is an operation that never completes. After any of them the process may invoke another operation. `f` and `key`, if
//!   present, must be those of the open operation.
//! - Values are null, true, false, integers, strings and lists. null is a value: a read that returns null has read null, and so has a part
//!   `["read", "x", null]` of the response of a `txn`; `["read", "x"]` is a part whose result is unknown.
//! - The fields `index`, `time` and `error` are ignored. Empty lines are skipped.

use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;
use serde_json::{Map, Value as Json, json};

/// The value of the `schema` field.
pub const SCHEMA: &str = "manyworlds-history/1";

const HEADER: [&str; 3] = ["schema", "spec", "init"];
const FIELDS: [&str; 5] = ["process", "type", "f", "key", "value"];
/// Fields that other tools write, and that are ignored.
const IGNORED: [&str; 3] = ["index", "time", "error"];

/// Whether a text looks like JSON: an EDN history does not begin with a map that has a string as its first key.
pub fn is_json(text: &str) -> bool {
    begins(text) || after(text, '[').is_some_and(begins)
}

fn begins(text: &str) -> bool {
    after(text, '{').is_some_and(|rest| rest.starts_with('"'))
}

fn after(text: &str, opener: char) -> Option<&str> {
    text.trim_start().strip_prefix(opener).map(str::trim_start)
}

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((at, first)) = lines.next() else { return Err(BadLine::new(0, "the file is empty")) };
    let first = object(at + 1, first).map_err(|bad| document(text).unwrap_or(bad))?;
    header(&mut recorded, at + 1, &first)?;
    for (at, line) in lines {
        event(&mut recorded, at + 1, &object(at + 1, line)?)?;
    }
    Ok(recorded.finished())
}

/// The error if the whole text is JSON, but not one object per line.
fn document(text: &str) -> Option<BadLine> {
    let what = match serde_json::from_str(text).ok()? {
        Json::Array(_) => "a JSON list".to_string(),
        Json::Object(fields) => match fields.get("schema") {
            Some(schema) => format!("one JSON object, of the schema {schema}"),
            None => "one JSON object".to_string(),
        },
        _ => return None,
    };
    let problem = format!("the file is {what}; expected an object a line, {{\"schema\": \"{SCHEMA}\"}} in the first");
    Some(BadLine::new(1, problem))
}

fn object(line: usize, text: &str) -> Result<Map<String, Json>, BadLine> {
    match serde_json::from_str(text) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(_) => Err(BadLine::new(line, "this is not an object; expected one in each line")),
        Err(e) => {
            let message = e.to_string();
            let (problem, column) = (message.split(" at line ").next().unwrap_or_default(), e.column());
            let problem =
                format!("this cannot be read as JSON: {problem} (column {column}); expected an object in each line");
            Err(BadLine::new(line, problem))
        }
    }
}

fn expect_fields(line: usize, fields: &Map<String, Json>, known: &[&'static str]) -> Result<(), BadLine> {
    match fields.keys().find(|name| !known.contains(&name.as_str()) && !IGNORED.contains(&name.as_str())) {
        Some(name) => Err(BadLine::mistyped(line, "field", name, known)),
        None => Ok(()),
    }
}

fn header(recorded: &mut Recorded, line: usize, fields: &Map<String, Json>) -> Result<(), BadLine> {
    match fields.get("schema") {
        Some(Json::String(schema)) if schema == SCHEMA => {}
        Some(other) => return Err(BadLine::new(line, format!("the schema is {other}; expected \"{SCHEMA}\""))),
        None => {
            return Err(BadLine::new(
                line,
                format!("there is no schema; expected {{\"schema\": \"{SCHEMA}\"}} in the first line"),
            ));
        }
    }
    expect_fields(line, fields, &HEADER)?;
    recorded.header = line;
    recorded.spec = match fields.get("spec") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name.clone()),
        Some(other) => return Err(BadLine::new(line, format!("the spec is {other}; expected a name"))),
    };
    recorded.initial = match fields.get("init") {
        None => None,
        Some(json) => Some(Value::from_json(json).map_err(|problem| BadLine::new(line, problem))?),
    };
    Ok(())
}

fn event(recorded: &mut Recorded, line: usize, fields: &Map<String, Json>) -> Result<(), BadLine> {
    expect_fields(line, fields, &FIELDS)?;
    let process = process(line, fields.get("process"))?;
    let name = text(line, fields, "f", "the name of an operation")?;
    let value = |name: &str| {
        fields.get(name).map(|json| Value::from_json(json).map_err(|problem| BadLine::new(line, problem))).transpose()
    };
    let key = value("key")?.filter(|key| *key != Value::Nil);
    let kind = text(line, fields, "type", "invoke, ok, fail or info")?;
    if kind != Some("invoke") {
        recorded.expect_open(line, process, name, key.as_ref())?;
    }
    let event = match (kind, name) {
        (Some("invoke"), Some(name)) => {
            Event::Invoke(Call { name: name.to_string(), key, value: value("value")?.unwrap_or_default() })
        }
        (Some("invoke"), None) => return Err(BadLine::new(line, "there is no f; expected the name of an operation")),
        (Some("ok"), _) => value("value")?.map_or(Event::Return, Event::Respond),
        (Some("fail"), _) => Event::Fail,
        (Some("info"), _) => Event::Abandon,
        (Some(other), _) => return Err(BadLine::mistyped(line, "type", other, &["invoke", "ok", "fail", "info"])),
        (None, _) => return Err(BadLine::new(line, "there is no type; expected invoke, ok, fail or info")),
    };
    recorded.event(line, process, event)
}

fn process(line: usize, field: Option<&Json>) -> Result<usize, BadLine> {
    let expected = "expected a whole number from 0 on";
    let number = field.and_then(Json::as_u64).and_then(|process| usize::try_from(process).ok());
    number.ok_or_else(|| match field {
        None => BadLine::new(line, format!("there is no process; {expected}")),
        Some(other) => BadLine::new(line, format!("the process is {other}; {expected}")),
    })
}

/// An optional field that must be a string.
fn text<'f>(
    line: usize,
    fields: &'f Map<String, Json>,
    name: &str,
    expected: &str,
) -> Result<Option<&'f str>, BadLine> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(BadLine::new(line, format!("the {name} is {other}; expected {expected}"))),
    }
}

/// Writes a history. Failed operations are not part of a finished history.
pub fn write(recorded: &Recorded) -> String {
    let mut header = Map::from_iter([("schema".to_string(), json!(SCHEMA))]);
    header.extend(recorded.spec.as_ref().map(|spec| ("spec".to_string(), json!(spec))));
    header.extend(recorded.initial.as_ref().map(|initial| ("init".to_string(), initial.to_json())));
    let mut events: Vec<(usize, bool, Json)> = Vec::new();
    let operations = recorded.history.operations();
    for operation in operations {
        let Call { name, key, value } = &operation.operation;
        let mut fields = Map::from_iter([
            ("process".to_string(), json!(operation.process)),
            ("type".to_string(), json!("invoke")),
            ("f".to_string(), json!(name)),
        ]);
        fields.extend(key.as_ref().map(|key| ("key".to_string(), key.to_json())));
        fields.insert("value".to_string(), value.to_json());
        events.push((operation.invoked, true, Json::Object(fields)));
        let mut fields = Map::from_iter([("process".to_string(), json!(operation.process))]);
        match operation.returned {
            Some(returned) => {
                fields.insert("type".to_string(), json!("ok"));
                fields.extend(operation.response.as_ref().map(|response| ("value".to_string(), response.to_json())));
                events.push((returned, false, Json::Object(fields)));
            }
            // Directly after the invocation: the process may have invoked another operation.
            None => {
                fields.insert("type".to_string(), json!("info"));
                events.push((operation.invoked, false, Json::Object(fields)));
            }
        }
    }
    events.sort_by_key(|&(at, invokes, _)| (at, !invokes));
    let lines = std::iter::once(Json::Object(header)).chain(events.into_iter().map(|(.., event)| event));
    lines.map(|line| line.to_string() + "\n").collect()
}
