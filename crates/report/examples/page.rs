//! Prints a page that uses all features of the report, for a trace that is constructed by hand: every kind of fault, messages that are received, lost,
//! duplicated or pending, a history with a linearization and an operation that is not part of it.
//!
//!     cargo run -p manyworlds-report --example page > page.html
//!
//! With the argument `long`: 200 steps with states and messages of five kilobytes.

use manyworlds_core::{
    Delivery, Engine, Network, ProcessRole, ProcessStatus, Requirement, StepKind, Trace, TraceMessage, TraceNote,
    TraceProcess, TraceStep, ValueTree, Violation,
};
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

/// Text that would be interpreted as markup if the page did not escape it.
const HOSTILE: &str = "Put { note: \"</script><b>{{data}}<!--\" }";

/// Two processes that append to long logs.
fn long() -> Trace {
    let everything = trace();
    let property = Requirement::Always { name: "logs are short".to_string() };
    let violation = Violation { property, message: "they are not".to_string(), location: None, process: None };
    let mut long = Trace { violation, steps: Vec::new(), messages: Vec::new(), loop_from: None, ..everything };
    for send in (0..200).step_by(2) {
        let log: Vec<String> = (0..200).map(|n| format!("Entry {{ term: {}, to: {n} }}", (n + send) % 3)).collect();
        let text = format!("Append {{ number: {send}, log: [{}] }}", log[1..].join(", "));
        let message = long.messages.len();
        long.messages.push(TraceMessage::shown(&text));
        let [from, to] = [send / 2 % 2, 1 - send / 2 % 2];
        long.steps.push(TraceStep::new(from, StepKind::Send { message, to: Some(to), network: None }));
        let delivery = Delivery { message, from: Some(from), send: Some(send), network: None };
        let state = format!("Server {{ last: {send}, log: [{}], commit: {send} }}", log.join(", "));
        let received = TraceStep::new(to, StepKind::Receive(delivery));
        long.steps.push(TraceStep { state: Some(ValueTree::parse(&state)), ..received });
    }
    long
}

/// A trace that is built step by step.
struct Builder(Trace);

impl Builder {
    fn add(&mut self, process: usize, kind: StepKind, state: Option<&str>) -> usize {
        let steps = &mut self.0.steps;
        let own = steps.iter().rposition(|step| step.process == process);
        let parents = own.into_iter().chain(kind.send()).collect();
        let state = state.map(ValueTree::parse);
        steps.push(TraceStep { parents, state, ..TraceStep::new(process, kind) });
        steps.len() - 1
    }

    fn message(&mut self, text: &str) -> usize {
        self.0.messages.push(TraceMessage::shown(text));
        self.0.messages.len() - 1
    }

    fn send(&mut self, process: usize, text: &str, to: usize) -> usize {
        let message = self.message(text);
        self.add(process, StepKind::Send { message, to: Some(to), network: None }, None)
    }

    fn delivery(&self, send: usize) -> Delivery {
        let TraceStep { process, kind, .. } = &self.0.steps[send];
        let message = *kind.message().expect("a send has a message");
        Delivery { message, from: Some(*process), send: Some(send), network: None }
    }
}

fn trace() -> Trace {
    let process = |(n, (name, role)): (u64, (&str, ProcessRole))| TraceProcess {
        pid: n.to_string(),
        id: n,
        name: name.to_string(),
        role,
        daemon: true,
        status: ProcessStatus::Waiting,
    };
    let violation = Violation {
        property: Requirement::Eventually { name: "the client is served".to_string() },
        message: "it never holds on this path".to_string(),
        location: None,
        process: None,
    };
    let actors = ["client", "server", "<i>backup</i>"].map(|name| (name, ProcessRole::Process));
    let names = actors.into_iter().chain([("network", ProcessRole::Network)]);
    let mut trace = Trace::new(violation, (0..).zip(names).map(process).collect());
    (trace.model, trace.engine, trace.network) = ("everything".to_string(), Engine::Bfs, Network::P2p);
    let mut builder = Builder(trace);
    builder.add(0, StepKind::Start, Some("Client { tries: 1, done: false }"));
    builder.add(1, StepKind::Start, Some("Server { log: [], peers: {p2} }"));
    builder.add(2, StepKind::Start, Some("Backup { log: [] }"));
    let put = builder.send(0, HOSTILE, 1);
    builder.add(1, StepKind::Duplicate(builder.delivery(put)), Some("Server { log: [3], peers: {p2} }"));
    let copy = builder.send(1, "Copy([3])", 2);
    let done = builder.send(1, "Done", 0);
    builder.add(3, StepKind::Split { side: vec![0] }, None);
    builder.add(0, StepKind::Timer("retry".to_string()), Some("Client { tries: 2, done: false }"));
    let retry = builder.send(0, "Retry", 1);
    let myself = builder.send(0, "Remember", 0);
    builder.add(3, StepKind::Heal, None);
    builder.add(0, StepKind::Drop(builder.delivery(done)), None);
    builder.add(0, StepKind::Receive(builder.delivery(myself)), None);
    builder.add(1, StepKind::Crash, None);
    builder.add(2, StepKind::Receive(builder.delivery(copy)), Some("Backup { log: [3] }"));
    builder.add(1, StepKind::Restart, Some("Server { log: [], peers: {p2} }"));
    let again = builder.add(1, StepKind::Receive(builder.delivery(put)), Some("Server { log: [3], peers: {p2} }"));
    builder.add(1, StepKind::Choose { option: None, value: Some(ValueTree::parse("Later")) }, None);
    let beat = builder.message("Beat(4)");
    builder.add(1, StepKind::Lose { lost: true, message: Some(beat), to: Some(2) }, None);
    builder.add(1, StepKind::Lose { lost: false, message: None, to: None }, None);
    builder.send(1, "Copy([3, 3])", 2);
    builder.add(1, StepKind::Receive(builder.delivery(retry)), None);
    builder.add(2, StepKind::Note(TraceNote::Text("all is well".to_string())), None);
    Trace { loop_from: Some(again), ..builder.0 }
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
