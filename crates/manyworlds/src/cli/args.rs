//! What can be said on the command line.

use super::values;
use crate::{Engine, Network, Policy};
use clap::{Args, Subcommand};
use manyworlds_linear::formats::Format;
use manyworlds_linear::{Consistency, Object};
use std::path::PathBuf;
use std::time::Duration;

/// The commands of every program.
#[derive(Subcommand)]
pub enum Common {
    /// Show the models with their parameters, or the tests of a P program
    List(ListArgs),
    /// Show what is wrong with a P program without running it
    Compile(CompileArgs),
    /// Check one model in every world
    Check(Box<CheckArgs>),
    /// Reproduce a counterexample step by step
    Replay(ReplayArgs),
    /// Check a recorded history: is it linearizable?
    Linearize(LinearizeArgs),
    /// Print a script that completes commands in a shell
    #[command(display_order = 900)]
    Completions(CompletionsArgs),
    /// Print a manual page
    #[command(display_order = 901)]
    Man(ManArgs),
    /// Show what each engine runs and decides
    #[command(display_order = 901)]
    Engines,
    /// Show the variables that change defaults
    #[command(display_order = 902)]
    Environment,
}

/// `completions`
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Args)]
pub struct ManArgs {
    /// A command [default: the program as a whole]
    #[arg(value_parser = values::text())]
    pub command: Option<String>,
}

/// `list`
#[derive(Args)]
pub struct ListArgs {
    /// A P program: a .p file, a .pproj or a directory [default: the models]
    pub path: Option<PathBuf>,
    /// One JSON array on stdout
    #[arg(long)]
    pub json: bool,
}

/// `compile`
#[derive(Args)]
pub struct CompileArgs {
    /// A P program: a .p file, a .pproj or a directory
    pub path: PathBuf,
    /// One JSON array of errors and warnings on stdout
    #[arg(long)]
    pub json: bool,
}

/// `check`
#[derive(Args)]
pub struct CheckArgs {
    /// The model; `list` shows them all. Or a P program: a .p file, a .pproj or a directory
    #[arg(value_parser = values::text())]
    pub model: String,
    /// Parameters of the model
    #[arg(value_name = "KEY=VALUE", value_parser = values::text())]
    pub params: Vec<String>,
    /// The test of a P program, or a part of its name that no other test has [default: all tests]
    #[arg(long, value_name = "NAME", value_parser = values::text())]
    pub test: Option<String>,
    /// auto, must, bfs, dfs, random or brute; for actors also a scheduler: systematic-random (sr), exhaustive (ex), delay (db), dpor (dp),
    /// trans-dpor (td), ired (ir) or liviola (lv)
    #[arg(long, value_name = "NAME", value_parser = values::engine(), hide_possible_values = true, default_value = "auto")]
    pub engine: Engine,
    /// asyn, p2p, cd or mbox [default: the model's own]
    #[arg(long, value_name = "NAME", value_parser = values::network(), hide_possible_values = true)]
    pub network: Option<Network>,
    /// Workers [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads(), allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Seed of random walks and schedules
    #[arg(long, value_name = "N", value_parser = values::number(), allow_negative_numbers = true, default_value = "0")]
    pub seed: u64,
    /// The order in which processes run: receive-last, left-to-right, right-to-left or random
    #[arg(long, value_name = "NAME", value_parser = values::policy(), hide_possible_values = true, default_value = "receive-last")]
    pub policy: Policy,
    /// Stop after so many executions (must, brute), walks (random) or schedules (schedulers) [default: 1000 for random and
    /// systematic-random; no limit for others]
    #[arg(long, value_name = "N", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_executions: Option<u64>,
    /// Stop after so many states (bfs, dfs)
    #[arg(long, value_name = "N", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_states: Option<u64>,
    /// Cut executions off after so many events, paths after so many steps
    #[arg(long, value_name = "N", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_depth: Option<u64>,
    /// Stop when the time is up
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds(), allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Stop when more memory is used
    #[arg(long, value_name = "BYTES", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_memory: Option<u64>,
    /// How many messages lossy sends may lose
    #[arg(long, value_name = "N", value_parser = values::small_number(), allow_negative_numbers = true)]
    pub losses: Option<u32>,
    /// Keep whole states instead of 128-bit fingerprints (bfs, dfs)
    #[arg(long)]
    pub exact: bool,
    /// Explore persistent sets only: a partial-order reduction (bfs, dfs)
    #[arg(long)]
    pub reduce: bool,
    /// Explore one of all states that are the same up to the names of identical actors (bfs, dfs)
    #[arg(long)]
    pub symmetry: bool,
    /// Ask only what the engine can decide; the verdict says what was not asked (actors)
    #[arg(long)]
    pub decidable: bool,
    /// How many actors the scheduler `delay` may skip in one schedule [default: 2]
    #[arg(long, value_name = "N", value_parser = values::small_number(), allow_negative_numbers = true)]
    pub delays: Option<u32>,
    /// Distinguish p2p executions by order of arrival, read or not (Must §6.2)
    #[arg(long)]
    pub eager: bool,
    /// Do not stop at the first violation; count them
    #[arg(long)]
    pub keep_going: bool,
    /// Exactly one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Write the counterexample
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Other files.
    #[command(flatten)]
    pub exports: ExportArgs,
    /// Say nothing but the verdict
    #[arg(long, short)]
    pub quiet: bool,
    /// Say more
    #[arg(long, short)]
    pub verbose: bool,
}

