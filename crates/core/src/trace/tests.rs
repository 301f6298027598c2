//! Round trips of arbitrary traces through files, and upgrades of files of version 1.

use super::*;
use crate::{Requirement, TraceOperation};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn process(name: &str, role: ProcessRole) -> TraceProcess {
    let (pid, name) = ("0".to_string(), name.to_string());
    TraceProcess { pid, id: 7, name, role, daemon: false, status: ProcessStatus::Running }
}

fn empty(processes: usize) -> Trace {
    let violation = Violation {
        property: Requirement::Never { name: "a \"name\"".to_string() },
        message: "no\n".to_string(),
        location: Some(Location::parse("src/lib.rs:3:4")),
        process: Some("p0".to_string()),
    };
    let roles = [ProcessRole::Process, ProcessRole::Monitor, ProcessRole::History, ProcessRole::Network];
    let processes = (0..processes).map(|n| process(&format!("p{n}"), roles[n % roles.len()])).collect();
    Trace { engine: Engine::Bfs, ..Trace::new(violation, processes) }
}

fn tree() -> impl Strategy<Value = ValueTree> {
    let atom = prop_oneof![Just("7".to_string()), Just("Ping".to_string()), "\\PC{0,6}"].prop_map(ValueTree::Atom);
    atom.prop_recursive(4, 24, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let fields = proptest::collection::vec(("[a-z]{1,3}", inner.clone()), 0..4);
        let entries = proptest::collection::vec((inner.clone(), inner), 0..3);
        prop_oneof![
            list.clone().prop_map(ValueTree::List),
            list.clone().prop_map(ValueTree::Set),
            ("[A-Z]?", list).prop_map(|(name, items)| ValueTree::Tuple(name, items)),
            fields.prop_map(|fields| ValueTree::Struct("S".to_string(), fields)),
            entries.prop_map(ValueTree::Map),
        ]
    })
}

fn value() -> impl Strategy<Value = TraceValue> {
    let id = proptest::option::of(any::<u128>().prop_map(Fingerprint));
    (tree(), id).prop_map(|(value, id)| TraceValue { value, id })
}

fn note() -> impl Strategy<Value = TraceNote> {
    prop_oneof![
        value().prop_map(TraceNote::Invoked),
        value().prop_map(TraceNote::Returned),
        value().prop_map(TraceNote::Linearized),
        "(returned |invoked )?\\PC{0,8}".prop_map(TraceNote::Text),
    ]
}

fn message() -> impl Strategy<Value = TraceMessage> {
    let pid = || "[0-9](\\.[0-9])?";
    prop_oneof![
        tree().prop_map(TraceMessage::Value),
        (pid(), pid(), tree()).prop_map(|(from, to, value)| TraceMessage::Observed { from, to, value }),
        proptest::collection::vec(note(), 0..3).prop_map(TraceMessage::Notes),
    ]
}

const PROCESSES: usize = 5;
const MESSAGES: usize = 3;

/// Any step whose message is one of [`MESSAGES`]; deliveries name no send yet.
fn kind() -> impl Strategy<Value = StepKind> {
    let who = || proptest::option::of(0..PROCESSES);
    let network = || proptest::option::of(prop_oneof![Just(Network::P2p), Just(Network::Mbox)]);
    let delivery = || {
        let parts = (0..MESSAGES, who(), network());
        parts.prop_map(|(message, from, network)| Delivery { message, from, send: None, network })
    };
    let awaited = prop_oneof![
        Just(Awaited::Unknown),
        "[a-zA-Z]{1,5}".prop_map(Awaited::Message),
        (0..PROCESSES).prop_map(Awaited::Process),
    ];
    let chosen = (proptest::option::of(any::<u32>()), proptest::option::of(tree()));
    let messages = prop_oneof![
        (0..MESSAGES, who(), network()).prop_map(|(message, to, network)| StepKind::Send { message, to, network }),
        delivery().prop_map(StepKind::Receive),
        delivery().prop_map(StepKind::Duplicate),
        delivery().prop_map(StepKind::Drop),
        (any::<bool>(), proptest::option::of(0..MESSAGES), who()).prop_map(|(lost, message, to)| StepKind::Lose {
            lost,
            message,
            to
        }),
    ];
    let plain = [StepKind::Start, StepKind::Timeout, StepKind::Crash, StepKind::Restart, StepKind::Heal];
    prop_oneof![
        5 => messages,
        3 => proptest::sample::select(plain.to_vec()),
        1 => "\\PC{0,5}".prop_map(StepKind::Timer),
        1 => chosen.prop_map(|(option, value)| StepKind::Choose { option, value }),
        1 => who().prop_map(|child| StepKind::Spawn { child }),
        1 => who().prop_map(|child| StepKind::Join { child }),
        1 => proptest::collection::vec(0..PROCESSES, 0..3).prop_map(|side| StepKind::Split { side }),
        1 => note().prop_map(StepKind::Note),
        1 => tree().prop_map(StepKind::Action),
        1 => awaited.prop_map(StepKind::Wait),
        1 => "\\PC{0,9}".prop_map(StepKind::Fail),
    ]
}

