//! mbox (Def. 3.7, in the partial-order form of Di Giusto et al.): one total order of sends contains porf, and every receive
//! takes the first message it matches. Equivalently porf ∪ M is acyclic, with
//! M = {(s, s′) : some receive reads s, and s′ matches it and is unread or read po-after it}.
//!
//! No transitive closure is stored or computed. The predicate only needs to know whether one *concurrent candidate* comes before another,
//! so `reaches` searches forward from that candidate along porf ∪ M. A candidate is unread: unless its sender afterwards sent a message
//! that was read, spawned a process or was joined, the search ends at once, and this holds for nearly all racing messages. The visited
//! events of each thread form a suffix, so one number per thread represents them.

use super::View;
use crate::graph::{EventId, Graph, Kind, NONE};
use manyworlds_core::{Action, Locals};

/// Whether a candidate comes before `c` in (porf ∪ M)⁺.
pub fn dominated<L: Locals + ?Sized>(
    graph: &Graph,
    locals: &mut L,
    view: View,
    c: EventId,
    candidates: &[EventId],
) -> bool {
    if super::cd::dominated(graph, c, candidates) {
        return true;
    }
    candidates.iter().any(|&other| other != c && leaves(graph, view, other) && reaches(graph, locals, view, other, c))
}

/// Whether any event outside of its own thread can come after `s`: a cheap test that avoids nearly every search.
fn leaves(graph: &Graph, view: View, s: EventId) -> bool {
    let sent = graph.event(s);
    let th = &graph.threads[sent.thread as usize];
    let joined = th.joins.iter().any(|&j| view.contains(graph, j));
    joined
        || th.events[sent.index as usize..].iter().any(|&e| {
            let event = graph.event(e);
            match event.kind {
                Kind::Send => event.link != NONE && view.contains(graph, event.link),
                Kind::Spawn => view.contains(graph, e),
                _ => false,
            }
        })
}

/// Whether a path of porf ∪ M leads from `from` to `to` inside `view`.
fn reaches<L: Locals + ?Sized>(graph: &Graph, locals: &mut L, view: View, from: EventId, to: EventId) -> bool {
    let mut walk = Walk::new(graph, view);
    walk.enter(from);
    while let Some(e) = walk.next() {
        if e == to {
            return true;
        }
        walk.leave(locals, e);
    }
    false
}

/// A forward search. The events of thread `t` from index `entered[t]` on have been reached; those at `entered[t]..done[t]` are still to be
/// expanded.
struct Walk<'g> {
    graph: &'g Graph,
    view: View,
    entered: Vec<u32>,
    done: Vec<u32>,
    open: Vec<u32>,
}

impl<'g> Walk<'g> {
    fn new(graph: &'g Graph, view: View) -> Walk<'g> {
        let done: Vec<u32> = graph.threads.iter().map(|th| kept(graph, view, &th.events)).collect();
        Walk { graph, view, entered: done.clone(), done, open: Vec::new() }
    }

    fn enter(&mut self, e: EventId) {
        if !self.view.contains(self.graph, e) && !self.is_target_only(e) {
            return;
        }
        let event = self.graph.event(e);
        let t = event.thread as usize;
        if event.index < self.entered[t] {
            self.entered[t] = event.index;
            self.open.push(event.thread);
        }
    }

    /// The revisiting send is not part of the view, but may be the target of the search.
    fn is_target_only(&self, e: EventId) -> bool {
        e == self.view.cause
    }

    /// The next event to expand: newly reached suffixes are expanded from their end, so `done` decreases to `entered`.
    fn next(&mut self) -> Option<EventId> {
        while let Some(&t) = self.open.last() {
            let t = t as usize;
            if self.entered[t] < self.done[t] {
                self.done[t] -= 1;
                return Some(self.graph.threads[t].events[self.done[t] as usize]);
            }
            self.open.pop();
        }
        None
    }

    /// Enters the direct successors of `e`, except its po-successor, which was expanded before.
    fn leave<L: Locals + ?Sized>(&mut self, locals: &mut L, e: EventId) {
        let event = self.graph.event(e);
        match event.kind {
            Kind::Send if event.link != NONE && self.view.contains(self.graph, event.link) => {
                self.enter(event.link);
                if event.network == manyworlds_core::Network::Mbox {
                    self.leave_by_mailbox(locals, event.link, event.peer);
                }
            }
            Kind::Spawn => {
                if let Some(&first) = self.graph.threads[event.peer as usize].events.first() {
                    self.enter(first);
                }
            }
            _ => {}
        }
        let th = &self.graph.threads[event.thread as usize];
        if event.index + 1 == th.events.len() as u32 && matches!(th.next, Action::End { .. }) {
            for &join in &th.joins {
                self.enter(join);
            }
        }
    }

    /// M: the message read by `r` comes before every other message that `r` matches and that is not read before `r`.
    fn leave_by_mailbox<L: Locals + ?Sized>(&mut self, locals: &mut L, r: EventId, dst: u32) {
        let graph = self.graph;
        let index = graph.event(r).index;
        for &s in &graph.threads[dst as usize].arrivals {
            let reader = graph.event(s).link;
            let read_before = reader != NONE && self.view.contains(graph, reader) && graph.event(reader).index <= index;
            if !read_before && graph.matches(locals, r, s) {
                self.enter(s);
            }
        }
    }
}

/// The number of events of a thread in the view, including the revisiting send: they form a prefix.
fn kept(graph: &Graph, view: View, events: &[EventId]) -> u32 {
    events.partition_point(|&e| e == view.cause || view.contains(graph, e)) as u32
}
