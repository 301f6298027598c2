//! From a path to a [`Trace`]: the model describes its steps one by one; the send that a receive reads, and the dependencies, are computed from them.

use crate::{HistoryEvent, Path, TransitionSystem, created};
use manyworlds_core::{Fingerprint, NarratedStep, StepKind, Trace, TraceStep, Violation};
use std::collections::HashMap;

/// The trace of a path. Model, parameters, engine and network are for the caller to fill in.
pub fn narrate<M: TransitionSystem>(model: &M, path: &Path<M>, violation: Violation) -> Trace {
    let print = |state: &M::State| Some(Fingerprint(model.fingerprint(state)));
    model.begin_trace(&[]);
    let mut steps = model.trace_start(&path.start);
    let mut starts = Vec::new();
    let mut before = &path.start;
    for (action, after) in &path.steps {
        starts.push(steps.len());
        let mut transition = model.trace_step(before, action, Some(after));
        if let Some(last) = transition.last_mut() {
            last.fingerprint = print(after);
        }
        steps.extend(transition);
        before = after;
    }
    let path_end = steps.len();
    steps.extend(path.attempted.iter().flat_map(|action| model.trace_step(path.last(), action, None)));
    let loop_from = path.loop_from.map(|at| starts.get(at).copied().unwrap_or(steps.len()));
    if model.failure(path.last()).is_none() {
        steps.extend(impossible(model, &recorded(model, path), &violation));
    }
    let mut processes = model.trace_processes();
    let listed = processes.len();
    let new = created::processes(model, listed, &steps);
    if !new.is_empty() {
        steps = steps.iter().map(|step| created::with_indices(step, listed, &new)).collect();
        processes.extend(new.into_iter().map(|(_, process)| process));
    }
    let mut trace = Trace::new(violation, processes);
    if let Some(asks) = path.asks {
        // The last step of the trace before the next step of the path.
        let until = starts.get(asks).copied().unwrap_or(path_end);
        let place = until.checked_sub(1).map_or("in the beginning".to_string(), |step| format!("from step {step} on"));
        trace.violation.message.push_str(&format!(" ({place})"));
    }
    trace.start = print(&path.start);
    trace.loop_from = loop_from;
    link(&mut trace, steps);
    trace
}

/// The trace of a violation without a path: there is no initial state.
pub fn narrate_nothing<M: TransitionSystem>(model: &M, violation: Violation) -> Trace {
    Trace::new(violation, model.trace_processes())
}

/// The history along a path.
pub fn recorded<M: TransitionSystem>(model: &M, path: &Path<M>) -> Vec<HistoryEvent> {
    let mut history = Vec::new();
    let Some(receives) = model.receives() else { return history };
    receives.recorded_at_start(&path.start, &mut history);
    let mut before = &path.start;
    for (action, after) in &path.steps {
        receives.recorded(before, action, after, &mut history);
        before = after;
    }
    history
}

/// The verdict on a history is not a state of the model, so the model shows no failure: a step is added in which the process fails that recorded the
/// return that no order explains. `None` if the violation is not about the history.
pub(crate) fn impossible<M: TransitionSystem>(
    model: &M,
    history: &[HistoryEvent],
    violation: &Violation,
) -> Option<NarratedStep> {
    let receives = model.receives()?;
    let is_bad = |events: usize| matches!(receives.linearizable(&history[..events]), Some(Err(_)));
    if violation.process.is_none() || !is_bad(history.len()) {
        return None;
    }
    // Every extension of a history that is not linearizable is not linearizable: the first such prefix ends with the return in question.
    let (mut good, mut bad) = (0, history.len());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if is_bad(middle) { bad = middle } else { good = middle }
    }
    let process = history[bad.checked_sub(1)?].process as usize;
    Some(TraceStep::new(process, StepKind::Fail(violation.message.clone())).located(violation.location.clone()))
}

/// Adds the steps to the trace, numbers their messages, and fills in which send each step reads (of equal messages the earliest; of any sender, if the
/// model does not say which) and what it directly depends on.
fn link(trace: &mut Trace, steps: Vec<NarratedStep>) {
    let mut indices: HashMap<u128, usize> = HashMap::new();
    let mut gone = vec![false; steps.len()];
    for (i, step) in steps.into_iter().enumerate() {
        let messages = &mut trace.messages;
        let TraceStep { process, kind, branch, at, state, fingerprint, .. } = step;
        let mut kind = kind.map(|sent| {
            *indices.entry(sent.id).or_insert_with(|| {
                messages.push(sent.message);
                messages.len() - 1
            })
        });
        let stays = matches!(kind, StepKind::Duplicate(_));
        if let Some(delivery) = kind.delivery_mut() {
            let sent = |(at, s): &(usize, &TraceStep)| match &s.kind {
                StepKind::Send { message, to, .. } => {
                    !gone[*at]
                        && delivery.from.is_none_or(|from| from == s.process)
                        && *to == Some(process)
                        && *message == delivery.message
                }
                _ => false,
            };
            delivery.send = trace.steps.iter().enumerate().find(sent).map(|(at, _)| at);
            if let (Some(send), false) = (delivery.send, stays) {
                gone[send] = true;
            }
        }
        let own = trace.steps[..i].iter().rposition(|s| s.process == process);
        let parents = own.into_iter().chain(kind.send()).collect();
        trace.steps.push(TraceStep { process, kind, branch, at, parents, state, fingerprint });
    }
}
