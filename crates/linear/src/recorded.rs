//! A history as a file tells it: operations by name, before anybody says which object they are about.

use crate::history::{Event, History};
use crate::value::Value;
use std::fmt;

/// What was asked, by name.
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
    /// The line in which each operation is invoked.
    pub lines: Vec<usize>,
    /// What was done beside the operations, in the order of the file.
    pub asides: Vec<Aside>,
    /// The object, if the file names it.
    pub spec: Option<String>,
    /// What it holds at the start, if the file says so.
    pub initial: Option<Value>,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// The line, from 1; 0 if it is about the whole.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl BadLine {
    /// Something is wrong with a line.
    pub fn new(line: usize, problem: impl Into<String>) -> BadLine {
        BadLine { line, problem: problem.into() }
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
    /// The next event, which stands in this line.
    pub fn event(&mut self, line: usize, process: usize, event: Event<Call, Value>) -> Result<(), BadLine> {
        let invokes = matches!(event, Event::Invoke(_));
        let struck_out = match event {
            Event::Fail => self.history.position(process),
            _ => None,
        };
        self.history.event(process, event).map_err(|misplaced| BadLine::new(line, misplaced.to_string()))?;
        if invokes {
            self.lines.push(line);
        }
        if let Some(number) = struck_out {
            self.lines.remove(number);
        }
        Ok(())
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
        let lines = numbers.iter().map(|&n| self.lines[n]).collect();
        Ok(Recorded { history: self.history.restrict(&numbers), lines, ..self.clone() })
    }

    /// Whether the operation that a process waits for has this name; the complaint otherwise.
    pub fn expect_open(&self, line: usize, process: usize, name: &str) -> Result<(), BadLine> {
        match self.history.open(process) {
            Some(open) if open.operation.name != name => {
                let problem = format!(
                    "process {process} completes `{name}`; expected its open operation `{}`",
                    open.operation.name
                );
                Err(BadLine::new(line, problem))
            }
            _ => Ok(()),
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
