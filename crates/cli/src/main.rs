//! The `manyworlds` command. Exit status: 0 verified in full, 1 violation, 2 bad usage or input, 3 stopped by a budget.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod exports;
mod history_page;
mod json;
mod linearize;
mod list;
mod litmus;
mod output;
mod progress;
mod replay;
mod suggest;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// How a command ended.
pub enum Exit {
    /// Verified in full, or nothing to complain about.
    Verified,
    /// A violation or a mismatch was found.
    Violated,
    /// Stopped by a budget with no violation.
    Incomplete,
}

/// Bad usage or bad input, in words for a person.
pub type Complaint = String;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::List(args) => list::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Linearize(args) => linearize::run(&args),
        Command::Litmus(args) => litmus::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    ExitCode::from(match result {
        Ok(Exit::Verified) => 0,
        Ok(Exit::Violated) => 1,
        Ok(Exit::Incomplete) => 3,
        Err(complaint) => {
            eprintln!("error: {complaint}");
            2
        }
    })
}
