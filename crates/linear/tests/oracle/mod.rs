//! The reference implementation of the checker, and the random histories on which the two are compared.

pub mod brute;
pub mod random;
