//! Temporal properties under fairness.

mod graph;
mod random;
