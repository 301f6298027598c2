//! DS2's tables A2 to A11 for the systems of the zoo: the seven schedulers, and the engines that prove beside them.

use super::{Entry, model};
use crate::args::BenchArgs;
use manyworlds::actor::System;
use manyworlds::cli::Complaint;
use manyworlds::cli::terminal::print_line;
use manyworlds::{EngineName, Options, Outcome, ScheduleStats, StopReason, Verdict};
use manyworlds_report::grouped;
use std::time::{Duration, Instant};

/// What an entry may take, if nobody says: enough for most, and for two minutes in all.
pub const SECONDS: Duration = Duration::from_secs(2);

/// Two agents each, as in the paper, three for `edr`; and beyond the paper a chain of three, and two keys.
const TABLES: &[Entry] = &[
    ("dr", &[("h", "2r1w")]),
    ("dr", &[("h", "2r2w")]),
    ("edr", &[("h", "2r1w")]),
    ("edr", &[("h", "2r2w")]),
    ("adr", &[("h", "2r1w")]),
    ("adr", &[("h", "2r2w")]),
    ("multi-paxos-map", &[("h", "2r1w")]),
    ("multi-paxos-map", &[("h", "2r2w")]),
    ("open-chord", &[("h", "2r1w")]),
    ("open-chord", &[("h", "2r2w")]),
    ("chain-map", &[("h", "2r1w")]),
    ("chain-map", &[("h", "2r2w")]),
    ("open-chord", &[("h", "2r1w"), ("keys", "2")]),
    ("open-chord", &[("h", "2r2w"), ("keys", "2")]),
];

/// The columns of a table: those of the paper, and the engines that prove.
const ENGINES: [EngineName; 9] = [
    EngineName::Exhaustive,
    EngineName::SystematicRandom,
    EngineName::Delay,
    EngineName::Dpor,
    EngineName::TransDpor,
    EngineName::IRed,
    EngineName::LiViola,
    EngineName::Must,
    EngineName::Bfs,
];

/// The rows: those of the paper; besides them #CH, #SF and the verdict.
const FIGURES: [&str; 16] =
    ["#S", "#CH", "#IH", "#UH", "#NL", "NL/UH", "UH/S", "NL/S", "TS", "ST", "TC", "TT", "#HF", "#SF", "TF", "verdict"];

const LEGEND: &str = "
#S: schedules; executions for must, states for bfs. A + stands where the budget ended the run.
#CH, #IH: schedules with complete and incomplete histories. #UH: unique histories. #NL: those of them that are not linearizable.
NL/UH: quality. UH/S: progression. NL/S: precision.
Seconds. TS: to make the schedules. ST: the same without snapshots, estimated by the steps. TC: to check unique histories. TT: TS + TC.
#HF: unique histories before the first one that is not linearizable. #SF: #S up to the first bug. TF: seconds until then.
verdict: proof, if it has seen enough to say that nothing is wrong; bug.";

/// Measures the tables.
pub fn run(args: &BenchArgs, timeout: Duration) -> Result<(), Complaint> {
    print_line(LEGEND);
    let mut tables = Vec::new();
    for entry in TABLES {
        let table = Table::measure(entry, args, timeout)?;
        print_line(&format!("\n{}", table.text()));
        tables.push(table);
    }
    print_line("\nWho misses what others find (* ended by the budget)");
    for table in &tables {
        table.missed().iter().for_each(|line| print_line(line));
    }
    print_line("\nLiViola against IRed on two keys");
    for table in tables.iter().filter(|table| table.title.ends_with("keys=2")) {
        table.fewer().iter().for_each(|line| print_line(line));
    }
    Ok(())
}

/// A system with a harness under all engines.
struct Table {
    title: String,
    rows: Vec<Row>,
}

impl Table {
    fn measure(entry: &Entry, args: &BenchArgs, timeout: Duration) -> Result<Table, Complaint> {
        let model = model(entry.0)?;
        let system = model.system(&model.params(entry.1.iter().copied())?)?;
        let params: Vec<String> = entry.1.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let rows = ENGINES.into_iter().map(|engine| Row::measure(&system, engine, args, timeout)).collect();
        Ok(Table { title: format!("{} {}", model.name, params.join(" ")), rows })
    }

