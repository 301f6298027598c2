//! The integration tests of the linearizability checker and of the readers of histories, as one binary.

mod formats;
mod fuzz;
mod long_histories;
mod maps_of_texts;
mod oracle;
mod random_histories;
mod readers;
mod recorded_histories;
mod stage;
