//! Programs: ordinary code that blocks, as a subject that can be checked.

use crate::coverage::{Noted, Tally};
use crate::linearizable::{Explain, explain, listening};
use crate::options::Options;
use crate::subject::{Answer, Refused, Subject, bounds, confirmed, refuse_engine, refuse_unused, watch};
use crate::watch::Watch;
use manyworlds_core::decides::SubjectKind;
use manyworlds_core::{
    Bounds, Budget, Deadlock, Engine, Explored, FaultBounds, Flaw, InvalidModel, LocalsFactory, Network, Observer,
    Outcome, Replayed, Requirement, Scope, Semantics, StopReason, Trace, TraceError, TraceStep, Verdict,
};
use manyworlds_graph::brute::{BruteConfig, brute_force, brute_watched};
use manyworlds_graph::replay::replay;
use manyworlds_graph::{Ending, GraphConfig, GraphReport, World, explore};
use manyworlds_program::monitor::{Monitor, MonitorSpec};
use manyworlds_program::{Main, ProgramConfig};
use std::sync::Arc;

/// A program: its processes, its monitors, and what it assumes of the network. How it is run is said to [`check`](crate::check()).
///
/// A closure is a program with one main process; this type is for programs that say more.
///
/// ```
/// use manyworlds::prelude::*;
///
/// let answer = check(Program::new(|| {
///     let server = spawn(|| recv::<u32>() + recv::<u32>());
///     spawn(move || send(server.pid(), 1u32));
///     spawn(move || send(server.pid(), 2u32));
///     assert_eq!(server.join(), 3);
/// }).network(Network::Mbox))
/// .run()?;
/// assert!(answer.is_verified());
/// assert_eq!(answer.stats.executions, Some(2)); // 1 arrives first, or 2 does
/// # Ok::<(), Refused>(())
/// ```
#[derive(Clone)]
pub struct Program {
    mains: Vec<(String, Main)>,
    monitors: Vec<MonitorSpec>,
    explainers: Vec<Explain>,
    network: Network,
    losses: u32,
    deadlock: Deadlock,
}

impl Program {
    /// A program with one main process, which spawns the others.
    pub fn new(main: impl Fn() + Send + Sync + 'static) -> Program {
        Program::empty().process("main", main)
    }

    /// A program without processes; add them with [`Program::process`].
    pub fn empty() -> Program {
        Program {
            mains: Vec::new(),
            monitors: Vec::new(),
            explainers: Vec::new(),
            network: Network::default(),
            losses: 0,
            deadlock: Deadlock::default(),
        }
    }

    /// Adds a process that exists from the start. The `n`-th one added has the id `Pid::root(n)`, known to all.
    pub fn process(mut self, name: impl Into<String>, main: impl Fn() + Send + Sync + 'static) -> Program {
        self.mains.push((name.into(), Arc::new(main)));
        self
    }

    /// Adds a monitor that starts as `make()` in every execution.
    pub fn monitor<S: Monitor>(mut self, make: impl Fn() -> S + Send + Sync + 'static) -> Program {
        self.monitors.push(MonitorSpec::new(make));
        self
    }

    /// Adds a monitor.
    pub(crate) fn watch(mut self, monitor: MonitorSpec) -> Program {
        self.monitors.push(monitor);
        self
    }

    /// Replaces a monitor.
    pub(crate) fn watch_instead(mut self, place: usize, monitor: MonitorSpec) -> Program {
        self.monitors[place] = monitor;
        self
    }

    /// The number of monitors.
    pub(crate) fn monitors(&self) -> usize {
        self.monitors.len()
    }

    /// Adds what finds the reason why a history is impossible.
    pub(crate) fn explain_with(mut self, explain: Explain) -> Program {
        self.explainers.push(explain);
        self
    }

    /// What finds the reasons why histories are impossible.
    pub(crate) fn explainers(&self) -> &[Explain] {
        &self.explainers
    }

    /// The network of operations that name none; p2p if not given.
    pub fn network(mut self, network: Network) -> Program {
        self.network = network;
        self
    }

    /// The number of messages that [`send_lossy`](crate::send_lossy) may lose in one execution; 0 if not given.
    pub fn losses(mut self, losses: u32) -> Program {
        self.losses = losses;
        self
    }

