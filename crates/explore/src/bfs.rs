//! Breadth-first search, level by level: a counterexample is a shortest one.
//!
//! Rounds ([`crate::round`]) number states as a naive search does, so the counts and the counterexample are the same for any number of
//! workers. States live only while they wait to be expanded; paths are rebuilt from [`crate::links`].

use crate::barrier::Barrier;
use crate::check::Checks;
use crate::config::{Config, Found, Report};
use crate::frontier::{BLOCK, Frontier};
use crate::links::Links;
use crate::rebuild::{self, Wrong};
use crate::round::{Again, CHUNKS, Finds, Round, Worker, lock};
use crate::run::Run;
use crate::stepper::{count_user_steps, tally};
use crate::{Path, TransitionSystem, estimate, fingerprint, guard};
use manyworlds_core::{Progress, StopReason};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A round has at least so many chunks, so that there is something to do for several workers.
const FEWEST: usize = 8;
/// More states than this have no numbers.
const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// Explores every state that can be reached.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>) -> Report<M> {
    let config = run.config;
    let round = Round::new(config, run.observer);
    let mut worker = Worker::new(run);
    let mut bfs = Bfs::new(config, &round);
    bfs.has_terminal_properties = worker.checks.has_terminal_properties();
    round.start(1, 0, config.budget.depth == Some(0), Progress::default());
    round.seed(&mut worker);
    bfs.merge(1);
    bfs.set_depth(0);
    let helpers = if config.threads > 1 {
        with_helpers(&mut bfs, &mut worker, run)
    } else {
        bfs.levels(|| {
            round.alone(&mut worker);
            true
        });
        Vec::new()
    };
    bfs.finish(worker, helpers)
}

/// Runs the levels with `config.threads` workers. All of them wait for each other before a phase and after it.
fn with_helpers<M: TransitionSystem>(bfs: &mut Bfs<'_, M>, worker: &mut Worker<M>, run: &Run<'_, M>) -> Vec<Worker<M>> {
    let (round, config) = (bfs.round, bfs.config);
    let barrier = Barrier::new(config.threads);
    let (over, panic) = (AtomicBool::new(false), Mutex::new(None::<Box<dyn Any + Send>>));
    // A worker that panics still has to arrive at the barrier; the panic goes on when all of them have.
    let phases = |worker: &mut Worker<M>| {
        let guard = |run: &mut dyn FnMut()| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                *lock(&panic) = Some(payload);
            }
            barrier.wait();
        };
        guard(&mut || round.list(worker));
        guard(&mut || round.insert());
        guard(&mut || round.build(worker));
    };
    let helpers: Vec<Worker<M>> = (1..config.threads).map(|_| Worker::new(run)).collect();
    let helpers = std::thread::scope(|scope| {
        let help = |mut helper: Worker<M>| {
            let (barrier, over, phases) = (&barrier, &over, &phases);
            let run = move || {
                guard::quietly::<M, _>(|| {
                    while {
                        barrier.wait();
                        !over.load(Ordering::Relaxed)
                    } {
                        phases(&mut helper);
                    }
                });
                helper
            };
            std::thread::Builder::new().spawn_scoped(scope, run).ok()
        };
        let helpers: Vec<_> = helpers.into_iter().map_while(help).collect();
        barrier.do_without(config.threads - 1 - helpers.len());
        bfs.levels(|| {
            barrier.wait();
            phases(worker);
            lock(&panic).is_none()
        });
        over.store(true, Ordering::Relaxed);
        barrier.wait();
        helpers.into_iter().map(|helper| helper.join().expect("a helper's panic is caught")).collect()
    });
    if let Some(payload) = lock(&panic).take() {
        resume_unwind(payload);
    }
    helpers
}

