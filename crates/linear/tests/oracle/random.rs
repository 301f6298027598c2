//! Random histories: of a correct object with some responses changed, or with only random responses.

use manyworlds_linear::{History, Spec};
use proptest::prelude::*;

/// The random input of a history: for each event its process, and two numbers that determine the event.
pub type Script = Vec<(u8, u8, u8)>;

/// The operations and responses of a random history.
pub struct Words<S: Spec> {
    /// Operations to choose from.
    pub operations: Vec<S::Operation>,
    /// Responses to choose from.
    pub responses: Vec<S::Response>,
}

/// Scripts for a few operations.
pub fn script() -> impl Strategy<Value = (usize, bool, Script)> {
    (2..=5usize, any::<bool>(), prop::collection::vec((0..5u8, any::<u8>(), any::<u8>()), 0..36))
}

struct Open<S: Spec> {
    operation: S::Operation,
    response: Option<S::Response>,
}

/// Generates a history of an object from a script. With `wild`, responses are random.
pub fn play<S: Spec>(
    spec: &S,
    words: &Words<S>,
    (processes, wild, script): &(usize, bool, Script),
    most: usize,
) -> History<S::Operation, S::Response> {
    let mut history = History::new();
    let mut state = spec.initial();
    let mut open: Vec<Option<Open<S>>> = (0..*processes).map(|_| None).collect();
    for &(process, a, b) in script {
        let process = process as usize % processes;
        let any_response = || words.responses[b as usize % words.responses.len()].clone();
        match open[process].take() {
            None if history.len() == most => {}
            None => {
                let operation = words.operations[a as usize % words.operations.len()].clone();
                history.invoke(process, operation.clone()).unwrap();
                // The operation takes effect at its invocation, or later.
                let response = if b % 2 == 0 { effect(spec, &mut state, &operation, b / 2) } else { None };
                open[process] = Some(Open { operation, response });
            }
            Some(_) if a % 8 == 0 => history.abandon(process).unwrap(),
            Some(_) if a % 8 == 1 => history.returns(process).unwrap(),
            Some(_) if a % 8 == 2 || *wild => history.respond(process, any_response()).unwrap(),
            Some(Open { response: Some(response), .. }) => history.respond(process, response).unwrap(),
            Some(Open { operation, .. }) => match effect(spec, &mut state, &operation, b) {
                Some(response) => history.respond(process, response).unwrap(),
                None => open[process] = Some(Open { operation, response: None }),
            },
        }
    }
    history
}

fn effect<S: Spec>(spec: &S, state: &mut S::State, operation: &S::Operation, which: u8) -> Option<S::Response> {
    let mut outcomes = Vec::new();
    spec.outcomes(state, operation, &mut outcomes);
    if outcomes.is_empty() {
        return None;
    }
    let (after, response) = outcomes.swap_remove(which as usize % outcomes.len());
    *state = after;
    Some(response)
}
