//! The scheduling policy `next_P`: which process adds the next event (Must §4). The number of executions does not depend on it; the cost of
//! the search does.

use crate::graph::{EventId, Graph};
use crate::ready::Need;
use manyworlds_core::random::SplitMix64;
use manyworlds_core::{Action, Locals, Policy};

/// A policy and its state.
pub struct Schedule {
    policy: Policy,
    random: SplitMix64,
    /// The thread that was returned last: usually it is enabled again.
    last: u32,
    /// If the returned thread is at a receive: the unread sends that the receive accepts, by stamp.
    pub candidates: Vec<EventId>,
}

impl Schedule {
    /// Creates a schedule.
    pub fn new(policy: Policy) -> Schedule {
        let seed = if let Policy::Random(seed) = policy { seed } else { 0 };
        Schedule { policy, random: SplitMix64::new(seed), last: 0, candidates: Vec::new() }
    }

    /// The thread that adds the next event, or `None` if no thread is enabled.
    #[inline]
    pub fn next<L: Locals + ?Sized>(&mut self, graph: &Graph, locals: &mut L) -> Option<u32> {
        let mut threads = 0..graph.threads.len() as u32;
        match self.policy {
            Policy::ReceiveLast => {
                let next = receive_last(graph, locals, self.last, &mut self.candidates);
                self.last = next.unwrap_or(0);
                next
            }
            Policy::LeftToRight => threads.find(|&t| enabled(graph, locals, t, &mut self.candidates)),
            Policy::RightToLeft => threads.rev().find(|&t| enabled(graph, locals, t, &mut self.candidates)),
            Policy::Random(_) => {
                let start = self.random.below(threads.len()) as u32;
                (start..threads.end).chain(0..start).find(|&t| enabled(graph, locals, t, &mut self.candidates))
            }
        }
    }
}

/// A thread that needs nothing, preferably `last`; else the oldest whose join is enabled; else the youngest whose receive is enabled.
#[inline]
fn receive_last<L: Locals + ?Sized>(
    graph: &Graph,
    locals: &mut L,
    last: u32,
    candidates: &mut Vec<EventId>,
) -> Option<u32> {
    let ready = &graph.ready;
    if ready.need(last) == Need::Nothing {
        return Some(last);
    }
    let free = ready.oldest(Need::Nothing, |_| true);
    free.or_else(|| ready.oldest(Need::End, |t| enabled(graph, locals, t, candidates)))
        .or_else(|| ready.youngest(Need::Message, |t| enabled(graph, locals, t, candidates)))
}

/// Whether the next event of the thread can be added: a blocking receive needs a message, a join the end of the child.
/// Writes the sends that a receive accepts to `candidates`.
#[inline]
fn enabled<L: Locals + ?Sized>(graph: &Graph, locals: &mut L, thread: u32, candidates: &mut Vec<EventId>) -> bool {
    match graph.threads[thread as usize].next {
        Action::Send { .. } | Action::Spawn { .. } | Action::Choose { .. } => true,
        Action::Join { child } => {
            graph.thread(child).is_some_and(|c| matches!(graph.threads[c as usize].next, Action::End { .. }))
        }
        Action::Recv { network, blocking } => {
            candidates.clear();
            graph.candidates(locals, thread, network, candidates);
            !blocking || !candidates.is_empty()
        }
        Action::End { .. } | Action::Stuck | Action::Bound | Action::Fail => false,
    }
}
