//! What sleeps must be recognized later: a message that arrives by asyn may come to stand before one that sleeps.
//!
//! Z sends b to Y and go to X. X sends a to Y when it starts, and once more when go comes; so a has an id before b has one, and the second a gets in
//! before b. If b's place slept on, the second a would sleep in its stead, and Y would never take both before b.

use manyworlds_actor::{Actor, Context, State, System, Worlds};
use manyworlds_core::{Network, Pid};
use manyworlds_explore::{Config, Engine, Model, NoObserver, explore};
use std::collections::HashSet;

type Name = &'static str;

const Y: Pid = Pid::root(0);
const X: Pid = Pid::root(1);
const Z: Pid = Pid::root(2);

/// Sends when it starts, answers whatever comes, and remembers what it took.
struct Part {
    first: Vec<(Pid, Name)>,
    answers: Vec<(Pid, Name)>,
}

impl Actor for Part {
    type State = Vec<Name>;
    type Message = Name;

    fn start(&self, ctx: &mut Context<'_>) -> Vec<Name> {
        self.first.iter().for_each(|&(to, name)| ctx.send(to, name));
        Vec::new()
    }

    fn message(&self, took: &mut Vec<Name>, _: Pid, name: &Name, ctx: &mut Context<'_>) {
        took.push(name);
        self.answers.iter().for_each(|&(to, name)| ctx.send(to, name));
    }
}

fn worlds(network: Network) -> Worlds {
    let part =
        |first: &[(Pid, Name)], answers: &[(Pid, Name)]| Part { first: first.to_vec(), answers: answers.to_vec() };
    System::new()
        .network(network)
        .actor("Y", part(&[], &[]))
        .actor("X", part(&[(Y, "a")], &[(Y, "a")]))
        .actor("Z", part(&[(Z, "fire")], &[(Y, "b"), (X, "go")]))
        .worlds()
}

/// Every state, found step by step.
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
            let report = explore(&worlds, engine, &config, &NoObserver).expect("nothing is asked");
            let states: HashSet<String> = report.states.iter().map(|state| worlds.in_words(state)).collect();
            assert_eq!(states, naive(&worlds), "{network:?} {engine:?} {threads}");
            let both = |state: &State| worlds.locals_in_words(state)[0] == format!("{:?}", ["a", "a"]);
            let apart = matches!(network, Network::Asyn | Network::P2p);
            assert_eq!(report.states.iter().any(both), apart, "{network:?} {engine:?} {threads}");
        }
    }
}
