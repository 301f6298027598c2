//! A history as a file records it: operations by name, before it is known which object they are about.

use crate::history::{Event, History, keep, marked};
use crate::value::Value;
use std::fmt;

/// An invocation, by name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The name of the operation: `read`, `cas`, `enqueue`, …
    pub name: String,
    /// The part of the object it is about, where the file says so.
    pub key: Option<Value>,
    /// What it is given.
    pub value: Value,
}

/// Something that was done to the system beside the operations, by a nemesis most of the time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aside {
    /// When: a position in the order of all events.
    pub at: usize,
    /// Who did what, as the file says it.
    pub words: String,
}

/// A recorded history.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// The operations and their responses.
    pub history: History<Call, Value>,
    /// The line in which each operation is invoked; empty if operations have no lines.
    pub lines: Vec<usize>,
    /// What was done beside the operations, in the order of the file.
    pub asides: Vec<Aside>,
    /// The object, if the file names it.
    pub spec: Option<String>,
    /// What it holds at the start, if the file says so.
    pub initial: Option<Value>,
    /// The line that says so, and names the object; 0 if there is none.
    pub header: usize,
    /// What a person should know of how the file was read.
    pub remarks: Vec<String>,
    /// Operations that failed, by number, until they are struck out.
    pub struck: Vec<usize>,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// The line, from 1; 0 if it is about the whole.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub problem: String,
    /// A word that is not known, and those that are: it may be mistyped.
    pub mistyped: Option<(String, Vec<&'static str>)>,
}

impl BadLine {
    /// Something is wrong with a line.
    pub fn new(line: usize, problem: impl Into<String>) -> BadLine {
        BadLine { line, problem: problem.into(), mistyped: None }
    }

    /// A line has a word that is none of these.
    pub fn mistyped(line: usize, what: &str, word: &str, known: &[&'static str]) -> BadLine {
        let expected = match known {
            [names @ .., last] if !names.is_empty() => format!("{} or {last}", names.join(", ")),
            names => names.concat(),
        };
        let problem = format!("unknown {what} `{word}`; expected {expected}");
        BadLine { mistyped: Some((word.to_string(), known.to_vec())), ..BadLine::new(line, problem) }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.problem),
            line => write!(f, "{line}: {}", self.problem),
        }
    }
}

impl std::error::Error for BadLine {}

impl Recorded {
    /// The next event, which stands in this line. What fails stays in the history until it is [`finished`](Recorded::finished).
    pub fn event(&mut self, line: usize, process: usize, event: Event<Call, Value>) -> Result<(), BadLine> {
        let invokes = matches!(event, Event::Invoke(_));
        let done = match event {
            Event::Fail => self.history.close(process).map(|number| self.struck.push(number)),
            event => self.history.event(process, event),
        };
        done.map_err(|misplaced| BadLine::new(line, misplaced.to_string()))?;
        if invokes {
            self.lines.push(line);
        }
        Ok(())
    }

    /// The whole file is read: what failed is struck out.
    pub fn finished(mut self) -> Recorded {
        let struck = std::mem::take(&mut self.struck);
        keep(&mut self.lines, &marked(&struck, self.history.len()));
        self.history.strike(&struck);
        self
    }

    /// Something that was done beside the operations.
    pub fn aside(&mut self, words: String) {
        let at = self.history.aside();
        self.asides.push(Aside { at, words });
    }

    /// The operations on one key, as a person writes it: `7` is the number and the text. The complaint if there are none.
    pub fn of_key(&self, key: &str) -> Result<Recorded, String> {
        let wanted = [Value::typed(key), Value::Str(key.to_string())];
        let keys = || self.history.operations().iter().map(|operation| operation.operation.key.as_ref());
        let is_wanted = |key: Option<&Value>| key.is_some_and(|key| wanted.contains(key));
        let numbers: Vec<usize> = keys().enumerate().filter(|(_, key)| is_wanted(*key)).map(|(n, _)| n).collect();
        if numbers.is_empty() {
            let mut known: Vec<String> = keys().flatten().map(Value::to_string).collect();
            known.sort();
            known.dedup();
            let expected = match known.is_empty() {
                true => "its operations name no keys".to_string(),
                false => format!("expected one of {}", known.join(", ")),
            };
            return Err(format!("no operation is about the key `{key}`; {expected}"));
        }
        let lines = numbers.iter().filter_map(|&n| self.lines.get(n).copied()).collect();
        Ok(Recorded { history: self.history.restrict(&numbers), lines, ..self.clone() })
    }

    /// The line of an operation, if it has one.
    pub fn line(&self, number: usize) -> Option<usize> {
        self.lines.get(number).copied()
    }

    /// What a process waits for; the complaint if a line that completes an operation names another one, or another key.
    pub fn expect_open(
        &self,
        line: usize,
        process: usize,
        name: Option<&str>,
        key: Option<&Value>,
    ) -> Result<Option<&Call>, BadLine> {
        let Some(Call { name: asked, key: about, .. }) = self.history.open(process).map(|open| &open.operation) else {
            return Ok(None);
        };
        if let Some(name) = name.filter(|name| name != asked) {
            let problem = format!("process {process} completes `{name}`; expected its open operation `{asked}`");
            return Err(BadLine::new(line, problem));
        }
        if let Some(key) = key.filter(|key| Some(*key) != about.as_ref()) {
            let expected = match about {
                Some(about) => format!("the key of its open operation, {about}"),
                None => "no key, as its open operation has none".to_string(),
            };
            let problem = format!("process {process} completes `{asked}` with the key {key}; expected {expected}");
            return Err(BadLine::new(line, problem));
        }
        Ok(self.history.open(process).map(|open| &open.operation))
    }
}

/// Operations that are given a value and return none: logs repeat the value when they return.
const TAKERS: [&str; 7] = ["write", "cas", "put", "enqueue", "push", "add", "remove"];

impl Call {
    /// Whether operations of this name are given a value.
    pub(crate) fn takes(name: &str) -> bool {
        TAKERS.contains(&name) || ["append", "txn"].contains(&name)
    }

    /// What a completion with this value answers, in a format in which operations that answer nothing repeat what they were given; the
    /// complaint if it is another value.
    pub(crate) fn answered(&self, line: usize, value: Value) -> Result<Value, BadLine> {
        let takes = match (self.name.as_str(), &value) {
            ("append", Value::Int(_)) | ("cas", Value::Bool(_)) => false, // a place in a log; whether it was done
            (name, _) => name == "append" || TAKERS.contains(&name),
        };
        match takes {
            false => Ok(value),
            true if value == self.value || value == Value::Nil => Ok(Value::Nil),
            true => {
                let problem = format!("`{self}` completes with the value {value}; expected the value it was given");
                Err(BadLine::new(line, problem))
            }
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(key) = &self.key {
            write!(f, " {key}")?;
        }
        match &self.value {
            Value::Nil => Ok(()),
            value => write!(f, " {value}"),
        }
    }
}
