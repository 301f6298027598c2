//! The integration tests of the explicit-state engines, as one binary.

mod functions;
mod independent;
mod limits;
mod schedules;
mod shuffled;
mod temporal;
mod threads;
mod traces;
mod twin;
