//! A map a line: `{:process 2, :type :invoke, :f :get, :key "0", :value nil}`, with `get`, `put`, `append` and `delete` on texts, which are empty
//! at the start. What ends in `:fail` did not happen; what ends in `:info`, or never, is pending.

use super::edn;
use super::knossos::{aside, field, kind, process};
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;

const EXPECTED: &str = "expected a map as in {:process 2, :type :invoke, :f :get, :key \"0\", :value nil}";

/// Reads a file.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded { initial: Some(Value::Str(String::new())), ..Recorded::default() };
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        if line.trim().is_empty() || line.trim_start().starts_with(';') {
            continue;
        }
        let form = edn::parse_line(line, number)
            .map_err(|bad| BadLine::new(number, format!("{}; {EXPECTED}", bad.problem)))?;
        if !matches!(form, edn::Edn::Map(..)) {
            return Err(BadLine::new(number, EXPECTED));
        }
        event(&mut recorded, number, &form)?;
    }
    Ok(recorded)
}

fn event(recorded: &mut Recorded, line: usize, form: &edn::Edn) -> Result<(), BadLine> {
    let Some(process) = process(form, line)? else {
        recorded.aside(aside(form));
        return Ok(());
    };
    let name = kind(form, line, "f")?;
    let value =
        |field_name: &str| field(form, line, field_name)?.to_value().map_err(|problem| BadLine::new(line, problem));
    let event = match kind(form, line, "type")? {
        "invoke" => Event::Invoke(Call { name: name.to_string(), key: Some(value("key")?), value: value("value")? }),
        "ok" if name == "get" => Event::Respond(value("value")?),
        "ok" => Event::Respond(Value::Nil),
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
