//! The search for a sequentially consistent order: one that explains every response and respects program order, but not necessarily
//! real-time order.
//!
//! A configuration consists of the position of each process, the set of used pending operations, and the state. The search is depth first; it
//! prefers the operation that returned first, since a nearly linearizable history has an order close to the order of returns. It prunes as
//! [`search`](super::search) does where that applies: a read whose response matches is taken at once, and a configuration that used
//! more pending operations than a visited one, all else equal, is not explored.

use super::pending::UsedSets;
use super::relation::Relation;
use super::search::Found;
use super::subject::{Known, Span};
use manyworlds_core::{Observer, Progress};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeMap;
use std::hash::BuildHasher;

const TICK: u32 = 1024;

/// An operation of a process.
struct Op {
    number: usize,
    kind: u32,
    reads: bool,
    returned: usize,
}

/// The pending operations of one kind and one process.
struct Class {
    process: usize,
    kind: u32,
    /// The index of each operation, and the position that its process must have reached before it may take effect.
    members: Vec<(usize, usize)>,
}

/// An element of the order.
#[derive(Clone, Copy)]
enum Taken {
    /// The next operation of a process.
    Next(usize),
    /// A pending operation, by index.
    Pending(usize),
}

/// A configuration and its unexplored choices.
struct Frame {
    state: u32,
    used: u32,
    /// The length of the order at this configuration.
    taken: usize,
    /// The index of its first choice. A choice is a process, or a class if it is at least the number of processes.
    choices: usize,
    choice: usize,
    outcome: usize,
}

/// A visited configuration; its positions are in [`Visited::places`].
struct Entry {
    state: u32,
    used: u32,
    /// The previous entry with the same hash.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// The visited configurations, in a few large vectors: there may be very many, and they are all freed together.
#[derive(Default)]
struct Visited {
    heads: FxHashMap<u64, u32>,
    entries: Vec<Entry>,
    places: Vec<u32>,
}

impl Visited {
    /// Adds a configuration, unless an equal one that used no more pending operations was visited.
    fn insert(&mut self, places: &[u32], state: u32, used: u32, sets: &UsedSets) -> bool {
        let hash = FxBuildHasher.hash_one((places, state));
        let head = self.heads.get(&hash).copied().unwrap_or(NONE);
        let mut at = head;
        while at != NONE {
            let known = &self.entries[at as usize];
            let same = known.state == state && self.places[at as usize * places.len()..][..places.len()] == *places;
            if same && sets.within(known.used, used) {
                return false;
            }
            at = known.next;
        }
        self.heads.insert(hash, self.entries.len() as u32);
        self.entries.push(Entry { state, used, next: head });
        self.places.extend_from_slice(places);
        true
    }
}

/// The state of a search.
pub struct Sequentially<'a, 's> {
    relation: &'a mut Relation<'s>,
    observer: &'a dyn Observer,
    processes: Vec<Vec<Op>>,
    classes: Vec<Class>,
    /// The number of operations of each process in the order.
    places: Vec<u32>,
    order: Vec<Taken>,
    frames: Vec<Frame>,
    choices: Vec<u32>,
    sets: UsedSets,
    visited: Visited,
    /// The longest order so far and the next operation of each process there; `common` is the length of its common prefix with `order`.
    best: Vec<Taken>,
    common: usize,
    stuck: Vec<usize>,
    until_tick: u32,
}

impl<'a, 's> Sequentially<'a, 's> {
    /// Creates a search.
    pub fn new(
        spans: &[Span],
        known: &[Known],
        kinds: &[u32],
        relation: &'a mut Relation<'s>,
        observer: &'a dyn Observer,
    ) -> Self {
        let mut sorted: Vec<(&Known, u32)> = known.iter().zip(kinds.iter().copied()).collect();
        sorted.sort_by_key(|(known, _)| spans[known.number].invoked);
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        let mut processes: Vec<Vec<Op>> = Vec::new();
        let mut classes: Vec<Class> = Vec::new();
        for (&Known { number, returned, .. }, kind) in sorted {
            let reads = relation.reads(kind);
            let process = *rows.entry(spans[number].process).or_insert(processes.len());
            if process == processes.len() {
                processes.push(Vec::new());
            }
            match returned {
                Some(returned) => processes[process].push(Op { number, kind, reads, returned }),
                None if reads => {}
                None => {
                    let member = (number, processes[process].len());
                    match classes.iter_mut().find(|class| class.process == process && class.kind == kind) {
                        Some(class) => class.members.push(member),
                        None => classes.push(Class { process, kind, members: vec![member] }),
                    }
                }
            }
        }
        Sequentially {
            places: vec![0; processes.len()],
            relation,
            observer,
            processes,
            classes,
            order: Vec::new(),
            frames: Vec::new(),
            choices: Vec::new(),
            sets: UsedSets::new(),
            visited: Visited::default(),
            best: Vec::new(),
            common: 0,
            stuck: Vec::new(),
            until_tick: TICK,
        }
    }

