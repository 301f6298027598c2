//! Decides temporal properties: `eventually`, `always_eventually` and `leads_to`, under fairness.
//!
//! A counterexample is a path that from some state on waits in vain for the goal of the property ([`crate::pending`]): it ends in a state from which no
//! step leads to another state, or it goes round a fair cycle ([`crate::streett`], [`crate::lasso`]). For `eventually` only the states on paths
//! without the goal are explored; for the others all states are, because a path may wait in vain after any beginning. A step that does not
//! change the state is no step.
//!
//! With symmetry, states are representatives. A representative has the same steps as the states that it stands for, up to renaming, and the
//! predicates do not distinguish them. So each path of representatives is one of states up to renaming, and the other way round; a cycle of
//! representatives leads to a renamed state, and after some rounds to the state where it began. Whether a step changes the state is decided before the
//! successor is renamed: a step to a renamed state is a step. Fairness is an assumption about single processes, so it is refused with symmetry.

use crate::check::{attempt, evaluate, violation};
use crate::config::{Found, Report};
use crate::labels::LabelSets;
use crate::lasso::{self, Lasso};
use crate::links::NO_PARENT;
use crate::pending::{Edge, Graph, Marks, Pending};
use crate::run::Run;
use crate::stepper::{Panicked, Step, Stepper, Waypoint, count_user_steps};
use crate::streett::fair_components;
use crate::visited::Key;
use crate::{Kind, Label, Path, Property, TransitionSystem};
use manyworlds_core::{InvalidModel, Location, Progress, StopReason, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The observer is called once in so many states.
const TICK: usize = 32;

/// The number of a state that need not be explored.
const LEFT_OUT: u32 = u32::MAX;

/// Searches for a path that violates `property`.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>, property: &Property<M>, report: &mut Report<M>) {
    let mut search = Search::new(run, property);
    let found = match search.explore() {
        Some(panic) => Some(panic),
        None => search.counterexample(),
    };
    report.stopped = report.stopped.or(search.stopped);
    report.frontier = report.frontier.max(search.waiting);
    if let Some(Counterexample { way, loop_from, asks, attempted, violation }) = found {
        report.stats.violations += 1;
        match search.follow(&way) {
            Ok(path) => report.found = Some(Found { violation, path: Path { loop_from, asks, attempted, ..path } }),
            Err(flaw) => report.flaw = Some(flaw),
        }
    }
    count_user_steps(std::iter::once(&search.stepper), &mut report.stats);
}

/// A node on the way, and the assumptions that cover the step to it, if that matters.
type Stop = (u32, Option<u32>);

/// A violation, with the numbers of the states on the way to it.
struct Counterexample<M: TransitionSystem> {
    way: Vec<Stop>,
    loop_from: Option<usize>,
    asks: Option<usize>,
    attempted: Option<M::Action>,
    violation: Violation,
}

impl<M: TransitionSystem> Counterexample<M> {
    /// A path that ends in a violation of another kind: a panic.
    fn panic(way: Vec<u32>, violation: Violation, attempted: Option<M::Action>) -> Counterexample<M> {
        let way = way.into_iter().map(|node| (node, None)).collect();
        Counterexample { way, loop_from: None, asks: None, attempted, violation }
    }
}

/// The exploration of the states that one property is about.
struct Search<'a, M: TransitionSystem> {
    run: &'a Run<'a, M>,
    property: &'a Property<M>,
    stepper: Stepper<M>,
    nodes: FxHashMap<Key<M::State>, u32>,
    graph: Graph,
    /// Nodes that wait to be expanded.
    queue: VecDeque<M::State>,
    /// Nodes that are known to be pending; more may be.
    pending: Vec<bool>,
    stopped: Option<StopReason>,
    /// Nodes that were not expanded when it stopped.
    waiting: u64,
}

