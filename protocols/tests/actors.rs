//! The actors of the zoo, explored by the plainest search there is: every model is right with its default parameters under each network that
//! its documentation promises, every seeded bug is found by the property that is meant to find it, and handlers run once for each local
//! situation and input, however many steps there are.

use manyworlds::Network;
use manyworlds::actor::{Faults, State, Worlds};
use manyworlds::explore::{Kind, Property, TransitionSystem as _};
use manyworlds_protocols::{Build, Model, find, models};
use std::collections::{HashMap, HashSet, VecDeque};

/// A model with parameters, under its own network or another one.
fn worlds(name: &str, params: &str, network: Option<Network>) -> Worlds {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are right");
    let system = model.system(&params).expect("the parameters of the tables go together");
    network.map_or(system.clone(), |network| system.network(network)).worlds()
}

/// What a breadth-first search saw until it was through, or came to the first violation.
#[derive(Default, Debug)]
struct Seen {
    states: usize,
    transitions: usize,
    depth: usize,
    violation: Option<String>,
    /// Local situations in which nothing more can happen.
    ends: HashSet<Vec<String>>,
}

/// What is wrong with a state, looked at alone.
fn wrong(worlds: &Worlds, properties: &[Property<Worlds>], state: &State, at_rest: bool) -> Option<String> {
    let broken = |property: &&Property<Worlds>| match property.kind {
        Kind::Always => !(property.holds)(worlds, state),
        Kind::Never => (property.holds)(worlds, state),
        Kind::AtRest => at_rest && !(property.holds)(worlds, state),
        Kind::Sometimes | Kind::Eventually => false,
    };
    let failure = worlds.failure(state).map(|failure| failure.message);
    failure.or_else(|| properties.iter().find(broken).map(|property| property.name.clone()))
}

/// Whether some path from `state` ends, or goes round for ever, without the property. `done` says of a state on the current path that it is
/// not done.
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

fn explore(worlds: &Worlds) -> Seen {
    explore_for(worlds, &worlds.properties())
}

