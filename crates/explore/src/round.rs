//! One round of breadth-first search: a fixed number of chunks of the frontier is expanded, then the successors are inserted shard by
//! shard. Workers take chunks, later shards, as they come; the result does not depend on who took which.
//!
//! A worker holds a chunk, a bucket or a shard alone, so each lock is taken once a phase and nobody waits for one.

use crate::check::Checks;
use crate::config::Config;
use crate::stepper::{Part, Stepper};
use crate::visited::{SHARDS, Seen, shard_of};
use crate::{Model, links};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

/// States in a chunk.
pub const CHUNK: usize = 256;
/// Chunks in a round. The size of a round must not depend on the number of workers: the order of states does depend on it.
pub const CHUNKS: usize = 64;

/// How many insertions ahead the visited set is asked to fetch what they need.
const AHEAD: usize = 12;

/// States to be expanded, and what came of it. Aligned, so that workers with neighbouring chunks do not share cache lines.
#[repr(align(128))]
pub struct Chunk<S> {
    /// The states.
    pub states: Vec<S>,
    /// The number of the first of them; the others follow.
    pub first: u32,
    /// Instead of `first`, for states of which only a persistent set was expanded, in vain: their numbers, and whether they had
    /// successors. This time the rest is expanded.
    pub again: Vec<(u32, bool)>,
    /// Successors, duplicates included.
    pub generated: u64,
    /// Numbers of states that are wrong because nothing more can happen.
    pub wrong: Vec<u32>,
    /// Indices of states of which only a persistent set was expanded, and whether they had successors.
    pub reduced: Vec<(usize, bool)>,
    /// States that were not expanded because of the bound, although something can happen in them.
    pub cut: u64,
    /// States in which nothing more can happen, if they are wanted.
    pub at_rest: Vec<S>,
}

impl<S> Chunk<S> {
    fn new() -> Chunk<S> {
        Chunk {
            states: Vec::new(),
            first: 0,
            again: Vec::new(),
            generated: 0,
            wrong: Vec::new(),
            reduced: Vec::new(),
            cut: 0,
            at_rest: Vec::new(),
        }
    }

    fn number(&self, index: usize) -> u32 {
        if self.again.is_empty() { self.first + index as u32 } else { self.again[index].0 }
    }
}

/// Successors that lead from one chunk to one shard.
///
/// Most of them are known already, so they are not built: a fingerprint and the number of an action are enough to find out, and to build the others.
struct Bucket<S> {
    prints: Vec<u128>,
    /// Index of the parent in its chunk, and the number of the action.
    arrows: Vec<(u32, u32)>,
    /// The successors themselves, if whole states are wanted.
    built: Vec<S>,
}

impl<S> Bucket<S> {
    fn new() -> Bucket<S> {
        Bucket { prints: Vec::new(), arrows: Vec::new(), built: Vec::new() }
    }

    fn push(&mut self, index: u32, nth: u32, print: u128, built: Option<S>) {
        self.prints.push(print);
        self.arrows.push((index, nth));
        self.built.extend(built);
    }
}

/// A part of the visited states, and the states that are new in this round. Aligned, as chunks are.
#[repr(align(128))]
pub struct Shard<S> {
    seen: Seen<S>,
    /// New states.
    pub fresh: Vec<S>,
    /// Their parents, and which action led to them.
    pub links: Vec<(u32, u32)>,
    /// Indices of new states that are wrong.
    pub wrong: Vec<usize>,
}

/// Everything workers share.
pub struct Round<M: Model> {
    /// The first `used` are to be expanded.
    chunks: Vec<RwLock<Chunk<M::State>>>,
    used: AtomicUsize,
    /// Bucket `chunk * SHARDS + shard`.
    buckets: Vec<Mutex<Bucket<M::State>>>,
    shards: Vec<Mutex<Shard<M::State>>>,
    next_chunk: AtomicUsize,
    next_shard: AtomicUsize,
    /// States of this level are not expanded: the bound is reached.
    bound: AtomicBool,
    collect_at_rest: bool,
}

/// What a worker has for itself.
pub struct Worker<M: Model> {
    /// How it takes steps.
    pub stepper: Stepper<M>,
    /// What it looks for.
    pub checks: Checks<M>,
    row: Vec<Bucket<M::State>>,
}

impl<M: Model> Worker<M> {
    /// A worker with a clone of the model.
    pub fn new(model: &M, config: &Config) -> Worker<M> {
        let row = (0..SHARDS).map(|_| Bucket::new()).collect();
        Worker { stepper: Stepper::new(model, config), checks: Checks::new(model), row }
    }
}

