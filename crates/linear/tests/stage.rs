//! Compares stages with the definition: a history is linearizable if some order of its operations, without some of the pending ones, respects
//! real-time order and is an execution of the sequential specification.

use manyworlds_linear::specs::{Map, Register, map, register};
use manyworlds_linear::stage::Stuck;
use manyworlds_linear::{Spec, Watched};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Event<O, R> {
    Invoke(u16, O),
    Respond(u16, R),
}

/// Whether the stages accept every prefix.
fn staged<S: Spec>(spec: S, events: &[Event<S::Operation, S::Response>]) -> bool {
    let mut watched = Watched::new(Arc::new(spec));
    events.iter().all(|event| match event {
        Event::Invoke(process, operation) => {
            watched.invoke(*process, operation.clone());
            true
        }
        Event::Respond(process, response) => match watched.respond(*process, response.clone()) {
            Ok(()) => true,
            Err(unexplained) => {
                assert_eq!(unexplained.why, Stuck::NotLinearizable, "histories are well-formed here");
                false
            }
        },
    })
}

struct Op<S: Spec> {
    operation: S::Operation,
    invoked: usize,
    returned: Option<(usize, S::Response)>,
}

fn operations<S: Spec>(events: &[Event<S::Operation, S::Response>]) -> Vec<Op<S>> {
    let mut ops: Vec<Op<S>> = Vec::new();
    let mut current = [None; 8];
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Invoke(process, operation) => {
                current[usize::from(*process)] = Some(ops.len());
                ops.push(Op { operation: operation.clone(), invoked: at, returned: None });
            }
            Event::Respond(process, response) => {
                let nth = current[usize::from(*process)].take().expect("well-formed");
                ops[nth].returned = Some((at, response.clone()));
            }
        }
    }
    ops
}

fn place<S: Spec>(spec: &S, ops: &[Op<S>], done: u32, state: &S::State) -> bool {
    let left = |nth: &usize| done & (1 << nth) == 0;
    if (0..ops.len()).filter(left).all(|nth| ops[nth].returned.is_none()) {
        return true;
    }
    // The next operation must not have been invoked after another remaining operation returned.
    let first = (0..ops.len()).filter(left).filter_map(|nth| Some(ops[nth].returned.as_ref()?.0)).min();
    (0..ops.len()).filter(left).any(|nth| {
        let op = &ops[nth];
        if first.is_some_and(|first| first < op.invoked) {
            return false;
        }
        let mut outcomes = Vec::new();
        spec.outcomes(state, &op.operation, &mut outcomes);
        let fits = |response: &S::Response| op.returned.as_ref().is_none_or(|(_, returned)| returned == response);
        outcomes.iter().any(|(next, response)| fits(response) && place(spec, ops, done | 1 << nth, next))
    })
}

/// A random well-formed history: a sequence of processes and their next events. A process may abandon an operation and invoke another.
fn history<O: Clone + std::fmt::Debug + 'static, R: Clone + std::fmt::Debug + 'static>(
    operation: impl Strategy<Value = O>,
    response: impl Fn(&O, u8) -> R,
) -> impl Strategy<Value = Vec<Event<O, R>>> {
    prop::collection::vec((0..4u16, operation, any::<u8>(), 0..8u8), 1..14).prop_map(move |moves| {
        let mut events = Vec::new();
        let mut open: [Option<O>; 4] = [const { None }; 4];
        for (process, operation, dice, give_up) in moves {
            let slot = &mut open[usize::from(process)];
            match slot.take() {
                Some(current) if give_up != 0 => events.push(Event::Respond(process, response(&current, dice))),
                _ => {
                    *slot = Some(operation.clone());
                    events.push(Event::Invoke(process, operation));
                }
            }
        }
        events
    })
}

random! {
    #![cases = 4000]

    #[test]
    fn of_a_register(events in history(
        prop_oneof![Just(register::Operation::Read), (0..3u8).prop_map(register::Operation::Write)],
        |operation, dice| match operation {
            register::Operation::Read => register::Response::Read(dice % 3),
            register::Operation::Write(_) => register::Response::Written,
        },
    )) {
        let spec = Register::new(0u8);
        let expected = place(&spec, &operations(&events), 0, &0);
        prop_assert_eq!(staged(spec, &events), expected);
    }

    #[test]
    fn of_a_map(events in history(
        prop_oneof![
            (0..2u8).prop_map(map::Operation::Get),
            (0..2u8, 1..3u8).prop_map(|(k, v)| map::Operation::Put(k, v)),
            (0..2u8).prop_map(map::Operation::Delete),
        ],
        |operation, dice| match operation {
            map::Operation::Get(_) => map::Response::Got((dice % 3 > 0).then_some(dice % 3)),
            _ => map::Response::Done,
        },
    )) {
        let spec = Map::<u8, u8>::new();
        let expected = place(&spec, &operations(&events), 0, &Spec::initial(&spec));
        prop_assert_eq!(staged(spec, &events), expected);
    }
}
