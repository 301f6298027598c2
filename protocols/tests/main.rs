//! The tests of the models, as one binary.

mod actors;
mod actors_big;
mod ds2;
mod engines;
mod explained;
mod fuzz;
mod schedulers;
mod tla;
mod zoo;
