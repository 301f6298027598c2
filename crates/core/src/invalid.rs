//! Models that break an assumption of the engines. This is the only kind of answer that says nothing about the user's properties.

use crate::{Location, Trace};
use serde::Serialize;
use std::fmt;

/// An assumption of the engines that the model breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flaw {
    /// A process or a handler depends on memory that is not part of its state.
    NotIsolated,
    /// A function of a specification gives two results for the same arguments.
    NotAFunction,
    /// A process did something else when the same inputs were given to it again.
    NotDeterministic,
    /// Renaming the actors that are declared identical changes what can happen.
    WrongSymmetry,
    /// Two actions that are declared independent do not commute, or one disables the other.
    WrongIndependence,
}

impl Flaw {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Flaw::NotIsolated => "not-isolated",
            Flaw::NotAFunction => "not-a-function",
            Flaw::NotDeterministic => "not-deterministic",
            Flaw::WrongSymmetry => "wrong-symmetry",
            Flaw::WrongIndependence => "wrong-independence",
        }
    }
}

/// Why there is no verdict on the properties: the assumption that the model breaks, with the evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct InvalidModel {
    /// What is wrong.
    pub flaw: Flaw,
    /// One sentence that names the process, actor, state or action and the flaw.
    pub message: String,
    /// The observations that contradict each other, one a line.
    pub evidence: Vec<String>,
    /// Where in the user's code, if that is known.
    pub location: Option<Location>,
    /// What to do about it.
    pub advice: Option<String>,
    /// An execution that shows it, where there is one.
    pub trace: Option<Box<Trace>>,
}

impl InvalidModel {
    /// A flaw with nothing but a message.
    pub fn new(flaw: Flaw, message: impl Into<String>) -> InvalidModel {
        InvalidModel { flaw, message: message.into(), evidence: Vec::new(), location: None, advice: None, trace: None }
    }

    /// Adds an observation.
    pub fn evidence(mut self, line: impl Into<String>) -> InvalidModel {
        self.evidence.push(line.into());
        self
    }

    /// Adds advice.
    pub fn advice(mut self, advice: impl Into<String>) -> InvalidModel {
        self.advice = Some(advice.into());
        self
    }

    /// Adds the place in the user's code where the flaw shows.
    pub fn at(mut self, location: Option<Location>) -> InvalidModel {
        self.location = location;
        self
    }
}

impl fmt::Display for InvalidModel {
    /// All of it, on several lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(location) = &self.location {
            write!(f, "\n  at {location}")?;
        }
        self.evidence.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
        self.advice.iter().try_for_each(|advice| write!(f, "\n  help: {advice}"))
    }
}

impl std::error::Error for InvalidModel {}
