//! The system on which exploring only the causally minimal messages (PSym, appendix D, PRED) loses an execution, and persistent sets do
//! not.
//!
//! A sends e to T and then x to B, which replies with z to U; C sends m to U and then y to D, which replies with w to T.

use crate::scripted::{Name, scripted};
use manyworlds_actor::System;
use manyworlds_core::{Network, Pid};
use manyworlds_explore::{Config, Engine, NoObserver, Reduction, explore};
use std::collections::BTreeSet;

const A: Pid = Pid::root(0);
const B: Pid = Pid::root(1);
const C: Pid = Pid::root(2);
const D: Pid = Pid::root(3);
const T: Pid = Pid::root(4);
const U: Pid = Pid::root(5);
const NOT_SENDING: [Pid; 0] = [];

fn system(network: Network) -> System {
    System::new()
        .network(network)
        .actor("A", scripted(&[(T, "e"), (B, "x")], &[]))
        .actor("B", scripted(&[], &[(U, "z")]))
        .actor("C", scripted(&[(U, "m"), (D, "y")], &[]))
        .actor("D", scripted(&[], &[(T, "w")]))
        .actor("T", scripted(&[], &[]))
        .actor("U", scripted(&[], &[]))
        .sends_only_to(A, [T, B])
        .sends_only_to(B, [U])
        .sends_only_to(C, [U, D])
        .sends_only_to(D, [T])
        .sends_only_to(T, NOT_SENDING)
        .sends_only_to(U, NOT_SENDING)
}

/// The messages that T and U received, in order.
type End = (Vec<Name>, Vec<Name>);

/// The final states of executions, and the number of states.
fn ends(network: Network, engine: Engine, reduction: Reduction) -> (BTreeSet<End>, u128) {
    let worlds = system(network).worlds();
    let config = Config { reduction, collect_final: true, ..Config::default() };
    let report = explore(&worlds, engine, &config, &NoObserver).expect("there are no properties to refuse");
    let end = |state| {
        let view = worlds.view(state);
        let state = |actor| view.get::<Vec<Name>>(actor).expect("it has started").clone();
        (state(T), state(U))
    };
    (report.final_states.iter().map(end).collect(), report.stats.states.expect("states are counted"))
}

/// T received w before e, and U received z before m.
fn crossed() -> End {
    (vec!["w", "e"], vec!["z", "m"])
}

#[test]
fn persistent_sets_keep_the_execution_that_pred_loses() {
    for network in [Network::Asyn, Network::P2p, Network::Cd] {
        let (all, states) = ends(network, Engine::Bfs, Reduction::None);
        assert!(all.contains(&crossed()), "under {network} it is there");
        for engine in [Engine::Bfs, Engine::Dfs] {
            let (kept, fewer) = ends(network, engine, Reduction::Persistent);
            assert_eq!(kept, all, "{engine:?} under {network}");
            assert!(fewer < states, "{engine:?} under {network}: {fewer} of {states} states is no reduction");
        }
    }
}

/// The messages: name, destination, the messages causally before it, and the message to which it is a reply.
const MESSAGES: [(Name, Name, &[Name], Option<Name>); 6] = [
    ("e", "T", &[], None),
    ("x", "B", &["e"], None),
    ("m", "U", &[], None),
    ("y", "D", &["m"], None),
    ("z", "U", &["e", "x"], Some("x")),
    ("w", "T", &["m", "y"], Some("y")),
];

/// The final states of executions in which a pending message is delivered only if `may` allows it, given the destinations of pending
/// messages causally before it.
fn delivered(took: &[Name], may: fn(to: Name, earlier: &[Name]) -> bool, ends: &mut BTreeSet<End>) {
    let pending = |name: Name, reply_to: Option<Name>| {
        !took.contains(&name) && reply_to.is_none_or(|request| took.contains(&request))
    };
    let mut done = true;
    for (name, to, past, _) in MESSAGES.into_iter().filter(|m| pending(m.0, m.3)) {
        let earlier: Vec<Name> =
            MESSAGES.iter().filter(|m| past.contains(&m.0) && pending(m.0, m.3)).map(|m| m.1).collect();
        done = false;
        if may(to, &earlier) {
            delivered(&[took, &[name]].concat(), may, ends);
        }
    }
    if done {
        let by =
            |who: Name| took.iter().copied().filter(|n| MESSAGES.iter().any(|m| m.0 == *n && m.1 == who)).collect();
        ends.insert((by("T"), by("U")));
    }
}

#[test]
fn pred_loses_an_execution() {
    let (mut all, mut pred) = (BTreeSet::new(), BTreeSet::new());
    // Causal delivery: no pending message to the same destination is causally before it. PRED: no pending message at all is.
    delivered(&[], |to, earlier| !earlier.contains(&to), &mut all);
    delivered(&[], |_, earlier| earlier.is_empty(), &mut pred);
    assert_eq!(all, ends(Network::Cd, Engine::Bfs, Reduction::None).0);
    assert!(pred.is_subset(&all) && !pred.contains(&crossed()), "{pred:?}");
}
