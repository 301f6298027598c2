//! The one entry: runs an engine, then asks what holds eventually, and refuses what cannot be decided.

use crate::concrete::concrete;
use crate::config::{Config, Reduction, Report};
use crate::schedulers::{self, SchedulerName};
use crate::{Kind, Model, Property, bfs, dfs, eventually, random};
use manyworlds_core::{Observer, StopReason};
use std::fmt;

/// How states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Breadth-first: a shortest counterexample.
    Bfs,
    /// Depth-first: little memory.
    Dfs,
    /// Seeded walks: never complete.
    Random,
    /// Schedules of an actor system instead of states.
    Schedules(SchedulerName),
}

/// Why a question is not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The model starts nowhere.
    NoInitialState,
    /// Random walks end somewhere: they say nothing about paths that go on for ever.
    EventuallyAtRandom {
        /// The property.
        name: String,
    },
    /// A schedule that goes on for ever is cut off.
    EventuallyScheduled {
        /// The property.
        name: String,
    },
    /// The model does not say who receives what.
    NoReceives,
    /// Persistent sets keep the states at rest, not every path.
    EventuallyReduced {
        /// The property.
        name: String,
    },
    /// Persistent sets do not visit every state.
    StatesReduced {
        /// The property.
        name: String,
        /// Its kind.
        kind: Kind,
    },
    /// The model has no symmetry.
    NoSymmetry,
    /// There is too much of it.
    TooSymmetric {
        /// What the model says.
        why: String,
    },
    /// What the model says about independence is wrong.
    NotIndependent {
        /// What shows it.
        why: String,
    },
    /// Renaming processes along a path mixes up whose turn it is.
    FairnessUnderSymmetry {
        /// The property.
        name: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoInitialState => write!(f, "the model has no initial state, so there is nothing to explore"),
            Refusal::EventuallyAtRandom { name } => {
                write!(f, "random walks cannot decide `eventually {name}`; use bfs or dfs")
            }
            Refusal::EventuallyScheduled { name } => {
                write!(f, "schedulers cannot decide `eventually {name}`; use bfs or dfs")
            }
            Refusal::NoReceives => {
                write!(f, "schedulers order the receives of actors, and the model has none; use bfs, dfs or random")
            }
            Refusal::EventuallyReduced { name } => {
                write!(
                    f,
                    "persistent sets do not keep every path, so `eventually {name}` needs a run without reduction"
                )
            }
            Refusal::StatesReduced { name, kind: Kind::Sometimes } => {
                write!(
                    f,
                    "persistent sets do not visit every state, so `sometimes {name}` needs a run without reduction"
                )
            }
            Refusal::StatesReduced { name, kind } => {
                let kind = if *kind == Kind::Never { "never" } else { "always" };
                write!(
                    f,
                    "persistent sets do not visit every state, so `{kind} {name}` needs a run without reduction, unless it stays \
                     violated once violated: then declare it stable"
                )
            }
            Refusal::NoSymmetry => write!(f, "the model declares no symmetry"),
            Refusal::TooSymmetric { why } => write!(f, "{why}"),
            Refusal::NotIndependent { why } => {
                write!(f, "what the model says about independence is wrong: {why}")
            }
            Refusal::FairnessUnderSymmetry { name } => {
                write!(f, "`eventually {name}` under weak fairness needs a run without symmetry reduction")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Explores `model`.
///
/// The figures count as TLC does: `transitions` are the generated successors, duplicates and steps that change nothing included, plus
/// the initial states; `depth` (of bfs) is the number of states on the longest shortest path. A violation that a finite path shows is
/// reported before one that needs `eventually`.
pub fn explore<M: Model>(
    model: &M,
    engine: Engine,
    config: &Config,
    observer: &dyn Observer,
) -> Result<Report<M>, Refusal> {
    // All clones of a model that keeps count do so together: what they do, from here on, is the work of this run.
    let before = model.local_stats();
    let properties = model.properties();
    refuse(model, &properties, engine, config)?;
    let mut report = match engine {
        Engine::Bfs => bfs::run(model, config, observer),
        Engine::Dfs => dfs::run(model, config, observer),
        Engine::Random => random::run(model, config, observer),
        Engine::Schedules(name) => schedulers::run(model, name, config, observer),
    };
    if let Some(why) = report.contradiction.take() {
        return Err(Refusal::NotIndependent { why });
    }
    for property in properties.iter().filter(|property| property.kind == Kind::Eventually) {
        let over = matches!(report.stopped, Some(StopReason::Timeout | StopReason::MaxMemory | StopReason::Cancelled));
        if report.found.is_none() && !over {
            eventually::run(model, config, observer, property, &mut report);
        }
        if report.found.is_none() && report.stopped.is_some() {
            report.undecided.push(property.reported().to_string());
        }
    }
    if let (Some(before), Some(now)) = (before, model.local_stats()) {
        report.stats.user_steps = now.user_steps - before.user_steps;
        report.stats.distinct_steps = now.distinct_steps - before.distinct_steps;
    }
    if let (true, Some(found)) = (config.symmetry, &mut report.found) {
        found.path = concrete(model, &found.path);
    }
    Ok(report)
}

fn refuse<M: Model>(model: &M, properties: &[Property<M>], engine: Engine, config: &Config) -> Result<(), Refusal> {
    if model.initial().is_empty() {
        return Err(Refusal::NoInitialState);
    }
    if config.symmetry && !model.has_symmetry() {
        return Err(Refusal::NoSymmetry);
    }
    if config.symmetry
        && let Some(why) = model.symmetry_refusal()
    {
        return Err(Refusal::TooSymmetric { why });
    }
    let scheduled = matches!(engine, Engine::Schedules(_));
    if scheduled && !M::TELLS_RECEIVES {
        return Err(Refusal::NoReceives);
    }
    let reduced = config.reduction == Reduction::Persistent && engine != Engine::Random && !scheduled;
    let fair = (0..model.processes()).any(|process| model.fair(process));
    for property in properties {
        let name = property.name.clone();
        match property.kind {
            Kind::Eventually if engine == Engine::Random => return Err(Refusal::EventuallyAtRandom { name }),
            Kind::Eventually if scheduled => return Err(Refusal::EventuallyScheduled { name }),
            Kind::Eventually if reduced => return Err(Refusal::EventuallyReduced { name }),
            Kind::Eventually if config.symmetry && fair => return Err(Refusal::FairnessUnderSymmetry { name }),
            Kind::Sometimes if reduced => return Err(Refusal::StatesReduced { name, kind: property.kind }),
            Kind::Always | Kind::Never if reduced && !property.stable => {
                return Err(Refusal::StatesReduced { name, kind: property.kind });
            }
            _ => {}
        }
    }
    Ok(())
}
