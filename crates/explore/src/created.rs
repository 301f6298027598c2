//! Processes that do not exist from the start. A model refers to them by numbers of its choice ([`TransitionSystem::created_process`]), because which of
//! them a trace mentions is known when it is complete; in the trace they have indices, behind those of the other processes.

use crate::TransitionSystem;
use manyworlds_core::{Awaited, NarratedStep, StepKind, Trace, TraceProcess};
use std::collections::BTreeSet;

/// The processes that `steps` mention and that exist only later, by the numbers that the model gave them, with these numbers.
pub fn processes<M: TransitionSystem>(model: &M, listed: usize, steps: &[NarratedStep]) -> Vec<(usize, TraceProcess)> {
    let mut mentioned = BTreeSet::new();
    for step in steps {
        renumbered(step, &mut |number| {
            mentioned.extend((number >= listed).then_some(number));
            number
        });
    }
    mentioned.into_iter().filter_map(|number| Some((number, model.created_process(number)?))).collect()
}

/// A step with the indices that `created` gives to the numbers of processes.
pub fn with_indices(step: &NarratedStep, listed: usize, created: &[(usize, TraceProcess)]) -> NarratedStep {
    renumbered(step, &mut |number| {
        created.iter().position(|&(known, _)| known == number).map_or(number, |at| listed + at)
    })
}

/// A step with the indices that the processes have in `trace`, which are recognized by their ids.
pub fn as_in<M: TransitionSystem>(model: &M, trace: &Trace, step: &NarratedStep) -> NarratedStep {
    renumbered(step, &mut |number| {
        if number < trace.processes.len() {
            return number;
        }
        let created = model.created_process(number);
        let known = created.and_then(|created| trace.processes.iter().position(|known| known.id == created.id));
        known.unwrap_or(number)
    })
}

fn renumbered(step: &NarratedStep, index: &mut dyn FnMut(usize) -> usize) -> NarratedStep {
    let mut step = step.clone();
    step.process = index(step.process);
    match &mut step.kind {
        StepKind::Send { to: peer, .. }
        | StepKind::Lose { to: peer, .. }
        | StepKind::Spawn { child: peer }
        | StepKind::Join { child: peer } => *peer = peer.map(index),
        StepKind::Receive(delivery) | StepKind::Duplicate(delivery) | StepKind::Drop(delivery) => {
            delivery.from = delivery.from.map(index);
        }
        StepKind::Split { side } => side.iter_mut().for_each(|process| *process = index(*process)),
        StepKind::Wait(Awaited::Process(process)) => *process = index(*process),
        _ => {}
    }
    step
}
