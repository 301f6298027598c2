//! Breadth-first search, level by level: a counterexample is a shortest one.
//!
//! Rounds ([`crate::round`]) of a fixed size make the numbering of states, the counts and the counterexample the same for any number of
//! workers. States live only while they wait to be expanded; paths are rebuilt from [`crate::links`].

use crate::check::Checks;
use crate::config::{Config, Found, Reduction, Report};
use crate::frontier::Frontier;
use crate::links::Links;
use crate::meeting::Meeting;
use crate::round::{CHUNK, CHUNKS, Round, Worker, lock};
use crate::stepper::count_user_steps;
use crate::visited::SHARDS;
use crate::{Model, fingerprint};
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashSet;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// More states than this have no numbers.
const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// Explores every state that can be reached.
pub fn run<M: Model>(model: &M, config: &Config, observer: &dyn Observer) -> Report<M> {
    let round = Round::new(config);
    let mut worker = Worker::new(model, config);
    let mut bfs = Bfs::new(config, observer, &round);
    bfs.asks_at_rest = worker.checks.asks_at_rest();
    let initial = worker.stepper.initial();
    bfs.report.stats.transitions = Some(initial.len() as u64);
    round.seed(initial, &worker);
    bfs.merge_shards();
    bfs.set_depth(0);
    let helpers = if config.threads > 1 {
        with_helpers(&mut bfs, &mut worker, model)
    } else {
        bfs.levels(|| {
            round.expand(&mut worker);
            round.insert(&mut worker);
            true
        });
        Vec::new()
    };
    bfs.finish(worker, helpers)
}

/// Runs the levels with `config.threads` workers. All of them meet before a phase and after it.
fn with_helpers<M: Model>(bfs: &mut Bfs<'_, M>, worker: &mut Worker<M>, model: &M) -> Vec<Worker<M>> {
    let (round, config) = (bfs.round, bfs.config);
    let meeting = Meeting::new(config.threads);
    let (over, panic) = (AtomicBool::new(false), Mutex::new(None::<Box<dyn Any + Send>>));
    // Whoever panics still has to meet the others; the panic goes on when all of them have.
    let phases = |worker: &mut Worker<M>| {
        let guard = |run: &mut dyn FnMut()| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
                *lock(&panic) = Some(payload);
            }
            meeting.wait();
        };
        guard(&mut || round.expand(worker));
        guard(&mut || round.insert(worker));
    };
    let helpers: Vec<Worker<M>> = (1..config.threads).map(|_| Worker::new(model, config)).collect();
    let helpers = std::thread::scope(|scope| {
        let help = |mut helper: Worker<M>| {
            let (meeting, over, phases) = (&meeting, &over, &phases);
            scope.spawn(move || {
                while {
                    meeting.wait();
                    !over.load(Ordering::Relaxed)
                } {
                    phases(&mut helper);
                }
                helper
            })
        };
        let helpers: Vec<_> = helpers.into_iter().map(help).collect();
        bfs.levels(|| {
            meeting.wait();
            phases(worker);
            lock(&panic).is_none()
        });
        over.store(true, Ordering::Relaxed);
        meeting.wait();
        helpers.into_iter().map(|helper| helper.join().expect("a helper's panic is caught")).collect()
    });
    if let Some(payload) = lock(&panic).take() {
        resume_unwind(payload);
    }
    helpers
}

struct Bfs<'a, M: Model> {
    config: &'a Config,
    observer: &'a dyn Observer,
    round: &'a Round<M>,
    current: Frontier<M::State>,
    next: Frontier<M::State>,
    /// States of this level whose persistent set led to nothing new: the rest of their actions is due in the next round.
    again: Vec<(u32, bool, M::State)>,
    links: Links,
    /// The wrong state with the lowest number.
    wrong: Option<u32>,
    /// States that were not expanded because of the bound.
    cut: u64,
    asks_at_rest: bool,
    report: Report<M>,
}