    /// Whether processes that wait forever are a violation; they are if not given.
    pub fn deadlock(mut self, deadlock: Deadlock) -> Program {
        self.deadlock = deadlock;
        self
    }

    /// Every finished execution, sorted, and how many were visited twice. For tests: memory grows with the executions.
    pub(crate) fn worlds(&self, options: &Options) -> (Vec<World>, u64) {
        let run = Run::new(self, options);
        let config = GraphConfig { collect_worlds: true, keep_going: true, ..run.config.clone() };
        let report = match run.engine {
            Engine::Brute => run.brute(&run.program(), &config, &Watch::idle()),
            _ => explore(&run.program(), &config, &Watch::idle()),
        };
        (report.worlds, report.duplicates)
    }

    /// Every finished execution as brute force finds it, sorted; `None` if that takes more than `max_steps` steps.
    pub(crate) fn brute_worlds(&self, options: &Options, max_steps: u64) -> Option<Vec<World>> {
        let run = Run::new(self, options);
        let limits = BruteConfig { max_steps, ..run.brute_limits(&run.config) };
        let worlds = brute_force(&mut run.program().make(), &limits).ok()?;
        Some(worlds.into_iter().collect())
    }
}

impl Subject for Program {
    fn kind(&self) -> &'static str {
        "program"
    }

    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        refuse_engine(options.engine, SubjectKind::Program)?;
        let run = Run::new(self, options);
        refuse_unused(options, run.engine, SubjectKind::Program)?;
        if options.decidable {
            return Err(Refused("option decidable: it is for actors; a program is asked everything".to_string()));
        }
        let network = run.program.network;
        if options.eager && network != Network::P2p {
            return Err(Refused(format!(
                "option eager: it distinguishes orders of arrival under p2p, and the network is {network}: use the network p2p, or leave eager out"
            )));
        }
        let tally = (options.coverage && run.engine == Engine::Must).then(Tally::default);
        let outcome = run.check(observer, tally.as_ref());
        let coverage = tally.map(|tally| tally.told(run.asked()));
        let why = "a program is explored execution by execution, and must visits each once".to_string();
        let why = (options.engine == Engine::Auto).then_some(why);
        let (engine, network, name) = (run.engine, Some(network), options.name_or("program"));
        Ok(Answer { name, outcome, engine, why, network, coverage, frontier: None, omission: None })
    }

    fn replay_with(
        &self,
        options: &Options,
        trace: &Trace,
        show: &mut dyn FnMut(usize, &TraceStep),
    ) -> Result<Replayed, TraceError> {
        Run::new(self, &Options { network: Some(trace.network), ..options.clone() }).replay(trace, show)
    }
}

/// A program with everything that is said about one run of it.
struct Run<'a> {
    /// With what this run assumes of the network.
    program: Program,
    setup: ProgramConfig,
    config: GraphConfig,
    engine: Engine,
    options: &'a Options,
}

