//! The tests that run the `manyworlds` command, as one binary.

mod bad_arguments;
mod book;
mod budgets;
mod commands;
mod fuzz;
mod new;
