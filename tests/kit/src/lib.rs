//! What the tests of the workspace share.
//!
//! - [`Random`] runs a comparison on random cases. It decides how many cases run and from which seed, and it fails if too few of them were
//!   really compared.
//! - [`Fuzz`] gives a reader valid, mutated and random input and counts what it accepted and refused.
//! - [`shared`] finds files that are kept outside of the repository, and says so when they are missing.
//!
//! Two variables of the environment change what runs:
//!
//! - `MANYWORLDS_TEST_CASES`: a factor for the number of cases (`0.1`, `5`), or `long` for twenty times as many.
//! - `MANYWORLDS_TEST_SEED`: the seed. Without it the seed is always the same, so that a failure belongs to the change that is tested; `long` runs
//!   take a new one from the clock. Every test prints the seed it used.

// The example of a macro that defines tests defines tests.
#![allow(clippy::test_attr_in_doctest)]

mod fuzz;
mod mutate;
mod random;
mod shared;
mod tier;

pub use fuzz::{Fuzz, Fuzzed};
pub use random::Random;
pub use shared::{NotRun, not_run, shared};
pub use tier::{cases, seed, seed_of};
