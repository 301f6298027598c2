//! A family of independent objects of the same kind, one for each key.
//!
//! The objects are independent, so a history is linearizable if and only if its restriction to each object is (P-compositionality);
//! [`Spec::key`] returns the key of the operation. Sequential consistency is not compositional, and is checked for all objects together.

use crate::spec::{Seen, Spec, key_of};
use crate::value::Value;
use std::collections::BTreeMap;

/// An object for each key.
pub struct PerKey<S>(pub S);

impl<S: Spec> Spec for PerKey<S> {
    /// The objects that are not in their initial state.
    type State = BTreeMap<Value, S::State>;
    type Operation = (Value, S::Operation);
    type Response = S::Response;

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn outcomes(
        &self,
        objects: &Self::State,
        (key, operation): &Self::Operation,
        out: &mut Vec<(Self::State, S::Response)>,
    ) {
        let initial = self.0.initial();
        let mut outcomes = Vec::new();
        self.0.outcomes(objects.get(key).unwrap_or(&initial), operation, &mut outcomes);
        for (object, response) in outcomes {
            let mut objects = objects.clone();
            // Objects in their initial state are not stored, so that equal families are equal states.
            if object == initial {
                objects.remove(key);
            } else {
                objects.insert(key.clone(), object);
            }
            out.push((objects, response));
        }
    }

    fn key(&self, (key, _): &Self::Operation) -> Option<u64> {
        Some(key_of(key))
    }

    fn reads(&self, (_, operation): &Self::Operation, response: Option<&S::Response>) -> bool {
        self.0.reads(operation, response)
    }

    fn precedence(&self, history: &[Seen<'_, Self::Operation, S::Response>]) -> Vec<(usize, usize)> {
        let mut places_of: BTreeMap<&Value, Vec<usize>> = BTreeMap::new();
        for (place, seen) in history.iter().enumerate() {
            places_of.entry(&seen.operation.0).or_default().push(place);
        }
        let of_one = |places: &Vec<usize>| {
            let seen = |&place: &usize| {
                let Seen { operation: (_, operation), response, invoked, returned } = history[place];
                Seen { operation, response, invoked, returned }
            };
            let pairs = self.0.precedence(&places.iter().map(seen).collect::<Vec<_>>());
            pairs.into_iter().map(|(first, second)| (places[first], places[second])).collect::<Vec<_>>()
        };
        places_of.values().flat_map(of_one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specs::queue::{Operation, Queue, Response};

    /// Two queues with two values each, enqueued concurrently and dequeued one after the other. The operations on the two queues alternate.
    #[test]
    fn precedence_is_computed_for_each_object() {
        let operations: Vec<(Value, Operation<u8>)> =
            [Operation::Enqueue(1), Operation::Enqueue(2), Operation::Dequeue, Operation::Dequeue]
                .into_iter()
                .flat_map(|operation| [Value::Int(7), Value::Int(8)].map(|key| (key, operation)))
                .collect();
        let got = |value| Response::Dequeued(Some(value));
        // In queue 7 the second value comes out first.
        let responses = [
            Response::Enqueued,
            Response::Enqueued,
            Response::Enqueued,
            Response::Enqueued,
            got(2),
            got(1),
            got(1),
            got(2),
        ];
        let times = [(0, 10), (1, 11), (2, 12), (3, 13), (20, 21), (22, 23), (24, 25), (26, 27)];
        let seen: Vec<_> = operations
            .iter()
            .zip(&responses)
            .zip(times)
            .map(|((operation, response), (invoked, returned))| Seen {
                operation,
                response: Some(response),
                invoked,
                returned: Some(returned),
            })
            .collect();
        assert_eq!(PerKey(Queue::new()).precedence(&seen), [(2, 0), (1, 3)]);
    }
}
