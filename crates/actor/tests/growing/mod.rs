//! Random systems whose actors create others, halt, defer and ignore messages, compared with a naive explorer of its own.

mod automaton;
mod compare;
mod found;
mod idle;
mod program;
mod strategy;
mod transitions;
mod world;
