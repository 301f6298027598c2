//! Random walks: often find violations quickly, never complete. A walk depends on the seed and its own number alone, so the result is the same
//! for any number of workers.

use crate::check::Checks;
use crate::config::{Found, Report};
use crate::round::lock;
use crate::run::Run;
use crate::sample::is_sampled;
use crate::stepper::{Stepper, count_user_steps};
use crate::{Path, TransitionSystem, guard};
use manyworlds_core::random::SplitMix64;
use manyworlds_core::{InvalidModel, Observer, Progress, StopReason};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Walks, if the budget does not say.
const WALKS: u64 = 1_000;
/// Steps of a walk, if the budget does not say.
const STEPS: u64 = 10_000;
/// Walks in a batch; results are examined between batches.
const BATCH: u64 = 256;
/// The observer is called once in so many steps.
const TICK: u64 = 64;

/// Performs random walks.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>) -> Report<M> {
    let config = run.config;
    let walks = config.budget.executions.unwrap_or(WALKS);
    let mut walkers: Vec<Walker<M>> = (0..config.threads.max(1)).map(|_| Walker::new(run)).collect();
    let (mut finished, mut steps, mut report) = (0, 0, Report::default());
    while finished < walks
        && report.stopped.is_none()
        && report.flaw.is_none()
        && (report.found.is_none() || config.keep_going)
    {
        let batch = Batch {
            next: AtomicU64::new(finished),
            end: walks.min(finished + BATCH),
            walks,
            stopped: Mutex::new(None),
        };
        batch.walk(&mut walkers, run.observer);
        let mut all: Vec<Walk<M>> = walkers.iter_mut().flat_map(|walker| walker.walks.drain(..)).collect();
        all.sort_by_key(|walk| walk.number);
        report.stopped = *lock(&batch.stopped);
        for walk in all {
            steps += walk.steps;
            finished += u64::from(!walk.broken_off);
            report.stats.truncated = Some(report.stats.truncated.unwrap_or(0) + u64::from(walk.cut));
            match walk.found {
                None => {}
                Some(Err(flaw)) => _ = report.flaw.get_or_insert(flaw),
                Some(Ok(found)) => {
                    report.stats.violations += 1;
                    report.found.get_or_insert(found);
                    if !config.keep_going {
                        break;
                    }
                }
            }
        }
    }
    report.stopped = report.stopped.or(report.found.is_none().then_some(StopReason::MaxExecutions));
    report.stats.executions = Some(finished);
    report.stats.transitions = Some(steps.into());
    report.samples = walkers.iter_mut().flat_map(|walker| std::mem::take(&mut walker.stepper.samples)).collect();
    count_user_steps(walkers.iter().map(|walker| &walker.stepper), &mut report.stats);
    report
}

/// Walks, distributed among the workers.
struct Batch {
    next: AtomicU64,
    end: u64,
    /// How many there will be in all batches.
    walks: u64,
    stopped: Mutex<Option<StopReason>>,
}

impl Batch {
    fn walk<M: TransitionSystem>(&self, walkers: &mut [Walker<M>], observer: &dyn Observer) {
        let [first, others @ ..] = walkers else { return };
        std::thread::scope(|scope| {
            for walker in others {
                // If a thread cannot be started, the other workers take its walks.
                let walk = || guard::quietly::<M, _>(|| walker.run(self, observer));
                let _ = std::thread::Builder::new().spawn_scoped(scope, walk);
            }
            first.run(self, observer);
        });
    }
}

/// The result of a walk.
struct Walk<M: TransitionSystem> {
    number: u64,
    steps: u64,
    /// The bound ended it.
    cut: bool,
    /// The observer ended it.
    broken_off: bool,
    found: Option<Result<Found<M>, Box<InvalidModel>>>,
}

struct Walker<M: TransitionSystem> {
    stepper: Stepper<M>,
    checks: Checks<M>,
    seed: u64,
    most: u64,
    walks: Vec<Walk<M>>,
}

impl<M: TransitionSystem> Walker<M> {
    fn new(run: &Run<'_, M>) -> Walker<M> {
        let most = run.config.budget.depth.unwrap_or(STEPS);
        let (stepper, checks) = (Stepper::new(run), Checks::new(run.model));
        Walker { stepper, checks, seed: run.config.seed, most, walks: Vec::new() }
    }

    fn run(&mut self, batch: &Batch, observer: &dyn Observer) {
        loop {
            let number = batch.next.fetch_add(1, Ordering::Relaxed);
            if number >= batch.end || lock(&batch.stopped).is_some() {
                return;
            }
            let mut tick = || {
                let progress =
                    Progress { executions: number, done: number as f64 / batch.walks as f64, ..Progress::default() };
                let reason = observer.tick(&progress);
                if reason.is_some() {
                    *lock(&batch.stopped) = reason;
                }
                reason.is_some()
            };
            let walk = self.walk(number, &mut tick);
            self.walks.push(walk);
        }
    }

    fn walk(&mut self, number: u64, stops: &mut impl FnMut() -> bool) -> Walk<M> {
        let mut dice = of_walk(self.seed, number);
        let mut walk = Walk { number, steps: 0, cut: false, broken_off: stops(), found: None };
        let initial = self.stepper.initial();
        let start = dice.below(initial.len());
        let mut path: Path<M> = Path::new(initial[start].1.clone());
        while !walk.broken_off {
            let state = path.last();
            let wrong = self.checks.is_wrong(&self.stepper.model, state);
            let failed = self.stepper.model.has_failed(state);
            let sampled = M::USER_CODE && is_sampled(number.saturating_mul(32).saturating_add(walk.steps), self.seed);
            let next = if failed { Ok(None) } else { self.stepper.pick(state, sampled, |n| dice.below(n)) };
            let rests = matches!(next, Ok(None)) && !failed;
            if wrong || rests && self.checks.is_wrong_at_rest(&self.stepper.model, state) {
                let blamed = self.checks.blame(&self.stepper.model, state);
                walk.found = Some(blamed.map(|wrong| Found { violation: wrong.violation, path }));
                break;
            }
            let next = match next {
                Ok(next) => next,
                Err(panicked) => {
                    path.attempted = panicked.attempted;
                    walk.found = Some(Ok(Found { violation: panicked.violation, path }));
                    break;
                }
            };
            let Some(step) = next else { break };
            if walk.steps == self.most {
                walk.cut = true;
                break;
            }
            walk.steps += 1;
            path.steps.push(step);
            walk.broken_off = walk.steps.is_multiple_of(TICK) && stops();
        }
        walk
    }
}

/// The random numbers of one walk.
pub(crate) fn of_walk(seed: u64, walk: u64) -> SplitMix64 {
    SplitMix64::new(SplitMix64::new(seed).draw() ^ walk.wrapping_mul(0xd605_bbb5_8c8a_bbf5))
}
