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
//! A function that returns nothing is a program. A function that returns a system of actors or a specification (or a
//! [`Program`](crate::Program)) tests what it returns:
//!
//! ```
//! use manyworlds::actor::{Actor, Context, System};
//! use manyworlds::Pid;
//!
//! struct Counter;
//!
//! impl Actor for Counter {
//!     type State = u32;
//!     type Message = u32;
//!     fn start(&self, ctx: &mut Context<'_>) -> u32 {
//!         ctx.send(ctx.me(), 1u32);
//!         0
//!     }
//!     fn message(&self, total: &mut u32, _: Pid, n: &u32, _: &mut Context<'_>) { *total += n }
//! }
//!
//! #[manyworlds::test(states = 2)]
//! fn it_counts_to_one() -> System {
//!     let mut system = System::new();
//!     let counter = system.add("counter", Counter);
//!     system.at_rest_of(counter, "all is counted", |total| *total == 1)
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
//! #[manyworlds::test(deadlock = "allow")] // `deadlock` is for tests whose body is a program
//! fn no_program() -> manyworlds::actor::System { manyworlds::actor::System::new() }
//! ```
//! ```compile_fail
//! #[manyworlds::monitor(at_end = check)] // a monitor observes some type of message
//! struct Blind;
//! ```

mod environment;
mod session;
mod store;

use crate::{Check, Engine, IntoSubject, Options, Rebuild, Subject, check};
pub use environment::Environment;
use manyworlds_actor::System;
use session::Session;
use std::any::Any;

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
    /// How many complete executions there must be.
    pub executions: Option<u64>,
    /// How many distinct states there must be.
    pub states: Option<u64>,
    /// Whether the test may pass although a bound was hit.
    pub incomplete: Option<Incomplete>,
}

/// Whether a test may pass although a bound was hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Incomplete {
    /// It fails: nothing is known of the executions beyond the bound.
    #[default]
    Forbid,
    /// It passes if no violation was seen.
    Allow,
}

impl TestCase {
    /// A test with default options, which expects nothing in particular.
    pub fn new(package: &'static str, directory: &'static str, module: &'static str, name: &'static str) -> TestCase {
        let (options, executions, states, incomplete) = Default::default();
        TestCase { package, directory, module, name, options, executions, states, incomplete }
    }

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

    /// How the subject is checked; the environment has the last word.
    fn check<S>(
        &self,
        environment: &Environment,
        make: impl Fn() -> S + Send + Sync + 'static,
    ) -> Check<Box<dyn Subject>>
    where
        S: IntoSubject,
        S::Subject: 'static,
    {
        let subject = make().into_subject();
        let mut options = Options { name: self.model(), ..self.options.clone() };
        options.threads = environment.threads.unwrap_or(options.threads);
        options.timeout = environment.timeout.or(options.timeout);
        // Engines that visit states count no executions.
        let counts_executions = match options.engine {
            Engine::Auto => subject.kind() == "program",
            engine => !engine.keeps_states(),
        };
        if counts_executions {
            options.max_executions = environment.max_executions.or(options.max_executions);
        }
        if as_system(&subject).is_some() {
            options.rebuild = Some(Rebuild::new(move || as_system(&make().into_subject()).cloned()));
        }
        check(Box::new(subject) as Box<dyn Subject>).options(options)
    }
}

/// The system of actors that a subject is, if it is one.
fn as_system<S: 'static>(subject: &S) -> Option<&System> {
    (subject as &dyn Any).downcast_ref()
}

/// Runs a test in the environment of this process; panics if it fails.
#[track_caller]
pub fn run<S>(case: TestCase, make: impl Fn() -> S + Send + Sync + 'static)
where
    S: IntoSubject,
    S::Subject: 'static,
{
    // Not written to the stream itself: only what is printed is captured by the test harness.
    let attempted =
        Environment::read().and_then(|environment| attempt(&case, &environment, make, &mut |text| eprintln!("{text}")));
    if let Err(message) = attempted {
        panic!("{message}");
    }
}

/// Runs a test of the subject that `make` returns; `say` is given what is to be printed, and the error is why the test failed, in a line.
pub fn attempt<S>(
    case: &TestCase,
    environment: &Environment,
    make: impl Fn() -> S + Send + Sync + 'static,
    say: &mut dyn FnMut(&str),
) -> Result<(), String>
where
    S: IntoSubject,
    S::Subject: 'static,
{
    let mut session = Session::new(case, environment, case.check(environment, make), say);
    match &environment.replay {
        Some(file) => session.replay_only(file),
        None => session.replay_first().and_then(|()| session.explore()),
    }
}
