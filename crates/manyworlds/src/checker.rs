//! The builder: a program, how to run it, and the [`Outcome`].

use crate::coverage::{Noted, Tally};
use crate::linearizable::{Explain, explain, listening};
use crate::subject::{confirmed, told};
use crate::watch::Watch;
use manyworlds_core::decides::{SubjectKind, runs};
use manyworlds_core::{
    Bounds, Budget, Deadlock, Engine, Explored, FaultBounds, Flaw, InvalidModel, LocalsFactory, Network, Observer,
    Outcome, Policy, Property, Replayed, Scope, Semantics, StopReason, Trace, TraceError, TraceStep, Verdict,
};
use manyworlds_graph::brute::{BruteConfig, brute_force, brute_watched};
use manyworlds_graph::replay::replay;
use manyworlds_graph::{Config, Ending, Report, World, explore};
use manyworlds_program::monitor::{Monitor, MonitorSpec};
use manyworlds_program::{Main, Program, ProgramConfig};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Checks a program in every world.
///
/// ```
/// use manyworlds::prelude::*;
///
/// let outcome = Checker::new(|| {
///     let server = spawn(|| recv::<u32>() + recv::<u32>());
///     spawn(move || send(server.pid(), 1u32));
///     spawn(move || send(server.pid(), 2u32));
///     assert_eq!(server.join(), 3);
/// })
/// .check();
/// assert!(outcome.is_verified());
/// assert_eq!(outcome.stats.executions, Some(2)); // 1 arrives first, or 2 does
/// ```
#[derive(Clone)]
pub struct Checker {
    mains: Vec<(String, Main)>,
    monitors: Vec<MonitorSpec>,
    explainers: Vec<Explain>,
    program: ProgramConfig,
    config: Config,
    engine: Engine,
    name: String,
    params: Map<String, Value>,
    seed: u64,
    timeout: Option<Duration>,
    max_memory: Option<u64>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Checker {
    /// A program with one main process, which spawns the others.
    pub fn new(main: impl Fn() + Send + Sync + 'static) -> Checker {
        Checker::empty().process("main", main)
    }

    /// A program without processes; add them with [`Checker::process`].
    pub fn empty() -> Checker {
        Checker {
            mains: Vec::new(),
            monitors: Vec::new(),
            explainers: Vec::new(),
            program: ProgramConfig::default(),
            config: Config::default(),
            engine: Engine::Must,
            name: "program".to_string(),
            params: Map::new(),
            seed: 0,
            timeout: None,
            max_memory: None,
            cancel: None,
        }
    }

    /// Adds a process that exists from the start. The `n`-th one added has the id `Pid::root(n)`, known to all.
    pub fn process(mut self, name: impl Into<String>, main: impl Fn() + Send + Sync + 'static) -> Checker {
        self.mains.push((name.into(), Arc::new(main)));
        self
    }

    /// Adds a monitor that starts as `make()` in every execution.
    pub fn monitor<S: Monitor>(mut self, make: impl Fn() -> S + Send + Sync + 'static) -> Checker {
        self.monitors.push(MonitorSpec::new(make));
        self
    }

    /// Adds a monitor.
    pub(crate) fn watch(mut self, monitor: MonitorSpec) -> Checker {
        self.monitors.push(monitor);
        self
    }

    /// Puts another monitor in the place of one.
    pub(crate) fn watch_instead(mut self, place: usize, monitor: MonitorSpec) -> Checker {
        self.monitors[place] = monitor;
        self
    }

    /// How many monitors there are.
    pub(crate) fn monitors(&self) -> usize {
        self.monitors.len()
    }

    /// Adds somebody who can say why a history is impossible.
    pub(crate) fn explain_with(mut self, explain: Explain) -> Checker {
        self.explainers.push(explain);
        self
    }

    /// The name under which traces are written.
    pub fn name(mut self, name: impl Into<String>) -> Checker {
        self.name = name.into();
        self
    }

    /// The parameters that traces mention.
    pub fn params(mut self, params: Map<String, Value>) -> Checker {
        self.params = params;
        self
    }

    /// The engine; [`Engine::Must`] if not given.
    ///
    /// # Panics
    /// If the engine does not run programs: only [`Engine::Must`] (or [`Engine::Auto`]) and [`Engine::Brute`] do.
    pub fn engine(mut self, engine: Engine) -> Checker {
        if let Err(why) = runs(engine, SubjectKind::Program) {
            panic!("engine `{engine}`: {why}");
        }
        self.engine = if engine == Engine::Auto { Engine::Must } else { engine };
        self
    }

    /// The network of operations that name none; p2p if not given.
    pub fn network(mut self, network: Network) -> Checker {
        self.program.network = network;
        self
    }

    /// The network of operations that name none.
    pub fn default_network(&self) -> Network {
        self.program.network
    }

    /// The number of workers; 1 if not given. Counts do not depend on it.
    pub fn threads(mut self, threads: usize) -> Checker {
        self.config.threads = threads.max(1);
        self
    }

    /// The order in which processes are run. Counts do not depend on it.
    pub fn policy(mut self, policy: Policy) -> Checker {
        self.config.policy = policy;
        self
    }

    /// The seed that traces mention.
    pub fn seed(mut self, seed: u64) -> Checker {
        self.seed = seed;
        self
    }

    /// Stops after so many executions.
    pub fn max_executions(mut self, max: u64) -> Checker {
        self.config.budget.executions = Some(max);
        self
    }

    /// Cuts executions off after so many events.
    pub fn max_depth(mut self, max: u64) -> Checker {
        self.config.budget.depth = Some(max);
        self
    }

    /// Stops when the time is up.
    pub fn timeout(mut self, timeout: Duration) -> Checker {
        self.timeout = Some(timeout);
        self
    }

    /// Stops when the whole process uses more memory than this.
    pub fn max_memory(mut self, bytes: u64) -> Checker {
        self.max_memory = Some(bytes);
        self
    }

    /// Stops when the flag is set.
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Checker {
        self.cancel = Some(flag);
        self
    }

    /// How many operations each process may do; its execution is cut off then and the outcome is incomplete.
    pub fn max_steps(mut self, max: u64) -> Checker {
        self.program.step_bound = max;
        self
    }

    /// How many messages `send_lossy` may lose in one execution; 0 if not given.
    pub fn loss_budget(mut self, losses: u32) -> Checker {
        self.config.loss_budget = losses;
        self
    }

    /// Whether processes that wait for ever are a violation; they are if not given.
    pub fn deadlock(mut self, deadlock: Deadlock) -> Checker {
        self.config.deadlock = deadlock;
        self
    }

    /// Counts violations instead of stopping at the first.
    pub fn keep_going(mut self, keep_going: bool) -> Checker {
        self.config.keep_going = keep_going;
        self
    }

    /// Bytes of stack for each process.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.program.stack_size = bytes;
        self
    }

