//! cd (Def. 3.6): causally ordered messages are read in that order. porf is at hand as vector clocks, and a porf-closed
//! part of a graph inherits it, so the view does not matter.

use crate::graph::{EventId, Graph};

/// Whether a candidate is porf-before `c`.
pub fn dominated(graph: &Graph, c: EventId, candidates: &[EventId]) -> bool {
    candidates.iter().any(|&other| other != c && graph.porf(other, c))
}
