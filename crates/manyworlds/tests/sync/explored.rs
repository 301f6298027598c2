//! Explores a program in every way there is and insists that all of them agree.

use manyworlds::{Check, Engine, Network, Outcome, Policy, Program, Requirement, check, thread};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// What a program does in all its worlds.
#[derive(Debug)]
pub struct Explored<T> {
    /// Worlds without a violation.
    pub executions: u64,
    /// Worlds with one, deadlocks included.
    pub violations: u64,
    /// What main can return, in the order of how it is shown.
    pub results: Vec<T>,
}

type Notes<T> = Arc<Mutex<BTreeMap<String, T>>>;

/// A program whose main process notes what it returns.
fn noting<T: Debug + Send + 'static>(main: impl Fn() -> T + Send + Sync + 'static) -> (Check<Program>, Notes<T>) {
    let results = Notes::default();
    let notes = results.clone();
    let checker = check(move || {
        let result = main();
        notes.lock().unwrap().insert(format!("{result:?}"), result);
    });
    (checker.keep_going(true), results)
}

/// Every world under the default network, after checking that the other networks, all policies, two workers and a tiny memory
/// make no difference.
pub fn explore<T: PartialEq + Clone + Debug + Send + 'static>(
    main: impl Fn() -> T + Send + Sync + 'static,
) -> Explored<T> {
    let (checker, results) = noting(main);
    let run = |checker: Check<Program>| {
        results.lock().unwrap().clear();
        let stats = checker.run().unwrap().stats;
        assert_eq!(stats.blocked, Some(0));
        assert_eq!(stats.truncated, Some(0));
        let results: Vec<T> = results.lock().unwrap().values().cloned().collect();
        (stats.executions.unwrap(), stats.violations, results)
    };
    let found = run(checker.clone());
    for network in Network::ALL {
        assert_eq!(run(checker.clone().network(network)), found, "under {network}");
    }
    for policy in [Policy::LeftToRight, Policy::RightToLeft, Policy::Random(7)] {
        assert_eq!(run(checker.clone().policy(policy)), found, "with {policy:?}");
    }
    assert_eq!(run(checker.clone().threads(2)), found, "with two workers");
    assert_eq!(run(checker.max_nodes(1).max_coroutines(1)), found, "with a tiny memory");
    let (executions, violations, results) = found;
    Explored { executions, violations, results }
}

/// Explores as [`explore`] does and compares every world with those of the naive engine. For small programs.
pub fn explore_twice<T: PartialEq + Clone + Debug + Send + 'static>(
    main: impl Fn() -> T + Send + Sync + 'static,
) -> Explored<T> {
    let main = Arc::new(main);
    let (checker, _) = noting({
        let main = main.clone();
        move || main()
    });
    let (worlds, duplicates) = checker.worlds();
    assert_eq!(duplicates, 0);
    let (naive, _) = checker.engine(Engine::Brute).worlds();
    assert_eq!(worlds, naive);
    explore(move || main())
}

/// `n!`.
pub fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// The property that was violated.
pub fn property(outcome: &Outcome) -> Option<&Requirement> {
    outcome.violation().map(|violation| &violation.property)
}

/// Starts `n` threads and waits for them.
pub fn crowd(n: u64, f: impl Fn(u64) + Clone + Send + 'static) {
    let threads: Vec<_> = (0..n)
        .map(|i| {
            let f = f.clone();
            thread::spawn(move || f(i))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