/// A panic of a worker ends the run in `bfs`; what it left behind is not looked at.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Model> Round<M> {
    /// A round in which nothing is to be done.
    pub fn new(config: &Config) -> Round<M> {
        let shard = || Shard { seen: Seen::new(config.exact), fresh: Vec::new(), links: Vec::new(), wrong: Vec::new() };
        Round {
            chunks: (0..CHUNKS).map(|_| RwLock::new(Chunk::new())).collect(),
            used: AtomicUsize::new(0),
            buckets: (0..CHUNKS * SHARDS).map(|_| Mutex::new(Bucket::new())).collect(),
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
            next_chunk: AtomicUsize::new(0),
            next_shard: AtomicUsize::new(0),
            bound: AtomicBool::new(false),
            collect_at_rest: config.collect_final,
        }
    }

    /// Fills a chunk.
    pub fn chunk(&self, chunk: usize) -> RwLockWriteGuard<'_, Chunk<M::State>> {
        self.chunks[chunk].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a shard found new.
    pub fn shard(&self, shard: usize) -> MutexGuard<'_, Shard<M::State>> {
        lock(&self.shards[shard])
    }

    /// Makes the first `used` chunks ready to be taken.
    pub fn start(&self, used: usize, bound: bool) {
        self.used.store(used, Ordering::Relaxed);
        self.bound.store(bound, Ordering::Relaxed);
        self.next_chunk.store(0, Ordering::Relaxed);
        self.next_shard.store(0, Ordering::Relaxed);
    }

    /// Inserts the initial states, as successors of nothing.
    pub fn seed(&self, initial: Vec<(u128, M::State)>, worker: &Worker<M>) {
        for (nth, (print, state)) in initial.into_iter().enumerate() {
            let mut shard = self.shard(shard_of(print));
            if shard.seen.insert(print, Some(&state)) {
                shard.add(state, (links::NO_PARENT, nth as u32), worker);
            }
        }
    }

    /// First phase: expands chunks until there are none left.
    pub fn expand(&self, worker: &mut Worker<M>) {
        loop {
            let chunk = self.next_chunk.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.used.load(Ordering::Relaxed) {
                return;
            }
            let buckets = &self.buckets[chunk * SHARDS..][..SHARDS];
            swap(&mut worker.row, buckets);
            self.expand_chunk(worker, &mut self.chunk(chunk));
            swap(&mut worker.row, buckets);
        }
    }

    fn expand_chunk(&self, worker: &mut Worker<M>, chunk: &mut Chunk<M::State>) {
        let part = if chunk.again.is_empty() { Part::Reduced } else { Part::Rest };
        let bound = self.bound.load(Ordering::Relaxed);
        let states = std::mem::take(&mut chunk.states);
        for (index, state) in states.iter().enumerate() {
            let Worker { stepper, checks, row } = worker;
            if stepper.model.has_failed(state) {
                continue;
            }
            let parent = chunk.number(index);
            let moved = if bound {
                let moved = stepper.has_successor(state);
                chunk.cut += u64::from(moved);
                moved
            } else {
                let push = |nth, print, built| row[shard_of(print)].push(index as u32, nth, print, built);
                let steps = stepper.expand(state, part, push);
                chunk.generated += steps.generated;
                if steps.reduced {
                    chunk.reduced.push((index, steps.generated > 0));
                    continue;
                }
                steps.generated > 0 || chunk.again.get(index).is_some_and(|&(_, moved)| moved)
            };
            if !moved {
                self.rest(&stepper.model, checks, state, parent, chunk);
            }
        }
        chunk.states = states;
    }

    /// Nothing more can happen in `state`.
    fn rest(&self, model: &M, checks: &Checks<M>, state: &M::State, number: u32, chunk: &mut Chunk<M::State>) {
        // A state that was wrong when it was found was counted then.
        if checks.is_wrong_at_rest(model, state) && !checks.is_wrong(model, state) {
            chunk.wrong.push(number);
        }
        if self.collect_at_rest {
            chunk.at_rest.push(state.clone());
        }
    }

    /// Second phase: inserts into shards until there are none left. The first to find a state in the order of the frontier is its
    /// parent.
    pub fn insert(&self, worker: &mut Worker<M>) {
        loop {
            let index = self.next_shard.fetch_add(1, Ordering::Relaxed);
            if index >= SHARDS {
                return;
            }
            let mut shard = self.shard(index);
            for chunk in 0..self.used.load(Ordering::Relaxed) {
                let parents = self.chunks[chunk].read().unwrap_or_else(PoisonError::into_inner);
                shard.insert(&mut lock(&self.buckets[chunk * SHARDS + index]), &parents, worker);
            }
        }
    }
}

fn swap<S>(row: &mut [Bucket<S>], buckets: &[Mutex<Bucket<S>>]) {
    for (mine, bucket) in row.iter_mut().zip(buckets) {
        std::mem::swap(mine, &mut *lock(bucket));
    }
}

impl<S: Clone + Eq + std::hash::Hash> Shard<S> {
    fn insert<M: Model<State = S>>(&mut self, bucket: &mut Bucket<S>, parents: &Chunk<S>, worker: &mut Worker<M>) {
        bucket.prints.iter().take(AHEAD).for_each(|&print| self.seen.prefetch(print));
        let mut built = bucket.built.drain(..);
        for (at, (index, nth)) in bucket.arrows.drain(..).enumerate() {
            let (print, state) = (bucket.prints[at], built.next());
            if let Some(&later) = bucket.prints.get(at + AHEAD) {
                self.seen.prefetch(later);
            }
            if self.seen.insert(print, state.as_ref()) {
                let index = index as usize;
                let state = state.unwrap_or_else(|| worker.stepper.build(&parents.states[index], nth));
                self.add(state, (parents.number(index), nth), worker);
            }
        }
        drop(built);
        bucket.prints.clear();
    }

    /// A new state.
    fn add<M: Model<State = S>>(&mut self, state: S, link: (u32, u32), worker: &Worker<M>) {
        let (model, checks) = (&worker.stepper.model, &worker.checks);
        if model.has_failed(&state) || checks.look(model, &state) {
            self.wrong.push(self.fresh.len());
        }
        self.fresh.push(state);
        self.links.push(link);
    }
}
