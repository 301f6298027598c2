//! One round of breadth-first search, on a fixed number of chunks of the frontier, in three phases:
//!
//! 1. *list* the successors of a chunk, and sort them by shard of the visited states;
//! 2. *insert* the successors of each shard, chunk after chunk, and keep the new ones;
//! 3. *build* the new successors of a chunk, and check them.
//!
//! Workers take chunks, then shards, then chunks again, dynamically. Independently of that assignment, the new states are in the order of a naive
//! search: the order of their parents, then of their parents' actions. A single worker is that naive search, chunk by chunk, and sorts nothing.
//!
//! A worker holds a chunk or a shard alone, or reads chunks, so no worker waits for a lock.

use crate::check::Checks;
use crate::config::Config;
use crate::frontier::{BLOCK, Block};
use crate::rebuild::Wrong;
use crate::recent::Recent;
use crate::run::Run;
use crate::sample::is_sampled;
use crate::sleep::TESTED;
use crate::sorted::{AHEAD, Order, Sorted};
use crate::stepper::{Listing, Panicked, Part, Stepper, Steps};
use crate::visited::{FEW, Seen, shard_of, shards_for};
use crate::{Listed, TransitionSystem, links};
use manyworlds_core::{InvalidModel, Observer, Progress, StopReason};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard};

/// Chunks in a round. It must not depend on the number of workers: with persistent sets, states are expanded again in the next round.
pub const CHUNKS: usize = 64;

/// The observer is called once in so many states.
const TICK: usize = 32;

/// A state whose persistent set led to no new state: its number, whether it had successors, the state.
pub type Again<S> = (u32, bool, S);

/// States to be expanded, and the result of the expansion. Aligned, so that workers with neighbouring chunks do not share cache lines.
#[repr(align(128))]
pub struct Chunk<M: TransitionSystem> {
    /// The states.
    pub block: Block<M::State>,
    /// The number of the first of them; the others follow.
    pub first: u32,
    /// Instead of `first`: the states are expanded for the second time, by the actions that were left out.
    pub again: Vec<(u32, bool)>,
    /// The successors themselves, if whole states are wanted, or the actions that lead to them: see [`Listing`].
    built: Vec<M::State>,
    actions: Vec<M::Action>,
    /// Where the successors of each state end.
    ends: Vec<u32>,
    sorted: Sorted,
    /// Indices of states of which only a persistent set was listed, and whether they had successors.
    reduced: Vec<(usize, bool)>,
    /// It was expanded.
    done: bool,
    /// Memory for new blocks.
    spare: Vec<Block<M::State>>,
    /// The result of the expansion.
    pub found: Finds<M>,
}

/// The result of expanding a chunk.
pub struct Finds<M: TransitionSystem> {
    /// Successors, duplicates included.
    pub generated: u64,
    /// New states that are to be expanded.
    pub fresh: Vec<Block<M::State>>,
    /// For each new state its parent, and which action led to it.
    pub links: links::Batch,
    /// Places of new states that violate a property.
    pub wrong: Vec<u32>,
    /// The first of them, with its place.
    pub first_wrong: Option<(u32, Wrong<M>)>,
    /// Places of new states that are not expanded because of the bound, although they have enabled actions.
    pub cut: Vec<u32>,
    /// Numbers of violating terminal states, and of states in which the specification panics.
    pub wrong_when_expanded: Vec<u32>,
    /// The first of them, with its number.
    pub first_wrong_when_expanded: Option<(u32, Wrong<M>)>,
    /// Terminal states, if they are collected.
    pub at_rest: Vec<M::State>,
    /// All new states, if they are collected.
    pub states: Vec<M::State>,
    /// States to be expanded again.
    pub again: Vec<Again<M::State>>,
    /// Evidence that the model breaks an assumption of the search.
    pub flaw: Option<Box<InvalidModel>>,
}

impl<M: TransitionSystem> Default for Finds<M> {
    fn default() -> Finds<M> {
        Finds {
            generated: 0,
            fresh: Vec::new(),
            links: links::Batch::default(),
            wrong: Vec::new(),
            first_wrong: None,
            cut: Vec::new(),
            wrong_when_expanded: Vec::new(),
            first_wrong_when_expanded: None,
            at_rest: Vec::new(),
            states: Vec::new(),
            again: Vec::new(),
            flaw: None,
        }
    }
}

