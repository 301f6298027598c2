//! The causes of a failure: a subset of the steps of a trace that explains it.
//!
//! A step *needs* its causes in other processes, such as the send of the message that it receives, the step that triggered its handler, and the last
//! step that changed the state of its process. It needs nothing else: a message that is not received has no effect, not even on its sender, and a
//! handler that neither changed its state nor sent a message that is needed can be left out. This holds if a handler depends only on its state and
//! its input, and if the trace records every change of a state: for actors on the explicit-state engines. In other traces the state of a process is
//! its whole past, and a step needs the previous step of its process.
//!
//! The steps to be explained depend on the property. An assertion concerns one process. A history concerns the operations that contradict each other, none of
//! which is wrong by itself. A property of a state may concern all processes, so every change of a state is explained, not only the last step.

use crate::causality::failing;
use manyworlds_core::{ProcessRole, Requirement, StepKind, Trace, TraceHistory};

/// A subset of the steps that explains a failure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The steps, in the order of the trace.
    pub steps: Vec<usize>,
    /// The label of the button that hides the other steps.
    pub title: &'static str,
    /// A more precise description.
    pub meaning: &'static str,
}

/// The causes of the failure; `None` if the trace has no failing step, or no step can be left out.
pub fn cause(trace: &Trace) -> Option<Cause> {
    let failing = failing(trace);
    if failing.is_empty() {
        return None;
    }
    let (mut roots, title, meaning) = roots(trace);
    roots.extend(failing);
    let steps = needed(trace, roots);
    (steps.len() < trace.steps.len()).then_some(Cause { steps, title, meaning })
}

/// The steps to be explained in addition to the failing ones, and the title and the meaning of the explanation.
fn roots(trace: &Trace) -> (Vec<usize>, &'static str, &'static str) {
    match &trace.violation.property {
        Requirement::Linearizable => (
            contradicting(trace),
            "Only the operations at odds",
            "The operations that contradict each other, from call to return, and all that led to them",
        ),
        Requirement::Always { .. } | Requirement::Never { .. } | Requirement::AtRest { .. } => (
            changes(trace),
            "Only what led to these states",
            "Changes of local states, faults, and all that led to them; messages on their way are left out, though a property may look at them",
        ),
        _ => (Vec::new(), "Only what causes the failure", "All that led to the failing step, by messages and states"),
    }
}

/// The invocations and returns of the operations that contradict each other; those of all operations if the contradicting ones are unknown.
fn contradicting(trace: &Trace) -> Vec<usize> {
    let Some(history) = trace.history.clone().or_else(|| TraceHistory::recorded(trace)) else { return Vec::new() };
    let known = [&history.core, &history.minimal].into_iter().find(|numbers| !numbers.is_empty());
    let numbers = known.cloned().unwrap_or_else(|| (0..history.operations.len()).collect());
    let operations = numbers.iter().filter_map(|&number| history.operations.get(number));
    operations.flat_map(|operation| std::iter::once(operation.invoked).chain(operation.returned)).collect()
}

/// Steps that change the state of a process or of the network.
fn changes(trace: &Trace) -> Vec<usize> {
    let fault = |kind: &StepKind| {
        matches!(kind, StepKind::Crash | StepKind::Restart | StepKind::Drop(_)) || kind.is_partition()
    };
    let changes = |&i: &usize| trace.steps[i].state.is_some() || fault(&trace.steps[i].kind);
    (0..trace.steps.len()).filter(changes).collect()
}

/// The steps and everything that they need, transitively.
fn needed(trace: &Trace, mut open: Vec<usize>) -> Vec<usize> {
    let needs = needs(trace);
    let mut kept = vec![false; trace.steps.len()];
    while let Some(step) = open.pop() {
        if step < kept.len() && !std::mem::replace(&mut kept[step], true) {
            open.extend(&needs[step]);
        }
    }
    (0..kept.len()).filter(|&step| kept[step]).collect()
}

