//! Snapshots of reports about typical bugs.

use crate::trace_builder::{TraceBuilder, trace_of};
use crate::{Hints, Style, chart, failure, step, summary};
use insta::assert_snapshot;
use manyworlds_core::{
    Awaited, Bounds, Network, Outcome, Requirement, Scope, Stats, StepKind, StopReason, Trace, TraceMessage, Verdict,
};
use std::time::Duration;

const HINTS: Hints<'static> = Hints { replay: Some("manyworlds replay bug.json"), file: Some("bug.json"), html: None };

fn plain() -> Style {
    Style::default()
}

/// The chart, after checks that apply to all charts.
fn drawn(trace: &Trace, style: &Style) -> String {
    let text = chart(trace, style);
    for line in text.lines() {
        assert!(crate::text::width(line) <= style.width, "{line:?} is wider than {}", style.width);
        assert_eq!(line.trim_end(), line, "no spaces at the end of a line");
    }
    text
}

/// A participant receives `Commit` although it voted no.
fn two_phase_commit() -> TraceBuilder {
    trace_of(&["main", "participant0", "participant1"])
        .spawn(0, 1)
        .spawn(0, 2)
        .send(0, 1, "Prepare")
        .send(0, 2, "Prepare")
        .recv(1, 2)
        .choose(1, 1)
        .send(1, 0, "Yes")
        .recv(2, 3)
        .choose(2, 0)
        .send(2, 0, "No")
        .recv(0, 9)
        .recv(0, 6)
        .send(0, 1, "Commit")
        .deliver(0, 2, "Commit")
        .fail(2, "received Commit after voting no")
}

#[test]
fn an_assertion_that_fails() {
    assert_snapshot!(failure(&two_phase_commit().trace(), &HINTS, &plain()));
}

#[test]
fn an_assertion_that_fails_in_ascii() {
    assert_snapshot!(failure(&two_phase_commit().trace(), &HINTS, &Style { unicode: false, ..plain() }));
}

#[test]
fn an_assertion_that_fails_in_colour() {
    let coloured = failure(&two_phase_commit().trace(), &HINTS, &Style { color: true, ..plain() });
    assert_snapshot!(coloured.replace('\x1b', "␛"));
}

#[test]
fn a_message_of_several_lines() {
    let message = "assertion `left == right` failed\n  left: 1\n right: 2\u{7}";
    let trace = trace_of(&["main"]).choose(0, 1).fail(0, message).trace();
    assert_snapshot!(failure(&trace, &Hints::default(), &plain()));
}

#[test]
fn a_deadlock() {
    let trace = trace_of(&["alice", "bob", "carol"])
        .deliver(0, 1, "Take(fork0)")
        .deliver(2, 1, "Take(fork1)")
        .send(1, 0, "Busy")
        .wait(0, Awaited::Message("Granted".to_string()))
        .wait(1, Awaited::Message("Release".to_string()))
        .wait(2, Awaited::Process(1))
        .violates(Requirement::Deadlock, "alice, bob, carol wait for ever", Some(0), Some("src/model.rs:60:5"))
        .trace();
    assert_snapshot!(failure(&trace, &HINTS, &plain()));
}

#[test]
fn a_monitor_that_fails() {
    let trace = trace_of(&["main", "node1", "node2", "UniqueLeader"])
        .spawn(0, 1)
        .spawn(0, 2)
        .choose(1, 2)
        .choose(2, 2)
        .observed(1, 0, 3, "Elected(2)")
        .send(1, 0, "Elected(2)")
        .observed(2, 0, 3, "Elected(2)")
        .fail(3, "two leaders in term 2")
        .violates(Requirement::Monitor, "two leaders in term 2", Some(3), Some("src/model.rs:99:9"))
        .trace();
    assert_snapshot!(failure(&trace, &HINTS, &plain()));
}

#[test]
fn timeouts_choices_losses_joins_and_messages_that_cross() {
    let trace = trace_of(&["main", "client", "server", "idle"])
        .spawn(0, 1)
        .spawn(0, 2)
        .spawn(0, 3)
        .choose(1, 3)
        .lose(1, 0)
        .send(1, 2, "Put(3)")
        .send(2, 1, "Hello")
        .recv(1, 6)
        .recv(2, 5)
        .lose(2, 1)
        .lose_message(2, 0, "Bye")
        .timeout(1)
        .send(1, 3, "Never read")
        .send(2, 2, "Tick")
        .recv(2, 13)
        .join(0, 1)
        .join(0, 3)
        .fail(0, "gave up")
        .trace();
    assert_snapshot!(drawn(&trace, &plain()));
}

