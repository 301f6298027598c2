//! Programs in the language P: a test of such a program is a [`Subject`] like others.
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
use crate::states::{Seen, check_states, labelled};
use crate::subject::{Answer, IntoSubject, Refused, Subject, bounds, confirmed, refuse_engine, watch};
use crate::{Engine, Observer, Outcome, Replayed, StopReason, Trace, TraceError, TraceStep, Verdict};
use manyworlds_core::Semantics;
use manyworlds_core::decides::SubjectKind;
use manyworlds_explore::{narrate, replay};
use manyworlds_p::ast::ParamValue;
use manyworlds_p::lower::lower;
pub use manyworlds_p::project::{Compiled, Disk, Files};
use manyworlds_p::project::{compile, compile_text};
use manyworlds_p_ir as ir;
use manyworlds_p_run::System;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// `auto` visits this number of states before it takes random walks.
const FEW_STATES: u64 = 50_000;

/// The random walks that `auto` takes.
const WALKS: u64 = 1_000;

/// The steps of a walk.
const WALK: u64 = 1_000;

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

    /// Whether some specification of the test has a hot state.
    fn has_hot_states(&self) -> bool {
        let hot = |machine: &ir::Machine| machine.states.iter().any(|state| state.temperature == ir::Temperature::Hot);
        let test = self.program.test(&self.instance);
        test.is_some_and(|test| {
            let judged = |attached: &ir::Attached| {
                let machine = self.program.machine(attached.spec);
                machine.kind == ir::MachineKind::Spec && hot(machine)
            };
            test.specs.iter().any(judged)
        })
    }

    /// Breadth-first search, and a sample of random walks once it is known that there are many states: walks reach deep states that breadth-first search
    /// reaches late. Counts decide, not the clock, so the answer is the same each time.
    fn auto(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        let started = Instant::now();
        let left = || options.timeout.map(|time| time.saturating_sub(started.elapsed()));
        let few = options.max_states.is_some_and(|most| most <= FEW_STATES);
        let states = Some(options.max_states.unwrap_or(FEW_STATES).min(FEW_STATES));
        let mut answer = self.search(Engine::Bfs, &Options { max_states: states, ..options.clone() }, observer)?;
        let large = answer.outcome.stopped() == Some(StopReason::MaxStates);
        answer.why = Some("breadth-first finds a shortest counterexample".to_string());
        if few || !large {
            answer.outcome.scope.bounds = bounds(options);
            return Ok(answer);
        }
        let walks = Options {
            max_states: None,
            max_executions: Some(WALKS),
            max_depth: Some(options.max_depth.unwrap_or(WALK)),
            timeout: left().map(|time| time / 4),
            exact: false,
            reduce: false,
            ..options.clone()
        };
        let mut sampled = self.search(Engine::Random, &walks, observer)?;
        if matches!(sampled.outcome.verdict, Verdict::Violated { .. }) {
            sampled.why = Some("there are many states, and random walks found a violation first".to_string());
            return Ok(sampled);
        }
        let mut answer = self.search(Engine::Bfs, &Options { timeout: left(), ..options.clone() }, observer)?;
        answer.why = Some(format!("breadth-first, after {WALKS} random walks that found nothing"));
        answer.outcome.scope.bounds = bounds(options);
        Ok(answer)
    }

    /// Runs an engine; breadth-first and depth-first search are followed by a search for cycles.
    fn search(&self, engine: Engine, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        let (system, fresh) = (self.system()?, self.system()?);
        let started = Instant::now();
        let judges = matches!(engine, Engine::Bfs | Engine::Dfs) && self.has_hot_states();
        // The search for cycles gets half of the time, and what the first one leaves.
        let first =
            Options { timeout: options.timeout.map(|time| if judges { time / 2 } else { time }), ..options.clone() };
        let seen = check_states(&system, &fresh, engine, &first, None, observer)?;
        let Seen { mut outcome, coverage, frontier, omission } = seen;
        if judges && matches!(outcome.verdict, Verdict::Verified | Verdict::Incomplete { .. }) {
            let timeout = options.timeout.map(|time| time.saturating_sub(started.elapsed()));
            judge_cycles((&system, &fresh), engine, &Options { timeout, ..options.clone() }, observer, &mut outcome);
        }
        outcome.scope.semantics.push(Semantics::PReference);
        outcome.scope.bounds = bounds(options);
        let name = options.name_or(&self.instance);
        Ok(Answer { name, outcome, engine, why: None, network: None, coverage, frontier, omission })
    }

    fn system(&self) -> Result<System, Refused> {
        System::new(self.program.clone(), &self.instance).map_err(|why| Refused(why.to_string()))
    }
}

/// Searches for fair cycles on which a specification stays hot, and changes the outcome if there is one, or if the search was stopped.
fn judge_cycles(
    (system, fresh): (&System, &System),
    engine: Engine,
    options: &Options,
    observer: Option<&dyn Observer>,
    outcome: &mut Outcome,
) {
    let watch = watch(options, observer);
    let liveness = system.liveness(options.max_states, &watch);
    match liveness.found {
        Some(lasso) => {
            let trace = labelled(narrate(system, &lasso.path, lasso.violation), engine, options, None);
            let replayed = replay(fresh, &trace, |_, _| {});
            outcome.verdict = confirmed(trace, replayed, "the P program");
            outcome.stats.violations = u64::from(matches!(outcome.verdict, Verdict::Violated { .. }));
        }
        None => {
            if let (Verdict::Verified, Some(reason)) = (&outcome.verdict, liveness.stopped) {
                outcome.verdict = Verdict::Incomplete { reason };
            }
        }
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
            (options.symmetry, "symmetry", "it is for actors and specifications"),
        ];
        if let Some((_, option, why)) = refused.iter().find(|(given, ..)| *given) {
            return Err(Refused(format!("option {option}: {why}")));
        }
        let engine = if options.engine == Engine::Auto { Engine::Bfs } else { options.engine };
        refuse_engine(engine, SubjectKind::Specification)?;
        if options.engine != Engine::Auto {
            return self.search(engine, options, observer);
        }
        self.auto(options, observer)
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
