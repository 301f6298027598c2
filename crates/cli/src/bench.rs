//! `manyworlds bench`: the tables of the papers, measured here. Those of Must are in this file.

pub mod ds2;

use crate::args::{BenchArgs, Table};
use manyworlds::Network;
use manyworlds::cli::progress::Pieces;
use manyworlds::cli::terminal::print_line;
use manyworlds::cli::{Complaint, Exit};
use manyworlds_protocols::{Model, find};
use std::time::{Duration, Instant};

/// What an entry may take, if nobody says.
const SECONDS: Duration = Duration::from_secs(20);

/// A line of a table: a model and its parameters.
type Entry = (&'static str, &'static [(&'static str, &'static str)]);

const TABLE_1: &[Entry] = &[
    ("ns+r", &[("n", "8")]),
    ("ns+r", &[("n", "100")]),
    ("ns+nr-sel", &[("n", "8")]),
    ("ns+nr-sel", &[("n", "100")]),
    ("ns+nr", &[("n", "7")]),
    ("ns+nr", &[("n", "8")]),
    ("ns+nr", &[("n", "9")]),
    ("nworkers", &[("n", "7")]),
    ("nworkers", &[("n", "8")]),
    ("nworkers", &[("n", "9")]),
    ("two-phase-commit", &[("n", "5")]),
    ("two-phase-commit", &[("n", "6")]),
];

const TABLE_2: &[Entry] = &[
    ("chain", &[("f", "0"), ("n", "3")]),
    ("chain", &[("f", "0"), ("n", "10")]),
    ("chain", &[("f", "1"), ("n", "3")]),
    ("chain", &[("f", "1"), ("n", "4")]),
    ("rlog", &[("f", "1"), ("n", "3")]),
    ("rlog", &[("f", "2"), ("n", "3")]),
    ("rlog-nonsel", &[("f", "1"), ("n", "3")]),
    ("rlog-nonsel", &[("f", "2"), ("n", "3")]),
];

const TABLE_3: &[Entry] = &[
    ("leader", &[("n", "2"), ("i", "2")]),
    ("leader", &[("n", "2"), ("i", "3")]),
    ("leader", &[("n", "3"), ("i", "2")]),
    ("leader+mon", &[("n", "2"), ("i", "2")]),
    ("leader+mon", &[("n", "2"), ("i", "3")]),
    ("leader+mon", &[("n", "3"), ("i", "2")]),
    ("commit", &[("t", "2"), ("k", "2")]),
    ("commit", &[("t", "2"), ("k", "3")]),
    ("commit", &[("t", "3"), ("k", "2")]),
];

/// Two columns or lines of the tables whose ratio makes a point of the paper.
struct Ratio {
    point: &'static str,
    more: (Entry, bool),
    less: (Entry, bool),
}

const RATIOS: &[Ratio] = &[
    Ratio {
        point: "lazy ordering: p2p-eager against p2p",
        more: (("chain", &[("f", "1"), ("n", "3")]), true),
        less: (("chain", &[("f", "1"), ("n", "3")]), false),
    },
    Ratio {
        point: "selective receives: rlog-nonsel against rlog",
        more: (("rlog-nonsel", &[("f", "2"), ("n", "3")]), false),
        less: (("rlog", &[("f", "2"), ("n", "3")]), false),
    },
    Ratio {
        point: "the cost of a monitor: leader+mon against leader",
        more: (("leader+mon", &[("n", "2"), ("i", "3")]), false),
        less: (("leader", &[("n", "2"), ("i", "3")]), false),
    },
];

/// Measures tables.
pub fn run(args: &BenchArgs) -> Result<Exit, Complaint> {
    let asked = |table| args.names.is_empty() || args.names.contains(&table);
    if asked(Table::Must) {
        must(args.timeout.unwrap_or(SECONDS))?;
    }
    if asked(Table::Ds2) || args.names.iter().any(|table| matches!(table, Table::Ds2Of(_))) {
        ds2::run(args, args.timeout.unwrap_or(ds2::SECONDS))?;
    }
    Ok(Exit::Verified)
}

