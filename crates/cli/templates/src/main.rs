//! The command line for the models of this crate: `cargo run -- help`.

mod booking;
mod counter;
mod delivery;

manyworlds::cli![
    delivery::MODEL,
    delivery::BUG,
    booking::MODEL,
    booking::BUG,
    counter::MODEL,
    counter::BUG,
];