/// The steps that each step needs directly.
fn needs(trace: &Trace) -> Vec<Vec<usize>> {
    let by_order = trace.is_of_executions();
    let has_states = !by_order && trace.steps.iter().any(|step| step.state.is_some());
    // The process that records the history adds each event to it; this needs only the message with the event.
    let is_history = |process: usize| trace.processes[process].role == ProcessRole::History;
    let mut changed = vec![None; trace.processes.len()];
    let mut trigger = vec![None; trace.processes.len()];
    let needs = trace.steps.iter().enumerate().map(|(i, step)| {
        let process = step.process;
        let is_effect = matches!(
            step.kind,
            StepKind::Send { .. } | StepKind::Note(_) | StepKind::Choose { .. } | StepKind::Fail(_)
        );
        let elsewhere = step.parents.iter().filter(|&&parent| trace.steps[parent].process != process);
        let mut needs: Vec<usize> = elsewhere.copied().chain(step.kind.send()).collect();
        if !is_history(process) {
            needs.extend(if has_states && is_effect { trigger[process] } else { changed[process] });
        }
        let unchanged = step.kind.is_send() || (has_states && is_effect);
        if !unchanged
            && (!has_states || step.state.is_some() || matches!(step.kind, StepKind::Crash | StepKind::Restart))
        {
            changed[process] = Some(i);
        }
        if !is_effect {
            trigger[process] = Some(i);
        }
        needs
    });
    needs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace_builder::{TraceBuilder, trace_of};
    use manyworlds_core::{Engine, TraceNote, TraceOperation, TraceValue, ValueTree};

    fn always() -> Requirement {
        Requirement::Always { name: "one leader".to_string() }
    }

    fn steps(trace: &Trace) -> Option<Vec<usize>> {
        cause(trace).map(|cause| cause.steps)
    }

    /// The trace of an explicit-state engine.
    fn of_states(builder: TraceBuilder) -> Trace {
        Trace { engine: Engine::Bfs, ..builder.trace() }
    }

    #[test]
    fn a_property_of_a_state_concerns_all_processes() {
        let builder = trace_of(&["a", "b", "c"])
            .timer(0, "election")
            .state("Leader")
            .send(0, 2, "never received")
            .deliver(2, 1, "no change")
            .timer(1, "election")
            .state("Leader")
            .violates(always(), "", None, None);
        assert_eq!(steps(&of_states(builder)), Some(vec![0, 4]), "the first leader is a cause as much as the second");
    }

    #[test]
    fn a_handler_that_changes_nothing_is_kept_for_what_it_sends() {
        let builder = || {
            trace_of(&["a", "b", "c"])
                .deliver(0, 1, "request")
                .send(1, 2, "forward")
                .send(1, 0, "never received")
                .recv(2, 2)
                .state("requested")
        };
        assert_eq!(steps(&of_states(builder().violates(always(), "", None, None))), Some(vec![0, 1, 2, 4]));
        // The state of a program is its whole past, but its sends do not change it.
        let program = builder().deliver(0, 1, "once more").fail(1, "no").trace();
        assert_eq!(steps(&program), Some(vec![0, 1, 5, 6, 7]));
    }

    #[test]
    fn faults_are_kept_with_the_steps_that_they_affect() {
        let builder = trace_of(&["a", "b"])
            .send(0, 1, "x")
            .dropped(1, 0)
            .step(1, StepKind::Crash)
            .send(0, 1, "y")
            .timer(0, "t")
            .state("tired")
            .violates(always(), "", None, None);
        assert_eq!(steps(&of_states(builder)), Some(vec![0, 1, 2, 4]));
    }

    #[test]
    fn operations_that_contradict_each_other_are_kept_with_their_causes() {
        let operation = |process, invoked, returned| TraceOperation {
            process,
            call: TraceValue::shown(ValueTree::parse("Get")),
            response: Some(TraceValue::shown(ValueTree::parse("1"))),
            invoked,
            returned: Some(returned),
        };
        let builder = trace_of(&["store", "left", "right", "other"])
            .timer(1, "retry")
            .note(1, "invoked")
            .deliver(1, 0, "put")
            .state("full")
            .deliver(0, 1, "done")
            .note(1, "returned")
            .deliver(3, 0, "get")
            .note(2, "invoked")
            .note(2, "returned")
            .fail(2, "no")
            .violates(Requirement::Linearizable, "", None, None);
        let mut trace = of_states(builder);
        let operations = vec![operation(1, 1, 6), operation(2, 9, 10)];
        trace.history = Some(TraceHistory { operations, core: vec![0, 1], ..TraceHistory::default() });
        assert_eq!(steps(&trace), Some(vec![0, 1, 2, 3, 4, 5, 6, 9, 10, 11]), "the write is a cause of the stale read");
    }

    #[test]
    fn the_process_that_records_a_history_does_not_need_all_its_messages() {
        let value = |text: &str| TraceValue::shown(ValueTree::parse(text));
        let builder = trace_of(&["left", "history", "judge"])
            .history_process(2)
            .records(0, 2, TraceNote::Invoked(value("Get")))
            .records(1, 2, TraceNote::Invoked(value("Put(1)")))
            .records(0, 2, TraceNote::Returned(value("7")))
            .fail(2, "no");
        let mut trace = builder.violates(Requirement::Linearizable, "", None, None).trace();
        let mut history = TraceHistory::recorded(&trace).unwrap();
        history.core = vec![0];
        trace.history = Some(history);
        assert_eq!(steps(&trace), Some(vec![0, 1, 4, 5, 6]));
    }

    #[test]
    fn there_is_no_button_if_no_step_can_be_hidden_or_none_fails() {
        let all = trace_of(&["a"]).timer(0, "t").state("bad").violates(always(), "", None, None);
        assert_eq!(steps(&of_states(all)), None);
        let endless = Requirement::Eventually { name: "done".to_string() };
        let lasso = trace_of(&["a", "b"]).send(0, 1, "x").timeout(0).violates(endless, "", None, None);
        assert_eq!(steps(&lasso.trace()), None);
    }
}
