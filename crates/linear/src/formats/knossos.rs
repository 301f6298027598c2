//! Histories of Jepsen and Knossos in EDN: a vector, a list or a sequence of maps with `:process`, `:type`, `:f` and `:value`, and with `:key`
//! if there are several objects. Values may be tuples `[key value]` instead; see [`tuples`].
//!
//! Entries of the `:nemesis` are not operations and are recorded separately. An operation that ends in `:fail` had no effect; one that ends in
//! `:info`, or never, is pending. A `:read` of nil returned an unknown value; the same holds for each `[:read k nil]` of a `:txn`.
//! The `:ok` of an operation without a result repeats its argument.

use super::edn::{Edn, items};
use super::tuples;
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    let mut entries = items(text)?;
    recorded.remarks.extend(tuples::split(&mut entries)?);
    for (line, entry) in entries {
        event(&mut recorded, line, &entry)?;
    }
    Ok(recorded.finished())
}

pub(super) fn event(recorded: &mut Recorded, line: usize, entry: &Edn) -> Result<(), BadLine> {
    if !matches!(entry, Edn::Map(_)) {
        return Err(BadLine::new(line, "an entry is not a map; expected maps with :process, :type, :f and :value"));
    }
    let Some(process) = process(entry, line)? else {
        recorded.aside(aside(entry));
        return Ok(());
    };
    let name = kind(entry, line, "f")?;
    let value = |name: &str| match entry.get(name) {
        Some(value) => value.to_value().map_err(|problem| BadLine::new(line, problem)),
        None => Ok(Value::Nil),
    };
    let key = Some(value("key")?).filter(|key| *key != Value::Nil);
    let event = match kind(entry, line, "type")? {
        "invoke" => {
            if Call::takes(name) {
                field(entry, line, "value")?;
            }
            Event::Invoke(Call { name: name.to_string(), key, value: value("value")? })
        }
        "ok" => match recorded.expect_open(line, process, Some(name), key.as_ref())? {
            Some(open) => response(name, open.answered(line, value("value")?)?),
            None => Event::Return, // rejected by `Recorded::event`
        },
        ending @ ("fail" | "info") => {
            recorded.expect_open(line, process, Some(name), key.as_ref())?;
            if ending == "fail" { Event::Fail } else { Event::Abandon }
        }
        other => {
            let problem = format!("unknown type `:{other}`; expected :invoke, :ok, :fail or :info");
            return Err(BadLine::new(line, problem));
        }
    };
    recorded.event(line, process, event)
}

/// The return event of an operation with this value.
fn response(name: &str, value: Value) -> Event<Call, Value> {
    match (name, value) {
        ("read", Value::Nil) => Event::Return,
        ("cas", Value::Nil) => Event::Respond(Value::Bool(true)),
        ("txn", Value::List(parts)) => Event::Respond(Value::List(parts.into_iter().map(known).collect())),
        (_, value) => Event::Respond(value),
    }
}

/// A part of a transaction, without the value if it is unknown.
fn known(part: Value) -> Value {
    match part {
        Value::List(mut words) if words.len() == 3 && words[0].reads() && words[2] == Value::Nil => {
            words.pop();
            Value::List(words)
        }
        part => part,
    }
}

/// A required field.
pub(super) fn field<'e>(entry: &'e Edn, line: usize, name: &str) -> Result<&'e Edn, BadLine> {
    entry
        .get(name)
        .ok_or_else(|| BadLine::new(line, format!("there is no :{name}; expected :process, :type, :f and :value")))
}

/// The process of an entry; `None` for the nemesis.
pub(super) fn process(entry: &Edn, line: usize) -> Result<Option<usize>, BadLine> {
    match field(entry, line, "process")? {
        Edn::Int(number) => match usize::try_from(*number) {
            Ok(process) => Ok(Some(process)),
            Err(_) => Err(BadLine::new(line, format!("process {number}; expected a number from 0 on"))),
        },
        Edn::Keyword(name) if name == "nemesis" => Ok(None),
        _ => Err(BadLine::new(line, "the :process is not a number; expected a number from 0 on, or :nemesis")),
    }
}

/// An event that is not an operation of a client: `nemesis: start-partition [n1 n2]`.
pub(super) fn aside(entry: &Edn) -> String {
    let word = |name: &str| entry.get(name).filter(|form| !matches!(form, Edn::Nil)).map(ToString::to_string);
    let who = word("process").unwrap_or_default();
    let what: Vec<String> = ["f", "value"].into_iter().filter_map(word).collect();
    format!("{}: {}", who.trim_start_matches(':'), what.join(" ").trim_start_matches(':'))
}

/// A required field that must be a keyword, a symbol or a string.
pub(super) fn kind<'e>(entry: &'e Edn, line: usize, name: &str) -> Result<&'e str, BadLine> {
    match field(entry, line, name)? {
        Edn::Keyword(word) | Edn::Symbol(word) | Edn::Str(word) => Ok(word),
        _ => Err(BadLine::new(line, format!("the :{name} is not a keyword"))),
    }
}