#[test]
fn long_names_and_messages() {
    let message =
        "AppendEntries { term: 12, leader: 3, entries: [Entry { index: 1, value: \"the quick brown fox\" }] }";
    let trace = trace_of(&[
        "the_coordinator_of_the_northern_region",
        "storage_node_with_a_long_name_1",
        "storage_node_with_a_long_name_2",
    ])
    .deliver(0, 1, message)
    .deliver(0, 2, message)
    .deliver(1, 0, "Ack")
    .fail(0, "a message that is so long that it would not fit into any chart, but stands above it in full")
    .trace();
    assert_snapshot!(failure(&trace, &HINTS, &plain()));
}

/// All kinds of faults of actors.
fn faults() -> TraceBuilder {
    trace_of(&["client", "server", "network"])
        .starts(0)
        .starts(1)
        .invoked(0, "Put(3)")
        .send(0, 1, "Put(3)")
        .duplicate(1, 3)
        .state("Server { value: 3 }")
        .send(1, 0, "Done")
        .split(2, &[0])
        .timer(0, "retry")
        .state("Client { tries: 2 }")
        .send(0, 1, "Put(3)")
        .step(2, StepKind::Heal)
        .dropped(0, 5)
        .step(1, StepKind::Crash)
        .step(1, StepKind::Restart)
        .state("Server { value: 0 }")
        .recv(1, 3)
        .choose(1, 0)
}

#[test]
fn faults_timers_and_notes_of_actors() {
    let property = Requirement::Always { name: "what is put is counted once".to_string() };
    let trace = faults().violates(property, "it does not hold in this state", None, None).trace();
    drawn(&trace, &plain());
    let steps: Vec<String> = (0..trace.steps.len()).map(|i| step(&trace, i, &plain())).collect();
    assert_snapshot!(format!("{}\n{}", steps.join("\n"), failure(&trace, &Hints::default(), &plain())));
}

#[test]
fn infinite_paths() {
    let property = Requirement::Eventually { name: "a client is served".to_string() };
    let lasso = || {
        trace_of(&["left", "right"])
            .starts(0)
            .starts(1)
            .deliver(0, 1, "After you")
            .state("Polite")
            .deliver(1, 0, "No, after you")
            .state("Polite")
            .violates(property.clone(), "it never holds on this path", None, None)
    };
    let (cycle, stuttering) = (lasso().loops_from(2).trace(), lasso().loops_from(6).trace());
    let charts = [cycle, stuttering].map(|trace| failure(&trace, &Hints::default(), &plain()));
    assert_snapshot!(charts.join("\n"));
}

#[test]
fn a_path_of_a_specification() {
    let trace = trace_of(&["system"])
        .starts(0)
        .state("State { rm: {}, tm: init }")
        .action(0, "Prepare(0)")
        .state("State { rm: {0: prepared}, tm: init }")
        .action(0, "Abort")
        .state("State { rm: {0: prepared}, tm: aborted }")
        .violates(Requirement::Never { name: "Abort".to_string() }, "`Abort` holds in this state", None, None)
        .trace();
    assert_snapshot!(failure(&trace, &HINTS, &plain()));
}

fn ring(names: &[String]) -> Trace {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let last = names.len() - 1;
    let mut ring = trace_of(&names);
    for child in 1..=last {
        ring = ring.spawn(0, child);
    }
    for node in 0..last {
        ring = ring.deliver(node, node + 1, &format!("Token {{ round: 1, hops: {node} }}"));
    }
    ring.send(last, 0, "Token { round: 2, hops: 0 }").fail(last, "the token is back too early").trace()
}

#[test]
fn ten_processes() {
    let names: Vec<String> = (0..10).map(|i| format!("node{i}")).collect();
    assert_snapshot!(drawn(&ring(&names), &plain()));
}

#[test]
fn ten_processes_with_long_names_in_a_narrow_terminal() {
    let names: Vec<String> = (0..10).map(|i| format!("a_node_with_the_number_{i}")).collect();
    assert_snapshot!(drawn(&ring(&names), &Style { width: 72, ..plain() }));
}

