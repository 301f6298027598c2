//! The data that the scripts of the page read: the trace itself, with values as trees, and everything about it that is computed in Rust.

use super::{Page, Run};
use crate::brief::labels;
use crate::causality::{clocks, failing};
use crate::cause::{Cause, cause};
use crate::history::Timeline;
use crate::order::{Item, arrange};
use crate::summary::{grouped, why};
use crate::words::{event, sentence};
use crate::{Style, place};
use manyworlds_core::{Outcome, Requirement, Stats, StepKind, Trace, TraceMessage, Verdict};
use serde_json::{Map, Value, json};

/// The number of source lines that are shown before and after a location.
const AROUND: usize = 3;

/// The data of a page: `manyworlds-page/1`.
pub fn of(page: &Page<'_>) -> Value {
    let own = page.trace.and_then(Timeline::from_trace);
    let timeline = page.timeline.or(own.as_ref());
    json!({
        "schema": "manyworlds-page/1",
        "version": env!("CARGO_PKG_VERSION"),
        "title": page.title,
        "headline": page.headline.map(|h| json!({ "verdict": h.verdict, "good": h.good, "sentence": h.sentence })),
        "run": page.run.as_ref().map(run),
        "trace": page.trace,
        "story": page.trace.map(|trace| story(trace, page)),
        "timeline": timeline.map(|timeline| json!({ "history": timeline, "points": timeline.points() })),
    })
}

/// Everything about a trace that is computed in Rust: texts, the drawing order, the failing steps and their causes.
fn story(trace: &Trace, page: &Page<'_>) -> Value {
    let style = Style::default();
    let global = !trace.steps.iter().any(|step| step.kind.is_bad());
    json!({
        "rows": rows(trace),
        "sentences": trace.steps.iter().map(|step| sentence(trace, step, &style)).collect::<Vec<_>>(),
        "events": trace.steps.iter().map(|step| event(trace, step, &style)).collect::<Vec<_>>(),
        "types": trace.steps.iter().map(|step| trace.message(step).map(TraceMessage::type_name)).collect::<Vec<_>>(),
        "texts": trace.messages.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "labels": labels(&trace.messages),
        "places": trace.steps.iter().map(|step| place::short(step.at.as_ref())).collect::<Vec<_>>(),
        "failing": failing(trace),
        "cause": cause(trace).map(|Cause { steps, title, meaning }| json!({ "steps": steps, "title": title, "meaning": meaning })),
        "property": trace.violation.property.to_string(),
        "about_a_state": global && !matches!(trace.violation.property, Requirement::Assertion),
        "sources": sources(trace, page),
    })
}

/// The steps of each row. Starts without causes share the first row. A step that loses no message has no row, because the message is sent in another
/// step.
fn rows(trace: &Trace) -> Vec<Vec<usize>> {
    let first = |i: usize| trace.steps[i].kind == StepKind::Start && trace.steps[i].parents.is_empty();
    let starts: Vec<usize> = (0..trace.steps.len()).filter(|&i| first(i)).collect();
    let rest = arrange(trace).into_iter().filter_map(|item| match item {
        Item::Step(i) if first(i) || matches!(trace.steps[i].kind, StepKind::Lose { lost: false, .. }) => None,
        Item::Step(i) => Some(vec![i]),
        Item::Delivery { send, recv } => Some(vec![send, recv]),
    });
    let rows = Some(starts).filter(|starts| !starts.is_empty()).into_iter().chain(rest).collect();
    failure_last(trace, rows)
}

