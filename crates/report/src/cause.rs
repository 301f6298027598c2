//! Which steps of a trace are to blame: what remains if everything else is left out.
//!
//! A step *needs* what it could not have happened without: the message that it reads, the step that set its handler off, and the last step that
//! changed the state in which its process was. Nothing else: a message that nobody receives changes nobody, its sender included, and a
//! handler that neither changed its state nor sent anything that mattered might as well not have run. This holds where a handler depends on its
//! state and its input alone, and where the trace tells every change of a state: for actors on the engines that visit states. Elsewhere a
//! process is all it has seen, and a step needs the one before it.
//!
//! What has to be explained depends on the property. An assertion is about one process. A history is about operations that contradict each other,
//! and of these each is innocent by itself. A property of a state may look at everybody, so every change of a state counts, and not only what led
//! to the last step.

use crate::causality::failing;
use manyworlds_core::{ProcessRole, Property, StepKind, Trace, TraceHistory};

/// Steps that explain a failure by themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The steps, in the order of the trace.
    pub steps: Vec<usize>,
    /// What they are, for a button that hides the others.
    pub title: &'static str,
    /// The same more exactly.
    pub meaning: &'static str,
}

/// What is to blame; `None` if the trace fails in no step, or nothing can be left out.
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

/// The steps that have to be explained besides the failing one, and what the explanation is called.
fn roots(trace: &Trace) -> (Vec<usize>, &'static str, &'static str) {
    match &trace.violation.property {
        Property::Linearizable => (
            at_odds(trace),
            "Only the operations at odds",
            "The operations that contradict each other, from call to return, and all that led to them",
        ),
        Property::Always { .. } | Property::Never { .. } | Property::AtRest { .. } => (
            changes(trace),
            "Only what led to these states",
            "Changes of local states, faults, and all that led to them; messages on their way are left out, though a property may look at them",
        ),
        _ => (Vec::new(), "Only what causes the failure", "All that led to the failing step, by messages and states"),
    }
}

/// Where the operations that contradict each other begin and end; of all operations, if nobody knows which they are.
fn at_odds(trace: &Trace) -> Vec<usize> {
    let Some(history) = trace.history.clone().or_else(|| TraceHistory::recorded(trace)) else { return Vec::new() };
    let known = [&history.core, &history.minimal].into_iter().find(|numbers| !numbers.is_empty());
    let numbers = known.cloned().unwrap_or_else(|| (0..history.operations.len()).collect());
    let operations = numbers.iter().filter_map(|&number| history.operations.get(number));
    operations.flat_map(|operation| std::iter::once(operation.invoked).chain(operation.returned)).collect()
}

/// Steps after which somebody, or the network, is not as before.
fn changes(trace: &Trace) -> Vec<usize> {
    let fault = |kind: &StepKind| {
        matches!(kind, StepKind::Crash | StepKind::Restart | StepKind::Drop(_)) || kind.is_partition()
    };
    let changes = |&i: &usize| trace.steps[i].state.is_some() || fault(&trace.steps[i].kind);
    (0..trace.steps.len()).filter(changes).collect()
}

/// The steps and what they need, and what that needs, and so on.
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

