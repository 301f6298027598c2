//! How each side is run: on one thread, with its default visited set, and what is measured of it.

use crate::measure::cpu_seconds;
use manyworlds::explore::{Budget, Config, Engine, NoObserver, TransitionSystem, explore};
use stateright::Checker;
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

/// How states are visited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Breadth first.
    Bfs,
    /// Depth first.
    Dfs,
}

/// Who searches, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Manyworlds.
    Ours(Search),
    /// Stateright.
    Peer(Search),
}

impl Side {
    /// In the order in which they take turns.
    pub const ALL: [Side; 4] =
        [Side::Ours(Search::Bfs), Side::Ours(Search::Dfs), Side::Peer(Search::Bfs), Side::Peer(Search::Dfs)];

    /// As shown in the table.
    pub fn name(self) -> &'static str {
        match self {
            Side::Ours(Search::Bfs) => "Manyworlds bfs",
            Side::Ours(Search::Dfs) => "Manyworlds dfs",
            Side::Peer(Search::Bfs) => "Stateright bfs",
            Side::Peer(Search::Dfs) => "Stateright dfs",
        }
    }
}

/// What one run says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measure {
    /// Distinct states.
    pub states: u64,
    /// States that were generated, new and known ones: the steps, and one for each state to start in.
    pub transitions: u64,
    /// CPU seconds.
    pub seconds: f64,
    /// The most memory that the process had, in bytes.
    pub peak: u64,
}

impl Measure {
    /// Transitions a CPU second.
    pub fn speed(&self) -> f64 {
        self.transitions as f64 / self.seconds
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.states, self.transitions, self.seconds, self.peak)
    }
}

impl FromStr for Measure {
    type Err = ();

    fn from_str(text: &str) -> Result<Measure, ()> {
        let [states, transitions, seconds, peak] = text.split_whitespace().collect::<Vec<&str>>()[..] else {
            return Err(());
        };
        let count = |text: &str| text.parse::<u64>().map_err(|_| ());
        Ok(Measure {
            states: count(states)?,
            transitions: count(transitions)?,
            seconds: seconds.parse().map_err(|_| ())?,
            peak: count(peak)?,
        })
    }
}

/// Runs a search that returns (states, transitions).
fn measured(search: impl FnOnce() -> (u64, u64)) -> Measure {
    let before = cpu_seconds();
    let (states, transitions) = search();
    let seconds = cpu_seconds() - before;
    Measure { states, transitions, seconds, peak: manyworlds::peak_resident_bytes().unwrap_or(0) }
}

/// A run of Manyworlds.
pub fn ours<M: TransitionSystem>(model: &M, search: Search, depth: Option<u64>) -> Measure {
    let engine = match search {
        Search::Bfs => Engine::Bfs,
        Search::Dfs => Engine::Dfs,
    };
    let config = Config { budget: Budget { depth, ..Budget::default() }, ..Config::default() };
    measured(|| {
        let Ok(report) = explore(model, engine, &config, &NoObserver) else { panic!("the engine refuses") };
        assert!(report.found.is_none(), "the models of the comparison are right");
        let count = |figure: Option<u128>| figure.unwrap_or(0).try_into().expect("no case has more states than 64 bits count");
        (count(report.stats.states), count(report.stats.transitions))
    })
}

/// A run of Stateright. It counts the states on a path, we the steps: with `depth` steps it may go one further.
pub fn peer<M>(model: M, search: Search, depth: Option<u64>) -> Measure
where
    M: stateright::Model + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Send + Sync + 'static,
    M::Action: Clone + PartialEq + Send + Sync,
{
    let builder = model.checker().threads(1).target_max_depth(depth.map_or(0, |depth| depth as usize + 1));
    measured(|| match search {
        Search::Bfs => counts(&builder.spawn_bfs().join()),
        Search::Dfs => counts(&builder.spawn_dfs().join()),
    })
}

fn counts<M>(checker: &impl Checker<M>) -> (u64, u64)
where
    M: stateright::Model,
    M::State: Clone + PartialEq + Hash,
    M::Action: Clone + PartialEq,
{
    (checker.unique_state_count() as u64, checker.state_count() as u64)
}
