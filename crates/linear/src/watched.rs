//! Online checking of a history: a [`Stage`] over the values of a specification.

use crate::interner::Interner;
use crate::spec::Spec;
use crate::stage::{Relation, Stage, Stuck};
use std::fmt;
use std::sync::Arc;

/// A history that is checked while it is recorded: represents every way in which its operations may have taken effect.
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
    interned: Interned<S>,
    stage: Stage,
}

impl<S: Spec> Watched<S> {
    /// Creates an empty history.
    pub fn new(spec: Arc<S>) -> Watched<S> {
        let (mut states, operations, responses) = (Interner::new(), Interner::new(), Interner::new());
        let stage = Stage::new(states.intern(spec.initial()));
        Watched { interned: Interned { spec, states, operations, responses }, stage }
    }

    /// A process invokes an operation. If the process has an open operation, it abandons it: the abandoned operation may still take effect.
    pub fn invoke(&mut self, process: u16, operation: S::Operation) {
        let operation = self.interned.operations.intern(operation);
        self.stage = self.stage.invoke(process, operation);
    }

    /// The open operation of a process returns. On an error the history is unchanged.
    pub fn respond(&mut self, process: u16, response: S::Response) -> Result<(), Unexplained<S>> {
        let number = self.interned.responses.intern(response.clone());
        match self.stage.respond(process, number, &mut self.interned) {
            Ok(stage) => {
                self.stage = stage;
                Ok(())
            }
            Err(why) => {
                let open = self.stage.open().iter().find(|open| open.awaited && open.process == process);
                let operation = open.map(|open| self.interned.operations.value(open.operation).clone());
                Err(Unexplained { why, operation, response })
            }
        }
    }
}

/// A response that no linearization explains.
pub struct Unexplained<S: Spec> {
    /// The reason.
    pub why: Stuck,
    /// The operation that returned it.
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

/// A specification with interned states, operations and responses.
struct Interned<S: Spec> {
    spec: Arc<S>,
    states: Interner<S::State>,
    operations: Interner<S::Operation>,
    responses: Interner<S::Response>,
}

impl<S: Spec> Relation for Interned<S> {
    fn outcomes(&mut self, state: u32, operation: u32) -> Vec<(u32, u32)> {
        let mut outcomes = Vec::new();
        self.spec.outcomes(self.states.value(state), self.operations.value(operation), &mut outcomes);
        outcomes.into_iter().map(|(s, r)| (self.states.intern(s), self.responses.intern(r))).collect()
    }

    fn key(&self, operation: u32) -> Option<u64> {
        self.spec.key(self.operations.value(operation))
    }
}
