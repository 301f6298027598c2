//! `manyworlds-history/1`: an object a line, so that a system under test can append to it as it goes.
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
//! - `invoke`: `f` is the operation, `value` what it is given (nothing: null), `key` the part of the object it is about, where it has parts.
//! - `ok`: `value` is the response; left out, the response is not known. `fail`: the operation did not happen. `info`: nobody waits for it any
//!   more, it is pending, and so is what never completes. After any of them the process may invoke again.
//! - Values are null, true, false, whole numbers, texts and lists. Empty lines are skipped.

use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;
use serde_json::{Map, Value as Json, json};

/// The value of the `schema` field.
pub const SCHEMA: &str = "manyworlds-history/1";

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let Some((at, first)) = lines.next() else { return Err(BadLine::new(0, "the file is empty")) };
    header(&mut recorded, at + 1, &object(at + 1, first)?)?;
    for (at, line) in lines {
        event(&mut recorded, at + 1, &object(at + 1, line)?)?;
    }
    Ok(recorded)
}

fn object(line: usize, text: &str) -> Result<Map<String, Json>, BadLine> {
    match serde_json::from_str(text) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(_) => Err(BadLine::new(line, "this is no object; expected one in each line")),
        Err(e) => {
            Err(BadLine::new(line, format!("this is no JSON (column {}): expected an object in each line", e.column())))
        }
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
    let bad = |problem: String| BadLine::new(line, problem);
    let process = fields.get("process").and_then(Json::as_u64).and_then(|process| usize::try_from(process).ok());
    let process = process.ok_or_else(|| bad("there is no process; expected a number from 0 on".to_string()))?;
    let value = |name: &str| fields.get(name).map(|json| Value::from_json(json).map_err(&bad)).transpose();
    let event = match fields.get("type").and_then(Json::as_str) {
        Some("invoke") => {
            let Some(name) = fields.get("f").and_then(Json::as_str) else {
                return Err(bad("there is no f; expected the name of an operation".to_string()));
            };
            Event::Invoke(Call {
                name: name.to_string(),
                key: value("key")?,
                value: value("value")?.unwrap_or_default(),
            })
        }
        Some("ok") => value("value")?.map_or(Event::Return, Event::Respond),
        Some("fail") => Event::Fail,
        Some("info") => Event::Abandon,
        _ => return Err(bad("there is no known type; expected invoke, ok, fail or info".to_string())),
    };
    recorded.event(line, process, event)
}

/// Writes a history. What was struck out is not in it any more.
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
            // Right after its invocation: the process may have gone on.
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