impl<'a> Run<'a> {
    fn new(program: &Program, options: &'a Options) -> Run<'a> {
        let network = options.network.unwrap_or(program.network);
        let losses = options.losses.unwrap_or(program.losses);
        let program = Program { network, losses, ..program.clone() };
        let defaults = ProgramConfig::default();
        let setup = ProgramConfig {
            network,
            stack_size: options.stack_size.unwrap_or(defaults.stack_size),
            max_nodes: options.max_nodes.unwrap_or(defaults.max_nodes).max(1),
            max_coroutines: options.max_coroutines.unwrap_or(defaults.max_coroutines).max(1),
            step_bound: options.max_steps.unwrap_or(defaults.step_bound),
        };
        let config = GraphConfig {
            policy: options.policy,
            threads: options.threads.max(1),
            deadlock: program.deadlock,
            loss_budget: losses,
            budget: Budget { executions: options.max_executions, depth: options.max_depth, states: None },
            keep_going: options.keep_going,
            eager: options.eager,
            ..GraphConfig::default()
        };
        let engine = if options.engine == Engine::Brute { Engine::Brute } else { Engine::Must };
        Run { program, setup, config, engine, options }
    }

    /// Performs a trace step by step.
    fn replay(&self, trace: &Trace, show: impl FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        let replayed = replay(&mut self.program().make(), trace, show)?;
        Ok(if self.forgives(trace) { Replayed::Gone } else { replayed })
    }

    /// Whether the trace is no violation as this run is configured: it waits where waiting is allowed, or needs more losses than there may be.
    fn forgives(&self, trace: &Trace) -> bool {
        let waits = trace.violation.property == Requirement::Deadlock && self.config.deadlock == Deadlock::Allow;
        let losses = trace.steps.iter().filter(|step| step.kind.loses()).count();
        waits || losses > self.config.loss_budget as usize
    }

    fn program(&self) -> manyworlds_program::Program {
        let mut program = manyworlds_program::Program::new(self.program.mains.clone(), self.setup);
        for monitor in &self.program.monitors {
            program.watch(monitor.clone());
        }
        program
    }

    fn check(&self, observer: Option<&dyn Observer>, tally: Option<&Tally>) -> Outcome {
        let watch = watch(self.options, observer);
        let program = self.program();
        let report = match (self.engine, tally) {
            (Engine::Brute, _) => self.brute(&program, &self.config, &watch),
            (_, None) => explore(&program, &self.config, &watch),
            (_, Some(tally)) => explore(&Noted { program: &program, tally }, &self.config, &watch),
        };
        watch.explored();
        let GraphReport { mut stats, counterexample, stopped, invalid, samples, .. } = report;
        stats.stopped = stopped.filter(|_| self.config.keep_going && stats.violations > 0);
        let verdict = match (counterexample, stopped) {
            _ if invalid.is_some() => Verdict::Invalid(Box::new(invalid.expect("checked"))),
            (Some(trace), _) if trace.violation.property == Requirement::Deterministic => self.not_deterministic(trace),
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
        self.program.mains.is_empty().then(|| "the program has no processes: nothing was checked".to_string())
    }

    /// What is asked of the program, in words.
    fn asked(&self) -> Vec<String> {
        let deadlock = (self.config.deadlock == Deadlock::Forbid).then(|| "deadlock".to_string());
        let monitors = self.program.monitors.iter().map(|monitor| format!("monitor {}", monitor.name));
        std::iter::once("assertion".to_string()).chain(deadlock).chain(monitors).collect()
    }

    /// A trace with the name and the configuration of this run.
    fn labelled(&self, mut trace: Trace) -> Trace {
        trace.model = self.options.name_or("program");
        trace.params = self.options.params.clone();
        trace.engine = self.engine;
        trace.network = self.program.network;
        trace.seed = self.options.seed;
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
        let (program, reasons) = listening(&self.program);
        let replayed =
            Run { program, setup: self.setup, config: self.config.clone(), engine: self.engine, options: self.options };
        let replay = if self.config.eager { Ok(Replayed::Reproduced) } else { replayed.replay(&trace, |_, _| {}) };
        let mut verdict = confirmed(trace, replay, "the program");
        if let Verdict::Violated { violation, trace } = &mut verdict
            && violation.property == Requirement::Linearizable
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

    fn brute_limits(&self, config: &GraphConfig) -> BruteConfig {
        let GraphConfig { deadlock, loss_budget, .. } = *config;
        BruteConfig { deadlock, loss_budget, max_executions: config.budget.executions, ..BruteConfig::default() }
    }

    fn brute(
        &self,
        program: &manyworlds_program::Program,
        config: &GraphConfig,
        observer: &dyn Observer,
    ) -> GraphReport {
        let (worlds, stopped) = brute_watched(&mut program.make(), &self.brute_limits(config), observer);
        let count = |ending| worlds.iter().filter(|world| world.ending == ending).count() as u64;
        let mut report = GraphReport::default();
        report.stats.executions = Some(count(Ending::Complete));
        report.stats.blocked = Some(count(Ending::Blocked));
        report.stats.violations = count(Ending::Violating);
        report.stats.truncated = Some(count(Ending::Truncated));
        report.stopped = stopped.or((count(Ending::Truncated) > 0).then_some(StopReason::MaxSteps));
        report.worlds = worlds.into_iter().collect();
        report
    }

    fn scope(&self) -> Scope {
        let bounds = Bounds { steps_per_process: Some(self.setup.step_bound), ..bounds(self.options) };
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
