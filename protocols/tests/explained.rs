//! A counterexample to linearizability says which operation is impossible, what can have happened before it and with what it is at odds,
//! whichever engine found it.

use manyworlds::{Engine, Options, Trace, TraceHistory, TraceOperation};
use manyworlds_protocols::find;
use manyworlds_report::history::Timeline;
use manyworlds_report::{Hints, Style, failure};

const WRONG: &[(&str, &str)] = &[
    ("open-chord", "h=2r1w"),
    ("open-chord", "h=2r2w keys=2"),
    ("adr-bug", "h=2r2w"),
    ("multi-paxos-map-bug", "h=2r1w"),
];

/// Engines that soon find what is wrong with any of them.
const QUICK: [Engine; 5] = [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::SystematicRandom];

/// Engines that take their time, except for some.
const SLOW: [Engine; 4] = [Engine::Dpor, Engine::TransDpor, Engine::IRed, Engine::LiViola];

fn counterexample(model: &str, params: &str, engine: Engine) -> Trace {
    let model = find(model).expect("it is in the zoo");
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let system = model.system(&model.params(given).expect("the parameters are right")).expect("they go together");
    let answer = Options::new().engine(engine).check(&system).expect("the engine can check it");
    answer.outcome.trace().cloned().unwrap_or_else(|| panic!("{engine} finds nothing in {}", model.name))
}

/// Whether one operation returned before another was invoked.
fn precedes(history: &TraceHistory, a: usize, b: usize) -> bool {
    let (first, second) = (&history.operations[a], &history.operations[b]);
    first.returned.is_some_and(|at| at < second.invoked || (at == second.invoked && a < b))
}

fn is_before(operation: &TraceOperation, end: usize) -> bool {
    operation.returned.is_some_and(|at| at < end)
}

fn holds(trace: &Trace, what: &str) {
    let history = trace.history.as_ref().unwrap_or_else(|| panic!("{what}: no history"));
    let [stuck] = history.stuck[..] else { panic!("{what}: {:?}", history.stuck) };
    let impossible = &history.operations[stuck];
    let response = impossible.response.as_ref().expect("it returned");
    let words = format!("{} returned {response}, which no order", impossible.call);
    assert!(trace.violation.message.starts_with(&words), "{what}: {} is no {words}", trace.violation.message);

    let end = impossible.returned.expect("it returned");
    let order = &history.linearization;
    for (number, operation) in history.operations.iter().enumerate() {
        assert!(!is_before(operation, end) || order.contains(&number), "{what}: {number} is in no order {order:?}");
    }
    for (at, &later) in order.iter().enumerate() {
        assert!(order[..at].iter().all(|&earlier| !precedes(history, later, earlier)), "{what}: {order:?}");
    }
    assert!(!history.minimal.is_empty() && !history.core.is_empty(), "{what}: {history:?}");
    assert!(history.core.contains(&stuck) || history.minimal.contains(&stuck), "{what}: {history:?}");
    assert_eq!(Trace::from_json(&trace.to_json()).as_ref(), Ok(trace), "{what}");
}

#[test]
fn every_engine_says_which_operation_is_impossible() {
    for &(model, params) in WRONG {
        for engine in QUICK {
            holds(&counterexample(model, params, engine), &format!("{model} {params} {engine}"));
        }
    }
    for engine in SLOW {
        holds(&counterexample("adr-bug", "h=2r2w", engine), &format!("adr-bug {engine}"));
    }
}

#[test]
fn the_text_draws_the_operations_below_the_chart() {
    for engine in QUICK {
        let trace = counterexample("open-chord", "h=2r1w", engine);
        let text = failure(&trace, &Hints::default(), &Style::default());
        let (chart, operations) = text.split_once("\noperations (✗: no order has room for it):\n").expect("both");
        assert!(chart.contains("Got(None)") && operations.contains("├ ✗ Get(0) → Got(None) ┤"), "{text}");
        assert!(operations.contains("before it, in this order: "), "{text}");
        let timeline = Timeline::from_trace(&trace).expect("it records operations");
        assert!(timeline.lanes.iter().all(|lane| lane.starts_with("reader") || lane.starts_with("writer")));
    }
}
