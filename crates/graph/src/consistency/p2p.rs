//! p2p (Def. 3.5): two messages of one sender are read in program order.

use crate::graph::{EventId, Graph};

/// Whether a candidate of the same sender was sent earlier.
pub fn dominated(graph: &Graph, c: EventId, candidates: &[EventId]) -> bool {
    let sent = graph.event(c);
    candidates.iter().any(|&other| {
        let other = graph.event(other);
        other.thread == sent.thread && other.index < sent.index
    })
}
