//! Depth-first search: the visited states and a stack, no parent links.
//!
//! A state is marked and checked when it is found, and expanded when it is taken from the stack; a path is the list of numbers of the actions that led
//! to the current state. An idle worker gets the oldest states of another worker's stack, with their paths.
//!
//! A few siblings are expanded together: the successors of all of them are listed, and looked up after that. So the memory accesses of the look-ups
//! overlap with other work.
//!
//! With persistent sets there is one worker, since what they leave out depends on the order of visits, and a state is expanded in full when its
//! set led to nothing new. Whatever the order of visits, each reduced state
//! then has a successor that is expanded after it; so a chain of reduced states ends in a state that is expanded in full, and no action
//! is ignored for ever.

use crate::check::Checks;
use crate::config::{Config, Found, Reduction, Report};
use crate::prints::Arrival;
use crate::rebuild::{self, Wrong};
use crate::round::lock;
use crate::run::Run;
use crate::sample::is_sampled;
use crate::sharing::{Job, Leave, Shared, Task};
use crate::stepper::{Listing, Panicked, Part, Stepper, Steps, count_user_steps, tally};
use crate::visited::{Reached, shard_of};
use crate::{Path, TransitionSystem, fingerprint, guard};
use manyworlds_core::{InvalidModel, Progress, StopReason};
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};

/// An idle worker is given at most so many states.
const SHARE: usize = 32;
/// So many siblings are expanded together.
const TOGETHER: usize = 8;
/// The observer is called once in so many states.
const TICK: u64 = 32;

/// Explores every state that can be reached.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>) -> Report<M> {
    let alone = run.config.reduction == Reduction::Persistent;
    let config = &Config { threads: if alone { 1 } else { run.config.threads }, ..run.config.clone() };
    let run = &run.configured(config);
    let shared = Shared::new(config, run.observer);
    let mut first = Worker::new(run, &shared);
    first.seed();
    let workers = if config.threads > 1 {
        let work = |mut worker: Worker<'_, M>| {
            guard::quietly::<M, _>(|| worker.run(&mut Access::Shared(&shared.visited)));
            worker.own
        };
        std::thread::scope(|scope| {
            let start = |_| {
                let worker = Worker::new(run, &shared);
                std::thread::Builder::new().spawn_scoped(scope, || work(worker)).ok()
            };
            let others: Vec<_> = (1..config.threads).map_while(start).collect();
            shared.do_without(config.threads - 1 - others.len());
            let others = std::iter::once(work(first)).chain(
                others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            );
            others.collect()
        })
    } else {
        first.run(&mut Access::Held(shared.visited.iter().map(lock).collect()));
        vec![first.own]
    };
    finish(config, &shared, workers)
}

fn finish<M: TransitionSystem>(config: &Config, shared: &Shared<'_, M>, mut workers: Vec<Own<M>>) -> Report<M> {
    let mut report = Report::default();
    let states = shared.states.load(Ordering::Relaxed).min(config.budget.states.unwrap_or(u64::MAX));
    report.stats.states = Some(states.into());
    report.stats.transitions = Some(workers.iter().map(|own| u128::from(own.transitions)).sum());
    report.stats.violations = workers.iter().map(|own| own.violations).sum();
    report.frontier = shared.queue().jobs.len() as u64 + workers.iter().map(|own| own.left).sum::<u64>();
    let cut = workers.iter().map(|own| own.cut).sum::<i64>().max(0) as u64;
    report.frontier += cut;
    report.stopped = *lock(&shared.stopped);
    report.stopped = report.stopped.or((cut > 0).then_some(StopReason::MaxDepth));
    // With a bound the number of steps takes the place of 32 bits of a fingerprint.
    let bits = if config.budget.depth.is_some() { 96 } else { 128 };
    report.omission = (!config.exact).then(|| fingerprint::omission(states, bits));
    count_user_steps(workers.iter().map(|own| &own.stepper), &mut report.stats);
    report.actions = tally(workers.iter().map(|own| &own.stepper));
    report.samples = workers.iter_mut().flat_map(|own| std::mem::take(&mut own.stepper.samples)).collect();
    report.flaw = workers.iter_mut().find_map(|own| own.flaw.take());
    let wrong = workers.iter_mut().filter_map(|own| own.wrong.take());
    if let Some((hints, wrong)) = wrong.min_by_key(|(hints, _)| hints.len()) {
        let is_known = |print, state: &M::State| {
            lock(&shared.visited[shard_of(print, shared.visited.len())]).contains(print, state)
        };
        match rebuild::path(&mut workers[0].stepper, &hints, &wrong.state, is_known) {
            Ok(path) => {
                let path = Path { attempted: wrong.attempted, ..path };
                report.found = Some(Found { violation: wrong.violation, path });
            }
            Err(flaw) => report.flaw = Some(flaw),
        }
    }
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
    /// Prefetches the memory needed to insert a state, unless that takes a lock.
    #[inline]
    fn prefetch(&self, print: u128) {
        if let Access::Held(shards) = self {
            shards[shard_of(print, shards.len())].prefetch(print);
        }
    }

    /// Adds a state that was reached in `depth` steps; `state` is there if whole states are kept.
    #[inline(always)]
    fn insert(&mut self, print: u128, state: Option<&S>, depth: u32) -> Arrival {
        match self {
            Access::Held(shards) => {
                let shard = shard_of(print, shards.len());
                shards[shard].insert(print, state, depth)
            }
            Access::Shared(shards) => insert_shared(shards, print, state, depth),
        }
    }
}

