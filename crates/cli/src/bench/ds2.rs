//! DS2's tables A2 to A11 for the systems of the zoo: the seven schedulers, and the engines that prove beside them.

mod tables;

use super::model;
use crate::args::{self, BenchArgs};
use manyworlds::actor::System;
use manyworlds::cli::Complaint;
use manyworlds::cli::progress::Pieces;
use manyworlds::cli::terminal::print_line;
use manyworlds::{Engine, Options, Outcome, ScheduleStats, StopReason, check};
use manyworlds_report::grouped;
use std::time::{Duration, Instant};
use tables::{LEGEND, PLANS, Plan};

/// What an entry may take, if nobody says. It is the number of schedules that ends most, so that they end in the same way anywhere.
pub const SECONDS: Duration = Duration::from_secs(10);

/// The systems that have tables.
pub fn systems() -> impl Iterator<Item = &'static str> {
    let first = |(nth, plan): &(usize, &Plan)| PLANS[..*nth].iter().all(|other| other.model() != plan.model());
    PLANS.iter().enumerate().filter(first).map(|(_, plan)| plan.model())
}

/// The columns of a table: those of the paper, and the engines that prove.
const ENGINES: [Engine; 9] = [
    Engine::Exhaustive,
    Engine::SystematicRandom,
    Engine::Delay,
    Engine::Dpor,
    Engine::TransDpor,
    Engine::IRed,
    Engine::LiViola,
    Engine::Must,
    Engine::Bfs,
];

/// The rows: those of the paper; besides them #CH, #SF and the verdict.
const FIGURES: [&str; 16] =
    ["#S", "#CH", "#IH", "#UH", "#NL", "NL/UH", "UH/S", "NL/S", "TS", "ST", "TC", "TT", "#HF", "#SF", "TF", "verdict"];

/// Measures the tables: all, if none is named.
pub fn run(args: &BenchArgs, timeout: Duration) -> Result<(), Complaint> {
    print_line(LEGEND);
    let all = !args.names.iter().any(|table| matches!(table, args::Table::Ds2Of(_)));
    let mut tables = Vec::new();
    let wanted = |plan: &&Plan| all || args.names.contains(&args::Table::Ds2Of(plan.model()));
    let plans: Vec<&Plan> = PLANS.iter().filter(wanted).collect();
    let progress = Pieces::new(plans.len() * ENGINES.len(), "entries");
    for plan in plans {
        let table = Table::measure(plan, args, timeout, &progress)?;
        let text = format!("\n{}\n{}\n{}", plan.heading(), plan.side(), table.text());
        progress.suspend(|| print_line(&text));
        tables.push((plan, table));
    }
    drop(progress);
    let found: Vec<String> = tables.iter().filter_map(|(plan, table)| table.found(&plan.title())).collect();
    if !found.is_empty() {
        print_line("\nWho finds what");
        found.iter().for_each(|lines| print_line(lines));
    }
    let two_keys = tables.iter().filter(|(plan, _)| plan.has_two_keys());
    let fewer: Vec<String> = two_keys.filter_map(|(plan, table)| table.fewer(&plan.title())).collect();
    if !fewer.is_empty() {
        print_line("\nLiViola against IRed on two keys");
        fewer.iter().for_each(|line| print_line(line));
    }
    Ok(())
}

/// A system with a harness under all engines.
struct Table {
    rows: Vec<Row>,
}

impl Table {
    fn measure(plan: &Plan, args: &BenchArgs, timeout: Duration, progress: &Pieces) -> Result<Table, Complaint> {
        let model = model(plan.model())?;
        let system = model.system(&model.params(plan.params())?)?;
        let measured = |engine| {
            let row = Row::measure(&system, engine, args, timeout);
            progress.next();
            row
        };
        let mut rows: Vec<Row> = ENGINES.into_iter().map(measured).collect();
        mark_missed(&mut rows);
        Ok(Table { rows })
    }

