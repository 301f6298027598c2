//! Counts are tests: every model of the zoo at small parameters, under every network, policy and number of workers.

use manyworlds::{Checker, Engine, Network, Outcome, Policy, Property, Replayed, Trace, Verdict};
use manyworlds_protocols::find;
use manyworlds_protocols::litmus::Litmus;
use std::path::Path;

type Params = &'static [(&'static str, &'static str)];

fn checker(name: &str, params: &[(&str, &str)]) -> Checker {
    let model = find(name).unwrap_or_else(|| panic!("no model {name}"));
    let params = model.params(params.iter().copied()).unwrap();
    model.checker(&params).unwrap()
}

/// Complete, blocked and violating executions together.
fn worlds(outcome: &Outcome) -> u64 {
    let stats = &outcome.stats;
    stats.executions.unwrap() + stats.blocked.unwrap() + stats.violations
}

fn row(name: &str, params: Params) -> [u64; 4] {
    Network::ALL.map(|network| worlds(&checker(name, params).network(network).keep_going(true).check()))
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// The same under every network, with one worker and with two.
fn always(name: &str, params: &[(&str, &str)], executions: u64) {
    for network in Network::ALL {
        for threads in [1, 2] {
            let outcome = checker(name, params).network(network).threads(threads).check();
            assert!(outcome.is_verified(), "{name} {params:?} {network}: {outcome:?}");
            assert_eq!(outcome.stats.executions, Some(executions), "{name} {params:?} {network} {threads}");
            assert_eq!(outcome.stats.blocked, Some(0));
        }
    }
}

#[test]
fn synthetic_programs_have_the_counts_of_the_paper() {
    for n in 1..=6 {
        let text = n.to_string();
        let n_is: &[(&str, &str)] = &[("n", &text)];
        always("ns+r", n_is, n);
        always("ns+nr", n_is, factorial(n));
        always("ns+nr-sel", n_is, 1);
        always("nnr", n_is, 1);
        always("nworkers", n_is, 2 * factorial(n));
        if n <= 5 {
            always("two-phase-commit", n_is, (1 << n) * factorial(n));
        }
        if n <= 5 {
            always("ping-pong", &[("k", "7"), ("m", &text)], factorial(n));
        }
    }
    always("s+s+r-br", &[], 4);
}

#[test]
fn protocols_have_these_counts() {
    let table: &[(&str, Params, [u64; 4])] = &[
        ("chain", &[("f", "0"), ("n", "3")], [292, 256, 256, 256]),
        ("rlog", &[("f", "1"), ("n", "3")], [256, 120, 73, 73]),
        ("rlog-nonsel", &[("f", "1"), ("n", "3")], [2708, 570, 221, 221]),
        ("leader", &[("n", "2"), ("i", "2")], [282, 90, 57, 57]),
        ("leader", &[("n", "2"), ("i", "3")], [21036, 1044, 525, 525]),
        ("leader", &[("n", "3"), ("i", "1")], [45, 45, 30, 30]),
        ("leader", &[("n", "3"), ("i", "2")], [7767, 1674, 702, 666]),
        ("commit", &[("t", "2"), ("k", "2")], [23552, 1472, 980, 708]),
    ];
    for (name, params, counts) in table {
        assert_eq!(row(name, params), *counts, "{name} {params:?}");
    }
}

#[test]
fn stronger_networks_never_need_more_executions() {
    let entries: &[(&str, Params)] = &[
        ("chain", &[("f", "0"), ("n", "1")]),
        ("chain", &[("f", "0"), ("n", "4")]),
        ("chain", &[("f", "1"), ("n", "2")]),
        ("leader", &[("n", "2"), ("i", "2")]),
        ("leader", &[("n", "3"), ("i", "1")]),
        ("commit", &[("t", "1"), ("k", "3")]),
        ("commit", &[("t", "2"), ("k", "2")]),
        ("rlog", &[("f", "1"), ("n", "3")]),
    ];
    for (name, params) in entries {
        let counts = row(name, params);
        assert!(counts.is_sorted_by(|more, less| more >= less), "{name} {params:?}: {counts:?}");
    }
}

#[test]
fn without_faults_a_longer_chain_has_no_more_executions() {
    for network in [Network::P2p, Network::Cd, Network::Mbox] {
        let count = |n| checker("chain", &[("f", "0"), ("n", n)]).network(network).check().stats.executions;
        assert_eq!(count("3"), count("6"), "{network}");
    }
}

#[test]
fn the_monitor_of_leader_is_cheap() {
    let cases: [Params; 3] = [&[("n", "2"), ("i", "2")], &[("n", "2"), ("i", "3")], &[("n", "3"), ("i", "1")]];
    for params in cases {
        for (with, without) in row("leader+mon", params).into_iter().zip(row("leader", params)) {
            assert!(with >= without && 100 * with < 120 * without, "{params:?}: {with} against {without}");
        }
    }
}

#[test]
fn chain_is_wrong_under_asyn_and_right_elsewhere() {
    for params in [&[("f", "0"), ("n", "3")], &[("f", "1"), ("n", "2")]] {
        for network in Network::ALL {
            let outcome = checker("chain", params).network(network).check();
            assert_eq!(outcome.is_verified(), network != Network::Asyn, "{params:?} {network}: {outcome:?}");
        }
    }
}

#[test]
fn rlog_is_right_under_every_network() {
    for name in ["rlog", "rlog-nonsel"] {
        for network in Network::ALL {
            assert!(checker(name, &[]).network(network).check().is_verified(), "{name} {network}");
        }
    }
}

#[test]
fn seeded_bugs_are_found_and_replayed() {
    let bugs = [
        ("two-phase-commit-bug", Property::Assertion),
        ("chain-bug", Property::Monitor),
        ("leader-bug", Property::Monitor),
        ("commit-bug", Property::Assertion),
    ];
    for (name, property) in bugs {
        let checker = checker(name, &[]);
        let outcome = checker.check();
        let Verdict::Violated { violation, trace } = &outcome.verdict else { panic!("{name}: {outcome:?}") };
        assert_eq!(violation.property, property, "{name}");
        let read_back = Trace::from_json(&trace.to_json()).unwrap();
        assert_eq!(read_back, **trace, "{name}");
        assert_eq!(checker.replay(&read_back, |_, _| {}), Ok(Replayed::Reproduced), "{name}");
        // With more workers, and counting on, the same property is broken.
        let counted = checker.clone().threads(2).keep_going(true).check();
        assert_eq!(counted.violation().map(|v| v.property.clone()), Some(property), "{name}");
    }
}

#[test]
fn counts_depend_on_nothing_else() {
    let entries: &[(&str, Params)] = &[
        ("chain", &[("f", "0"), ("n", "2")]),
        ("rlog", &[("f", "1"), ("n", "3")]),
        ("leader+mon", &[("n", "2"), ("i", "2")]),
        ("commit", &[("t", "2"), ("k", "2")]),
        ("nworkers", &[("n", "4")]),
    ];
    for (name, params) in entries {
        let expected = worlds(&checker(name, params).keep_going(true).check());
        for policy in [Policy::LeftToRight, Policy::RightToLeft, Policy::Random(1), Policy::Random(2)] {
            for threads in [1, 2] {
                let outcome = checker(name, params).policy(policy).threads(threads).keep_going(true).check();
                assert_eq!(worlds(&outcome), expected, "{name} {params:?} {policy:?} {threads}");
            }
        }
    }
}

#[test]
fn no_world_is_visited_twice() {
    let entries: &[(&str, Params)] = &[
        ("chain", &[("f", "0"), ("n", "2")]),
        ("rlog", &[("f", "1"), ("n", "3")]),
        ("leader", &[("n", "2"), ("i", "2")]),
        ("commit", &[("t", "2"), ("k", "2")]),
        ("ns+nr", &[("n", "6")]),
        ("nworkers", &[("n", "5")]),
        ("two-phase-commit", &[("n", "4")]),
    ];
    for (name, params) in entries {
        for policy in [Policy::ReceiveLast, Policy::LeftToRight] {
            let (_, duplicates) = checker(name, params).policy(policy).worlds();
            assert_eq!(duplicates, 0, "{name} {params:?} {policy:?}");
        }
    }
}

#[test]
fn brute_force_sees_the_same_worlds() {
    let entries: &[(&str, Params)] = &[
        ("ns+nr", &[("n", "4")]),
        ("nworkers", &[("n", "3")]),
        ("two-phase-commit", &[("n", "2")]),
        ("ping-pong", &[("k", "3"), ("m", "3")]),
        ("commit", &[("t", "1"), ("k", "2")]),
        ("leader", &[("n", "2"), ("i", "1")]),
    ];
    for (name, params) in entries {
        for network in Network::ALL {
            let checker = checker(name, params).network(network);
            let (optimal, _) = checker.worlds();
            let brute = checker.brute_worlds(3_000_000).unwrap_or_else(|| panic!("{name} is too large"));
            assert_eq!(optimal, brute, "{name} {params:?} {network}");
        }
    }
}

#[test]
fn litmus_programs_have_the_brute_forced_counts() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracles/litmus.tsv");
    let Ok(table) = std::fs::read_to_string(table) else {
        eprintln!("the table of litmus programs is not here: nothing to compare with");
        return;
    };
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let litmus = Litmus::parse(fields[1]).unwrap();
        for (network, expected) in Network::ALL.into_iter().zip(&fields[2..]) {
            let (complete, blocked) = litmus.count(network, Engine::Must);
            assert_eq!(format!("{complete}/{blocked}"), *expected, "{} {network}: {}", fields[0], fields[1]);
        }
        rows += 1;
    }
    assert!(rows >= 400, "only {rows} rows");
}
