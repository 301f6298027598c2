//! From a [`Trace`] back to a path. At each step every action is followed whose description agrees with the trace, and at the end the violation
//! must occur. Actions with equal descriptions are distinguished by the fingerprints of the states that they lead to, which the trace holds. A trace
//! without fingerprints, or of a model whose states have changed since, is followed along every action that looks right.

use crate::check::evaluate;
use crate::narrate::impossible;
use crate::{HistoryEvent, Kind, Property, TransitionSystem as Model, guard};
use manyworlds_core::{self as core, NarratedStep, Replayed, Trace, TraceError, TraceMessage, TraceStep, Violation};
use std::collections::HashSet;

/// Performs `trace`; `show` sees each step that was performed, in their order.
pub fn replay<M: Model>(
    model: &M,
    trace: &Trace,
    mut show: impl FnMut(usize, &TraceStep),
) -> Result<Replayed, TraceError> {
    model.begin_trace(&trace.processes);
    let mut show_all = |steps: usize| (0..steps).for_each(|i| show(i, &trace.steps[i]));
    let mut exact = Search::new(model, trace, Matching::Fingerprints);
    if trace.start.is_some()
        && let Some(replayed) = exact.run()
    {
        show_all(trace.steps.len());
        return Ok(replayed);
    }
    let mut search = Search::new(model, trace, Matching::Looks);
    match search.run() {
        Some(replayed) => {
            show_all(trace.steps.len());
            Ok(replayed)
        }
        None => {
            show_all(search.furthest);
            Err(diverged(trace, search.furthest, &search.instead))
        }
    }
}

/// When an action is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matching {
    /// When its description agrees with the trace.
    Looks,
    /// When it also leads to the state that the trace names.
    Fingerprints,
}

/// A state on the way, and how it was reached.
struct Reached<S> {
    state: S,
    /// The first step of the trace that is not performed yet.
    at: usize,
    /// How many events of the history were recorded up to here.
    events: usize,
}

/// A depth-first search for a path of the model that looks like the trace.
struct Search<'a, M: Model> {
    model: &'a M,
    trace: &'a Trace,
    matching: Matching,
    /// The properties that the trace may be about. Several may have one name.
    properties: Vec<Property<M>>,
    path: Vec<Reached<M::State>>,
    history: Vec<HistoryEvent>,
    /// Situations that were reached before: their continuations have been explored.
    seen: HashSet<Position>,
    /// The first step that no path performed.
    furthest: usize,
    /// The steps of the model there.
    instead: Vec<Vec<NarratedStep>>,
}

/// All that the rest of a search depends on.
#[derive(PartialEq, Eq, Hash)]
struct Position {
    at: usize,
    state: u128,
    history: u128,
    /// The state that the path must come back to.
    looped: Option<u128>,
    /// Whether each property held somewhere along the path.
    held: Vec<bool>,
}

