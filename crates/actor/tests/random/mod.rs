//! Random actor systems compared with a naive explorer that keeps plain cloned global states.

mod executions;
mod explorer;
mod forms;
mod found;
mod handlers;
mod reduced;
mod schedules;
mod states;
mod strategy;
mod symmetric;
mod table;
mod world;
