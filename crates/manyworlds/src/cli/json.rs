//! `manyworlds-outcome/1`: the JSON of `check`. A figure an engine does not have is null, never 0.

use crate::{Answer, InvalidModel, Network, ScheduleStats, StopReason, peak_resident_bytes};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What `check` prints with `--json`.
pub fn outcome(answer: &Answer, model: &str, params: &Map<String, Value>, time: Duration) -> Value {
    let outcome = &answer.outcome;
    let counterexample = outcome.trace().map(|trace| serde_json::to_value(trace).expect("a trace is JSON"));
    let stats = &outcome.stats;
    json!({
        "schema": "manyworlds-outcome/1",
        "model": model,
        "params": params,
        "engine": answer.engine.name(),
        "network": answer.network.map(Network::name),
        "verdict": outcome.verdict.name(),
        "reason": outcome.stopped().map(StopReason::name).or(outcome.invalid().map(|invalid| invalid.flaw.name())),
        "scope": outcome.scope,
        "invalid": outcome.invalid().map(invalid),
        "executions": stats.executions,
        "blocked": stats.blocked,
        "states": stats.states,
        "transitions": stats.transitions,
        "depth": stats.depth,
        "frontier": answer.frontier,
        "omission": answer.omission,
        "why": answer.why,
        "user_steps": stats.user_steps,
        "violations": stats.violations,
        "histories": stats.histories.map(|stats| histories(&stats)),
        "time_s": time.as_secs_f64(),
        "peak_rss_bytes": peak_resident_bytes(),
        "counterexample": counterexample,
    })
}

/// What is wrong with the model, and how that showed.
fn invalid(invalid: &InvalidModel) -> Value {
    json!({
        "flaw": invalid.flaw.name(),
        "message": invalid.message,
        "evidence": invalid.evidence,
        "location": invalid.location,
        "advice": invalid.advice,
    })
}

/// The figures of a scheduler.
fn histories(stats: &ScheduleStats) -> Value {
    json!({
        "schedules": stats.schedules,
        "complete": stats.complete,
        "incomplete": stats.incomplete,
        "unique": stats.unique,
        "non_linearizable": stats.non_linearizable,
        "quality": stats.quality(),
        "progression": stats.progression(),
        "precision": stats.precision(),
        "schedules_to_first_bug": stats.first_bug,
        "time_to_first_bug_s": stats.first_bug_time.map(|time| time.as_secs_f64()),
    })
}
