//! From the text of an option to its value. Wherever the text comes from, the command line or a variable, a bad one is answered in the same way:
//! where it stands, what it is, what was expected, what may have been meant.

use crate::environment::complaint;
use crate::suggest::did_you_mean;
use crate::{Engine, Network, Policy};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, Command, Error};
use manyworlds_linear::formats::Format;
use manyworlds_linear::{Consistency, Object};
use std::ffi::OsStr;
use std::time::Duration;

/// How an option is read.
#[derive(Clone)]
pub struct Reader<T> {
    expected: String,
    /// The values that have names; empty if there are too many to name.
    names: Vec<&'static str>,
    read: fn(&str) -> Option<T>,
    good: fn(&T) -> bool,
}

impl<T> Reader<T> {
    /// One of a few words.
    pub fn named(names: Vec<&'static str>, read: fn(&str) -> Option<T>) -> Reader<T> {
        let expected = match names.as_slice() {
            [] => "nothing".to_string(),
            [only] => only.to_string(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
        Reader { expected, names, read, good: |_| true }
    }

    fn unnamed(expected: &str, read: fn(&str) -> Option<T>, good: fn(&T) -> bool) -> Reader<T> {
        Reader { expected: expected.to_string(), names: Vec::new(), read, good }
    }

    /// The value; a complaint names `place`, the option or variable.
    pub fn read(&self, place: &str, text: &str) -> Result<T, String> {
        (self.read)(text.trim()).filter(self.good).ok_or_else(|| {
            let hint = did_you_mean(text, self.names.iter().copied());
            format!("{}{hint}", complaint(place, text, &self.expected))
        })
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Reader<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        self.parse_ref_(command, arg, value, ValueSource::CommandLine)
    }

    fn parse_ref_(&self, _: &Command, arg: Option<&Arg>, value: &OsStr, source: ValueSource) -> Result<T, Error> {
        self.read(&place(arg, source), &value.to_string_lossy()).map_err(refused)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        known(&self.names)
    }
}

/// Any text. The names are for shells that complete it; whether it is one of them is asked later, and answered better.
#[derive(Clone)]
pub struct Text {
    names: Vec<&'static str>,
}

/// Any text.
pub fn text() -> Text {
    Text::like(Vec::new())
}

impl Text {
    /// A text that is probably one of these.
    pub fn like(names: Vec<&'static str>) -> Text {
        Text { names }
    }
}

impl TypedValueParser for Text {
    type Value = String;

    fn parse_ref(&self, _: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        value.to_str().map(ToString::to_string).ok_or_else(|| {
            refused(complaint(&place(arg, ValueSource::CommandLine), &value.to_string_lossy(), "a text in UTF-8"))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        known(&self.names)
    }
}

/// Where a value stands: in a variable, after an option, or in the place of an argument.
fn place(arg: Option<&Arg>, source: ValueSource) -> String {
    let Some(arg) = arg else { return "an argument".to_string() };
    match (arg.get_env(), arg.get_long(), arg.get_value_names()) {
        (Some(variable), ..) if source == ValueSource::EnvVariable => variable.to_string_lossy().into_owned(),
        (_, Some(long), _) => format!("--{long}"),
        (_, None, Some([name, ..])) => name.to_string(),
        _ => arg.get_id().as_str().to_uppercase(),
    }
}

/// The complaint of a reader, if that is what the error is: it is shown like all others.
pub fn complaint_in(error: &Error) -> Option<String> {
    let ours = error.kind() == ErrorKind::ValueValidation && error.context().next().is_none();
    ours.then(|| error.to_string().trim_start_matches("error: ").trim_end().to_string())
}

fn refused(complaint: String) -> Error {
    Error::raw(ErrorKind::ValueValidation, format!("{complaint}\n"))
}

fn known<'a>(names: &'a [&'static str]) -> Option<Box<dyn Iterator<Item = PossibleValue> + 'a>> {
    match names.is_empty() {
        true => None,
        false => Some(Box::new(names.iter().map(PossibleValue::new))),
    }
}

/// The engines of `check`.
pub fn engine() -> Reader<Engine> {
    Reader::named(Engine::ALL.map(Engine::name).to_vec(), |text| text.parse().ok())
}

/// The engines of litmus programs.
pub fn counting_engine() -> Reader<Engine> {
    Reader::named([Engine::Must, Engine::Brute].map(Engine::name).to_vec(), |text| text.parse().ok())
}

/// The networks.
pub fn network() -> Reader<Network> {
    Reader::named(Network::ALL.map(Network::name).to_vec(), |text| text.parse().ok())
}

/// The policies; the random one still needs its seed.
pub fn policy() -> Reader<Policy> {
    Reader::named(POLICIES.map(|(name, _)| name).to_vec(), |text| one_of(&POLICIES, text))
}

const POLICIES: [(&str, Policy); 4] = [
    ("receive-last", Policy::ReceiveLast),
    ("left-to-right", Policy::LeftToRight),
    ("right-to-left", Policy::RightToLeft),
    ("random", Policy::Random(0)),
];

/// What a recorded history may be asked for.
pub fn consistency() -> Reader<Consistency> {
    Reader::named(CONSISTENCIES.map(|(name, _)| name).to_vec(), |text| one_of(&CONSISTENCIES, text))
}

const CONSISTENCIES: [(&str, Consistency); 2] =
    [("linearizable", Consistency::Linearizable), ("sequential", Consistency::Sequential)];

fn one_of<T: Copy>(all: &[(&str, T)], text: &str) -> Option<T> {
    all.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

/// The objects of recorded histories.
pub fn object() -> Reader<Object> {
    Reader::named(Object::ALL.into_iter().map(Object::name).collect(), |text| text.parse().ok())
}

/// The formats of recorded histories.
pub fn format() -> Reader<Format> {
    Reader::named(Format::ALL.into_iter().map(Format::name).collect(), |text| text.parse().ok())
}

/// Any number.
pub fn number() -> Reader<u64> {
    Reader::unnamed("a whole number from 0 to 18446744073709551615", |text| text.parse().ok(), |_| true)
}

/// A number that is not so large.
pub fn small_number() -> Reader<u32> {
    Reader::unnamed("a whole number from 0 to 4294967295", |text| text.parse().ok(), |_| true)
}

/// A budget: something must be allowed.
pub fn budget() -> Reader<u64> {
    Reader::unnamed("a whole number from 1 to 18446744073709551615", |text| text.parse().ok(), |&n| n > 0)
}

/// Workers.
pub fn threads() -> Reader<usize> {
    Reader::unnamed("a whole number from 1 to 1024", |text| text.parse().ok(), |n| (1..=1024).contains(n))
}

/// A span of time.
pub fn seconds() -> Reader<Duration> {
    let read = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
    Reader::unnamed("a number of seconds above 0, as in 2.5", read, |time| !time.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_says_where_what_and_what_else() {
        let complaint = engine().read("--engine", "musst").unwrap_err();
        assert!(complaint.starts_with("--engine is `musst`; expected auto, must, "), "{complaint}");
        assert!(complaint.ends_with(" or liviola. Did you mean `must`?"), "{complaint}");
        assert_eq!(
            network().read("MANYWORLDS_NETWORK", "tcp").unwrap_err(),
            "MANYWORLDS_NETWORK is `tcp`; expected asyn, p2p, cd or mbox"
        );
        for bad in ["0", "-1", "1.5", "", "99999999999999999999"] {
            assert!(budget().read("--max-states", bad).unwrap_err().contains("from 1 to"), "{bad}");
        }
        for bad in ["soon", "0", "-1", "NaN", "inf", "1e99"] {
            assert!(seconds().read("--timeout", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_name_is_read() {
        fn all_read<T>(reader: &Reader<T>) {
            reader.names.iter().for_each(|name| assert!(reader.read("--option", name).is_ok(), "{name}"));
        }
        all_read(&engine());
        all_read(&counting_engine());
        all_read(&network());
        all_read(&policy());
        all_read(&consistency());
        all_read(&object());
        all_read(&format());
    }
}
