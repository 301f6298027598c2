//! Budgets end a run in `incomplete`, soon, with what is known: never in an abort, never in a hang.

use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// What `check` says with these arguments, how it exits, and how long it takes.
fn check(arguments: &str) -> (Value, i32, Duration) {
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_manyworlds"))
        .args(["check", "--json"])
        .args(arguments.split(' '))
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let status = output.status.code().unwrap_or_else(|| panic!("{arguments}: {}", output.status));
    (serde_json::from_str(&text).unwrap_or_else(|e| panic!("{arguments}: {e}: {text}")), status, started.elapsed())
}

/// Much longer than any budget here; machines are slow at times.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn time_and_memory_end_a_run_with_its_frontier() {
    for engine in ["bfs", "dfs"] {
        for threads in [1, 2] {
            for (budget, reason) in [("--timeout 0.2", "timeout"), ("--max-memory 30000000", "max-memory")] {
                let arguments = format!("raft n=5 t=7 --engine {engine} --threads {threads} {budget}");
                let (outcome, status, time) = check(&arguments);
                assert_eq!(
                    (status, &outcome["verdict"], &outcome["reason"]),
                    (3, &"incomplete".into(), &reason.into())
                );
                assert!(outcome["frontier"].as_u64().is_some_and(|frontier| frontier > 0), "{arguments}: {outcome}");
                assert!(outcome["omission"].as_f64().is_some_and(|p| p < 1e-15), "{arguments}: {outcome}");
                assert!(time < SOON, "{arguments} took {time:?}");
            }
        }
    }
}

/// Models whose single states take long: what is slow is not what is looked at seldom.
#[test]
fn slow_states_do_not_keep_a_run_from_ending() {
    for arguments in [
        "bounded-async n=32 rounds=50 --engine dfs --network cd --timeout 0.2 --threads 1",
        "counter n=7 --engine dfs --symmetry --network cd --timeout 0.2 --threads 1",
        "failure-detector n=63 crashes=63 rounds=20 misses=20 --engine bfs --timeout 0.2 --threads 1",
    ] {
        let (outcome, status, time) = check(arguments);
        assert_eq!((status, &outcome["reason"]), (3, &"timeout".into()), "{arguments}");
        assert!(time < SOON, "{arguments} took {time:?}");
    }
}

#[test]
fn raft_to_depth_12_needs_little_memory() {
    let (outcome, status, _) = check("raft n=3 --max-depth 12");
    assert_eq!((status, &outcome["reason"], &outcome["depth"]), (3, &"max-depth".into(), &13.into()));
    assert!(outcome["peak_rss_bytes"].as_u64().is_some_and(|bytes| bytes < 1 << 30), "{}", outcome["peak_rss_bytes"]);
}

#[test]
fn the_answer_is_not_lost_with_a_file_that_cannot_be_written() {
    let (outcome, status, _) = check("two-phase-commit-bug --html /dev/full");
    assert_eq!((status, &outcome["verdict"]), (2, &"violated".into()));
}
