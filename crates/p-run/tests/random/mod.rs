//! Random small programs: the system is compared with a naive interpreter.

mod generate;
mod naive;

use manyworlds_explore::{Config, Engine, NoObserver, TransitionSystem, explore};
use manyworlds_p_ir::{Program, text, validate};
use manyworlds_p_run::{System, World};
use manyworlds_testkit::Random;
use naive::{Configuration, Naive};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Larger cases are not compared.
const MOST_STATES: usize = 4_000;

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
        if seen.len() > 3 * MOST_STATES {
            return None;
        }
        if let Some((bug, who)) = &config.failed {
            found.failures.insert(((*bug).to_string(), stripped(who)));
            continue;
        }
        let successors = naive.successors(&config);
        if successors.is_empty() {
            let mut words: Vec<String> = naive.end_in_words(&config).iter().map(|line| stripped(line)).collect();
            words.sort();
            found.ends.insert(words);
        }
        for next in successors {
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    Some(found)
}

/// A state without enabled machines in words.
fn end_in_words(system: &System, world: &World) -> Vec<String> {
    let words = system.in_words(world);
    let lines = words.split("; ").map(|line| stripped(line.trim_end_matches(" []")));
    let mut words: Vec<String> = lines.filter(|line| !line.ends_with(": halted")).collect();
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
        if seen.len() > MOST_STATES {
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

fn decisions() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 20..220)
}

#[test]
fn the_system_ends_and_fails_where_the_naive_interpreter_does() {
    let random = Random::new("p-run, naive interpreter").cases(1500).compared(50);
    random.run(&decisions(), |bytes| {
        let source = generate::program(&bytes);
        let program = parsed(&source);
        let Some(naive) = by_naive(&program) else { return Ok(0) };
        let system = System::new(Arc::new(program), "tc").expect("the program is valid");
        let Some((found, _)) = by_system(&system) else { return Ok(0) };
        let lines: BTreeSet<Vec<String>> = naive
            .ends
            .iter()
            .map(|end| end.iter().map(|line| line.trim_end_matches(" []").to_string()).collect())
            .collect();
        prop_assert_eq!(&found.ends, &lines, "{}", source);
        prop_assert_eq!(&found.failures, &naive.failures, "{}", source);
        Ok(1)
    });
}

#[test]
fn engines_find_the_same_states() {
    let random = Random::new("p-run, engines").cases(300).compared(50);
    random.run(&decisions(), |bytes| {
        let source = generate::program(&bytes);
        let program = Arc::new(parsed(&source));
        let system = || System::new(program.clone(), "tc").expect("the program is valid");
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
