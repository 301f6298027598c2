//! Checks histories while they are recorded: a specification monitors which operations are invoked and what they return. The part of a
//! history that determines which continuations are linearizable is a [`Stage`]. Its id is part of the environment, so an engine that merges
//! equal states merges histories with equal futures.
//!
//! The code of the specification runs once for each (state, operation), like a handler.

use crate::context::{Note, NoteKind};
use crate::erased::Value;
use crate::step::Step;
use crate::system::{Blueprint, System};
use crate::table::{Entries, Mirrors};
use crate::worlds::Worlds;
use manyworlds_core::{Location, Requirement, Violation, panics};
use manyworlds_explore::{HistoryEvent, HistoryKind, fingerprint};
use manyworlds_linear::Spec;
use manyworlds_linear::stage::{NOT_YET, Relation, Stage, Stuck, UNHEARD};
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The states after an operation, each with the response.
type Outcomes<T> = Vec<(T, T)>;

/// A specification with erased types.
pub trait AnySpec: Send + Sync {
    /// The initial state of the object.
    fn initial(&self) -> Arc<dyn Value>;
    /// The outcomes of an operation in a state.
    fn outcomes(&self, state: &dyn Value, operation: &dyn Value) -> Outcomes<Arc<dyn Value>>;
    /// The part of the object that an operation accesses.
    fn key(&self, operation: &dyn Value) -> Option<u64>;
    /// An error message if the value of a note does not have the specification's type.
    fn complaint(&self, note: &Note) -> Option<String>;
}

impl<S: Spec> AnySpec for S {
    fn initial(&self) -> Arc<dyn Value> {
        Arc::new(Spec::initial(self))
    }

    fn outcomes(&self, state: &dyn Value, operation: &dyn Value) -> Outcomes<Arc<dyn Value>> {
        let mut outcomes = Vec::new();
        if let (Some(state), Some(operation)) = (state.as_any().downcast_ref(), operation.as_any().downcast_ref()) {
            Spec::outcomes(self, state, operation, &mut outcomes);
        }
        let erase = |(state, response)| (Arc::new(state) as Arc<dyn Value>, Arc::new(response) as Arc<dyn Value>);
        outcomes.into_iter().map(erase).collect()
    }

    fn key(&self, operation: &dyn Value) -> Option<u64> {
        Spec::key(self, operation.as_any().downcast_ref()?)
    }

    fn complaint(&self, note: &Note) -> Option<String> {
        let (value, what, wanted) = match note.kind {
            NoteKind::Invoked if !note.value.as_any().is::<S::Operation>() => {
                (&note.value, "an operation", std::any::type_name::<S::Operation>())
            }
            NoteKind::Returned if !note.value.as_any().is::<S::Response>() => {
                (&note.value, "a response", std::any::type_name::<S::Response>())
            }
            _ => return None,
        };
        let found = value.type_name();
        Some(format!("{what} of type `{found}` was recorded; the specification speaks of `{wanted}`"))
    }
}

/// The results of the specification so far.
#[derive(Default)]
pub struct SpecCache {
    outcomes: FxHashMap<(u32, u32), Outcomes<u32>>,
    keys: FxHashMap<u32, Option<u64>>,
}

/// The specification as a relation over ids of values.
struct Ids<'a> {
    entries: &'a mut Entries,
    spec: &'a dyn AnySpec,
    /// The message and the location of its first panic.
    panic: Option<(String, Option<Location>)>,
}

impl Relation for Ids<'_> {
    fn outcomes(&mut self, state: u32, operation: u32) -> Outcomes<u32> {
        if let Some(known) = self.entries.spec_cache.outcomes.get(&(state, operation)) {
            return known.clone();
        }
        let [before, what] = [state, operation].map(|id| self.entries.values.get(id).value.clone());
        let result = panics::listen(|| catch_unwind(AssertUnwindSafe(|| self.spec.outcomes(&*before, &*what))));
        let outcomes = match result {
            Ok(outcomes) => outcomes,
            // Not cached: every call with these arguments must report the panic.
            Err(payload) => {
                self.panic.get_or_insert(panics::take(payload.as_ref()));
                return Vec::new();
            }
        };
        let entries = &mut *self.entries;
        let ids: Outcomes<u32> = outcomes.into_iter().map(|(s, r)| (entries.value(s), entries.value(r))).collect();
        entries.spec_cache.outcomes.insert((state, operation), ids.clone());
        ids
    }

    fn key(&self, operation: u32) -> Option<u64> {
        self.entries.spec_cache.keys.get(&operation).copied().flatten()
    }
}

impl Entries {
    /// The id of a stage.
    pub fn stage(&mut self, stage: Stage) -> u32 {
        let values = &self.values;
        let print = |id: u32| if id == NOT_YET || id == UNHEARD { u128::from(id) } else { values.print(id) };
        self.stages.intern(stage, |stage| {
            let open: Vec<_> = stage.open().iter().map(|o| (o.process, o.awaited, print(o.operation))).collect();
            // The rows are sorted by ids, which differ between runs, so their fingerprints are summed.
            let row = |row: &[u32]| fingerprint::of(&row.iter().map(|&id| print(id)).collect::<Vec<_>>());
            fingerprint::of(&(open, stage.rows().map(row).fold(0, u128::wrapping_add)))
        })
    }

