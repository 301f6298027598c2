//! Which earlier receives a new send may revisit (Must §4, Algorithm 1, lines 10–12 and 17–22).
//!
//! The condition on a deleted event `x` depends only on `x` and the send, not on the revisited receive, and the deleted sets of
//! two receives are nested. So one pass over the events, in decreasing order of stamps, decides the condition for all receives and stops at
//! the first event that violates it. Events porf-before the send are kept by every revisit and skipped.
//!
//! During the pass, `unread[t]` holds the sends to thread `t` that are unread before the current event: the pending sends and those
//! read by the receives already passed. This implements the rule that a reader outside of Previous does not count.

use crate::consistency::{View, dominated};
use crate::graph::{EventId, Graph, Kind, NONE};
use manyworlds_core::{Locals, Network};

/// Buffers of the pass, reused between calls.
#[derive(Default)]
pub struct Revisits {
    unread: Vec<Vec<EventId>>,
    touched: Vec<u32>,
    candidates: Vec<EventId>,
}

impl Revisits {
    /// Adds to `out` the receives that `send`, the newest event, may revisit, latest first.
    pub fn collect<L: Locals>(&mut self, graph: &Graph, locals: &mut L, send: EventId, out: &mut Vec<EventId>) {
        let Some(floor) = earliest_target(graph, locals, send) else { return };
        self.walk(graph, locals, send, floor, out);
        for t in self.touched.drain(..) {
            self.unread[t as usize].clear();
        }
    }

    fn walk<L: Locals>(
        &mut self,
        graph: &Graph,
        locals: &mut L,
        send: EventId,
        floor: EventId,
        out: &mut Vec<EventId>,
    ) {
        let sent = *graph.event(send);
        for x in (floor..send).rev() {
            let event = graph.event(x);
            if event.index < graph.known(&sent, event.thread) {
                continue;
            }
            let revisitable = match event.kind {
                // A send with an older reader has revisited that reader; deleting the send would leave the reader without it.
                Kind::Send => event.link == NONE || event.link > x,
                Kind::Choose => event.value == 0,
                Kind::Spawn | Kind::Join => true,
                Kind::Recv => self.receive(graph, locals, send, x, out),
            };
            if !revisitable {
                return;
            }
        }
    }

    /// Checks the condition on receive `x`, adds `x` to `out` if `send` may revisit it, and marks the send that `x` reads as unread.
    fn receive<L: Locals>(
        &mut self,
        graph: &Graph,
        locals: &mut L,
        send: EventId,
        x: EventId,
        out: &mut Vec<EventId>,
    ) -> bool {
        let event = *graph.event(x);
        self.open(graph, event.thread);
        let view = View::previous(x, send);
        let first_choice = match event.flag {
            true => self.reads_tie_breaker(graph, locals, view, x),
            false => event.link == NONE,
        };
        if !first_choice {
            return false;
        }
        if event.thread == graph.event(send).peer && graph.matches(locals, x, send) {
            self.gather(graph, locals, view, x);
            if !dominated(graph, locals, event.network, view, send, &self.candidates) {
                out.push(x);
            }
        }
        if event.link != NONE {
            self.unread[event.thread as usize].push(event.link);
        }
        true
    }

    fn open(&mut self, graph: &Graph, thread: u32) {
        if self.unread.len() < graph.threads.len() {
            self.unread.resize_with(graph.threads.len(), Vec::new);
        }
        if !self.touched.contains(&thread) {
            self.touched.push(thread);
            self.unread[thread as usize].extend_from_slice(&graph.threads[thread as usize].pending);
        }
    }

    /// Collects the sends that `x` could read in the view: the send it reads now, and those unread before `x`.
    fn gather<L: Locals>(&mut self, graph: &Graph, locals: &mut L, view: View, x: EventId) {
        let event = graph.event(x);
        self.candidates.clear();
        if event.link != NONE {
            self.candidates.push(event.link);
        }
        for &s in &self.unread[event.thread as usize] {
            if view.contains(graph, s) && graph.matches(locals, x, s) {
                self.candidates.push(s);
            }
        }
    }

    /// Whether `x` reads the minimal candidate with the least (thread id, index). The send that `x` reads is minimal because the graph is
    /// consistent, so it suffices that no candidate with a smaller name is minimal.
    fn reads_tie_breaker<L: Locals>(&mut self, graph: &Graph, locals: &mut L, view: View, x: EventId) -> bool {
        let event = graph.event(x);
        if !view.contains(graph, event.link) {
            return false;
        }
        self.gather(graph, locals, view, x);
        let key = graph.key(event.link);
        let ordered = matches!(event.network, Network::Cd | Network::Mbox);
        self.candidates[1..].iter().all(|&c| {
            // Under asyn and p2p the candidate with the smallest name is always minimal.
            graph.key(c) > key || (ordered && dominated(graph, locals, event.network, view, c, &self.candidates))
        })
    }
}

/// The earliest receive that could read `send` without a causal cycle, or none.
fn earliest_target<L: Locals>(graph: &Graph, locals: &mut L, send: EventId) -> Option<EventId> {
    let sent = graph.event(send);
    if sent.peer == NONE {
        return None;
    }
    let known = graph.known(sent, sent.peer) as usize;
    let later = &graph.threads[sent.peer as usize].events[known..];
    later.iter().copied().find(|&e| graph.event(e).kind == Kind::Recv && graph.matches(locals, e, send))
}
