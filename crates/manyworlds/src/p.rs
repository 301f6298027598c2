//! Programs in the language P: a test of such a program is a [`Subject`](crate::Subject) like others.
//!
//! ```
//! use manyworlds::check;
//! use manyworlds::p::Program;
//!
//! let program = Program::from_text("coin.p", "machine Main { start state S { entry { assert $, \"tails\"; } } }");
//! let tests = program.tests().expect("there are no errors");
//! let answer = check(&tests[0]).run()?;
//! assert!(answer.violation().unwrap().message.contains("tails"));
//! # Ok::<(), manyworlds::Refused>(())
//! ```

use crate::options::Options;
use crate::states::{Seen, check_states};
use crate::subject::{Answer, IntoSubject, Refused, Subject, refuse_engine};
use crate::{Engine, Observer, Replayed, Trace, TraceError, TraceStep};
use manyworlds_core::decides::SubjectKind;
use manyworlds_explore::replay;
use manyworlds_p::ast::ParamValue;
use manyworlds_p::lower::lower;
pub use manyworlds_p::project::{Compiled, Disk, Files};
use manyworlds_p::project::{compile, compile_text};
use manyworlds_p_ir as ir;
use manyworlds_p_run::System;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// A P program that was read and checked.
pub struct Program {
    compiled: Compiled,
}

/// A test of a P program, or one instance of a test with parameters.
#[derive(Clone)]
pub struct Test {
    program: Arc<ir::Program>,
    name: String,
    instance: String,
    params: Map<String, Value>,
}

impl Program {
    /// Reads the program that a path stands for: a `.p` file, a `.pproj`, or a directory.
    ///
    /// # Errors
    /// If there is no program. What is wrong with the program is found in [`Program::compiled`].
    pub fn read(path: &Path) -> Result<Program, String> {
        Ok(Program { compiled: compile(path, &Disk)? })
    }

    /// A program that is one text.
    pub fn from_text(path: &str, text: &str) -> Program {
        Program { compiled: compile_text(path, text) }
    }

    /// The sources, and what is wrong with them.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The tests in the order of the source; nothing if the program has errors.
    pub fn tests(&self) -> Option<Vec<Test>> {
        if self.compiled.diagnostics.has_errors() {
            return None;
        }
        let checked = &self.compiled.program;
        let program = Arc::new(lower(checked, &self.compiled.sources));
        let test = |test: &manyworlds_p::hir::Test| {
            let mut params = Map::new();
            params.insert("test".to_string(), Value::from(&*test.name));
            for &(param, value) in &test.params {
                let value = match value {
                    ParamValue::Int(value) => Value::from(value),
                    ParamValue::Bool(value) => Value::from(value),
                };
                params.insert(checked.params[param].name.name.to_string(), value);
            }
            let (name, instance) = (test.name.to_string(), test.instance.clone());
            Test { program: program.clone(), name, instance, params }
        };
        Some(checked.tests.iter().map(test).collect())
    }
}

impl Test {
    /// The name that is written in the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of this instance: the name with the values of parameters.
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// The name, as `test`, and the values of parameters.
    pub fn params(&self) -> &Map<String, Value> {
        &self.params
    }

    fn system(&self) -> Result<System, Refused> {
        System::new(self.program.clone(), &self.instance).map_err(|why| Refused(why.to_string()))
    }
}

impl Subject for Test {
    fn kind(&self) -> &'static str {
        "P program"
    }

    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        let refused = [
            (options.network.is_some(), "network", "machines have one inbox each"),
            (options.decidable, "decidable", "it is for actors; a P program is asked everything"),
            (options.losses.is_some(), "losses", "a P program says itself what can be lost"),
            (options.reduce, "reduce", "persistent sets are for actors"),
            (options.symmetry, "symmetry", "it is for actors and specifications"),
        ];
        if let Some((_, option, why)) = refused.iter().find(|(given, ..)| *given) {
            return Err(Refused(format!("option {option}: {why}")));
        }
        let (engine, why) = match options.engine {
            Engine::Auto => (Engine::Bfs, Some("breadth-first finds a shortest counterexample".to_string())),
            engine => (engine, None),
        };
        refuse_engine(engine, SubjectKind::Specification)?;
        let (system, fresh) = (self.system()?, self.system()?);
        let seen = check_states(&system, &fresh, engine, options, None, observer)?;
        let Seen { outcome, coverage, frontier, omission } = seen;
        let name = options.name_or(&self.instance);
        Ok(Answer { name, outcome, engine, why, network: None, coverage, frontier, omission })
    }

    fn replay_with(
        &self,
        _: &Options,
        trace: &Trace,
        show: &mut dyn FnMut(usize, &TraceStep),
    ) -> Result<Replayed, TraceError> {
        match self.system() {
            Ok(system) => replay(&system, trace, show),
            Err(_) => Ok(Replayed::Gone),
        }
    }
}

impl IntoSubject for Test {
    type Subject = Test;

    fn into_subject(self) -> Test {
        self
    }
}

impl IntoSubject for &Test {
    type Subject = Test;

    fn into_subject(self) -> Test {
        self.clone()
    }
}