struct Bfs<'a, M: TransitionSystem> {
    config: &'a Config,
    round: &'a Round<'a, M>,
    current: Frontier<M::State>,
    next: Frontier<M::State>,
    /// States of this level whose persistent set led to nothing new: the rest of their actions is due in the next round.
    again: Vec<Again<M::State>>,
    links: Links,
    /// The violating state with the lowest number.
    wrong: Option<(u32, Wrong<M>)>,
    /// States that are not expanded because of the bound.
    cut: u64,
    /// States whose expansion was broken off.
    left: u64,
    has_terminal_properties: bool,
    /// The present level led to new states.
    grew: bool,
    /// How many states were new in the last round.
    fresh: usize,
    /// How many states each level has that was found completely.
    levels: Vec<u64>,
    report: Report<M>,
}

impl<'a, M: TransitionSystem> Bfs<'a, M> {
    fn new(config: &'a Config, round: &'a Round<'a, M>) -> Bfs<'a, M> {
        Bfs {
            config,
            round,
            current: Frontier::default(),
            next: Frontier::default(),
            again: Vec::new(),
            links: Links::default(),
            wrong: None,
            cut: 0,
            left: 0,
            has_terminal_properties: false,
            grew: false,
            fresh: 0,
            levels: Vec::new(),
            report: Report::default(),
        }
    }

    /// Explores level after level until no state is new or there is a reason to stop. `phases` expands the chunks of a round and inserts their
    /// successors, or returns that it could not.
    fn levels(&mut self, mut phases: impl FnMut() -> bool) {
        let mut level = 0;
        while self.next.len() > 0 && !self.stops() && (self.wrong.is_none() || self.config.keep_going) {
            std::mem::swap(&mut self.current, &mut self.next);
            self.grew = false;
            self.levels.push(self.current.len() as u64);
            let mut first = self.links.len() - self.current.len();
            let start_of_next = self.links.len() as u32;
            level += 1;
            let last = self.config.budget.depth == Some(level);
            while self.current.len() > 0 || !self.again.is_empty() {
                let used = self.fill(&mut first);
                let progress = self.progress();
                self.round.start(used, self.fresh + self.fresh / 2, last, progress);
                if !phases() {
                    return;
                }
                self.report.stopped = self.round.stopped();
                self.left += self.round.abandon();
                self.merge(used);
                // A violating terminal state of this level has a shorter path than a violating state of the next level.
                let has_terminal_properties = self.has_terminal_properties;
                let shortest = |wrong: u32| wrong < start_of_next || !has_terminal_properties;
                if self.stops()
                    || !self.config.keep_going && self.wrong.as_ref().is_some_and(|(number, _)| shortest(*number))
                {
                    self.set_depth(level);
                    return;
                }
            }
            self.set_depth(level);
        }
    }

    fn set_depth(&mut self, level: u64) {
        self.report.stats.depth = Some(level + u64::from(self.grew));
    }

    /// Fills the chunks of a round: first the states to be expanded again, then states of the frontier. The run stops for a violation only between
    /// rounds, so the first rounds are small.
    fn fill(&mut self, first: &mut usize) -> usize {
        let most = (self.links.len() / (4 * BLOCK)).clamp(FEWEST, CHUNKS);
        let mut used = 0;
        while used < most && !self.again.is_empty() {
            let mut chunk = self.round.chunk(used);
            for (number, moved, state) in self.again.drain(..BLOCK.min(self.again.len())) {
                chunk.again.push((number, moved));
                chunk.block.states.push(state);
            }
            used += 1;
        }
        while used < most
            && let Some(block) = self.current.pop()
        {
            let mut chunk = self.round.chunk(used);
            chunk.first = *first as u32;
            *first += block.states.len();
            chunk.block = block;
            used += 1;
        }
        used
    }

    /// Takes the results of the first `used` chunks, and numbers the new states.
    fn merge(&mut self, used: usize) {
        let before = self.links.len();
        for index in 0..used {
            let chunk = &mut *self.round.chunk(index);
            let found = &mut chunk.found;
            let base = self.links.len();
            let most = self.config.budget.states.unwrap_or(MOST_STATES).min(MOST_STATES);
            let fits = (most - base as u64).min(found.links.len() as u64) as usize;
            if fits < found.links.len() {
                self.report.stopped = Some(StopReason::MaxStates);
                shorten(found, fits);
            }
            *self.report.stats.transitions.get_or_insert(0) += u128::from(std::mem::take(&mut found.generated));
            match self.config.threads > 1 {
                true => self.links.adopt(&mut found.links),
                false => self.links.append(&mut found.links),
            }
            self.report.stats.violations +=
                (found.wrong.drain(..).count() + found.wrong_when_expanded.drain(..).count()) as u64;
            let first = found.first_wrong.take().map(|(place, wrong)| (base as u32 + place, wrong));
            for (number, wrong) in first.into_iter().chain(found.first_wrong_when_expanded.take()) {
                if self.wrong.as_ref().is_none_or(|(least, _)| number < *least) {
                    self.wrong = Some((number, wrong));
                }
            }
            self.cut += found.cut.drain(..).count() as u64;
            self.report.states.append(&mut found.states);
            self.report.final_states.append(&mut found.at_rest);
            self.again.append(&mut found.again);
            self.report.flaw = self.report.flaw.take().or(found.flaw.take());
            for block in std::mem::take(&mut found.fresh) {
                if let Some(left) = self.next.push(block) {
                    chunk.recycle(left);
                }
            }
        }
        self.fresh = self.links.len() - before;
        self.grew |= self.fresh > 0;
    }

    fn waiting(&self) -> u64 {
        self.left + (self.current.len() + self.next.len() + self.again.len()) as u64
    }

    fn progress(&self) -> Progress {
        let (states, frontier) = (self.links.len() as u64, self.waiting());
        // States being expanded have left the frontier already, so the number of expanded states may be overestimated.
        Progress { executions: 0, states, frontier, done: estimate::done(&self.levels, states - frontier) }
    }

    /// Whether there is a reason to stop before everything was explored.
    fn stops(&self) -> bool {
        self.report.stopped.is_some() || self.report.flaw.is_some()
    }

    fn finish(mut self, worker: Worker<M>, helpers: Vec<Worker<M>>) -> Report<M> {
        let states = self.links.len() as u128;
        let frontier = self.waiting() + self.cut;
        let report = &mut self.report;
        report.frontier = frontier;
        report.stats.states = Some(states);
        report.stopped = report.stopped.or((self.cut > 0).then_some(StopReason::MaxDepth));
        let mut workers: Vec<Worker<M>> = std::iter::once(worker).chain(helpers).collect();
        count_user_steps(workers.iter().map(|worker| &worker.stepper), &mut report.stats);
        report.actions = tally(workers.iter().map(|worker| &worker.stepper));
        report.omission = (!self.config.exact).then(|| fingerprint::omission(self.links.len() as u64, 128));
        report.samples = workers.iter_mut().flat_map(|worker| std::mem::take(&mut worker.stepper.samples)).collect();
        if let Some((number, wrong)) = self.wrong {
            let hints = self.links.path(number);
            let is_known = |print, state: &M::State| self.round.knows(print, state);
            match rebuild::path(&mut workers[0].stepper, &hints, &wrong.state, is_known) {
                Ok(path) => {
                    let path = Path { attempted: wrong.attempted, ..path };
                    report.found = Some(Found { violation: wrong.violation, path });
                }
                Err(flaw) => report.flaw = Some(flaw),
            }
        }
        let checks: Vec<&Checks<M>> = workers.iter().map(|worker| &worker.checks).collect();
        report.close(&checks, &workers[0].stepper);
        self.report
    }
}

/// Keeps so many of the new states.
fn shorten<M: TransitionSystem>(found: &mut Finds<M>, most: usize) {
    found.links.truncate(most);
    found.states.truncate(most);
    found.wrong.retain(|&place| (place as usize) < most);
    found.first_wrong.take_if(|(place, _)| *place as usize >= most);
    found.cut.retain(|&place| (place as usize) < most);
    let mut left = most;
    for block in &mut found.fresh {
        block.truncate(left);
        left -= block.states.len();
    }
    found.fresh.retain(|block| !block.states.is_empty());
}
