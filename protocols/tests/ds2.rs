//! The replicated objects (DS2's systems, chain replication, ABD and Paxos): each is linearizable, or violates linearizability as its
//! documentation states, with every engine.

use manyworlds::actor::System;
use manyworlds::{Answer, Engine, Network, Replayed, StepKind, Subject, Trace, Verdict, check};
use manyworlds_protocols::{Model, find, models};
use std::collections::HashSet;

const LINEARIZABLE: &str = "operations are linearizable";

fn system(name: &str, params: &str) -> System {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are valid");
    model.system(&params).expect("the parameters of the tables are consistent")
}

fn answer(system: &System, engine: Engine, network: Network) -> Answer {
    let checked = check(system).engine(engine).network(network).run();
    checked.unwrap_or_else(|refused| panic!("{engine} {network}: {refused:?}"))
}

/// The violated property, if any. Panics if the check did not finish.
fn violated(answer: &Answer) -> Option<String> {
    match &answer.outcome.verdict {
        Verdict::Verified => None,
        Verdict::Violated { violation, .. } => Some(violation.property.to_string()),
        other => panic!("the check did not finish: {other:?}"),
    }
}

fn trace(answer: &Answer) -> &Trace {
    answer.outcome.trace().expect("a property is violated")
}

const ASYN: &[Network] = &[Network::Asyn];
const FIFO: &[Network] = &[Network::P2p, Network::Cd, Network::Mbox];

/// Models with parameters and the networks under which they are correct.
const CORRECT: &[(&str, &str, &[Network])] = &[
    ("dr", "h=2r1w", &Network::ALL),
    ("dr", "h=2r2w", &Network::ALL),
    ("dr", "h=2r1w n=3", ASYN),
    ("dr", "h=2r1w n=3 reads=leader writes=plain", ASYN),
    ("dr", "h=1r2w n=3", ASYN),
    ("dr", "h=1r2w n=3 writes=plain", &[Network::P2p]),
    // Of two agents one is the leader, and on FIFO links a query does not overtake a write.
    ("edr", "h=2r1w n=2", ASYN),
    ("edr", "h=2r1w", FIFO),
    // The leader's value is never stale.
    ("edr", "h=2r1w reads=leader", ASYN),
    ("adr", "h=2r1w", &Network::ALL),
    ("adr", "h=2r2w", &[Network::Asyn, Network::P2p]),
    ("adr", "h=2r1w n=3", ASYN),
    // A write that one agent has stored has arrived at the other.
    ("adr-bug", "h=2r2w", &[Network::Mbox]),
    ("adr", "h=2r1w r=0", ASYN),
    ("open-chord-fixed", "h=2r1w", &Network::ALL),
    ("open-chord-fixed", "h=2r2w", &Network::ALL),
    ("open-chord-fixed", "h=2r1w keys=2", &Network::ALL),
    ("open-chord-fixed", "h=2r2w keys=2", &Network::ALL),
    ("multi-paxos-map", "h=2r1w", &Network::ALL),
    ("multi-paxos-map", "h=2r1w keys=2", ASYN),
    ("multi-paxos-map", "h=2r2w b=1", &Network::ALL),
    ("multi-paxos-map", "h=2r1w n=3 b=1", ASYN),
    ("chain-map", "h=2r1w", &Network::ALL),
    ("chain-map", "h=2r2w", FIFO),
    ("chain-map", "h=2r2w keys=2", &Network::ALL),
    ("chain-map", "h=2r2w n=1", &Network::ALL),
    ("abd", "s=2 w=2 check=linearizable", ASYN),
    ("paxos", "p=2 a=2 check=linearizable", ASYN),
];

/// Models with parameters, the networks under which they are incorrect, and the violated property.
const INCORRECT: &[(&str, &str, &[Network], &str)] = &[
    ("edr", "h=2r1w", ASYN, LINEARIZABLE),
    ("edr", "h=2r2w", ASYN, LINEARIZABLE),
    ("edr", "h=1r1w", ASYN, LINEARIZABLE),
    ("dr", "h=1r2w n=3 writes=plain", ASYN, LINEARIZABLE),
    ("adr-bug", "h=2r1w", &[Network::Asyn, Network::P2p, Network::Cd], LINEARIZABLE),
    ("adr-bug", "h=2r2w", &[Network::Asyn, Network::P2p, Network::Cd], LINEARIZABLE),
    ("open-chord", "h=2r1w", &Network::ALL, LINEARIZABLE),
    ("open-chord", "h=2r2w", &Network::ALL, LINEARIZABLE),
    ("open-chord", "h=2r1w keys=2", &Network::ALL, LINEARIZABLE),
    ("open-chord", "h=2r2w keys=2", &Network::ALL, LINEARIZABLE),
    ("multi-paxos-map-bug", "h=2r1w", &Network::ALL, LINEARIZABLE),
    ("multi-paxos-map-bug", "h=2r2w", ASYN, LINEARIZABLE),
    ("multi-paxos-map-bug", "h=2r2w keys=2", ASYN, LINEARIZABLE),
    ("chain-map-bug", "h=2r1w", &Network::ALL, LINEARIZABLE),
    ("chain-map-bug", "h=2r2w", FIFO, LINEARIZABLE),
    ("chain-map-bug", "h=2r2w keys=2", &Network::ALL, LINEARIZABLE),
    // Only the tail responds, so no client observes that the other agents applied the writes in another order.
    ("chain-map", "h=2r2w", ASYN, "at rest all agents hold the same"),
    ("abd-bug", "check=linearizable", &[Network::P2p], LINEARIZABLE),
    ("paxos-bug", "check=linearizable", &[Network::P2p], LINEARIZABLE),
];