impl<'a, M: Model> Bfs<'a, M> {
    fn new(config: &'a Config, observer: &'a dyn Observer, round: &'a Round<M>) -> Bfs<'a, M> {
        Bfs {
            config,
            observer,
            round,
            current: Frontier::new(CHUNK),
            next: Frontier::new(CHUNK),
            again: Vec::new(),
            links: Links::default(),
            wrong: None,
            cut: 0,
            asks_at_rest: false,
            report: Report::default(),
        }
    }

    /// Level after level until nothing is new or there is a reason to stop. `phases` expands the chunks of a round and inserts what
    /// comes of them, or says that it could not.
    fn levels(&mut self, mut phases: impl FnMut() -> bool) {
        let mut level = 0;
        while self.next.len() > 0 && !self.stops() && (self.wrong.is_none() || self.config.keep_going) {
            self.current.swap(&mut self.next);
            let mut first = self.links.len() - self.current.len();
            let start_of_next = self.links.len() as u32;
            level += 1;
            let bound = self.config.budget.depth.is_some_and(|depth| level > depth);
            while self.current.len() > 0 || !self.again.is_empty() {
                let used = self.fill(&mut first);
                self.round.start(used, bound);
                if !phases() {
                    return;
                }
                self.merge(used);
                // A state of this level that is wrong because nothing more can happen has a shorter path than one of the next level.
                let asks_at_rest = self.asks_at_rest;
                let shortest = |wrong: u32| wrong < start_of_next || !asks_at_rest;
                if self.stops() || !self.config.keep_going && self.wrong.is_some_and(shortest) {
                    self.set_depth(level);
                    return;
                }
            }
            self.set_depth(level);
        }
    }

    fn set_depth(&mut self, level: u64) {
        self.report.stats.depth = Some(level + u64::from(self.next.len() > 0));
    }

    /// Fills the chunks of a round: first what is due again, then states of the frontier.
    fn fill(&mut self, first: &mut usize) -> usize {
        let mut used = 0;
        while used < CHUNKS && !self.again.is_empty() {
            let mut chunk = self.round.chunk(used);
            for (number, moved, state) in self.again.drain(..CHUNK.min(self.again.len())) {
                chunk.again.push((number, moved));
                chunk.states.push(state);
            }
            used += 1;
        }
        while used < CHUNKS && self.current.len() > 0 {
            let mut chunk = self.round.chunk(used);
            chunk.first = *first as u32;
            self.current.pop(&mut chunk.states);
            *first += chunk.states.len();
            used += 1;
        }
        used
    }

    fn merge(&mut self, used: usize) {
        let progress = self.merge_shards();
        for index in 0..used {
            let mut chunk = self.round.chunk(index);
            *self.report.stats.transitions.get_or_insert(0) += std::mem::take(&mut chunk.generated);
            self.cut += std::mem::take(&mut chunk.cut);
            let wrong = std::mem::take(&mut chunk.wrong);
            wrong.into_iter().for_each(|number| self.note_wrong(number));
            self.report.final_states.append(&mut chunk.at_rest);
            for (state, moved) in std::mem::take(&mut chunk.reduced) {
                let number = chunk.first + state as u32;
                if !progress.contains(&number) {
                    self.again.push((number, moved, chunk.states[state].clone()));
                }
            }
            chunk.again.clear();
            chunk.states.clear();
            self.next.recycle(std::mem::take(&mut chunk.states));
        }
    }

    /// Numbers the new states. With persistent sets: returns the states that led to new ones.
    fn merge_shards(&mut self) -> FxHashSet<u32> {
        let mut progress = FxHashSet::default();
        let most = self.config.budget.states.unwrap_or(MOST_STATES).min(MOST_STATES);
        for index in 0..SHARDS {
            let mut shard = self.round.shard(index);
            let base = self.links.len();
            let fits = (most - base as u64).min(shard.fresh.len() as u64) as usize;
            if fits < shard.fresh.len() {
                self.report.stopped = Some(StopReason::MaxStates);
                shard.fresh.truncate(fits);
            }
            for (parent, nth) in shard.links.drain(..).take(fits) {
                self.links.push(parent, nth);
                if self.config.reduction == Reduction::Persistent {
                    progress.insert(parent);
                }
            }
            let wrong = std::mem::take(&mut shard.wrong);
            wrong.into_iter().filter(|&i| i < fits).for_each(|i| self.note_wrong((base + i) as u32));
            if self.config.collect_states {
                self.report.states.extend_from_slice(&shard.fresh);
            }
            self.next.append(&mut shard.fresh);
        }
        progress
    }

    fn note_wrong(&mut self, number: u32) {
        self.report.stats.violations += 1;
        self.wrong = Some(self.wrong.map_or(number, |wrong| wrong.min(number)));
    }

    fn waiting(&self) -> u64 {
        (self.current.len() + self.next.len() + self.again.len()) as u64
    }

    /// Whether there is a reason to stop before everything was seen.
    fn stops(&mut self) -> bool {
        if self.report.stopped.is_none() {
            let (states, frontier) = (self.links.len() as u64, self.waiting());
            let done = 1.0 - frontier as f64 / states.max(1) as f64;
            self.report.stopped = self.observer.tick(&Progress { executions: 0, states, frontier, done });
        }
        self.report.stopped.is_some()
    }

    fn finish(mut self, worker: Worker<M>, helpers: Vec<Worker<M>>) -> Report<M> {
        let states = self.links.len() as u64;
        let frontier = self.waiting() + self.cut;
        let report = &mut self.report;
        report.frontier = frontier;
        report.stats.states = Some(states);
        report.stopped = report.stopped.or((self.cut > 0).then_some(StopReason::MaxDepth));
        let mut workers: Vec<Worker<M>> = std::iter::once(worker).chain(helpers).collect();
        count_user_steps(workers.iter().map(|worker| &worker.stepper), &mut report.stats);
        report.omission = (!self.config.exact).then(|| fingerprint::omission(states, 128));
        if let Some(wrong) = self.wrong {
            let Worker { stepper, checks, .. } = &mut workers[0];
            let path = stepper.follow(&self.links.path(wrong));
            let violation = checks.violation(&stepper.model, path.last()).expect("what was wrong is still wrong");
            report.found = Some(Found { violation, path });
        }
        let checks: Vec<&Checks<M>> = workers.iter().map(|worker| &worker.checks).collect();
        report.close(&checks, &workers[0].stepper);
        self.report
    }
}
