//! The programs: numbers of executions under each network, which do not depend on the policy and the number of workers; the
//! seeded bugs, and the replay of their counterexamples.

use manyworlds::{Check, Engine, Network, Policy, Program, Replayed, Requirement, Trace, check};
use manyworlds_protocols::{find, litmus::Litmus};
use manyworlds_testkit::shared;

/// The checker of a model with the given parameters.
fn model(name: &str, params: &str) -> Check<Program> {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are valid");
    let program = model.program(&params).expect("the parameters of the tables are consistent");
    check(program).name(model.name).params(params.json().clone())
}

/// The number of executions of a model that must be verified and must not have blocked executions.
fn verified(what: &str, checker: &Check<Program>) -> u64 {
    let outcome = checker.run().unwrap();
    assert!(outcome.is_verified(), "{what}: {:?}", outcome.verdict);
    assert_eq!(outcome.stats.blocked, Some(0), "{what}");
    outcome.stats.executions.expect("the engine counts executions")
}

fn in_all_networks(name: &str, params: &str) -> [u64; 4] {
    Network::ALL.map(|network| verified(&format!("{name} {params} {network}"), &model(name, params).network(network)))
}

/// Small parameters: cheap enough for every policy, and for storing every execution. Counts under asyn, p2p, cd and mbox.
const SMALL: &[(&str, &str, [u64; 4])] = &[
    ("chain", "f=0 n=1", [256, 256, 256, 256]),
    ("rlog", "f=0 n=3", [2, 2, 2, 2]),
    ("rlog", "f=1 n=2", [6, 5, 3, 3]),
    ("rlog", "f=1 n=3", [256, 120, 73, 73]),
    ("rlog-nonsel", "f=0 n=3", [2, 2, 2, 2]),
    ("rlog-nonsel", "f=1 n=2", [11, 6, 3, 3]),
    ("rlog-nonsel", "f=1 n=3", [2708, 570, 221, 221]),
    ("leader", "n=2 i=0", [1, 1, 1, 1]),
    ("leader", "n=2 i=1", [12, 12, 9, 9]),
    ("leader", "n=2 i=2", [432, 144, 87, 87]),
    ("leader", "n=3 i=1", [45, 45, 30, 30]),
    ("leader+mon", "n=2 i=1", [12, 12, 9, 9]),
    ("leader+mon", "n=2 i=2", [432, 144, 87, 87]),
    ("leader+mon", "n=3 i=1", [45, 45, 30, 30]),
    ("commit", "t=1 k=2", [8, 2, 2, 2]),
    ("commit", "t=1 k=3", [24, 2, 2, 2]),
    ("commit", "t=2 k=2", [23_552, 1472, 980, 708]),
];

/// Larger parameters, for counts only.
const LARGE: &[(&str, &str, [u64; 4])] = &[
    ("rlog", "f=1 n=4", [10_512, 4500, 2124, 1956]),
    ("rlog", "f=2 n=3", [31_264, 6624, 2134, 2106]),
    ("leader", "n=2 i=3", [44_916, 2064, 1029, 1029]),
    ("leader", "n=3 i=2", [17_262, 3213, 1314, 1242]),
    ("leader+mon", "n=2 i=3", [46_068, 2064, 1029, 1029]),
    ("leader+mon", "n=3 i=2", [17_262, 3213, 1314, 1242]),
    ("commit", "t=2 k=3", [737_280, 5120, 3416, 2032]),
];

/// Chain replication under p2p, cd and mbox; it is incorrect under asyn.
const CHAIN: &[(&str, [u64; 3])] = &[
    ("f=0 n=2", [256; 3]),
    ("f=0 n=3", [256; 3]),
    ("f=1 n=2", [116_004, 116_004, 73_004]),
    ("f=1 n=3", [169_128, 165_008, 110_560]),
];

#[test]
fn counts_do_not_increase_with_the_strength_of_the_network() {
    for (name, params, expected) in SMALL.iter().chain(LARGE) {
        assert_eq!(in_all_networks(name, params), *expected, "{name} {params}");
        assert!(expected.is_sorted_by(|weaker, stronger| weaker >= stronger), "{name} {params}: {expected:?}");
    }
}

#[test]
fn chain_is_correct_on_fifo_links() {
    for (params, expected) in CHAIN {
        let networks = [Network::P2p, Network::Cd, Network::Mbox];
        let counts = networks.map(|network| verified(params, &model("chain", params).network(network)));
        assert_eq!(counts, *expected, "{params}");
        assert!(expected.is_sorted_by(|weaker, stronger| weaker >= stronger), "{params}: {expected:?}");
    }
}

