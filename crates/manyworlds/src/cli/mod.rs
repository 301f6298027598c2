//! The command line: the same for the zoo and for models of one's own.
//!
//! [`cli!`](macro@crate::cli) makes a `main` of a list of models. What it understands, `--help` tells:
//!
//! | command | what it does |
//! |---|---|
//! | `list` | the models with their parameters; `list PATH`: the tests of a P program |
//! | `compile PATH` | what is wrong with a P program |
//! | `check MODEL [KEY=VALUE …]` | checks one, with every option there is: engines, networks, budgets, reports, traces, JSON |
//! | `check PATH` | checks the tests of a P program |
//! | `replay TRACE.json` | performs a counterexample again, step by step |
//! | `linearize FILE …` | judges recorded histories |
//! | `completions SHELL`, `man` | what a shell and `man` want to know, made from the same definitions |
//! | `help COMMAND`, `help environment` | options with examples; the variables `MANYWORLDS_*` |
//!
//! Exit status: 0 verified in full, 1 violation found, 2 bad usage or input, 3 stopped by a budget.

mod args;
mod check;
mod exports;
mod generate;
mod help;
mod history_page;
mod json;
mod linearize;
mod list;
mod output;
#[cfg(feature = "p")]
mod p;
pub mod progress;
mod replay;
pub mod terminal;
pub mod values;
mod watchdog;

/// Without the feature `p` there is no front end for P.
#[cfg(not(feature = "p"))]
mod p {
    use super::args::{CheckArgs, CompileArgs};
    use super::{App, Complaint, Exit};
    use crate::Trace;
    use std::path::Path;

    const MISSING: &str = "this program was built without the feature `p`, so it does not read P programs";

    pub fn check(_: &App, _: &CheckArgs) -> Result<Exit, Complaint> {
        Err(MISSING.to_string())
    }

    pub fn compile(_: &CompileArgs) -> Result<Exit, Complaint> {
        Err(MISSING.to_string())
    }

    pub fn list(_: &Path, _: bool) -> Result<Exit, Complaint> {
        Err(MISSING.to_string())
    }

    pub fn subject(_: &Trace) -> Result<Box<dyn crate::Subject>, Complaint> {
        Err(MISSING.to_string())
    }
}

use crate::environment;
use crate::models::Model;
use crate::suggest::did_you_mean;
use args::Common;
use clap::{ArgMatches, FromArgMatches, Subcommand};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;

/// Makes a `main` with the command line of Manyworlds for these models.
///
/// ```
/// use manyworlds::models::{Build, Model};
/// use manyworlds::prelude::*;
///
/// const GREETING: Model = Model {
///     name: "greeting",
///     summary: "who is greeted first?",
///     params: &[],
///     build: Build::Program(|_| Ok(Program::new(greeting))),
/// };
///
/// fn greeting() {
///     let host = me();
///     for name in ["alice", "bob"] {
///         process(name).spawn(move || send(host, name));
///     }
///     assert_eq!(recv::<&str>(), "alice", "bob may come first");
/// }
///
/// manyworlds::cli![GREETING];
/// ```
///
/// `cargo run -- check greeting` then draws the world in which bob comes first; `cargo run -- help` tells the rest. Any number of models may be
/// given, of any kind: programs, actors, specifications.
#[macro_export]
macro_rules! cli {
    ($($model:expr),* $(,)?) => {
        fn main() -> ::std::process::ExitCode {
            const MODELS: &[$crate::models::Model] = &[$($model),*];
            let name = ::std::option_env!("CARGO_BIN_NAME").unwrap_or(::std::env!("CARGO_PKG_NAME"));
            $crate::cli::App::new(name, ::std::env!("CARGO_PKG_VERSION"), MODELS)
                .about(::std::env!("CARGO_PKG_DESCRIPTION"))
                .run()
        }
    };
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Verified in full, or nothing to complain about.
    Verified,
    /// A violation or a mismatch was found.
    Violated,
    /// Stopped by a budget with no violation, or a violation that no replay confirmed.
    Incomplete,
    /// The model breaks what the engines rely on.
    Invalid,
}

/// Bad usage or bad input, in words for a person.
pub type Complaint = String;

/// The exit status of a command that ended so; a complaint is printed.
fn status(done: Result<Exit, Complaint>) -> u8 {
    match done {
        Ok(Exit::Verified) => 0,
        Ok(Exit::Violated) => 1,
        Ok(Exit::Incomplete) => 3,
        Ok(Exit::Invalid) => 2,
        Err(complaint) => {
            terminal::complain(&complaint);
            2
        }
    }
}

/// A command that only one program has.
pub struct Extra {
    /// What it understands.
    pub command: clap::Command,
    /// What it does.
    pub run: fn(&App, &ArgMatches) -> Result<Exit, Complaint>,
}

