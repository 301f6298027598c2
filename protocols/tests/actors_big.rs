//! The larger actor models, explored by a breadth-first search that stores whole states: the models are correct with small
//! parameters, and each seeded bug violates the intended property.

use manyworlds::actor::{State, Worlds};
use manyworlds::explore::{Kind, Property, TransitionSystem};
use manyworlds_protocols::find;
use std::collections::HashSet;

/// The result of a search.
#[derive(Debug, Default)]
struct Search {
    states: usize,
    transitions: usize,
    depth: usize,
    /// The first property that was violated.
    violated: Option<String>,
    /// The `sometimes` properties that hold in some state.
    sometimes: HashSet<String>,
}

fn worlds(name: &str, params: &str) -> Worlds {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters are valid");
    model.system(&params).expect("the parameters are consistent").worlds()
}

/// Searches breadth first up to `limit` steps, or to the first violation.
fn search(name: &str, params: &str, limit: usize) -> Search {
    let worlds = worlds(name, params);
    let properties = worlds.properties();
    let mut level = worlds.initial();
    let mut known: HashSet<State> = level.iter().cloned().collect();
    let mut result = Search::default();
    while !level.is_empty() {
        for state in &level {
            assert_eq!(worlds.failure(state), None, "{name} {params}");
            evaluate(&worlds, &properties, state, &mut result);
        }
        result.states = known.len();
        if result.violated.is_some() || result.depth == limit {
            return result;
        }
        level = expand(&worlds, &level, &mut known, &mut result);
        result.depth += usize::from(!level.is_empty());
    }
    result
}

fn evaluate(worlds: &Worlds, properties: &[Property<Worlds>], state: &State, result: &mut Search) {
    for property in properties {
        match (property.kind, (property.holds)(worlds, state)) {
            (Kind::Always, false) => {
                result.violated.get_or_insert(property.name.clone());
            }
            (Kind::Sometimes, true) => {
                result.sometimes.insert(property.name.clone());
            }
            _ => {}
        }
    }
}

fn expand(worlds: &Worlds, level: &[State], known: &mut HashSet<State>, result: &mut Search) -> Vec<State> {
    let mut next = Vec::new();
    let mut steps = Vec::new();
    for state in level {
        worlds.actions(state, &mut steps);
        for step in steps.drain(..) {
            let successor = worlds.next(state, &step).expect("steps of actors are enabled");
            result.transitions += 1;
            if known.insert(successor.clone()) {
                next.push(successor);
            }
        }
    }
    next
}

/// Checks that there is no violation, that all `sometimes` properties hold, and the numbers of states and transitions.
fn is_correct(name: &str, params: &str, limit: usize, counts: [usize; 2]) {
    let result = search(name, params, limit);
    assert_eq!(result.violated, None, "{name} {params}");
    let expected = worlds(name, params).properties().iter().filter(|property| property.kind == Kind::Sometimes).count();
    assert_eq!(result.sometimes.len(), expected, "{name} {params}");
    assert_eq!([result.states, result.transitions], counts, "{name} {params}");
}

/// Checks that the property is the first to be violated, after this number of steps.
fn is_incorrect(name: &str, property: &str, steps: usize) {
    let result = search(name, "", usize::MAX);
    assert_eq!((result.violated.as_deref(), result.depth), (Some(property), steps), "{name}");
}

#[test]
fn paxos_chooses_at_most_one_value() {
    is_correct("paxos", "p=1", usize::MAX, [209, 516]);
    is_correct("paxos", "p=2", usize::MAX, [78_860, 338_664]);
    is_correct("paxos", "p=2 a=2 r=2", usize::MAX, [41_782, 151_128]);
    is_correct("paxos", "p=3 a=2", usize::MAX, [13_040, 44_520]);
}

#[test]
fn broken_promises_choose_two_values() {
    is_incorrect("paxos-bug", "agreement", 16);
}

#[test]
fn abd_has_no_new_old_inversion() {
    is_correct("abd", "s=2", usize::MAX, [1057, 2984]);
    is_correct("abd", "s=2 w=2", usize::MAX, [4337, 12_288]);
    is_correct("abd", "w=2 g=0", usize::MAX, [62_246, 306_414]);
}

#[test]
fn gets_without_write_back_have_a_new_old_inversion() {
    is_incorrect("abd-bug", "no new-old inversion", 15);
}

#[test]
fn raft_has_one_leader_per_term_with_all_committed_entries() {
    is_correct("raft", "n=2 t=1 e=1 h=1", usize::MAX, [154, 254]);
    is_correct("raft", "t=1 crashes=0", usize::MAX, [15_692, 48_369]);
    is_correct("raft", "", 8, [22_166, 57_660]);
}

#[test]
fn lost_votes_elect_two_leaders() {
    is_incorrect("raft-bug", "election safety", 8);
}