impl<'a, M: TransitionSystem> Search<'a, M> {
    fn new(run: &'a Run<'a, M>, property: &'a Property<M>) -> Search<'a, M> {
        Search {
            run,
            property,
            stepper: Stepper::new(run),
            nodes: FxHashMap::default(),
            graph: Graph::new(),
            queue: VecDeque::new(),
            pending: Vec::new(),
            stopped: None,
            waiting: 0,
        }
    }

    /// Explores, until a pending path ends. A panic of a function of the model is a violation.
    fn explore(&mut self) -> Option<Counterexample<M>> {
        for (print, state) in self.stepper.initial().iter() {
            if let Err(panic) = self.reach(*print, state.clone(), NO_PARENT) {
                return Some(*panic);
            }
        }
        while let Some(state) = self.queue.pop_front() {
            if self.stops() {
                return None;
            }
            match self.expand(state) {
                Ok(true) => return None,
                Ok(false) => {}
                Err(panic) => return Some(*panic),
            }
        }
        None
    }

    /// Expands the next node; whether it is the end of a pending path.
    fn expand(&mut self, state: M::State) -> Result<bool, Box<Counterexample<M>>> {
        let node = self.graph.expanded() as u32;
        let has_failed = self.stepper.model.failure(&state).is_some();
        let steps = if has_failed { Vec::new() } else { self.steps(node, &state)? };
        let is_end = steps.is_empty() && !has_failed;
        let is_wrong_end = match self.property.promise {
            Some(_) => self.graph.marks(node).asks,
            None => self.pending[node as usize],
        };
        let enabled = self.graph.sets.of(steps.iter().flat_map(|step| step.labels.iter().copied()));
        let is_cut = self.run.config.budget.depth.is_some_and(|bound| u64::from(self.graph.depth(node)) >= bound);
        if is_cut && !steps.is_empty() {
            self.stopped = Some(StopReason::MaxDepth);
        }
        for step in steps.into_iter().filter(|_| !is_cut) {
            let labels = self.graph.sets.of(step.labels);
            let print = self.stepper.model.fingerprint(&step.state);
            let to = self.reach(print, step.state, node)?;
            if to != LEFT_OUT && !step.cools {
                self.pending[to as usize] |= self.pending[node as usize] && self.graph.marks(to).lacks;
                self.graph.push(Edge { to, labels });
            }
        }
        self.graph.close(enabled, is_end);
        Ok(is_end && is_wrong_end)
    }

    /// The steps from a node to other states.
    fn steps(&mut self, node: u32, state: &M::State) -> Result<Vec<Step<M>>, Box<Counterexample<M>>> {
        let mut steps = self.stepper.successors(state).map_err(|panicked| {
            let Panicked { violation, attempted } = *panicked;
            Box::new(Counterexample::panic(self.graph.way_to(node), violation, attempted))
        })?;
        steps.retain(|step| step.changes);
        for step in &mut steps {
            step.labels = labels(&self.stepper.model, state, &step.action)
                .map_err(|panic| self.panicked(node, &fairness_panics(&step.action), panic))?;
            if let Some(promise) = self.property.promise {
                step.cools = self.stepper.model.cools(promise, state, &step.action);
            }
        }
        Ok(steps)
    }

    /// The number of a state; a new one is added to the queue, unless it need not be explored.
    fn reach(&mut self, print: u128, state: M::State, parent: u32) -> Result<u32, Box<Counterexample<M>>> {
        let key = Key::new(self.run.config.exact, print, &state);
        if let Some(&node) = self.nodes.get(&key) {
            return Ok(node);
        }
        let marks = marks(self.property, &self.stepper.model, &state, parent == NO_PARENT);
        if self.property.kind == Kind::Eventually && marks.as_ref().is_ok_and(|marks| !marks.lacks) {
            self.nodes.insert(key, LEFT_OUT);
            return Ok(LEFT_OUT);
        }
        let (marks, panic) = match marks {
            Ok(marks) => (marks, None),
            Err(panic) => (Marks::default(), Some(panic)),
        };
        let node = self.graph.add(parent, marks);
        self.nodes.insert(key, node);
        self.pending.push(marks.asks);
        self.queue.push_back(state);
        match panic {
            Some(panic) => Err(self.panicked(node, &format!("`{}` panics in this state", self.property.name), panic)),
            None => Ok(node),
        }
    }

    /// A function of the property or of a fairness assumption panics in a node.
    fn panicked(&self, node: u32, what: &str, (panic, location): (String, Option<Location>)) -> Box<Counterexample<M>> {
        let violation = Violation { location, ..violation(self.property, format!("{what}: {panic}")) };
        Box::new(Counterexample::panic(self.graph.way_to(node), violation, None))
    }

    fn stops(&mut self) -> bool {
        let (states, waiting) = (self.graph.len() as u64, self.queue.len() as u64);
        let mut reason = self.run.config.budget.states.filter(|&most| states > most).map(|_| StopReason::MaxStates);
        if (self.graph.expanded() + 1).is_multiple_of(TICK) {
            let progress = Progress { executions: 0, states, frontier: waiting, done: 0.0 };
            reason = reason.or_else(|| self.run.observer.tick(&progress));
        }
        if reason.is_some() {
            (self.stopped, self.waiting) = (reason, waiting + 1);
        }
        reason.is_some()
    }

    /// A violating path among the states that were explored.
    fn counterexample(&mut self) -> Option<Counterexample<M>> {
        let pending = Pending::new(&self.graph);
        // A promise is about ends and cycles where it is open.
        let is_open = |node: u32| self.property.promise.is_none() || self.graph.marks(node).asks;
        if let Some(end) = pending.end(&self.graph, is_open) {
            let (way, asks) = pending.way_to(&self.graph, end);
            let way = way.into_iter().map(|node| (node, None)).collect();
            return Some(self.violates(way, None, asks));
        }
        let (states, observer) = (self.graph.len() as u64, self.run.observer);
        let progress = Progress { executions: 0, states, frontier: 0, done: 1.0 };
        let mut stopped = None;
        let components = fair_components(&self.graph, pending.nodes(&self.graph), || {
            stopped = stopped.or_else(|| observer.tick(&progress));
            stopped.is_some()
        });
        self.stopped = self.stopped.or(stopped);
        let is_open = |node: u32| self.property.promise.is_none() || self.graph.marks(node).asks;
        let Lasso { stem, asks, cycle } = lasso::shortest(&self.graph, &pending, &components, is_open)?;
        let from = stem.len() - 1;
        let stem = stem.into_iter().map(|node| (node, None));
        let way = stem.chain(cycle.into_iter().map(|edge| (edge.to, Some(edge.labels)))).collect();
        Some(self.violates(way, Some(from), asks))
    }

    fn violates(&self, way: Vec<Stop>, loop_from: Option<usize>, asks: usize) -> Counterexample<M> {
        let name = &self.property.name;
        let (end, never) = match loop_from {
            Some(_) => ("the path goes round for ever", "never holds there"),
            None => ("the path ends", "does not hold there"),
        };
        let asks = (self.property.kind == Kind::LeadsTo).then_some(asks);
        let message = match self.property.kind {
            Kind::AlwaysEventually => format!("{end}, and `{name}` {never}"),
            Kind::LeadsTo => format!("the condition of `{name}` holds, {end}, and the goal is not reached"),
            _ => format!("{end}, and `{name}` never held"),
        };
        Counterexample { way, loop_from, asks, attempted: None, violation: violation(self.property, message) }
    }

    /// The path that goes this way.
    fn follow(&mut self, way: &[Stop]) -> Result<Path<M>, Box<InvalidModel>> {
        let wanted: FxHashSet<u32> = way.iter().map(|(node, _)| *node).collect();
        let is_wanted = |(key, node): (_, &u32)| wanted.contains(node).then_some((*node, key));
        let keys: FxHashMap<u32, &Key<M::State>> = self.nodes.iter().filter_map(is_wanted).collect();
        let sets = &self.graph.sets;
        let of_set = |set: u32| members(sets, set);
        let waypoints: Vec<Waypoint<'_, M::State>> =
            way.iter().map(|&(node, labels)| Waypoint { key: keys[&node], labels: labels.map(of_set) }).collect();
        self.stepper.follow_keys(&waypoints)
    }
}

/// The assumptions of a set, in ascending order.
fn members(sets: &LabelSets, set: u32) -> Vec<Label> {
    let mut labels: Vec<Label> = sets.set(set).iter().map(|&number| sets.label(number)).collect();
    labels.sort_unstable();
    labels
}

/// The message for fairness that cannot be evaluated.
pub fn fairness_panics(action: &impl std::fmt::Debug) -> String {
    format!("a fairness assumption panics for the action {action:?} of this state")
}

/// The fairness assumptions that cover a step, in ascending order; `Err` with message and place if one of them panics.
pub fn labels<M: TransitionSystem>(
    model: &M,
    state: &M::State,
    action: &M::Action,
) -> Result<Vec<Label>, (String, Option<Location>)> {
    let mut labels = Vec::new();
    if model.assumes_fairness() {
        attempt(|| model.labels(state, action, &mut labels))?;
        labels.sort_unstable();
        labels.dedup();
    }
    Ok(labels)
}

/// Whether a temporal property asks for its goal in a state, and whether the goal is not reached there; `Err` with message and place if a predicate
/// panics.
pub fn marks<M: TransitionSystem>(
    property: &Property<M>,
    model: &M,
    state: &M::State,
    is_initial: bool,
) -> Result<Marks, (String, Option<Location>)> {
    let when = match &property.when {
        Some(when) => attempt(|| when(model, state))?,
        None => property.kind != Kind::Eventually || is_initial,
    };
    let lacks = !evaluate(property, model, state)?;
    Ok(Marks { asks: lacks && when, lacks })
}