fn explore_for(worlds: &Worlds, properties: &[Property<Worlds>]) -> Seen {
    let mut unseen: Vec<&Property<Worlds>> = properties.iter().filter(|p| p.kind == Kind::Sometimes).collect();
    let mut seen = Seen::default();
    let mut known: HashSet<State> = worlds.initial().into_iter().collect();
    let mut queue: VecDeque<(State, usize)> = worlds.initial().into_iter().map(|state| (state, 0)).collect();
    while let Some((state, depth)) = queue.pop_front() {
        let mut actions = Vec::new();
        worlds.actions(&state, &mut actions);
        seen.depth = depth;
        seen.violation = wrong(worlds, properties, &state, actions.is_empty());
        if seen.violation.is_some() {
            break;
        }
        if actions.is_empty() {
            seen.ends.insert(worlds.locals_in_words(&state));
        }
        unseen.retain(|property| !(property.holds)(worlds, &state));
        seen.transitions += actions.len();
        for action in &actions {
            let next = worlds.next(&state, action).expect("every step of actors can be taken");
            if known.insert(next.clone()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    seen.states = known.len();
    if seen.violation.is_none() {
        let avoidable = |property: &&Property<Worlds>| {
            property.kind == Kind::Eventually
                && worlds.initial().iter().any(|state| avoids(worlds, property, state, &mut HashMap::new()))
        };
        let missed = unseen.first().copied().or_else(|| properties.iter().find(avoidable));
        seen.violation = missed.map(|property| property.name.clone());
    }
    seen
}

/// Models with their states, transitions and depth, and the networks under which they are right.
const RIGHT: &[(&str, [usize; 3], &[Network])] = &[
    ("two-phase-commit-actors", [3738, 13_952, 13], &Network::ALL),
    ("chang-roberts", [2206, 7455, 21], &Network::ALL),
    ("token-ring", [752, 2480, 20], &Network::ALL),
    ("failure-detector", [1836, 7074, 15], &Network::ALL),
    ("german", [24_302, 56_187, 28], &[Network::P2p, Network::Cd, Network::Mbox]),
    ("bounded-async", [2869, 13_119, 24], &Network::ALL),
    ("lastzero", [1996, 5837, 22], &Network::ALL),
    ("counter", [625, 2000, 16], &Network::ALL),
];

/// Seeded bugs, the property that finds each, and after how many steps under p2p.
const WRONG: &[(&str, &str, usize)] = &[
    ("two-phase-commit-actors-bug", "all decide the same", 5),
    ("chang-roberts-bug", "nobody believes in a leader but the greatest", 7),
    ("token-ring-bug", "at most one station uses the resource", 6),
    ("failure-detector-bug", "whoever is down and missed the last rounds is suspected", 13),
    ("german-bug", "an exclusive copy is the only one", 11),
    ("bounded-async-bug", "nobody is more than one round ahead", 6),
    ("lastzero-bug", "the reader has found a zero", 20),
    ("counter-bug", "no increment is lost", 16),
];

/// Models with too many states for every test of this file; `actors_big.rs` explores them.
const BIG: &[&str] = &["paxos", "paxos-bug", "abd", "abd-bug", "raft", "raft-bug"];

/// Objects that are to be linearizable: histories are part of their states, and `ds2.rs` explores them.
fn is_object(model: &Model) -> bool {
    let params = model.params([]).expect("defaults are parameters");
    model.system(&params).is_ok_and(|system| system.blueprint().spec.is_some())
}

#[test]
fn the_tables_have_every_system_of_actors() {
    let is_here = |model: &&Model| !BIG.contains(&model.name) && !is_object(model);
    let all = models().iter().filter(|model| matches!(model.build, Build::Actors(_)));
    let actors: Vec<&str> = all.filter(is_here).map(|model| model.name).collect();
    let tables = RIGHT.iter().zip(WRONG).flat_map(|(right, wrong)| [right.0, wrong.0]);
    assert_eq!(tables.collect::<Vec<_>>(), actors);
}

#[test]
fn models_are_right_and_handlers_run_once() {
    for (name, expected, _) in RIGHT {
        let worlds = worlds(name, "", None);
        let seen = explore(&worlds);
        let user_steps = worlds.stats().user_steps as usize;
        println!("{name}: {} states, {} transitions, {user_steps} user steps", seen.states, seen.transitions);
        assert_eq!(seen.violation, None, "{name}");
        assert_eq!([seen.states, seen.transitions, seen.depth], *expected, "{name}");
        assert!(
            10 * user_steps < seen.transitions,
            "{name}: {user_steps} user steps, {} transitions",
            seen.transitions
        );
    }
}

#[test]
fn models_are_right_under_the_networks_that_they_promise() {
    for (name, _, networks) in RIGHT {
        for network in Network::ALL {
            let seen = explore(&worlds(name, "", Some(network)));
            println!("{name} {network}: {} states, {} transitions", seen.states, seen.transitions);
            assert_eq!(seen.violation.is_none(), networks.contains(&network), "{name} {network}: {:?}", seen.violation);
        }
    }
}

#[test]
fn models_are_right_at_the_edges_of_their_parameters() {
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
    for &(name, property, steps) in WRONG {
        for network in Network::ALL {
            let seen = explore(&worlds(name, "", Some(network)));
            println!("{name} {network}: {} states, {} steps", seen.states, seen.depth);
            assert_eq!(seen.violation.as_deref(), Some(property), "{name} {network}");
            assert!(network != Network::P2p || seen.depth == steps, "{name}: {} steps", seen.depth);
        }
    }
}

/// Engines that do not visit every state see failures, states at rest and what stays violated; that is enough.
#[test]
fn seeded_bugs_leave_a_mark() {
    for (name, ..) in WRONG {
        let worlds = worlds(name, "", None);
        let properties: Vec<_> = worlds
            .properties()
            .into_iter()
            .filter(|p| p.stable && matches!(p.kind, Kind::Always | Kind::AtRest))
            .collect();
        let seen = explore_for(&worlds, &properties);
        println!("{name}: {:?} after {} steps", seen.violation, seen.depth);
        assert!(seen.violation.is_some(), "{name}");
    }
}

/// On models that violate it.
#[test]
fn what_is_declared_stable_stays_violated() {
    for (name, params) in [("two-phase-commit-actors-bug", "n=2"), ("chang-roberts-bug", "n=4")] {
        let worlds = worlds(name, params, None);
        let mut stable = worlds.properties();
        stable.retain(|property| property.stable && property.kind == Kind::Always);
        let mut violated = 0;
        let mut known: HashSet<State> = worlds.initial().into_iter().collect();
        let mut stack = worlds.initial();
        while let Some(state) = stack.pop() {
            let broken: Vec<_> = stable.iter().filter(|property| !(property.holds)(&worlds, &state)).collect();
            violated += usize::from(!broken.is_empty());
            let mut actions = Vec::new();
            worlds.actions(&state, &mut actions);
            for next in actions.iter().filter_map(|action| worlds.next(&state, action)) {
                let healed = broken.iter().find(|property| (property.holds)(&worlds, &next));
                assert!(healed.is_none(), "{name}: {healed:?} holds again");
                if known.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        println!("{name} {params}: {violated} of {} states are wrong", known.len());
        assert!(violated > 0, "{name}");
    }
}

#[test]
fn a_ring_with_a_gap_may_elect_nobody() {
    let model = find("chang-roberts").expect("it is in the zoo");
    let system =
        model.system(&model.params([("n", "3")]).expect("three is within the limits")).expect("the order is one");
    let faults = Faults { crashes: 1, ..Faults::default() };
    for (worlds, expected) in [(system.worlds(), false), (system.faults(faults).worlds(), true)] {
        let properties = worlds.properties();
        let leads = properties.iter().find(|p| p.kind == Kind::Eventually).expect("somebody leads in the end");
        let avoidable = worlds.initial().iter().any(|state| avoids(&worlds, leads, state, &mut HashMap::new()));
        assert_eq!(avoidable, expected);
    }
}

#[test]
fn the_order_of_increments_leaves_no_mark() {
    for (n, k) in [(1, 0), (1, 3), (2, 2), (3, 3), (5, 1)] {
        let seen = explore(&worlds("counter", &format!("n={n} k={k}"), None));
        assert_eq!((seen.states, seen.ends.len()), ((2 * k + 1usize).pow(n), 1), "n={n} k={k}");
    }
}

#[test]
fn the_reader_may_find_any_cell() {
    for n in 1..=4 {
        let ends = explore(&worlds("lastzero", &format!("n={n}"), None)).ends;
        let found: HashSet<String> = ends.into_iter().filter_map(|mut locals| locals.pop()).collect();
        assert_eq!(found, (0..=n).map(|i| format!("Found({i})")).collect(), "n={n}");
    }
}

#[test]
fn an_order_that_is_none_is_refused() {
    let model = find("chang-roberts").expect("it is in the zoo");
    let params = model.params([("order", "random")]).expect("any text is a text");
    let refusal = model.system(&params).err().expect("there is no such order");
    assert_eq!(refusal, "parameter `order` is `random`; expected asc or desc");
}
