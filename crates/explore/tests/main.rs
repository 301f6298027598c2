//! The integration tests of the engines on states, as one binary.

mod functions;
mod independent;
mod limits;
mod schedules;
mod shuffled;
mod traces;
mod twin;
