//! From a path to a [`Trace`]: the model tells its steps one by one; who reads what, and what depends on what, follows from them.

use crate::{Model, Path};
use manyworlds_core::{Network, TRACE_SCHEMA, Trace, TraceProcess, TraceStep, Violation};

/// The trace of a path. Model, parameters, engine and network are for the caller to fill in.
pub fn narrate<M: Model>(model: &M, path: &Path<M>, violation: Violation) -> Trace {
    let mut steps = model.tell_start(&path.start);
    let mut starts = Vec::new();
    let mut before = &path.start;
    for (action, after) in &path.steps {
        starts.push(steps.len());
        steps.extend(model.tell(before, action, after));
        before = after;
    }
    let loop_from = path.loop_from.map(|at| starts.get(at).copied().unwrap_or(steps.len()));
    let cast = model.cast();
    if model.failure(path.last()).is_none() {
        steps.extend(impossible(&cast, &steps, &violation));
    }
    link(&mut steps);
    Trace {
        schema: TRACE_SCHEMA.to_string(),
        model: String::new(),
        params: Default::default(),
        engine: String::new(),
        network: Network::default(),
        seed: 0,
        violation,
        processes: cast,
        steps,
        loop_from,
        losses: None,
        history: None,
    }
}

/// What a history is judged by is no state of the model, so the model does not tell that it fails: whoever recorded the return that no order
/// explains fails at the end. `None` if the violation is nobody's.
pub(crate) fn impossible(cast: &[TraceProcess], steps: &[TraceStep], violation: &Violation) -> Option<TraceStep> {
    let name = violation.process.as_ref()?;
    let process =
        steps.iter().rev().map(|step| step.process).find(|&p| cast.get(p).is_some_and(|p| p.name == *name))?;
    let (message, location) = (Some(violation.message.clone()), violation.location.clone());
    Some(TraceStep { kind: "fail".to_string(), process, message, location, ..TraceStep::default() })
}

/// Fills in which send each step reads (of equal messages the earliest) and what it directly depends on.
fn link(steps: &mut [TraceStep]) {
    let mut gone = vec![false; steps.len()];
    for i in 0..steps.len() {
        let (before, rest) = steps.split_at_mut(i);
        let step = &mut rest[0];
        if matches!(step.kind.as_str(), "recv" | "duplicate" | "drop") {
            let sent = |(at, s): &(usize, &TraceStep)| {
                s.kind == "send"
                    && !gone[*at]
                    && Some(s.process) == step.peer
                    && s.peer == Some(step.process)
                    && s.message == step.message
            };
            step.reads = before.iter().enumerate().find(sent).map(|(at, _)| at);
            if let (Some(read), true) = (step.reads, step.kind != "duplicate") {
                gone[read] = true;
            }
        }
        let own = before.iter().rposition(|s| s.process == step.process);
        step.parents = own.into_iter().chain(step.reads).collect();
    }
}
