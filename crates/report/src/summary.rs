//! One line for any outcome. It never leaves open whether every world was seen.

use crate::style::{Paint, Style};
use crate::text::clean;
use manyworlds_core::{Outcome, ScheduleStats, Stats, StopReason, Verdict};
use std::time::Duration;

/// The verdict on `model` and the figures behind it.
pub fn summary(model: &str, outcome: &Outcome, elapsed: Option<Duration>, style: &Style) -> String {
    let g = style.glyphs();
    let (mark, paint, verdict) = match &outcome.verdict {
        Verdict::Verified { scope } => (g.good, Paint::Good, format!("verified: {scope}")),
        Verdict::Violated { violation, .. } => (g.bad, Paint::Bad, format!("violated: {}", violation.property)),
        Verdict::Incomplete { reason, bounds } => {
            ("?", Paint::Strong, format!("incomplete: no violation so far, but {} ({bounds})", why(*reason)))
        }
    };
    let figures = figures(&outcome.stats, elapsed);
    let verdict = style.paint(&format!("{mark} {} {verdict}", clean(model, style)), paint);
    if figures.is_empty() { verdict } else { format!("{verdict}; {}", figures.join(", ")) }
}

/// What the schedules of a scheduler recorded, in one line.
pub fn histories(stats: &ScheduleStats) -> String {
    let ratio = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.3}"));
    let mut parts = vec![
        format!("{} schedules", grouped(stats.schedules)),
        format!("{} complete and {} incomplete histories", grouped(stats.complete), grouped(stats.incomplete)),
        format!("{} unique (progression {})", grouped(stats.unique), ratio(stats.progression())),
    ];
    if let Some(bad) = stats.non_linearizable {
        let (quality, precision) = (ratio(stats.quality()), ratio(stats.precision()));
        parts.push(format!("{} not linearizable (quality {quality}, precision {precision})", grouped(bad)));
    }
    parts.extend(stats.first_bug.map(|number| format!("first bug in schedule {}", grouped(number))));
    parts.extend(stats.first_bug_time.map(|time| format!("after {:.2} s", time.as_secs_f64())));
    parts.join(", ")
}

/// Why a run stopped, in words.
pub fn why(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxExecutions => "the number of executions is used up",
        StopReason::MaxStates => "the number of states is used up",
        StopReason::MaxDepth => "some execution was cut off at its greatest length",
        StopReason::MaxSteps => "some process was cut off at its step bound",
        StopReason::Timeout => "the time is up",
        StopReason::MaxMemory => "the memory is used up",
        StopReason::Cancelled => "somebody stopped it",
        StopReason::SchedulerIncomplete => "this scheduler may leave schedules out",
    }
}

/// The figures that the engine has and that say something.
fn figures(stats: &Stats, elapsed: Option<Duration>) -> Vec<String> {
    let count = |n: Option<u64>, one: &str, many: &str| {
        n.map(|n| format!("{} {}", grouped(n), if n == 1 { one } else { many }))
    };
    let some = |n: Option<u64>| n.filter(|&n| n > 0);
    let mut figures = Vec::new();
    figures.extend(count(stats.executions, "execution", "executions"));
    figures.extend(count(some(stats.blocked), "blocked", "blocked"));
    figures.extend(count(some(stats.truncated), "cut off", "cut off"));
    figures.extend(count(some(Some(stats.violations)), "violation", "violations"));
    figures.extend(count(stats.states, "state", "states"));
    figures.extend(elapsed.map(|time| format!("{:.2} s", time.as_secs_f64())));
    figures
}

/// `40320` as `40,320`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
