//! The outcome of a run in one line, which always contains whether the exploration was complete.

use crate::style::{Paint, Style};
use crate::text::clean;
use manyworlds_core::{Outcome, ScheduleStats, Scope, Stats, StopReason, Verdict};
use std::time::Duration;

/// The verdict on `model`, and the figures of the run.
pub fn summary(model: &str, outcome: &Outcome, elapsed: Option<Duration>, style: &Style) -> String {
    let g = style.glyphs();
    let (mark, paint, verdict) = match &outcome.verdict {
        Verdict::Verified => (g.good, Paint::Good, format!("verified: {}", outcome.scope)),
        Verdict::Violated { violation, .. } => (g.bad, Paint::Bad, format!("violated: {}", violation.property)),
        Verdict::Possible { violation, .. } => {
            ("?", Paint::Strong, format!("possibly violated, not confirmed by a replay: {}", violation.property))
        }
        Verdict::Incomplete { reason } => {
            ("?", Paint::Strong, format!("incomplete: no violation found, {}", stopped(*reason, &outcome.scope)))
        }
        Verdict::Invalid(invalid) => {
            (g.bad, Paint::Bad, format!("invalid model: {}", clean(&invalid.to_string(), style)))
        }
    };
    let figures = figures(&outcome.stats, elapsed);
    let verdict = style.paint(&format!("{mark} {} {verdict}", clean(model, style)), paint);
    if figures.is_empty() { verdict } else { format!("{verdict}; {}", figures.join(", ")) }
}

/// The figures about the histories that a scheduler recorded, in one line.
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

/// The reason why a run stopped, and its limits.
pub fn stopped(reason: StopReason, scope: &Scope) -> String {
    match scope.limits() {
        limits if limits.is_empty() => why(reason).to_string(),
        limits => format!("{} ({limits})", why(reason)),
    }
}

/// The reason why a run stopped, as text.
pub fn why(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxExecutions => "execution limit reached",
        StopReason::MaxStates => "state limit reached",
        StopReason::MaxDepth => "depth limit reached",
        StopReason::MaxSteps => "a process reached its step limit",
        StopReason::Timeout => "time limit reached",
        StopReason::MaxMemory => "memory limit reached",
        StopReason::Cancelled => "cancelled",
        StopReason::SchedulerIncomplete => "this scheduler does not explore every schedule",
    }
}

/// The figures that the engine provides; blocked and truncated executions and violations only if there are any.
fn figures(stats: &Stats, elapsed: Option<Duration>) -> Vec<String> {
    let wide = |figure: Option<u64>| figure.map(u128::from);
    let count = |n: Option<u128>, one: &str, many: &str| {
        n.map(|n| format!("{} {}", grouped(n), if n == 1 { one } else { many }))
    };
    let some = |n: Option<u64>| wide(n.filter(|&n| n > 0));
    let mut figures = Vec::new();
    figures.extend(count(wide(stats.executions), "execution", "executions"));
    figures.extend(count(some(stats.blocked), "blocked", "blocked"));
    figures.extend(count(some(stats.truncated), "cut off", "cut off"));
    figures.extend(count(some(Some(stats.violations)), "violation", "violations"));
    figures.extend(count(stats.states, "state", "states"));
    figures.extend(elapsed.map(|time| format!("{:.2} s", time.as_secs_f64())));
    figures
}

/// A number with thousands separators: `40320` as `40,320`.
pub fn grouped(n: impl Into<u128>) -> String {
    let n: u128 = n.into();
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
