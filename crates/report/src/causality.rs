//! The happens-before relation of a trace, and its failing steps.

use manyworlds_core::{Requirement, StepKind, Trace};

/// The direct causes of each step: the previous step of its process, the send that it receives, and the parents that the trace records.
pub fn causes(trace: &Trace) -> Vec<Vec<usize>> {
    let mut last = vec![None; trace.processes.len()];
    let cause = |(i, step): (usize, &manyworlds_core::TraceStep)| {
        let own = last[step.process].replace(i);
        let mut causes: Vec<usize> = step.parents.iter().copied().chain(step.kind.send()).chain(own).collect();
        causes.sort_unstable();
        causes.dedup();
        causes
    };
    trace.steps.iter().enumerate().map(cause).collect()
}

/// The vector clock of each step: the number of steps of each process that happen before it, itself included.
pub fn clocks(trace: &Trace) -> Vec<Vec<usize>> {
    let mut clocks: Vec<Vec<usize>> = Vec::with_capacity(trace.steps.len());
    for (step, causes) in trace.steps.iter().zip(causes(trace)) {
        let mut clock = vec![0; trace.processes.len()];
        for cause in causes {
            for (mine, theirs) in clock.iter_mut().zip(&clocks[cause]) {
                *mine = (*mine).max(*theirs);
            }
        }
        clock[step.process] += 1;
        clocks.push(clock);
    }
    clocks
}

/// The failing steps: failures and processes that wait forever; for a property of a state, the step that led to the state. Empty for other violations, for
/// example an infinite path.
pub fn failing(trace: &Trace) -> Vec<usize> {
    let of_kind = |wanted: &dyn Fn(&StepKind) -> bool| -> Vec<usize> {
        (0..trace.steps.len()).filter(|&i| wanted(&trace.steps[i].kind)).collect()
    };
    let bad = of_kind(&|kind| kind.is_bad());
    let about_a_state = matches!(
        trace.violation.property,
        Requirement::Always { .. } | Requirement::Never { .. } | Requirement::AtRest { .. } | Requirement::Assertion
    );
    match (bad.is_empty(), about_a_state) {
        (false, _) => bad,
        // The effects of a handler follow the step that triggered it.
        (true, true) => {
            let follows =
                |kind: &StepKind| matches!(kind, StepKind::Send { .. } | StepKind::Note(_) | StepKind::Choose { .. });
            of_kind(&|kind| !follows(kind)).pop().into_iter().collect()
        }
        (true, false) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace_builder::trace_of;

    #[test]
    fn a_clock_counts_the_causal_past() {
        let trace =
            trace_of(&["a", "b", "c"]).send(0, 1, "x").send(2, 1, "y").recv(1, 1).send(0, 2, "z").recv(2, 3).trace();
        assert_eq!(causes(&trace), [vec![], vec![], vec![1], vec![0], vec![1, 3]]);
        assert_eq!(clocks(&trace), [[1, 0, 0], [0, 0, 1], [0, 1, 1], [2, 0, 0], [2, 0, 2]]);
    }

    #[test]
    fn the_failing_step_is_the_failure_or_the_last_trigger() {
        let fails = trace_of(&["a", "b"]).deliver(0, 1, "x").fail(1, "no").trace();
        assert_eq!(failing(&fails), [2]);
        let state = Requirement::Always { name: "fine".to_string() };
        let trace = trace_of(&["a", "b"]).deliver(0, 1, "x").send(1, 0, "y").violates(state, "", None, None).trace();
        assert_eq!(failing(&trace), [1], "the send is an effect of the receive");
        let endless = Requirement::Eventually { name: "done".to_string() };
        assert!(failing(&trace_of(&["a"]).timeout(0).violates(endless, "", None, None).trace()).is_empty());
    }
}