    /// The stage of the empty history.
    pub fn first_stage(&mut self, spec: &dyn AnySpec) -> u32 {
        let initial = self.value(spec.initial());
        self.stage(Stage::new(initial))
    }

    /// The stage after the notes of an actor, or the number of the failure.
    pub fn recorded(&mut self, blueprint: &Blueprint, stage: u32, actor: u16, notes: &[Note]) -> Result<u32, u32> {
        let spec = blueprint.spec.clone().expect("a specification monitors the history");
        let mut stage = (**self.stages.get(stage)).clone();
        for note in notes {
            stage = self.after_note(&*spec, stage, actor, note)?;
        }
        Ok(self.stage(stage))
    }

    /// The stage after one note of an actor, or the number of the failure.
    fn after_note(&mut self, spec: &dyn AnySpec, stage: Stage, actor: u16, note: &Note) -> Result<Stage, u32> {
        if let Some(complaint) = spec.complaint(note) {
            return Err(self.fail(Requirement::ApiContract, complaint, None));
        }
        let value = self.value(note.value.clone());
        match note.kind {
            NoteKind::Invoked => {
                let result = panics::listen(|| catch_unwind(AssertUnwindSafe(|| spec.key(&*note.value))));
                let key = result.map_err(|payload| {
                    let (words, location) = panics::take(payload.as_ref());
                    self.fail(Requirement::Assertion, format!("the specification panics: {words}"), location)
                })?;
                self.spec_cache.keys.insert(value, key);
                Ok(stage.invoke(actor, value))
            }
            NoteKind::Returned => self.returned(spec, &stage, actor, value),
            NoteKind::Linearized | NoteKind::Recorded | NoteKind::Text => Ok(stage),
        }
    }

    /// Checks a whole history; its labels are ids of values.
    fn check_history(&mut self, spec: &dyn AnySpec, history: &[HistoryEvent]) -> Result<(), (u16, u32)> {
        let initial = self.value(spec.initial());
        let mut stage = Stage::new(initial);
        for event in history {
            let kind = match event.kind {
                HistoryKind::Invoked => NoteKind::Invoked,
                HistoryKind::Returned => NoteKind::Returned,
            };
            let note = Note { kind, value: self.values.get(event.label).value.clone() };
            let actor = event.process as u16;
            stage = self.after_note(spec, stage, actor, &note).map_err(|failure| (actor, failure))?;
        }
        Ok(())
    }

    fn returned(&mut self, spec: &dyn AnySpec, stage: &Stage, actor: u16, response: u32) -> Result<Stage, u32> {
        let mut ids = Ids { entries: self, spec, panic: None };
        let next = stage.respond(actor, response, &mut ids);
        if let Some((words, location)) = ids.panic {
            return Err(self.fail(Requirement::Assertion, format!("the specification panics: {words}"), location));
        }
        let show = |id: u32| self.values.get(id).value.show();
        let (property, message) = match next {
            Ok(stage) => return Ok(stage),
            Err(Stuck::NotInvoked) => {
                (Requirement::ApiContract, format!("{} was returned, but no operation is open", show(response)))
            }
            Err(Stuck::NotLinearizable) => {
                let open = stage.open().iter().find(|open| open.awaited && open.process == actor);
                let operation = open.map_or_else(String::new, |open| show(open.operation));
                let words = format!(
                    "{operation} returned {}, which no order of the operations so far explains",
                    show(response)
                );
                (Requirement::Linearizable, words)
            }
        };
        Err(self.fail(property, message, None))
    }

    fn fail(&mut self, property: Requirement, message: String, location: Option<Location>) -> u32 {
        self.failures.intern(Violation { property, message, location, process: None }, fingerprint::of)
    }
}

impl System {
    /// An error message if `initial` of the specification panics.
    pub fn specification_failure(&self) -> Option<String> {
        let spec = self.blueprint().spec.clone()?;
        let payload = panics::listen(|| catch_unwind(AssertUnwindSafe(|| drop(spec.initial())))).err()?;
        let (words, place) = panics::take(payload.as_ref());
        let place = place.map(|place| format!(" (at {place})")).unwrap_or_default();
        Some(format!("`initial` of the specification panics: {words}{place}"))
    }
}

impl Mirrors {
    /// Whether a step records an event of a history.
    pub(crate) fn records(&self, step: &Step) -> bool {
        step.handler().is_some_and(|(effects, branch)| self.effects[effects as usize][usize::from(branch)].records())
    }
}

impl Worlds {
    /// Whether a specification monitors the history.
    pub(crate) fn monitors(&self) -> bool {
        self.is_monitored() && self.blueprint().spec.is_some()
    }

    /// Whether a whole history satisfies the specification; `None` if there is no specification.
    pub(crate) fn check_history(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        let spec = self.blueprint().spec.clone()?;
        let checked = self.with_entries(|entries, _| {
            entries
                .check_history(&*spec, history)
                .map_err(|(actor, failure)| (actor, (**entries.failures.get(failure)).clone()))
        });
        let name = |actor: u16| Some(self.blueprint().actors[usize::from(actor)].name.clone());
        Some(checked.map_err(|(actor, violation)| Violation { process: name(actor), ..violation }))
    }
}
