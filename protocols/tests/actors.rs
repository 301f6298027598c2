//! The actor models, explored by a simple breadth-first search: every model is correct with its default parameters under each
//! network that its documentation states, every seeded bug violates the intended property, and handlers run once for each local
//! state and input, however many transitions there are.

use manyworlds::Network;
use manyworlds::actor::{Faults, State, Worlds};
use manyworlds::explore::{Kind, Property, TransitionSystem as _};
use manyworlds_protocols::{Build, Model, find, models};
use std::collections::{HashMap, HashSet, VecDeque};

/// A model with parameters, under its default network or another one.
fn worlds(name: &str, params: &str, network: Option<Network>) -> Worlds {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are valid");
    let system = model.system(&params).expect("the parameters of the tables are consistent");
    network.map_or(system.clone(), |network| system.network(network)).worlds()
}

/// The result of a breadth-first search that stops at the first violation.
#[derive(Default, Debug)]
struct Search {
    states: usize,
    transitions: usize,
    depth: usize,
    violation: Option<String>,
    /// The local states of all actors in states without enabled steps, as text.
    final_states: HashSet<Vec<String>>,
}

/// The failure in a state, or the first property that the state violates.
fn violation(worlds: &Worlds, properties: &[Property<Worlds>], state: &State, quiescent: bool) -> Option<String> {
    let violated = |property: &&Property<Worlds>| match property.kind {
        Kind::Always => !(property.holds)(worlds, state),
        Kind::Never => (property.holds)(worlds, state),
        Kind::AtRest => quiescent && !(property.holds)(worlds, state),
        Kind::Sometimes | Kind::Eventually | Kind::AlwaysEventually | Kind::LeadsTo => false,
    };
    let failure = worlds.failure(state).map(|failure| failure.message);
    failure.or_else(|| properties.iter().find(violated).map(|property| property.name.clone()))
}

/// Whether some path from `state` ends, or cycles forever, without a state in which the property holds. `done` maps visited states to
/// whether their successors are explored; it is `false` for the states on the current path.
fn avoids(worlds: &Worlds, property: &Property<Worlds>, state: &State, done: &mut HashMap<State, bool>) -> bool {
    if (property.holds)(worlds, state) {
        return false;
    }
    match done.get(state) {
        Some(true) => return false,
        Some(false) => return true,
        None => done.insert(state.clone(), false),
    };
    let mut actions = Vec::new();
    worlds.actions(state, &mut actions);
    let next = |action| worlds.next(state, action).expect("every step of actors can be taken");
    let found = actions.is_empty() || actions.iter().any(|action| avoids(worlds, property, &next(action), done));
    done.insert(state.clone(), true);
    found
}

fn explore(worlds: &Worlds) -> Search {
    explore_for(worlds, &worlds.properties())
}

