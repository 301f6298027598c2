//! The objects that agents provide together, DS2's systems and a chain: each is linearizable, or is not in the way that its documentation says,
//! whichever engine is asked.

use manyworlds::actor::System;
use manyworlds::{Answer, Engine, Network, Options, Replayed, StepKind, Subject, Trace, Verdict};
use manyworlds_protocols::{Model, find, models};
use std::collections::HashSet;

const LINEARIZABLE: &str = "operations are linearizable";

fn system(name: &str, params: &str) -> System {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are right");
    model.system(&params).expect("the parameters of the tables go together")
}

fn check(system: &System, engine: Engine, network: Network) -> Answer {
    let options = Options::new().engine(engine).network(network);
    options.check(system).unwrap_or_else(|refused| panic!("{engine} {network}: {refused:?}"))
}

/// What is violated, if anything is; a run that did not end is no answer.
fn violated(answer: &Answer) -> Option<String> {
    match &answer.outcome.verdict {
        Verdict::Verified => None,
        Verdict::Violated { violation, .. } => Some(violation.property.to_string()),
        other => panic!("it did not end: {other:?}"),
    }
}

fn trace(answer: &Answer) -> &Trace {
    answer.outcome.trace().expect("something is violated")
}

const ASYN: &[Network] = &[Network::Asyn];
const IN_ORDER: &[Network] = &[Network::P2p, Network::Cd, Network::Mbox];

/// Models with parameters and the networks under which they are right.
const RIGHT: &[(&str, &str, &[Network])] = &[
    ("dr", "h=2r1w", &Network::ALL),
    ("dr", "h=2r2w", &Network::ALL),
    ("dr", "h=2r1w n=3", ASYN),
    ("dr", "h=2r1w n=3 reads=leader writes=plain", ASYN),
    ("dr", "h=1r2w n=3", ASYN),
    ("dr", "h=1r2w n=3 writes=plain", &[Network::P2p]),
    // Of two agents one is the leader, and in order a question does not overtake a write.
    ("edr", "h=2r1w n=2", ASYN),
    ("edr", "h=2r1w", IN_ORDER),
    // What the leader has is never old.
    ("edr", "h=2r1w reads=leader", ASYN),
    ("adr", "h=2r1w", &Network::ALL),
    ("adr", "h=2r2w", &[Network::Asyn, Network::P2p]),
    ("adr", "h=2r1w n=3", ASYN),
    // What one agent has taken over has arrived at the other.
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
    ("chain-map", "h=2r2w", IN_ORDER),
    ("chain-map", "h=2r2w keys=2", &Network::ALL),
    ("chain-map", "h=2r2w n=1", &Network::ALL),
    ("abd", "s=2 w=2 check=linearizable", ASYN),
    ("paxos", "p=2 a=2 check=linearizable", ASYN),
];

/// Models with parameters, the networks under which they are wrong, and what is violated.
const WRONG: &[(&str, &str, &[Network], &str)] = &[
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
    ("chain-map-bug", "h=2r2w", IN_ORDER, LINEARIZABLE),
    ("chain-map-bug", "h=2r2w keys=2", &Network::ALL, LINEARIZABLE),
    // The tail alone answers, so nobody sees that the others have it in another order.
    ("chain-map", "h=2r2w", ASYN, "at rest all agents hold the same"),
    ("abd-bug", "check=linearizable", &[Network::P2p], LINEARIZABLE),
    ("paxos-bug", "check=linearizable", &[Network::P2p], LINEARIZABLE),
];

#[test]
fn the_tables_have_every_object() {
    let is_object = |model: &&Model| {
        let params = model.params([]).expect("defaults are parameters");
        model.system(&params).is_ok_and(|system| system.blueprint().spec.is_some())
    };
    let known: HashSet<&str> = RIGHT.iter().map(|row| row.0).chain(WRONG.iter().map(|row| row.0)).collect();
    let objects: Vec<&str> = models().iter().filter(is_object).map(|model| model.name).collect();
    assert_eq!(objects.len(), 10);
    assert!(objects.iter().all(|name| known.contains(name)), "{objects:?}");
}

