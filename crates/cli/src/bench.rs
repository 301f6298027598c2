//! `manyworlds bench`: the tables of the papers, measured here.

use crate::args::BenchArgs;
use crate::check::{model, print_line};
use crate::{Complaint, Exit};
use manyworlds::{Network, Verdict};
use std::time::{Duration, Instant};

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

const TABLE_2: &[Entry] = &[];
const TABLE_3: &[Entry] = &[];

/// Measures tables.
pub fn run(args: &BenchArgs) -> Result<Exit, Complaint> {
    if let Some(name) = args.names.iter().find(|name| *name != "must") {
        return Err(format!("there is no table `{name}`; expected must"));
    }
    let timeout = Duration::try_from_secs_f64(args.timeout)
        .map_err(|_| format!("--timeout: `{}` is no span of time; expected seconds, as in 20", args.timeout))?;
    let tables = [
        ("Table 1: synthetic programs", TABLE_1),
        ("Table 2: replicated logs", TABLE_2),
        ("Table 3: leader election and distributed commit", TABLE_3),
    ];
    for (title, entries) in tables {
        table(title, entries, timeout)?;
    }
    Ok(Exit::Verified)
}

fn table(title: &str, entries: &[Entry], timeout: Duration) -> Result<(), Complaint> {
    print_line(&format!("\n{title} (executions and seconds per network; > where the time ran out)"));
    let columns = [("asyn", Network::Asyn, false), ("p2p-eager", Network::P2p, true)]
        .into_iter()
        .chain([Network::P2p, Network::Cd, Network::Mbox].map(|n| (n.name(), n, false)));
    let heads: Vec<String> = columns.clone().map(|(name, ..)| format!("{name:>20}")).collect();
    print_line(&format!("{:26}{}", "", heads.concat()));
    for (name, params) in entries {
        let cells = columns.clone().map(|(_, network, eager)| cell(name, params, network, eager, timeout));
        let values: Vec<&str> = params.iter().map(|(_, value)| *value).collect();
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        print_line(&format!("{:26}{}", format!("{name}({})", values.join(", ")), cells.concat()));
    }
    Ok(())
}

fn cell(
    name: &str,
    params: &[(&str, &str)],
    network: Network,
    eager: bool,
    timeout: Duration,
) -> Result<String, Complaint> {
    let model = model(name)?;
    let params = model.params(params.iter().copied())?;
    let started = Instant::now();
    // Violating executions are counted like the others: chain is wrong under asyn.
    let outcome = model.checker(&params)?.network(network).eager(eager).keep_going(true).timeout(timeout).check();
    let seconds = started.elapsed().as_secs_f64();
    let stats = outcome.stats;
    let executions = stats.executions.unwrap_or(0) + stats.blocked.unwrap_or(0) + stats.violations;
    let more = if matches!(outcome.verdict, Verdict::Incomplete { .. }) { ">" } else { "" };
    Ok(format!("{:>11} {:>8}", format!("{more}{executions}"), format!("{seconds:.2}")))
}
