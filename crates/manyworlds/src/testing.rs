//! What `#[manyworlds::test]` does at run time.
//!
//! A test passes only if every world was seen and none violates a property; hitting a bound fails it, unless it says `incomplete = "allow"`.
//! A violation is shown as a message-sequence chart; its trace, and a page that shows it, are written to `.manyworlds/` beside the crate's `Cargo.toml`. The next run
//! of the test replays that trace first: while it reproduces the violation, the test fails at once; when it no longer does, the file is deleted
//! and all worlds are explored again.
//!
//! ```
//! use manyworlds::prelude::*;
//!
//! #[manyworlds::test(network = "mbox", executions = 2)]
//! fn one_of_two_is_first() {
//!     let server = spawn(|| recv::<u32>());
//!     spawn(move || send(server.pid(), 1u32));
//!     spawn(move || send(server.pid(), 2u32));
//!     assert!([1, 2].contains(&server.join()));
//! }
//! # fn main() {}
//! ```
//!
//! | variable | meaning |
//! |---|---|
//! | `MANYWORLDS_REPLAY=FILE` | only replay this trace, step by step; tests that it is not about are skipped |
//! | `MANYWORLDS_THREADS=N` | workers, whatever the test says |
//! | `MANYWORLDS_TIMEOUT=SECONDS` | stop after so long, whatever the test says |
//! | `MANYWORLDS_MAX_EXECUTIONS=N` | stop after so many executions, whatever the test says |
//! | `MANYWORLDS_DIR=DIRECTORY` | where traces are written, instead of `.manyworlds/` |
//!
//! Wrong options do not compile:
//!
//! ```compile_fail
//! #[manyworlds::test(netwrok = "mbox")] // unknown option `netwrok`; there are `network`, …
//! fn misspelt() {}
//! ```
//! ```compile_fail
//! #[manyworlds::test(network = "tcp")] // `network` takes one of `network = "asyn"`, …
//! fn no_such_network() {}
//! ```
//! ```compile_fail
//! #[manyworlds::test(threads = "two")] // `threads` takes a whole number from 1 on
//! fn no_number() {}
//! ```
//! ```compile_fail
//! #[manyworlds::test]
//! fn with_an_argument(n: u32) {} // a test takes no arguments
//! ```
//! ```compile_fail
//! #[manyworlds::monitor(at_end = check)] // a monitor observes some type of message
//! struct Blind;
//! ```

mod environment;
mod session;
mod store;

use crate::{Checker, Deadlock, Network};
pub use environment::Environment;
use session::Session;
use std::time::Duration;

/// A test, as `#[manyworlds::test]` describes it.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The package it belongs to.
    pub package: &'static str,
    /// The directory of that package.
    pub directory: &'static str,
    /// The module it stands in, from the crate on.
    pub module: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// How to run it.
    pub options: Options,
    /// Adds the monitors.
    pub monitors: fn(Checker) -> Checker,
}

/// The options of a test; what is `None` is as [`Checker`] has it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The network of operations that name none.
    pub network: Option<Network>,
    /// Workers.
    pub threads: Option<usize>,
    /// How many complete executions there must be.
    pub executions: Option<u64>,
    /// Stop after so many executions.
    pub max_executions: Option<u64>,
    /// Cut executions off after so many events.
    pub max_depth: Option<u64>,
    /// Cut processes off after so many operations.
    pub max_steps: Option<u64>,
    /// Stop after so long.
    pub timeout: Option<Duration>,
    /// How many messages may be lost in an execution.
    pub loss_budget: Option<u32>,
    /// Whether processes may wait for ever.
    pub deadlock: Option<Deadlock>,
    /// Whether the test may pass although a bound was hit.
    pub incomplete: Option<Incomplete>,
}

/// Whether a test may pass although a bound was hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Incomplete {
    /// It fails: nobody knows what the worlds beyond the bound do.
    #[default]
    Forbid,
    /// It passes if no violation was seen.
    Allow,
}

impl TestCase {
    /// The name that traces of this test bear.
    pub fn model(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// The name by which the test harness knows it: the crate is not part of it.
    fn path(&self) -> String {
        match self.module.split_once("::") {
            Some((_, module)) => format!("{module}::{}", self.name),
            None => self.name.to_string(),
        }
    }

    /// The checker for `body`; the environment has the last word.
    fn checker(&self, environment: &Environment, body: impl Fn() + Send + Sync + 'static) -> Checker {
        let o = &self.options;
        let mut checker = (self.monitors)(Checker::new(body)).name(self.model());
        checker = set(checker, o.network, Checker::network);
        checker = set(checker, environment.threads.or(o.threads), Checker::threads);
        checker = set(checker, environment.max_executions.or(o.max_executions), Checker::max_executions);
        checker = set(checker, o.max_depth, Checker::max_depth);
        checker = set(checker, o.max_steps, Checker::max_steps);
        checker = set(checker, environment.timeout.or(o.timeout), Checker::timeout);
        checker = set(checker, o.loss_budget, Checker::loss_budget);
        set(checker, o.deadlock, Checker::deadlock)
    }
}

fn set<T>(checker: Checker, value: Option<T>, setter: fn(Checker, T) -> Checker) -> Checker {
    match value {
        Some(value) => setter(checker, value),
        None => checker,
    }
}

/// Runs a test in the environment of this process; panics if it fails.
#[track_caller]
pub fn run(case: TestCase, body: impl Fn() + Send + Sync + 'static) {
    // Not written to the stream itself: only what is printed is captured by the test harness.
    let attempted =
        Environment::read().and_then(|environment| attempt(&case, &environment, body, &mut |text| eprintln!("{text}")));
    if let Err(message) = attempted {
        panic!("{message}");
    }
}

/// Runs a test; `say` is given what is to be printed, and the error is why the test failed, in a line.
pub fn attempt(
    case: &TestCase,
    environment: &Environment,
    body: impl Fn() + Send + Sync + 'static,
    say: &mut dyn FnMut(&str),
) -> Result<(), String> {
    let mut session = Session::new(case, environment, case.checker(environment, body), say);
    match &environment.replay {
        Some(file) => session.replay_only(file),
        None => session.replay_first().and_then(|()| session.explore()),
    }
}
