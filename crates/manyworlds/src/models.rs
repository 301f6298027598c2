//! Models with a name and parameters, as a command line knows them: the zoo is a list of these, and so are the models of
//! [`cli!`](macro@crate::cli).
//!
//! ```
//! use manyworlds::models::{Build, Model, Param};
//! use manyworlds::prelude::*;
//!
//! const RACE: Model = Model {
//!     name: "race",
//!     summary: "n senders, one receiver: n! executions",
//!     params: &[Param::int("n", 2, 1..=8, "senders")],
//!     build: Build::Program(|params| Ok(race(params.int("n")))),
//! };
//!
//! fn race(n: usize) -> Program {
//!     Program::new(move || {
//!         let receiver = me();
//!         for i in 0..n {
//!             spawn(move || send(receiver, i));
//!         }
//!         let order: Vec<usize> = (0..n).map(|_| recv()).collect();
//!         assert_eq!(order.len(), n);
//!     })
//! }
//!
//! let params = RACE.params([("n", "3")])?;
//! assert_eq!(RACE.check(&params)?.run().map_err(|refused| refused.to_string())?.stats.executions, Some(6));
//! assert_eq!(RACE.params([("m", "3")]).unwrap_err(), "model `race` has no parameter `m`; it has: n");
//! assert!(RACE.params([("n", "9")]).unwrap_err().contains("expected a whole number from 1 to 8"));
//! # Ok::<(), String>(())
//! ```

use crate::actor::System;
use crate::suggest::did_you_mean;
use crate::{Check, Program, Subject, check};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// A parameter of a model.
#[derive(Clone, Debug)]
pub struct Param {
    /// As written on the command line.
    pub name: &'static str,
    /// What it means.
    pub help: &'static str,
    /// Which values it takes, and the one it has if not given.
    pub domain: Domain,
}

/// The values of a parameter.
#[derive(Clone, Debug)]
pub enum Domain {
    /// A number within limits.
    Int {
        /// If not given.
        default: u64,
        /// Both ends included.
        limits: RangeInclusive<u64>,
    },
    /// One of a few words.
    Choice {
        /// If not given.
        default: &'static str,
        /// All of them.
        options: &'static [&'static str],
    },
    /// Any text.
    Text {
        /// If not given.
        default: &'static str,
    },
}

impl Param {
    /// A number within `limits`.
    pub const fn int(name: &'static str, default: u64, limits: RangeInclusive<u64>, help: &'static str) -> Param {
        Param { name, help, domain: Domain::Int { default, limits } }
    }

    /// One of a few words; the first if not given.
    pub const fn choice(name: &'static str, options: &'static [&'static str], help: &'static str) -> Param {
        Param { name, help, domain: Domain::Choice { default: options[0], options } }
    }

    /// A text.
    pub const fn text(name: &'static str, default: &'static str, help: &'static str) -> Param {
        Param { name, help, domain: Domain::Text { default } }
    }

    /// The value it has if not given.
    pub fn default(&self) -> Value {
        match &self.domain {
            Domain::Int { default, .. } => Value::from(*default),
            Domain::Choice { default, .. } | Domain::Text { default } => Value::from(*default),
        }
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        match &self.domain {
            Domain::Text { .. } => Ok(Value::from(text)),
            Domain::Choice { options, .. } if options.contains(&text) => Ok(Value::from(text)),
            Domain::Choice { options, .. } => Err(format!(
                "parameter `{}` is `{text}`; expected one of {} ({}){}",
                self.name,
                options.join(", "),
                self.help,
                did_you_mean(text, options.iter().copied())
            )),
            Domain::Int { limits, .. } => match text.parse::<u64>() {
                Ok(n) if limits.contains(&n) => Ok(Value::from(n)),
                _ => Err(format!(
                    "parameter `{}` is `{text}`; expected a whole number from {} to {} ({})",
                    self.name,
                    limits.start(),
                    limits.end(),
                    self.help
                )),
            },
        }
    }
}

/// The parameters of one run.
#[derive(Clone, Debug, Default)]
pub struct Params(Map<String, Value>);

impl Params {
    /// A number.
    ///
    /// # Panics
    ///
    /// If the model has no such parameter, or it is a text: whoever wrote the model has to know.
    #[track_caller]
    pub fn int(&self, name: &str) -> usize {
        match self.0.get(name).and_then(Value::as_u64) {
            Some(number) => number as usize,
            None => panic!("the model has no parameter `{name}` that is a number"),
        }
    }

