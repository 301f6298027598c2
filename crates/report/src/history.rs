//! A history of operations on a shared object, ready to be drawn: lanes, bars, points.
//!
//! Positions are places in the order of events, not times: an operation that ends before another starts ends at a smaller position. No two
//! events share one. Whoever has a history fills a [`Timeline`]; a trace whose notes record operations fills one by itself.

use manyworlds_core::Trace;
use serde::{Deserialize, Serialize};

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Operation {
    /// Index into the lanes.
    pub process: usize,
    /// What was asked for.
    pub call: String,
    /// What came back; `None` while it is pending.
    pub response: Option<String>,
    /// Where it was invoked.
    pub start: usize,
    /// Where it returned; `None` while it is pending.
    pub end: Option<usize>,
}

/// Something that went wrong beside the operations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fault {
    /// Whom it struck: index into the lanes; `None` if everybody, or somebody who has no lane.
    pub process: Option<usize>,
    /// Where.
    pub at: usize,
    /// What it was, in words.
    pub label: String,
}

/// A history, and what a checker found out about it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Timeline {
    /// The names of the processes.
    pub lanes: Vec<String>,
    /// The operations.
    pub operations: Vec<Operation>,
    /// Operations in the order in which they can have taken effect, or the longest such order that was found.
    pub linearization: Vec<usize>,
    /// Operations that no order has room for after the longest one.
    pub stuck: Vec<usize>,
    /// A smallest set of operations that is wrong by itself.
    pub minimal: Vec<usize>,
    /// What went wrong beside them.
    pub faults: Vec<Fault>,
}

impl Timeline {
    /// The operations that the notes of a trace record (`invoked …`, `returned …`), and the faults beside them; `None` if there are none.
    pub fn from_trace(trace: &Trace) -> Option<Timeline> {
        let mut reader = Reader { lanes: vec![None; trace.processes.len()], timeline: Timeline::default() };
        for (at, step) in trace.steps.iter().enumerate() {
            if let ("note", Some(words)) = (step.kind.as_str(), step.message.as_deref()) {
                reader.note(trace, step.process, at, words);
            }
        }
        let Reader { lanes, mut timeline } = reader;
        timeline.faults = faults(trace, &lanes);
        (!timeline.operations.is_empty()).then_some(timeline)
    }

    /// Where the points of the linearization lie: each within its operation, in the given order, no two at one place. Points that
    /// cannot be placed so (the order is none) are put at the start of their operations.
    pub fn points(&self) -> Vec<f64> {
        let starts = self.linearization.iter().map(|&i| self.operations.get(i).map_or(0, |operation| operation.start));
        // The earliest gap between two events that is open to it.
        let gaps: Vec<usize> = starts
            .scan(0, |latest: &mut usize, start| {
                *latest = start.max(*latest);
                Some(*latest)
            })
            .collect();
        let share = |run: &[usize]| -> Vec<f64> {
            let within = |n: usize| (n + 1) as f64 / (run.len() + 1) as f64;
            run.iter().enumerate().map(|(n, &gap)| gap as f64 + within(n)).collect()
        };
        gaps.chunk_by(|a, b| a == b).flat_map(share).collect()
    }
}

struct Reader {
    /// The lane of each process that has operations.
    lanes: Vec<Option<usize>>,
    timeline: Timeline,
}

impl Reader {
    fn note(&mut self, trace: &Trace, process: usize, at: usize, words: &str) {
        if let Some(call) = words.strip_prefix("invoked ") {
            let timeline = &mut self.timeline;
            let lane = *self.lanes[process].get_or_insert_with(|| {
                timeline.lanes.push(trace.processes[process].name.clone());
                timeline.lanes.len() - 1
            });
            let call = call.to_string();
            timeline.operations.push(Operation { process: lane, call, start: at, ..Operation::default() });
        } else if let Some(response) = words.strip_prefix("returned ") {
            let Some(lane) = self.lanes[process] else { return };
            let pending = |o: &&mut Operation| o.process == lane && o.end.is_none();
            // A process has one operation at a time.
            if let Some(operation) = self.timeline.operations.iter_mut().rev().find(pending) {
                (operation.response, operation.end) = (Some(response.to_string()), Some(at));
            }
        }
    }
}

fn faults(trace: &Trace, lanes: &[Option<usize>]) -> Vec<Fault> {
    let wrong = |kind: &str| matches!(kind, "crash" | "restart" | "drop" | "duplicate" | "split" | "heal");
    let faulty = trace.steps.iter().enumerate().filter(|(_, step)| wrong(&step.kind));
    let told = |(at, step): (usize, &manyworlds_core::TraceStep)| Fault {
        process: lanes[step.process],
        at,
        label: crate::words::words(trace, step, &crate::Style::default()),
    };
    faulty.map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::story;

    #[test]
    fn notes_become_operations() {
        let trace = story(&["server", "left", "right"])
            .happens(1, "note", Some("invoked Put(1)"))
            .happens(2, "note", Some("invoked Get"))
            .happens(0, "crash", None)
            .happens(1, "note", Some("returned Done"))
            .happens(1, "note", Some("something else"))
            .happens(1, "note", Some("invoked Get"))
            .trace();
        let timeline = Timeline::from_trace(&trace).unwrap();
        let operation = |process, call: &str, response: Option<&str>, start, end| Operation {
            process,
            call: call.to_string(),
            response: response.map(str::to_string),
            start,
            end,
        };
        assert_eq!(timeline.lanes, ["left", "right"]);
        assert_eq!(
            timeline.operations,
            [
                operation(0, "Put(1)", Some("Done"), 0, Some(3)),
                operation(1, "Get", None, 1, None),
                operation(0, "Get", None, 5, None)
            ]
        );
        assert_eq!(timeline.faults, [Fault { process: None, at: 2, label: "server crashes".to_string() }]);
        assert_eq!(Timeline::from_trace(&story(&["a"]).timeout(0).trace()), None);
    }

    #[test]
    fn points_lie_within_their_operations_and_in_order() {
        let operation = |start, end| Operation { start, end: Some(end), ..Operation::default() };
        let timeline = Timeline {
            operations: vec![operation(0, 5), operation(1, 3), operation(2, 4)],
            linearization: vec![2, 1, 0],
            ..Timeline::default()
        };
        let points = timeline.points();
        assert!(points.windows(2).all(|pair| pair[0] < pair[1]), "{points:?}");
        for (&i, point) in timeline.linearization.iter().zip(&points) {
            let operation = &timeline.operations[i];
            assert!((operation.start as f64) < *point && *point < operation.end.unwrap() as f64, "{i}: {point}");
        }
    }

    #[test]
    fn an_operation_that_does_not_exist_has_a_point_all_the_same() {
        assert_eq!(Timeline { linearization: vec![7], ..Timeline::default() }.points(), [0.5]);
    }
}
