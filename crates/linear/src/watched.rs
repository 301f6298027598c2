//! A history that is judged while it is made: a [`Stage`] over the values of a specification.

use crate::interner::Interner;
use crate::spec::Spec;
use crate::stage::{Relation, Stage, Stuck};
use std::fmt;
use std::sync::Arc;

/// What was recorded so far, and every way in which it may have taken effect.
///
/// ```
/// use manyworlds_linear::Watched;
/// use manyworlds_linear::specs::Register;
/// use manyworlds_linear::specs::register::{Operation, Response};
/// use std::sync::Arc;
///
/// let mut watched = Watched::new(Arc::new(Register::new(0)));
/// watched.invoke(1, Operation::Write(7));
/// watched.respond(1, Response::Written).unwrap();
/// watched.invoke(2, Operation::Read);
/// assert!(watched.respond(2, Response::Read(0)).is_err());
/// ```
pub struct Watched<S: Spec> {
    numbers: Numbers<S>,
    stage: Stage,
}

impl<S: Spec> Watched<S> {
    /// Nothing has happened.
    pub fn new(spec: Arc<S>) -> Watched<S> {
        let (mut states, operations, responses) = (Interner::new(), Interner::new(), Interner::new());
        let stage = Stage::new(states.intern(spec.initial()));
        Watched { numbers: Numbers { spec, states, operations, responses }, stage }
    }

    /// A process invokes an operation. One that it was waiting for is given up: it may still take effect.
    pub fn invoke(&mut self, process: u16, operation: S::Operation) {
        let operation = self.numbers.operations.intern(operation);
        self.stage = self.stage.invoke(process, operation);
    }

    /// The operation of a process returns. After an error nothing has changed.
    pub fn respond(&mut self, process: u16, response: S::Response) -> Result<(), Unexplained<S>> {
        let number = self.numbers.responses.intern(response.clone());
        match self.stage.respond(process, number, &mut self.numbers) {
            Ok(stage) => {
                self.stage = stage;
                Ok(())
            }
            Err(why) => {
                let open = self.stage.open().iter().find(|open| open.awaited && open.process == process);
                let operation = open.map(|open| self.numbers.operations.value(open.operation).clone());
                Err(Unexplained { why, operation, response })
            }
        }
    }
}

/// A response that cannot be.
pub struct Unexplained<S: Spec> {
    /// Why not.
    pub why: Stuck,
    /// What it answers.
    pub operation: Option<S::Operation>,
    /// The response.
    pub response: S::Response,
}

impl<S: Spec> fmt::Display for Unexplained<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.operation {
            Some(operation) => {
                let response = &self.response;
                write!(f, "{operation:?} returned {response:?}, which no order of the operations so far explains")
            }
            None => write!(f, "{:?} was returned, but no operation is open", self.response),
        }
    }
}

impl<S: Spec> fmt::Debug for Unexplained<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Numbers for whatever a specification speaks of.
struct Numbers<S: Spec> {
    spec: Arc<S>,
    states: Interner<S::State>,
    operations: Interner<S::Operation>,
    responses: Interner<S::Response>,
}

impl<S: Spec> Relation for Numbers<S> {
    fn outcomes(&mut self, state: u32, operation: u32) -> Vec<(u32, u32)> {
        let mut outcomes = Vec::new();
        self.spec.outcomes(self.states.value(state), self.operations.value(operation), &mut outcomes);
        outcomes.into_iter().map(|(s, r)| (self.states.intern(s), self.responses.intern(r))).collect()
    }

    fn key(&self, operation: u32) -> Option<u64> {
        self.spec.key(self.operations.value(operation))
    }
}
