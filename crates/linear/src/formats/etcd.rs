//! Logs of Jepsen runs against etcd: lines
//!
//! ```text
//! INFO  jepsen.util - PROCESS  :TYPE  :OPERATION  VALUE
//! ```
//!
//! among others, which are skipped if they are plainly no operations, such as stack traces. Those of the `:nemesis` are kept as what was done beside
//! the operations. One register with `read`, `write` and `cas`, nil at the start. A `cas` that ends in `:fail` was seen to fail:
//! the register did not hold what was expected. A `read` that fails returned, but what it read is not known; a `write` that fails did not
//! happen. What ends in `:info`, or never, is pending.

use super::edn;
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;

/// What stands before an operation.
pub const MARK: &str = "jepsen.util - ";

/// How lines of a log begin.
const LEVELS: [&str; 4] = ["INFO", "WARN", "ERROR", "DEBUG"];

const EXPECTED: &str = "expected `INFO  jepsen.util - PROCESS :TYPE :OPERATION VALUE`";

/// Reads a log.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    expect_log(text)?;
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        let said = match line.split_once(MARK) {
            Some((_, said)) => said,
            None if told(line) => return Err(BadLine::new(number, EXPECTED)),
            None => continue,
        };
        let (process, said) = word(said);
        let Ok(process) = process.parse::<usize>() else {
            if process == ":nemesis" {
                recorded_aside(&mut recorded, process, said);
                continue;
            }
            if !(said.starts_with(':') || told(line)) {
                continue; // not about the register
            }
            let problem = format!("the process is `{process}`; {EXPECTED}, with a number or :nemesis as PROCESS");
            return Err(BadLine::new(number, problem));
        };
        let (kind, said) = word(said);
        let (name, value) = word(said);
        let Some((kind, name)) = kind.strip_prefix(':').zip(name.strip_prefix(':')) else {
            return Err(BadLine::new(number, EXPECTED));
        };
        event(&mut recorded, number, process, (kind, name, value))?;
    }
    Ok(recorded.finished())
}

/// Whether some line looks like one of a log; the complaint otherwise.
fn expect_log(text: &str) -> Result<(), BadLine> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let first = lines.peek().map_or(0, |(at, _)| at + 1);
    match first == 0 || lines.any(|(_, line)| LEVELS.iter().any(|level| line.trim_start().starts_with(level))) {
        true => Ok(()),
        false => Err(BadLine::new(first, format!("this is not a line of a log; {EXPECTED}"))),
    }
}

/// Whether a line is about an operation, whatever else is wrong with it.
fn told(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|two| {
        [":invoke", ":ok", ":fail", ":info"].contains(&two[0]) && [":read", ":write", ":cas"].contains(&two[1])
    })
}

/// What a nemesis did; anything else that is said is none of our business.
fn recorded_aside(recorded: &mut Recorded, who: &str, said: &str) {
    let (kind, said) = word(said);
    let (name, value) = word(said);
    let Some(((who, name), _)) = who.strip_prefix(':').zip(name.strip_prefix(':')).zip(kind.strip_prefix(':')) else {
        return;
    };
    let value = if value == "nil" { String::new() } else { format!(" {value}") };
    recorded.aside(format!("{who}: {name}{value}"));
}

/// The first word, and what comes after it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

fn event(
    recorded: &mut Recorded,
    line: usize,
    process: usize,
    (kind, name, text): (&str, &str, &str),
) -> Result<(), BadLine> {
    let value = || match edn::parse_line(text, line) {
        Ok(value) => value.to_value().map_err(|problem| BadLine::new(line, problem)),
        Err(bad) => Err(BadLine::new(line, format!("the value `{text}` cannot be read: {}", bad.problem))),
    };
    if !["read", "write", "cas"].contains(&name) {
        return Err(BadLine::new(line, format!("unknown operation `:{name}`; expected :read, :write or :cas")));
    }
    let open = match kind {
        "invoke" => None,
        _ => recorded.expect_open(line, process, Some(name), None)?,
    };
    if let Some(open) = open.filter(|_| kind == "ok" && name != "read") {
        open.answered(line, value()?)?;
    }
    let event = match (kind, name) {
        ("invoke", _) => {
            let value = value()?;
            if name == "cas" && value.pair().is_none() {
                return Err(BadLine::new(line, format!("the value of a :cas is `{text}`; expected [from to]")));
            }
            Event::Invoke(Call { name: name.to_string(), key: None, value })
        }
        ("ok", "read") => Event::Respond(value()?),
        ("ok", "cas") => Event::Respond(Value::Bool(true)),
        ("ok", _) => Event::Respond(Value::Nil),
        ("fail", "cas") => Event::Respond(Value::Bool(false)),
        ("fail", "read") => Event::Return,
        ("fail", _) => Event::Fail,
        ("info", _) => Event::Abandon,
        _ => return Err(BadLine::new(line, format!("unknown type `:{kind}`; expected :invoke, :ok, :fail or :info"))),
    };
    recorded.event(line, process, event)
}