#[test]
fn the_tables_contain_every_object() {
    let is_object = |model: &&Model| {
        let params = model.params([]).expect("defaults are valid");
        model.system(&params).is_ok_and(|system| system.blueprint().spec.is_some())
    };
    let listed: HashSet<&str> = CORRECT.iter().map(|row| row.0).chain(INCORRECT.iter().map(|row| row.0)).collect();
    let objects: Vec<&str> = models().iter().filter(is_object).map(|model| model.name).collect();
    assert_eq!(objects.len(), 10);
    assert!(objects.iter().all(|name| listed.contains(name)), "{objects:?}");
}

#[test]
fn correct_models_are_linearizable() {
    for &(name, params, networks) in CORRECT {
        let system = system(name, params);
        for &network in networks {
            let bfs = answer(&system, Engine::Bfs, network);
            println!("{name} {params} {network}: {:?} states", bfs.outcome.stats.states);
            assert_eq!(violated(&bfs), None, "{name} {params} {network}");
            if network == Network::Asyn && !params.contains("2w") {
                let dfs = answer(&system, Engine::Dfs, network);
                assert_eq!(violated(&dfs), None, "{name} {params} {network}");
                assert_eq!(dfs.outcome.stats.states, bfs.outcome.stats.states, "{name} {params}");
            }
        }
    }
}

#[test]
fn violations_are_found_and_replayed() {
    for &(name, params, networks, property) in INCORRECT {
        let system = system(name, params);
        for &network in networks {
            // A depth-first search may take long to find a rare violation.
            let engines = if params.contains("2w") { &[Engine::Bfs][..] } else { &[Engine::Bfs, Engine::Dfs] };
            for &engine in engines {
                let found = answer(&system, engine, network);
                let case = format!("{name} {params} {network} {engine}");
                println!("{case}: {:?} states", found.outcome.stats.states);
                assert_eq!(violated(&found).as_deref(), Some(property), "{case}");
                let replayed = system.replay(trace(&found), &mut |_, _| {}).expect("the trace can be replayed");
                assert_eq!(replayed, Replayed::Reproduced, "{case}");
            }
        }
    }
}

/// The engine `must` has no global states and no clock, but it still determines which operation precedes another.
#[test]
fn must_and_bfs_agree() {
    let small = [
        ("dr", "h=2r1w"),
        ("adr", "h=2r1w r=0"),
        ("adr-bug", "h=2r1w"),
        ("edr", "h=1r1w"),
        ("open-chord", "h=2r1w"),
        ("open-chord", "h=2r1w keys=2"),
        ("open-chord-fixed", "h=2r1w"),
        ("open-chord-fixed", "h=2r1w keys=2"),
        ("multi-paxos-map", "h=2r1w b=1"),
        ("chain-map", "h=2r1w"),
        ("chain-map-bug", "h=2r1w"),
    ];
    for (name, params) in small {
        let system = system(name, params);
        let network = system.blueprint().network;
        let (must, bfs) = (answer(&system, Engine::Must, network), answer(&system, Engine::Bfs, network));
        println!("{name} {params}: {:?} executions", must.outcome.stats.executions);
        assert_eq!(violated(&must), violated(&bfs), "{name} {params}");
        if let Some(trace) = must.outcome.trace() {
            let replayed = system.replay(trace, &mut |_, _| {}).expect("the trace can be replayed");
            assert_eq!(replayed, Replayed::Reproduced, "{name} {params}");
        }
    }
}

/// The operations of the clients in a trace, in order, and the number of received messages.
fn history(trace: &Trace) -> (Vec<String>, usize) {
    let events = trace.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Note(note) => Some(format!("{} {note}", trace.processes[step.process].name)),
        _ => None,
    });
    let steps = trace.steps.iter().filter(|step| matches!(step.kind, StepKind::Receive(_)));
    (events.collect(), steps.count())
}

/// A write is acknowledged, the queries of a read overtake it on its way to both backups, and they agree on the old value.
#[test]
fn shortest_counterexample_of_edr() {
    let found = answer(&system("edr", ""), Engine::Bfs, Network::Asyn);
    let (events, steps) = history(trace(&found));
    assert_eq!(
        events,
        ["writer1 invoked Write(1)", "writer1 returned Written", "reader2 invoked Read", "reader2 returned Read(0)"]
    );
    assert_eq!(steps, 10);
}

/// DS2 figure 7, without the irrelevant read: N2 receives a read before it has joined.
#[test]
fn shortest_counterexample_of_open_chord() {
    for params in ["", "keys=2"] {
        let found = answer(&system("open-chord", params), Engine::Bfs, Network::Asyn);
        let trace = trace(&found);
        let (events, steps) = history(trace);
        assert_eq!(
            events,
            [
                "writer1 invoked Put(0, 1)",
                "writer1 returned Done",
                "reader1 invoked Get(0)",
                "reader1 returned Got(None)"
            ]
        );
        assert_eq!(steps, 8);
        let is_received = |message: &str| {
            let received = trace.steps.iter().filter(|step| matches!(step.kind, StepKind::Receive(_)));
            received.into_iter().any(|step| trace.message(step).is_some_and(|received| received.to_string() == message))
        };
        assert!(!is_received("FindSucc"), "N1 has not handled the join");
    }
}