    fn text(&self) -> String {
        let columns: Vec<_> = self.rows.iter().map(Row::cells).collect();
        let heads = line("Alg.", self.rows.iter().map(|row| name(row.engine).to_string()));
        let figure = |(nth, label): (usize, &&str)| line(label, columns.iter().map(|cells| cells[nth].clone()));
        let refusals = self.rows.iter().filter_map(|row| Some(format!("  {}: {}", row.engine, row.refused.as_ref()?)));
        let lines = std::iter::once(heads).chain(FIGURES.iter().enumerate().map(figure)).chain(refusals);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Which engines find what some engine finds, and why the others do not.
    fn found(&self, title: &str) -> Option<String> {
        let named = |end: End, words: &str| {
            let names: Vec<&str> = self.rows.iter().filter(|row| row.end == end).map(|row| name(row.engine)).collect();
            (!names.is_empty()).then(|| format!("{words} {}", names.join(", ")))
        };
        let found = named(End::Bug, "found by")?;
        let others = [named(End::Missed, "missed by"), named(End::Stopped, "stopped by the budget before:")];
        let words: Vec<String> = std::iter::once(found).chain(others.into_iter().flatten()).collect();
        Some(format!("  {title:30}{}", words.join("; ")))
    }

    /// How many schedules less LiViola needs than IRed.
    fn fewer(&self, title: &str) -> Option<String> {
        let row = |engine| self.rows.iter().find(|row: &&Row| row.engine == engine);
        let (less, more) = (row(Engine::LiViola)?, row(Engine::IRed)?);
        let factor = more.seen as f64 / less.seen.max(1) as f64;
        let says = match (less.ended, more.ended) {
            (true, _) => "ended by the budget".to_string(),
            (false, true) => format!("at least {factor:.1} times fewer"),
            (false, false) => format!("{factor:.1} times fewer"),
        };
        Some(format!("  {title:30}{} schedules against {}: {says}", less.seen_text(), more.seen_text()))
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// It did not begin: the engine does not take the system.
    Refused,
    /// It found something.
    Bug,
    /// The budget ended it before it found anything.
    Stopped,
    /// There is nothing to be found.
    Proof,
    /// It has no more schedules, and found nothing; it may have left some out.
    Nothing,
    /// The same, and another engine found something.
    Missed,
}

impl End {
    fn of(outcome: &Outcome, stopped: bool) -> End {
        match (outcome.violation(), stopped) {
            (Some(_), _) => End::Bug,
            (None, true) => End::Stopped,
            (None, false) if outcome.is_verified() => End::Proof,
            (None, false) => End::Nothing,
        }
    }

    fn word(self) -> &'static str {
        match self {
            End::Refused => "-",
            End::Bug => "bug",
            End::Stopped => "stopped",
            End::Proof => "proof",
            End::Nothing => "no bug",
            End::Missed => "missed",
        }
    }
}

/// Whoever found nothing missed what another one found.
fn mark_missed(rows: &mut [Row]) {
    if rows.iter().any(|row| row.end == End::Bug) {
        rows.iter_mut().filter(|row| row.end == End::Nothing).for_each(|row| row.end = End::Missed);
    }
}

/// What one engine did.
struct Row {
    engine: Engine,
    /// Why the engine does not take the system.
    refused: Option<String>,
    /// Schedules, executions or states.
    seen: u64,
    /// The budget ended it.
    ended: bool,
    histories: Option<ScheduleStats>,
    /// How often a search that keeps no snapshots would do each step.
    repeats: f64,
    end: End,
    /// What it took to the first bug: schedules, executions or states, and seconds.
    first: Option<(u64, f64)>,
    seconds: f64,
}

impl Row {
    fn measure(system: &System, engine: Engine, args: &BenchArgs, timeout: Duration) -> Row {
        let options = Options {
            engine,
            threads: 1,
            timeout: Some(timeout),
            max_executions: (engine != Engine::Bfs).then_some(args.max_executions),
            max_states: args.max_states.filter(|_| engine == Engine::Bfs),
            keep_going: true,
            ..Options::default()
        };
        let (outcome, seconds) = match checked(system, &options) {
            Ok(checked) => checked,
            Err(why) => return Row::refused(engine, why),
        };
        // What is drawn at random has no end of its own.
        let ended = engine == Engine::SystematicRandom
            || outcome.stopped().is_some_and(|reason| reason != StopReason::SchedulerIncomplete);
        let end = End::of(&outcome, ended);
        Row {
            engine,
            refused: None,
            seen: seen(&outcome),
            ended,
            histories: outcome.stats.histories,
            repeats: repeats(&outcome),
            end,
            first: if end == End::Bug { first_bug(system, options, &outcome) } else { None },
            seconds,
        }
    }

    fn refused(engine: Engine, why: String) -> Row {
        let (refused, histories, first) = (Some(why), None, None);
        Row { engine, refused, seen: 0, ended: false, histories, repeats: 1.0, end: End::Refused, first, seconds: 0.0 }
    }

    fn seen_text(&self) -> String {
        format!("{}{}", grouped(self.seen), if self.ended { "+" } else { "" })
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
            self.end.word().to_string(),
        ]
    }
}

/// Steps of all schedules for each step that was taken.
fn repeats(outcome: &Outcome) -> f64 {
    let steps = outcome.stats.histories.map_or(0, |stats| stats.steps);
    (steps as f64 / outcome.stats.transitions.unwrap_or(0).max(1) as f64).max(1.0)
}

