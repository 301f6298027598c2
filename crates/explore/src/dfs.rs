//! Depth-first search: the visited states and a stack, no parent links.
//!
//! A state is marked when it is found and expanded when it is taken from the stack; a path is the numbers of the actions that led to the
//! state at hand. A worker that has nothing to do is given the oldest states of another's stack, with their paths.
//!
//! With persistent sets a state is expanded in full when its set led to nothing new. Whatever the order of visits, each reduced state
//! then has a successor that is expanded after it; so a chain of reduced states ends in a state that is expanded in full, and no action
//! is ignored for ever.

use crate::check::Checks;
use crate::config::{Config, Found, Report};
use crate::prints::Arrival;
use crate::round::lock;
use crate::sharing::{Job, Leave, Shared, Task};
use crate::stepper::{Part, Stepper, Steps, count_user_steps};
use crate::visited::Reached;
use crate::{Model, fingerprint};
use manyworlds_core::{Observer, Progress, StopReason};
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

/// A hungry worker is given at most so many states.
const SHARE: usize = 32;
/// The observer is asked once in so many states.
const TICK: u64 = 1024;

/// Explores every state that can be reached.
pub fn run<M: Model>(model: &M, config: &Config, observer: &dyn Observer) -> Report<M> {
    let shared = Shared::new(config, observer);
    let mut first = Worker::new(model, config, &shared);
    first.seed();
    let workers = if config.threads > 1 {
        let others = (1..config.threads).map(|_| Worker::new(model, config, &shared));
        let workers: Vec<Worker<'_, M>> = std::iter::once(first).chain(others).collect();
        std::thread::scope(|scope| {
            let run = |mut worker: Worker<'_, M>| {
                let shared = &shared;
                worker.run(&mut Access::Shared(&shared.visited));
                worker.own
            };
            let threads: Vec<_> = workers.into_iter().map(|worker| scope.spawn(move || run(worker))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    } else {
        first.run(&mut Access::Held(shared.visited.iter().map(lock).collect()));
        vec![first.own]
    };
    finish(config, &shared, workers)
}

fn finish<M: Model>(config: &Config, shared: &Shared<'_, M>, mut workers: Vec<Own<M>>) -> Report<M> {
    let mut report = Report::default();
    let states = shared.states.load(Ordering::Relaxed).min(config.budget.states.unwrap_or(u64::MAX));
    report.stats.states = Some(states);
    report.stats.transitions = Some(workers.iter().map(|own| own.transitions).sum());
    report.stats.violations = workers.iter().map(|own| own.violations).sum();
    report.frontier = shared.queue().jobs.len() as u64 + workers.iter().map(|own| own.left).sum::<u64>();
    let cut = workers.iter().map(|own| own.cut).sum::<i64>().max(0) as u64;
    report.frontier += cut;
    report.stopped = *lock(&shared.stopped);
    report.stopped = report.stopped.or((cut > 0).then_some(StopReason::MaxDepth));
    // With a bound 32 bits of a fingerprint give way to the number of steps.
    let bits = if config.budget.depth.is_some() { 96 } else { 128 };
    report.omission = (!config.exact).then(|| fingerprint::omission(states, bits));
    count_user_steps(workers.iter().map(|own| &own.stepper), &mut report.stats);
    let found = workers.iter_mut().filter_map(|own| own.found.take());
    report.found = found.min_by_key(|found| found.path.steps.len());
    for own in &mut workers {
        report.states.append(&mut own.collected);
        report.final_states.append(&mut own.at_rest);
    }
    let checks: Vec<&Checks<M>> = workers.iter().map(|own| &own.checks).collect();
    report.close(&checks, &workers[0].stepper);
    report
}

/// A single worker holds all shards from the start.
enum Access<'a, S> {
    Held(Vec<MutexGuard<'a, Reached<S>>>),
    Shared(&'a [Mutex<Reached<S>>]),
}

impl<S: Clone + Eq + Hash> Access<'_, S> {
    /// Starts to fetch what is needed to insert a state. (Not worth a lock.)
    #[inline]
    fn prefetch(&self, print: u128) {
        if let Access::Held(shards) = self {
            shards[shard_of(print, shards.len())].prefetch(print);
        }
    }

    fn shard<T>(&mut self, print: u128, run: impl FnOnce(&mut Reached<S>) -> T) -> T {
        match self {
            Access::Held(shards) => {
                let shard = shard_of(print, shards.len());
                run(&mut shards[shard])
            }
            Access::Shared(shards) => run(&mut lock(&shards[shard_of(print, shards.len())])),
        }
    }
}

/// The number of shards is a power of two.
#[inline(always)]
fn shard_of(print: u128, shards: usize) -> usize {
    (print >> 120) as usize & (shards - 1)
}

/// What a worker has for itself, and what it found.
struct Own<M: Model> {
    stepper: Stepper<M>,
    checks: Checks<M>,
    transitions: u64,
    violations: u64,
    found: Option<Found<M>>,
    /// States that were not expanded because of the bound although something can happen in them, less those that were expanded later.
    cut: i64,
    /// States that were not visited when the run was stopped.
    left: u64,
    collected: Vec<M::State>,
    at_rest: Vec<M::State>,
}

struct Worker<'a, M: Model> {
    config: &'a Config,
    shared: &'a Shared<'a, M>,
    bound: u32,
    own: Own<M>,
    /// How to get to the state at hand.
    trail: Vec<u32>,
    /// States to be visited, oldest first.
    stack: VecDeque<Task<M::State>>,
    /// How many of the oldest were given away.
    given: u64,
    /// For each state on the path, from the one the job began with: where its successors begin on the stack.
    marks: Vec<u64>,
    /// Successors of the state at hand: numbers of actions, fingerprints.
    batch: Vec<(u32, u128)>,
    /// The successors themselves, if whole states are wanted.
    built: Vec<M::State>,
    visits: u64,
}

impl<'a, M: Model> Worker<'a, M> {
    fn new(model: &M, config: &'a Config, shared: &'a Shared<'a, M>) -> Worker<'a, M> {
        let own = Own {
            stepper: Stepper::new(model, config),
            checks: Checks::new(model),
            transitions: 0,
            violations: 0,
            found: None,
            cut: 0,
            left: 0,
            collected: Vec::new(),
            at_rest: Vec::new(),
        };
        Worker {
            config,
            shared,
            bound: config.budget.depth.map_or(u32::MAX, |depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            own,
            trail: Vec::new(),
            stack: VecDeque::new(),
            given: 0,
            marks: Vec::new(),
            batch: Vec::new(),
            built: Vec::new(),
            visits: 0,
        }
    }

    /// The initial states are the first jobs.
    fn seed(&mut self) {
        let mut access = Access::Shared(&self.shared.visited);
        let initial = self.own.stepper.initial();
        self.own.transitions = initial.len() as u64;
        for (nth, (print, state)) in initial.into_iter().enumerate() {
            let arrival = access.shard(print, |shard| shard.insert(print, Some(&state), 0));
            if arrival == Arrival::New {
                self.stack.push_back(Task { nth: nth as u32, state, arrival });
            }
        }
        self.count_new(self.stack.len() as u64);
        let jobs = self.stack.drain(..).map(|task| Job { trail: Vec::new(), task });
        self.shared.queue().jobs.extend(jobs.rev());
    }

    fn run(&mut self, access: &mut Access<'_, M::State>) {
        let _leave = Leave(self.shared);
        while let Some(job) = self.shared.take(self.config.threads.max(1)) {
            self.trail = job.trail;
            self.given = 0;
            self.visit(job.task, access);
            while let Some(task) = self.pop() {
                self.visit(task, access);
                if self.shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                if self.shared.hungry.load(Ordering::Relaxed) > 0 {
                    self.share();
                }
            }
            self.own.left += self.stack.len() as u64;
            self.stack.clear();
            self.marks.clear();
        }
    }

    /// The next state, with the trail cut back to the one it comes from.
    fn pop(&mut self) -> Option<Task<M::State>> {
        let top = self.given + self.stack.len() as u64;
        while self.marks.last().is_some_and(|&mark| mark.max(self.given) >= top) {
            self.marks.pop();
            self.trail.pop();
        }
        if self.marks.is_empty() { None } else { self.stack.pop_back() }
    }

    /// Gives the oldest states away.
    fn share(&mut self) {
        let mut queue = self.shared.queue();
        let before = self.trail.len() - self.marks.len();
        for _ in 0..SHARE.min(self.stack.len() / 2) {
            let Some(task) = self.stack.pop_front() else { return };
            // The state it comes from is the last whose successors begin here or below.
            let parent = self.marks.partition_point(|&mark| mark <= self.given);
            queue.jobs.push(Job { trail: self.trail[..before + parent].to_vec(), task });
            self.given += 1;
        }
        self.shared.announce(&queue);
    }

    fn visit(&mut self, task: Task<M::State>, access: &mut Access<'_, M::State>) {
        self.tick();
        self.trail.push(task.nth);
        self.marks.push(self.given + self.stack.len() as u64);
        let depth = (self.trail.len() - 1) as u32;
        let first = task.arrival == Arrival::New;
        let state = &task.state;
        let failed = self.own.stepper.model.failure(state).is_some();
        let steps = (depth < self.bound && !failed).then(|| self.steps(state, Part::Reduced, access));
        // In the meantime what the insertion of the successors needs is on its way from memory.
        if first {
            if self.config.collect_states {
                self.own.collected.push(state.clone());
            }
            if failed || self.own.checks.look(&self.own.stepper.model, state) {
                self.found();
            }
        }
        if failed {
            return;
        }
        let moved = if let Some(steps) = steps {
            self.expand(state, steps, depth, task.arrival, access)
        } else {
            let moved = self.own.stepper.has_successor(state);
            self.own.cut += i64::from(moved);
            moved
        };
        if first && !moved {
            self.rest(state);
        }
    }

    /// Nothing more can happen in `state`.
    fn rest(&mut self, state: &M::State) {
        let (checks, model) = (&self.own.checks, &self.own.stepper.model);
        if checks.is_wrong_at_rest(model, state) && !checks.is_wrong(model, state) {
            self.found();
        }
        if self.config.collect_final {
            self.own.at_rest.push(state.clone());
        }
    }

    /// The state at the end of the trail is wrong.
    fn found(&mut self) {
        self.own.violations += 1;
        if self.own.found.is_none() {
            let path = self.own.stepper.follow(&self.trail);
            let violation = self.own.checks.violation(&self.own.stepper.model, path.last());
            self.own.found = violation.map(|violation| Found { violation, path });
        }
        if !self.config.keep_going {
            self.shared.stop(None);
        }
    }

    /// Puts the new successors on the stack; whether there are any successors at all.
    fn expand(
        &mut self,
        state: &M::State,
        steps: Steps,
        depth: u32,
        arrival: Arrival,
        access: &mut Access<'_, M::State>,
    ) -> bool {
        let mut generated = steps.generated;
        if !self.insert(state, depth + 1, access) && steps.reduced {
            generated += self.steps(state, Part::Rest, access).generated;
            self.insert(state, depth + 1, access);
        }
        // Steps of a state that is expanded again count once.
        match arrival {
            Arrival::Sooner(before) if before < self.bound => {}
            Arrival::Sooner(_) => {
                self.own.cut -= i64::from(generated > 0);
                self.own.transitions += generated;
            }
            _ => self.own.transitions += generated,
        }
        generated > 0
    }

    /// The successors of `state` become the batch.
    fn steps(&mut self, state: &M::State, part: Part, access: &mut Access<'_, M::State>) -> Steps {
        if let Some(steps) = self.own.stepper.quick_steps(state, &mut self.batch) {
            self.batch.iter().for_each(|&(_, print)| access.prefetch(print));
            return steps;
        }
        let (batch, built) = (&mut self.batch, &mut self.built);
        self.own.stepper.expand(state, part, |nth, print, next| {
            access.prefetch(print);
            batch.push((nth, print));
            built.extend(next);
        })
    }

    /// Inserts the batch of successors of `from`; whether anything was new.
    fn insert(&mut self, from: &M::State, depth: u32, access: &mut Access<'_, M::State>) -> bool {
        let mut built = self.built.drain(..);
        let (before, mut new) = (self.stack.len(), 0);
        for (nth, print) in self.batch.drain(..) {
            let built = built.next();
            let arrival = access.shard(print, |shard| shard.insert(print, built.as_ref(), depth));
            new += u64::from(arrival == Arrival::New);
            if arrival != Arrival::Known {
                let state = built.unwrap_or_else(|| self.own.stepper.build(from, nth));
                self.stack.push_back(Task { nth, state, arrival });
            }
        }
        drop(built);
        self.count_new(new);
        self.stack.len() > before
    }

    fn count_new(&self, new: u64) {
        let states = self.shared.states.fetch_add(new, Ordering::Relaxed) + new;
        if self.config.budget.states.is_some_and(|most| states > most) {
            self.shared.stop(Some(StopReason::MaxStates));
        }
    }

    fn tick(&mut self) {
        self.visits += 1;
        if self.visits.is_multiple_of(TICK) {
            let (states, frontier) = (self.shared.states.load(Ordering::Relaxed), self.stack.len() as u64);
            let done = 1.0 - frontier as f64 / states.max(1) as f64;
            if let Some(reason) = self.shared.observer.tick(&Progress { executions: 0, states, frontier, done }) {
                self.shared.stop(Some(reason));
            }
        }
    }
}
