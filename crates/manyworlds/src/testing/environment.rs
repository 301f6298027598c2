//! The environment variables that tests obey.

use crate::environment::{DIRECTORY, MAX_EXECUTIONS, REPLAY, THREADS, TIMEOUT, complaint};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// What the environment says about how to run tests.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Environment {
    /// `MANYWORLDS_REPLAY`: only replay this trace.
    pub replay: Option<PathBuf>,
    /// `MANYWORLDS_DIR`: where traces are written.
    pub directory: Option<PathBuf>,
    /// `MANYWORLDS_THREADS`: workers.
    pub threads: Option<usize>,
    /// `MANYWORLDS_TIMEOUT`: stop after so long.
    pub timeout: Option<Duration>,
    /// `MANYWORLDS_MAX_EXECUTIONS`: stop after so many executions.
    pub max_executions: Option<u64>,
    /// Whether to print in colours: on a terminal, unless `NO_COLOR` is set.
    pub color: bool,
}

impl Environment {
    /// The environment of this process. The error names the variable and what it takes.
    pub fn read() -> Result<Environment, String> {
        let color = std::io::stderr().is_terminal();
        Environment::from_variables(|name| std::env::var_os(name), color)
    }

    fn from_variables(get: impl Fn(&str) -> Option<OsString>, terminal: bool) -> Result<Environment, String> {
        let given = |name: &str| get(name).filter(|value| !value.is_empty());
        let whole = "a whole number from 1 on";
        Ok(Environment {
            replay: given(REPLAY).map(PathBuf::from),
            directory: given(DIRECTORY).map(PathBuf::from),
            threads: parse(given, THREADS, whole, |&n| n > 0)?,
            timeout: parse(given, TIMEOUT, "a number of seconds above 0", |_| true)?.map(|Seconds(time)| time),
            max_executions: parse(given, MAX_EXECUTIONS, whole, |&n| n > 0)?,
            color: terminal && given("NO_COLOR").is_none(),
        })
    }
}

fn parse<T: FromStr>(
    given: impl Fn(&str) -> Option<OsString>,
    name: &str,
    expected: &str,
    good: impl Fn(&T) -> bool,
) -> Result<Option<T>, String> {
    let Some(value) = given(name) else { return Ok(None) };
    match value.to_str().and_then(|text| text.trim().parse().ok()).filter(good) {
        Some(value) => Ok(Some(value)),
        None => Err(complaint(name, &value.to_string_lossy(), expected)),
    }
}

struct Seconds(Duration);

impl FromStr for Seconds {
    type Err = ();

    fn from_str(text: &str) -> Result<Seconds, ()> {
        let time = Duration::try_from_secs_f64(text.parse().map_err(drop)?).map_err(drop)?;
        if time.is_zero() { Err(()) } else { Ok(Seconds(time)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Environment, String> {
        let get = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value));
        Environment::from_variables(get, true)
    }

    /// No value makes the reader panic, and what is refused names its variable.
    #[test]
    fn any_value_is_accepted_or_refused() {
        let names = [THREADS, TIMEOUT, MAX_EXECUTIONS, REPLAY, DIRECTORY];
        let turn = std::cell::Cell::new(0);
        let words = ["0", "1", "-", "+", ".", "e", "inf", "NaN", " ", "1e400", "1e-400", "18446744073709551616"];
        let fuzz =
            manyworlds_testkit::Fuzz::new("variables of tests", 3_000).samples(["2", "0.5", " 1000 "]).words(words);
        let fuzzed = fuzz.run(
            |input| {
                turn.set((turn.get() + 1) % names.len());
                read(&[(names[turn.get()], &String::from_utf8_lossy(input))]).map(drop)
            },
            |why| names.iter().any(|name| why.starts_with(name)),
        );
        fuzzed.at_least(20, 20);
    }

    #[test]
    fn variables_are_read() {
        let read = read(&[
            ("MANYWORLDS_REPLAY", "a b.json"),
            ("MANYWORLDS_DIR", "/elsewhere"),
            ("MANYWORLDS_THREADS", "2"),
            ("MANYWORLDS_TIMEOUT", "0.5"),
            ("MANYWORLDS_MAX_EXECUTIONS", " 1000 "),
            ("NO_COLOR", "1"),
        ]);
        let expected = Environment {
            replay: Some(PathBuf::from("a b.json")),
            directory: Some(PathBuf::from("/elsewhere")),
            threads: Some(2),
            timeout: Some(Duration::from_millis(500)),
            max_executions: Some(1000),
            color: false,
        };
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn what_is_read_is_what_the_table_says() {
        let asked = std::cell::RefCell::new(std::collections::BTreeSet::new());
        let get = |name: &str| {
            asked.borrow_mut().insert(name.to_string());
            None
        };
        Environment::from_variables(get, true).unwrap();
        let told = crate::environment::VARIABLES.iter().filter(|variable| variable.tests);
        let told = told.map(|variable| variable.name.to_string()).chain(["NO_COLOR".to_string()]).collect();
        assert_eq!(asked.into_inner(), told);
        let documentation = include_str!("../testing.rs");
        for variable in crate::environment::VARIABLES.iter().filter(|variable| variable.tests) {
            let row = format!("//! | `{}={}` |", variable.name, variable.value);
            assert!(documentation.contains(&row), "{row}");
        }
    }

    #[test]
    fn nothing_and_the_empty_text_mean_nothing() {
        assert_eq!(read(&[("MANYWORLDS_THREADS", "")]), Ok(Environment { color: true, ..Environment::default() }));
    }

    #[test]
    fn a_bad_value_names_its_variable_and_what_it_takes() {
        for bad in ["two", "0", "-1", "1.5"] {
            let message = format!("MANYWORLDS_THREADS is `{bad}`; expected a whole number from 1 on");
            assert_eq!(read(&[("MANYWORLDS_THREADS", bad)]), Err(message));
        }
        for bad in ["soon", "0", "-1", "NaN", "inf", "1e99"] {
            let message = format!("MANYWORLDS_TIMEOUT is `{bad}`; expected a number of seconds above 0");
            assert_eq!(read(&[("MANYWORLDS_TIMEOUT", bad)]), Err(message));
        }
        assert!(read(&[("MANYWORLDS_MAX_EXECUTIONS", "99999999999999999999")]).is_err());
    }
}
