//! cd (Def. 3.6): causally ordered messages are read in causal order. The vector clocks represent porf, and porf restricted to a
//! porf-closed part of a graph is unchanged, so the result does not depend on the view.

use crate::graph::{EventId, Graph};

/// Whether a candidate is porf-before `c`.
pub fn dominated(graph: &Graph, c: EventId, candidates: &[EventId]) -> bool {
    candidates.iter().any(|&other| other != c && graph.porf(other, c))
}
