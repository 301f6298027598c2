//! `manyworlds-outcome/1`: the JSON of `check`. A figure an engine does not have is null, never 0.

use crate::{Answer, InvalidModel, Network, ScheduleStats, Scope, StopReason, Trace, peak_resident_bytes};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The object that `check` prints with `--json`.
#[derive(Serialize)]
struct Printed<'a> {
    schema: &'a str,
    model: &'a str,
    params: &'a Map<String, Value>,
    engine: &'a str,
    network: Option<&'a str>,
    verdict: &'a str,
    reason: Option<&'a str>,
    scope: &'a Scope,
    invalid: Option<Value>,
    executions: Option<u64>,
    blocked: Option<u64>,
    /// A JSON integer of more than 64 bits, if it must be: that is why this is not a `Value`.
    states: Option<u128>,
    transitions: Option<u128>,
    depth: Option<u64>,
    frontier: Option<u64>,
    omission: Option<f64>,
    why: Option<&'a str>,
    user_steps: u64,
    violations: u64,
    histories: Option<Value>,
    time_s: f64,
    peak_rss_bytes: Option<u64>,
    counterexample: Option<&'a Trace>,
}

/// What `check` prints with `--json`.
pub fn outcome(answer: &Answer, model: &str, params: &Map<String, Value>, time: Duration) -> String {
    let outcome = &answer.outcome;
    let stats = &outcome.stats;
    let printed = Printed {
        schema: "manyworlds-outcome/1",
        model,
        params,
        engine: answer.engine.name(),
        network: answer.network.map(Network::name),
        verdict: outcome.verdict.name(),
        reason: outcome.stopped().map(StopReason::name).or(outcome.invalid().map(|invalid| invalid.flaw.name())),
        scope: &outcome.scope,
        invalid: outcome.invalid().map(invalid),
        executions: stats.executions,
        blocked: stats.blocked,
        states: stats.states,
        transitions: stats.transitions,
        depth: stats.depth,
        frontier: answer.frontier,
        omission: answer.omission,
        why: answer.why.as_deref(),
        user_steps: stats.user_steps,
        violations: stats.violations,
        histories: stats.histories.map(|stats| histories(&stats)),
        time_s: time.as_secs_f64(),
        peak_rss_bytes: peak_resident_bytes(),
        counterexample: outcome.trace(),
    };
    serde_json::to_string(&printed).expect("an answer is JSON")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Stats, Verdict};

    #[test]
    fn counts_beyond_64_bits_are_integers() {
        let states = Some(10u128.pow(30) + 7);
        let stats = Stats { states, transitions: Some(u64::MAX.into()), ..Stats::default() };
        let outcome = Outcome { verdict: Verdict::Verified, scope: Scope::default(), stats };
        let answer = Answer {
            name: "huge".to_string(),
            outcome,
            engine: crate::Engine::Bfs,
            why: None,
            network: None,
            coverage: None,
            frontier: None,
            omission: None,
        };
        let printed = super::outcome(&answer, "huge", &Map::new(), Duration::ZERO);
        assert!(printed.contains("\"states\":1000000000000000000000000000007,\"transitions\":18446744073709551615,"));
        assert!(answer.to_string().contains("1,000,000,000,000,000,000,000,000,000,007 states"), "{answer}");
    }
}