/// What each step needs.
fn needs(trace: &Trace) -> Vec<Vec<usize>> {
    let by_order = trace.is_of_executions();
    let told = !by_order && trace.steps.iter().any(|step| step.state.is_some());
    // Who watches notes down what it hears; that needs nothing but its having been said.
    let watches = |process: usize| trace.processes[process].role == ProcessRole::History;
    let mut changed = vec![None; trace.processes.len()];
    let mut set_off = vec![None; trace.processes.len()];
    let needs = trace.steps.iter().enumerate().map(|(i, step)| {
        let process = step.process;
        let comes_of_it = matches!(
            step.kind,
            StepKind::Send { .. } | StepKind::Note(_) | StepKind::Choose { .. } | StepKind::Fail(_)
        );
        let elsewhere = step.parents.iter().filter(|&&parent| trace.steps[parent].process != process);
        let mut needs: Vec<usize> = elsewhere.copied().chain(step.kind.send()).collect();
        if !watches(process) {
            needs.extend(if told && comes_of_it { set_off[process] } else { changed[process] });
        }
        let silent = step.kind.is_send() || (told && comes_of_it);
        if !silent && (!told || step.state.is_some() || matches!(step.kind, StepKind::Crash | StepKind::Restart)) {
            changed[process] = Some(i);
        }
        if !comes_of_it {
            set_off[process] = Some(i);
        }
        needs
    });
    needs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Story, story};
    use manyworlds_core::{Engine, TraceNote, TraceOperation, TraceValue, ValueTree};

    fn always() -> Property {
        Property::Always { name: "one leader".to_string() }
    }

    fn steps(trace: &Trace) -> Option<Vec<usize>> {
        cause(trace).map(|cause| cause.steps)
    }

    /// As told by an engine that visits states.
    fn of_states(tale: Story) -> Trace {
        Trace { engine: Engine::Bfs, ..tale.trace() }
    }

    #[test]
    fn a_property_of_a_state_is_about_everybody() {
        let tale = story(&["a", "b", "c"])
            .timer(0, "election")
            .state("Leader")
            .send(0, 2, "never received")
            .deliver(2, 1, "idle talk")
            .timer(1, "election")
            .state("Leader")
            .violates(always(), "", None, None);
        assert_eq!(steps(&of_states(tale)), Some(vec![0, 4]), "the first leader is a cause as much as the second");
    }

    #[test]
    fn a_handler_that_changes_nothing_is_kept_for_what_it_sends() {
        let tale = || {
            story(&["a", "b", "c"])
                .deliver(0, 1, "ask")
                .send(1, 2, "ask on")
                .send(1, 0, "never received")
                .recv(2, 2)
                .state("asked")
        };
        assert_eq!(steps(&of_states(tale().violates(always(), "", None, None))), Some(vec![0, 1, 2, 4]));
        // A program is all it has seen; what it sends does not change it all the same.
        let program = tale().deliver(0, 1, "once more").fail(1, "no").trace();
        assert_eq!(steps(&program), Some(vec![0, 1, 5, 6, 7]));
    }

    #[test]
    fn faults_are_kept_with_what_they_strike() {
        let tale = story(&["a", "b"])
            .send(0, 1, "x")
            .dropped(1, 0)
            .happens(1, StepKind::Crash)
            .send(0, 1, "y")
            .timer(0, "t")
            .state("tired")
            .violates(always(), "", None, None);
        assert_eq!(steps(&of_states(tale)), Some(vec![0, 1, 2, 4]));
    }

    #[test]
    fn operations_that_contradict_each_other_are_kept_with_what_led_to_them() {
        let told = |process, invoked, returned| TraceOperation {
            process,
            call: TraceValue::shown(ValueTree::parse("Get")),
            response: Some(TraceValue::shown(ValueTree::parse("1"))),
            invoked,
            returned: Some(returned),
        };
        let tale = story(&["store", "left", "right", "other"])
            .timer(1, "ask")
            .note(1, "invoked")
            .deliver(1, 0, "put")
            .state("full")
            .deliver(0, 1, "done")
            .note(1, "returned")
            .deliver(3, 0, "get")
            .note(2, "invoked")
            .note(2, "returned")
            .fail(2, "no")
            .violates(Property::Linearizable, "", None, None);
        let mut trace = of_states(tale);
        let operations = vec![told(1, 1, 6), told(2, 9, 10)];
        trace.history = Some(TraceHistory { operations, core: vec![0, 1], ..TraceHistory::default() });
        assert_eq!(steps(&trace), Some(vec![0, 1, 2, 3, 4, 5, 6, 9, 10, 11]), "the write is a cause of the stale read");
    }

    #[test]
    fn who_watches_a_history_does_not_need_all_it_has_heard() {
        let value = |text: &str| TraceValue::shown(ValueTree::parse(text));
        let tale = story(&["left", "history", "judge"])
            .watched_by(2)
            .records(0, 2, TraceNote::Invoked(value("Get")))
            .records(1, 2, TraceNote::Invoked(value("Put(1)")))
            .records(0, 2, TraceNote::Returned(value("7")))
            .fail(2, "no");
        let mut trace = tale.violates(Property::Linearizable, "", None, None).trace();
        let mut history = TraceHistory::recorded(&trace).unwrap();
        history.core = vec![0];
        trace.history = Some(history);
        assert_eq!(steps(&trace), Some(vec![0, 1, 4, 5, 6]));
    }

    #[test]
    fn a_button_that_would_hide_nothing_or_explain_nothing_is_not_there() {
        let all = story(&["a"]).timer(0, "t").state("bad").violates(always(), "", None, None);
        assert_eq!(steps(&of_states(all)), None);
        let endless = Property::Eventually { name: "done".to_string() };
        let lasso = story(&["a", "b"]).send(0, 1, "x").timeout(0).violates(endless, "", None, None);
        assert_eq!(steps(&lasso.trace()), None);
    }
}
