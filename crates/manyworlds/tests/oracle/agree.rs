//! The comparison: whatever the network, the policy, the number of workers and the bounds of the trie, the optimal engine visits the worlds
//! that brute force finds, each once.

use super::Program;
use super::replay::reproduces;
use manyworlds::{Check, Deadlock, Ending, Network, Policy, Stats, Verdict, World, check};

/// Steps after which brute force gives up and the program is skipped.
const BRUTE_STEPS: u64 = 6_000;
/// Executions after which the eager engine gives up.
const EAGER_EXECUTIONS: u64 = 300;

/// Compares the engines on `program`. `turn` decides which policy is tried with which number of workers and which bounds. Returns the number of
/// networks under which brute force came to an end.
pub fn engines_agree(program: &Program, turn: usize) -> u64 {
    let mut compared = 0;
    for (n, network) in Network::ALL.into_iter().enumerate() {
        let deadlock = if (turn / 8 + n).is_multiple_of(2) { Deadlock::Allow } else { Deadlock::Forbid };
        let checker = check(program.built().network(network).deadlock(deadlock));
        let Some(expected) = checker.brute_worlds(BRUTE_STEPS) else { continue };
        compared += 1;
        for (i, policy) in policies(turn as u64).into_iter().enumerate() {
            let checker = configured(&checker, policy, turn + n + i);
            let context = format!("{network}, {policy:?}, {deadlock:?}, turn {}", turn + n + i);
            same_worlds(&checker, &expected, &context);
        }
        same_verdict(&configured(&checker, Policy::default(), turn), &expected, &format!("{network}"));
    }
    compared
}

/// Eager ordering tells at least as many worlds apart and comes to the same verdict. Returns whether the eager engine came to an end.
pub fn eager_agrees(program: &Program, turn: usize) -> bool {
    let lazy = configured(&check(program.built()), policies(turn as u64)[turn % 4], turn).keep_going(true);
    let eager = lazy.clone().eager(true);
    // Arrival orders are a factorial affair: programs with too many of them are skipped.
    let many = eager.clone().max_executions(EAGER_EXECUTIONS).run().unwrap();
    if total(many.stats) >= EAGER_EXECUTIONS {
        return false;
    }
    let few = lazy.run().unwrap();
    assert_eq!(few.violation().is_some(), many.violation().is_some(), "lazy {few:?}\neager {many:?}");
    assert!(total(few.stats) <= total(many.stats), "lazy {:?}\neager {:?}", few.stats, many.stats);
    let (worlds, duplicates) = eager.worlds();
    assert_eq!((worlds.len() as u64, duplicates), (total(many.stats), 0));
    true
}

fn total(stats: Stats) -> u64 {
    stats.executions.unwrap_or(0) + stats.blocked.unwrap_or(0) + stats.violations
}

/// Every policy.
pub fn policies(seed: u64) -> [Policy; 4] {
    [Policy::ReceiveLast, Policy::LeftToRight, Policy::RightToLeft, Policy::Random(seed)]
}

/// One or two workers, and tiny or ordinary bounds, in turn.
fn configured(checker: &Check<manyworlds::Program>, policy: Policy, turn: usize) -> Check<manyworlds::Program> {
    let checker = checker.clone().policy(policy).threads(1 + turn % 2);
    match turn / 2 % 4 {
        0 => checker,
        1 => checker.max_nodes(1),
        2 => checker.max_coroutines(1),
        _ => checker.max_nodes(1).max_coroutines(1),
    }
}

fn same_worlds(checker: &Check<manyworlds::Program>, expected: &[World], context: &str) {
    let (found, duplicates) = checker.worlds();
    let missed: Vec<_> = expected.iter().filter(|world| found.binary_search(world).is_err()).collect();
    let invented: Vec<_> = found.iter().filter(|world| expected.binary_search(world).is_err()).collect();
    assert!(
        missed.is_empty() && invented.is_empty() && duplicates == 0,
        "{context}: of {} worlds {} missed, {} invented, {duplicates} visited twice\nmissed {:#?}\ninvented {:#?}",
        expected.len(),
        missed.len(),
        invented.len(),
        missed.first(),
        invented.first(),
    );
}

/// The verdict follows from the worlds, and a violation is reproduced from its file.
fn same_verdict(checker: &Check<manyworlds::Program>, expected: &[World], context: &str) {
    let outcome = checker.run().unwrap();
    let violating = expected.iter().any(|world| world.ending == Ending::Violating);
    match &outcome.verdict {
        Verdict::Verified => {
            assert!(!violating, "{context}: a violation was missed");
            let count = |ending| Some(expected.iter().filter(|world| world.ending == ending).count() as u64);
            assert_eq!(outcome.stats.executions, count(Ending::Complete), "{context}");
            assert_eq!(outcome.stats.blocked, count(Ending::Blocked), "{context}");
        }
        Verdict::Violated { violation, .. } => {
            assert!(violating, "{context}: {violation:?} cannot happen");
            reproduces(checker, &outcome);
        }
        other => panic!("{context}: {other:?}, though nothing bounds the run"),
    }
}
