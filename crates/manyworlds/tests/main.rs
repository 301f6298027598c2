//! The integration tests of the library that users see, as one binary.

mod actors;
mod attribute;
mod book;
mod built;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod endless;
mod engine;
// Some examples have a command line.
#[cfg(feature = "cli")]
mod examples;
mod invalid_specifications;
mod isolated_actors;
mod linearizable_programs;
mod links;
mod oracle;
#[cfg(feature = "p")]
mod p;
mod random_programs;
mod readme;
mod schedulers;
mod scopes;
mod specifications;
mod sync;
mod targets;
mod temporal;
mod testing;
mod traces;