    fn text(&self) -> String {
        let columns: Vec<_> = self.rows.iter().map(Row::cells).collect();
        let heads = line(&self.title, self.rows.iter().map(|row| name(row.engine).to_string()));
        let figure = |(nth, label): (usize, &&str)| line(label, columns.iter().map(|cells| cells[nth].clone()));
        let refusals = self.rows.iter().filter_map(|row| Some(format!("  {}: {}", row.engine, row.refused.as_ref()?)));
        let lines = std::iter::once(heads).chain(FIGURES.iter().enumerate().map(figure)).chain(refusals);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The engines that find nothing where another one finds something.
    fn missed(&self) -> Option<String> {
        let asked = self.rows.iter().filter(|row| row.refused.is_none());
        let misses: Vec<String> = asked.clone().filter(|row| !row.bug).map(Row::words).collect();
        let anybody = asked.clone().any(|row| row.bug);
        let misses = if misses.is_empty() { "nobody".to_string() } else { misses.join(", ") };
        anybody.then(|| format!("  {:30}{misses}", self.title))
    }

    /// How many schedules less LiViola needs than IRed.
    fn fewer(&self) -> Option<String> {
        let row = |engine| self.rows.iter().find(|row: &&Row| row.engine == engine);
        let (less, more) = (row(EngineName::LiViola)?, row(EngineName::IRed)?);
        let factor = more.seen as f64 / less.seen.max(1) as f64;
        let says = match (less.ended, more.ended) {
            (true, _) => "ended by the budget".to_string(),
            (false, true) => format!("at least {factor:.1} times fewer"),
            (false, false) => format!("{factor:.1} times fewer"),
        };
        Some(format!("  {:30}{} schedules against {}: {says}", self.title, less.seen_text(), more.seen_text()))
    }
}

/// What one engine did.
struct Row {
    engine: EngineName,
    /// Why the engine does not take the system.
    refused: Option<String>,
    /// Schedules, executions or states.
    seen: u64,
    /// The budget ended it.
    ended: bool,
    histories: Option<ScheduleStats>,
    /// How often a search that keeps no snapshots would do each step.
    repeats: f64,
    bug: bool,
    /// What it took to the first bug: schedules, executions or states, and seconds.
    first: Option<(u64, f64)>,
    proof: bool,
    seconds: f64,
}

impl Row {
    fn measure(system: &System, engine: EngineName, args: &BenchArgs, timeout: Duration) -> Row {
        let options = Options {
            engine,
            threads: 1,
            timeout: Some(timeout),
            max_executions: (engine != EngineName::Bfs).then_some(args.max_executions),
            max_states: args.max_states.filter(|_| engine == EngineName::Bfs),
            keep_going: true,
            ..Options::default()
        };
        let (outcome, seconds) = match checked(system, &options) {
            Ok(checked) => checked,
            Err(why) => return Row::refused(engine, why),
        };
        let seen = seen(&outcome);
        let bug = outcome.violation().is_some();
        let used_up = |most: Option<u64>| most.is_some_and(|most| seen >= most);
        Row {
            engine,
            refused: None,
            seen,
            // A run that has seen a violation is violated even if the budget ended it.
            ended: match outcome.verdict {
                Verdict::Verified { .. } => false,
                Verdict::Incomplete { reason: StopReason::SchedulerIncomplete, .. } => used_up(options.max_executions),
                Verdict::Incomplete { .. } => true,
                Verdict::Violated { .. } => {
                    seconds >= timeout.as_secs_f64() || used_up(options.max_executions) || used_up(options.max_states)
                }
            },
            histories: outcome.stats.histories,
            repeats: repeats(&outcome),
            bug,
            first: if bug { first_bug(system, options, &outcome) } else { None },
            proof: outcome.is_verified(),
            seconds,
        }
    }

    fn refused(engine: EngineName, why: String) -> Row {
        let (refused, histories, first) = (Some(why), None, None);
        let (ended, repeats, bug, proof) = (false, 1.0, false, false);
        Row { engine, refused, seen: 0, ended, histories, repeats, bug, first, proof, seconds: 0.0 }
    }

    fn seen_text(&self) -> String {
        format!("{}{}", grouped(self.seen), if self.ended { "+" } else { "" })
    }

    /// Its name, and whether it had to stop.
    fn words(&self) -> String {
        format!("{}{}", name(self.engine), if self.ended { "*" } else { "" })
    }

    /// One for each of [`FIGURES`].
    fn cells(&self) -> [String; FIGURES.len()] {
        let none = || "-".to_string();
        if self.refused.is_some() {
            return std::array::from_fn(|_| none());
        }
        let count = |figure: fn(&ScheduleStats) -> Option<u64>| {
            self.histories.as_ref().and_then(figure).map_or_else(none, grouped)
        };
        let percent = |figure: fn(&ScheduleStats) -> Option<f64>| {
            let ratio = self.histories.as_ref().and_then(figure);
            ratio.map_or_else(none, |ratio| format!("{:.2}%", 100.0 * ratio))
        };
        let seconds = |seconds: Option<f64>| seconds.map_or_else(none, |seconds| format!("{seconds:.2}"));
        let checking = self.histories.and_then(|stats| Some(stats.judging_time?.as_secs_f64()));
        let making = checking.map(|checking| self.seconds - checking);
        let verdict = if self.bug { "bug" } else { "proof" };
        [
            self.seen_text(),
            count(|stats| Some(stats.complete)),
            count(|stats| Some(stats.incomplete)),
            count(|stats| Some(stats.unique)),
            count(|stats| stats.non_linearizable),
            percent(ScheduleStats::quality),
            percent(ScheduleStats::progression),
            percent(ScheduleStats::precision),
            seconds(making),
            seconds(making.map(|making| making * self.repeats)),
            seconds(checking),
            seconds(Some(self.seconds)),
            count(|stats| stats.good_histories),
            self.first.map_or_else(none, |(number, _)| grouped(number)),
            seconds(self.first.map(|(_, seconds)| seconds)),
            if self.bug || self.proof { verdict.to_string() } else { none() },
        ]
    }
}

/// Steps of all schedules for each step that was taken.
fn repeats(outcome: &Outcome) -> f64 {
    let steps = outcome.stats.histories.map_or(0, |stats| stats.steps);
    (steps as f64 / outcome.stats.transitions.unwrap_or(0).max(1) as f64).max(1.0)
}

/// The paper's letters for a scheduler, the name of another engine.
fn name(engine: EngineName) -> &'static str {
    engine.letters().unwrap_or(engine.name())
}