/// The paper's letters for a scheduler, the name of another engine.
fn name(engine: Engine) -> &'static str {
    engine.letters().unwrap_or(engine.name())
}

fn line(head: &str, cells: impl Iterator<Item = String>) -> String {
    format!("{head:25}{}", cells.map(|cell| format!("{cell:>11}")).collect::<String>())
}

fn checked(system: &System, options: &Options) -> Result<(Outcome, f64), String> {
    let started = Instant::now();
    let answer = check(system).options(options.clone()).run().map_err(|refused| refused.to_string())?;
    Ok((answer.outcome, started.elapsed().as_secs_f64()))
}

/// The unit that the engine counts in.
fn seen(outcome: &Outcome) -> u64 {
    let stats = &outcome.stats;
    match (stats.histories, stats.states) {
        (Some(histories), _) => histories.schedules,
        (None, Some(states)) => u64::try_from(states).unwrap_or(u64::MAX),
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

    fn row(engine: Engine, seen: u64, ended: bool) -> Row {
        let end = if ended { End::Stopped } else { End::Nothing };
        Row { refused: None, seen, ended, end, ..Row::refused(engine, String::new()) }
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
            end: End::Bug,
            first: Some((7, 0.25)),
            seconds: 1.5,
            ..row(Engine::LiViola, 50, false)
        };
        let ired = row(Engine::IRed, 1_000, true);
        let delay = row(Engine::Delay, 12_345, false);
        let must = Row::refused(Engine::Must, "it does not like it".to_string());
        let mut rows = vec![ired, liviola, must, delay];
        mark_missed(&mut rows);
        Table { rows }
    }

    #[test]
    fn a_figure_that_an_engine_does_not_have_is_a_dash() {
        let text = table().text();
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["Alg.", "ir", "lv", "must", "db"]);
        let column = |nth: usize| -> Vec<&str> { words[1..17].iter().map(|row| row[nth + 1]).collect() };
        assert_eq!(words[1..17].iter().map(|row| row[0]).collect::<Vec<_>>(), FIGURES);
        let mut stopped = ["-"; 16];
        (stopped[0], stopped[11], stopped[15]) = ("1,000+", "0.00", "stopped");
        assert_eq!(column(0), stopped);
        let ratios = ["25.00%", "40.00%", "10.00%"];
        let found = ["1.25", "2.50", "0.25", "1.50", "3", "7", "0.25", "bug"];
        assert_eq!(column(1), [&["50", "49", "1", "20", "5"][..], &ratios, &found].concat());
        assert_eq!(column(2), ["-"; 16]);
        assert_eq!(column(3)[0], "12,345");
        assert_eq!(column(3)[15], "missed");
        assert_eq!(text.lines().last(), Some("  must: it does not like it"));
        let widths: Vec<usize> = text.lines().take(17).map(str::len).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "columns are straight: {widths:?}");
    }

    #[test]
    fn the_last_words_are_computed() {
        let table = table();
        let found = "  map                           found by lv; missed by db; stopped by the budget before: ir";
        assert_eq!(table.found("map").as_deref(), Some(found));
        let fewer = "  map                           50 schedules against 1,000+: at least 20.0 times fewer";
        assert_eq!(table.fewer("map").as_deref(), Some(fewer));
        let right = Table { rows: vec![row(Engine::Dpor, 9, false)] };
        assert_eq!((right.found("map"), right.fewer("map")), (None, None), "nobody finds anything");
    }

    #[test]
    fn each_table_of_the_paper_is_measured_once() {
        let headings: Vec<String> = PLANS.iter().map(Plan::heading).collect();
        assert_eq!(headings[2], "edr, 2r+1w (DS2 table A4)");
        for number in 2..=11 {
            let place = format!("(DS2 table A{number})");
            assert_eq!(headings.iter().filter(|heading| heading.ends_with(&place)).count(), 1, "{place}");
        }
        assert_eq!(PLANS[2].side(), "#Inv. 2R+1W   #Agents = 3   #Rtry = *   Qrm = 2 for reads, none for writes");
        for plan in PLANS {
            let model = model(plan.model()).expect("it is in the zoo");
            let params = model.params(plan.params()).expect("it has these parameters");
            let system = model.system(&params).expect("they go together");
            let clients = if plan.title().contains("2r+2w") { 4 } else { 3 };
            let agents = format!("#Agents = {} ", system.blueprint().actors.len() - clients);
            assert!(plan.side().contains(&agents), "{}: {agents}", plan.heading());
        }
    }
}
