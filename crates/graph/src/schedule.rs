//! `next_P`: which process adds the next event (Must §4). The number of executions does not depend on it; the cost does.

use crate::graph::Graph;
use manyworlds_core::{Action, Locals, Policy};

/// A policy and its state.
pub struct Schedule {
    policy: Policy,
    random: u64,
}

impl Schedule {
    /// A schedule at its start.
    pub fn new(policy: Policy) -> Schedule {
        let seed = if let Policy::Random(seed) = policy { seed } else { 0 };
        Schedule { policy, random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// The thread that goes on, or none when every process has ended or waits for ever.
    pub fn next<L: Locals>(&mut self, graph: &Graph, locals: &mut L) -> Option<u32> {
        let mut threads = 0..graph.threads.len() as u32;
        match self.policy {
            Policy::ReceiveLast => {
                threads.clone().find(|&t| goes_on(graph, t)).or_else(|| threads.rev().find(|&t| receives(graph, locals, t)))
            }
            Policy::LeftToRight => threads.find(|&t| enabled(graph, locals, t)),
            Policy::RightToLeft => threads.rev().find(|&t| enabled(graph, locals, t)),
            Policy::Random(_) => {
                let count = threads.len() as u64;
                let start = (self.draw() % count.max(1)) as u32;
                (start..count as u32).chain(0..start).find(|&t| enabled(graph, locals, t))
            }
        }
    }

    /// xorshift64*
    fn draw(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
}

fn enabled<L: Locals>(graph: &Graph, locals: &mut L, thread: u32) -> bool {
    goes_on(graph, thread) || receives(graph, locals, thread)
}

/// Whether the thread has something to do that is no receive.
#[inline]
fn goes_on(graph: &Graph, thread: u32) -> bool {
    match graph.threads[thread as usize].next {
        Action::Send { .. } | Action::Spawn { .. } | Action::Choose { .. } => true,
        Action::Join { child } => {
            graph.thread(child).is_some_and(|c| matches!(graph.threads[c as usize].next, Action::End { .. }))
        }
        _ => false,
    }
}

/// Whether the thread is at a receive that can be added: a blocking one needs a message.
#[inline]
fn receives<L: Locals>(graph: &Graph, locals: &mut L, thread: u32) -> bool {
    match graph.threads[thread as usize].next {
        Action::Recv { blocking: false, .. } => true,
        Action::Recv { network, .. } => graph.has_candidate(locals, thread, network),
        _ => false,
    }
}