    /// A text.
    ///
    /// # Panics
    ///
    /// If the model has no such parameter, or it is a number.
    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name).and_then(Value::as_str) {
            Some(text) => text,
            None => panic!("the model has no parameter `{name}` that is a text"),
        }
    }

    /// As JSON.
    pub fn json(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// How a model is made from its parameters.
#[derive(Clone, Copy)]
pub enum Build {
    /// Ordinary code.
    Program(fn(&Params) -> Result<Program, String>),
    /// Actors.
    Actors(fn(&Params) -> Result<System, String>),
    /// A transition system.
    Specification(fn(&Params) -> Result<Box<dyn Subject>, String>),
}

/// A model that can be found by its name.
#[derive(Clone)]
pub struct Model {
    /// As written on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// In the order in which they are shown.
    pub params: &'static [Param],
    /// Makes it.
    pub build: Build,
}

impl Model {
    /// The parameters given as (name, value) texts, checked, with defaults for the others.
    pub fn params<'a>(&self, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Params, String> {
        let mut values: Map<String, Value> = self.params.iter().map(|p| (p.name.to_string(), p.default())).collect();
        let mut seen: Vec<&str> = Vec::new();
        for (name, text) in given {
            let param = self.params.iter().find(|p| p.name == name).ok_or_else(|| self.stranger(name))?;
            if seen.contains(&name) {
                return Err(format!("parameter `{name}` is given twice; expected it once"));
            }
            seen.push(name);
            values.insert(name.to_string(), param.parse(text)?);
        }
        Ok(Params(values))
    }

    /// The complaint about a parameter that it does not have.
    fn stranger(&self, name: &str) -> String {
        let known: Vec<&str> = self.params.iter().map(|p| p.name).collect();
        match known.is_empty() {
            true => format!("model `{}` has no parameter `{name}`; it has none at all", self.name),
            false => {
                let hint = did_you_mean(name, known.iter().copied());
                format!("model `{}` has no parameter `{name}`; it has: {}{hint}", self.name, known.join(", "))
            }
        }
    }

    /// The parameters of a trace.
    pub fn params_from_json(&self, json: &Map<String, Value>) -> Result<Params, String> {
        let texts: Vec<(String, String)> = json
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), ToString::to_string)))
            .collect();
        self.params(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// `program`, `actors` or `specification`.
    pub fn kind(&self) -> &'static str {
        match self.build {
            Build::Program(_) => "program",
            Build::Actors(_) => "actors",
            Build::Specification(_) => "specification",
        }
    }

    /// The model with these parameters, whatever kind it is.
    pub fn subject(&self, params: &Params) -> Result<Box<dyn Subject>, String> {
        match self.build {
            Build::Program(build) => Ok(Box::new(build(params)?)),
            Build::Actors(build) => Ok(Box::new(build(params)?)),
            Build::Specification(build) => build(params),
        }
    }

    /// The actors with these parameters.
    pub fn system(&self, params: &Params) -> Result<System, String> {
        match self.build {
            Build::Actors(build) => build(params),
            _ => Err(format!("model `{}` is not a system of actors", self.name)),
        }
    }

    /// The program with these parameters.
    pub fn program(&self, params: &Params) -> Result<Program, String> {
        match self.build {
            Build::Program(build) => build(params),
            _ => Err(format!("model `{}` is not a program", self.name)),
        }
    }

    /// The model with these parameters, ready to be checked under its name.
    pub fn check(&self, params: &Params) -> Result<Check<Box<dyn Subject>>, String> {
        Ok(check(self.subject(params)?).name(self.name).params(params.json().clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Model = Model {
        name: "model",
        summary: "",
        params: &[
            Param::int("number", 2, 1..=3, "a number"),
            Param::choice("word", &["yes", "no"], "a word"),
            Param::text("text", "a b", "a text"),
        ],
        build: Build::Program(|_| Err("never".to_string())),
    };

    #[test]
    fn parameters_have_defaults_and_limits() {
        let params = MODEL.params([("number", "3")]).unwrap();
        assert_eq!((params.int("number"), params.text("word"), params.text("text")), (3, "yes", "a b"));
        for (given, complaint) in [
            (&[("number", "4")][..], "parameter `number` is `4`; expected a whole number from 1 to 3 (a number)"),
            (&[("word", "ye")], "parameter `word` is `ye`; expected one of yes, no (a word). Did you mean `yes`?"),
            (
                &[("nubmer", "1")],
                "model `model` has no parameter `nubmer`; it has: number, word, text. Did you mean `number`?",
            ),
            (&[("text", ""), ("text", "")], "parameter `text` is given twice; expected it once"),
        ] {
            assert_eq!(MODEL.params(given.iter().copied()).unwrap_err(), complaint);
        }
    }

    #[test]
    fn the_parameters_of_a_trace_are_those_of_the_run() {
        let params = MODEL.params([("number", "1"), ("text", "x=y")]).unwrap();
        assert_eq!(MODEL.params_from_json(params.json()).unwrap().json(), params.json());
    }

    #[test]
    #[should_panic(expected = "the model has no parameter `nubmer` that is a number")]
    fn a_model_that_asks_for_what_it_does_not_have_is_told() {
        MODEL.params([]).unwrap().int("nubmer");
    }
}
