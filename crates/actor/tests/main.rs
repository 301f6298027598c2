//! The integration tests of the actor front end, as one binary.

mod fair;
mod growing;
mod linearizable;
mod persistent;
mod random;
mod schedulers;
mod scripted;
mod sleep;
mod typed;
