//! Panics of a specification are violations: they are caught where a specification is called, and the message and its place are kept.
//!
//! Catching costs almost nothing, but silencing the panic hook has a cost, so that is done once for a whole run ([`quietly`]).

use crate::TransitionSystem;
use manyworlds_core::{Requirement, Violation, panics};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs an engine, or a worker of it: panics inside are not printed. One that [`caught`] did not catch is an error of this library, or of a function
/// that is not part of a specification's behaviour (`Hash`, say), and goes on with its message.
pub fn quietly<M: TransitionSystem, R>(run: impl FnOnce() -> R) -> R {
    if !M::USER_CODE {
        return run();
    }
    panics::listen(|| catch_unwind(AssertUnwindSafe(run))).unwrap_or_else(|payload| {
        let is_text = payload.is::<&str>() || payload.is::<String>();
        if !is_text {
            resume_unwind(payload);
        }
        let (message, location) = panics::take(payload.as_ref());
        match location {
            Some(location) => panic!("{message} (at {location})"),
            None => panic!("{message}"),
        }
    })
}

/// Calls functions of a specification, inside of [`quietly`]. `Err` if they panic.
#[inline]
pub fn caught<M: TransitionSystem, R>(call: impl FnOnce() -> R) -> Result<R, Violation> {
    if !M::USER_CODE {
        return Ok(call());
    }
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let (message, location) = panics::take(payload.as_ref());
        Violation { property: Requirement::Assertion, message, location, process: None }
    })
}

/// Calls functions of a specification outside of a run. `Err` if they panic.
pub fn call<M: TransitionSystem, R>(call: impl FnOnce() -> R) -> Result<R, Violation> {
    if !M::USER_CODE {
        return Ok(call());
    }
    panics::listen(|| caught::<M, R>(call))
}