#[inline(never)]
fn insert_shared<S>(shards: &[Mutex<Reached<S>>], print: u128, state: Option<&S>, depth: u32) -> Arrival
where
    S: Clone + Eq + Hash,
{
    lock(&shards[shard_of(print, shards.len())]).insert(print, state, depth)
}

/// The private data of a worker, and its results.
struct Own<M: TransitionSystem> {
    stepper: Stepper<M>,
    checks: Checks<M>,
    transitions: u64,
    violations: u64,
    /// The first violating state, and the path to it.
    wrong: Option<(Vec<u32>, Wrong<M>)>,
    flaw: Option<Box<InvalidModel>>,
    /// States that were not expanded because of the bound although they have enabled actions, less those that were expanded later.
    cut: i64,
    /// States that were not visited when the run was stopped.
    left: u64,
    collected: Vec<M::State>,
    at_rest: Vec<M::State>,
}

struct Worker<'a, M: TransitionSystem> {
    config: &'a Config,
    shared: &'a Shared<'a, M>,
    bound: u32,
    own: Own<M>,
    /// The path to the state whose successors are visited.
    trail: Vec<u32>,
    /// States to be visited, oldest first.
    stack: VecDeque<Task<M::State>>,
    /// How many of the oldest were given away.
    given: u64,
    /// Whose successors are on the stack, and where.
    marks: Vec<Mark>,
    /// Siblings to be expanded together, and their successors.
    group: Vec<Task<M::State>>,
    batches: [Listing<M>; TOGETHER],
    visits: u64,
}

/// A state whose successors are on the stack. Whatever is above them comes from its siblings, so the trail begins like the path to it.
#[derive(Clone, Copy)]
struct Mark {
    /// Where its successors begin.
    start: u64,
    /// How many steps lead to it.
    depth: usize,
    /// The last of them.
    nth: u32,
}