/// `replay`
#[derive(Args)]
pub struct ReplayArgs {
    /// A `manyworlds-trace/2` file
    pub trace: PathBuf,
    /// Other files.
    #[command(flatten)]
    pub exports: ExportArgs,
}

/// Files for other eyes: browsers and tools.
#[derive(Args)]
pub struct ExportArgs {
    /// Write a report for the browser: one file with everything in it
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the counterexample as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Write the counterexample as a log for ShiViz
    #[arg(long, value_name = "FILE")]
    pub shiviz: Option<PathBuf>,
}

impl ExportArgs {
    /// Whether some file was asked for.
    pub fn any(&self) -> bool {
        self.html.is_some() || self.dot.is_some() || self.shiviz.is_some()
    }
}

/// `linearize`
#[derive(Args)]
pub struct LinearizeArgs {
    /// Recorded histories
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// register, cas-register, multi-register, kv, set, queue, stack, counter, mutex or log [default: by the operations]
    #[arg(long, value_name = "NAME", value_parser = values::object(), hide_possible_values = true)]
    pub spec: Option<Object>,
    /// etcd, kv, knossos, json or trace [default: recognised from the content]
    #[arg(long, value_name = "NAME", value_parser = values::format(), hide_possible_values = true)]
    pub format: Option<Format>,
    /// What the object holds at the start [default: nothing]
    #[arg(long, value_name = "VALUE", value_parser = values::text(), allow_hyphen_values = true)]
    pub init: Option<String>,
    /// Only the operations on this key
    #[arg(long, value_name = "KEY", value_parser = values::text(), allow_hyphen_values = true)]
    pub key: Option<String>,
    /// linearizable or sequential
    #[arg(long, value_name = "NAME", value_parser = values::consistency(), hide_possible_values = true, default_value = "linearizable")]
    pub consistency: Consistency,
    /// Stop a file's check when the time is up
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds(), allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Stop when more memory is used
    #[arg(long, value_name = "BYTES", value_parser = values::budget(), allow_negative_numbers = true)]
    pub max_memory: Option<u64>,
    /// Workers, for histories of several keys [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads(), allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// One JSON object a file on stdout, a line each
    #[arg(long)]
    pub json: bool,
    /// Write a report for the browser: one page, nothing loaded from anywhere; for one history
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
