//! Whether something holds somewhere on every maximal path.
//!
//! A counterexample never leaves the states in which it does not hold: it starts in one, goes through such states only, and ends in one
//! in which nothing more can happen or goes round in a cycle of them. So that part of the graph is explored, breadth-first, and its
//! strongly connected components (Tarjan) are searched for a cycle.
//!
//! Under weak fairness a cycle counts only if every fair process is disabled somewhere on it or takes a step of it. A component has such
//! a cycle exactly if each fair process is disabled in some state of it or takes a step inside it: go round through all of those.

use crate::check::ask;
use crate::check::violation;
use crate::config::{Config, Found, Report};
use crate::links::{Links, NO_PARENT};
use crate::stepper::{Stepper, count_user_steps};
use crate::tarjan;
use crate::visited::Key;
use crate::{Model, Property};
use manyworlds_core::{Observer, Progress, StopReason};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The observer is asked once in so many states.
const TICK: usize = 32;

/// Looks for a path on which `property` never holds.
pub fn run<M: Model>(
    model: &M,
    config: &Config,
    observer: &dyn Observer,
    property: &Property<M>,
    report: &mut Report<M>,
) {
    let fair = (0..model.processes()).map(|process| model.fair(process)).collect();
    let mut graph = Graph::new(config, Stepper::new(model, config), fair);
    let dead_end = graph.explore(config, observer, property);
    report.stopped = report.stopped.or(graph.stopped);
    report.frontier = report.frontier.max(graph.waiting);
    let found = match dead_end {
        Some(node) => Some((graph.links.path(node), None, "the path ends, and")),
        None => graph.lasso().map(|(path, from)| (path, Some(from), "the path goes round for ever, and")),
    };
    report.found = found.map(|(numbers, loop_from, how)| {
        let mut path = graph.stepper.follow_listed(&numbers);
        path.loop_from = loop_from;
        Found { violation: violation(property, format!("{how} `{}` never held", property.name)), path }
    });
    report.stats.violations += u64::from(report.found.is_some());
    count_user_steps(std::iter::once(&graph.stepper), &mut report.stats);
}

/// A step between states in which the property does not hold.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    nth: u32,
    process: Option<u32>,
}

/// The part of the state graph in which the property never held. Nodes are numbered breadth-first.
struct Graph<M: Model> {
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

impl<M: Model> Graph<M> {
    fn new(config: &Config, stepper: Stepper<M>, fair: Vec<bool>) -> Graph<M> {
        Graph {
            stepper,
            exact: config.exact,
            nodes: FxHashMap::default(),
            links: Links::default(),
            edges: Vec::new(),
            starts: vec![0],
            fair,
            enabled: Vec::new(),
            stopped: None,
            waiting: 0,
        }
    }

    /// Explores until a node turns up in which nothing more can happen.
    fn explore(&mut self, config: &Config, observer: &dyn Observer, property: &Property<M>) -> Option<u32> {
        let mut queue = VecDeque::new();
        for (nth, (print, state)) in self.stepper.initial().into_iter().enumerate() {
            if ask(property, &self.stepper.model, &state) != Ok(true) {
                self.node(print, state, (NO_PARENT, nth as u32), 0, &mut queue);
            }
        }
        let mut successors = Vec::new();
        while let Some((depth, state)) = queue.pop_front() {
            let node = self.starts.len() as u32 - 1;
            if self.stops(config, observer, queue.len()) {
                return None;
            }
            if self.stepper.model.failure(&state).is_none() {
                self.stepper.successors(&state, &mut successors);
                successors.iter_mut().for_each(|step| step.process = step.process.filter(|&p| p < self.fair.len()));
                if successors.is_empty() {
                    return Some(node);
                }
            }
            let first = self.enabled.len();
            self.enabled.resize(first + self.fair.len(), false);
            successors.iter().filter_map(|step| step.process).for_each(|p| self.enabled[first + p] = true);
            if config.budget.depth.is_some_and(|bound| depth >= bound) && !successors.is_empty() {
                self.stopped = Some(StopReason::MaxDepth);
                successors.clear();
            }
            for step in successors.drain(..) {
                if ask(property, &self.stepper.model, &step.state) != Ok(true) {
                    let print = self.stepper.model.fingerprint(&step.state);
                    let to = self.node(print, step.state, (node, step.nth), depth + 1, &mut queue);
                    self.edges.push(Edge { to, nth: step.nth, process: step.process.map(|p| p as u32) });
                }
            }
            self.starts.push(self.edges.len());
        }
        None
    }

    /// The number of a state; a new one gets in line.
    fn node(
        &mut self,
        print: u128,
        state: M::State,
        link: (u32, u32),
        depth: u64,
        queue: &mut VecDeque<(u64, M::State)>,
    ) -> u32 {
        *self.nodes.entry(Key::new(self.exact, print, &state)).or_insert_with(|| {
            self.links.push(link.0, link.1);
            queue.push_back((depth, state));
            self.links.len() as u32 - 1
        })
    }

    fn stops(&mut self, config: &Config, observer: &dyn Observer, waiting: usize) -> bool {
        let states = self.links.len() as u64;
        let mut reason = config.budget.states.filter(|&most| states > most).map(|_| StopReason::MaxStates);
        if (self.starts.len()).is_multiple_of(TICK) {
            let progress = Progress { executions: 0, states, frontier: waiting as u64, done: 0.0 };
            reason = reason.or_else(|| observer.tick(&progress));
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
    fn lasso(&self) -> Option<(Vec<u32>, usize)> {
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
        let mut path = self.links.path(entry);
        let from = path.len() - 1;
        path.extend(self.cycle(entry, &components));
        Some((path, from))
    }

    /// A fair cycle from `entry` through its component: to the nearest place that satisfies somebody, until all are satisfied, and back.
    fn cycle(&self, entry: u32, components: &[u32]) -> Vec<u32> {
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
                cycle.push(edge.nth);
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
