//! What is compared.

use super::sides::{Measure, Search, Side, ours, peer};
use super::{abd, paxos, raft, two_phase, two_phase_sets};
use manyworlds::actor::Worlds;
use manyworlds_protocols::two_phase_tla::TwoPhase;

/// A protocol with parameters, for both sides.
pub struct Case {
    /// With its parameters.
    pub name: &'static str,
    /// How many times as many transitions a CPU second are demanded of us, if anything is.
    pub times: Option<f64>,
    /// Only paths of so many steps.
    pub depth: Option<u64>,
    ours: fn(Search, Option<u64>) -> Measure,
    peer: fn(Search, Option<u64>) -> Measure,
}

impl Case {
    /// One run in this process.
    pub fn run(&self, side: Side) -> Measure {
        match side {
            Side::Ours(search) => (self.ours)(search, self.depth),
            Side::Peer(search) => (self.peer)(search, self.depth),
        }
    }
}

/// What the demands are about.
pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "paxos p=3 a=3, 16 steps",
            times: Some(10.0),
            depth: Some(16),
            ours: |search, depth| ours(&zoo("paxos", &[("p", "3")]), search, depth),
            peer: |search, depth| peer(paxos::model(synod(3, 3)), search, depth),
        },
        Case {
            name: "abd c=2 s=3",
            times: Some(10.0),
            depth: None,
            ours: |search, depth| ours(&zoo("abd", &[]), search, depth),
            peer: |search, depth| peer(abd::model(register(3, 1, 1)), search, depth),
        },
        Case {
            name: "raft n=3, 16 steps",
            times: Some(10.0),
            depth: Some(16),
            ours: |search, depth| ours(&zoo("raft", &[("crashes", "0")]), search, depth),
            peer: |search, depth| peer(raft::model(bounds(3, 2)), search, depth),
        },
        Case {
            name: "2pc-tla n=8",
            times: Some(2.0),
            depth: None,
            ours: |search, depth| ours(&TwoPhase::new(8).specification(), search, depth),
            peer: |search, depth| peer(two_phase_sets::TwoPhase(8), search, depth),
        },
        Case {
            name: "2pc-tla in words n=8",
            times: None,
            depth: None,
            ours: |search, depth| ours(&TwoPhase::new(8).specification(), search, depth),
            peer: |search, depth| peer(two_phase::TwoPhase(8), search, depth),
        },
    ]
}

/// Small enough to be searched to the end by everybody in no time.
#[cfg(test)]
pub fn small() -> Vec<Case> {
    let case = |name, ours, peer| Case { name, times: None, depth: None, ours, peer };
    vec![
        case(
            "paxos p=2 a=2 r=2",
            |search, depth| ours(&zoo("paxos", &[("p", "2"), ("a", "2"), ("r", "2")]), search, depth),
            |search, depth| peer(paxos::model(paxos::Cast { tries: 2, ..synod(2, 2) }), search, depth),
        ),
        case(
            "abd c=2 s=2 w=2",
            |search, depth| ours(&zoo("abd", &[("s", "2"), ("w", "2")]), search, depth),
            |search, depth| peer(abd::model(register(2, 2, 1)), search, depth),
        ),
        case(
            "raft n=3 t=1",
            |search, depth| ours(&zoo("raft", &[("t", "1"), ("crashes", "0")]), search, depth),
            |search, depth| peer(raft::model(bounds(3, 1)), search, depth),
        ),
        case(
            "raft n=2 t=2",
            |search, depth| ours(&zoo("raft", &[("n", "2"), ("crashes", "0")]), search, depth),
            |search, depth| peer(raft::model(bounds(2, 2)), search, depth),
        ),
        case(
            "2pc-tla n=5",
            |search, depth| ours(&TwoPhase::new(5).specification(), search, depth),
            |search, depth| peer(two_phase_sets::TwoPhase(5), search, depth),
        ),
        case(
            "2pc-tla in words n=5",
            |search, depth| ours(&TwoPhase::new(5).specification(), search, depth),
            |search, depth| peer(two_phase::TwoPhase(5), search, depth),
        ),
    ]
}

fn synod(proposers: u8, acceptors: u8) -> paxos::Cast {
    paxos::Cast { proposers, acceptors, learners: 1, tries: 1 }
}

fn register(servers: u8, writers: u8, gets: u8) -> abd::Cast {
    abd::Cast { servers, clients: 2, writers, gets }
}

fn bounds(nodes: u8, terms: u8) -> raft::Bounds {
    raft::Bounds { nodes, terms, entries: 2, beats: 2 }
}

/// Actors of the zoo.
pub fn zoo(name: &str, params: &[(&str, &str)]) -> Worlds {
    let model = manyworlds_protocols::find(name).expect("a model of the zoo");
    let params = model.params(params.iter().copied()).expect("parameters of the model");
    model.system(&params).expect("parameters within limits").worlds()
}