    /// How many local histories each worker remembers. A small number costs time, never a result.
    pub fn max_nodes(mut self, nodes: usize) -> Checker {
        self.program.max_nodes = nodes.max(1);
        self
    }

    /// How many waiting coroutines each worker keeps.
    pub fn max_coroutines(mut self, coroutines: usize) -> Checker {
        self.program.max_coroutines = coroutines.max(1);
        self
    }

    /// Distinguishes executions by the order in which p2p messages arrive, read or not (Must §6.2). For comparison only.
    pub fn eager(mut self, eager: bool) -> Checker {
        self.config.eager = eager;
        self
    }

    /// Runs and answers.
    pub fn check(&self) -> Outcome {
        self.check_watched(None, None)
    }

    /// Runs and answers; `observer` sees the progress.
    pub fn check_with(&self, observer: &dyn Observer) -> Outcome {
        self.check_watched(Some(observer), None)
    }

    /// The outcome for people: the counterexample as a chart, if there is one, and the verdict with its figures.
    pub fn report(&self, outcome: &Outcome) -> String {
        told(&self.name, outcome)
    }

    /// Every finished world, sorted, and how many were visited twice. For tests: memory grows with the worlds.
    pub fn worlds(&self) -> (Vec<World>, u64) {
        let config = Config { collect_worlds: true, keep_going: true, ..self.config.clone() };
        let report = match self.engine {
            Engine::Brute => self.brute(&self.program(), &config, &Watch::idle()),
            _ => explore(&self.program(), &config, &Watch::idle()),
        };
        (report.worlds, report.duplicates)
    }

