//! Random graphs against TLC. A line of `random_graphs.tsv` is a graph, written to a module of TLA+ with an action for each of three names, and
//! the verdict of TLC (see `specs.rs`): initial states, the steps of each state (`1>0` is action 1 to state 0), fairness (`W02`: weak fairness of the actions 0
//! and 2 together), kind of property, states in which the condition of `leads_to` holds, states in which the predicate holds, verdict.

use crate::temporal::graph::{Graph, Set, Step};
use manyworlds_explore::{Config, Engine, Kind, Strength};
use std::sync::Arc;

fn digits(text: &str) -> Vec<u8> {
    text.bytes().map(|digit| digit - b'0').collect()
}

fn set(text: &str) -> Set {
    digits(text).into_iter().fold(0, |set, member| set | 1 << member)
}

fn step(text: &str) -> Step {
    let (action, to) = text.split_once('>').expect("a step");
    (digits(action)[0], digits(to)[0])
}

fn assumption(text: &str) -> (Strength, Set) {
    let strength = if text.starts_with('W') { Strength::Weak } else { Strength::Strong };
    (strength, set(&text[1..]))
}

fn read(line: &str) -> (Graph, bool) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [initial, steps, fairness, kind, when, holds, verdict] = fields[..] else { panic!("seven fields: {line}") };
    let graph = Graph {
        initial: digits(initial),
        steps: Arc::new(steps.split('|').map(|steps| steps.split_whitespace().map(step).collect()).collect()),
        fairness: fairness.split_whitespace().map(assumption).collect(),
        kind: match kind {
            "eventually" => Kind::Eventually,
            "always-eventually" => Kind::AlwaysEventually,
            "leads-to" => Kind::LeadsTo,
            other => panic!("no kind: {other}"),
        },
        when: set(when),
        holds: set(holds),
    };
    (graph, verdict == "violated")
}

#[test]
fn random_graphs_have_the_verdicts_of_tlc() {
    let (mut violated, mut fair) = (0, 0);
    for line in include_str!("random_graphs.tsv").lines() {
        let (graph, is_violated) = read(line);
        let found = graph.run(Engine::Bfs, &Config::default()).found;
        assert_eq!(found.is_some(), is_violated, "{line}");
        found.iter().for_each(|found| graph.check(&found.path));
        violated += usize::from(is_violated);
        let unfair = Graph { fairness: Vec::new(), ..graph };
        fair += usize::from(!is_violated && unfair.run(Engine::Bfs, &Config::default()).found.is_some());
    }
    println!("{violated} are violated, {fair} hold because of fairness");
    assert!(violated >= 100 && fair >= 60, "{violated} are violated, {fair} hold because of fairness");
}
