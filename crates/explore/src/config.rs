//! The configuration of a run, and its report.

use crate::check::Checks;
use crate::sample::Sample;
use crate::stepper::Stepper;
use crate::{Assumed, Path, TransitionSystem};
use manyworlds_core::{ActionCoverage, Budget, InvalidModel, Stats, StopReason, Violation};

/// Which actions of a state are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// All of them.
    #[default]
    None,
    /// Those of a persistent set ([`crate::PersistentSets`]); sound for assertions, terminal states and stable invariants.
    Persistent,
}

/// The configuration of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Workers; at least one.
    pub threads: usize,
    /// Limits. Executions are the walks of the random engine, and schedules.
    pub budget: Budget,
    /// Count violating states instead of stopping at the first.
    pub keep_going: bool,
    /// Keep whole states instead of fingerprints.
    pub exact: bool,
    /// Which actions are explored.
    pub reduction: Reduction,
    /// Explore one state of each class of [`TransitionSystem::canonical`].
    pub symmetry: bool,
    /// For random walks and schedules.
    pub seed: u64,
    /// How many actors the delay-bounded scheduler may skip in one schedule.
    pub delays: u32,
    /// Collect the coverage of each kind of action, for models that do not count it themselves.
    pub coverage: bool,
    /// Keep every terminal state, sorted by fingerprint. For tests.
    pub collect_final: bool,
    /// Keep every state. For tests.
    pub collect_states: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            threads: 1,
            budget: Budget::default(),
            keep_going: false,
            exact: false,
            reduction: Reduction::None,
            symmetry: false,
            seed: 0,
            delays: 2,
            coverage: false,
            collect_final: false,
            collect_states: false,
        }
    }
}

/// A violation and the path to it.
pub struct Found<M: TransitionSystem> {
    /// The violation.
    pub violation: Violation,
    /// The path to it.
    pub path: Path<M>,
}

/// The result of a run.
pub struct Report<M: TransitionSystem> {
    /// The figures.
    pub stats: Stats,
    /// The violation that is reported: under bfs one with a shortest path.
    pub found: Option<Found<M>>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<StopReason>,
    /// States that were known but not expanded when it stopped.
    pub frontier: u64,
    /// Every `sometimes` that held in no state so far (bfs, dfs).
    pub unreached: Vec<String>,
    /// Every temporal property that was not decided before the run stopped.
    pub undecided: Vec<String>,
    /// An upper bound of the probability of a fingerprint collision; `None` if whole states were compared.
    pub omission: Option<f64>,
    /// With `coverage`: the coverage of each kind of action (bfs, dfs).
    pub actions: Vec<ActionCoverage>,
    /// With `collect_final`.
    pub final_states: Vec<M::State>,
    /// With `collect_states`.
    pub states: Vec<M::State>,
    /// How many properties were checked.
    pub properties: usize,
    /// The fairness that temporal properties rely on; empty if there are none.
    pub assumed: Assumed,
    /// How many states were evaluated again, by a clone of the model that took no part in the run, to see whether the specification is a function.
    /// `None` if that was not done.
    pub sampled: Option<u64>,
    /// Evidence that the model breaks an assumption of the engines: then the other results are meaningless.
    pub(crate) flaw: Option<Box<InvalidModel>>,
    /// Samples of states that are to be evaluated again.
    pub(crate) samples: Vec<Sample<M>>,
}

impl<M: TransitionSystem> Report<M> {
    /// Fills in the results that are known only at the end of an exploration that kept fingerprints or states.
    pub(crate) fn close(&mut self, workers: &[&Checks<M>], stepper: &Stepper<M>) {
        if self.stopped.is_none() && self.found.is_none() && self.flaw.is_none() {
            let states = self.stats.states.unwrap_or(0);
            self.found = Checks::never_seen(workers, states)
                .map(|violation| Found { violation, path: Path::new(stepper.initial()[0].1.clone()) });
            self.stats.violations += u64::from(self.found.is_some());
        }
        self.unreached = Checks::unreached(workers);
        self.final_states.sort_by_cached_key(|state| stepper.model.fingerprint(state));
    }
}

impl<M: TransitionSystem> Default for Report<M> {
    fn default() -> Report<M> {
        Report {
            stats: Stats::default(),
            found: None,
            stopped: None,
            frontier: 0,
            unreached: Vec::new(),
            undecided: Vec::new(),
            omission: None,
            actions: Vec::new(),
            final_states: Vec::new(),
            states: Vec::new(),
            properties: 0,
            assumed: Assumed::default(),
            sampled: None,
            flaw: None,
            samples: Vec::new(),
        }
    }
}