/// A model of the tables.
fn model(name: &str) -> Result<&'static Model, Complaint> {
    find(name).ok_or_else(|| format!("the zoo has no model `{name}`"))
}

fn must(timeout: Duration) -> Result<(), Complaint> {
    let tables = [
        ("Table 1: synthetic programs", TABLE_1),
        ("Table 2: replicated logs", TABLE_2),
        ("Table 3: leader election and distributed commit", TABLE_3),
    ];
    for (title, entries) in tables {
        table(title, entries, timeout)?;
    }
    print_line("\nRatios of executions under p2p");
    for ratio in RATIOS {
        print_ratio(ratio, timeout)?;
    }
    Ok(())
}

fn table(title: &str, entries: &[Entry], timeout: Duration) -> Result<(), Complaint> {
    print_line(&format!("\n{title} (executions and seconds per network; > where the time ran out)"));
    let columns = [("asyn", Network::Asyn, false), ("p2p-eager", Network::P2p, true)]
        .into_iter()
        .chain([Network::P2p, Network::Cd, Network::Mbox].map(|n| (n.name(), n, false)));
    let heads: Vec<String> = columns.clone().map(|(name, ..)| format!("{name:>20}")).collect();
    print_line(&format!("{:22}{}", "", heads.concat()));
    let progress = Pieces::new(entries.len() * heads.len(), "entries");
    for entry in entries {
        let cells = columns.clone().map(|(_, network, eager)| {
            let measured = measure(entry, network, eager, timeout);
            progress.next();
            measured
        });
        let cells: Vec<String> = cells.map(|m| m.map(|m| m.cell())).collect::<Result<_, _>>()?;
        progress.suspend(|| print_line(&format!("{:22}{}", title_of(entry), cells.concat())));
    }
    Ok(())
}

fn title_of((name, params): &Entry) -> String {
    let values: Vec<&str> = params.iter().map(|(_, value)| *value).collect();
    format!("{name}({})", values.join(", "))
}

fn print_ratio(ratio: &Ratio, timeout: Duration) -> Result<(), Complaint> {
    let side = |(entry, eager): &(Entry, bool)| measure(entry, Network::P2p, *eager, timeout);
    let (more, less) = (side(&ratio.more)?, side(&ratio.less)?);
    let factor = more.executions as f64 / less.executions.max(1) as f64;
    let bound = match (more.complete, less.complete) {
        (true, true) => "",
        (false, true) => "at least ",
        _ => "time ran out, about ",
    };
    print_line(&format!("{:50} {:18} {bound}{factor:.2}", ratio.point, title_of(&ratio.less.0)));
    Ok(())
}

/// What one run gave.
struct Measured {
    executions: u64,
    seconds: f64,
    complete: bool,
}

impl Measured {
    fn cell(&self) -> String {
        let more = if self.complete { "" } else { ">" };
        format!("{:>11} {:>8}", format!("{more}{}", self.executions), format!("{:.2}", self.seconds))
    }
}

fn measure(entry: &Entry, network: Network, eager: bool, timeout: Duration) -> Result<Measured, Complaint> {
    let model = model(entry.0)?;
    let params = model.params(entry.1.iter().copied())?;
    let started = Instant::now();
    // Violating executions are counted like the others: chain is wrong under asyn.
    let check = model.check(&params)?.network(network).eager(eager).keep_going(true).timeout(timeout);
    let outcome = check.run().map_err(|refused| refused.to_string())?.outcome;
    let seconds = started.elapsed().as_secs_f64();
    let stats = outcome.stats;
    Ok(Measured {
        executions: stats.executions.unwrap_or(0) + stats.blocked.unwrap_or(0) + stats.violations,
        seconds,
        complete: outcome.stopped().is_none(),
    })
}
