//! The integration tests of the execution of P programs, as one binary.

mod programs;
mod random;
