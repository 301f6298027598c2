//! The integration tests of the intermediate representation, as one binary.

mod fuzz;
mod text;
