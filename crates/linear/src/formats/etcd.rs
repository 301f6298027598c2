//! Logs of Jepsen runs against etcd: lines
//!
//! ```text
//! INFO  jepsen.util - PROCESS  :TYPE  :OPERATION  VALUE
//! ```
//!
//! among other lines, which are skipped if they are clearly not operations, such as stack traces. Lines of the `:nemesis` are recorded separately. The
//! object is one register with `read`, `write` and `cas`, initially nil. A `cas` that ends in `:fail` returned false: the register did
//! not hold the expected value. A `read` that fails returned an unknown value; a `write` that fails had no effect. An operation that ends in
//! `:info`, or never, is pending.

use super::edn;
use crate::history::Event;
use crate::recorded::{BadLine, Call, Recorded};
use crate::value::Value;

/// The text before an operation in a line.
pub const MARK: &str = "jepsen.util - ";

/// The words with which lines of a log begin.
const LEVELS: [&str; 4] = ["INFO", "WARN", "ERROR", "DEBUG"];

const EXPECTED: &str = "expected `INFO  jepsen.util - PROCESS :TYPE :OPERATION VALUE`";

/// Reads a log.
pub fn read(text: &str) -> Result<Recorded, BadLine> {
    let mut recorded = Recorded::default();
    expect_log(text)?;
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        let rest = match line.split_once(MARK) {
            Some((_, rest)) => rest,
            None if names_operation(line) => return Err(BadLine::new(number, EXPECTED)),
            None => continue,
        };
        let (process, rest) = word(rest);
        let Ok(process) = process.parse::<usize>() else {
            if process == ":nemesis" {
                record_aside(&mut recorded, process, rest);
                continue;
            }
            if !(rest.starts_with(':') || names_operation(line)) {
                continue; // not an operation
            }
            let problem = format!("the process is `{process}`; {EXPECTED}, with a number or :nemesis as PROCESS");
            return Err(BadLine::new(number, problem));
        };
        let (kind, rest) = word(rest);
        let (name, value) = word(rest);
        let Some((kind, name)) = kind.strip_prefix(':').zip(name.strip_prefix(':')) else {
            return Err(BadLine::new(number, EXPECTED));
        };
        event(&mut recorded, number, process, (kind, name, value))?;
    }
    Ok(recorded.finished())
}

/// Fails if no line looks like one of a log.
fn expect_log(text: &str) -> Result<(), BadLine> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let first = lines.peek().map_or(0, |(at, _)| at + 1);
    match first == 0 || lines.any(|(_, line)| LEVELS.iter().any(|level| line.trim_start().starts_with(level))) {
        true => Ok(()),
        false => Err(BadLine::new(first, format!("this is not a line of a log; {EXPECTED}"))),
    }
}

/// Whether a line contains the type and the name of an operation, even if it is malformed otherwise.
fn names_operation(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|two| {
        [":invoke", ":ok", ":fail", ":info"].contains(&two[0]) && [":read", ":write", ":cas"].contains(&two[1])
    })
}

/// Records an action of the nemesis; ignores lines in any other form.
fn record_aside(recorded: &mut Recorded, who: &str, text: &str) {
    let (kind, rest) = word(text);
    let (name, value) = word(rest);
    let Some(((who, name), _)) = who.strip_prefix(':').zip(name.strip_prefix(':')).zip(kind.strip_prefix(':')) else {
        return;
    };
    let value = if value == "nil" { String::new() } else { format!(" {value}") };
    recorded.aside(format!("{who}: {name}{value}"));
}

/// The first word, and the rest.
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
