//! How each side is run: in its fastest documented configuration, on one thread, without a word.

use crate::measure::{Answer, Program, Side, Who};
use manyworlds::{Check, Network, check};
use must::event::Model;
use must::{CountingObserver, System};
use traceforge::ConsType;

/// The networks under which Manyworlds is measured.
const OURS: [Network; 3] = [Network::P2p, Network::Cd, Network::Mbox];

impl Program {
    /// A program that nobody runs yet.
    pub fn new(name: String, executions: u64) -> Program {
        Program { name, executions, sides: Vec::new() }
    }

    /// Adds Manyworlds with the zoo's version, under p2p, cd and mbox.
    pub fn manyworlds(mut self, model: &'static str, params: &[(&'static str, usize)]) -> Program {
        for network in OURS {
            let checker = zoo(model, params).network(network).threads(1);
            self.sides.push(Side::new(Who::Manyworlds, network, move || run_manyworlds(&checker)));
        }
        self
    }

    /// Adds must-mc; `system` writes the program for the given model.
    pub fn must_mc(mut self, network: Network, system: impl Fn(Model) -> System + Sync + 'static) -> Program {
        let run = move || run_must_mc(|| system(must_model(network)));
        self.sides.push(Side::new(Who::MustMc, network, run));
        self
    }

    /// Adds TraceForge; `main` is the program.
    pub fn traceforge(mut self, network: Network, main: impl Fn() + Clone + Send + Sync + 'static) -> Program {
        let run = move || run_traceforge(network, main.clone());
        self.sides.push(Side::new(Who::TraceForge, network, run));
        self
    }

    /// Marks the peers added so far: they need very long for this program.
    pub fn slow_for_peers(mut self) -> Program {
        for side in &mut self.sides {
            side.slow = side.who != Who::Manyworlds;
        }
        self
    }
}

/// A model of the zoo with these parameters.
pub fn zoo(name: &str, params: &[(&str, usize)]) -> Check<manyworlds::Program> {
    let model = manyworlds_protocols::find(name).expect("a model of the zoo");
    let texts: Vec<(&str, String)> = params.iter().map(|&(name, value)| (name, value.to_string())).collect();
    let params =
        model.params(texts.iter().map(|(name, value)| (*name, value.as_str()))).expect("parameters of the model");
    check(model.program(&params).expect("parameters within limits"))
}

fn run_manyworlds(checker: &Check<manyworlds::Program>) -> Answer {
    let outcome = checker.run().unwrap().outcome;
    assert!(outcome.is_verified(), "{:?}", outcome.verdict);
    let stats = outcome.stats;
    Answer { executions: stats.executions.unwrap_or(0), others: stats.blocked.unwrap_or(0), stats: Some(stats) }
}

fn run_must_mc(system: impl Fn() -> System + Sync) -> Answer {
    let counter = CountingObserver::with_shards(1);
    must::explore(system, &counter, must::Config::default());
    Answer { executions: counter.full() as u64, others: (counter.blocked() + counter.errors()) as u64, stats: None }
}

fn run_traceforge(network: Network, main: impl Fn() + Send + Sync + 'static) -> Answer {
    let config =
        traceforge::Config::builder().with_cons_type(cons_type(network)).with_progress_report(usize::MAX).build();
    let stats = traceforge::verify(config, main);
    Answer { executions: stats.execs as u64, others: stats.block as u64, stats: None }
}

fn must_model(network: Network) -> Model {
    match network {
        Network::Asyn => Model::Asyn,
        Network::P2p => Model::P2p,
        Network::Cd => Model::Cd,
        Network::Mbox => Model::Mbox,
    }
}

fn cons_type(network: Network) -> ConsType {
    match network {
        Network::Asyn => ConsType::Bag,
        Network::P2p => ConsType::FIFO,
        Network::Cd => ConsType::Causal,
        Network::Mbox => ConsType::Mailbox,
    }
}