#[test]
fn more_processes_than_columns() {
    let names: Vec<String> = (0..60).map(|i| format!("node{i}")).collect();
    let text = drawn(&ring(&names), &plain());
    let lines: Vec<&str> = text.lines().skip(58).take(4).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn messages_in_other_scripts() {
    let trace = trace_of(&["客户", "сервер", "naïve"])
        .deliver(0, 1, "Put { ключ: \"日本語\", 🚀: true }")
        .deliver(1, 2, "e\u{301}t\u{e9}\u{1b}[31m")
        .deliver(2, 0, "نعم")
        .fail(0, "不一致")
        .trace();
    assert_snapshot!(drawn(&trace, &plain()));
}

#[test]
fn an_empty_trace() {
    let trace = trace_of(&["main"]).violates(Requirement::Deterministic, "main went another way", None, None).trace();
    assert_snapshot!(failure(&trace, &Hints::default(), &plain()));
}

#[test]
fn steps_as_sentences() {
    let trace = two_phase_commit().trace();
    let lines: Vec<String> = (0..=trace.steps.len()).map(|i| step(&trace, i, &plain())).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn charts_fit_every_width() {
    let names: Vec<String> = (0..7).map(|i| format!("participant{i}")).collect();
    let mut with_ids = ring(&names);
    with_ids.processes.iter_mut().for_each(|process| process.pid = format!("{}.12345.67890", process.pid));
    let ids: Vec<String> = with_ids.processes.iter().map(|process| format!("p{}", process.pid)).collect();
    let all = TraceMessage::shown(&format!("[{}]", ids.join(", ")));
    with_ids.messages.iter_mut().for_each(|message| *message = all.clone());
    for trace in [ring(&names), two_phase_commit().trace(), with_ids] {
        for width in 40..140 {
            drawn(&trace, &Style { width, ..plain() });
            drawn(&trace, &Style { width, unicode: false, color: false });
        }
    }
}

#[test]
fn summaries() {
    let stats = Stats { executions: Some(40_320), blocked: Some(0), ..Stats::default() };
    let bounds = Bounds { executions: Some(1000), ..Bounds::default() };
    let scope = Scope { network: Some(Network::Mbox), bounds, ..Scope::default() };
    let incomplete = Verdict::Incomplete { reason: StopReason::MaxExecutions };
    let trace = two_phase_commit().trace();
    let violated = Verdict::Violated { violation: trace.violation.clone(), trace: Box::new(trace) };
    let lines = [
        summary(
            "ns+nr",
            &Outcome { verdict: Verdict::Verified, scope: scope.clone(), stats },
            Some(Duration::from_millis(420)),
            &plain(),
        ),
        summary(
            "ns+nr",
            &Outcome { verdict: incomplete, scope: scope.clone(), stats: Stats { truncated: Some(1), ..stats } },
            None,
            &plain(),
        ),
        summary(
            "2pc",
            &Outcome { verdict: violated, scope, stats: Stats { violations: 1, blocked: Some(7), ..stats } },
            None,
            &plain(),
        ),
    ];
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_same_trace_for_graphviz_and_shiviz() {
    let property = Requirement::Always { name: "\"quoted\" \\ name".to_string() };
    let trace = faults().violates(property, "it does not hold in this state", None, None).trace();
    assert_snapshot!(crate::dot(&trace));
    assert_snapshot!(crate::shiviz(&trace));
}

#[test]
fn every_event_of_a_shiviz_log_fits_the_expression_in_its_head() {
    let trace =
        trace_of(&["a b", "a b", "a_b#2", ""]).deliver(0, 1, "two\nlines").deliver(2, 3, "x").fail(3, "no\r").trace();
    let log = crate::shiviz(&trace);
    let lines: Vec<&str> = log.lines().skip_while(|line| line.starts_with('#')).collect();
    assert_eq!(lines.len(), 2 * trace.steps.len());
    let mut hosts = std::collections::BTreeSet::new();
    for event in lines.chunks(2) {
        let (host, clock) = event[0].split_once(' ').expect("a host, a space, a clock");
        let clock: serde_json::Map<String, serde_json::Value> = serde_json::from_str(clock).expect("a clock is JSON");
        assert!(clock[host].as_u64().unwrap() > 0, "the clock of a host contains the host");
        hosts.insert(host);
    }
    assert_eq!(hosts.len(), 4, "names are distinct: {hosts:?}");
}
