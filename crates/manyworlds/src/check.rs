//! The one way to run anything: [`check`] takes a subject, the builder says how to run it, and the [`Answer`] says what came of it.

use crate::options::{Options, Rebuild};
use crate::program::Program;
use crate::subject::{Answer, IntoSubject, Refused, Subject};
use manyworlds_core::{Engine, Network, Observer, Policy, Replayed, Trace, TraceError, TraceStep};
use manyworlds_graph::World;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Checks a program (also a closure), a system of actors or a specification.
///
/// ```
/// use manyworlds::prelude::*;
///
/// let answer = check(|| {
///     let server = spawn(|| recv::<u32>() + recv::<u32>());
///     spawn(move || send(server.pid(), 1u32));
///     spawn(move || send(server.pid(), 2u32));
///     assert_eq!(server.join(), 3);
/// })
/// .name("sum")
/// .threads(2)
/// .run()?;
/// answer.assert_verified();
/// assert_eq!(answer.stats.executions, Some(2)); // 1 arrives first, or 2 does
/// println!("{answer}");
/// # Ok::<(), Refused>(())
/// ```
pub fn check<S: IntoSubject>(subject: S) -> Check<S::Subject> {
    Check { subject: subject.into_subject(), options: Options::default() }
}

/// A subject, and how to run it.
#[derive(Clone)]
pub struct Check<S> {
    subject: S,
    options: Options,
}

impl<S> Check<S> {
    /// All options at once.
    pub fn options(mut self, options: Options) -> Check<S> {
        self.options = options;
        self
    }

    /// The name under which traces are written and the answer is displayed.
    pub fn name(mut self, name: impl Into<String>) -> Check<S> {
        self.options.name = name.into();
        self
    }

    /// The parameters that traces mention.
    pub fn params(mut self, params: Map<String, Value>) -> Check<S> {
        self.options.params = params;
        self
    }

    /// The engine; one that suits the subject if not given.
    pub fn engine(mut self, engine: Engine) -> Check<S> {
        self.options.engine = engine;
        self
    }

    /// The network of operations and channels that have none of their own, instead of the subject's.
    pub fn network(mut self, network: Network) -> Check<S> {
        self.options.network = Some(network);
        self
    }

    /// How many messages may be lost, instead of what the subject says.
    pub fn losses(mut self, losses: u32) -> Check<S> {
        self.options.losses = Some(losses);
        self
    }

    /// The number of workers; 1 if not given. Counts do not depend on it.
    pub fn threads(mut self, threads: usize) -> Check<S> {
        self.options.threads = threads;
        self
    }

    /// The seed of random walks and schedules.
    pub fn seed(mut self, seed: u64) -> Check<S> {
        self.options.seed = seed;
        self
    }

    /// The order in which `must` runs processes. Counts do not depend on it.
    pub fn policy(mut self, policy: Policy) -> Check<S> {
        self.options.policy = policy;
        self
    }

    /// Stops after so many executions (`random`: walks; schedulers: schedules).
    pub fn max_executions(mut self, max: u64) -> Check<S> {
        self.options.max_executions = Some(max);
        self
    }

    /// Stops after so many distinct states.
    pub fn max_states(mut self, max: u64) -> Check<S> {
        self.options.max_states = Some(max);
        self
    }

    /// Cuts executions off after so many events, paths after so many steps.
    pub fn max_depth(mut self, max: u64) -> Check<S> {
        self.options.max_depth = Some(max);
        self
    }

    /// Cuts an execution off when one of its processes has done so many operations; for programs.
    pub fn max_steps(mut self, max: u64) -> Check<S> {
        self.options.max_steps = Some(max);
        self
    }

    /// Stops when the time is up.
    pub fn timeout(mut self, timeout: Duration) -> Check<S> {
        self.options.timeout = Some(timeout);
        self
    }

    /// Stops when the whole process uses more memory than this.
    pub fn max_memory(mut self, bytes: u64) -> Check<S> {
        self.options.max_memory = Some(bytes);
        self
    }

