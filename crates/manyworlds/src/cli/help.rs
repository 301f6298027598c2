//! What `help` tells beyond the options: examples, the exit status, the variables of the environment.

use super::values::Text;
use super::{App, Complaint};
use crate::environment::VARIABLES;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use manyworlds_core::decides;

const EXIT: &str = "Exit status: 0 verified in full, 1 violation found, 2 bad usage or input, 3 stopped by a budget.";
const LINEARIZE_EXIT: &str = "Exit status: 0 linearizable, 1 not, 2 bad input, 3 stopped by a budget.";

/// Examples made of the first model, for programs that have none of their own.
const EXAMPLES: [(&str, &str); 7] = [
    ("list", "{name} list\n{name} list --json\n{name} list project.pproj"),
    ("compile", "{name} compile project.pproj\n{name} compile Main.p --json"),
    (
        "check",
        "{name} check {model}\n{name} check {model}{param} --html {model}.html\n{name} check {model} --trace {model}.json\n\
         {name} check {model} --timeout 10 --json\n{name} check project.pproj --test tcMain",
    ),
    (
        "replay",
        "{name} replay {model}.json\n{name} replay {model}.json --html {model}.html\n{name} replay {model}.json --dot {model}.dot",
    ),
    (
        "linearize",
        "{name} linearize etcd_000.log\n{name} linearize history.edn --spec cas-register --init 0\n\
         {name} linearize *.jsonl --consistency sequential --json\n{name} linearize history.edn --html history.html",
    ),
    (
        "completions",
        "{name} completions bash > ~/.local/share/bash-completion/completions/{name}\n{name} completions zsh > ~/.zfunc/_{name}\n\
         {name} completions fish > ~/.config/fish/completions/{name}.fish",
    ),
    ("man", "{name} man | man -l -\n{name} man check > {name}-check.1"),
];

/// Adds what the definitions do not say: variables, names of models, examples. The table of engines is added only where `with_tables` says that it
/// may be shown: a command that runs for a millisecond would notice the work.
pub fn complete(app: &App, command: Command, with_tables: bool) -> Command {
    let more = format!(
        "{EXIT}\n`{0} help COMMAND` has examples, `{0} help engines` what engines decide, `{0} help environment` the variables.",
        app.name
    );
    command
        .after_help(more)
        .mut_subcommands(|sub| with_models(app, with_environment(with_examples(app, sub, with_tables))))
}

/// What each engine runs and decides.
pub fn engines() -> String {
    format!(
        "What each engine decides, in a run without reductions, fairness or faults:\n\n{}\n\n\
         `yes`: it verifies and finds violations. `violations only`: it does not explore everything. `no`: a run is refused that names the\n\
         property; --decidable leaves such properties out (actors). Temporal properties are eventually, always_eventually and leads_to.\n\
         `auto` is must for programs, bfs for actors and specifications.",
        decides::text()
    )
}

/// The variables, one a line.
pub fn variables() -> String {
    let lines = VARIABLES.iter().map(|variable| {
        let obeyed = match (variable.option, variable.tests) {
            (Some(option), true) => format!("--{option}, tests"),
            (Some(option), false) => format!("--{option}"),
            (None, _) => "tests".to_string(),
        };
        let set = format!("{}={}", variable.name, variable.value);
        format!("  {set:35} {obeyed:23} {}", variable.meaning)
    });
    let lines: Vec<String> = lines.collect();
    format!(
        "Variables that change defaults; what is given as an option counts more, and an empty variable does not count:\n\n{}\n\n\
         `tests` are functions with #[manyworlds::test]; there a variable counts more than what the test says.\n\
         NO_COLOR, if set to anything, takes the colours away.",
        lines.join("\n")
    )
}

/// A complaint about options that do not go together, with those that nobody typed.
pub fn with_variables(complaint: Complaint, given: Option<&ArgMatches>) -> Complaint {
    let from_environment = |option: &str| {
        let id = option.replace('-', "_");
        given.is_some_and(|given| {
            given.try_contains_id(&id).is_ok() && given.value_source(&id) == Some(ValueSource::EnvVariable)
        })
    };
    let set = VARIABLES.iter().filter(|variable| variable.option.is_some_and(from_environment));
    let set: Vec<&str> = set.map(|variable| variable.name).collect();
    match set.as_slice() {
        [] => complaint,
        _ => format!("{complaint} (from the environment: {})", set.join(", ")),
    }
}

