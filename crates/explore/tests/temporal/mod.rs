//! Temporal properties under fairness.

mod graph;
mod random;
mod specs;
mod tlc;
