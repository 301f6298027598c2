//! The variables `MANYWORLDS_*`: one table for the command line and for `#[manyworlds::test]`.

use crate::suggest::did_you_mean;

/// A variable of the environment that changes a default.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// As it is set.
    pub name: &'static str,
    /// What it takes, in a word.
    pub value: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// The option of the command line that it stands for, without dashes.
    pub option: Option<&'static str>,
    /// Whether `#[manyworlds::test]` obeys it.
    pub tests: bool,
}

impl Variable {
    const fn of_option(
        name: &'static str,
        value: &'static str,
        option: &'static str,
        meaning: &'static str,
    ) -> Variable {
        Variable { name, value, meaning, option: Some(option), tests: false }
    }

    const fn also_tests(self) -> Variable {
        Variable { tests: true, ..self }
    }

    const fn only_tests(name: &'static str, value: &'static str, meaning: &'static str) -> Variable {
        Variable { name, value, meaning, option: None, tests: true }
    }
}

/// `MANYWORLDS_THREADS`
pub const THREADS: &str = "MANYWORLDS_THREADS";
/// `MANYWORLDS_TIMEOUT`
pub const TIMEOUT: &str = "MANYWORLDS_TIMEOUT";
/// `MANYWORLDS_MAX_EXECUTIONS`
pub const MAX_EXECUTIONS: &str = "MANYWORLDS_MAX_EXECUTIONS";
/// `MANYWORLDS_REPLAY`
pub const REPLAY: &str = "MANYWORLDS_REPLAY";
/// `MANYWORLDS_DIR`
pub const DIRECTORY: &str = "MANYWORLDS_DIR";

/// All of them, in the order in which they are shown.
pub const VARIABLES: [Variable; 15] = [
    Variable::of_option("MANYWORLDS_ENGINE", "NAME", "engine", "the engine"),
    Variable::of_option("MANYWORLDS_NETWORK", "NAME", "network", "the network"),
    Variable::of_option(THREADS, "N", "threads", "workers").also_tests(),
    Variable::of_option("MANYWORLDS_SEED", "N", "seed", "seed of random walks and schedules"),
    Variable::of_option("MANYWORLDS_POLICY", "NAME", "policy", "the order in which processes run"),
    Variable::of_option(MAX_EXECUTIONS, "N", "max-executions", "stop after so many executions").also_tests(),
    Variable::of_option("MANYWORLDS_MAX_STATES", "N", "max-states", "stop after so many states"),
    Variable::of_option("MANYWORLDS_MAX_DEPTH", "N", "max-depth", "cut off after so many steps"),
    Variable::of_option(TIMEOUT, "SECONDS", "timeout", "stop when the time is up").also_tests(),
    Variable::of_option("MANYWORLDS_MAX_MEMORY", "BYTES", "max-memory", "stop when more memory is used"),
    Variable::of_option("MANYWORLDS_LOSSES", "N", "losses", "how many messages may be lost"),
    Variable::of_option("MANYWORLDS_DELAYS", "N", "delays", "how many actors `delay` may skip"),
    Variable::of_option("MANYWORLDS_CONSISTENCY", "NAME", "consistency", "what `linearize` asks for"),
    Variable::only_tests(REPLAY, "FILE", "only replay this trace, step by step; other tests are skipped"),
    Variable::only_tests(DIRECTORY, "DIRECTORY", "where traces are written, instead of .manyworlds/"),
];

/// A complaint about the value of an option, a variable or a parameter, always in the same words.
pub fn complaint(name: &str, value: &str, expected: &str) -> String {
    format!("{name} is `{value}`; expected {expected}")
}

/// How the variables begin that only the tests of Manyworlds itself read. Programs that these tests run inherit them.
const OWN_TESTS: &str = "MANYWORLDS_TEST_";

/// What to say about variables that look like ours but are not, by name.
pub fn unknown<'a>(set: impl Iterator<Item = &'a str>) -> Vec<String> {
    let known = || VARIABLES.iter().map(|variable| variable.name);
    let ours = set.filter(|name| name.starts_with("MANYWORLDS_") && !name.starts_with(OWN_TESTS));
    let strange = ours.filter(|name| !known().any(|known| known == *name));
    strange.map(|name| format!("{name} is set, but there is no such variable{}", did_you_mean(name, known()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_told() {
        let set = ["HOME", "MANYWORLDS_SEED", "MANYWORLDS_TIMEOT", "MANYWORLDS"];
        let told = "MANYWORLDS_TIMEOT is set, but there is no such variable. Did you mean `MANYWORLDS_TIMEOUT`?";
        assert_eq!(unknown(set.into_iter()), [told]);
    }
}