fn line(head: &str, cells: impl Iterator<Item = String>) -> String {
    format!("{head:25}{}", cells.map(|cell| format!("{cell:>11}")).collect::<String>())
}

fn checked(system: &System, options: &Options) -> Result<(Outcome, f64), String> {
    let started = Instant::now();
    let answer = options.check(system).map_err(|refused| refused.to_string())?;
    Ok((answer.outcome, started.elapsed().as_secs_f64()))
}

/// The unit that the engine counts in.
fn seen(outcome: &Outcome) -> u64 {
    let stats = &outcome.stats;
    match (stats.histories, stats.states) {
        (Some(histories), _) => histories.schedules,
        (None, Some(states)) => states,
        (None, None) => stats.executions.unwrap_or(0) + stats.blocked.unwrap_or(0) + stats.violations,
    }
}

/// Schedulers count up to the first bug; the others are run once more, and stop there.
fn first_bug(system: &System, options: Options, outcome: &Outcome) -> Option<(u64, f64)> {
    if let Some(histories) = outcome.stats.histories {
        return Some((histories.first_bug?, histories.first_bug_time?.as_secs_f64()));
    }
    let (outcome, seconds) = checked(system, &Options { keep_going: false, ..options }).ok()?;
    outcome.violation().map(|_| (seen(&outcome), seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(engine: EngineName, seen: u64, ended: bool) -> Row {
        Row { refused: None, seen, ended, ..Row::refused(engine, String::new()) }
    }

    fn table() -> Table {
        let figures = ScheduleStats { schedules: 50, complete: 49, incomplete: 1, unique: 20, ..Default::default() };
        let found = ScheduleStats {
            non_linearizable: Some(5),
            first_bug: Some(7),
            good_histories: Some(3),
            judging_time: Some(Duration::from_millis(250)),
            ..figures
        };
        let liviola = Row {
            histories: Some(found),
            repeats: 2.0,
            bug: true,
            first: Some((7, 0.25)),
            seconds: 1.5,
            ..row(EngineName::LiViola, 50, false)
        };
        let ired = row(EngineName::IRed, 1_000, true);
        let proves = Row { proof: true, ..row(EngineName::Bfs, 12_345, false) };
        let must = Row::refused(EngineName::Must, "it does not like it".to_string());
        Table { title: "map keys=2".to_string(), rows: vec![ired, liviola, must, proves] }
    }

    #[test]
    fn a_figure_that_an_engine_does_not_have_is_a_dash() {
        let text = table().text();
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["map", "keys=2", "ir", "lv", "must", "bfs"]);
        let column = |nth: usize| -> Vec<&str> { words[1..17].iter().map(|row| row[nth + 1]).collect() };
        assert_eq!(words[1..17].iter().map(|row| row[0]).collect::<Vec<_>>(), FIGURES);
        let but = |known: [(usize, &'static str); 2]| {
            let mut cells = ["-"; 16];
            known.into_iter().for_each(|(at, cell)| cells[at] = cell);
            cells
        };
        assert_eq!(column(0), but([(0, "1,000+"), (11, "0.00")]));
        let ratios = ["25.00%", "40.00%", "10.00%"];
        let found = ["1.25", "2.50", "0.25", "1.50", "3", "7", "0.25", "bug"];
        assert_eq!(column(1), [&["50", "49", "1", "20", "5"][..], &ratios, &found].concat());
        assert_eq!(column(2), ["-"; 16]);
        assert_eq!(column(3)[0], "12,345");
        assert_eq!(column(3)[15], "proof");
        assert_eq!(text.lines().last(), Some("  must: it does not like it"));
        let widths: Vec<usize> = text.lines().take(17).map(str::len).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "columns are straight: {widths:?}");
    }

    #[test]
    fn the_last_words_are_computed() {
        let table = table();
        assert_eq!(table.missed().as_deref(), Some("  map keys=2                    ir*, bfs"));
        let fewer = "  map keys=2                    50 schedules against 1,000+: at least 20.0 times fewer";
        assert_eq!(table.fewer().as_deref(), Some(fewer));
        let right = Table { title: "register".to_string(), rows: vec![row(EngineName::Dpor, 9, false)] };
        assert_eq!((right.missed(), right.fewer()), (None, None), "nobody finds anything");
    }
}