fn trace() -> impl Strategy<Value = Trace> {
    let place = ("[a-z]{1,3}\\.rs", 1..99u32, 1..9u32).prop_map(|(file, line, column)| Location { file, line, column });
    let print = || proptest::option::of(any::<u128>().prop_map(Fingerprint));
    let rest = (proptest::option::of(0..9u32), proptest::option::of(place), proptest::option::of(tree()), print());
    let step = (0..PROCESSES, kind(), rest).prop_map(|(process, kind, (branch, at, state, fingerprint))| TraceStep {
        branch,
        at,
        state,
        fingerprint,
        ..TraceStep::new(process, kind)
    });
    let messages = proptest::collection::vec(message(), MESSAGES);
    (messages, proptest::collection::vec(step, 0..12), print()).prop_map(|(messages, steps, start)| {
        let mut trace = Trace { messages, start, ..empty(PROCESSES) };
        for mut step in steps {
            let sent = |known: &TraceStep| known.kind.is_send() && known.kind.message() == step.kind.message();
            let send = trace.steps.iter().rposition(sent);
            if let Some(delivery) = step.kind.delivery_mut() {
                delivery.send = send;
            }
            step.parents = step.kind.send().into_iter().chain(trace.steps.len().checked_sub(1)).collect();
            trace.steps.push(step);
        }
        let call = TraceValue::shown(ValueTree::parse("Read"));
        let operation = TraceOperation { process: 0, call, response: None, invoked: 0, returned: None };
        trace.history = (!trace.steps.is_empty()).then(|| TraceHistory {
            operations: vec![operation],
            stuck: vec![0],
            ..TraceHistory::default()
        });
        trace
    })
}

#[test]
fn every_kind_of_step_is_written_and_read_again() {
    let mut seen = BTreeSet::new();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..400 {
        let trace = proptest::strategy::ValueTree::current(&trace().new_tree(&mut runner).unwrap());
        let text = trace.to_json();
        assert_eq!(Trace::from_json(&text).as_ref(), Ok(&trace), "{text}");
        seen.extend(trace.steps.iter().map(|step| step.kind.name()));
    }
    assert_eq!(seen.len(), 19, "every kind was written: {seen:?}");
}

#[test]
fn a_file_has_a_line_for_each_process_message_and_step() {
    let mut trace = empty(2);
    trace.messages.push(TraceMessage::shown("Ping(1)"));
    trace.steps.push(TraceStep::new(0, StepKind::Send { message: 0, to: Some(1), network: Some(Network::P2p) }));
    trace.steps.push(TraceStep::new(1, StepKind::Crash));
    let text = trace.to_json();
    assert!(text.starts_with("{\n  \"schema\": \"manyworlds-trace/2\",\n  \"model\": \"\",\n"), "{text}");
    assert!(text.contains("\n    {\"value\":{\"tuple\":[\"Ping\",[\"1\"]]}}\n  ],\n"), "{text}");
    assert!(text.contains("\n    {\"process\":1,\"kind\":\"crash\"}\n  ]\n}\n"), "{text}");
}