#[test]
fn chain_without_faults_has_the_same_count_for_every_length() {
    for network in [Network::P2p, Network::Cd, Network::Mbox] {
        for n in [1, 2, 5, 10] {
            assert_eq!(
                verified("chain", &model("chain", &format!("f=0 n={n}")).network(network)),
                256,
                "{n} {network}"
            );
        }
    }
}

#[test]
fn chain_is_incorrect_under_asyn() {
    for (params, complete, violations) in [("f=0 n=2", 256, 24), ("f=0 n=10", 256, 120), ("f=1 n=2", 789_556, 19_408)] {
        let outcome = model("chain", params).network(Network::Asyn).keep_going(true).run().unwrap();
        let stats = outcome.stats;
        assert_eq!(
            (stats.executions, stats.blocked, stats.violations),
            (Some(complete), Some(0), violations),
            "{params}"
        );
        assert!(
            outcome.violation().is_some_and(|v| v.message.contains("not a prefix of its predecessor's")),
            "{params}"
        );
        assert!(complete + violations >= verified(params, &model("chain", params)), "{params}: p2p is stronger");
    }
}

#[test]
fn chain_rejects_as_many_faults_as_nodes() {
    let chain = find("chain").expect("the model exists");
    let params = chain.params([("f", "3"), ("n", "3")]).expect("each parameter is within its limits");
    let error = chain.program(&params).err().expect("no node is left");
    assert_eq!(error, "parameter `f` is 3; expected fewer faults than nodes, of which there are 3");
}

#[test]
fn the_monitor_adds_less_than_a_fifth_of_the_executions() {
    for params in ["n=2 i=1", "n=2 i=2", "n=2 i=3", "n=3 i=1", "n=3 i=2"] {
        let [plain, monitored] = ["leader", "leader+mon"].map(|name| in_all_networks(name, params));
        for (plain, monitored) in plain.into_iter().zip(monitored) {
            assert!(
                monitored >= plain && 5 * monitored < 6 * plain,
                "leader {params}: {plain}, with monitor {monitored}"
            );
        }
    }
}

#[test]
fn selective_receives_reduce_the_executions() {
    for params in ["f=1 n=3", "f=1 n=4"] {
        let [selective, all] = ["rlog", "rlog-nonsel"].map(|name| verified(params, &model(name, params)));
        assert!(all > 4 * selective, "{params}: {selective}, without selective receives {all}");
    }
}

#[test]
fn counts_do_not_depend_on_policy_or_workers() {
    for (name, params, expected) in SMALL {
        for (network, expected) in Network::ALL.into_iter().zip(expected) {
            let base = model(name, params).network(network);
            for policy in [Policy::LeftToRight, Policy::RightToLeft, Policy::Random(1)] {
                let what = format!("{name} {params} {network} {policy:?}");
                assert_eq!(verified(&what, &base.clone().policy(policy)), *expected, "{what}");
            }
            let what = format!("{name} {params} {network}, two workers");
            assert_eq!(verified(&what, &base.threads(2)), *expected, "{what}");
        }
    }
}

#[test]
fn violations_do_not_depend_on_policy_or_workers() {
    let base = || model("chain", "f=0 n=3").network(Network::Asyn).keep_going(true);
    let runs = [
        base().policy(Policy::LeftToRight),
        base().policy(Policy::RightToLeft),
        base().policy(Policy::Random(1)),
        base().threads(2),
    ];
    for (i, run) in runs.iter().enumerate() {
        let stats = run.run().unwrap().stats;
        assert_eq!((stats.executions, stats.violations), (Some(256), 36), "run {i}");
    }
}

#[test]
fn no_execution_is_visited_twice() {
    for (name, params, expected) in SMALL {
        for (network, expected) in Network::ALL.into_iter().zip(expected) {
            let (mut executions, duplicates) = model(name, params).network(network).worlds();
            assert_eq!(duplicates, 0, "{name} {params} {network}");
            executions.dedup();
            assert_eq!(executions.len() as u64, *expected, "{name} {params} {network}");
        }
    }
}

#[test]
fn brute_force_visits_the_same_executions() {
    let small = [
        ("ns+nr", "n=4"),
        ("nworkers", "n=3"),
        ("two-phase-commit", "n=2"),
        ("ping-pong", "k=3 m=3"),
        ("commit", "t=1 k=2"),
        ("leader", "n=2 i=1"),
        ("leader+mon", "n=2 i=1"),
        ("rlog", "f=0 n=2"),
    ];
    for (name, params) in small {
        for network in Network::ALL {
            let checker = model(name, params).network(network);
            let brute = checker.brute_worlds(3_000_000).unwrap_or_else(|| panic!("{name} {params} is too large"));
            assert_eq!(checker.worlds().0, brute, "{name} {params} {network}");
        }
    }
}

