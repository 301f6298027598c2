//! The scope of an answer names what a user may not expect: orderings that ran stronger than asked for, and that nothing was checked.

use manyworlds::actor::{Actor, Context, System};
use manyworlds::prelude::*;
use manyworlds::sync::Arc;
use manyworlds::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use manyworlds::{Engine, Options, Outcome, Semantics, thread};

fn mentions_weak_orderings(outcome: &Outcome) -> bool {
    let mentioned = outcome.scope.semantics.contains(&Semantics::WeakOrderingsRunAsSeqCst);
    assert_eq!(mentioned, outcome.scope.to_string().contains("ran as SeqCst"), "{}", outcome.scope);
    mentioned
}

/// Two threads, one of which uses the ordering.
fn counter(add: Ordering, load: Ordering) -> Check<Program> {
    check(move || {
        let hits = Arc::new(AtomicU32::new(0));
        let other = hits.clone();
        let thread = thread::spawn(move || other.fetch_add(1, add));
        thread.join().unwrap();
        assert_eq!(hits.load(load), 1);
    })
}

#[test]
fn weak_orderings_are_mentioned_where_they_are_used() {
    use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    for (add, load, mentioned) in [
        (SeqCst, SeqCst, false),
        (Relaxed, SeqCst, true),
        (SeqCst, Relaxed, true),
        (Release, SeqCst, true),
        (SeqCst, Acquire, true),
        (AcqRel, SeqCst, true),
    ] {
        for engine in [Engine::Must, Engine::Brute] {
            let outcome = counter(add, load).engine(engine).run().unwrap();
            assert!(outcome.is_verified(), "{outcome:?}");
            assert_eq!(mentions_weak_orderings(&outcome), mentioned, "{add:?}, {load:?}, {engine:?}");
        }
        let outcome = counter(add, load).threads(2).run().unwrap();
        assert_eq!(mentions_weak_orderings(&outcome), mentioned, "{add:?}, {load:?}, two workers");
    }
}

#[test]
fn every_operation_with_an_ordering_is_seen() {
    use Ordering::{Relaxed, SeqCst};
    let operations: [fn(Ordering); 8] = [
        |order| {
            let _ = AtomicU32::new(0).load(order);
        },
        |order| AtomicU32::new(0).store(1, order),
        |order| {
            let _ = AtomicU32::new(0).swap(1, order);
        },
        |order| {
            let _ = AtomicU32::new(0).compare_exchange(0, 1, order, SeqCst);
        },
        |order| {
            let _ = AtomicU32::new(0).compare_exchange_weak(0, 1, SeqCst, order);
        },
        |order| {
            let _ = AtomicU32::new(0).fetch_update(SeqCst, order, |n| Some(n + 1));
        },
        |order| {
            let _ = AtomicBool::new(true).fetch_not(order);
        },
        fence,
    ];
    for (nth, operation) in operations.into_iter().enumerate() {
        for (order, mentioned) in [(Relaxed, true), (SeqCst, false)] {
            let outcome = check(move || operation(order)).run().unwrap();
            assert!(outcome.is_verified(), "{outcome:?}");
            assert_eq!(mentions_weak_orderings(&outcome), mentioned, "operation {nth}, {order:?}");
        }
    }
}

/// One run does not speak for another.
#[test]
fn an_ordering_is_mentioned_in_its_own_run_only() {
    let (weak, strong) = (counter(Ordering::Relaxed, Ordering::SeqCst), counter(Ordering::SeqCst, Ordering::SeqCst));
    assert!(mentions_weak_orderings(&weak.run().unwrap()));
    assert!(!mentions_weak_orderings(&strong.run().unwrap()));
    assert!(mentions_weak_orderings(&weak.run().unwrap()));
}

struct Idle;

impl Actor for Idle {
    type State = ();
    type Message = ();
    fn start(&self, _: &mut Context<'_>) {}
    fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
}

fn idle() -> System {
    let mut system = System::new();
    system.add("idle", Idle);
    system
}

fn nothing_checked(system: &System, options: &Options) -> Option<String> {
    let outcome = check(system).options(options.clone()).run().expect("it is checked").outcome;
    assert!(outcome.is_verified(), "{outcome:?}");
    let nothing = outcome.scope.nothing_checked.clone();
    assert!(nothing.iter().all(|nothing| outcome.scope.to_string().contains(nothing)), "{}", outcome.scope);
    nothing
}

#[test]
fn a_check_that_asks_nothing_says_so() {
    for engine in [Engine::Bfs, Engine::Dfs, Engine::Must] {
        let options = Options { engine, ..Options::default() };
        let nothing = nothing_checked(&idle(), &options).expect("there is no property");
        assert_eq!(nothing, "no property was given: only panics of handlers were checked");
        let asked = idle().at_rest("idle", |_| true);
        assert_eq!(nothing_checked(&asked, &options), None);
    }
    let undecided = idle().eventually("idle", |_| true);
    let options = Options { decidable: true, engine: Engine::Must, ..Options::default() };
    assert_eq!(nothing_checked(&undecided, &options).as_deref(), Some("only panics of handlers were checked"));
    let program = check(Program::empty()).run().unwrap();
    assert_eq!(program.scope.nothing_checked.as_deref(), Some("the program has no processes: nothing was checked"));
    assert_eq!(check(|| {}).run().unwrap().scope.nothing_checked, None);
}

#[test]
fn a_system_without_actors_says_so() {
    for system in [System::new(), System::new().always("nothing", |_| true)] {
        let nothing = nothing_checked(&system, &Options::default()).expect("there is no actor");
        assert_eq!(nothing, "the system has no actors: nothing was checked");
    }
}