#[test]
fn a_reference_to_nothing_is_named_with_its_step() {
    let send = |message| TraceStep::new(0, StepKind::Send { message, to: Some(1), network: None });
    let receive = |message, send| {
        TraceStep::new(1, StepKind::Receive(Delivery { message, from: Some(0), send: Some(send), network: None }))
    };
    let mut good = empty(2);
    good.messages = ["Ping", "Ping"].map(TraceMessage::shown).to_vec();
    good.steps = vec![send(0), send(1), receive(1, 1)];
    assert_eq!(Trace::from_json(&good.to_json()).as_ref(), Ok(&good), "messages that look alike are two");
    for (step, message) in [
        (send(2), "there is no message 2; there are 2"),
        (receive(0, 1), "its message is not message 1, which step 1 sends"),
        (receive(0, 7), "it depends on step 7, which does not come before it"),
        (TraceStep::new(2, StepKind::Start), "there are only 2 processes"),
        (TraceStep::new(0, StepKind::Split { side: vec![4] }), "there are only 2 processes"),
        (TraceStep::new(0, StepKind::Wait(Awaited::Process(9))), "there are only 2 processes"),
        (TraceStep { parents: vec![9], ..send(0) }, "it depends on step 9, which does not come before it"),
    ] {
        let mut bad = good.clone();
        bad.steps[2] = step;
        let message = message.to_string();
        assert_eq!(Trace::from_json(&bad.to_json()), Err(TraceError::BadStep { step: 2, message }));
    }
    let mut bad = good.clone();
    bad.steps.insert(0, TraceStep::new(0, StepKind::Crash));
    bad.steps[3].kind = receive(1, 0).kind;
    let message = "it reads step 0, which is not a send".to_string();
    assert_eq!(Trace::from_json(&bad.to_json()), Err(TraceError::BadStep { step: 3, message }));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    let mut trace = empty(1);
    trace.steps = vec![TraceStep::new(0, StepKind::Crash), TraceStep::new(0, StepKind::Timeout)];
    let text = trace.to_json();
    let line = 1 + text.lines().position(|line| line.contains("timeout")).unwrap();
    for (kind, says) in [
        ("\"timeout!\"", "unknown variant `timeout!`, expected one of `start`, `send`"),
        ("{\"send\":{\"to\":1}}", "missing field `message`"),
        ("{\"receive\":{\"message\":\"x\"}}", "invalid type: string \"x\", expected usize"),
    ] {
        match Trace::from_json(&text.replace("\"timeout\"", kind)) {
            Err(TraceError::Malformed { line: found, message, .. }) => {
                assert_eq!(found, line);
                assert!(message.contains(says), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    let print = text.replace("\"kind\":\"timeout\"", "\"kind\":\"timeout\",\"fingerprint\":\"xyz\"");
    let wrong = Trace::from_json(&print).unwrap_err().to_string();
    assert!(wrong.contains("`xyz` is not a fingerprint"), "{wrong}");
    let other = Trace::from_json(&text.replace("trace/2", "trace/3")).unwrap_err().to_string();
    assert_eq!(other, "schema is `manyworlds-trace/3`; expected `manyworlds-trace/2` or `manyworlds-trace/1`");
}

/// A file of version 1 with everything that such a file can hold.
const VERSION_1: &str = r#"{
  "schema": "manyworlds-trace/1", "model": "m", "params": {"n": 2}, "engine": "must", "network": "p2p", "seed": 3,
  "violation": {"property": {"kind": "assertion"}, "message": "no", "location": "a.rs:1:2", "process": "b"},
  "processes": [
    {"pid": "0", "id": 1, "name": "a", "status": "ended"},
    {"pid": "0.1", "id": 2, "name": "b", "status": "waiting", "daemon": true},
    {"pid": "1", "id": 3, "name": "history", "status": "failed"}
  ],
  "steps": [
    {"process": 0, "kind": "start", "state_diff": "S { x: 1 }"},
    {"process": 0, "kind": "send", "message": "Vote(1)", "peer": 1, "network": "p2p", "location": "a.rs:4:5", "parents": [0]},
    {"process": 1, "kind": "recv", "message": "Vote(1)", "peer": 0, "reads": 1, "choice": 2, "parents": [1]},
    {"process": 0, "kind": "send", "message": "returned Done; invoked Put(1)", "peer": 2},
    {"process": 2, "kind": "recv", "message": "returned Done; invoked Put(1)", "peer": 0, "reads": 3},
    {"process": 0, "kind": "send", "message": "p0→p0.1 Vote(1)", "peer": 1},
    {"process": 1, "kind": "drop", "message": "p0→p0.1 Vote(1)", "peer": 0, "reads": 5},
    {"process": 0, "kind": "note", "message": "invoked Get(1)"},
    {"process": 0, "kind": "note", "message": "linearized Get(1)"},
    {"process": 0, "kind": "note", "message": "all is well"},
    {"process": 0, "kind": "choose", "message": "true", "choice": 1},
    {"process": 0, "kind": "lose", "choice": 0},
    {"process": 0, "kind": "lose", "choice": 1, "message": "Vote(1)", "peer": 1},
    {"process": 0, "kind": "split", "message": "a | b"},
    {"process": 0, "kind": "action", "message": "Next"},
    {"process": 0, "kind": "timer", "message": "election"},
    {"process": 0, "kind": "wait", "message": "for p0.1 to end"},
    {"process": 1, "kind": "wait", "message": "for Vote"},
    {"process": 1, "kind": "fail", "message": "no"}
  ]
}"#;

#[test]
fn a_file_of_version_1_becomes_what_it_meant() {
    let trace = Trace::from_json(VERSION_1).unwrap();
    assert_eq!((trace.schema.as_str(), trace.seed, trace.start), (TRACE_SCHEMA, 3, None));
    assert_eq!(trace.violation.location, Some(Location { file: "a.rs".to_string(), line: 1, column: 2 }));
    assert_eq!(trace.processes[2].role, ProcessRole::History);
    assert_eq!(
        trace.processes.iter().map(|p| p.status).collect::<Vec<_>>(),
        [ProcessStatus::Ended, ProcessStatus::Waiting, ProcessStatus::Failed]
    );
    let shown = |text: &str| TraceValue::shown(ValueTree::parse(text));
    assert_eq!(
        trace.messages,
        [
            TraceMessage::shown("Vote(1)"),
            TraceMessage::Notes(vec![TraceNote::Returned(shown("Done")), TraceNote::Invoked(shown("Put(1)"))]),
            TraceMessage::Observed { from: "0".to_string(), to: "0.1".to_string(), value: ValueTree::parse("Vote(1)") },
        ]
    );
    let delivery = |message, send| Delivery { message, from: Some(0), send: Some(send), network: None };
    let kinds: Vec<StepKind> = trace.steps.iter().map(|step| step.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            StepKind::Start,
            StepKind::Send { message: 0, to: Some(1), network: Some(Network::P2p) },
            StepKind::Receive(delivery(0, 1)),
            StepKind::Send { message: 1, to: Some(2), network: None },
            StepKind::Receive(delivery(1, 3)),
            StepKind::Send { message: 2, to: Some(1), network: None },
            StepKind::Drop(delivery(2, 5)),
            StepKind::Note(TraceNote::Invoked(shown("Get(1)"))),
            StepKind::Note(TraceNote::Linearized(shown("Get(1)"))),
            StepKind::Note(TraceNote::Text("all is well".to_string())),
            StepKind::Choose { option: Some(1), value: Some(ValueTree::parse("true")) },
            StepKind::Lose { lost: false, message: None, to: None },
            StepKind::Lose { lost: true, message: Some(0), to: Some(1) },
            StepKind::Split { side: vec![0] },
            StepKind::Action(ValueTree::parse("Next")),
            StepKind::Timer("election".to_string()),
            StepKind::Wait(Awaited::Process(1)),
            StepKind::Wait(Awaited::Message("Vote".to_string())),
            StepKind::Fail("no".to_string()),
        ]
    );
    assert_eq!((trace.steps[2].branch, trace.steps[10].branch), (Some(2), None));
    assert_eq!(trace.steps[0].state, Some(ValueTree::parse("S { x: 1 }")));
    assert_eq!(Trace::from_json(&trace.to_json()), Ok(trace), "and is written as version 2");
}

#[test]
fn what_is_wrong_with_a_file_of_version_1_is_told_too() {
    let wrong = |from: &str, to: &str| Trace::from_json(&VERSION_1.replace(from, to)).unwrap_err().to_string();
    assert_eq!(wrong("\"kind\": \"timer\"", "\"kind\": \"tmr\""), "step 15: `tmr` is not a kind of step");
    assert_eq!(wrong("\"reads\": 1,", "\"reads\": 0,"), "step 2: it reads step 0, which is not a send");
    assert!(wrong("\"seed\": 3", "\"seed\": \"3\"").starts_with("line 2, column"));
}

#[test]
fn a_receive_of_version_1_with_another_message_than_its_send_reads_nothing() {
    let edited = VERSION_1
        .replace("\"kind\": \"recv\", \"message\": \"Vote(1)\"", "\"kind\": \"recv\", \"message\": \"Vote(2)\"");
    assert_ne!(edited, VERSION_1);
    let trace = Trace::from_json(&edited).unwrap();
    assert_eq!(trace.message(&trace.steps[2]), Some(&TraceMessage::shown("Vote(2)")));
    assert_eq!(trace.steps[2].kind.send(), None);
}