    /// Stops when the flag is set.
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Check<S> {
        self.options.cancel = Some(flag);
        self
    }

    /// Counts violations instead of stopping at the first.
    pub fn keep_going(mut self, keep_going: bool) -> Check<S> {
        self.options.keep_going = keep_going;
        self
    }

    /// Distinguishes executions by the order in which p2p messages arrive, read or not (Must §6.2); for programs.
    pub fn eager(mut self, eager: bool) -> Check<S> {
        self.options.eager = eager;
        self
    }

    /// Keeps whole states instead of fingerprints.
    pub fn exact(mut self, exact: bool) -> Check<S> {
        self.options.exact = exact;
        self
    }

    /// Explores persistent sets only.
    pub fn reduce(mut self, reduce: bool) -> Check<S> {
        self.options.reduce = reduce;
        self
    }

    /// Explores one of all states that are the same up to the names of identical actors.
    pub fn symmetry(mut self, symmetry: bool) -> Check<S> {
        self.options.symmetry = symmetry;
        self
    }

    /// Checks only what the engine can decide, instead of refusing everything; for actors.
    pub fn decidable(mut self, decidable: bool) -> Check<S> {
        self.options.decidable = decidable;
        self
    }

    /// Counts what was exercised, too.
    pub fn coverage(mut self, coverage: bool) -> Check<S> {
        self.options.coverage = coverage;
        self
    }

    /// How many actors the scheduler `delay` may skip in one schedule.
    pub fn delays(mut self, delays: u32) -> Check<S> {
        self.options.delays = Some(delays);
        self
    }

    /// How to build the subject again, so that sampled paths start from actors that were never used.
    pub fn rebuild(mut self, rebuild: Rebuild) -> Check<S> {
        self.options.rebuild = Some(rebuild);
        self
    }

    /// Bytes of stack for each process; for programs.
    pub fn stack_size(mut self, bytes: usize) -> Check<S> {
        self.options.stack_size = Some(bytes);
        self
    }

    /// How many local histories each worker remembers; a small number costs time, never a result. For programs.
    pub fn max_nodes(mut self, nodes: usize) -> Check<S> {
        self.options.max_nodes = Some(nodes);
        self
    }

    /// How many waiting coroutines each worker keeps; for programs.
    pub fn max_coroutines(mut self, coroutines: usize) -> Check<S> {
        self.options.max_coroutines = Some(coroutines);
        self
    }
}

impl<S: Subject> Check<S> {
    /// The kind of the subject, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.subject.kind() {
            "actors" => "system",
            kind => kind,
        }
    }

    /// Runs, and answers. It is refused if the engine cannot decide what is asked, or the options do not go together.
    pub fn run(&self) -> Result<Answer, Refused> {
        self.subject.check(&self.options, None)
    }

    /// The same; `observer` sees the progress.
    pub fn run_with(&self, observer: &dyn Observer) -> Result<Answer, Refused> {
        self.subject.check(&self.options, Some(observer))
    }

    /// Runs, for tests.
    ///
    /// # Panics
    /// If the run is refused, or its answer is anything but verified; see [`Answer::assert_verified`].
    #[track_caller]
    pub fn assert_verified(&self) -> Answer {
        match self.run() {
            Ok(answer) => {
                answer.assert_verified();
                answer
            }
            Err(refused) => panic!("{refused}"),
        }
    }

    /// Performs a trace step by step; `show` sees each step before it is done, with the source location it has in this program.
    pub fn replay(&self, trace: &Trace, mut show: impl FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        self.subject.replay_with(&self.options, trace, &mut show)
    }
}

impl Check<Program> {
    /// Every finished execution, sorted, and how many were visited twice. For tests: memory grows with the executions.
    pub fn worlds(&self) -> (Vec<World>, u64) {
        self.subject.worlds(&self.options)
    }

    /// Every finished execution as brute force finds it, sorted; `None` if that takes more than `max_steps` steps.
    pub fn brute_worlds(&self, max_steps: u64) -> Option<Vec<World>> {
        self.subject.brute_worlds(&self.options, max_steps)
    }
}
