//! Many objects of a kind, one for each key: what names keys is checked once for each of them.
//!
//! Objects know nothing of each other, so a history of them is linearizable if and only if that of each is (P-compositionality); the key of
//! an operation is all that [`Spec::key`] needs. Sequential consistency has no such property, and is asked of all objects together.

use crate::spec::{Seen, Spec, key_of};
use crate::value::Value;
use std::collections::BTreeMap;

/// An object for each key.
pub struct PerKey<S>(pub S);

impl<S: Spec> Spec for PerKey<S> {
    /// The objects that are not as at the start.
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
            // Equal objects must be equal states, touched or not.
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
