//! A page with everything on it that a page can have, about an execution that no engine found: every kind of fault, messages of every fate, a
//! history with a linearization and an operation that has no place in it. Prints HTML.
//!
//!     cargo run -p manyworlds-report --example page > page.html
//!
//! With `long` behind it: 200 steps with states and messages of five kilobytes.

use manyworlds_core::{Network, Property, TRACE_SCHEMA, Trace, TraceProcess, TraceStep, Violation};
use manyworlds_report::history::{Fault, Operation, Timeline};
use manyworlds_report::html::{Page, html};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("long") {
        print!("{}", html(&Page { title: "long", trace: Some(&long()), ..Page::default() }));
        return;
    }
    let (trace, timeline) = (trace(), timeline());
    print!(
        "{}",
        html(&Page { title: "everything", trace: Some(&trace), timeline: Some(&timeline), ..Page::default() })
    );
}

/// Text that would break out of a page that does not mind it.
const HOSTILE: &str = "Put { note: \"</script><b>{{data}}<!--\" }";

/// Two processes append to their logs, which are long already.
fn long() -> Trace {
    let everything = trace();
    let property = Property::Always { name: "logs are short".to_string() };
    let violation = Violation { property, message: "they are not".to_string(), location: None, process: None };
    let mut long = Trace { violation, steps: Vec::new(), loop_from: None, ..everything };
    for send in (0..200).step_by(2) {
        let log: Vec<String> = (0..200).map(|n| format!("Entry {{ term: {}, to: {n} }}", (n + send) % 3)).collect();
        let message = Some(format!("Append {{ number: {send}, log: [{}] }}", log[1..].join(", ")));
        let [from, to] = [send / 2 % 2, 1 - send / 2 % 2];
        let step = TraceStep { process: from, kind: "send".to_string(), peer: Some(to), ..TraceStep::default() };
        long.steps.push(TraceStep { message: message.clone(), ..step.clone() });
        long.steps.push(TraceStep {
            process: to,
            kind: "recv".to_string(),
            peer: Some(from),
            message,
            reads: Some(send),
            state_diff: Some(format!("Server {{ last: {send}, log: [{}], commit: {send} }}", log.join(", "))),
            ..step
        });
    }
    long
}

fn trace() -> Trace {
    let process = |(n, name): (u64, &str)| TraceProcess {
        pid: n.to_string(),
        id: n,
        name: name.to_string(),
        daemon: true,
        status: "waiting".to_string(),
    };
    let mut trace = Trace {
        schema: TRACE_SCHEMA.to_string(),
        model: "everything".to_string(),
        params: Default::default(),
        engine: "bfs".to_string(),
        network: Network::P2p,
        seed: 0,
        violation: Violation {
            property: Property::Eventually { name: "the client is served".to_string() },
            message: "it never holds on this path".to_string(),
            location: None,
            process: None,
        },
        processes: (0..).zip(["client", "server", "<i>backup</i>", "network"]).map(process).collect(),
        steps: Vec::new(),
        loop_from: None,
        losses: None,
        history: None,
    };
    let mut add = |process, kind: &str, message: Option<&str>, peer, reads, state: Option<&str>| {
        let own = trace.steps.iter().rposition(|step: &TraceStep| step.process == process);
        trace.steps.push(TraceStep {
            process,
            kind: kind.to_string(),
            message: message.map(str::to_string),
            peer,
            reads,
            parents: own.into_iter().chain(reads).collect(),
            state_diff: state.map(str::to_string),
            ..TraceStep::default()
        });
        trace.steps.len() - 1
    };
    add(0, "start", None, None, None, Some("Client { tries: 1, done: false }"));
    add(1, "start", None, None, None, Some("Server { log: [], peers: {p2} }"));
    add(2, "start", None, None, None, Some("Backup { log: [] }"));
    let put = add(0, "send", Some(HOSTILE), Some(1), None, None);
    add(1, "duplicate", Some(HOSTILE), Some(0), Some(put), Some("Server { log: [3], peers: {p2} }"));
    let copy = add(1, "send", Some("Copy([3])"), Some(2), None, None);
    let done = add(1, "send", Some("Done"), Some(0), None, None);
    add(3, "split", Some("client | server, backup"), None, None, None);
    add(0, "timer", Some("retry"), None, None, Some("Client { tries: 2, done: false }"));
    let retry = add(0, "send", Some("Retry"), Some(1), None, None);
    let myself = add(0, "send", Some("Remember"), Some(0), None, None);
    add(3, "heal", None, None, None, None);
    add(0, "drop", Some("Done"), Some(1), Some(done), None);
    add(0, "recv", Some("Remember"), Some(0), Some(myself), None);
    add(1, "crash", None, None, None, None);
    add(2, "recv", Some("Copy([3])"), Some(1), Some(copy), Some("Backup { log: [3] }"));
    add(1, "restart", None, None, None, Some("Server { log: [], peers: {p2} }"));
    let again = add(1, "recv", Some(HOSTILE), Some(0), Some(put), Some("Server { log: [3], peers: {p2} }"));
    add(1, "choose", Some("Later"), None, None, None);
    let lost = add(1, "lose", Some("Beat(4)"), Some(2), None, None);
    let kept = add(1, "lose", None, None, None, None);
    add(1, "send", Some("Copy([3, 3])"), Some(2), None, None);
    add(1, "recv", Some("Retry"), Some(0), Some(retry), None);
    add(2, "note", Some("all is well"), None, None, None);
    trace.loop_from = Some(again);
    (trace.steps[lost].choice, trace.steps[kept].choice) = (Some(1), Some(0));
    trace
}

fn timeline() -> Timeline {
    let operation = |process, call: &str, response: Option<&str>, start, end| Operation {
        process,
        call: call.to_string(),
        response: response.map(str::to_string),
        start,
        end,
    };
    Timeline {
        lanes: ["left", "right", "third"].map(str::to_string).to_vec(),
        operations: vec![
            operation(0, "Put(1)", Some("Done"), 0, Some(4)),
            operation(1, "Get", Some("1"), 1, Some(5)),
            operation(2, "Put(2)", None, 2, None),
            operation(1, "Get", Some("2"), 7, Some(9)),
            operation(0, "Get", Some("1"), 10, Some(12)),
        ],
        linearization: vec![0, 1, 2, 3],
        stuck: vec![4],
        minimal: vec![0, 2, 3, 4],
        core: vec![3, 4],
        faults: vec![
            Fault { process: None, at: 6, label: "network splits".to_string() },
            Fault { process: Some(2), at: 8, label: "third crashes".to_string() },
        ],
    }
}
