//! Persistent sets: the same final states and the same verdicts, in fewer states.

use super::explorer::{Graph, explore};
use super::states::{RUNS, engine_state, run};
use super::strategy::{Profile, cases, claims};
use super::table::{Case, Claim, Cost, Table, To, out_of_fuel, out_of_fuel_in};
use manyworlds_actor::System;
use manyworlds_core::Pid;
use manyworlds_explore::{Config, Reduction};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;

const LIMIT: usize = 300;

/// The destination of each send in an actor's table.
fn recipients(table: &Table) -> impl Iterator<Item = To> {
    let entries = table.rows.iter().flatten().chain([&table.start, &table.restart]);
    entries.flatten().flatten().flat_map(|alternative| alternative.sends.iter().map(|&(to, _)| to))
}

/// The actors to which each actor may send, computed from the tables: an actor that replies to senders may send to all actors that send to
/// it.
fn topology(case: &Case) -> Vec<BTreeSet<usize>> {
    let n = case.actors.len();
    let mut rows = vec![BTreeSet::new(); n];
    for _ in 0..=n * n {
        for (me, table) in case.actors.iter().enumerate() {
            for to in recipients(table) {
                match to {
                    To::Actor(to) => rows[me].extend([to]),
                    To::Me => rows[me].extend([me]),
                    To::Sender => {
                        let senders: Vec<usize> = (0..n).filter(|&other| rows[other].contains(&me)).collect();
                        rows[me].extend(senders.into_iter().chain([me]));
                    }
                }
            }
        }
    }
    rows
}

/// The system with the topology of some of its actors declared: a bit for each.
fn declared(case: &Case, system: System, of: u8) -> System {
    let pid = |n: usize| Pid::root(n as u16);
    let rows = topology(case).into_iter().enumerate().filter(|(n, _)| (of >> n) & 1 == 1);
    rows.fold(system, |system, (n, row)| system.sends_only_to(pid(n), row.into_iter().map(pid)))
}

fn compare(case: &Case, claim: Claim, of: u8, graph: &Graph) {
    let mut finals: Vec<_> = graph.finals().map(|id| (graph.keys[id].text.clone(), None)).collect();
    finals.sort();
    let fails = graph.failures().next().is_some();
    let wrong = fails || graph.finals().any(|id| !claim.holds(|n| graph.worlds[id].row(n)));
    let runs_out = graph.worlds.iter().any(|world| out_of_fuel(|n| world.get(n)));
    for (engine, threads, exact) in RUNS {
        let what = format!("{engine:?} with {threads} threads");
        let config = Config { threads, exact, reduction: Reduction::Persistent, ..Config::default() };
        let worlds = declared(case, case.system(), of).worlds();
        let report = run(&worlds, engine, &Config { keep_going: true, collect_final: true, ..config.clone() });
        let mut ours: Vec<_> = report.final_states.iter().map(|state| engine_state(case, &worlds, state)).collect();
        ours.sort();
        assert_eq!(ours, finals, "final states, {what}");
        assert_eq!(report.found.is_some(), fails, "failures, {what}");
        assert!(report.stats.states <= Some(graph.keys.len() as u128), "a reduction, {what}");
        let at_rest = declared(case, case.system().at_rest("claim", move |view| claim.holds_in(view)), of).worlds();
        assert_eq!(run(&at_rest, engine, &config).found.is_some(), wrong, "at rest, {what}");
        if case.faults.crashes == 0 {
            let stable =
                declared(case, case.system().always_stable("fuel is left", |view| !out_of_fuel_in(view)), of).worlds();
            assert_eq!(run(&stable, engine, &config).found.is_some(), fails || runs_out, "stable, {what}");
        }
    }
}

fn sparse(cost: Cost, faults: bool) -> Profile {
    Profile { cost, failures: true, faults, channels: faults, sends: 2, sparse: true }
}

/// Mostly systems in which a reduction is possible.
fn reducible() -> impl Strategy<Value = Case> {
    prop_oneof![
        4 => cases(sparse(Cost::Sends, false)),
        4 => cases(sparse(Cost::Steps, false)),
        1 => cases(sparse(Cost::Sends, true)),
        1 => cases(Profile { sparse: false, ..sparse(Cost::Sends, false) }),
    ]
}

random! {
    #![cases = 1500, compared = 60]

    #[test]
    fn persistent_sets_keep_final_states_and_failures(
        case in reducible(),
        claim in claims(),
        of in prop_oneof![3 => Just(15u8), 1 => 0..15u8],
    ) {
        let Some(graph) = explore(&case, LIMIT) else { return Ok(0) };
        compare(&case, claim, of, &graph);
    }
}
