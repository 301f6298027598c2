//! The model zoo: one module per protocol. The command line, the tests, the benchmarks and the book use these models.
//!
//! The modules cite two papers by their short names:
//!
//! - Must: C. Enea, D. Giannakopoulou, M. Kokologiannakis, R. Majumdar, *Model Checking Distributed Protocols in Must*, OOPSLA 2024.
//! - DS2: M. S. Al-Mahfoudh, R. Stutsman, G. Gopalakrishnan, *Efficient linearizability checking for actor-based systems*.
//!
//! `asyn`, `p2p`, `cd` and `mbox` are the four [network models](manyworlds::Network).
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod abd;
pub mod adr;
mod bits;
pub mod bounded_async;
pub mod chain;
pub mod chain_map;
pub mod chang_roberts;
pub mod chang_roberts_tla;
pub mod commit;
pub mod counter;
pub mod dr;
pub mod failure_detector;
pub mod german;
mod harness;
pub mod lastzero;
pub mod leader;
pub mod litmus;
pub mod multi_paxos_map;
pub mod nnr;
pub mod ns_nr;
pub mod ns_nr_sel;
pub mod ns_r;
pub mod nworkers;
pub mod open_chord;
pub mod paxos;
pub mod paxos_tla;
pub mod ping_pong;
pub mod raft;
pub mod rlog;
pub mod ssr_br;
pub mod token_ring;
pub mod two_phase_commit;
pub mod two_phase_commit_actors;
pub mod two_phase_tla;

pub use manyworlds::models::{Build, Domain, Model, Param, Params};

/// All models, in the order in which `manyworlds list` prints them.
pub fn models() -> &'static [Model] {
    // A static, not a constant: every crate that uses a constant compiles its closures, and all that they call, again.
    static MODELS: &[Model] = &[
        litmus::MODEL,
        ns_r::MODEL,
        ns_nr::MODEL,
        ns_nr_sel::MODEL,
        nnr::MODEL,
        ssr_br::MODEL,
        nworkers::MODEL,
        two_phase_commit::MODEL,
        two_phase_commit::BUG,
        ping_pong::MODEL,
        chain::MODEL,
        chain::BUG,
        rlog::MODEL,
        rlog::NONSEL,
        leader::MODEL,
        leader::MONITORED,
        leader::BUG,
        commit::MODEL,
        commit::BUG,
        two_phase_tla::MODEL,
        two_phase_tla::BUG,
        paxos_tla::MODEL,
        paxos_tla::BUG,
        chang_roberts_tla::MODEL,
        chang_roberts_tla::BUG,
        two_phase_commit_actors::MODEL,
        two_phase_commit_actors::BUG,
        chang_roberts::MODEL,
        chang_roberts::BUG,
        token_ring::MODEL,
        token_ring::BUG,
        failure_detector::MODEL,
        failure_detector::BUG,
        german::MODEL,
        german::BUG,
        bounded_async::MODEL,
        bounded_async::BUG,
        lastzero::MODEL,
        lastzero::BUG,
        counter::MODEL,
        counter::BUG,
        paxos::MODEL,
        paxos::BUG,
        abd::MODEL,
        abd::BUG,
        raft::MODEL,
        raft::BUG,
        dr::MODEL,
        dr::ERRONEOUS,
        adr::MODEL,
        adr::BUG,
        open_chord::MODEL,
        open_chord::FIXED,
        multi_paxos_map::MODEL,
        multi_paxos_map::BUG,
        chain_map::MODEL,
        chain_map::BUG,
    ];
    MODELS
}

/// Returns the model with this name.
pub fn find(name: &str) -> Option<&'static Model> {
    models().iter().find(|model| model.name == name)
}