    /// Every finished world as brute force finds it, sorted; `None` if that takes more than `max_steps` steps.
    pub fn brute_worlds(&self, max_steps: u64) -> Option<Vec<World>> {
        let limits = BruteConfig { max_steps, ..self.brute_limits(&self.config) };
        let worlds = brute_force(&mut self.program().make(), &limits).ok()?;
        Some(worlds.into_iter().collect())
    }

    /// Performs a trace step by step; `show` sees each step before it is done, with the source location it has in this program.
    pub fn replay(&self, trace: &Trace, show: impl FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        let replayed = replay(&mut self.program().make(), trace, show)?;
        Ok(if self.forgives(trace) { Replayed::Gone } else { replayed })
    }

    /// Whether the trace is no violation as this run is configured: it waits where waiting is allowed, or needs more losses than there may be.
    fn forgives(&self, trace: &Trace) -> bool {
        let waits = trace.violation.property == Property::Deadlock && self.config.deadlock == Deadlock::Allow;
        let losses = trace.steps.iter().filter(|step| step.kind.loses()).count();
        waits || losses > self.config.loss_budget as usize
    }

    fn program(&self) -> Program {
        let mut program = Program::new(self.mains.clone(), self.program);
        for monitor in &self.monitors {
            program.watch(monitor.clone());
        }
        program
    }

    pub(crate) fn check_watched(&self, observer: Option<&dyn Observer>, tally: Option<&Tally>) -> Outcome {
        let watch = Watch::new(self.timeout, self.max_memory, self.cancel.clone(), observer);
        let program = self.program();
        let report = match (self.engine, tally) {
            (Engine::Brute, _) => self.brute(&program, &self.config, &watch),
            (_, None) => explore(&program, &self.config, &watch),
            (_, Some(tally)) => explore(&Noted { program: &program, tally }, &self.config, &watch),
        };
        watch.explored();
        let Report { mut stats, counterexample, stopped, invalid, samples, .. } = report;
        stats.stopped = stopped.filter(|_| self.config.keep_going && stats.violations > 0);
        let verdict = match (counterexample, stopped) {
            _ if invalid.is_some() => Verdict::Invalid(Box::new(invalid.expect("checked"))),
            (Some(trace), _) if trace.violation.property == Property::Deterministic => self.not_deterministic(trace),
            (Some(trace), _) => self.violated(trace),
            (None, _) if stats.violations > 0 => self.brute_violated(),
            (None, Some(reason)) => Verdict::Incomplete { reason },
            (None, None) => Verdict::Verified,
        };
        let mut scope = Scope { isolation_samples: samples, ..self.scope() };
        scope.semantics.extend(program.used_weak_orderings().then_some(Semantics::WeakOrderingsRunAsSeqCst));
        scope.memory_not_observed = watch.memory_not_observed();
        Outcome { verdict, scope, stats }
    }

    /// Why there is nothing to check, if there is nothing.
    fn nothing_checked(&self) -> Option<String> {
        self.mains.is_empty().then(|| "the program has no processes: nothing was checked".to_string())
    }

