//! Consistency (Must §3.2), in the form both halves of the algorithm need: *a receive may read a send iff no other
//! candidate comes before it in the model's order*. One file a model, one question each: is `c` dominated?
//!
//! The question is asked about the whole graph (a new receive looks for its messages) and about the part of it that a
//! revisit would keep. A [`View`] says which.

mod asyn;
mod cd;
mod mbox;
mod p2p;

use crate::graph::{EventId, Graph, NONE};
use manyworlds_core::{Locals, Network};

/// A porf-closed part of a graph: events stamped before `before`, and those porf-before `cause`.
#[derive(Clone, Copy, Debug)]
pub struct View {
    before: EventId,
    cause: EventId,
}

impl View {
    /// Everything.
    pub const WHOLE: View = View { before: NONE, cause: NONE };

    /// What is left when `cause` revisits `receive`, without `receive` itself: Previous(`receive`) of Must's Algorithm 1,
    /// line 20. Receives outside do not count as readers.
    pub fn previous(receive: EventId, cause: EventId) -> View {
        View { before: receive, cause }
    }

    /// Whether the event belongs to it.
    #[inline]
    pub fn contains(self, graph: &Graph, e: EventId) -> bool {
        e < self.before || (e != self.cause && graph.porf(e, self.cause))
    }
}

/// Whether some candidate comes before `c` in the order of `network`, in the part of `graph` that `view` shows. Candidates are
/// pairwise distinct, unread there, and go to one receiver; `c` need not be among them.
pub fn dominated<L: Locals>(
    graph: &Graph,
    locals: &mut L,
    network: Network,
    view: View,
    c: EventId,
    candidates: &[EventId],
) -> bool {
    match network {
        Network::Asyn => asyn::dominated(),
        Network::P2p => p2p::dominated(graph, c, candidates),
        Network::Cd => cd::dominated(graph, c, candidates),
        Network::Mbox => mbox::dominated(graph, locals, view, c, candidates),
    }
}

/// Removes from `candidates[from..]` what a receive may not read now.
pub fn retain_minimal<L: Locals>(
    graph: &Graph,
    locals: &mut L,
    network: Network,
    candidates: &mut Vec<EventId>,
    from: usize,
) {
    if network == Network::Asyn || candidates.len() - from < 2 {
        return;
    }
    if network == Network::P2p {
        return p2p::retain_minimal(graph, candidates, from);
    }
    // Survivors are written past the end, then move down: the question needs the full list.
    let end = candidates.len();
    for i in from..end {
        let c = candidates[i];
        if !dominated(graph, locals, network, View::WHOLE, c, &candidates[from..end]) {
            candidates.push(c);
        }
    }
    candidates.drain(from..end);
}
