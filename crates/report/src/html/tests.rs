//! The page contains exactly the data that it is given.

use super::{Headline, Page, Run, html};
use crate::causality::{causes, clocks, failing};
use crate::history::{Operation, Timeline};
use crate::trace_builder::{TraceBuilder, trace_of};
use manyworlds_core::{
    Bounds, Coverage, Explored, Outcome, ProcessCoverage, Requirement, Scope, Stats, StopReason, Trace, Verdict,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::Duration;

const HOSTILE: &str = "</script><b>&amp; <!-- {{script}} \u{2028} \"quoted\"";

fn page_of(trace: &Trace) -> String {
    html(&Page { title: "demo", trace: Some(trace), ..Page::default() })
}

/// The data in a page, as its scripts read them.
fn data(page: &str) -> Value {
    let (_, rest) =
        page.split_once("<script type=\"application/json\" id=\"data\">").expect("the page has a data element");
    let (json, _) = rest.split_once("</script>").expect("the data element is closed");
    let data: Value = serde_json::from_str(json).expect("the data are JSON");
    match super::pack::unpacked(&data) {
        Some(text) => serde_json::from_str(&text).expect("the unpacked text is JSON"),
        None => data,
    }
}

fn busy(steps: usize) -> Trace {
    let mut builder: TraceBuilder = trace_of(&["a", "b", "c"]);
    for i in 0..steps / 2 {
        builder =
            builder.deliver(i % 3, (i + 1) % 3, &format!("Message {{ number: {i}, payload: [1, 2, 3, 4, 5, 6, 7] }}"));
        builder = builder.state(&format!("State {{ last: {i}, log: [{}] }}", vec!["Entry(1, 2)"; 40].join(", ")));
    }
    builder.trace()
}

#[test]
fn no_resource_is_loaded() {
    let page = page_of(&trace_of(&["a", "b"]).deliver(0, 1, "x").trace()).replace("http://www.w3.org/2000/svg", "");
    for outside in
        ["http:", "https:", "src=", "<link", "@import", "url(http", "//cdn", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"), "the browser refuses to load resources");
}

#[test]
fn the_trace_in_the_page_equals_the_given_one() {
    let trace = trace_of(&["a", HOSTILE]).deliver(0, 1, HOSTILE).state(HOSTILE).fail(1, HOSTILE).trace();
    let shown = data(&page_of(&trace));
    assert_eq!(Trace::from_json(&shown["trace"].to_string()).unwrap(), trace);
    assert_eq!(shown["story"]["failing"], serde_json::json!([2]));
    assert_eq!(shown["story"]["types"][0], "script");
}

#[test]
fn no_text_is_interpreted_as_markup() {
    let trace = trace_of(&[HOSTILE, "b"]).deliver(0, 1, HOSTILE).fail(1, HOSTILE).trace();
    let plain = page_of(&trace_of(&["a", "b"]).deliver(0, 1, "x").fail(1, "y").trace());
    let headline = Headline { verdict: HOSTILE, good: None, sentence: HOSTILE };
    let page = html(&Page { title: HOSTILE, trace: Some(&trace), headline: Some(headline), ..Page::default() });
    for tag in ["</script", "<script", "<b>", "<!--"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    assert!(page.contains("<title>&lt;/script&gt;&lt;b&gt;&amp;amp;"));
    assert_eq!(data(&page)["headline"]["sentence"], HOSTILE);
}

#[test]
fn two_hundred_steps_are_less_than_a_megabyte() {
    let trace = busy(200);
    assert_eq!(trace.steps.len(), 200);
    let page = page_of(&trace);
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
}

#[test]
fn repeated_long_states_and_messages_are_packed() {
    let mut builder: TraceBuilder = trace_of(&["a", "b", "c"]);
    for i in 0..100 {
        // Five kilobytes each, with changes at both ends.
        let log: Vec<String> = (0..200).map(|n| format!("Entry {{ term: {n}, to: {} }}", n * n % 97)).collect();
        builder = builder.deliver(i % 3, (i + 1) % 3, &format!("Append {{ number: {i}, log: [{}] }}", log.join(", ")));
        builder = builder.state(&format!("State {{ last: {i}, <log>: [{}], commit: {i} }}", log.join(", ")));
    }
    let trace = builder.trace();
    let states: usize =
        trace.steps.iter().filter_map(|step| step.state.as_ref()).map(|state| state.to_string().len()).sum();
    assert!(trace.steps.len() == 200 && states > 100 * 5_000, "the states are long enough for the test");
    let page = page_of(&trace);
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert_eq!(Trace::from_json(&data(&page)["trace"].to_string()).unwrap(), trace, "unpacking restores the trace");
}

/// The drawing order, after checking that it contains every step once and after its causes.
fn order(trace: &Trace) -> Vec<usize> {
    let rows: Vec<Vec<usize>> = serde_json::from_value(data(&page_of(trace))["story"]["rows"].clone()).unwrap();
    let order = rows.concat();
    let mut place = vec![None; trace.steps.len()];
    for (at, &i) in order.iter().enumerate() {
        assert_eq!(place[i].replace(at), None, "step {i} is drawn twice");
    }
    for (i, causes) in causes(trace).iter().enumerate() {
        assert!(causes.iter().all(|&cause| place[cause].unwrap() < place[i].unwrap()), "step {i}");
    }
    order
}

random! {
    #![cases = 200]

    #[test]
    fn every_step_is_drawn_once_and_after_its_causes(trace in any_trace()) {
        let order = order(&trace);
        // The naive definition of `the failure comes last`: every step that is drawn after it depends on it.
        let failing = failing(&trace);
        let partitioned = trace.steps.iter().any(|step| step.kind.is_partition());
        if let (Some(&failure), false) = (failing.first(), partitioned) {
            let at = order.iter().position(|&i| i == failure).unwrap();
            for &later in &order[at + 1..] {
                prop_assert!(reaches(&causes(&trace), failure, later), "step {later} is drawn after step {failure}");
            }
        }
    }

    #[test]
    fn clocks_characterize_happens_before(trace in any_trace()) {
        let (clocks, causes) = (clocks(&trace), causes(&trace));
        for later in 0..trace.steps.len() {
            for earlier in 0..later {
                let process = trace.steps[earlier].process;
                let known = clocks[later][process] >= clocks[earlier][process];
                prop_assert_eq!(known, reaches(&causes, earlier, later), "{} and {}", earlier, later);
            }
        }
    }
}

/// Whether a step is a direct or transitive cause of another, by plain recursion.
fn reaches(causes: &[Vec<usize>], earlier: usize, later: usize) -> bool {
    causes[later].iter().any(|&cause| cause == earlier || reaches(causes, earlier, cause))
}

/// A trace in which three processes send messages to each other and receive them in any order, with occasional partitions.
fn any_trace() -> impl Strategy<Value = Trace> {
    proptest::collection::vec((0..3usize, 0..3usize, 0..12u8), 1..16).prop_map(|choices| {
        let mut builder = trace_of(&["a", "b", "c", "network"]);
        let mut pending: Vec<(usize, usize)> = Vec::new();
        for (at, (process, other, kind)) in choices.into_iter().enumerate() {
            let next = pending.iter().position(|&(to, _)| to == process);
            builder = match (kind, next) {
                (0..5, _) => {
                    pending.push((other, at));
                    builder.send(process, other, "x")
                }
                (5..9, Some(next)) => builder.recv(process, pending.remove(next).1),
                (11, _) => builder.split(3, &[0]),
                _ => builder.timeout(process),
            };
        }
        builder.violates(Requirement::Always { name: "fine".to_string() }, "", None, None).trace()
    })
}

#[test]
fn the_failing_step_is_drawn_last() {
    let property = Requirement::Always { name: "fine".to_string() };
    let builder = || trace_of(&["a", "b", "c"]).send(0, 1, "x").timer(0, "tick").recv(1, 0).send(1, 2, "y");
    let trace = builder().violates(property.clone(), "", None, None).trace();
    let rows = |trace: &Trace| data(&page_of(trace))["story"]["rows"].clone();
    assert_eq!(rows(&trace), serde_json::json!([[0], [1], [2], [3]]), "its effects are drawn after it");
    let alone = trace_of(&["a", "b"]).deliver(0, 1, "x").violates(property, "", None, None).trace();
    assert_eq!(rows(&alone), serde_json::json!([[0, 1]]));
}

#[test]
fn starts_share_the_first_row() {
    let builder = trace_of(&["a", "b"]).starts(0).send(0, 1, "x").starts(1).recv(1, 1).trace();
    assert_eq!(data(&page_of(&builder))["story"]["rows"], serde_json::json!([[0, 2], [1, 3]]));
}

#[test]
fn a_step_that_loses_no_message_has_no_row() {
    let builder = trace_of(&["a", "b"]).lose(0, 0).send(0, 1, "x").lose_message(0, 1, "Ask(2)").recv(1, 1).trace();
    let shown = data(&page_of(&builder));
    assert_eq!(shown["story"]["rows"], serde_json::json!([[1], [2], [3]]));
    assert_eq!(shown["story"]["types"], serde_json::json!([null, "x", "Ask", "x"]));
}

#[test]
fn steps_show_their_source_if_it_can_be_read() {
    let trace = trace_of(&["a", "b"]).deliver(0, 1, "x").trace();
    let text: String = (1..=12).map(|n| format!("line {n}\n")).collect();
    let read = |file: &str| (file == "src/model.rs").then(|| text.clone());
    let shown = data(&html(&Page { trace: Some(&trace), source: Some(&read), ..Page::default() }));
    let sources = shown["story"]["sources"].as_object().unwrap();
    // The location of the second step is line 20, but the file has 12 lines.
    assert_eq!(sources.keys().collect::<Vec<_>>(), ["src/model.rs:10:5"]);
    let found = &sources["src/model.rs:10:5"];
    assert_eq!((found["line"].as_u64(), found["first"].as_u64()), (Some(10), Some(7)));
    assert_eq!(found["lines"].as_array().unwrap().len(), 6);
}

#[test]
fn a_run_without_a_violation_shows_its_figures_and_bounds() {
    let verdict = Verdict::Incomplete { reason: StopReason::MaxDepth };
    let bounds = Bounds { depth: Some(3), ..Bounds::default() };
    let scope = Scope { explored: Explored::States, bounds, frontier: Some(17), ..Scope::default() };
    let stats = Stats { states: Some(40320), ..Stats::default() };
    let outcome = Outcome { verdict, scope, stats };
    let process = ProcessCoverage { name: "server".to_string(), states: 4, ..ProcessCoverage::default() };
    let coverage = Coverage { processes: vec![process], ..Coverage::default() };
    let run = Run {
        kind: "actors",
        outcome: &outcome,
        params: &Map::new(),
        engine: "bfs",
        why: None,
        network: None,
        time: Some(Duration::from_millis(1500)),
        coverage: Some(&coverage),
    };
    let shown = data(&html(&Page { title: "demo", run: Some(run), ..Page::default() }));
    let figures: Vec<(&str, &str)> = shown["run"]["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["value"].as_str().unwrap()))
        .collect();
    let expected = [("states", "40,320"), ("violations", "0"), ("runs of user code", "0"), ("time", "1.50 s")];
    assert_eq!(figures, expected, "figures that the engine does not provide are not shown");
    assert_eq!(shown["run"]["verdict"], "incomplete");
    assert_eq!(shown["run"]["bounds"], json!(["at most depth 3", "17 known states not expanded"]));
    assert_eq!(shown["run"]["coverage"]["processes"][0]["states"], 4);
    assert!(shown["trace"].is_null());
}

#[test]
fn a_history_needs_no_trace_and_a_trace_with_operations_has_one() {
    let operation = Operation { call: "Get".to_string(), ..Operation::default() };
    let timeline = Timeline { lanes: vec!["a".to_string()], operations: vec![operation], ..Timeline::default() };
    let shown = data(&html(&Page { title: "history", timeline: Some(&timeline), ..Page::default() }));
    assert_eq!(serde_json::from_value::<Timeline>(shown["timeline"]["history"].clone()).unwrap(), timeline);
    let trace = trace_of(&["a"]).invoked(0, "Get").trace();
    assert_eq!(data(&page_of(&trace))["timeline"]["history"]["operations"][0]["call"], "Get");
    assert!(data(&page_of(&trace_of(&["a"]).timeout(0).trace()))["timeline"].is_null());
}
