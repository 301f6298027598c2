//! The DPOR engine: its executions end in the final states of the naive explorer.

use super::explorer::{Graph, Sends, explore, explore_with};
use super::strategy::{Profile, cases, claims};
use super::table::{Alternative, Case, Claim, Cost, Table, out_of_fuel, out_of_fuel_in};
use manyworlds_actor::System;
use manyworlds_actor::locals::{ActorLocals, Finals};
use manyworlds_core::{Budget, Deadlock, Network, NoObserver};
use manyworlds_graph::{GraphConfig, GraphReport};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Larger systems are skipped: there are many more executions than states.
const STATES: usize = 300;
const EXECUTIONS: u64 = 3_000;

/// The report of a run and the final states of its executions, unless there are too many executions.
fn run(system: &System, threads: usize, keep_going: bool) -> Option<(GraphReport, BTreeSet<Vec<String>>)> {
    let finals = Finals::default();
    let budget = Budget { executions: Some(EXECUTIONS), ..Budget::default() };
    let config = GraphConfig { threads, keep_going, deadlock: Deadlock::Allow, budget, ..GraphConfig::default() };
    let report = manyworlds_graph::explore(&ActorLocals::new(system).collect(finals.clone()), &config, &NoObserver);
    let finals = std::mem::take(&mut *finals.lock().expect("no thread panicked"));
    report.stopped.is_none().then_some((report, finals))
}

fn ends(graph: &Graph) -> BTreeSet<Vec<String>> {
    graph.finals().map(|id| graph.worlds[id].locals()).collect()
}

/// Whether no handler sends two messages.
fn sends_one_at_most(case: &Case) -> bool {
    let entries =
        |table: &Table| table.rows.iter().flatten().chain([&table.start]).flatten().flatten().cloned().collect();
    case.actors
        .iter()
        .flat_map(|table| -> Vec<Alternative> { entries(table) })
        .all(|alternative| alternative.sends.len() < 2)
}

/// Returns the number of comparisons that were completed, over networks and numbers of threads.
fn compare(case: &Case, claim: Claim) -> u64 {
    let mut compared = 0;
    for network in Network::ALL {
        let case = Case { network, ..case.clone() };
        // To this engine each send is an event of its own. Under mbox interleavings between the sends of one step are observable.
        let sends = if network == Network::Mbox { Sends::OneByOne } else { Sends::WithTheStep };
        let Some(graph) = explore_with(&case, sends, STATES) else { continue };
        if let (Network::Mbox, Some(steps)) = (network, explore(&case, STATES)) {
            assert!(ends(&steps).is_subset(&ends(&graph)), "whole steps are among the executions");
            assert!(!sends_one_at_most(&case) || ends(&steps) == ends(&graph), "there is nothing to come in between");
        }
        let at_rest = case.system().at_rest("claim", move |view| claim.holds_in(view));
        let fails = graph.failures().next().is_some();
        let wrong = fails || graph.finals().any(|id| !claim.holds(|n| graph.worlds[id].row(n)));
        let stable = case.system().always_stable("fuel is left", |view| !out_of_fuel_in(view));
        let runs_out = graph.worlds.iter().any(|world| out_of_fuel(|n| world.get(n)));
        for threads in [1, 2] {
            let Some((_, finals)) = run(&case.system(), threads, true) else { continue };
            assert_eq!(finals, ends(&graph), "how executions end under {network} with {threads} threads");
            let Some((report, _)) = run(&at_rest, threads, false) else { continue };
            assert_eq!(report.counterexample.is_some(), wrong, "at rest under {network} with {threads} threads");
            let Some((report, _)) = run(&stable, threads, false) else { continue };
            let expected = fails || runs_out;
            assert_eq!(report.counterexample.is_some(), expected, "stable under {network} with {threads} threads");
            compared += 1;
        }
    }
    compared
}

/// Every execution ends, so there are finitely many.
const PROFILE: Profile =
    Profile { cost: Cost::Steps, failures: true, faults: false, channels: false, sends: 2, sparse: false };

random! {
    #![cases = 400, compared = 200]

    #[test]
    fn executions_end_as_the_naive_explorer_says(case in prop_oneof![3 => cases(PROFILE), 1 => cases(Profile { sends: 1, ..PROFILE })], claim in claims()) {
        return Ok(compare(&case, claim));
    }
}
