//! Explains why a history is not linearizable, by running the checker for recorded histories on the history of a trace.
//!
//! A trace contains the fingerprints of the recorded values. All of them are in the table, so the values are looked up there by
//! fingerprint.

use crate::context::{Note, NoteKind};
use crate::erased::Value;
use crate::history::AnySpec;
use crate::table::Entries;
use crate::worlds::Worlds;
use manyworlds_core::{Fingerprint, Trace, TraceHistory, TraceValue, panics};
use manyworlds_linear::{Operation, Spec, first_impossible};
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A value with an erased type that can be compared and hashed.
#[derive(Clone, Debug)]
struct Erased(Arc<dyn Value>);

impl PartialEq for Erased {
    fn eq(&self, other: &Erased) -> bool {
        self.0.same(&*other.0)
    }
}

impl Eq for Erased {}

impl Hash for Erased {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.print().hash(state);
    }
}

/// Adapts a specification with erased types to the trait [`Spec`].
struct Known(Arc<dyn AnySpec>);

impl Spec for Known {
    type State = Erased;
    type Operation = Erased;
    type Response = Erased;

    fn initial(&self) -> Erased {
        Erased(self.0.initial())
    }

    fn outcomes(&self, state: &Erased, operation: &Erased, out: &mut Vec<(Erased, Erased)>) {
        let outcomes = self.0.outcomes(&*state.0, &*operation.0);
        out.extend(outcomes.into_iter().map(|(state, response)| (Erased(state), Erased(response))));
    }

    fn key(&self, operation: &Erased) -> Option<u64> {
        self.0.key(&*operation.0)
    }
}

type Operations = Vec<Operation<Erased, Erased>>;

impl Worlds {
    /// The history that a trace records, with an explanation if it is not linearizable.
    pub fn explained(&self, trace: &Trace) -> Option<TraceHistory> {
        let recorded = TraceHistory::recorded(trace)?;
        let Some(spec) = self.blueprint().spec.clone() else { return Some(recorded) };
        let explain = || {
            let operations = self.with_entries(|entries, _| operations(entries, &recorded))?;
            first_impossible(&Known(spec), &operations)
        };
        // The specification is user code.
        let explained = panics::listen(|| catch_unwind(AssertUnwindSafe(explain))).ok().flatten();
        Some(match explained {
            Some(found) => TraceHistory {
                linearization: found.prefix,
                stuck: found.stuck,
                minimal: found.minimal.filter(|_| found.is_minimal).unwrap_or_default(),
                core: found.core.unwrap_or_default(),
                ..recorded
            },
            None => recorded,
        })
    }
}

/// The operations of a history as values. Positions are ranks in the order of events, because one step may record several events.
fn operations(entries: &Entries, recorded: &TraceHistory) -> Option<Operations> {
    let known = Known::values(entries);
    let find = |kind, value: &TraceValue| known.get(&(kind, value.id?)).cloned();
    let mut events: Vec<(usize, usize, bool)> = Vec::new();
    for (number, operation) in recorded.operations.iter().enumerate() {
        events.push((operation.invoked, number, false));
        events.extend(operation.returned.map(|at| (at, number, true)));
    }
    events.sort_unstable();
    let position = |event: (usize, usize, bool)| events.binary_search(&event).expect("an event of the history");
    let operation = |(number, recorded_operation): (usize, &manyworlds_core::TraceOperation)| {
        let response = match &recorded_operation.response {
            Some(response) => Some(find(NoteKind::Returned, response)?),
            None => None,
        };
        Some(Operation {
            process: recorded_operation.process,
            operation: find(NoteKind::Invoked, &recorded_operation.call)?,
            invoked: position((recorded_operation.invoked, number, false)),
            returned: recorded_operation.returned.map(|at| position((at, number, true))),
            response,
        })
    };
    recorded.operations.iter().enumerate().map(operation).collect()
}

impl Known {
    /// Every recorded operation and response, by its fingerprint.
    fn values(entries: &Entries) -> FxHashMap<(NoteKind, Fingerprint), Erased> {
        let notes = entries.effects.iter().flat_map(|effects| effects.iter()).flat_map(|branch| &branch.notes);
        let of_histories = notes.filter(|note| matches!(note.kind, NoteKind::Invoked | NoteKind::Returned));
        of_histories.map(|Note { kind, value }| ((*kind, Fingerprint(value.print())), Erased(value.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn erased<T: Value>(value: T) -> Erased {
        Erased(Arc::new(value))
    }

    #[test]
    fn values_are_compared_as_what_they_are() {
        assert_eq!(erased(1u8), erased(1u8));
        assert_ne!(erased(1u8), erased(2u8));
        assert_ne!(erased(1u8), erased(1u16));
    }
}
