//! What comes before what, and which steps a trace is about.

use manyworlds_core::{Property, StepKind, Trace};

/// The steps on which each step directly depends: the one before it in its process, what it reads, and whatever else the trace says.
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

/// A vector clock for each step: how many steps of each process it knows of, itself included.
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

/// The steps a trace is about: where it fails, or waits for ever; for a property of a state the step that led to it. A path that goes on for
/// ever is about no single step, and so is one that only shows that nothing else happens.
pub fn failing(trace: &Trace) -> Vec<usize> {
    let of_kind = |wanted: &dyn Fn(&StepKind) -> bool| -> Vec<usize> {
        (0..trace.steps.len()).filter(|&i| wanted(&trace.steps[i].kind)).collect()
    };
    let told = of_kind(&|kind| kind.is_bad());
    let about_a_state = matches!(
        trace.violation.property,
        Property::Always { .. } | Property::Never { .. } | Property::AtRest { .. } | Property::Assertion
    );
    match (told.is_empty(), about_a_state) {
        (false, _) => told,
        // What a handler does is told after what set it off.
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
    use crate::story::story;

    #[test]
    fn a_clock_counts_the_causal_past() {
        let trace =
            story(&["a", "b", "c"]).send(0, 1, "x").send(2, 1, "y").recv(1, 1).send(0, 2, "z").recv(2, 3).trace();
        assert_eq!(causes(&trace), [vec![], vec![], vec![1], vec![0], vec![1, 3]]);
        assert_eq!(clocks(&trace), [[1, 0, 0], [0, 0, 1], [0, 1, 1], [2, 0, 0], [2, 0, 2]]);
    }

    #[test]
    fn a_trace_is_about_its_failure_or_its_last_cause() {
        let fails = story(&["a", "b"]).deliver(0, 1, "x").fail(1, "no").trace();
        assert_eq!(failing(&fails), [2]);
        let state = Property::Always { name: "fine".to_string() };
        let told = story(&["a", "b"]).deliver(0, 1, "x").send(1, 0, "y").violates(state, "", None, None).trace();
        assert_eq!(failing(&told), [1], "the send is what came of it");
        let endless = Property::Eventually { name: "done".to_string() };
        assert!(failing(&story(&["a"]).timeout(0).violates(endless, "", None, None).trace()).is_empty());
    }
}
