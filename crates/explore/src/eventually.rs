//! Decides `eventually`: whether a predicate holds somewhere on every maximal path.
//!
//! A counterexample never leaves the states in which the predicate does not hold: it starts in one, goes through such states only, and ends in a
//! terminal one or in a cycle of them. So that part of the graph is explored, breadth-first, and its
//! strongly connected components (Tarjan) are searched for a cycle.
//!
//! Under weak fairness a cycle counts only if every fair process is disabled somewhere on it or takes a step of it. A component has such
//! a cycle exactly if each fair process is disabled in some state of it or takes a step inside it: go round through all of those.

use crate::check::{evaluate, violation};
use crate::config::{Found, Report};
use crate::links::{Links, NO_PARENT};
use crate::run::Run;
use crate::stepper::{Panicked, Stepper, Waypoint, count_user_steps};
use crate::visited::Key;
use crate::{Path, Property, TransitionSystem, tarjan};
use manyworlds_core::{InvalidModel, Progress, StopReason, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The observer is called once in so many states.
const TICK: usize = 32;

/// Searches for a path on which `property` never holds.
pub fn run<M: TransitionSystem>(run: &Run<'_, M>, property: &Property<M>, report: &mut Report<M>) {
    let mut graph = Graph::new(run);
    let end = graph.explore(run, property);
    report.stopped = report.stopped.or(graph.stopped);
    report.frontier = report.frontier.max(graph.waiting);
    let never = |how: &str| violation(property, format!("{how} `{}` never held", property.name));
    let found = match end {
        Some(End { node, problem: None, .. }) => Some((graph.way_to(node), None, None, never("the path ends, and"))),
        Some(End { node, problem: Some(violation), attempted }) => {
            Some((graph.way_to(node), None, attempted, violation))
        }
        None => graph.lasso().map(|(way, from)| (way, Some(from), None, never("the path goes round for ever, and"))),
    };
    if let Some((way, loop_from, attempted, violation)) = found {
        report.stats.violations += 1;
        match graph.follow(&way) {
            Ok(path) => report.found = Some(Found { violation, path: Path { loop_from, attempted, ..path } }),
            Err(flaw) => report.flaw = Some(flaw),
        }
    }
    count_user_steps(std::iter::once(&graph.stepper), &mut report.stats);
}

/// The end of a finite path: a terminal state, or a state in which a function of the model panics.
struct End<M: TransitionSystem> {
    node: u32,
    problem: Option<Violation>,
    attempted: Option<M::Action>,
}

/// A node on the way, and the process that takes the step to it, if that matters.
type Stop = (u32, Option<Option<u32>>);

/// A step between states in which the property does not hold.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    process: Option<u32>,
}

/// The part of the state graph in which the property never held. Nodes are numbered breadth-first.
struct Graph<M: TransitionSystem> {
    stepper: Stepper<M>,
    exact: bool,
    nodes: FxHashMap<Key<M::State>, u32>,
    links: Links,
    /// The edges of node `n` are `edges[starts[n]..starts[n + 1]]`.
    edges: Vec<Edge>,
    starts: Vec<usize>,
    fair: Vec<bool>,
    /// Whether process `p` can take a step in node `n`: `enabled[n * processes + p]`.
    enabled: Vec<bool>,
    stopped: Option<StopReason>,
    /// Nodes that were not expanded when it stopped.
    waiting: u64,
}

impl<M: TransitionSystem> Graph<M> {
    fn new(run: &Run<'_, M>) -> Graph<M> {
        Graph {
            stepper: Stepper::new(run),
            exact: run.config.exact,
            nodes: FxHashMap::default(),
            links: Links::default(),
            edges: Vec::new(),
            starts: vec![0],
            fair: (0..run.model.processes()).map(|process| run.model.fair(process)).collect(),
            enabled: Vec::new(),
            stopped: None,
            waiting: 0,
        }
    }

