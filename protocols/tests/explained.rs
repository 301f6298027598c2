//! The explanation of a linearizability violation names the operation that cannot be linearized, a linearization of the operations
//! before it and the conflicting operations, with every engine.

use manyworlds::{Engine, Trace, TraceHistory, TraceOperation, check};
use manyworlds_protocols::find;
use manyworlds_report::history::Timeline;
use manyworlds_report::{Hints, Style, failure};

const INCORRECT: &[(&str, &str)] = &[
    ("open-chord", "h=2r1w"),
    ("open-chord", "h=2r2w keys=2"),
    ("adr-bug", "h=2r2w"),
    ("multi-paxos-map-bug", "h=2r1w"),
];

/// Engines that find the violation of each model quickly.
const QUICK: [Engine; 5] = [Engine::Bfs, Engine::Dfs, Engine::Random, Engine::Must, Engine::SystematicRandom];

/// Engines that are quick for some of the models only.
const SLOW: [Engine; 4] = [Engine::Dpor, Engine::TransDpor, Engine::IRed, Engine::LiViola];

fn counterexample(model: &str, params: &str, engine: Engine) -> Trace {
    let model = find(model).expect("the model exists");
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let system =
        model.system(&model.params(given).expect("the parameters are valid")).expect("the parameters are consistent");
    let answer = check(&system).engine(engine).run().expect("the engine supports the model");
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

fn check_explanation(trace: &Trace, what: &str) {
    let history = trace.history.as_ref().unwrap_or_else(|| panic!("{what}: no history"));
    let [stuck] = history.stuck[..] else { panic!("{what}: {:?}", history.stuck) };
    let failed = &history.operations[stuck];
    let response = failed.response.as_ref().expect("the operation returned");
    let expected = format!("{} returned {response}, which no order", failed.call);
    assert!(
        trace.violation.message.starts_with(&expected),
        "{what}: {} does not start with {expected}",
        trace.violation.message
    );

    let end = failed.returned.expect("the operation returned");
    let order = &history.linearization;
    for (number, operation) in history.operations.iter().enumerate() {
        assert!(!is_before(operation, end) || order.contains(&number), "{what}: {number} is missing in {order:?}");
    }
    for (at, &later) in order.iter().enumerate() {
        assert!(order[..at].iter().all(|&earlier| !precedes(history, later, earlier)), "{what}: {order:?}");
    }
    assert!(!history.minimal.is_empty() && !history.core.is_empty(), "{what}: {history:?}");
    assert!(history.core.contains(&stuck) || history.minimal.contains(&stuck), "{what}: {history:?}");
    assert_eq!(Trace::from_json(&trace.to_json()).as_ref(), Ok(trace), "{what}");
}

#[test]
fn every_engine_names_the_operation_that_cannot_be_linearized() {
    for &(model, params) in INCORRECT {
        for engine in QUICK {
            check_explanation(&counterexample(model, params, engine), &format!("{model} {params} {engine}"));
        }
    }
    for engine in SLOW {
        check_explanation(&counterexample("adr-bug", "h=2r2w", engine), &format!("adr-bug {engine}"));
    }
}

#[test]
fn the_report_shows_the_operations_below_the_chart() {
    for engine in QUICK {
        let trace = counterexample("open-chord", "h=2r1w", engine);
        let text = failure(&trace, &Hints::default(), &Style::default());
        let (chart, operations) =
            text.split_once("\noperations (✗: no order has room for it):\n").expect("a chart and operations");
        assert!(chart.contains("Got(None)") && operations.contains("├ ✗ Get(0) → Got(None) ┤"), "{text}");
        assert!(operations.contains("before it, in this order: "), "{text}");
        let timeline = Timeline::from_trace(&trace).expect("the trace records operations");
        assert!(timeline.lanes.iter().all(|lane| lane.starts_with("reader") || lane.starts_with("writer")));
    }
}
