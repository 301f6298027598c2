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

/// Keeps only the first candidate of each sender in `candidates[from..]`, which is sorted by stamp.
pub fn retain_minimal(graph: &Graph, candidates: &mut Vec<EventId>, from: usize) {
    let mut kept = from;
    for i in from..candidates.len() {
        let sender = graph.event(candidates[i]).thread;
        if candidates[from..kept].iter().all(|&first| graph.event(first).thread != sender) {
            candidates[kept] = candidates[i];
            kept += 1;
        }
    }
    candidates.truncate(kept);
}
