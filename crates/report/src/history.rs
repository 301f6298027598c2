//! A history of operations on a shared object, prepared for drawing: lanes, bars, linearization points.
//!
//! Positions are indices in the order of events, not times: an operation that ends before another starts ends at a smaller position. No two
//! events have the same position. A [`Timeline`] is filled by the caller, or from a trace that records operations.

use manyworlds_core::{StepKind, Trace, TraceHistory, TraceStep};
use serde::{Deserialize, Serialize};

/// An operation of a history.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Operation {
    /// Index into the lanes.
    pub process: usize,
    /// The invocation.
    pub call: String,
    /// The response; `None` if the operation is pending, or if the response is unknown. Empty if the response carries no value.
    pub response: Option<String>,
    /// The position of the invocation.
    pub start: usize,
    /// The position of the return; `None` if the operation is pending.
    pub end: Option<usize>,
}

/// A fault during the history.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fault {
    /// The affected process, as an index into the lanes; `None` if all processes are affected, or one without a lane.
    pub process: Option<usize>,
    /// Its position.
    pub at: usize,
    /// A description.
    pub label: String,
}

/// A history, and the results of a linearizability check.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Timeline {
    /// The names of the processes.
    pub lanes: Vec<String>,
    /// The operations.
    pub operations: Vec<Operation>,
    /// A linearization, or the longest one of a part of the operations that was found.
    pub linearization: Vec<usize>,
    /// Operations that cannot follow the longest linearization.
    pub stuck: Vec<usize>,
    /// A minimal set of operations that is not linearizable by itself.
    pub minimal: Vec<usize>,
    /// Operations that contradict each other, whatever the other operations did.
    #[serde(default)]
    pub core: Vec<usize>,
    /// The faults during the history.
    pub faults: Vec<Fault>,
}

impl Operation {
    /// The invocation and the response.
    pub fn words(&self) -> String {
        match (self.response.as_deref(), self.end) {
            (None, None) | (Some(""), _) => self.call.clone(),
            (None, Some(_)) => format!("{} → ?", self.call),
            (Some(response), _) => format!("{} → {response}", self.call),
        }
    }
}

impl Timeline {
    /// The operations that a trace records, the results of their check, and the faults; `None` if there are no operations.
    pub fn from_trace(trace: &Trace) -> Option<Timeline> {
        let history = trace.history.clone().or_else(|| TraceHistory::recorded(trace))?;
        let faults = trace.steps.iter().enumerate().filter(|(_, step)| is_fault(step));
        // Step, operation, and whether the operation returns there. The events of one step are in the order of their operations.
        let mut events: Vec<(usize, usize, bool)> = faults.map(|(at, _)| (at, usize::MAX, false)).collect();
        for (number, operation) in history.operations.iter().enumerate() {
            events.push((operation.invoked, number, false));
            events.extend(operation.returned.map(|at| (at, number, true)));
        }
        events.sort_unstable();
        let position = |event| events.binary_search(&event).unwrap_or_else(|near| near);

        let mut lanes: Vec<usize> = Vec::new();
        for operation in history.operations.iter().filter(|o| o.process < trace.processes.len()) {
            if !lanes.contains(&operation.process) {
                lanes.push(operation.process);
            }
        }
        let lane = |process: usize| lanes.iter().position(|&other| other == process);
        let operation = |(number, o): (usize, &manyworlds_core::TraceOperation)| Operation {
            process: lane(o.process).unwrap_or_default(),
            call: o.call.to_string(),
            response: o.response.as_ref().map(ToString::to_string),
            start: position((o.invoked, number, false)),
            end: o.returned.map(|at| position((at, number, true))),
        };
        let fault = |&(at, ..): &(usize, usize, bool)| Fault {
            process: lane(trace.steps[at].process),
            at: position((at, usize::MAX, false)),
            label: crate::words::sentence(trace, &trace.steps[at], &crate::Style::default()),
        };
        Some(Timeline {
            operations: history.operations.iter().enumerate().map(operation).collect(),
            faults: events.iter().filter(|(_, number, _)| *number == usize::MAX).map(fault).collect(),
            lanes: lanes.iter().map(|&process| trace.processes[process].name.clone()).collect(),
            linearization: history.linearization,
            stuck: history.stuck,
            minimal: history.minimal,
            core: history.core,
        })
    }

