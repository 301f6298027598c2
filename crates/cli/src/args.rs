//! What can be said to the commands that only this program has.

use crate::bench::ds2;
use clap::Args;
use manyworlds::Engine;
use manyworlds::cli::values::{self, Reader};
use std::path::PathBuf;
use std::time::Duration;

/// `new`
#[derive(Args)]
pub struct NewArgs {
    /// The crate: a name, or a path that ends with it
    #[arg(value_name = "NAME")]
    pub path: PathBuf,
}

/// `litmus`
#[derive(Args)]
pub struct LitmusArgs {
    /// A table with the columns id, program, asyn, p2p, cd, mbox
    pub file: PathBuf,
    /// must or brute
    #[arg(long, value_name = "NAME", value_parser = values::counting_engine(), hide_possible_values = true, default_value = "must")]
    pub engine: Engine,
}

/// `bench`
#[derive(Args)]
pub struct BenchArgs {
    /// Which tables: must or ds2, of ds2 perhaps only some systems: dr, edr, adr, multi-paxos-map, open-chord or chain-map [default: all]
    #[arg(value_name = "TABLE", value_parser = tables(), hide_possible_values = true)]
    pub names: Vec<Table>,
    /// Seconds an entry may take [default: 20; 10 for ds2]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds(), allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Schedules and executions that an entry of ds2 may take
    #[arg(long, value_name = "N", value_parser = values::budget(), allow_negative_numbers = true, default_value = "200000")]
    pub max_executions: u64,
    /// States that an entry of ds2 may take
    #[arg(long, value_name = "N", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_states: Option<u64>,
}

/// The papers whose tables can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Must, OOPSLA 2024.
    Must,
    /// DS2.
    Ds2,
    /// DS2, for this system.
    Ds2Of(&'static str),
}

fn tables() -> Reader<Table> {
    let names = ["must", "ds2"].into_iter().chain(ds2::systems());
    Reader::named(names.collect(), |name| match name {
        "must" => Some(Table::Must),
        "ds2" => Some(Table::Ds2),
        _ => ds2::systems().find(|system| *system == name).map(Table::Ds2Of),
    })
}
