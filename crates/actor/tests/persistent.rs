//! The system on which exploring only the causally least messages (PSym, appendix D, PRED) loses a world, and persistent sets do not.
//!
//! A sends e to T and then x to B, who answers with z to U; C sends m to U and then y to D, who answers with w to T.

use crate::parts::{Name, part};
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

fn system(network: Network) -> System {
    System::new()
        .network(network)
        .actor("A", part(&[(T, "e"), (B, "x")], &[]))
        .actor("B", part(&[], &[(U, "z")]))
        .actor("C", part(&[(U, "m"), (D, "y")], &[]))
        .actor("D", part(&[], &[(T, "w")]))
        .actor("T", part(&[], &[]))
        .actor("U", part(&[], &[]))
        .sends_only_to(A, [T, B])
        .sends_only_to(B, [U])
        .sends_only_to(C, [U, D])
        .sends_only_to(D, [T])
        .sends_only_to(T, [])
        .sends_only_to(U, [])
}

/// What T and what U took, in order.
type End = (Vec<Name>, Vec<Name>);

/// How executions end, and how many states there are.
fn ends(network: Network, engine: Engine, reduction: Reduction) -> (BTreeSet<End>, u64) {
    let worlds = system(network).worlds();
    let config = Config { reduction, collect_final: true, ..Config::default() };
    let report = explore(&worlds, engine, &config, &NoObserver).expect("nothing is asked");
    let end = |state| {
        let view = worlds.view(state);
        (view.state::<Vec<Name>>(T).clone(), view.state::<Vec<Name>>(U).clone())
    };
    (report.final_states.iter().map(end).collect(), report.stats.states.expect("states are counted"))
}

/// T took w before e, and U took z before m.
fn crossed() -> End {
    (vec!["w", "e"], vec!["z", "m"])
}

#[test]
fn persistent_sets_keep_the_world_that_pred_loses() {
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

/// The messages: name, destination, what is causally before it, and the message that it answers.
const MESSAGES: [(Name, Name, &[Name], Option<Name>); 6] = [
    ("e", "T", &[], None),
    ("x", "B", &["e"], None),
    ("m", "U", &[], None),
    ("y", "D", &["m"], None),
    ("z", "U", &["e", "x"], Some("x")),
    ("w", "T", &["m", "y"], Some("y")),
];

/// How executions end when of the pending messages those are delivered that `may` go first, given the others.
fn delivered(took: &[Name], may: fn(to: Name, earlier: &[Name]) -> bool, ends: &mut BTreeSet<End>) {
    let pending =
        |name: Name, answers: Option<Name>| !took.contains(&name) && answers.is_none_or(|asked| took.contains(&asked));
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
fn pred_loses_a_world() {
    let (mut all, mut pred) = (BTreeSet::new(), BTreeSet::new());
    // Causal delivery: nothing to the same destination is before it. PRED: nothing at all is.
    delivered(&[], |to, earlier| !earlier.contains(&to), &mut all);
    delivered(&[], |_, earlier| earlier.is_empty(), &mut pred);
    assert_eq!(all, ends(Network::Cd, Engine::Bfs, Reduction::None).0);
    assert!(pred.is_subset(&all) && !pred.contains(&crossed()), "{pred:?}");
}