impl<M: TransitionSystem> Finds<M> {
    /// The last new state violates a property.
    #[cold]
    fn wrong(&mut self, blamed: Result<Wrong<M>, Box<InvalidModel>>) {
        let place = self.links.len() as u32 - 1;
        self.wrong.push(place);
        match blamed {
            Ok(wrong) => _ = self.first_wrong.get_or_insert((place, wrong)),
            Err(flaw) => _ = self.flaw.get_or_insert(flaw),
        }
    }

    /// A known state violates a property.
    #[cold]
    fn wrong_when_expanded(&mut self, number: u32, blamed: Result<Wrong<M>, Box<InvalidModel>>) {
        self.wrong_when_expanded.push(number);
        match blamed {
            Ok(wrong) => _ = self.first_wrong_when_expanded.get_or_insert((number, wrong)),
            Err(flaw) => _ = self.flaw.get_or_insert(flaw),
        }
    }
}

impl<M: TransitionSystem> Chunk<M> {
    fn new() -> Chunk<M> {
        Chunk {
            block: Block::default(),
            first: 0,
            again: Vec::new(),
            built: Vec::new(),
            actions: Vec::new(),
            ends: Vec::new(),
            sorted: Sorted::default(),
            reduced: Vec::new(),
            done: true,
            spare: Vec::new(),
            found: Finds::default(),
        }
    }

    #[inline]
    fn number(&self, index: usize) -> u32 {
        if self.again.is_empty() { self.first + index as u32 } else { self.again[index].0 }
    }

    /// Keeps the memory of a block for later, but not that of many.
    pub fn recycle(&mut self, mut block: Block<M::State>) {
        if self.spare.len() < 2 {
            block.truncate(0);
            self.spare.push(block);
        }
    }

    /// Puts a new state behind the others.
    #[inline]
    fn push(&mut self, state: M::State, asleep: Option<u64>) {
        if self.found.fresh.last().is_none_or(|last| last.states.len() == BLOCK) {
            self.found.fresh.push(self.spare.pop().unwrap_or_default());
        }
        let block = self.found.fresh.last_mut().expect("there is a block");
        block.states.push(state);
        block.asleep.extend(asleep);
    }
}

/// A part of the visited states. Aligned, as chunks are.
#[repr(align(128))]
struct Shard<S>(Seen<S>);

/// Everything workers share.
pub struct Round<'a, M: TransitionSystem> {
    observer: &'a dyn Observer,
    /// The progress that the observer gets during the round.
    progress: Mutex<Progress>,
    /// The observer's reason to stop, while successors were listed.
    stopped: OnceLock<StopReason>,
    /// The first `used` are to be expanded.
    chunks: Vec<RwLock<Chunk<M>>>,
    used: AtomicUsize,
    shards: Vec<Mutex<Shard<M::State>>>,
    /// The next to be taken in each phase.
    next: [AtomicUsize; 3],
    /// New states are not expanded: the bound is reached.
    last: AtomicBool,
    /// All shards grow in this round. That takes long, and if some did so in one round and some in the next, workers would wait twice.
    grow: AtomicBool,
    collect_at_rest: bool,
    collect_states: bool,
    seed: u64,
}

/// The private data of a worker.
pub struct Worker<M: TransitionSystem> {
    /// Computes successors.
    pub stepper: Stepper<M>,
    /// The properties.
    pub checks: Checks<M>,
    listing: Listing<M>,
    /// Where the successors of each state of the chunk end.
    ends: Vec<u32>,
    recent: Recent,
    /// Which of the successors of a chunk are new.
    new: Order,
}

impl<M: TransitionSystem> Worker<M> {
    /// A worker with a clone of the model.
    pub fn new(run: &Run<'_, M>) -> Worker<M> {
        Worker {
            stepper: Stepper::new(run),
            checks: Checks::new(run.model),
            listing: Listing::default(),
            ends: Vec::new(),
            recent: Recent::default(),
            new: Order::default(),
        }
    }
}

/// Whether states that wait have sleep sets.
const fn sleeps<M: TransitionSystem>() -> bool {
    M::LISTS_FINGERPRINTS || M::KNOWS_INDEPENDENCE
}

