//! The larger actor models, by a breadth-first search that keeps whole states: right at small parameters, and each seeded bug is found by
//! the property that is meant to find it.

use manyworlds::actor::{State, Worlds};
use manyworlds::explore::{Kind, Property, TransitionSystem};
use manyworlds_protocols::find;
use std::collections::HashSet;

/// What a search saw.
#[derive(Debug, Default)]
struct Seen {
    states: usize,
    transitions: usize,
    depth: usize,
    /// The first property that was violated.
    violated: Option<String>,
    /// What should hold somewhere and did.
    sometimes: HashSet<String>,
}

fn worlds(name: &str, params: &str) -> Worlds {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters are right");
    model.system(&params).expect("the parameters go together").worlds()
}

/// Breadth first up to `limit` steps, or to the first violation.
fn search(name: &str, params: &str, limit: usize) -> Seen {
    let worlds = worlds(name, params);
    let properties = worlds.properties();
    let mut level = worlds.initial();
    let mut known: HashSet<State> = level.iter().cloned().collect();
    let mut seen = Seen::default();
    while !level.is_empty() {
        for state in &level {
            assert_eq!(worlds.failure(state), None, "{name} {params}");
            ask(&worlds, &properties, state, &mut seen);
        }
        seen.states = known.len();
        if seen.violated.is_some() || seen.depth == limit {
            return seen;
        }
        level = expand(&worlds, &level, &mut known, &mut seen);
        seen.depth += usize::from(!level.is_empty());
    }
    seen
}

fn ask(worlds: &Worlds, properties: &[Property<Worlds>], state: &State, seen: &mut Seen) {
    for property in properties {
        match (property.kind, (property.holds)(worlds, state)) {
            (Kind::Always, false) => {
                seen.violated.get_or_insert(property.name.clone());
            }
            (Kind::Sometimes, true) => {
                seen.sometimes.insert(property.name.clone());
            }
            _ => {}
        }
    }
}

fn expand(worlds: &Worlds, level: &[State], known: &mut HashSet<State>, seen: &mut Seen) -> Vec<State> {
    let mut next = Vec::new();
    let mut steps = Vec::new();
    for state in level {
        worlds.actions(state, &mut steps);
        for step in steps.drain(..) {
            let successor = worlds.next(state, &step).expect("steps of actors are enabled");
            seen.transitions += 1;
            if known.insert(successor.clone()) {
                next.push(successor);
            }
        }
    }
    next
}

/// No violation, everything that should be possible is, and there are so many states and transitions.
fn is_right(name: &str, params: &str, limit: usize, counts: [usize; 2]) {
    let seen = search(name, params, limit);
    assert_eq!(seen.violated, None, "{name} {params}");
    let asked = worlds(name, params).properties().iter().filter(|property| property.kind == Kind::Sometimes).count();
    assert_eq!(seen.sometimes.len(), asked, "{name} {params}");
    assert_eq!([seen.states, seen.transitions], counts, "{name} {params}");
}

/// The property is violated first, after so many steps.
fn is_wrong(name: &str, property: &str, steps: usize) {
    let seen = search(name, "", usize::MAX);
    assert_eq!((seen.violated.as_deref(), seen.depth), (Some(property), steps), "{name}");
}

#[test]
fn paxos_chooses_at_most_one_value() {
    is_right("paxos", "p=1", usize::MAX, [209, 516]);
    is_right("paxos", "p=2", usize::MAX, [78_860, 338_664]);
    is_right("paxos", "p=2 a=2 r=2", usize::MAX, [41_782, 151_128]);
    is_right("paxos", "p=3 a=2", usize::MAX, [13_040, 44_520]);
}

#[test]
fn broken_promises_choose_two_values() {
    is_wrong("paxos-bug", "agreement", 16);
}

#[test]
fn abd_never_goes_back() {
    is_right("abd", "s=2", usize::MAX, [1057, 2984]);
    is_right("abd", "s=2 w=2", usize::MAX, [4337, 12_288]);
    is_right("abd", "w=2 g=0", usize::MAX, [62_246, 306_414]);
}

#[test]
fn gets_that_do_not_write_back_go_back() {
    is_wrong("abd-bug", "no new-old inversion", 15);
}

#[test]
fn raft_has_one_leader_a_term_and_it_has_what_is_committed() {
    is_right("raft", "n=2 t=1 e=1 h=1", usize::MAX, [154, 254]);
    is_right("raft", "t=1 crashes=0", usize::MAX, [15_692, 48_369]);
    is_right("raft", "", 8, [22_166, 57_660]);
}

#[test]
fn lost_votes_elect_two_leaders() {
    is_wrong("raft-bug", "election safety", 8);
}