impl<'a, M: TransitionSystem> Worker<'a, M> {
    fn new(run: &Run<'a, M>, shared: &'a Shared<'a, M>) -> Worker<'a, M> {
        let config = run.config;
        let own = Own {
            stepper: Stepper::new(run),
            checks: Checks::new(run.model),
            transitions: 0,
            violations: 0,
            wrong: None,
            flaw: None,
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
            group: Vec::new(),
            batches: std::array::from_fn(|_| Listing::default()),
            visits: 0,
        }
    }

    /// The initial states are the first jobs.
    fn seed(&mut self) {
        let mut access = Access::Shared(&self.shared.visited);
        let initial = self.own.stepper.initial();
        self.own.transitions = initial.len() as u64;
        let mut new = 0;
        for (nth, (print, state)) in initial.iter().enumerate() {
            let arrival = access.insert(*print, Some(state), 0);
            if arrival == Arrival::New {
                new += 1;
                self.arrive(&[], Task { nth: nth as u32, state: state.clone(), arrival }, 0);
            }
        }
        self.count_new(new);
        let jobs = self.stack.drain(..).map(|task| Job { trail: Vec::new(), task });
        self.shared.queue().jobs.extend(jobs.rev());
    }

    fn run(&mut self, access: &mut Access<'_, M::State>) {
        let _leave = Leave(self.shared);
        while let Some(job) = self.shared.take(self.config.threads.max(1)) {
            self.trail = job.trail;
            self.given = 0;
            self.group.push(job.task);
            loop {
                self.visit(access);
                if self.shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                if self.shared.idle.load(Ordering::Relaxed) > 0 {
                    self.share();
                }
                if !self.pop() {
                    break;
                }
            }
            self.own.left += self.stack.len() as u64;
            self.stack.clear();
            self.marks.clear();
        }
    }

    /// Takes the next siblings from the stack, and makes the trail that of the state they come from. Whether there are any.
    fn pop(&mut self) -> bool {
        let top = self.given + self.stack.len() as u64;
        while self.marks.last().is_some_and(|mark| mark.start.max(self.given) >= top) {
            self.marks.pop();
        }
        let Some(&Mark { start, depth, nth }) = self.marks.last() else { return false };
        self.trail.truncate(depth);
        self.trail.push(nth);
        let count = ((top - start.max(self.given)) as usize).min(TOGETHER);
        for _ in 0..count {
            self.group.extend(self.stack.pop_back());
        }
        true
    }

    /// Gives the oldest states away.
    fn share(&mut self) {
        let mut queue = self.shared.queue();
        for _ in 0..SHARE.min(self.stack.len() / 2) {
            let Some(task) = self.stack.pop_front() else { return };
            // The state it comes from is the last whose successors begin here or below.
            let parent = self.marks.partition_point(|mark| mark.start <= self.given) - 1;
            let Mark { depth, nth, .. } = self.marks[parent];
            let trail = self.trail[..depth].iter().copied().chain([nth]).collect();
            queue.jobs.push(Job { trail, task });
            self.given += 1;
        }
        self.shared.announce(&queue);
    }

    /// Expands the states of the group.
    fn visit(&mut self, access: &mut Access<'_, M::State>) {
        let mut group = std::mem::take(&mut self.group);
        let mut listed = [Some(Steps::default()); TOGETHER];
        for (at, task) in group.iter().enumerate() {
            self.tick();
            listed[at] = self.steps(at, task, Part::Reduced, access);
        }
        for (at, task) in group.iter().enumerate() {
            let before = self.stack.len();
            let moved = self.expand(at, task, listed[at], access);
            if self.stack.len() > before {
                let start = self.given + before as u64;
                self.marks.push(Mark { start, depth: self.trail.len(), nth: task.nth });
            }
            if task.arrival == Arrival::New && !moved {
                self.rest(&[task.nth], &task.state);
            }
        }
        group.clear();
        self.group = group;
    }

    /// A state is reached, for the first time or sooner than before, in `depth` steps: the trail, then `from`, then its own. It is checked if
    /// it is new, and put on the stack if it is to be expanded.
    #[inline(always)]
    fn arrive(&mut self, from: &[u32], task: Task<M::State>, depth: u32) {
        let (new, failed) = (task.arrival == Arrival::New, self.own.stepper.model.has_failed(&task.state));
        if new {
            if self.config.collect_states {
                self.own.collected.push(task.state.clone());
            }
            if failed || self.own.checks.look(&self.own.stepper.model, &task.state) {
                let blamed = self.own.checks.blame(&self.own.stepper.model, &task.state);
                self.found(from, task.nth, blamed);
            }
        }
        if failed {
            return;
        }
        if depth < self.bound {
            return self.stack.push_back(task);
        }
        match self.own.stepper.has_successor(&task.state) {
            Ok(moves) => {
                self.own.cut += i64::from(moves);
                if new && !moves {
                    self.rest(&[from, &[task.nth]].concat(), &task.state);
                }
            }
            Err(panicked) => self.panicked(from, &task, *panicked),
        }
    }

    /// The state to which these steps lead from the end of the trail is terminal.
    fn rest(&mut self, steps: &[u32], state: &M::State) {
        let (checks, model) = (&self.own.checks, &self.own.stepper.model);
        if checks.is_wrong_at_rest(model, state) && !checks.is_wrong(model, state) {
            let blamed = checks.blame(model, state);
            let (last, before) = steps.split_last().expect("a step leads to every state");
            self.found(before, *last, blamed);
        }
        if self.config.collect_final {
            self.own.at_rest.push(state.clone());
        }
    }

    /// The specification panics in a state, which was not expanded before.
    fn panicked(&mut self, from: &[u32], task: &Task<M::State>, panicked: Panicked<M>) {
        if task.arrival == Arrival::New {
            let Panicked { violation, attempted } = panicked;
            self.found(from, task.nth, Ok(Wrong { state: task.state.clone(), violation, attempted }));
        }
    }

    /// The state to which these steps lead from the end of the trail violates a property.
    #[cold]
    fn found(&mut self, from: &[u32], nth: u32, blamed: Result<Wrong<M>, Box<InvalidModel>>) {
        self.own.violations += 1;
        match blamed {
            Ok(wrong) if self.own.wrong.is_none() => {
                let hints = self.trail.iter().chain(from).copied().chain([nth]).collect();
                self.own.wrong = Some((hints, wrong));
            }
            Ok(_) => {}
            Err(flaw) => self.flawed(flaw),
        }
        if !self.config.keep_going {
            self.shared.stop(None);
        }
    }

    /// The model breaks an assumption of the search.
    #[cold]
    fn flawed(&mut self, flaw: Box<InvalidModel>) {
        self.own.flaw.get_or_insert(flaw);
        self.shared.stop(None);
    }

    /// Puts the new successors on the stack; whether there are any successors at all.
    /// Where the specification panicked, there is no more to be done with the state than to insert the successors before that.
    fn expand(
        &mut self,
        at: usize,
        task: &Task<M::State>,
        steps: Option<Steps>,
        access: &mut Access<'_, M::State>,
    ) -> bool {
        let before_panic = self.batches[at].listed.len() as u64;
        let mut generated = steps.map_or(before_panic, |steps| steps.generated);
        if !self.insert(at, task, access) && steps.is_some_and(|steps| steps.reduced) {
            generated += self.steps(at, task, Part::Rest, access).map_or(0, |steps| steps.generated);
            self.insert(at, task, access);
        }
        // Steps of a state that is expanded again count once.
        match task.arrival {
            Arrival::Sooner(before) if before < self.bound => {}
            Arrival::Sooner(_) => {
                self.own.cut -= i64::from(generated > 0);
                self.own.transitions += generated;
            }
            _ => self.own.transitions += generated,
        }
        generated > 0 || steps.is_none()
    }

    /// Lists the successors of a state in a batch; `None` if the specification panics.
    #[inline]
    fn steps(
        &mut self,
        at: usize,
        task: &Task<M::State>,
        part: Part,
        access: &mut Access<'_, M::State>,
    ) -> Option<Steps> {
        let sampled = M::USER_CODE && is_sampled(self.visits - 1, self.config.seed);
        let batch = &mut self.batches[at];
        // No sleep sets: their soundness argument needs breadth-first order.
        let steps = self.own.stepper.expand(&task.state, 0, part, sampled, batch);
        batch.listed.iter().for_each(|next| access.prefetch(next.print));
        match steps {
            Ok(steps) => Some(steps),
            Err(panicked) => {
                self.panicked(&[], task, *panicked);
                None
            }
        }
    }

    /// Inserts a batch of successors of a state; whether anything was new.
    fn insert(&mut self, at: usize, from: &Task<M::State>, access: &mut Access<'_, M::State>) -> bool {
        // Steps that lead to `from`, and one more.
        let depth = self.trail.len() as u32 + 1;
        let mut batch = std::mem::take(&mut self.batches[at]);
        let (mut reached, mut new) = (false, 0);
        let mut whole = batch.built.drain(..);
        for (place, next) in batch.listed.iter().enumerate() {
            let state = whole.next();
            let arrival = access.insert(next.print, state.as_ref(), depth);
            if arrival == Arrival::Known {
                continue;
            }
            reached = true;
            new += u64::from(arrival == Arrival::New);
            if depth == self.bound && self.passes(&from.state, next.number) {
                self.own.cut += 1;
                continue;
            }
            let build = || self.own.stepper.build(&from.state, *next, batch.actions.get(place));
            match state.map_or_else(build, Ok) {
                Ok(state) => self.arrive(&[from.nth], Task { nth: next.number, state, arrival }, depth),
                Err(flaw) => self.flawed(flaw),
            }
        }
        drop(whole);
        batch.clear();
        self.batches[at] = batch;
        self.count_new(new);
        reached
    }

    /// Whether a successor that is not expanded is known to violate nothing without being built.
    #[inline]
    fn passes(&self, from: &M::State, nth: u32) -> bool {
        let fine = |key| self.own.checks.is_fine(key);
        !self.config.collect_states && self.own.stepper.successor_key(from, nth).is_some_and(fine)
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
            // The progress is unknown: the stack gives no bound on the number of states still to be found.
            if let Some(reason) = self.shared.observer.tick(&Progress { executions: 0, states, frontier, done: 0.0 }) {
                self.shared.stop(Some(reason));
            }
        }
    }
}