    /// Runs the search.
    pub fn run(mut self) -> Found {
        if self.arrive(0, 0) {
            return Found::Order(self.numbers(&self.order));
        }
        while !self.frames.is_empty() {
            self.until_tick -= 1;
            if self.until_tick == 0 {
                self.until_tick = TICK;
                let progress = Progress { states: self.visited.entries.len() as u64 + 1, ..Progress::default() };
                if self.observer.tick(&progress).is_some() {
                    return Found::Stopped;
                }
            }
            if self.next_choice() {
                return Found::Order(self.numbers(&self.order));
            }
        }
        Found::Dead { order: self.numbers(&self.best), stuck: self.stuck }
    }

    fn next(&self, process: usize) -> Option<&Op> {
        self.processes[process].get(self.places[process] as usize)
    }

    /// Tries the next choice of the last frame. Returns whether all operations are in the order.
    fn next_choice(&mut self) -> bool {
        let frame = self.frames.last_mut().expect("a frame");
        let (state, used, taken) = (frame.state, frame.used, frame.taken);
        let Some(&choice) = self.choices.get(frame.choices + frame.choice) else {
            self.leave();
            return false;
        };
        let outcome = frame.outcome;
        let kind = match (choice as usize).checked_sub(self.processes.len()) {
            None => self.next(choice as usize).expect("only processes with an operation are chosen").kind,
            Some(class) => self.classes[class].kind,
        };
        let step = self.relation.step(state, kind);
        let frame = self.frames.last_mut().expect("a frame");
        if outcome >= self.relation.count(step) {
            (frame.choice, frame.outcome) = (frame.choice + 1, 0);
            return false;
        }
        frame.outcome += 1;
        let after = self.relation.state(step, outcome);
        let done = match (choice as usize).checked_sub(self.processes.len()) {
            None => {
                self.order.push(Taken::Next(choice as usize));
                self.places[choice as usize] += 1;
                self.arrive(after, used)
            }
            // A pending operation that leaves the state unchanged is not needed.
            Some(_) if after == state => return false,
            Some(class) => {
                let member = self.classes[class].members[self.sets.count(used, class as u32) as usize];
                self.order.push(Taken::Pending(member.0));
                let used = self.sets.with(used, class as u32);
                self.arrive(after, used)
            }
        };
        if !done && self.frames.last().is_some_and(|frame| frame.taken == taken) {
            self.undo(taken);
        }
        done
    }

    /// Takes the reads whose responses match and opens a frame, unless the configuration is covered. Returns whether all operations are in the order.
    fn arrive(&mut self, state: u32, used: u32) -> bool {
        for process in 0..self.processes.len() {
            while let Some(op) = self.next(process)
                && op.reads
                && {
                    let kind = op.kind;
                    self.relation.fits(state, kind)
                }
            {
                self.order.push(Taken::Next(process));
                self.places[process] += 1;
            }
        }
        let mut choices: Vec<u32> = (0..self.processes.len() as u32).collect();
        choices.retain(|&process| self.next(process as usize).is_some());
        if choices.is_empty() {
            return true;
        }
        if !self.visited.insert(&self.places, state, used, &self.sets) {
            return false;
        }
        choices.sort_by_key(|&process| self.next(process as usize).map(|op| op.returned));
        choices.extend(
            (0..self.classes.len())
                .filter(|&class| self.is_open(class, used))
                .map(|class| (self.processes.len() + class) as u32),
        );
        let frame = Frame { state, used, taken: self.order.len(), choices: self.choices.len(), choice: 0, outcome: 0 };
        self.frames.push(frame);
        self.choices.extend(choices);
        false
    }

    /// Whether a pending operation of the class may take effect.
    fn is_open(&self, class: usize, used: u32) -> bool {
        let Class { process, members, .. } = &self.classes[class];
        let next = members.get(self.sets.count(used, class as u32) as usize);
        next.is_some_and(|&(_, place)| place <= self.places[*process] as usize)
    }

    /// Closes the last frame, in which everything was tried.
    fn leave(&mut self) {
        if self.stuck.is_empty() || self.order.len() > self.best.len() {
            self.best.truncate(self.common);
            self.best.extend_from_slice(&self.order[self.common..]);
            self.common = self.order.len();
            self.stuck =
                (0..self.processes.len()).filter_map(|process| self.next(process).map(|op| op.number)).collect();
        }
        let frame = self.frames.pop().expect("a frame");
        self.choices.truncate(frame.choices);
        if let Some(before) = self.frames.last() {
            self.undo(before.taken);
        }
    }

    fn undo(&mut self, taken: usize) {
        for taken in self.order.drain(taken..) {
            if let Taken::Next(process) = taken {
                self.places[process] -= 1;
            }
        }
        self.common = self.common.min(taken);
    }

    fn numbers(&self, order: &[Taken]) -> Vec<usize> {
        let mut places = vec![0; self.processes.len()];
        let number = |&taken: &Taken| match taken {
            Taken::Next(process) => {
                places[process] += 1;
                self.processes[process][places[process] - 1].number
            }
            Taken::Pending(number) => number,
        };
        order.iter().map(number).collect()
    }
}