impl<'a, M: Model> Search<'a, M> {
    fn new(model: &'a M, trace: &'a Trace, matching: Matching) -> Search<'a, M> {
        let named = |property: &Property<M>| property.reported() == trace.violation.property;
        Search {
            model,
            trace,
            matching,
            properties: model.properties().into_iter().filter(named).collect(),
            path: Vec::new(),
            history: Vec::new(),
            seen: HashSet::new(),
            furthest: 0,
            instead: Vec::new(),
        }
    }

    /// The result of the trace, if all of its steps can be performed: of several paths one that shows the violation.
    fn run(&mut self) -> Option<Replayed> {
        let mut result = None;
        let initial = match guard::call::<M, _>(|| self.model.initial()) {
            Ok(initial) => initial,
            Err(panic) => return Some(reproduced(self.trace.steps.is_empty() && is_violation(self.trace, &panic))),
        };
        for state in initial {
            let described = self.model.trace_start(&state);
            let print = self.trace.start.map(|print| print.0);
            if !self.agrees(0, &described, &state, print) {
                self.diverges(0, described);
                continue;
            }
            self.history.clear();
            if let Some(receives) = self.model.receives() {
                receives.recorded_at_start(&state, &mut self.history);
            }
            self.path.push(Reached { state, at: described.len(), events: self.history.len() });
            match self.follow() {
                Some(Replayed::Reproduced) => return Some(Replayed::Reproduced),
                gone => result = result.or(gone),
            }
        }
        result
    }

    /// Explores everything from the last state of the path on, which is taken off again unless the violation shows.
    fn follow(&mut self) -> Option<Replayed> {
        let base = self.path.len();
        let mut open = vec![self.successors()];
        let mut result = None;
        while let Some(successors) = open.last_mut() {
            let next = match successors {
                Successors::End(replayed) => {
                    if *replayed == Replayed::Reproduced {
                        return Some(Replayed::Reproduced);
                    }
                    result = Some(*replayed);
                    None
                }
                Successors::States(states) => states.pop(),
            };
            match next {
                Some((state, at, events)) => {
                    self.history.extend(events);
                    self.path.push(Reached { state, at, events: self.history.len() });
                    let successors = self.successors();
                    open.push(successors);
                }
                None => {
                    open.pop();
                    self.path.pop();
                    self.history.truncate(self.path.last().map_or(0, |reached| reached.events));
                }
            }
        }
        debug_assert_eq!(self.path.len() + 1, base);
        result
    }

    /// The possible continuations of the path.
    fn successors(&mut self) -> Successors<M::State> {
        let Reached { state, at, .. } = self.path.last().expect("a path begins in an initial state");
        let (state, at) = (state.clone(), *at);
        if !self.seen.insert(self.position()) {
            return Successors::States(Vec::new());
        }
        if at == self.trace.steps.len() || self.is_judgement(at) {
            let violated = guard::call::<M, _>(|| self.violated());
            return Successors::End(reproduced(violated.unwrap_or_else(|panic| is_violation(self.trace, &panic))));
        }
        let mut actions = Vec::new();
        let _ = guard::call::<M, _>(|| self.model.actions(&state, &mut actions));
        let mut states = Vec::new();
        for action in &actions {
            let next = match guard::call::<M, _>(|| self.model.next(&state, action)) {
                Ok(Some(next)) => next,
                Ok(None) => continue,
                Err(panic) if self.is_attempt(at, &state, action, &panic) => {
                    return Successors::End(Replayed::Reproduced);
                }
                Err(_) => continue,
            };
            let described = self.model.trace_step(&state, action, Some(&next));
            let last = at + described.len();
            let print =
                self.trace.steps.get(last.wrapping_sub(1)).and_then(|step| step.fingerprint).map(|print| print.0);
            if !described.is_empty() && self.agrees(at, &described, &next, print) {
                let mut events = Vec::new();
                if let Some(receives) = self.model.receives() {
                    receives.recorded(&state, action, &next, &mut events);
                }
                states.push((next, last, events));
            } else {
                self.diverges(at, described);
            }
        }
        if actions.is_empty() {
            self.diverges(at, Vec::new());
        }
        // The first is taken first.
        states.reverse();
        Successors::States(states)
    }

    /// Whether the last step of the trace is this action, which panics as the trace says.
    fn is_attempt(&self, at: usize, state: &M::State, action: &M::Action, panic: &Violation) -> bool {
        let described = self.model.trace_step(state, action, None);
        is_violation(self.trace, panic)
            && at + described.len() == self.trace.steps.len()
            && repeats(self.trace, at, &described)
    }

    /// Whether the trace says the same from `at` on, and the state is the one that it names.
    fn agrees(&self, at: usize, described: &[NarratedStep], state: &M::State, print: Option<u128>) -> bool {
        repeats(self.trace, at, described)
            && (self.matching == Matching::Looks || print == Some(self.model.fingerprint(state)))
    }

    /// Records the steps of the model at the furthest point of divergence.
    fn diverges(&mut self, at: usize, described: Vec<NarratedStep>) {
        if at > self.furthest {
            (self.furthest, self.instead) = (at, Vec::new());
        }
        if at == self.furthest {
            self.instead.push(described);
        }
    }

    /// Where in `path` the loop of the trace begins.
    fn looped(&self) -> Option<usize> {
        let from = self.trace.loop_from?;
        self.path.iter().position(|reached| reached.at == from)
    }

    fn position(&self) -> Position {
        let last = self.path.last().expect("a path begins in an initial state");
        let print = |reached: &Reached<M::State>| self.model.fingerprint(&reached.state);
        let held = |property: &Property<M>| {
            property.kind == Kind::Eventually && self.path.iter().any(|reached| self.holds(property, &reached.state))
        };
        Position {
            at: last.at,
            state: print(last),
            history: crate::fingerprint::of(&self.history),
            looped: self.looped().map(|at| print(&self.path[at])),
            held: self.properties.iter().map(held).collect(),
        }
    }

    /// Whether the last step of the trace reports that the history is not linearizable, and that is true.
    fn is_judgement(&self, at: usize) -> bool {
        let is_last = at + 1 == self.trace.steps.len() && self.trace.steps[at].kind.is_bad();
        let Some(Some(Err(violation))) = is_last.then(|| self.model.receives()?.linearizable(&self.history)) else {
            return false;
        };
        impossible(self.model, &self.history, &violation).is_some_and(|described| repeats(self.trace, at, &[described]))
    }

    /// A predicate that panics counts as violated.
    fn holds(&self, property: &Property<M>, state: &M::State) -> bool {
        evaluate(property, self.model, state).unwrap_or(property.kind == Kind::Never)
    }

    /// Whether the violation shows at the end of the path.
    fn violated(&self) -> bool {
        let (model, expected) = (self.model, &self.trace.violation);
        let last = &self.path.last().expect("a path begins in an initial state").state;
        if let Some(violation) = model.failure(last) {
            return violation.property == expected.property && violation.message == expected.message;
        }
        if let Some(from) = self.looped()
            && self.path[from].state == *last
        {
            let states: Vec<M::State> = self.path.iter().map(|reached| reached.state.clone()).collect();
            if model.shows_on_cycle(&states, from, expected) {
                return true;
            }
        }
        if M::USER_CODE && expected.property == core::Property::Assertion {
            // It shows as a panic, which the caller catches.
            model.actions(last, &mut Vec::new());
            return false;
        }
        if self.properties.is_empty() {
            // A violation that is about no state is about the history.
            let judged = model.receives().and_then(|receives| receives.linearizable(&self.history));
            return matches!(judged, Some(Err(violation)) if violation.property == expected.property);
        }
        self.properties.iter().any(|property| self.violates(property, last))
    }

    fn violates(&self, property: &Property<M>, last: &M::State) -> bool {
        let holds = |state: &M::State| self.holds(property, state);
        match property.kind {
            Kind::Always => !holds(last),
            Kind::Never => holds(last),
            Kind::AtRest => self.model.at_rest(last) && !holds(last),
            Kind::Eventually if evaluate(property, self.model, last).is_err() => true,
            Kind::Eventually => {
                let for_ever = match self.trace.loop_from {
                    Some(_) => self.looped().is_some_and(|from| self.path[from].state == *last),
                    None => self.model.at_rest(last),
                };
                for_ever && !self.path.iter().any(|reached| holds(&reached.state))
            }
            // No execution shows that a predicate holds in no reachable state.
            Kind::Sometimes => self.path.len() == 1 && !holds(last),
        }
    }
}