    /// The given operations, renumbered, and their lanes. All faults are kept, even those of processes whose lanes are removed.
    pub fn only(&self, numbers: &[usize]) -> Timeline {
        let mut numbers = numbers.to_vec();
        numbers.retain(|&number| number < self.operations.len());
        numbers.sort_unstable();
        numbers.dedup();
        let mut lanes: Vec<usize> = numbers.iter().map(|&number| self.operations[number].process).collect();
        lanes.sort_unstable();
        lanes.dedup();
        let lane = |process: usize| lanes.binary_search(&process).expect("the lane of a given operation");
        let operation = |&number: &usize| {
            let operation = &self.operations[number];
            Operation { process: lane(operation.process), ..operation.clone() }
        };
        let fault = |fault: &Fault| Fault {
            process: fault.process.and_then(|process| lanes.binary_search(&process).ok()),
            ..fault.clone()
        };
        let kept = |list: &[usize]| list.iter().filter_map(|number| numbers.binary_search(number).ok()).collect();
        Timeline {
            lanes: lanes.iter().map(|&lane| self.lanes.get(lane).cloned().unwrap_or_default()).collect(),
            operations: numbers.iter().map(operation).collect(),
            linearization: kept(&self.linearization),
            stuck: kept(&self.stuck),
            minimal: kept(&self.minimal),
            core: kept(&self.core),
            faults: self.faults.iter().map(fault).collect(),
        }
    }

    /// The positions of the linearization points: each within its operation, in the given order, no two equal. If the order is not a linearization,
    /// points may lie after the ends of their operations.
    pub fn points(&self) -> Vec<f64> {
        let starts = self.linearization.iter().map(|&i| self.operations.get(i).map_or(0, |operation| operation.start));
        // The earliest gap between two events that is after the start of the operation and not before the previous points.
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

fn is_fault(step: &TraceStep) -> bool {
    match &step.kind {
        StepKind::Crash | StepKind::Restart | StepKind::Drop(_) | StepKind::Duplicate(_) => true,
        kind => kind.is_partition() || kind.loses(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace_builder::trace_of;
    use manyworlds_core::{TraceValue, ValueTree};

    #[test]
    fn notes_become_operations() {
        let trace = trace_of(&["server", "left", "right"])
            .invoked(1, "Put(1)")
            .invoked(2, "Get")
            .step(0, StepKind::Crash)
            .returned(1, "Done")
            .note(1, "something else")
            .invoked(1, "Get")
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
                operation(0, "Get", None, 4, None)
            ]
        );
        assert_eq!(timeline.faults, [Fault { process: None, at: 2, label: "server crashes".to_string() }]);
        assert_eq!(Timeline::from_trace(&trace_of(&["a"]).timeout(0).trace()), None);
    }

    #[test]
    fn only_a_lost_message_is_a_fault() {
        let builder = trace_of(&["a", "b"]).invoked(0, "Get").lose(0, 0).lose_message(0, 1, "Ask");
        let timeline = Timeline::from_trace(&builder.trace()).unwrap();
        assert_eq!(timeline.faults, [Fault { process: Some(0), at: 1, label: "a loses Ask to b".to_string() }]);
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
    fn an_operation_that_does_not_exist_has_a_point() {
        assert_eq!(Timeline { linearization: vec![7], ..Timeline::default() }.points(), [0.5]);
    }

    #[test]
    fn one_step_may_record_a_return_and_the_next_call() {
        let mut trace = trace_of(&["a", "b"]).timeout(0).timeout(1).timeout(0).trace();
        let operation = |process, invoked, returned: Option<usize>| manyworlds_core::TraceOperation {
            process,
            call: TraceValue::shown(ValueTree::parse("Get")),
            response: returned.map(|_| TraceValue::shown(ValueTree::parse("1"))),
            invoked,
            returned,
        };
        let operations =
            vec![operation(1, 0, Some(1)), operation(1, 1, Some(1)), operation(0, 1, Some(2)), operation(1, 2, None)];
        trace.history = Some(TraceHistory { operations, stuck: vec![2], ..TraceHistory::default() });
        let timeline = Timeline::from_trace(&trace).unwrap();
        let spans: Vec<_> = timeline.operations.iter().map(|o| (o.process, o.start, o.end)).collect();
        assert_eq!(spans, [(0, 0, Some(1)), (0, 2, Some(3)), (1, 4, Some(5)), (0, 6, None)]);
        assert_eq!((timeline.lanes, timeline.stuck), (vec!["b".to_string(), "a".to_string()], vec![2]));
    }

    #[test]
    fn a_part_is_renumbered_and_has_only_its_lanes() {
        let operation = |process, start| Operation { process, start, end: Some(start + 1), ..Operation::default() };
        let whole = Timeline {
            lanes: ["a", "b", "c"].map(str::to_string).to_vec(),
            operations: vec![operation(0, 0), operation(1, 2), operation(2, 4), operation(0, 6)],
            linearization: vec![0, 2, 1],
            stuck: vec![3],
            minimal: vec![1, 3],
            faults: [Some(1), Some(2), None].map(|process| Fault { process, ..Fault::default() }).to_vec(),
            ..Timeline::default()
        };
        let part = whole.only(&[3, 2, 9, 0]);
        assert_eq!(part.lanes, ["a", "c"]);
        assert_eq!(part.operations, [operation(0, 0), operation(1, 4), operation(0, 6)]);
        assert_eq!((part.linearization, part.stuck, part.minimal), (vec![0, 1], vec![2], vec![2]));
        assert_eq!(part.faults.iter().map(|fault| fault.process).collect::<Vec<_>>(), [None, Some(1), None]);
    }
}
