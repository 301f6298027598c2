//! An item that is asleep must be identified in later states: a message that arrives under asyn may be inserted before one that is asleep.
//!
//! Z sends b to Y and go to X. X sends a to Y when it starts, and once more when it receives go; so a has a smaller id than b, and the
//! second a is inserted before b. If the position of b stayed asleep, the second a would be asleep instead, and Y would never receive both
//! before b.

use crate::scripted::scripted;
use manyworlds_actor::{State, System, Worlds};
use manyworlds_core::{Network, Pid};
use manyworlds_explore::{Config, Engine, NoObserver, TransitionSystem, explore};
use std::collections::HashSet;

const Y: Pid = Pid::root(0);
const X: Pid = Pid::root(1);
const Z: Pid = Pid::root(2);

fn worlds(network: Network) -> Worlds {
    System::new()
        .network(network)
        .actor("Y", scripted(&[], &[]))
        .actor("X", scripted(&[(Y, "a")], &[(Y, "a")]))
        .actor("Z", scripted(&[(Z, "fire")], &[(Y, "b"), (X, "go")]))
        .worlds()
}

/// The displayed states found by a naive search.
fn naive(worlds: &Worlds) -> HashSet<String> {
    let (mut seen, mut open): (HashSet<String>, Vec<State>) = (HashSet::new(), worlds.initial());
    while let Some(state) = open.pop() {
        if seen.insert(worlds.in_words(&state)) {
            let mut steps = Vec::new();
            worlds.actions(&state, &mut steps);
            open.extend(steps.iter().filter_map(|step| worlds.next(&state, step)));
        }
    }
    seen
}

#[test]
fn every_order_of_arrivals_is_seen() {
    for network in [Network::Asyn, Network::P2p, Network::Cd, Network::Mbox] {
        for (engine, threads) in [(Engine::Bfs, 1), (Engine::Bfs, 2), (Engine::Dfs, 1)] {
            let worlds = worlds(network);
            let config = Config { threads, collect_states: true, ..Config::default() };
            let report = explore(&worlds, engine, &config, &NoObserver).expect("there are no properties to refuse");
            let states: HashSet<String> = report.states.iter().map(|state| worlds.in_words(state)).collect();
            assert_eq!(states, naive(&worlds), "{network:?} {engine:?} {threads}");
            let both = |state: &State| worlds.locals_in_words(state)[0] == format!("{:?}", ["a", "a"]);
            let apart = matches!(network, Network::Asyn | Network::P2p);
            assert_eq!(report.states.iter().any(both), apart, "{network:?} {engine:?} {threads}");
        }
    }
}