fn explore_for(worlds: &Worlds, properties: &[Property<Worlds>]) -> Search {
    let mut pending: Vec<&Property<Worlds>> = properties.iter().filter(|p| p.kind == Kind::Sometimes).collect();
    let mut result = Search::default();
    let mut known: HashSet<State> = worlds.initial().into_iter().collect();
    let mut queue: VecDeque<(State, usize)> = worlds.initial().into_iter().map(|state| (state, 0)).collect();
    while let Some((state, depth)) = queue.pop_front() {
        let mut actions = Vec::new();
        worlds.actions(&state, &mut actions);
        result.depth = depth;
        result.violation = violation(worlds, properties, &state, actions.is_empty());
        if result.violation.is_some() {
            break;
        }
        if actions.is_empty() {
            result.final_states.insert(worlds.locals_in_words(&state));
        }
        pending.retain(|property| !(property.holds)(worlds, &state));
        result.transitions += actions.len();
        for action in &actions {
            let next = worlds.next(&state, action).expect("every step of actors can be taken");
            if known.insert(next.clone()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    result.states = known.len();
    if result.violation.is_none() {
        let avoidable = |property: &&Property<Worlds>| {
            property.kind == Kind::Eventually
                && worlds.initial().iter().any(|state| avoids(worlds, property, state, &mut HashMap::new()))
        };
        let missed = pending.first().copied().or_else(|| properties.iter().find(avoidable));
        result.violation = missed.map(|property| property.name.clone());
    }
    result
}

/// Models with their numbers of states and transitions and their depth, and the networks under which they are correct.
const CORRECT: &[(&str, [usize; 3], &[Network])] = &[
    ("two-phase-commit-actors", [3738, 13_952, 13], &Network::ALL),
    ("chang-roberts", [2206, 7455, 21], &Network::ALL),
    ("token-ring", [752, 2480, 20], &Network::ALL),
    ("failure-detector", [1836, 7074, 15], &Network::ALL),
    ("german", [24_302, 56_187, 28], &[Network::P2p, Network::Cd, Network::Mbox]),
    ("bounded-async", [2869, 13_119, 24], &Network::ALL),
    ("lastzero", [1996, 5837, 22], &Network::ALL),
    ("counter", [625, 2000, 16], &Network::ALL),
];

/// Seeded bugs, the property that each violates, and the length of the counterexample under p2p.
const INCORRECT: &[(&str, &str, usize)] = &[
    ("two-phase-commit-actors-bug", "all decide the same", 5),
    ("chang-roberts-bug", "nobody believes in a leader but the greatest", 7),
    ("token-ring-bug", "at most one station uses the resource", 6),
    ("failure-detector-bug", "whoever is down and missed the last rounds is suspected", 13),
    ("german-bug", "an exclusive copy is the only one", 11),
    ("bounded-async-bug", "nobody is more than one round ahead", 6),
    ("lastzero-bug", "the reader has found a zero", 20),
    ("counter-bug", "no increment is lost", 16),
];

/// Models with too many states for the tests of this file; `actors_big.rs` explores them.
const BIG: &[&str] = &["paxos", "paxos-bug", "abd", "abd-bug", "raft", "raft-bug"];

/// Whether a model is an object with a linearizability property. Histories are part of its states, and `ds2.rs` explores it.
fn is_object(model: &Model) -> bool {
    let params = model.params([]).expect("defaults are valid");
    model.system(&params).is_ok_and(|system| system.blueprint().spec.is_some())
}

#[test]
fn the_tables_contain_every_actor_model() {
    let is_tested_here = |model: &&Model| !BIG.contains(&model.name) && !is_object(model);
    let all = models().iter().filter(|model| matches!(model.build, Build::Actors(_)));
    let actors: Vec<&str> = all.filter(is_tested_here).map(|model| model.name).collect();
    let tables = CORRECT.iter().zip(INCORRECT).flat_map(|(correct, bug)| [correct.0, bug.0]);
    assert_eq!(tables.collect::<Vec<_>>(), actors);
}

#[test]
fn models_are_correct_and_handlers_run_once() {
    for (name, expected, _) in CORRECT {
        let worlds = worlds(name, "", None);
        let result = explore(&worlds);
        let user_steps = worlds.stats().user_steps as usize;
        println!("{name}: {} states, {} transitions, {user_steps} user steps", result.states, result.transitions);
        assert_eq!(result.violation, None, "{name}");
        assert_eq!([result.states, result.transitions, result.depth], *expected, "{name}");
        assert!(
            10 * user_steps < result.transitions,
            "{name}: {user_steps} user steps, {} transitions",
            result.transitions
        );
    }
}

#[test]
fn models_are_correct_under_their_documented_networks() {
    for (name, _, networks) in CORRECT {
        for network in Network::ALL {
            let result = explore(&worlds(name, "", Some(network)));
            println!("{name} {network}: {} states, {} transitions", result.states, result.transitions);
            assert_eq!(
                result.violation.is_none(),
                networks.contains(&network),
                "{name} {network}: {:?}",
                result.violation
            );
        }
    }
}

#[test]
fn models_are_correct_with_extreme_parameters() {
    let edges = [
        ("two-phase-commit-actors", "n=1 crashes=0"),
        ("two-phase-commit-actors", "n=1 crashes=2"),
        ("two-phase-commit-actors", "n=2 crashes=0"),
        ("two-phase-commit-actors", "n=2 crashes=3"),
        ("chang-roberts", "n=1"),
        ("chang-roberts", "n=2 order=asc"),
        ("chang-roberts", "n=7 order=asc"),
        ("token-ring", "n=2 rounds=1"),
        ("failure-detector", "n=1 rounds=1 crashes=0"),
        ("failure-detector", "n=2 rounds=3 misses=2 crashes=2"),
        ("failure-detector", "n=2 rounds=1 misses=2"),
        ("german", "n=1 requests=1"),
        ("german", "n=3 requests=0"),
        ("german", "n=4 requests=1"),
        ("bounded-async", "n=2 rounds=3"),
        ("lastzero", "n=1"),
        ("counter", "n=1 k=0"),
        ("counter", "n=3 k=3"),
    ];
    for (name, params) in edges {
        for network in [Network::P2p, Network::Mbox] {
            assert_eq!(explore(&worlds(name, params, Some(network))).violation, None, "{name} {params} {network}");
        }
    }
}

#[test]
fn seeded_bugs_are_found() {
    for &(name, property, steps) in INCORRECT {
        for network in Network::ALL {
            let result = explore(&worlds(name, "", Some(network)));
            println!("{name} {network}: {} states, {} steps", result.states, result.depth);
            assert_eq!(result.violation.as_deref(), Some(property), "{name} {network}");
            assert!(network != Network::P2p || result.depth == steps, "{name}: {} steps", result.depth);
        }
    }
}

/// Engines that do not visit every state check failures, quiescent states and stable properties; these suffice to find the bugs.
#[test]
fn seeded_bugs_violate_a_stable_property() {
    for (name, ..) in INCORRECT {
        let worlds = worlds(name, "", None);
        let properties: Vec<_> = worlds
            .properties()
            .into_iter()
            .filter(|p| p.stable && matches!(p.kind, Kind::Always | Kind::AtRest))
            .collect();
        let result = explore_for(&worlds, &properties);
        println!("{name}: {:?} after {} steps", result.violation, result.depth);
        assert!(result.violation.is_some(), "{name}");
    }
}

/// On models that violate the property.
#[test]
fn stable_properties_stay_violated() {
    for (name, params) in [("two-phase-commit-actors-bug", "n=2"), ("chang-roberts-bug", "n=4")] {
        let worlds = worlds(name, params, None);
        let mut stable = worlds.properties();
        stable.retain(|property| property.stable && property.kind == Kind::Always);
        let mut violating = 0;
        let mut known: HashSet<State> = worlds.initial().into_iter().collect();
        let mut stack = worlds.initial();
        while let Some(state) = stack.pop() {
            let violated: Vec<_> = stable.iter().filter(|property| !(property.holds)(&worlds, &state)).collect();
            violating += usize::from(!violated.is_empty());
            let mut actions = Vec::new();
            worlds.actions(&state, &mut actions);
            for next in actions.iter().filter_map(|action| worlds.next(&state, action)) {
                let restored = violated.iter().find(|property| (property.holds)(&worlds, &next));
                assert!(restored.is_none(), "{name}: {restored:?} holds again");
                if known.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        println!("{name} {params}: {violating} of {} states violate a property", known.len());
        assert!(violating > 0, "{name}");
    }
}

#[test]
fn a_ring_with_a_crash_may_elect_no_leader() {
    let model = find("chang-roberts").expect("the model exists");
    let system = model
        .system(&model.params([("n", "3")]).expect("three is within the limits"))
        .expect("the default order is valid");
    let faults = Faults { crashes: 1, ..Faults::default() };
    for (worlds, expected) in [(system.worlds(), false), (system.faults(faults).worlds(), true)] {
        let properties = worlds.properties();
        let elected = properties.iter().find(|p| p.kind == Kind::Eventually).expect("a leader is elected eventually");
        let avoidable = worlds.initial().iter().any(|state| avoids(&worlds, elected, state, &mut HashMap::new()));
        assert_eq!(avoidable, expected);
    }
}

#[test]
fn the_state_does_not_depend_on_the_order_of_increments() {
    for (n, k) in [(1, 0), (1, 3), (2, 2), (3, 3), (5, 1)] {
        let result = explore(&worlds("counter", &format!("n={n} k={k}"), None));
        assert_eq!((result.states, result.final_states.len()), ((2 * k + 1usize).pow(n), 1), "n={n} k={k}");
    }
}

#[test]
fn the_reader_may_find_any_cell() {
    for n in 1..=4 {
        let final_states = explore(&worlds("lastzero", &format!("n={n}"), None)).final_states;
        let found: HashSet<String> = final_states.into_iter().filter_map(|mut locals| locals.pop()).collect();
        assert_eq!(found, (0..=n).map(|i| format!("Found({i})")).collect(), "n={n}");
    }
}

#[test]
fn an_unknown_order_is_rejected() {
    let model = find("chang-roberts").expect("the model exists");
    let params = model.params([("order", "random")]).expect("the parameter accepts any text");
    let error = model.system(&params).err().expect("the order is unknown");
    assert_eq!(error, "parameter `order` is `random`; expected asc or desc");
}
