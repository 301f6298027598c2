//! Consistency predicates (Must §3.2) in the form that both forward steps and revisits need: *a receive may read a send iff no
//! other candidate comes before it in the order of the communication model*. There is one file per model; each implements the
//! predicate `dominated`: whether another candidate comes before `c`.
//!
//! The predicate is evaluated on the whole graph (for a new receive) and on the part of the graph that a revisit would keep. A [`View`]
//! selects the part.

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
    /// The whole graph.
    pub const WHOLE: View = View { before: NONE, cause: NONE };

    /// The events that are kept when `cause` revisits `receive`, without `receive` itself: Previous(`receive`) of Must's Algorithm 1,
    /// line 20. A send whose reader is outside of the view counts as unread.
    pub fn previous(receive: EventId, cause: EventId) -> View {
        View { before: receive, cause }
    }

    /// Whether the event is in the view.
    #[inline]
    pub fn contains(self, graph: &Graph, e: EventId) -> bool {
        e < self.before || (e != self.cause && graph.porf(e, self.cause))
    }
}

/// Whether some candidate comes before `c` in the order of `network`, in the part of `graph` selected by `view`. Candidates
/// are pairwise distinct, unread in the view, and have the same receiver; `c` need not be among them.
pub fn dominated<L: Locals + ?Sized>(
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

/// Removes from `candidates[from..]` the sends that a new receive may not read.
pub fn retain_minimal<L: Locals + ?Sized>(
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
    // The sends to keep are appended and the originals removed at the end: `dominated` needs the full list.
    let end = candidates.len();
    for i in from..end {
        let c = candidates[i];
        if !dominated(graph, locals, network, View::WHOLE, c, &candidates[from..end]) {
            candidates.push(c);
        }
    }
    candidates.drain(from..end);
}
