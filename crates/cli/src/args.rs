//! What can be said on the command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Runs a distributed system, or a concurrent object, in every world it can reach.
#[derive(Parser)]
#[command(name = "manyworlds", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 verified in full, 1 violation found, 2 bad usage or input, 3 stopped by a budget."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Show the models of the zoo with their parameters
    List(ListArgs),
    /// Check one model in every world
    Check(Box<CheckArgs>),
    /// Reproduce a counterexample step by step
    Replay(ReplayArgs),
    /// Check a recorded history: is it linearizable?
    Linearize(LinearizeArgs),
    /// Check the counts of a table of litmus programs
    Litmus(LitmusArgs),
    /// Measure the tables of the papers here
    Bench(BenchArgs),
}

/// `list`
#[derive(Args)]
pub struct ListArgs {
    /// One JSON array on stdout
    #[arg(long)]
    pub json: bool,
}

/// `check`
#[derive(Args)]
#[command(
    after_help = "Examples:\n  manyworlds check two-phase-commit n=4\n  manyworlds check chain --network asyn --trace chain.json\n  manyworlds check litmus program='s1.0 s1.1 | r r' --network asyn --json\n  manyworlds check raft-bug --html raft.html\n  manyworlds check 2pc-tla n=7 --engine dfs"
)]
pub struct CheckArgs {
    /// A model of the zoo; `manyworlds list` shows them
    pub model: String,
    /// Parameters of the model
    #[arg(value_name = "KEY=VALUE")]
    pub params: Vec<String>,
    /// auto, must, bfs, dfs, random or brute; for actors also a scheduler: systematic-random (sr), exhaustive (ex), delay (db), dpor (dp),
    /// trans-dpor (td), ired (ir) or liviola (lv)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub engine: String,
    /// asyn, p2p, cd or mbox [default: the model's own]
    #[arg(long, value_name = "NAME")]
    pub network: Option<String>,
    /// Workers [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Seed of random walks and schedules
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The order in which processes run: receive-last, left-to-right, right-to-left or random
    #[arg(long, value_name = "NAME", default_value = "receive-last")]
    pub policy: String,
    /// Stop after so many executions (must, brute), walks (random) or schedules (schedulers)
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// Stop after so many states (bfs, dfs)
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Cut executions off after so many events, paths after so many steps
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
    /// Stop when the time is up
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Stop when more memory is used
    #[arg(long, value_name = "BYTES")]
    pub max_memory: Option<u64>,
    /// How many messages lossy sends may lose
    #[arg(long, value_name = "N")]
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
    /// How many actors the scheduler `delay` may skip in one schedule [default: 2]
    #[arg(long, value_name = "N")]
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
    /// A `manyworlds-trace/1` file
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
#[command(
    after_help = "Exit status: 0 linearizable, 1 not, 2 bad input, 3 stopped by a budget.\n\nExamples:\n  manyworlds linearize etcd_000.log\n  manyworlds linearize history.edn --spec cas-register --init 0\n  manyworlds linearize *.jsonl --consistency sequential --json\n  manyworlds linearize history.edn --html history.html"
)]
pub struct LinearizeArgs {
    /// Recorded histories
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// register, cas-register, multi-register, kv, set, queue, stack, counter, mutex or log [default: by the operations]
    #[arg(long, value_name = "NAME")]
    pub spec: Option<String>,
    /// etcd, kv, knossos or json [default: recognised from the content]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// What the object holds at the start [default: nothing]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub init: Option<String>,
    /// Only the operations on this key
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub key: Option<String>,
    /// linearizable or sequential
    #[arg(long, value_name = "NAME", default_value = "linearizable")]
    pub consistency: String,
    /// Stop a file's check when the time is up
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Stop when more memory is used
    #[arg(long, value_name = "BYTES")]
    pub max_memory: Option<u64>,
    /// Workers, for histories of several keys [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// One JSON object a file on stdout, a line each
    #[arg(long)]
    pub json: bool,
    /// Write a report for the browser: one page, nothing loaded from anywhere; for one history
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `litmus`
#[derive(Args)]
pub struct LitmusArgs {
    /// A table with the columns id, program, asyn, p2p, cd, mbox
    pub file: PathBuf,
    /// must or brute
    #[arg(long, value_name = "NAME", default_value = "must")]
    pub engine: String,
}

/// `bench`
#[derive(Args)]
pub struct BenchArgs {
    /// Which tables: must, ds2 [default: all]
    pub names: Vec<String>,
    /// Seconds an entry may take [default: 20; 2 for ds2]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Schedules and executions that an entry of ds2 may take
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub max_executions: u64,
    /// States that an entry of ds2 may take
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
}