#[test]
fn what_is_right_is_linearizable() {
    for &(name, params, networks) in RIGHT {
        let system = system(name, params);
        for &network in networks {
            let bfs = check(&system, Engine::Bfs, network);
            println!("{name} {params} {network}: {:?} states", bfs.outcome.stats.states);
            assert_eq!(violated(&bfs), None, "{name} {params} {network}");
            if network == Network::Asyn && !params.contains("2w") {
                let dfs = check(&system, Engine::Dfs, network);
                assert_eq!(violated(&dfs), None, "{name} {params} {network}");
                assert_eq!(dfs.outcome.stats.states, bfs.outcome.stats.states, "{name} {params}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_found_and_can_be_repeated() {
    for &(name, params, networks, property) in WRONG {
        let system = system(name, params);
        for &network in networks {
            // Depth first it may take long to come upon a rare one.
            let engines = if params.contains("2w") { &[Engine::Bfs][..] } else { &[Engine::Bfs, Engine::Dfs] };
            for &engine in engines {
                let answer = check(&system, engine, network);
                let case = format!("{name} {params} {network} {engine}");
                println!("{case}: {:?} states", answer.outcome.stats.states);
                assert_eq!(violated(&answer).as_deref(), Some(property), "{case}");
                let replayed = system.replay(trace(&answer), &mut |_, _| {}).expect("it can be repeated");
                assert_eq!(replayed, Replayed::Reproduced, "{case}");
            }
        }
    }
}

/// Without global states there is no clock; which operation came first is still seen.
#[test]
fn executions_without_global_states_tell_the_same() {
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
        let (must, bfs) = (check(&system, Engine::Must, network), check(&system, Engine::Bfs, network));
        println!("{name} {params}: {:?} executions", must.outcome.stats.executions);
        assert_eq!(violated(&must), violated(&bfs), "{name} {params}");
        if let Some(trace) = must.outcome.trace() {
            let replayed = system.replay(trace, &mut |_, _| {}).expect("it can be repeated");
            assert_eq!(replayed, Replayed::Reproduced, "{name} {params}");
        }
    }
}

/// What clients did in a trace, in order, and how many messages were taken.
fn history(trace: &Trace) -> (Vec<String>, usize) {
    let told = trace.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Note(note) => Some(format!("{} {note}", trace.processes[step.process].name)),
        _ => None,
    });
    let steps = trace.steps.iter().filter(|step| matches!(step.kind, StepKind::Receive(_)));
    (told.collect(), steps.count())
}

/// A write is acknowledged, the question of a read overtakes it on its way to both backups, and they agree on what was.
#[test]
fn the_shortest_way_to_an_old_value_in_edr() {
    let answer = check(&system("edr", ""), Engine::Bfs, Network::Asyn);
    let (told, steps) = history(trace(&answer));
    assert_eq!(
        told,
        ["writer1 invoked Write(1)", "writer1 returned Written", "reader2 invoked Read", "reader2 returned Read(0)"]
    );
    assert_eq!(steps, 10);
}

/// DS2 figure 7, without the read that plays no part: N2 is asked before it has joined.
#[test]
fn the_shortest_way_to_an_old_value_in_open_chord() {
    for params in ["", "keys=2"] {
        let answer = check(&system("open-chord", params), Engine::Bfs, Network::Asyn);
        let trace = trace(&answer);
        let (told, steps) = history(trace);
        assert_eq!(
            told,
            [
                "writer1 invoked Put(0, 1)",
                "writer1 returned Done",
                "reader1 invoked Get(0)",
                "reader1 returned Got(None)"
            ]
        );
        assert_eq!(steps, 8);
        let taken = |message: &str| {
            let received = trace.steps.iter().filter(|step| matches!(step.kind, StepKind::Receive(_)));
            received.into_iter().any(|step| trace.message(step).is_some_and(|taken| taken.to_string() == message))
        };
        assert!(!taken("FindSucc"), "it has not joined, nor begun to");
    }
}
