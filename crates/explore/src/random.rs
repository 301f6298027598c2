//! Random walks: quick to find something, never complete. A walk depends on the seed and its own number alone, so the result is the same
//! for any number of workers.

use crate::check::Checks;
use crate::config::{Config, Found, Report};
use crate::round::lock;
use crate::stepper::{Stepper, count_user_steps};
use crate::{Model, Path};
use manyworlds_core::{Observer, Progress, StopReason};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Walks, if the budget does not say.
const WALKS: u64 = 1_000;
/// Steps of a walk, if the budget does not say.
const STEPS: u64 = 10_000;
/// Walks between two looks at what was found.
const BATCH: u64 = 256;
/// The observer is asked once in so many steps.
const TICK: u64 = 64;

/// Walks about.
pub fn run<M: Model>(model: &M, config: &Config, observer: &dyn Observer) -> Report<M> {
    let walks = config.budget.executions.unwrap_or(WALKS);
    let mut walkers: Vec<Walker<M>> = (0..config.threads.max(1)).map(|_| Walker::new(model, config)).collect();
    let (mut finished, mut steps, mut report) = (0, 0, Report::default());
    while finished < walks && report.stopped.is_none() && (report.found.is_none() || config.keep_going) {
        let batch = Batch {
            next: AtomicU64::new(finished),
            end: walks.min(finished + BATCH),
            walks,
            stopped: Mutex::new(None),
        };
        batch.walk(&mut walkers, observer);
        let mut all: Vec<Walk<M>> = walkers.iter_mut().flat_map(|walker| walker.walks.drain(..)).collect();
        all.sort_by_key(|walk| walk.number);
        report.stopped = *lock(&batch.stopped);
        for walk in all {
            steps += walk.steps;
            finished += u64::from(!walk.broken_off);
            report.stats.truncated = Some(report.stats.truncated.unwrap_or(0) + u64::from(walk.cut));
            if let Some(found) = walk.found {
                report.stats.violations += 1;
                report.found.get_or_insert(found);
                if !config.keep_going {
                    break;
                }
            }
        }
    }
    report.stopped = report.stopped.or(report.found.is_none().then_some(StopReason::MaxExecutions));
    report.stats.executions = Some(finished);
    report.stats.transitions = Some(steps);
    count_user_steps(walkers.iter().map(|walker| &walker.stepper), &mut report.stats);
    report
}

/// Walks that are shared out among the workers.
struct Batch {
    next: AtomicU64,
    end: u64,
    /// How many there will be in all batches.
    walks: u64,
    stopped: Mutex<Option<StopReason>>,
}

impl Batch {
    fn walk<M: Model>(&self, walkers: &mut [Walker<M>], observer: &dyn Observer) {
        let [first, others @ ..] = walkers else { return };
        std::thread::scope(|scope| {
            for walker in others {
                // Where there is no thread for it, the others walk more.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || walker.run(self, observer));
            }
            first.run(self, observer);
        });
    }
}

/// What came of a walk.
struct Walk<M: Model> {
    number: u64,
    steps: u64,
    /// The bound ended it.
    cut: bool,
    /// The observer ended it.
    broken_off: bool,
    found: Option<Found<M>>,
}

struct Walker<M: Model> {
    stepper: Stepper<M>,
    checks: Checks<M>,
    seed: u64,
    most: u64,
    walks: Vec<Walk<M>>,
}

impl<M: Model> Walker<M> {
    fn new(model: &M, config: &Config) -> Walker<M> {
        let most = config.budget.depth.unwrap_or(STEPS);
        let (stepper, checks) = (Stepper::new(model, config), Checks::new(model));
        Walker { stepper, checks, seed: config.seed, most, walks: Vec::new() }
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
        let mut dice = Dice::new(self.seed, number);
        let mut walk = Walk { number, steps: 0, cut: false, broken_off: stops(), found: None };
        let mut initial = self.stepper.initial();
        let start = dice.below(initial.len());
        let mut state = initial.swap_remove(start).1;
        let mut trail = vec![start as u32];
        while !walk.broken_off {
            let wrong = self.checks.is_wrong(&self.stepper.model, &state);
            let failed = self.stepper.model.has_failed(&state);
            let next = if failed { None } else { self.stepper.pick(&state, |n| dice.below(n)) };
            if wrong || next.is_none() && !failed && self.checks.is_wrong_at_rest(&self.stepper.model, &state) {
                walk.found = Some(self.found(&trail));
                break;
            }
            let Some((nth, successor)) = next else { break };
            if walk.steps == self.most {
                walk.cut = true;
                break;
            }
            walk.steps += 1;
            trail.push(nth);
            state = successor;
            walk.broken_off = walk.steps.is_multiple_of(TICK) && stops();
        }
        walk
    }

    fn found(&mut self, trail: &[u32]) -> Found<M> {
        let path: Path<M> = self.stepper.follow_listed(trail);
        let violation = self.checks.violation(&self.stepper.model, path.last()).expect("what was wrong is still wrong");
        Found { violation, path }
    }
}

/// Numbers by SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    /// Those of one walk.
    pub(crate) fn new(seed: u64, walk: u64) -> Dice {
        let mut dice = Dice(seed);
        let mixed = dice.next() ^ walk.wrapping_mul(0xd605_bbb5_8c8a_bbf5);
        Dice(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}