    /// Explores until it finds a terminal node, or one in which a function of the model panics.
    fn explore(&mut self, run: &Run<'_, M>, property: &Property<M>) -> Option<End<M>> {
        let mut queue = VecDeque::new();
        for (print, state) in self.stepper.initial().iter() {
            match self.holds(property, state) {
                Ok(true) => {}
                Ok(false) => _ = self.node(*print, state.clone(), NO_PARENT, 0, &mut queue),
                Err(problem) => {
                    let node = self.node(*print, state.clone(), NO_PARENT, 0, &mut queue);
                    return Some(End { node, problem: Some(problem), attempted: None });
                }
            }
        }
        while let Some((depth, state)) = queue.pop_front() {
            let node = self.starts.len() as u32 - 1;
            if self.stops(run, queue.len()) {
                return None;
            }
            let mut successors = Vec::new();
            if self.stepper.model.failure(&state).is_none() {
                successors = match self.stepper.successors(&state) {
                    Ok(successors) => successors,
                    Err(panicked) => {
                        let Panicked { violation, attempted } = *panicked;
                        return Some(End { node, problem: Some(violation), attempted });
                    }
                };
                successors.iter_mut().for_each(|step| step.process = step.process.filter(|&p| p < self.fair.len()));
                if successors.is_empty() {
                    return Some(End { node, problem: None, attempted: None });
                }
            }
            let first = self.enabled.len();
            self.enabled.resize(first + self.fair.len(), false);
            successors.iter().filter_map(|step| step.process).for_each(|p| self.enabled[first + p] = true);
            if run.config.budget.depth.is_some_and(|bound| depth >= bound) && !successors.is_empty() {
                self.stopped = Some(StopReason::MaxDepth);
                successors.clear();
            }
            for step in successors {
                let holds = self.holds(property, &step.state);
                if holds == Ok(true) {
                    continue;
                }
                let print = self.stepper.model.fingerprint(&step.state);
                let to = self.node(print, step.state, node, depth + 1, &mut queue);
                self.edges.push(Edge { to, process: step.process.map(|p| p as u32) });
                if let Err(problem) = holds {
                    return Some(End { node: to, problem: Some(problem), attempted: None });
                }
            }
            self.starts.push(self.edges.len());
        }
        None
    }

    /// Whether the property holds in a state; `Err` if its predicate panics.
    fn holds(&self, property: &Property<M>, state: &M::State) -> Result<bool, Violation> {
        evaluate(property, &self.stepper.model, state).map_err(|(panic, location)| {
            let message = format!("`{}` panics in this state: {panic}", property.name);
            Violation { location, ..violation(property, message) }
        })
    }

    /// The way to a node.
    fn way_to(&self, node: u32) -> Vec<Stop> {
        self.links.numbers(node).into_iter().map(|node| (node, None)).collect()
    }

