//! What the engine promises beyond the set of worlds: exact counts, figures that do not depend on how it is run, honest bounds, and a clear
//! answer to programs that misbehave.

mod bounds;
mod counts;
mod deadlocks;
mod eager;
mod failures;
mod isolation;
mod misuse;
mod nondeterminism;
mod overflow;
mod same_figures;

use crate::oracle::replay;
use manyworlds::{Check, Network, Policy, Program, Violation};

/// Every policy.
const POLICIES: [Policy; 4] = [Policy::ReceiveLast, Policy::LeftToRight, Policy::RightToLeft, Policy::Random(7)];

/// The violation that `checker` finds, which is replayed from its file; with two workers and with a tiny trie it finds one of the same kind.
fn violation(checker: Check<Program>) -> Violation {
    let outcome = checker.run().unwrap();
    let found = outcome.violation().unwrap_or_else(|| panic!("no violation found: {outcome:?}")).clone();
    replay::reproduces(&checker, &outcome);
    for variant in
        [checker.clone().threads(2), checker.clone().max_nodes(1).max_coroutines(1), checker.clone().keep_going(true)]
    {
        let again = variant.run().unwrap();
        assert_eq!(again.violation().map(|v| &v.property), Some(&found.property), "{:?}", again.verdict);
    }
    found
}

/// Makes a call a statement that returns nothing.
fn ignore<T>(_: T) {}

/// Complete and blocked executions.
fn counts(checker: &Check<Program>) -> (u64, u64) {
    let stats = checker.run().unwrap().stats;
    (stats.executions.expect("counted"), stats.blocked.expect("counted"))
}

/// The same under each network.
fn row(checker: &Check<Program>) -> [(u64, u64); 4] {
    Network::ALL.map(|network| counts(&checker.clone().network(network)))
}
