//! The page holds what it was given, all of it and nothing else.

use super::{Headline, Page, Run, html};
use crate::causality::{causes, clocks, failing};
use crate::history::{Operation, Timeline};
use crate::story::{Story, story};
use manyworlds_core::{
    Bounds, Coverage, Explored, Outcome, ProcessCoverage, Property, Scope, Stats, StopReason, Trace, Verdict,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::time::Duration;

const HOSTILE: &str = "</script><b>&amp; <!-- {{script}} \u{2028} \"quoted\"";

fn page_of(trace: &Trace) -> String {
    html(&Page { title: "tale", trace: Some(trace), ..Page::default() })
}

/// What the scripts of a page read.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("the data have a place");
    let (json, _) = rest.split_once("</script>").expect("the place ends");
    let data: Value = serde_json::from_str(json).expect("the data are JSON");
    match super::pack::unpacked(&data) {
        Some(text) => serde_json::from_str(&text).expect("what was packed is JSON"),
        None => data,
    }
}

fn busy(steps: usize) -> Trace {
    let mut tale: Story = story(&["a", "b", "c"]);
    for i in 0..steps / 2 {
        tale = tale.deliver(i % 3, (i + 1) % 3, &format!("Message {{ number: {i}, payload: [1, 2, 3, 4, 5, 6, 7] }}"));
        tale = tale.state(&format!("State {{ last: {i}, log: [{}] }}", vec!["Entry(1, 2)"; 40].join(", ")));
    }
    tale.trace()
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let page = page_of(&story(&["a", "b"]).deliver(0, 1, "x").trace()).replace("http://www.w3.org/2000/svg", "");
    for outside in
        ["http:", "https:", "src=", "<link", "@import", "url(http", "//cdn", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"), "and if something were, the browser would refuse");
}

#[test]
fn the_trace_comes_out_as_it_went_in() {
    let trace = story(&["a", HOSTILE]).deliver(0, 1, HOSTILE).state(HOSTILE).fail(1, HOSTILE).trace();
    let told = data(&page_of(&trace));
    assert_eq!(Trace::from_json(&told["trace"].to_string()).unwrap(), trace);
    assert_eq!(told["story"]["failing"], serde_json::json!([2]));
    assert_eq!(told["story"]["types"][0], "script");
}

#[test]
fn no_text_breaks_out_of_its_place() {
    let trace = story(&[HOSTILE, "b"]).deliver(0, 1, HOSTILE).fail(1, HOSTILE).trace();
    let plain = page_of(&story(&["a", "b"]).deliver(0, 1, "x").fail(1, "y").trace());
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
fn long_states_and_messages_are_not_said_again_and_again() {
    let mut tale: Story = story(&["a", "b", "c"]);
    for i in 0..100 {
        // Five kilobytes each, with changes at both ends.
        let log: Vec<String> = (0..200).map(|n| format!("Entry {{ term: {n}, to: {} }}", n * n % 97)).collect();
        tale = tale.deliver(i % 3, (i + 1) % 3, &format!("Append {{ number: {i}, log: [{}] }}", log.join(", ")));
        tale = tale.state(&format!("State {{ last: {i}, <log>: [{}], commit: {i} }}", log.join(", ")));
    }
    let trace = tale.trace();
    let states: usize =
        trace.steps.iter().filter_map(|step| step.state.as_ref()).map(|state| state.to_string().len()).sum();
    assert!(trace.steps.len() == 200 && states > 100 * 5_000, "the test says something");
    let page = page_of(&trace);
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert_eq!(Trace::from_json(&data(&page)["trace"].to_string()).unwrap(), trace, "and nothing is lost");
}

/// The drawing order, if every step is in it once and after its causes.
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
    fn every_step_is_drawn_once_and_after_its_causes(trace in anything()) {
        let order = order(&trace);
        // The naive way to say that the failure comes last: whatever is drawn after it depends on it.
        let failing = failing(&trace);
        let weather = trace.steps.iter().any(|step| step.kind.is_partition());
        if let (Some(&failure), false) = (failing.first(), weather) {
            let at = order.iter().position(|&i| i == failure).unwrap();
            for &later in &order[at + 1..] {
                prop_assert!(reaches(&causes(&trace), failure, later), "step {later} is drawn after step {failure}");
            }
        }
    }

    #[test]
    fn clocks_say_what_comes_before_what(trace in anything()) {
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

/// Whether a step is among the causes of another, or among theirs, and so on: looked up one by one.
fn reaches(causes: &[Vec<usize>], earlier: usize, later: usize) -> bool {
    causes[later].iter().any(|&cause| cause == earlier || reaches(causes, earlier, cause))
}

/// A trace in which three processes send to each other, receive what is on its way in any order, and the network falls apart now and then.
fn anything() -> impl Strategy<Value = Trace> {
    proptest::collection::vec((0..3usize, 0..3usize, 0..12u8), 1..16).prop_map(|choices| {
        let mut tale = story(&["a", "b", "c", "network"]);
        let mut pending: Vec<(usize, usize)> = Vec::new();
        for (at, (process, other, kind)) in choices.into_iter().enumerate() {
            let next = pending.iter().position(|&(to, _)| to == process);
            tale = match (kind, next) {
                (0..5, _) => {
                    pending.push((other, at));
                    tale.send(process, other, "x")
                }
                (5..9, Some(next)) => tale.recv(process, pending.remove(next).1),
                (11, _) => tale.split(3, &[0]),
                _ => tale.timeout(process),
            };
        }
        tale.violates(Property::Always { name: "fine".to_string() }, "", None, None).trace()
    })
}

#[test]
fn what_goes_wrong_is_drawn_last() {
    let property = Property::Always { name: "fine".to_string() };
    let tale = || story(&["a", "b", "c"]).send(0, 1, "x").timer(0, "tick").recv(1, 0).send(1, 2, "y");
    let trace = tale().violates(property.clone(), "", None, None).trace();
    let rows = |trace: &Trace| data(&page_of(trace))["story"]["rows"].clone();
    assert_eq!(rows(&trace), serde_json::json!([[0], [1], [2], [3]]), "what came of it stands after it");
    let alone = story(&["a", "b"]).deliver(0, 1, "x").violates(property, "", None, None).trace();
    assert_eq!(rows(&alone), serde_json::json!([[0, 1]]));
}

#[test]
fn who_starts_shares_the_first_row() {
    let tale = story(&["a", "b"]).starts(0).send(0, 1, "x").starts(1).recv(1, 1).trace();
    assert_eq!(data(&page_of(&tale))["story"]["rows"], serde_json::json!([[0, 2], [1, 3]]));
}

#[test]
fn a_message_that_was_not_lost_needs_no_row_of_its_own() {
    let tale = story(&["a", "b"]).lose(0, 0).send(0, 1, "x").lose_message(0, 1, "Ask(2)").recv(1, 1).trace();
    let told = data(&page_of(&tale));
    assert_eq!(told["story"]["rows"], serde_json::json!([[1], [2], [3]]));
    assert_eq!(told["story"]["types"], serde_json::json!([null, "x", "Ask", "x"]));
}

#[test]
fn steps_show_their_source_where_it_can_be_read() {
    let trace = story(&["a", "b"]).deliver(0, 1, "x").trace();
    let text: String = (1..=12).map(|n| format!("line {n}\n")).collect();
    let read = |file: &str| (file == "src/story.rs").then(|| text.clone());
    let told = data(&html(&Page { trace: Some(&trace), source: Some(&read), ..Page::default() }));
    let sources = told["story"]["sources"].as_object().unwrap();
    // The second step stands in line 20, and the file has 12.
    assert_eq!(sources.keys().collect::<Vec<_>>(), ["src/story.rs:10:5"]);
    let found = &sources["src/story.rs:10:5"];
    assert_eq!((found["line"].as_u64(), found["first"].as_u64()), (Some(10), Some(7)));
    assert_eq!(found["lines"].as_array().unwrap().len(), 6);
}

#[test]
fn a_run_without_a_violation_tells_its_figures_and_what_bounded_it() {
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
    let told = data(&html(&Page { title: "tale", run: Some(run), ..Page::default() }));
    let figures: Vec<(&str, &str)> = told["run"]["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["name"].as_str().unwrap(), f["value"].as_str().unwrap()))
        .collect();
    let expected = [("states", "40,320"), ("violations", "0"), ("runs of user code", "0"), ("time", "1.50 s")];
    assert_eq!(figures, expected, "a figure the engine does not have is not shown");
    assert_eq!(told["run"]["verdict"], "incomplete");
    assert_eq!(told["run"]["bounds"], "at most depth 3, 17 known states not expanded");
    assert_eq!(told["run"]["coverage"]["processes"][0]["states"], 4);
    assert!(told["trace"].is_null());
}

#[test]
fn a_history_needs_no_trace_and_a_trace_with_operations_has_one() {
    let operation = Operation { call: "Get".to_string(), ..Operation::default() };
    let timeline = Timeline { lanes: vec!["a".to_string()], operations: vec![operation], ..Timeline::default() };
    let told = data(&html(&Page { title: "history", timeline: Some(&timeline), ..Page::default() }));
    assert_eq!(serde_json::from_value::<Timeline>(told["timeline"]["history"].clone()).unwrap(), timeline);
    let trace = story(&["a"]).invoked(0, "Get").trace();
    assert_eq!(data(&page_of(&trace))["timeline"]["history"]["operations"][0]["call"], "Get");
    assert!(data(&page_of(&story(&["a"]).timeout(0).trace()))["timeline"].is_null());
}
