//! Figures in columns.

use crate::floors::Floor;
use crate::measure::{Figure, Measured, Who};
use manyworlds::{Network, Stats};

/// Executions and CPU time of everyone.
pub fn speeds(all: &[Measured]) -> String {
    let mut rows = vec![
        ["program", "side", "network", "executions", "blocked", "CPU s", "executions/s", "time / ours"]
            .map(String::from),
    ];
    for measured in all {
        rows.extend(measured.figures.iter().map(|figure| speed(measured, figure)));
    }
    columns(&rows, 3)
}

fn speed(measured: &Measured, figure: &Figure) -> [String; 8] {
    let Figure { who, network, answer, seconds } = figure;
    let ratio = measured.ratio((*who, *network), (Who::Manyworlds, *network));
    [
        measured.program.clone(),
        who.name().to_string(),
        network.to_string(),
        answer.executions.to_string(),
        answer.others.to_string(),
        format!("{seconds:.5}"),
        format!("{:.0}", answer.executions as f64 / seconds),
        ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}")),
    ]
}

/// How often user code runs. The floor is one run for each distinct local step.
pub fn distances(all: &[Measured]) -> String {
    let mut rows =
        vec![["program", "user steps/execution", "distinct steps/execution", "user/distinct"].map(String::from)];
    rows.extend(all.iter().filter_map(distance));
    columns(&rows, 1)
}

fn distance(measured: &Measured) -> Option<[String; 4]> {
    let answer = measured.figure(Who::Manyworlds, Network::P2p)?.answer;
    let Stats { user_steps, distinct_steps, .. } = answer.stats?;
    let quotient = |a: u64, b: u64| format!("{:.3}", a as f64 / b as f64);
    Some([
        measured.program.clone(),
        quotient(user_steps, answer.executions),
        quotient(distinct_steps, answer.executions),
        quotient(user_steps, distinct_steps),
    ])
}

/// What is demanded and what was seen.
pub fn floors(all: &[Floor]) -> String {
    let mut rows = vec![["floor", "demanded", "seen", ""].map(String::from)];
    rows.extend(all.iter().map(|floor| {
        let seen = floor.seen.map_or_else(|| "-".to_string(), |seen| format!("{seen:.2}"));
        [floor.what.clone(), floor.demand.to_string(), seen, floor.verdict().to_string()]
    }));
    columns(&rows, 1)
}

/// The rows with their columns aligned: the first `texts` to the left, the numbers after them to the right.
pub fn columns<const N: usize>(rows: &[[String; N]], texts: usize) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column < texts {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<String>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}