#[test]
fn seeded_bugs_are_found_and_replayed() {
    let bugs = [
        ("chain-bug", Network::P2p, Requirement::Monitor, "which was acknowledged before"),
        ("chain-bug", Network::Mbox, Requirement::Monitor, "which was acknowledged before"),
        ("chain", Network::Asyn, Requirement::Assertion, "not a prefix of its predecessor's"),
        ("leader-bug", Network::P2p, Requirement::Monitor, "two leaders"),
        ("leader-bug", Network::Mbox, Requirement::Monitor, "two leaders"),
        ("commit-bug", Network::P2p, Requirement::Assertion, "the committers disagree"),
        ("commit-bug", Network::Mbox, Requirement::Assertion, "the committers disagree"),
        ("two-phase-commit-bug", Network::P2p, Requirement::Assertion, "told to Commit after voting no"),
    ];
    for (name, network, property, message) in bugs {
        for threads in [1, 2] {
            let checker = model(name, "").network(network).threads(threads);
            let outcome = checker.run().unwrap();
            let violation = outcome.violation().unwrap_or_else(|| panic!("{name} is verified under {network}"));
            assert_eq!(violation.property, property, "{name}: {violation:?}");
            assert!(violation.message.contains(message), "{name}: {violation:?}");
            let written = outcome.trace().expect("a violation has a trace").to_json();
            let trace = Trace::from_json(&written).expect("a written trace can be read");
            assert_eq!((trace.model.as_str(), trace.network), (name, network));
            let mut steps = 0;
            let replayed = checker.replay(&trace, |_, _| steps += 1);
            assert!(matches!(replayed, Ok(Replayed::Reproduced)), "{name}: {replayed:?}");
            assert_eq!(steps, trace.steps.len(), "{name}");
            // A check that continues after the first violation reports the same property.
            let counted = checker.keep_going(true).max_executions(10_000).run().unwrap();
            assert_eq!(counted.violation().map(|v| &v.property), Some(&property), "{name}");
        }
    }
}

#[test]
fn counts_match_the_formulas() {
    let factorial = |n: u64| (1..=n).product::<u64>();
    let mut table: Vec<(&str, String, u64)> = vec![("s+s+r-br", String::new(), 4)];
    for n in 1..=6 {
        table.push(("ns+r", format!("n={n}"), n));
        table.push(("ns+nr", format!("n={n}"), factorial(n)));
        table.push(("ns+nr-sel", format!("n={n}"), 1));
        table.push(("nnr", format!("n={n}"), 1));
        table.push(("nworkers", format!("n={n}"), 2 * factorial(n)));
    }
    for n in 1..=4 {
        table.push(("two-phase-commit", format!("n={n}"), factorial(n) << n));
    }
    for (k, m) in [(0, 0), (0, 3), (7, 0), (7, 4), (50, 2)] {
        table.push(("ping-pong", format!("k={k} m={m}"), factorial(m)));
    }
    for (name, params, expected) in &table {
        assert_eq!(in_all_networks(name, params), [*expected; 4], "{name} {params}");
        for network in Network::ALL {
            let what = format!("{name} {params} {network}, two workers");
            assert_eq!(verified(&what, &model(name, params).network(network).threads(2)), *expected, "{what}");
        }
    }
}

/// The minimal number of programs in the table.
const LITMUS_ROWS: usize = 400;

/// A table, stored outside of the repository, of programs with their complete/blocked counts under asyn, p2p, cd and mbox.
#[test]
fn litmus_table() {
    let Ok(path) = shared("oracles/litmus.tsv") else { return };
    let table = std::fs::read_to_string(&path).expect("the table can be read");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(rows.len() >= LITMUS_ROWS, "{} has {} rows", path.display(), rows.len());
    for row in rows {
        let fields: Vec<&str> = row.split('\t').collect();
        assert!(fields.len() >= 6, "too few columns: {row}");
        let program = Litmus::parse(fields[1]).unwrap_or_else(|e| panic!("row {}: {e}", fields[0]));
        for (network, expected) in Network::ALL.into_iter().zip(&fields[2..6]) {
            let (complete, blocked) = program.count(network, Engine::Must);
            assert_eq!(format!("{complete}/{blocked}"), **expected, "row {} under {network}: {}", fields[0], fields[1]);
        }
    }
}