    /// The path that goes this way.
    fn follow(&mut self, way: &[Stop]) -> Result<Path<M>, Box<InvalidModel>> {
        let wanted: FxHashSet<u32> = way.iter().map(|(node, _)| *node).collect();
        let is_wanted = |(key, node): (_, &u32)| wanted.contains(node).then_some((*node, key));
        let keys: FxHashMap<u32, &Key<M::State>> = self.nodes.iter().filter_map(is_wanted).collect();
        let waypoint = |(node, process): &Stop| -> Waypoint<'_, M::State> {
            (keys[node], process.map(|process| process.map(|p| p as usize)))
        };
        let waypoints: Vec<Waypoint<'_, M::State>> = way.iter().map(waypoint).collect();
        self.stepper.follow_keys(&waypoints)
    }

    /// The number of a state; a new one is added to the queue.
    fn node(
        &mut self,
        print: u128,
        state: M::State,
        parent: u32,
        depth: u64,
        queue: &mut VecDeque<(u64, M::State)>,
    ) -> u32 {
        *self.nodes.entry(Key::new(self.exact, print, &state)).or_insert_with(|| {
            self.links.push(parent, 0);
            queue.push_back((depth, state));
            self.links.len() as u32 - 1
        })
    }

    fn stops(&mut self, run: &Run<'_, M>, waiting: usize) -> bool {
        let states = self.links.len() as u64;
        let mut reason = run.config.budget.states.filter(|&most| states > most).map(|_| StopReason::MaxStates);
        if (self.starts.len()).is_multiple_of(TICK) {
            let progress = Progress { executions: 0, states, frontier: waiting as u64, done: 0.0 };
            reason = reason.or_else(|| run.observer.tick(&progress));
        }
        if reason.is_some() {
            (self.stopped, self.waiting) = (reason, waiting as u64 + 1);
        }
        reason.is_some()
    }

    fn edges(&self, node: u32) -> &[Edge] {
        match self.starts.get(node as usize + 1) {
            Some(&end) => &self.edges[self.starts[node as usize]..end],
            // The run was stopped before it was expanded.
            None => &[],
        }
    }

    /// Whether a fair process cannot take a step in a node.
    fn rests(&self, node: u32, process: usize) -> bool {
        !self.enabled[node as usize * self.fair.len() + process]
    }

    /// The way to a fair cycle and round it, and where the cycle begins.
    fn lasso(&self) -> Option<(Vec<Stop>, usize)> {
        let nodes = self.links.len();
        let components = tarjan::components(nodes, |node, i| self.edges(node).get(i).map(|edge| edge.to));
        let inside = |node: u32, edge: &Edge| components[node as usize] == components[edge.to as usize];
        let processes = self.fair.len();
        let mut cyclic = vec![false; nodes];
        let mut satisfied = vec![false; nodes * processes];
        for node in 0..self.starts.len() as u32 - 1 {
            let component = components[node as usize] as usize;
            let satisfied = &mut satisfied[component * processes..][..processes];
            (0..processes).for_each(|p| satisfied[p] |= !self.fair[p] || self.rests(node, p));
            for edge in self.edges(node).iter().filter(|edge| inside(node, edge)) {
                cyclic[component] = true;
                edge.process.into_iter().for_each(|p| satisfied[p as usize] = true);
            }
        }
        let is_fair = |component: usize| satisfied[component * processes..][..processes].iter().all(|&s| s);
        // Nodes are numbered breadth-first: the first node is nearest.
        let entry = (0..nodes).find(|&node| {
            let component = components[node] as usize;
            cyclic[component] && is_fair(component)
        })? as u32;
        let mut way = self.way_to(entry);
        let from = way.len() - 1;
        way.extend(self.cycle(entry, &components));
        Some((way, from))
    }

    /// A fair cycle from `entry` through its component: repeatedly to the nearest node or edge that satisfies fairness of another process, then back.
    fn cycle(&self, entry: u32, components: &[u32]) -> Vec<Stop> {
        let mut needs = self.fair.clone();
        let satisfy = |needs: &mut Vec<bool>, node: u32, process: Option<u32>| {
            (0..needs.len()).for_each(|p| needs[p] &= !self.rests(node, p) && process != Some(p as u32));
        };
        satisfy(&mut needs, entry, None);
        let (mut at, mut cycle) = (entry, Vec::new());
        while cycle.is_empty() || at != entry || needs.contains(&true) {
            let helps = |edge: &Edge| {
                (0..needs.len()).any(|p| needs[p] && (edge.process == Some(p as u32) || self.rests(edge.to, p)))
            };
            let way = match needs.contains(&true) {
                true => self.way(at, components, helps),
                false => self.way(at, components, |edge| edge.to == entry),
            };
            for edge in way {
                satisfy(&mut needs, edge.to, edge.process);
                cycle.push((edge.to, Some(edge.process)));
                at = edge.to;
            }
        }
        cycle
    }

    /// A shortest way inside the component of `from`, of one edge at least, whose last edge is a `goal`.
    fn way(&self, from: u32, components: &[u32], goal: impl Fn(&Edge) -> bool) -> Vec<Edge> {
        let mut came_by: FxHashMap<u32, (u32, Edge)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &edge in self.edges(node) {
                if components[edge.to as usize] != components[from as usize] {
                    continue;
                }
                if goal(&edge) {
                    let mut way = vec![edge];
                    let mut at = node;
                    while at != from {
                        let (before, edge) = came_by[&at];
                        way.push(edge);
                        at = before;
                    }
                    way.reverse();
                    return way;
                }
                if edge.to != from && !came_by.contains_key(&edge.to) {
                    came_by.insert(edge.to, (node, edge));
                    queue.push_back(edge.to);
                }
            }
        }
        unreachable!("a component is strongly connected")
    }
}
