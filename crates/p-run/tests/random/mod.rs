//! Random small programs: the system is compared with a naive interpreter.

mod cycles;
mod generate;
mod naive;

use manyworlds_core::Replayed;
use manyworlds_explore::{Config, Engine, NoObserver, Reduction, TransitionSystem, explore, narrate, replay};
use manyworlds_p_ir::{Program, text, validate};
use manyworlds_p_run::liveness::search;
use manyworlds_p_run::{Limits, System, World};
use manyworlds_testkit::Random;
use naive::{Configuration, Naive};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// Larger cases are not compared.
const MOST_STATES: usize = 1_000;

/// What a search finds: the configurations without enabled machines, and the failures.
#[derive(PartialEq, Eq, Debug, Default)]
struct Found {
    ends: BTreeSet<Vec<String>>,
    failures: BTreeSet<(String, String)>,
}

/// Names without their numbers, where names may be used again.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("(0") {
        let numbers = rest[at + 1..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(0);
        let is_name = rest[at + 1 + numbers..].starts_with(')') && rest[..at].ends_with(char::is_alphabetic);
        let is_message = rest[..at].ends_with("eA");
        let end = at + 1 + numbers;
        out.push_str(&rest[..at]);
        out.push_str(if is_name && !is_message { "(" } else { &rest[at..end] });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

fn by_naive(program: &Program) -> Option<Found> {
    let naive = Naive { program, test: &program.tests[0] };
    let start = naive.initial();
    let mut seen: BTreeSet<Configuration> = BTreeSet::from([start.clone()]);
    let mut todo = vec![start];
    let mut found = Found::default();
    while let Some(config) = todo.pop() {
        if seen.len() > 3 * MOST_STATES || config.size() > 16 {
            return None;
        }
        if let Some((bug, who)) = &config.failed {
            found.failures.insert(((*bug).to_string(), stripped(who)));
            continue;
        }
        let successors = naive.successors(&config)?;
        if successors.is_empty() {
            let mut words: Vec<String> = naive.end_in_words(&config).iter().map(|line| stripped(line)).collect();
            words.sort();
            found.ends.insert(words);
        }
        for step in successors {
            if seen.insert(step.next.clone()) {
                todo.push(step.next);
            }
        }
    }
    Some(found)
}

/// A state without enabled machines in words.
fn end_in_words(system: &System, world: &World) -> Vec<String> {
    let words = system.in_words(world);
    let lines = words.split("; ").map(|line| stripped(line.trim_end_matches(" []")));
    let mut words: Vec<String> = lines.filter(|line| !line.is_empty() && !line.ends_with(": halted")).collect();
    words.extend(system.failure(world).map(|violation| match violation.property {
        manyworlds_core::Requirement::Deadlock => "deadlock".to_string(),
        _ => "hot".to_string(),
    }));
    words.sort();
    words
}

fn by_system(system: &System) -> Option<(Found, usize)> {
    let start = system.initial();
    let mut seen: HashSet<World> = start.iter().cloned().collect();
    let mut todo = start;
    let mut found = Found::default();
    while let Some(world) = todo.pop() {
        if seen.len() > MOST_STATES || world.ids.len() > 30 {
            return None;
        }
        if let Some(failure) = system.failed(&world) {
            found.failures.insert((format!("{:?}", failure.fault.kind), stripped(&failure.machine)));
            continue;
        }
        let mut actions = Vec::new();
        system.actions(&world, &mut actions);
        assert_eq!(actions.is_empty(), system.at_rest(&world));
        if actions.is_empty() {
            found.ends.insert(end_in_words(system, &world));
        }
        for action in actions {
            let next = system.next(&world, &action).expect("it was listed");
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    Some((found, seen.len()))
}

fn parsed(source: &str) -> Program {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let flaws = validate(&program);
    assert!(flaws.is_empty(), "{flaws:?}\n{source}");
    program
}

/// A handler that goes on for long is endless: random programs have no long loops.
fn system_of(program: Arc<Program>) -> System {
    let limits = Limits { instructions: 5_000, calls: 1_000 };
    System::limited(program, "tc", limits).expect("the program is valid")
}

fn decisions() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 100..900)
}

#[test]
fn the_system_ends_and_fails_where_the_naive_interpreter_does() {
    let random = Random::new("p-run, naive interpreter").cases(2000).compared(60);
    let (kinds, large) = (RefCell::new(BTreeMap::new()), Cell::new(0));
    random.run(&decisions(), |bytes| {
        let source = generate::program(&bytes);
        let program = parsed(&source);
        let Some(naive) = by_naive(&program) else { return Ok(0) };
        let system = system_of(Arc::new(program));
        let Some((found, states)) = by_system(&system) else { return Ok(0) };
        large.set(large.get() + usize::from(states > 30));
        let bad = |end: &Vec<String>| end.iter().find(|line| ["deadlock", "hot"].contains(&line.as_str())).cloned();
        let failures = found.failures.iter().map(|(kind, _)| kind.clone());
        for kind in failures.chain(found.ends.iter().filter_map(bad)).collect::<BTreeSet<_>>() {
            *kinds.borrow_mut().entry(kind).or_insert(0) += 1;
        }
        let lines: BTreeSet<Vec<String>> = naive
            .ends
            .iter()
            .map(|end| end.iter().map(|line| line.trim_end_matches(" []").to_string()).collect())
            .collect();
        prop_assert_eq!(&found.ends, &lines, "{}", source);
        prop_assert_eq!(&found.failures, &naive.failures, "{}", source);
        Ok(1)
    });
    // Programs that say something about every kind of answer were among them.
    let kinds = kinds.into_inner();
    println!("{} cases with more than 30 states; failures: {kinds:?}", large.get());
    if manyworlds_testkit::cases(1000) >= 1000 {
        assert!(large.get() > 100, "{} large cases", large.get());
        for kind in ["Assertion", "Unhandled", "Null", "BadChoice", "OutOfRange", "BadPayload", "deadlock", "hot"] {
            assert!(kinds.get(kind).is_some_and(|&n| n >= 5), "{kind} in {kinds:?}");
        }
    }
}

#[test]
fn engines_find_the_same_states() {
    let random = Random::new("p-run, engines").cases(300).compared(50);
    random.run(&decisions(), |bytes| {
        let source = generate::program(&bytes);
        let program = Arc::new(parsed(&source));
        let system = || system_of(program.clone());
        let Some((_, states)) = by_system(&system()) else { return Ok(0) };
        for (engine, threads) in [(Engine::Bfs, 1), (Engine::Bfs, 3), (Engine::Dfs, 1), (Engine::Dfs, 3)] {
            let config = Config { threads, keep_going: true, ..Config::default() };
            let report = explore(&system(), engine, &config, &NoObserver).expect("it runs");
            prop_assert_eq!(report.stats.states, Some(states as u128), "{}", source);
        }
        Ok(1)
    });
}

#[test]
fn programs_are_printed_and_read_without_loss() {
    let random = Random::new("p-run, text").cases(200);
    random.run(&decisions(), |bytes| {
        let program = parsed(&generate::program(&bytes));
        let printed = text::print(&program);
        prop_assert_eq!(text::print(&parsed(&printed)), printed);
        Ok(1)
    });
}

#[test]
fn liveness_agrees_with_the_naive_one() {
    let random = Random::new("p-run, liveness").cases(1500).compared(15);
    let violated = Cell::new(0);
    random.run(&decisions(), |bytes| {
        let source = generate::lively(&bytes);
        if !source.contains("hot") || !source.contains("assert Watch") {
            return Ok(0);
        }
        let program = parsed(&source);
        let Some(naive) = cycles::violated(&program, 300) else { return Ok(0) };
        let program = Arc::new(program);
        let system = system_of(program.clone());
        let found = search(&system);
        prop_assert!(found.stopped.is_none());
        prop_assert_eq!(found.found.is_some(), naive, "{}", source);
        if let Some(lasso) = &found.found {
            let trace = narrate(&system, &lasso.path, lasso.violation.clone());
            let replayed = replay(&system_of(program.clone()), &trace, |_, _| {});
            prop_assert_eq!(replayed, Ok(Replayed::Reproduced), "{}", source);
            // The check of a cycle is not satisfied by every cycle.
            let states: Vec<&World> = lasso.path.steps.iter().map(|(_, world)| world).collect();
            prop_assert_eq!(system.cycle_violates(&lasso.violation, &states, states.len() - 1), Some(false));
            violated.set(violated.get() + 1);
        }
        Ok(1)
    });
    println!("{} of them violated", violated.get());
    assert!(violated.get() >= if manyworlds_testkit::cases(1500) >= 1500 { 25 } else { 0 });
}

/// The terminal states and the failures that an engine finds.
fn by_engine(system: &System, engine: Engine, reduction: Reduction) -> (Found, u64) {
    let config = Config { keep_going: true, collect_states: true, reduction, ..Config::default() };
    let report = explore(system, engine, &config, &NoObserver).expect("it runs");
    let mut found = Found::default();
    for world in report.states.iter() {
        match system.failed(world) {
            Some(failure) => {
                found.failures.insert((format!("{:?}", failure.fault.kind), stripped(&failure.machine)));
            }
            None if system.at_rest(world) => _ = found.ends.insert(end_in_words(system, world)),
            None => {}
        }
    }
    (found, u64::try_from(report.stats.states.unwrap_or_default()).expect("they were visited one by one"))
}

#[test]
fn the_reduced_search_ends_and_fails_where_the_full_one_does() {
    let random = Random::new("p-run, reduction").cases(600).compared(60);
    let (fewer, full, reduced) = (Cell::new(0), Cell::new(0), Cell::new(0));
    random.run(&decisions(), |bytes| {
        let source = generate::program(&bytes);
        let program = Arc::new(parsed(&source));
        let Some((expected, states)) = by_system(&system_of(program.clone())) else { return Ok(0) };
        for engine in [Engine::Dfs, Engine::Bfs] {
            let (found, visited) = by_engine(&system_of(program.clone()), engine, Reduction::Persistent);
            prop_assert_eq!(&found, &expected, "{:?} {}", engine, source);
            full.set(full.get() + states as u64);
            reduced.set(reduced.get() + visited);
            fewer.set(fewer.get() + u64::from(visited < states as u64));
        }
        Ok(1)
    });
    println!("{} of {} states, fewer in {} cases", reduced.get(), full.get(), fewer.get());
    assert!(reduced.get() < full.get());
}

/// A program that uses most of the language.
pub fn example() -> String {
    let bytes: Vec<u8> = (0..900u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    generate::program(&bytes)
}