    /// What is asked of the program, in words.
    pub(crate) fn asked(&self) -> Vec<String> {
        let deadlock = (self.config.deadlock == Deadlock::Forbid).then(|| "deadlock".to_string());
        let monitors = self.monitors.iter().map(|monitor| format!("monitor {}", monitor.name));
        std::iter::once("assertion".to_string()).chain(deadlock).chain(monitors).collect()
    }

    /// A trace with the name and the configuration of this run.
    fn labelled(&self, mut trace: Trace) -> Trace {
        trace.model.clone_from(&self.name);
        trace.params = self.params.clone();
        trace.engine = self.engine;
        trace.network = self.program.network;
        trace.seed = self.seed;
        trace
    }

    /// A process did something else when its history was run again. Such a trace cannot be replayed.
    fn not_deterministic(&self, trace: Trace) -> Verdict {
        let trace = self.labelled(trace);
        let process =
            trace.violation.process.as_ref().map_or("a process".to_string(), |name| format!("process `{name}`"));
        let invalid = InvalidModel::new(Flaw::NotDeterministic, format!("{process} is not deterministic"))
            .evidence(trace.violation.message.clone())
            .at(trace.violation.location.clone())
            .advice("a process may depend only on its arguments and on what it receives; use `choose` for a choice");
        Verdict::Invalid(Box::new(InvalidModel { trace: Some(Box::new(trace)), ..invalid }))
    }

    /// A violation is reported only if it happens again.
    fn violated(&self, trace: Trace) -> Verdict {
        let trace = self.labelled(trace);
        // An eager trace has steps that no program does, so it cannot be replayed.
        let (replayed, reasons) = listening(self, &self.explainers);
        let replay = if self.config.eager { Ok(Replayed::Reproduced) } else { replayed.replay(&trace, |_, _| {}) };
        let mut verdict = confirmed(trace, replay, "the program");
        if let Verdict::Violated { violation, trace } = &mut verdict
            && violation.property == Property::Linearizable
        {
            explain(reasons, violation, trace);
        }
        verdict
    }

    /// The naive twin only counts; the trace comes from the other engine, which must agree.
    fn brute_violated(&self) -> Verdict {
        match explore(&self.program(), &self.config, &Watch::idle()).counterexample {
            Some(trace) => self.violated(trace),
            None => panic!("the engines `brute` and `must` disagree about this program; please report it"),
        }
    }

    fn brute_limits(&self, config: &Config) -> BruteConfig {
        let Config { deadlock, loss_budget, .. } = *config;
        BruteConfig { deadlock, loss_budget, max_executions: config.budget.executions, ..BruteConfig::default() }
    }

    fn brute(&self, program: &Program, config: &Config, observer: &dyn Observer) -> Report {
        let (worlds, stopped) = brute_watched(&mut program.make(), &self.brute_limits(config), observer);
        let count = |ending| worlds.iter().filter(|world| world.ending == ending).count() as u64;
        let mut report = Report::default();
        report.stats.executions = Some(count(Ending::Complete));
        report.stats.blocked = Some(count(Ending::Blocked));
        report.stats.violations = count(Ending::Violating);
        report.stats.truncated = Some(count(Ending::Truncated));
        report.stopped = stopped.or((count(Ending::Truncated) > 0).then_some(StopReason::MaxSteps));
        report.worlds = worlds.into_iter().collect();
        report
    }

    fn scope(&self) -> Scope {
        let Budget { executions, states, depth } = self.config.budget;
        let bounds = Bounds {
            executions,
            states,
            depth,
            steps_per_process: Some(self.program.step_bound),
            seconds: self.timeout.map(|timeout| timeout.as_secs_f64()),
            memory: self.max_memory,
        };
        let faults = FaultBounds { losses: self.config.loss_budget, ..FaultBounds::default() };
        Scope {
            explored: Explored::Executions,
            network: Some(self.program.network),
            bounds,
            faults,
            nothing_checked: self.nothing_checked(),
            ..Scope::default()
        }
    }
}
