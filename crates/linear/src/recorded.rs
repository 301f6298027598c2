//! Histories as recorded in files: operations by name, independent of any specification.

use crate::history::{Event, History, keep, marked};
use crate::value::Value;
use std::fmt;

/// An invocation of a named operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The name of the operation: `read`, `cas`, `enqueue`, …
    pub name: String,
    /// The key of the operation, if the file gives one.
    pub key: Option<Value>,
    /// The argument.
    pub value: Value,
}

/// An event that belongs to no operation, usually an action of a nemesis (Jepsen's fault injector).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aside {
    /// The position in the order of all events.
    pub at: usize,
    /// The actor and its action, as written in the file.
    pub words: String,
}

/// A recorded history.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// The operations and their responses.
    pub history: History<Call, Value>,
    /// The line in which each operation is invoked; empty if operations have no lines.
    pub lines: Vec<usize>,
    /// Events that belong to no operation, in the order of the file.
    pub asides: Vec<Aside>,
    /// The object, if the file names it.
    pub spec: Option<String>,
    /// The initial value, if the file gives one.
    pub initial: Option<Value>,
    /// The line with the object and the initial value; 0 if there is none.
    pub header: usize,
    /// Notes for the user on how the file was interpreted.
    pub remarks: Vec<String>,
    /// The indices of operations that failed; [`finished`](Recorded::finished) removes them.
    pub failed: Vec<usize>,
}

/// An error in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// The line, from 1; 0 if the error concerns the whole file.
    pub line: usize,
    /// A description of the error, and what was expected.
    pub problem: String,
    /// An unknown word, which may be mistyped, and the known words.
    pub mistyped: Option<(String, Vec<&'static str>)>,
}

impl BadLine {
    /// An error in a line.
    pub fn new(line: usize, problem: impl Into<String>) -> BadLine {
        BadLine { line, problem: problem.into(), mistyped: None }
    }

    /// An error about a word in a line that is not one of the known words.
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
    /// Appends an event from this line. Failed operations stay in the history until it is [`finished`](Recorded::finished).
    pub fn event(&mut self, line: usize, process: usize, event: Event<Call, Value>) -> Result<(), BadLine> {
        let invokes = matches!(event, Event::Invoke(_));
        let done = match event {
            Event::Fail => self.history.close(process).map(|number| self.failed.push(number)),
            event => self.history.event(process, event),
        };
        done.map_err(|misplaced| BadLine::new(line, misplaced.to_string()))?;
        if invokes {
            self.lines.push(line);
        }
        Ok(())
    }

    /// Removes failed operations at the end of the file.
    pub fn finished(mut self) -> Recorded {
        let failed = std::mem::take(&mut self.failed);
        keep(&mut self.lines, &marked(&failed, self.history.len()));
        self.history.remove(&failed);
        self
    }

    /// Appends an event that belongs to no operation.
    pub fn aside(&mut self, words: String) {
        let at = self.history.aside();
        self.asides.push(Aside { at, words });
    }

    /// The operations on one key, as typed by a user: `7` matches both the integer and the string. An error message if there are none.
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

    /// The open operation of a process. Fails if the line that completes the operation names a different operation or key.
    pub fn expect_open(
        &self,
        line: usize,
        process: usize,
        name: Option<&str>,
        key: Option<&Value>,
    ) -> Result<Option<&Call>, BadLine> {
        let Some(Call { name: open, key: about, .. }) = self.history.open(process).map(|open| &open.operation) else {
            return Ok(None);
        };
        if let Some(name) = name.filter(|name| name != open) {
            let problem = format!("process {process} completes `{name}`; expected its open operation `{open}`");
            return Err(BadLine::new(line, problem));
        }
        if let Some(key) = key.filter(|key| Some(*key) != about.as_ref()) {
            let expected = match about {
                Some(about) => format!("the key of its open operation, {about}"),
                None => "no key, as its open operation has none".to_string(),
            };
            let problem = format!("process {process} completes `{open}` with the key {key}; expected {expected}");
            return Err(BadLine::new(line, problem));
        }
        Ok(self.history.open(process).map(|open| &open.operation))
    }
}

/// Operations with an argument and without a result: logs repeat the argument as the value of the return.
const WITHOUT_RESULT: [&str; 7] = ["write", "cas", "put", "enqueue", "push", "add", "remove"];

impl Call {
    /// Whether operations of this name have an argument.
    pub(crate) fn takes(name: &str) -> bool {
        WITHOUT_RESULT.contains(&name) || ["append", "txn"].contains(&name)
    }

    /// The result in a completion with this value, in a format in which operations without a result repeat their argument. Fails if the
    /// value is not the argument.
    pub(crate) fn answered(&self, line: usize, value: Value) -> Result<Value, BadLine> {
        let takes = match (self.name.as_str(), &value) {
            ("append", Value::Int(_)) | ("cas", Value::Bool(_)) => false, // an index in a log; whether the register was changed
            (name, _) => name == "append" || WITHOUT_RESULT.contains(&name),
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
