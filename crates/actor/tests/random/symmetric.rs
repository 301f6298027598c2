//! Symmetry reduction: one state of each orbit is explored, with the verdicts of the full state space.

use super::explorer::{Graph, explore};
use super::states::{RUNS, run};
use super::strategy::{Profile, ROWS, Service, services};
use super::table::{Case, Claim, Cost};
use super::world::{Key, World};
use manyworlds_actor::{System, View};
use manyworlds_core::{Pid, Replayed};
use manyworlds_explore::{Config, Engine, narrate, replay};
use manyworlds_testkit::random;
use std::collections::BTreeMap;

const LIMIT: usize = 400;

/// All permutations of the clients.
fn renamings(service: &Service) -> Vec<Vec<usize>> {
    let clients = service.clients();
    let orders: Vec<Vec<usize>> = match clients.len() {
        2 => vec![vec![0, 1], vec![1, 0]],
        _ => vec![vec![0, 1, 2], vec![0, 2, 1], vec![1, 0, 2], vec![1, 2, 0], vec![2, 0, 1], vec![2, 1, 0]],
    };
    let apply = |order: Vec<usize>| {
        let mut names: Vec<usize> = (0..service.case.actors.len()).collect();
        clients.iter().zip(order).for_each(|(&client, name)| names[client] = clients[name]);
        names
    };
    orders.into_iter().map(apply).collect()
}

fn orbit(case: &Case, renamings: &[Vec<usize>], world: &World) -> Key {
    renamings.iter().map(|names| world.renamed(names).key(case)).min().expect("the identity is one")
}

/// Claims that are symmetric in the clients: no client is in this row while the server is in that one.
fn claims_of(service: &Service, client: u8, server: u8) -> Vec<Claim> {
    let claim = |n: usize| Claim { one: (n, client), other: (service.server, server) };
    service.clients().into_iter().map(claim).collect()
}

pub fn compare(service: &Service, rows: (u8, u8), graph: &Graph) {
    let case = &service.case;
    let renamings = renamings(service);
    let mut orbits: BTreeMap<Key, usize> = BTreeMap::new();
    for (id, world) in graph.worlds.iter().enumerate() {
        orbits.insert(orbit(case, &renamings, world), graph.successors[id].len());
    }
    let transitions = graph.initial.len() + orbits.values().sum::<usize>();
    let clients: Vec<Pid> = service.clients().into_iter().map(|n| Pid::root(n as u16)).collect();
    let system = case.system().identical(clients);
    for (engine, threads, exact) in RUNS {
        let what = format!("{engine:?} with {threads} threads");
        let config = Config { threads, exact, symmetry: true, keep_going: true, ..Config::default() };
        let report = run(&system.worlds(), engine, &config);
        assert_eq!(report.stats.states, Some(orbits.len() as u128), "orbits, {what}");
        assert_eq!(report.stats.transitions, Some(transitions as u128), "transitions, {what}");
    }
    same_verdicts(service, &system, rows, graph);
}

/// Compares the verdicts, and under bfs the lengths of counterexamples, with those of the full state space.
fn same_verdicts(service: &Service, system: &System, rows: (u8, u8), graph: &Graph) {
    let claims = claims_of(service, rows.0, rows.1);
    let holds = |world: &World| claims.iter().all(|claim| claim.holds(|n| world.row(n)));
    let nearest = |wrong: &dyn Fn(usize) -> bool| {
        let wrong = |&id: &usize| graph.worlds[id].failed.is_some() || wrong(id);
        (0..graph.worlds.len()).filter(wrong).map(|id| graph.depth[id]).min()
    };
    let always = nearest(&|id| !holds(&graph.worlds[id]));
    let at_rest = nearest(&|id| graph.successors[id].is_empty() && !holds(&graph.worlds[id]));
    let kept = claims.clone();
    let claims_hold = move |view: &View<'_>| kept.iter().all(|claim| claim.holds_in(view));
    same_verdict(&system.clone().always("claim", claims_hold.clone()), always, "always");
    same_verdict(&system.clone().at_rest("claim", claims_hold.clone()), at_rest, "at rest");
    if graph.failures().next().is_none() {
        let (hold, fail) = (claims_hold.clone(), move |view: &View<'_>| !claims_hold(view));
        let lacks = |world: &World| !holds(world);
        let system = || system.clone();
        let questions = [
            ("eventually", system().eventually("no claim", fail.clone()), graph.eventually(lacks)),
            ("always", system().always_eventually("no claim", fail.clone()), graph.always_eventually(lacks)),
            ("leads to", system().leads_to("claim", fail.clone(), hold.clone()), graph.leads_to(lacks, holds)),
            ("leads back", system().leads_to("no claim", hold, fail), graph.leads_to(holds, lacks)),
        ];
        for (what, system, verdict) in questions {
            let worlds = system.worlds();
            for (engine, threads, exact) in RUNS.into_iter().take(if what == "eventually" { RUNS.len() } else { 1 }) {
                let found = run(&worlds, engine, &Config { threads, exact, symmetry: true, ..Config::default() }).found;
                assert_eq!(found.is_none(), verdict, "{what}: {engine:?} with {threads} threads");
                if let Some(found) = found {
                    let trace = narrate(&worlds, &found.path, found.violation);
                    assert_eq!(replay(&worlds, &trace, |_, _| {}), Ok(Replayed::Reproduced), "{what}");
                }
            }
        }
    }
}

fn same_verdict(system: &System, nearest: Option<usize>, what: &str) {
    for (engine, threads, exact) in RUNS {
        let config = Config { threads, exact, symmetry: true, ..Config::default() };
        let found = run(&system.worlds(), engine, &config).found;
        assert_eq!(found.is_some(), nearest.is_some(), "{what}: {engine:?} with {threads} threads");
        if engine == Engine::Bfs {
            let length = found.map(|found| found.path.steps.len());
            assert_eq!(length, nearest, "{what}: shortest counterexample with {threads} threads");
        }
    }
}

const PROFILE: Profile =
    Profile { cost: Cost::Sends, failures: true, faults: true, channels: false, sends: 2, sparse: false };

random! {
    #![cases = 500, compared = 60]

    #[test]
    fn symmetry_explores_one_state_of_each_orbit(service in services(PROFILE), rows in (0..ROWS, 0..ROWS)) {
        let Some(graph) = explore(&service.case, LIMIT) else { return Ok(0) };
        compare(&service, rows, &graph);
    }
}
