//! What is demanded of Manyworlds, and whether it was seen.

use crate::measure::{Measured, Who};
use manyworlds::Network;
use std::fmt;

/// A demand on a measured quotient.
pub struct Floor {
    /// In words.
    pub what: String,
    /// The limit.
    pub demand: Demand,
    /// What was measured, unless it was skipped.
    pub seen: Option<f64>,
}

/// A limit to a quotient.
#[derive(Clone, Copy)]
pub enum Demand {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Demand::AtLeast(limit) => write!(f, "≥ {limit}"),
            Demand::AtMost(limit) => write!(f, "≤ {limit}"),
        }
    }
}

impl Floor {
    /// Whether it was measured and is not met.
    pub fn fails(&self) -> bool {
        self.seen.is_some_and(|seen| match self.demand {
            Demand::AtLeast(limit) => seen < limit,
            Demand::AtMost(limit) => seen > limit,
        })
    }

    /// `PASS`, `FAIL` or `SKIP`.
    pub fn verdict(&self) -> &'static str {
        match (self.seen, self.fails()) {
            (None, _) => "SKIP",
            (_, true) => "FAIL",
            (_, false) => "PASS",
        }
    }
}

/// The peers take at least `times` as long as we do under the same network.
pub fn faster_than(measured: &Measured, who: Who, network: Network, times: f64) -> Floor {
    Floor {
        what: format!("{} {network}: CPU time of {} / ours", measured.program, who.name()),
        demand: Demand::AtLeast(times),
        seen: measured.ratio((who, network), (Who::Manyworlds, network)),
    }
}

/// Mailboxes cost at most twice what causal delivery costs.
pub fn mbox_against_cd(measured: &Measured) -> Floor {
    Floor {
        what: format!("{}: our CPU time, mbox / cd", measured.program),
        demand: Demand::AtMost(2.0),
        seen: measured.ratio((Who::Manyworlds, Network::Mbox), (Who::Manyworlds, Network::Cd)),
    }
}

/// An execution that is longer costs no more for each of its events.
pub fn linear(short: &Measured, long: &Measured) -> Floor {
    Floor {
        what: format!("our CPU time p2p for each event of an execution, {} / {}", long.program, short.program),
        demand: Demand::AtMost(1.5),
        seen: seconds_per_event(long).zip(seconds_per_event(short)).map(|(long, short)| long / short),
    }
}

fn seconds_per_event(measured: &Measured) -> Option<f64> {
    let figure = measured.figure(Who::Manyworlds, Network::P2p)?;
    let length = figure.answer.stats?.depth?;
    Some(figure.seconds / (figure.answer.executions * length) as f64)
}

/// A second worker is worth its while.
pub fn two_workers(n: usize, speedup: f64) -> Floor {
    Floor {
        what: format!("ns+nr({n}) p2p: our wall time, one worker / two"),
        demand: Demand::AtLeast(1.7),
        seen: Some(speedup),
    }
}
