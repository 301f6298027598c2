//! Checks by sampling that processes are isolated and deterministic. A sampled execution is rerun with the user's code, in several linear
//! extensions of its causal order, and compared with the table of local transitions that the search uses.
//!
//! Four extensions are tried. They prefer the leftmost runnable process; the rightmost one, after its parent has finished spawning; the rightmost one,
//! even before its parent has finished spawning; and a pseudo-random one. The first three execute the code between operations of any two concurrent
//! processes, and of a process and its children, in both orders; the last one interleaves processes at arbitrary points.

use crate::graph::{Graph, Kind, NONE};
use manyworlds_core::random::SplitMix64;
use manyworlds_core::{Deviation, Flaw, InvalidModel, Locals, NodeId, ProcId, Rerun};

/// The first `FIRST` executions of a worker are always sampled.
const FIRST: u64 = 3;
/// Later samples are limited: a sample is due only if at most one operation was rerun per `SHARE` events of the search.
const SHARE: u64 = 256;

/// Selects the executions to sample, and counts them.
#[derive(Default)]
pub struct Isolation {
    /// Number of executions that were rerun.
    pub samples: u64,
    /// Number of operations that were rerun.
    operations: u64,
}

/// Which runnable process takes the next turn.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// The process that was created first.
    Leftmost,
    /// A process whose last operation was a spawn, else the process that was created last.
    Rightmost,
    /// The process that was created last: a child runs before its parent continues.
    ChildFirst,
    /// A pseudo-random process.
    Random(u64),
}

impl Isolation {
    /// Whether an execution is to be sampled now, after `events` events of the search.
    pub fn is_due(&self, events: u64) -> bool {
        self.samples < FIRST || self.operations.saturating_mul(SHARE) <= events
    }

    /// Reruns the execution in each order; returns why the model is invalid if a rerun deviates.
    pub fn check(&mut self, graph: &Graph, locals: &mut dyn Locals) -> Option<InvalidModel> {
        if !locals.can_rerun() {
            return None;
        }
        self.samples += 1;
        let ends: Vec<(ProcId, NodeId)> = graph.threads.iter().map(|th| (th.proc, th.cursor.node)).collect();
        for order in [Order::Leftmost, Order::Rightmost, Order::ChildFirst, Order::Random(self.samples)] {
            let turns = extension(graph, order);
            self.operations += turns.len() as u64;
            let run = Rerun { ends: &ends, turns: &turns };
            if let Err(deviation) = locals.rerun(&run) {
                let repeatable = locals.rerun(&run).err().as_ref() == Some(&deviation);
                return Some(invalid(graph, locals, &deviation, repeatable));
            }
        }
        None
    }
}

/// A linear extension of the causal order, as the sequence of threads that take turns. `done` counts the operations that each thread has started;
/// the last of them has not completed yet.
fn extension(graph: &Graph, order: Order) -> Vec<u32> {
    let threads = graph.threads.len() as u32;
    let mut done = vec![0; graph.threads.len()];
    let mut turns = Vec::with_capacity(graph.events.len() + graph.threads.len());
    let mut random = SplitMix64::new(if let Order::Random(seed) = order { seed } else { 0 });
    loop {
        let runnable = |&t: &u32| is_runnable(graph, &done, t);
        let next = match order {
            Order::Leftmost => (0..threads).find(runnable),
            Order::Rightmost => (0..threads)
                .find(|t| runnable(t) && stands_at_spawn(graph, &done, *t))
                .or_else(|| (0..threads).rev().find(runnable)),
            Order::ChildFirst => (0..threads).rev().find(runnable),
            Order::Random(_) => {
                let open: Vec<u32> = (0..threads).filter(runnable).collect();
                (!open.is_empty()).then(|| open[random.below(open.len())])
            }
        };
        let Some(thread) = next else { return turns };
        let events = &graph.threads[thread as usize].events;
        let taken = &mut done[thread as usize];
        *taken += 1;
        // A process does not stop at a send.
        while events.get(*taken - 1).is_some_and(|&e| graph.event(e).kind == Kind::Send) {
            *taken += 1;
        }
        turns.push(thread);
    }
}

/// Whether the last operation that `thread` started is a spawn.
fn stands_at_spawn(graph: &Graph, done: &[usize], thread: u32) -> bool {
    let last = done[thread as usize].checked_sub(1).and_then(|last| graph.threads[thread as usize].events.get(last));
    last.is_some_and(|&e| graph.event(e).kind == Kind::Spawn)
}

/// Whether `thread` has a turn left and the events that this turn depends on have happened.
fn is_runnable(graph: &Graph, done: &[usize], thread: u32) -> bool {
    let (th, turn) = (&graph.threads[thread as usize], done[thread as usize]);
    let has_reached = |e: u32| done[graph.event(e).thread as usize] > graph.event(e).index as usize;
    if turn == 0 {
        return th.spawner == NONE || has_reached(th.spawner);
    }
    let Some(&last) = th.events.get(turn - 1) else { return false };
    let event = graph.event(last);
    match event.kind {
        Kind::Recv => event.link == NONE || has_reached(event.link),
        Kind::Join => {
            let child = event.peer as usize;
            done[child] > graph.threads[child].events.len()
        }
        Kind::Send | Kind::Choose | Kind::Spawn => true,
    }
}

/// The source location at which a process was spawned.
fn spawned_at(graph: &Graph, locals: &dyn Locals, thread: usize) -> Option<manyworlds_core::Location> {
    let spawner = graph.threads[thread].spawner;
    (spawner != NONE).then(|| locals.describe(graph.event(spawner).at).location).flatten()
}

/// The diagnosis of a deviation.
fn invalid(graph: &Graph, locals: &dyn Locals, deviation: &Deviation, repeatable: bool) -> InvalidModel {
    let name = crate::witness::process_name(graph, locals, deviation.process);
    let (flaw, message, advice) = match repeatable {
        true => (
            Flaw::NotIsolated,
            format!("process `{name}` is not isolated: what it does depends on the order in which other processes run"),
            "processes must not share memory (an `Arc`, a static, a thread-local) except through `manyworlds::sync`; return results from a process \
             and read them with `join`, or send them",
        ),
        false => (
            Flaw::NotDeterministic,
            format!(
                "process `{name}` is not deterministic: it behaves differently when the same execution is run again"
            ),
            "processes must not read clocks, random numbers, addresses, the order of hash maps, or mutable statics; use `choose` for a choice",
        ),
    };
    InvalidModel::new(flaw, message)
        .evidence(format!("first run: {}", deviation.expected))
        .evidence(format!("run again: {}", deviation.found))
        .at(deviation.location.clone().or_else(|| spawned_at(graph, locals, deviation.process)))
        .advice(advice)
}
