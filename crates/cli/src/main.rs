//! The `manyworlds` command: the command line of the library with the models of the zoo, and what only the house needs.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod litmus;
mod new;

use args::{BenchArgs, LitmusArgs, NewArgs};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use manyworlds::cli::App;
use std::process::ExitCode;

/// Examples from the zoo.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "check",
        "manyworlds check two-phase-commit n=4\n\
         manyworlds check raft-bug --html raft.html\n\
         manyworlds check chain --network asyn --trace chain.json\n\
         manyworlds check 2pc-tla n=7 --engine dfs\n\
         manyworlds check litmus program='s1.0 s1.1 | r r' --network asyn --json",
    ),
    (
        "replay",
        "manyworlds replay chain.json\nmanyworlds replay chain.json --html chain.html\nmanyworlds replay chain.json --dot chain.dot",
    ),
    ("litmus", "manyworlds litmus table.tsv\nmanyworlds litmus table.tsv --engine brute"),
    (
        "bench",
        "manyworlds bench\nmanyworlds bench must --timeout 5\nmanyworlds bench ds2 edr open-chord --max-executions 50000",
    ),
    ("new", "manyworlds new demo\nmanyworlds new ../demo && cd ../demo && cargo test"),
];

fn main() -> ExitCode {
    App::new("manyworlds", env!("CARGO_PKG_VERSION"), manyworlds_protocols::models())
        .about("Runs a distributed system, or a concurrent object, in every world it can reach")
        .extra(command::<NewArgs>("new", "Write a small crate with models of your own to start from"), |_, given| {
            new::run(&read(given)?)
        })
        .extra(command::<LitmusArgs>("litmus", "Check the counts of a table of litmus programs"), |_, given| {
            litmus::run(&read(given)?)
        })
        .extra(command::<BenchArgs>("bench", "Measure the tables of the papers here"), |_, given| {
            bench::run(&read(given)?)
        })
        .examples(EXAMPLES)
        .run()
}

fn command<A: Args>(name: &'static str, about: &'static str) -> Command {
    A::augment_args(Command::new(name)).about(about)
}

fn read<A: FromArgMatches>(given: &ArgMatches) -> Result<A, String> {
    A::from_arg_matches(given).map_err(|error| error.to_string())
}