/// A panic of a worker ends the run in `bfs`; the data behind the poisoned lock is not used.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a, M: TransitionSystem> Round<'a, M> {
    /// A round in which nothing is to be done.
    pub fn new(config: &Config, observer: &'a dyn Observer) -> Round<'a, M> {
        Round {
            observer,
            progress: Mutex::default(),
            stopped: OnceLock::new(),
            chunks: (0..CHUNKS).map(|_| RwLock::new(Chunk::new())).collect(),
            used: AtomicUsize::new(0),
            shards: (0..shards_for(config.threads)).map(|_| Mutex::new(Shard(Seen::new(config.exact, true)))).collect(),
            next: std::array::from_fn(|_| AtomicUsize::new(0)),
            last: AtomicBool::new(false),
            grow: AtomicBool::new(false),
            collect_at_rest: config.collect_final,
            collect_states: config.collect_states,
            seed: config.seed,
        }
    }

    /// A chunk, to fill it or to take its result.
    pub fn chunk(&self, chunk: usize) -> RwLockWriteGuard<'_, Chunk<M>> {
        self.chunks[chunk].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the first `used` chunks ready to be taken, which will lead to about `expected` new states. If this is the `last` level, new states are not
    /// expanded.
    pub fn start(&self, used: usize, expected: usize, last: bool, progress: Progress) {
        *lock(&self.progress) = progress;
        (0..used).for_each(|chunk| self.chunk(chunk).done = false);
        self.used.store(used, Ordering::Relaxed);
        self.last.store(last, Ordering::Relaxed);
        let more = expected.div_ceil(self.shards.len());
        let grow = self.shards.iter().any(|shard| lock(shard).0.is_short_of(more));
        self.grow.store(grow, Ordering::Relaxed);
        self.next.iter().for_each(|next| next.store(0, Ordering::Relaxed));
    }

    /// Whether a state was visited.
    pub fn knows(&self, print: u128, state: &M::State) -> bool {
        lock(&self.shards[shard_of(print, self.shards.len())]).0.contains(print, state)
    }

    /// The observer's reason to stop in the middle of the round.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped.get().copied()
    }

    /// Discards the results of chunks that were not expanded completely; returns the number of states in them.
    pub fn abandon(&self) -> u64 {
        let abandoned = |at: usize| {
            let chunk = &mut *self.chunk(at);
            if chunk.done {
                return 0;
            }
            chunk.found = Finds::default();
            chunk.block.states.len() as u64
        };
        (0..self.used.load(Ordering::Relaxed)).map(abandoned).sum()
    }

    /// Whether the observer wants to stop; it is called now if `now`.
    #[inline]
    fn stops(&self, now: bool) -> bool {
        if now && let Some(reason) = self.observer.tick(&lock(&self.progress)) {
            let _ = self.stopped.set(reason);
        }
        self.stopped.get().is_some()
    }

    /// Finds the initial states, as successors of nothing, in the first chunk.
    pub fn seed(&self, worker: &mut Worker<M>) {
        let chunk = &mut *self.chunk(0);
        let initial = worker.stepper.initial();
        chunk.found.generated = initial.len() as u64;
        for (nth, (print, state)) in initial.iter().enumerate() {
            if lock(&self.shards[shard_of(*print, self.shards.len())]).0.insert(*print, Some(state)) {
                chunk.found.links.push(links::NO_PARENT, nth as u32);
                self.add(worker, chunk, state.clone(), 0);
            }
        }
        chunk.done = true;
    }

    /// All phases by one worker.
    pub fn alone(&self, worker: &mut Worker<M>) {
        for chunk in 0..self.used.load(Ordering::Relaxed) {
            let chunk = &mut *self.chunk(chunk);
            let mut shards: [MutexGuard<'_, Shard<M::State>>; FEW] = std::array::from_fn(|at| lock(&self.shards[at]));
            if !self.list_chunk(worker, chunk) {
                return;
            }
            let (listing, ends) = (std::mem::take(&mut worker.listing), std::mem::take(&mut worker.ends));
            let listed = &listing.listed;
            listed.iter().take(AHEAD).for_each(|next| shards[shard_of(next.print, FEW)].0.prefetch(next.print));
            let mut start = 0;
            for (index, &end) in ends.iter().enumerate() {
                for place in start..end as usize {
                    if let Some(&Listed { print, .. }) = listed.get(place + AHEAD) {
                        shards[shard_of(print, FEW)].0.prefetch(print);
                    }
                    let (next, built) = (listed[place], listing.built.get(place));
                    if shards[shard_of(next.print, FEW)].0.insert(next.print, built) {
                        self.find(worker, chunk, index, next, built, listing.actions.get(place));
                    }
                }
                start = end as usize;
            }
            (worker.listing, worker.ends) = (listing, ends);
            finish(chunk);
        }
    }

    /// The next piece of work of a phase, if there is one.
    fn take(&self, phase: usize, most: usize) -> Option<usize> {
        if self.stops(false) {
            return None;
        }
        Some(self.next[phase].fetch_add(1, Ordering::Relaxed)).filter(|&at| at < most)
    }

    /// First phase: lists the successors of chunks until there are none left.
    pub fn list(&self, worker: &mut Worker<M>) {
        while let Some(at) = self.take(0, self.used.load(Ordering::Relaxed)) {
            let chunk = &mut *self.chunk(at);
            if !self.list_chunk(worker, chunk) {
                return;
            }
            chunk.sorted.sort(&worker.listing.listed, self.shards.len(), sleeps::<M>());
            std::mem::swap(&mut worker.listing.built, &mut chunk.built);
            std::mem::swap(&mut worker.listing.actions, &mut chunk.actions);
            std::mem::swap(&mut worker.ends, &mut chunk.ends);
        }
    }

    /// Lists the successors of a chunk, unless the observer wants to stop.
    fn list_chunk(&self, worker: &mut Worker<M>, chunk: &mut Chunk<M>) -> bool {
        let part = if chunk.again.is_empty() { Part::Reduced } else { Part::Rest };
        let Worker { stepper, checks, listing, ends, recent, .. } = worker;
        listing.clear();
        ends.clear();
        for index in 0..chunk.block.states.len() {
            if self.stops(index % TICK == 0) {
                return false;
            }
            let state = &chunk.block.states[index];
            // A system that lists fingerprints lists none where a step has failed.
            if M::LISTS_FINGERPRINTS || !stepper.model.has_failed(state) {
                if M::KNOWS_INDEPENDENCE && chunk.number(index) < TESTED && chunk.found.flaw.is_none() {
                    chunk.found.flaw = stepper.contradiction(state).map(Box::new);
                }
                let asleep = chunk.block.asleep(index);
                let start = listing.listed.len();
                let sampled = M::USER_CODE && is_sampled(chunk.number(index).into(), self.seed);
                let steps = stepper.expand(state, asleep, part, sampled, listing);
                let listed = (listing.listed.len() - start) as u64;
                // A worker takes chunks in order, so its earlier listings precede this one. (Where sleep sets are known there are few duplicates.)
                if listing.built.is_empty() && !M::LISTS_FINGERPRINTS {
                    recent.sift(&mut listing.listed, &mut listing.actions, start);
                }
                match steps {
                    Ok(steps) => self.expanded(stepper, checks, chunk, index, steps),
                    Err(panicked) => {
                        chunk.found.generated += listed;
                        let Panicked { violation, attempted } = *panicked;
                        let wrong = Wrong { state: state.clone(), violation, attempted };
                        chunk.found.wrong_when_expanded(chunk.number(index), Ok(wrong));
                    }
                }
            }
            ends.push(u32::try_from(listing.listed.len()).expect("a few hundred states have fewer successors"));
        }
        true
    }

    /// A state of a chunk was expanded.
    #[inline]
    fn expanded(&self, stepper: &Stepper<M>, checks: &Checks<M>, chunk: &mut Chunk<M>, index: usize, steps: Steps) {
        chunk.found.generated += steps.generated;
        let state = &chunk.block.states[index];
        if steps.reduced {
            chunk.reduced.push((index, steps.generated > 0));
        } else if steps.generated == 0
            && !chunk.again.get(index).is_some_and(|&(_, moved)| moved)
            && !stepper.model.has_failed(state)
            && self.rest(&stepper.model, checks, state, &mut chunk.found.at_rest)
        {
            chunk.found.wrong_when_expanded(chunk.number(index), checks.blame(&stepper.model, state));
        }
    }

    /// `state` is terminal; returns whether that is a violation.
    fn rest(&self, model: &M, checks: &Checks<M>, state: &M::State, at_rest: &mut Vec<M::State>) -> bool {
        if self.collect_at_rest {
            at_rest.push(state.clone());
        }
        // A state that violated a property when it was found was counted then.
        checks.is_wrong_at_rest(model, state) && !checks.is_wrong(model, state)
    }

    /// Second phase: inserts into shards until there are none left. The first to find a state in the order of the frontier is its parent.
    pub fn insert(&self) {
        while let Some(index) = self.take(1, self.shards.len()) {
            let Shard(seen) = &mut *lock(&self.shards[index]);
            if self.grow.load(Ordering::Relaxed) {
                seen.grow();
            }
            let chunks = &self.chunks[..self.used.load(Ordering::Relaxed)];
            let read = |at: usize| chunks.get(at).map(|chunk| chunk.read().unwrap_or_else(PoisonError::into_inner));
            for at in 0..chunks.len() {
                // One chunk ahead, so that small chunks do not wait.
                let ahead = if at == 0 { 0..2 } else { at + 1..at + 2 };
                ahead.filter_map(read).for_each(|chunk| chunk.sorted.prefetch(index, seen));
                let chunk = read(at).expect("it is one of them");
                chunk.sorted.insert(index, seen, &chunk.built);
            }
        }
    }

    /// Third phase: builds the new states of chunks until there are none left.
    pub fn build(&self, worker: &mut Worker<M>) {
        while let Some(at) = self.take(2, self.used.load(Ordering::Relaxed)) {
            let chunk = &mut *self.chunk(at);
            let (sorted, built) = (std::mem::take(&mut chunk.sorted), std::mem::take(&mut chunk.built));
            let actions = std::mem::take(&mut chunk.actions);
            let mut new = std::mem::take(&mut worker.new);
            sorted.order(&mut new);
            chunk.found.links.reserve(new.len());
            let mut index = 0;
            for place in new.places() {
                while chunk.ends[index] as usize <= place {
                    index += 1;
                }
                self.find(worker, chunk, index, sorted.listed(place, &new), built.get(place), actions.get(place));
            }
            new.clear();
            (worker.new, chunk.sorted, chunk.built, chunk.actions) = (new, sorted, built, actions);
            finish(chunk);
        }
    }

    /// A new successor of the chunk's state with this index.
    #[inline(always)]
    fn find(
        &self,
        worker: &mut Worker<M>,
        chunk: &mut Chunk<M>,
        index: usize,
        next: Listed,
        built: Option<&M::State>,
        action: Option<&M::Action>,
    ) {
        chunk.found.links.push(chunk.number(index), next.number);
        let parent = &chunk.block.states[index];
        if self.last.load(Ordering::Relaxed) && self.passes(worker, parent, next.number) {
            return chunk.found.cut.push(chunk.found.links.len() as u32 - 1);
        }
        let state = match built {
            Some(state) => Ok(state.clone()),
            None => worker.stepper.build(parent, next, action),
        };
        match state {
            Ok(state) => self.add(worker, chunk, state, next.asleep),
            Err(flaw) => _ = chunk.found.flaw.get_or_insert(flaw),
        }
    }

    /// Whether a successor that is not expanded is known to violate nothing without being built.
    #[inline]
    fn passes(&self, worker: &Worker<M>, parent: &M::State, number: u32) -> bool {
        let fine = |key| worker.checks.is_fine(key);
        !self.collect_states && worker.stepper.successor_key(parent, number).is_some_and(fine)
    }

    /// Processes a new state whose link was stored already.
    #[inline(always)]
    fn add(&self, worker: &mut Worker<M>, chunk: &mut Chunk<M>, state: M::State, asleep: u64) {
        let Worker { stepper, checks, .. } = worker;
        let place = chunk.found.links.len() as u32 - 1;
        let failed = stepper.model.has_failed(&state);
        if failed || checks.look(&stepper.model, &state) {
            chunk.found.wrong(checks.blame(&stepper.model, &state));
        }
        if self.collect_states {
            chunk.found.states.push(state.clone());
        }
        if !self.last.load(Ordering::Relaxed) {
            return chunk.push(state, sleeps::<M>().then_some(asleep));
        }
        if failed {
            return;
        }
        match stepper.has_successor(&state) {
            Ok(true) => chunk.found.cut.push(place),
            Ok(false) if self.rest(&stepper.model, checks, &state, &mut chunk.found.at_rest) => {
                chunk.found.wrong(checks.blame(&stepper.model, &state));
            }
            Ok(false) => {}
            Err(panicked) => {
                let Panicked { violation, attempted } = *panicked;
                chunk.found.wrong(Ok(Wrong { state, violation, attempted }));
            }
        }
    }
}

/// A chunk is done: its states are dropped, except those whose persistent set led to no new state.
fn finish<M: TransitionSystem>(chunk: &mut Chunk<M>) {
    for (index, moved) in std::mem::take(&mut chunk.reduced) {
        let number = chunk.number(index);
        if !chunk.found.links.has_parent(number) {
            chunk.found.again.push((number, moved, chunk.block.states[index].clone()));
        }
    }
    chunk.again.clear();
    chunk.done = true;
    let block = std::mem::take(&mut chunk.block);
    chunk.recycle(block);
}