/// Moves the failing steps and all steps that depend on them to the end, even if a message then arrives in another row than the one in which it is sent. No
/// step is moved across a partition.
fn failure_last(trace: &Trace, mut rows: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let failing = failing(trace);
    let fails = |row: &Vec<usize>| row.iter().any(|i| failing.contains(i));
    let Some(at) = rows.iter().position(fails) else { return rows };
    let tail = rows.split_off(at);
    let partition = |&i: &usize| trace.steps[i].kind.is_partition();
    let clocks = clocks(trace);
    let depends = |later: usize, earlier: usize| {
        let process = trace.steps[earlier].process;
        clocks[later][process] >= clocks[earlier][process]
    };
    let follows = |i: usize| failing.iter().any(|&failure| depends(i, failure));
    let (last, first): (Vec<_>, Vec<_>) = tail[1..].iter().cloned().partition(|row| row.iter().any(|&i| follows(i)));
    if first.is_empty() || tail.iter().flatten().any(partition) {
        rows.extend(tail);
        return rows;
    }
    let (failure, sent): (Vec<usize>, Vec<usize>) = tail[0].iter().partition(|&&i| follows(i));
    let split = [sent].into_iter().filter(|row| !row.is_empty()).chain(first).chain([failure]);
    rows.extend(split.chain(last));
    rows
}

/// The source lines around every location in the trace, if they can be read.
fn sources(trace: &Trace, page: &Page<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    let Some(read) = page.source else { return found };
    let locations = trace.steps.iter().filter_map(|step| step.at.as_ref()).chain(&trace.violation.location);
    let mut files: std::collections::HashMap<&str, Option<String>> = std::collections::HashMap::new();
    for location in locations {
        let (file, line) = (location.file.as_str(), location.line as usize);
        let Some(text) = files.entry(file).or_insert_with(|| read(file)) else { continue };
        let first = line.saturating_sub(AROUND).max(1);
        // The line number may be arbitrary: the trace may have been read from a file.
        let count = line.saturating_sub(first).saturating_add(AROUND + 1);
        let lines: Vec<&str> = text.lines().skip(first - 1).take(count).collect();
        if line >= first && line < first + lines.len() {
            found.insert(location.to_string(), json!({ "line": line, "first": first, "lines": lines }));
        }
    }
    found
}

fn run(run: &Run<'_>) -> Value {
    let Outcome { verdict, stats, scope } = run.outcome;
    let (sentence, bounds) = match verdict {
        Verdict::Verified => (scope.to_string(), None),
        Verdict::Violated { violation, .. } => (violation.property.to_string(), None),
        Verdict::Possible { violation, .. } => (format!("{}, not confirmed by a replay", violation.property), None),
        Verdict::Incomplete { reason } => (format!("no violation found, {}", why(*reason)), Some(scope.limit_list())),
        Verdict::Invalid(invalid) => (invalid.to_string(), None),
    };
    json!({
        "verdict": verdict.name(),
        "sentence": sentence,
        "bounds": bounds.filter(|bounds| !bounds.is_empty()),
        "kind": run.kind,
        "params": run.params,
        "engine": run.engine,
        "why": run.why,
        "network": run.network,
        "figures": figures(stats, run),
        "coverage": run.coverage,
    })
}

/// The figures that the engine provides: name, number and meaning.
fn figures(stats: &Stats, run: &Run<'_>) -> Vec<Value> {
    let wide = |figure: Option<u64>| figure.map(u128::from);
    let figures = [
        ("executions", wide(stats.executions), "complete ones, each distinct behaviour once"),
        ("blocked", wide(stats.blocked), "executions in which some process waits forever"),
        ("cut off", wide(stats.truncated), "executions or paths that a bound ended"),
        ("states", stats.states, "distinct global states"),
        ("transitions", stats.transitions, "steps between states, known ones included"),
        ("depth", wide(stats.depth), "of the longest execution, or of the last state found"),
        ("violations", Some(stats.violations.into()), "found before the run ended"),
        ("revisits", wide(stats.revisits), "receives that were given a later message"),
        ("events", wide(stats.events), "added to execution graphs"),
        ("runs of user code", Some(stats.user_steps.into()), "local steps in which your code ran"),
    ];
    let figure = |(name, number, meaning): (&str, Option<u128>, &str)| {
        Some(json!({ "name": name, "value": grouped(number?), "meaning": meaning }))
    };
    let time = run.time.map(
        |time| json!({ "name": "time", "value": format!("{:.2} s", time.as_secs_f64()), "meaning": "wall-clock time" }),
    );
    figures.into_iter().filter_map(figure).chain(time).collect()
}
