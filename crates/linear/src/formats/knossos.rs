//! Histories of Jepsen and Knossos in EDN: a vector, a list or a sequence of maps with `:process`, `:type`, `:f` and `:value`.
//!
//! Entries whose process is no number (the nemesis) are no operations: they are kept as what was done beside them. What ends in `:fail` did not happen; what ends in `:info`, or never, is pending.
//! A `:read` of nil returned, but what it read is not known; the same goes for each `[:read k nil]` of a `:txn`.

use super::edn::{Edn, items};
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    for (line, entry) in items(text)? {
        event(&mut recorded, line, &entry)?;
    }
    Ok(recorded)
}

fn event(recorded: &mut Recorded, line: usize, entry: &Edn) -> Result<(), BadLine> {
    if !matches!(entry, Edn::Map(_)) {
        return Err(BadLine::new(line, "an entry is no map; expected maps with :process, :type, :f and :value"));
    }
    let Some(process) = process(entry, line)? else {
        recorded.aside(aside(entry));
        return Ok(());
    };
    let name = kind(entry, line, "f")?;
    let value = || match entry.get("value") {
        Some(value) => value.to_value().map_err(|problem| BadLine::new(line, problem)),
        None => Ok(Value::Nil),
    };
    let event = match kind(entry, line, "type")? {
        "invoke" => Event::Invoke(Call { name: name.to_string(), key: None, value: value()? }),
        "ok" if name == "cas" => Event::Respond(Value::Bool(true)),
        "ok" => match (name, value()?) {
            ("read", Value::Nil) => Event::Return,
            (_, value) => Event::Respond(value),
        },
        "fail" => Event::Fail,
        "info" => Event::Abandon,
        other => {
            let problem = format!("unknown type `:{other}`; expected :invoke, :ok, :fail or :info");
            return Err(BadLine::new(line, problem));
        }
    };
    if !matches!(event, Event::Invoke(_)) {
        recorded.expect_open(line, process, name)?;
    }
    recorded.event(line, process, event)
}

/// A field that must be there.
pub(super) fn field<'e>(entry: &'e Edn, line: usize, name: &str) -> Result<&'e Edn, BadLine> {
    entry
        .get(name)
        .ok_or_else(|| BadLine::new(line, format!("there is no :{name}; expected :process, :type, :f and :value")))
}

/// The process of an entry; none, if it is the nemesis.
pub(super) fn process(entry: &Edn, line: usize) -> Result<Option<usize>, BadLine> {
    match field(entry, line, "process")? {
        Edn::Int(number) => match usize::try_from(*number) {
            Ok(process) => Ok(Some(process)),
            Err(_) => Err(BadLine::new(line, format!("process {number}; expected a number from 0 on"))),
        },
        Edn::Keyword(_) | Edn::Symbol(_) => Ok(None),
        _ => Err(BadLine::new(
            line,
            "the :process is no number; expected a number from 0 on, or a keyword such as :nemesis",
        )),
    }
}

/// What somebody who is no process did: `nemesis: start-partition [n1 n2]`.
pub(super) fn aside(entry: &Edn) -> String {
    let word = |name: &str| entry.get(name).filter(|form| !matches!(form, Edn::Nil)).map(ToString::to_string);
    let who = word("process").unwrap_or_default();
    let what: Vec<String> = ["f", "value"].into_iter().filter_map(word).collect();
    format!("{}: {}", who.trim_start_matches(':'), what.join(" ").trim_start_matches(':'))
}

/// A field that must be a keyword.
pub(super) fn kind<'e>(entry: &'e Edn, line: usize, name: &str) -> Result<&'e str, BadLine> {
    match field(entry, line, name)? {
        Edn::Keyword(word) | Edn::Symbol(word) | Edn::Str(word) => Ok(word),
        _ => Err(BadLine::new(line, format!("the :{name} is no keyword"))),
    }
}
