//! The actors of the zoo, explored by the plainest search there is: every model is right with its default parameters under each network that its
//! documentation promises, every seeded bug is found by the property that is meant to find it, and handlers run once for each
//! local situation and input.

use manyworlds::Network;
use manyworlds::explore::{Kind, Model as _};
use manyworlds_protocols::{Build, find, models};
use std::collections::{HashMap, HashSet, VecDeque};

/// What a breadth-first search saw.
#[derive(Default, Debug)]
struct Seen {
    states: usize,
    transitions: usize,
    depth: usize,
    user_steps: u64,
    /// The first violation, and after how many steps.
    violation: Option<(String, usize)>,
}

/// The violations of one state, those of the whole search apart.
fn explore(name: &str, params: &str, network: Option<Network>) -> Seen {
    let model = find(name).unwrap_or_else(|| panic!("there is no model `{name}`"));
    let given = params.split_whitespace().map(|pair| pair.split_once('=').expect("parameters are written name=value"));
    let params = model.params(given).expect("the parameters of the tables are right");
    let system = model.system(&params).expect("the parameters of the tables go together");
    let worlds = network.map_or(system.clone(), |network| system.network(network)).worlds();
    let properties = worlds.properties();
    let mut seen = Seen::default();
    let mut wanted: HashSet<&str> =
        properties.iter().filter(|p| p.kind == Kind::Sometimes).map(|p| p.name.as_str()).collect();
    let mut known: HashSet<_> = HashSet::new();
    // Runs are finite, so what must happen in the end is what happened on the way to every state at rest; a state is
    // visited once for each set of things that have happened.
    let mut queue = VecDeque::new();
    for state in worlds.initial() {
        if known.insert(state.clone()) {
            queue.push_back((state, 0));
        }
    }
    while let Some((state, depth)) = queue.pop_front() {
        seen.depth = seen.depth.max(depth);
        let mut actions = Vec::new();
        worlds.actions(&state, &mut actions);
        let broken = worlds.failure(&state).map(|failure| failure.message).or_else(|| {
            let broken = properties.iter().find(|property| {
                let holds = || (property.holds)(&worlds, &state);
                match property.kind {
                    Kind::Always => !holds(),
                    Kind::Never => holds(),
                    Kind::AtRest => actions.is_empty() && !holds(),
                    Kind::Sometimes | Kind::Eventually => false,
                }
            });
            broken.map(|property| property.name.clone())
        });
        if let Some(broken) = broken {
            seen.violation = Some((broken, depth));
            break;
        }
        wanted.retain(|name| {
            let property = properties.iter().find(|p| p.name == *name).expect("it was taken from there");
            !(property.holds)(&worlds, &state)
        });
        for action in &actions {
            let next = worlds.next(&state, action).expect("every step of actors can be taken");
            seen.transitions += 1;
            if known.insert(next.clone()) {
                queue.push_back((next, depth + 1));
            }
        }
    }
    if seen.violation.is_none() && !wanted.is_empty() {
        seen.violation = Some((format!("never: {wanted:?}"), 0));
    }
    seen.states = known.len();
    seen.user_steps = worlds.stats().user_steps;
    seen
}

#[test]
fn probe() {
    for model in models().iter().filter(|m| matches!(m.build, Build::Actors(_))) {
        for network in [None, Some(Network::Asyn), Some(Network::Cd), Some(Network::Mbox)] {
            let t = std::time::Instant::now();
            let seen = explore(model.name, "", network);
            println!("{:28} {network:?} {seen:?} {:?}", model.name, t.elapsed());
        }
    }
}
