//! Random actor systems compared with a naive explorer that keeps plain cloned global states.

mod explorer;
mod states;
mod strategy;
mod table;
