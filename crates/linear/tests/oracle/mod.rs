//! The naive twin of the checker, and what the two are compared on.

pub mod brute;
pub mod random;
