//! `manyworlds litmus`: every row of a table under its four networks.

use crate::args::LitmusArgs;
use manyworlds::cli::progress::Pieces;
use manyworlds::cli::terminal::print_line;
use manyworlds::cli::{Complaint, Exit};
use manyworlds::{Engine, Network};
use manyworlds_protocols::litmus::Litmus;

const HEADER: &str = "id\tprogram\tasyn\tp2p\tcd\tmbox";

/// Checks the counts of a table.
pub fn run(args: &LitmusArgs) -> Result<Exit, Complaint> {
    let file = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).map_err(|e| format!("{file}: cannot be read: {e}"))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        format!("{file}: byte {} is not UTF-8; expected a table of litmus programs", e.utf8_error().valid_up_to())
    })?;
    let (mut checked, mut mismatches) = (0, 0);
    let progress = Pieces::new(text.lines().count(), "rows");
    for (number, line) in text.lines().enumerate() {
        progress.next();
        if line.trim().is_empty() || line == HEADER {
            continue;
        }
        let found = row(line, args.engine).map_err(|e| format!("{file}:{}: {e}", number + 1))?;
        checked += Network::ALL.len();
        mismatches += found.len();
        progress.suspend(|| found.iter().for_each(|mismatch| print_line(mismatch)));
    }
    drop(progress);
    if checked == 0 {
        return Err(format!("{file}: there is no program in it; expected a table: {}", HEADER.replace('\t', ", ")));
    }
    print_line(&format!("{checked} checked, {mismatches} mismatches"));
    Ok(if mismatches == 0 { Exit::Verified } else { Exit::Violated })
}

/// The mismatches of one row, in words.
fn row(line: &str, engine: Engine) -> Result<Vec<String>, Complaint> {
    let fields: Vec<&str> = line.trim_end_matches('\r').split('\t').collect();
    let [id, program, counts @ ..] = fields.as_slice() else {
        return Err(format!("expected six columns separated by tabs: {}", HEADER.replace('\t', ", ")));
    };
    if counts.len() != Network::ALL.len() {
        return Err(format!(
            "{} columns; expected six separated by tabs: {}",
            fields.len(),
            HEADER.replace('\t', ", ")
        ));
    }
    let litmus = Litmus::parse(program).map_err(|e| e.to_string())?;
    let mut mismatches = Vec::new();
    for (network, wanted) in Network::ALL.into_iter().zip(counts) {
        let wanted = parse_counts(wanted)?;
        let found = litmus.count(network, engine);
        if found != wanted {
            mismatches.push(format!(
                "{id} {network}: expected {}/{}, found {}/{}: {program}",
                wanted.0, wanted.1, found.0, found.1
            ));
        }
    }
    Ok(mismatches)
}

fn parse_counts(text: &str) -> Result<(u64, u64), Complaint> {
    let parsed = text.split_once('/').and_then(|(c, b)| Some((c.parse().ok()?, b.parse().ok()?)));
    parsed.ok_or_else(|| format!("`{text}` is no count; expected complete/blocked, as in 4/0"))
}
