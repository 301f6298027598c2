//! From a [`Trace`] back to a path: at each step the action whose telling the trace repeats is done, and in the end the violation must show.

use crate::check::ask;
use crate::narrate::impossible;
use crate::{HistoryEvent, Kind, Model};
use manyworlds_core::{Replayed, Trace, TraceError, TraceStep};

/// Performs `trace`; `show` sees each step before it is done.
pub fn replay<M: Model>(
    model: &M,
    trace: &Trace,
    mut show: impl FnMut(usize, &TraceStep),
) -> Result<Replayed, TraceError> {
    let (mut state, mut at) = start(model, trace)?;
    (0..at).for_each(|i| show(i, &trace.steps[i]));
    let mut visited = vec![state.clone()];
    let mut history = Vec::new();
    model.recorded_at_start(&state, &mut history);
    let mut looped = None;
    while at < trace.steps.len() {
        if trace.loop_from == Some(at) {
            looped = Some(visited.len() - 1);
        }
        if is_judgement(model, trace, at, &history) {
            show(at, &trace.steps[at]);
            break;
        }
        let (next, told) = step(model, trace, &state, at, &mut history)?;
        (at..at + told).for_each(|i| show(i, &trace.steps[i]));
        at += told;
        state = next;
        visited.push(state.clone());
    }
    Ok(if violated(model, trace, &visited, looped, &history) { Replayed::Reproduced } else { Replayed::Gone })
}

fn start<M: Model>(model: &M, trace: &Trace) -> Result<(M::State, usize), TraceError> {
    for state in model.initial() {
        let told = model.tell_start(&state);
        if repeats(trace, 0, &told) {
            return Ok((state, told.len()));
        }
    }
    Err(diverged(trace, 0, &[model.initial().first().map_or_else(Vec::new, |state| model.tell_start(state))]))
}

fn step<M: Model>(
    model: &M,
    trace: &Trace,
    state: &M::State,
    at: usize,
    history: &mut Vec<HistoryEvent>,
) -> Result<(M::State, usize), TraceError> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let mut others = Vec::new();
    for action in &actions {
        let Some(next) = model.next(state, action) else { continue };
        let told = model.tell(state, action, &next);
        if !told.is_empty() && repeats(trace, at, &told) {
            model.recorded(state, action, &next, history);
            return Ok((next, told.len()));
        }
        others.push(told);
    }
    Err(diverged(trace, at, &others))
}

/// Whether the last step of the trace tells that the history is impossible, and it is.
fn is_judgement<M: Model>(model: &M, trace: &Trace, at: usize, history: &[HistoryEvent]) -> bool {
    let is_last = at + 1 == trace.steps.len() && trace.steps[at].kind == "fail";
    let Some(Some(Err(violation))) = is_last.then(|| model.linearizable(history)) else { return false };
    impossible(&trace.processes, &trace.steps[..at], &violation).is_some_and(|told| repeats(trace, at, &[told]))
}

/// Whether the trace tells the same from `at` on. Source lines may have moved; parents and reads follow from the rest.
fn repeats(trace: &Trace, at: usize, told: &[TraceStep]) -> bool {
    let same = |(a, b): (&TraceStep, &TraceStep)| {
        (a.process, &a.kind, &a.message, a.peer, a.choice) == (b.process, &b.kind, &b.message, b.peer, b.choice)
    };
    let rest = trace.steps.get(at..).unwrap_or_default();
    told.len() <= rest.len() && told.iter().zip(rest).all(same)
}

fn violated<M: Model>(
    model: &M,
    trace: &Trace,
    visited: &[M::State],
    looped: Option<usize>,
    history: &[HistoryEvent],
) -> bool {
    let last = visited.last().expect("a replay visits its start");
    if let Some(violation) = model.failure(last) {
        return violation.property == trace.violation.property && violation.message == trace.violation.message;
    }
    let Some(property) = model.properties().into_iter().find(|p| p.reported() == trace.violation.property) else {
        // What is asked of no state is asked of the history.
        let judged = model.linearizable(history);
        return matches!(judged, Some(Err(violation)) if violation.property == trace.violation.property);
    };
    // A predicate that panics is as bad as one that does not hold.
    let holds = |state: &M::State| ask(&property, model, state).unwrap_or(property.kind == Kind::Never);
    match property.kind {
        Kind::Always => !holds(last),
        Kind::Never => holds(last),
        Kind::AtRest => model.at_rest(last) && !holds(last),
        Kind::Eventually => {
            let for_ever = looped.map_or_else(|| model.at_rest(last), |from| visited[from] == *last);
            for_ever && !visited.iter().any(holds)
        }
        // Nothing that happens shows that something else never does.
        Kind::Sometimes => visited.len() == 1 && !holds(last),
    }
}

/// Nothing that can happen is what the trace tells from `at` on. Of all that can, what agrees with it longest shows where they part.
fn diverged(trace: &Trace, at: usize, others: &[Vec<TraceStep>]) -> TraceError {
    let words = |step: &TraceStep| {
        let name = trace.processes.get(step.process).map_or("?", |p| p.name.as_str());
        let message = step.message.as_ref().map(|m| format!(" {m}")).unwrap_or_default();
        format!("{name}: {}{message}", step.kind)
    };
    let common = |told: &[TraceStep]| (0..=told.len()).rev().find(|&n| repeats(trace, at, &told[..n])).unwrap_or(0);
    let longest = others.iter().map(|told| common(told)).max().unwrap_or(0);
    let mut found: Vec<String> =
        others.iter().filter(|told| common(told) == longest).filter_map(|told| told.get(longest)).map(words).collect();
    found.dedup();
    let at = at + longest;
    let step = trace.steps.get(at);
    TraceError::Diverged {
        step: at,
        process: step.and_then(|s| trace.processes.get(s.process)).map_or_else(String::new, |p| p.name.clone()),
        expected: step.map_or_else(|| "nothing more".to_string(), words),
        found: if found.is_empty() { "nothing more".to_string() } else { found.join(", or ") },
    }
}
