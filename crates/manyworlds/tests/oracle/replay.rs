//! Every violation found in any test is replayed from its file.

use manyworlds::{Check, Outcome, Replayed, Trace};

/// The counterexample of `outcome` survives the way to a file and back, and fails again when replayed.
pub fn reproduces(checker: &Check<manyworlds::Program>, outcome: &Outcome) {
    let trace = outcome.trace().expect("a violation has a trace");
    let read = Trace::from_json(&trace.to_json()).expect("a trace can be read back");
    assert_eq!(&read, trace);
    let mut shown = 0;
    let replayed = checker.replay(&read, |i, _| shown = i + 1);
    assert_eq!(replayed, Ok(Replayed::Reproduced), "{:?}\n{}", trace.violation, trace.to_json());
    assert_eq!(shown, trace.steps.len());
}