fn reproduced(is_it: bool) -> Replayed {
    if is_it { Replayed::Reproduced } else { Replayed::Gone }
}

/// Whether a panic is what the trace shows.
fn is_violation(trace: &Trace, panic: &Violation) -> bool {
    trace.violation.property == panic.property && trace.violation.message == panic.message
}

/// The continuations of a state.
enum Successors<S> {
    /// States, with the next step of the trace and the recorded events; the last is taken first.
    States(Vec<(S, usize, Vec<HistoryEvent>)>),
    /// The trace is performed.
    End(Replayed),
}

/// Whether the trace says the same from `at` on. Source lines may have moved; parents and sends follow from the rest.
fn repeats(trace: &Trace, at: usize, described: &[NarratedStep]) -> bool {
    let alike = |index: &usize, message: &manyworlds_core::NarratedMessage| {
        trace.messages.get(*index).is_some_and(|known| known.looks_like(&message.message))
    };
    let rest = trace.steps.get(at..).unwrap_or_default();
    described.len() <= rest.len()
        && rest.iter().zip(described).all(|(step, described)| step.looks_like(described, alike))
}

/// The error for a model none of whose actions agrees with the trace from `at` on. The action that agrees longest shows where they diverge.
fn diverged(trace: &Trace, at: usize, others: &[Vec<NarratedStep>]) -> TraceError {
    let known = |step: &TraceStep| words(trace, step, trace.message(step));
    let text = |step: &NarratedStep| words(trace, step, step.kind.message().map(|sent| &sent.message));
    let common = |described: &[NarratedStep]| {
        (0..=described.len()).rev().find(|&n| repeats(trace, at, &described[..n])).unwrap_or(0)
    };
    let longest = others.iter().map(|described| common(described)).max().unwrap_or(0);
    let mut found: Vec<String> = others
        .iter()
        .filter(|described| common(described) == longest)
        .filter_map(|described| described.get(longest))
        .map(text)
        .collect();
    found.dedup();
    let at = at + longest;
    let step = trace.steps.get(at);
    TraceError::Diverged {
        step: at,
        process: step.and_then(|s| trace.processes.get(s.process)).map_or_else(String::new, |p| p.name.clone()),
        expected: step.map_or_else(|| "nothing more".to_string(), known),
        found: if found.is_empty() { "nothing more".to_string() } else { found.join(", or ") },
    }
}

fn words<M>(trace: &Trace, step: &TraceStep<M>, message: Option<&TraceMessage>) -> String {
    let name = trace.processes.get(step.process).map_or("?", |p| p.name.as_str());
    let about = trace.describe(&step.kind, message);
    let gap = if about.is_empty() { "" } else { " " };
    format!("{name}: {}{gap}{about}", step.kind.name())
}