/// Binds the options that have variables to them.
fn with_environment(command: Command) -> Command {
    if !["check", "linearize"].contains(&command.get_name()) {
        return command;
    }
    command.mut_args(|arg| {
        let variable = arg.get_long().and_then(|long| VARIABLES.iter().find(|v| v.option == Some(long)));
        match variable {
            // An empty variable is as good as none.
            Some(variable) if std::env::var_os(variable.name).is_none_or(|value| !value.is_empty()) => {
                arg.env(variable.name).hide_env(true)
            }
            _ => arg,
        }
    })
}

/// Lets shells complete the names of models; whether there is such a model is asked later, and answered better.
fn with_models(app: &App, command: Command) -> Command {
    let names: Vec<&'static str> = app.models.iter().map(|model| model.name).collect();
    command.mut_args(|arg| match arg.get_id().as_str() {
        "model" => arg.value_parser(Text::like(names.clone())).hide_possible_values(true),
        _ => arg,
    })
}

fn with_examples(app: &App, command: Command, with_tables: bool) -> Command {
    let after = match command.get_name() {
        "environment" => variables(),
        "engines" if with_tables => engines(),
        "engines" => String::new(),
        name => {
            let own = app.examples.iter().chain(&EXAMPLES).find(|(command, _)| *command == name);
            let examples = own.map(|(_, examples)| format!("Examples:\n{}", indented(&filled(app, examples))));
            let exit = match name {
                "check" => Some(EXIT),
                "linearize" => Some(LINEARIZE_EXIT),
                _ => None,
            };
            let exit = exit
                .map(|exit| format!("{exit}\nDefaults can be changed by variables: `{} help environment`.", app.name));
            exit.into_iter().chain(examples).collect::<Vec<String>>().join("\n\n")
        }
    };
    match after.is_empty() {
        true => command,
        false => command.after_help(after),
    }
}

fn filled(app: &App, examples: &str) -> String {
    let model = app.models.first();
    let param = model.and_then(|model| model.params.first());
    let param = param.map(|param| format!(" {}={}", param.name, shown(&param.default()))).unwrap_or_default();
    let model = model.map_or("MODEL", |model| model.name);
    examples.replace("{name}", app.name).replace("{model}", model).replace("{param}", &param)
}

fn shown(value: &serde_json::Value) -> String {
    match value.as_str() {
        Some(text) if text.chars().any(|c| c.is_whitespace()) => format!("'{text}'"),
        Some(text) => text.to_string(),
        None => value.to_string(),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The options of a command that take a value other than a file.
    fn options(command: &Command) -> Vec<String> {
        let takes_value = |arg: &&clap::Arg| {
            let file = arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.as_str() == "FILE"));
            arg.get_action().takes_values() && !file
        };
        command.get_arguments().filter(takes_value).filter_map(|arg| arg.get_long().map(String::from)).collect()
    }

    #[test]
    fn every_option_with_a_default_has_a_variable() {
        let command = App::new("test", "1", &[]).command();
        let check = options(command.find_subcommand("check").unwrap());
        let linearize = options(command.find_subcommand("linearize").unwrap());
        // Which test is checked is nothing that an environment should decide.
        for option in check.iter().filter(|option| *option != "test") {
            assert!(VARIABLES.iter().any(|variable| variable.option == Some(option)), "--{option} has no variable");
        }
        for variable in VARIABLES.iter().filter_map(|variable| variable.option) {
            assert!(check.iter().chain(&linearize).any(|option| option == variable), "there is no --{variable}");
        }
        for variable in VARIABLES {
            let derived = variable.option.map(|option| option.to_uppercase().replace('-', "_"));
            assert!(derived.is_none_or(|derived| variable.name == format!("MANYWORLDS_{derived}")), "{variable:?}");
        }
    }

    #[test]
    fn every_command_has_examples_or_a_table() {
        for command in App::new("test", "1", &[]).command().get_subcommands() {
            assert!(command.get_after_help().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn two_models_cannot_have_one_name() {
        use crate::models::{Build, Model};
        const ONE: Model =
            Model { name: "one", summary: "", params: &[], build: Build::Program(|_| Ok(crate::Program::empty())) };
        assert!(App::new("test", "1", &[ONE, ONE]).names_differ().unwrap_err().contains("two models are called `one`"));
    }
}