/// A program with a command line.
pub struct App {
    name: &'static str,
    version: &'static str,
    about: &'static str,
    models: &'static [Model],
    extras: Vec<Extra>,
    examples: &'static [(&'static str, &'static str)],
}

impl App {
    /// The program `name` with these models.
    pub fn new(name: &'static str, version: &'static str, models: &'static [Model]) -> App {
        let about = "Checks its models in every world they can reach";
        App { name, version, about, models, extras: Vec::new(), examples: &[] }
    }

    /// What it says about itself; nothing leaves it as it is.
    pub fn about(mut self, about: &'static str) -> App {
        if !about.is_empty() {
            self.about = about;
        }
        self
    }

    /// Adds a command.
    pub fn extra(mut self, command: clap::Command, run: fn(&App, &ArgMatches) -> Result<Exit, Complaint>) -> App {
        self.extras.push(Extra { command, run });
        self
    }

    /// Examples for the help of a command, instead of those made of the first model.
    pub fn examples(mut self, examples: &'static [(&'static str, &'static str)]) -> App {
        self.examples = examples;
        self
    }

    /// Does what the arguments of this process say.
    pub fn run(&self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// Does what these arguments say; the first is the name of the program.
    pub fn run_with(&self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        let set: Vec<String> = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
        environment::unknown(set.iter().map(String::as_str)).iter().for_each(|problem| terminal::note(problem));
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        let with_tables = arguments.iter().any(|argument| argument == "engines" || argument == "man");
        let done = match self.command_with(with_tables).try_get_matches_from(arguments) {
            Ok(matches) => self.names_differ().and_then(|()| self.perform(&matches)),
            Err(error) => match values::complaint_in(&error) {
                Some(complaint) => Err(complaint),
                None => {
                    // Help and version come this way, too.
                    terminal::print_message(&error);
                    return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
                }
            },
        };
        let done = done.and_then(|exit| terminal::unprinted().map_or(Ok(exit), |problem| Err(problem.to_string())));
        ExitCode::from(status(done))
    }

    /// The model with this name, or a complaint that helps.
    pub fn model(&self, name: &str) -> Result<&'static Model, Complaint> {
        self.models.iter().find(|model| model.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.models.iter().map(|model| model.name));
            let hint = hint.trim_start_matches('.');
            format!("there is no model `{name}`.{hint} `{} list` shows them all", self.name)
        })
    }

    /// Everything that can be said, with the whole of its help.
    fn command(&self) -> clap::Command {
        self.command_with(true)
    }

    fn command_with(&self, tables: bool) -> clap::Command {
        let command = Common::augment_subcommands(clap::Command::new(self.name));
        let command = command.version(self.version).about(self.about);
        let command = command.arg_required_else_help(true).subcommand_required(true);
        let command = self.extras.iter().fold(command, |command, extra| command.subcommand(extra.command.clone()));
        help::complete(self, command, tables)
    }

    fn perform(&self, matches: &ArgMatches) -> Result<Exit, Complaint> {
        if let Some((name, own)) = matches.subcommand()
            && let Some(extra) = self.extras.iter().find(|extra| extra.command.get_name() == name)
        {
            return (extra.run)(self, own);
        }
        match Common::from_arg_matches(matches).map_err(|error| error.to_string())? {
            Common::List(args) => match &args.path {
                Some(path) => p::list(path, args.json),
                None => list::run(self, &args),
            },
            Common::Compile(args) => p::compile(&args),
            Common::Check(args) => {
                let own = matches.subcommand_matches("check");
                let program = self.is_program(&args.model);
                let done = if program { p::check(self, &args) } else { check::run(self, &args) };
                done.map_err(|complaint| help::with_variables(complaint, own))
            }
            Common::Replay(args) => replay::run(self, &args),
            Common::Linearize(args) => linearize::run(&args),
            Common::Completions(args) => generate::completions(self, &args),
            Common::Man(args) => generate::man(self, &args),
            Common::Engines => {
                terminal::print_line(&help::engines());
                Ok(Exit::Verified)
            }
            Common::Environment => {
                terminal::print_line(&help::variables());
                Ok(Exit::Verified)
            }
        }
    }

    /// Whether this is the path of a P program, and no name of a model.
    fn is_program(&self, name: &str) -> bool {
        let path = std::path::Path::new(name);
        let ending = path.extension().is_some_and(|ending| ending == "p" || ending == "pproj");
        let known = self.models.iter().any(|model| model.name == name);
        !known && (ending || path.components().count() > 1 || path.is_dir())
    }

    /// Two models of one name could not be told apart.
    fn names_differ(&self) -> Result<(), Complaint> {
        let mut seen = BTreeSet::new();
        match self.models.iter().find(|model| !seen.insert(model.name)) {
            Some(twice) => Err(format!("two models are called `{}`; every model needs a name of its own", twice.name)),
            None => Ok(()),
        }
    }
}
