//! A short lasso: a path to a fair component, and a fair cycle in the component.
//!
//! A shortest fair cycle is hard to find (a cycle through given nodes is a travelling salesman's tour), so it is built step by step: again and again to the
//! nearest step that keeps an assumption which is still open, and in the end back to the start. An assumption of weak fairness is open if it is enabled
//! in all states so far and covers no step so far. One of strong fairness is open from the first state on in which it is enabled until it covers a step, so a cycle
//! that never enables it need not take it. Each way closes an assumption for good, so the construction ends. It is done from several of the nearest states.

use crate::labels::LabelSets;
use crate::pending::{Edge, Graph, Pending};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// So many nodes are looked at for one lasso, and a start for at most so many.
const EFFORT: usize = 200_000;
const MOST_STARTS: usize = 32;

/// A lasso in a graph.
pub struct Lasso {
    /// The nodes of the path to the cycle; the last one is on the cycle.
    pub stem: Vec<u32>,
    /// After how many steps the property asks for its goal.
    pub asks: usize,
    /// The steps round the cycle.
    pub cycle: Vec<Edge>,
}

/// The shortest of the lassos that are tried; its cycle contains a node that `counts`.
pub fn shortest(
    graph: &Graph,
    pending: &Pending,
    components: &[Vec<u32>],
    counts: impl Fn(u32) -> bool,
) -> Option<Lasso> {
    let mut place = vec![usize::MAX; graph.len()];
    let in_component = |(number, component): (usize, &Vec<u32>)| {
        component.iter().for_each(|&node| place[node as usize] = number);
        component.len()
    };
    let largest = components.iter().enumerate().map(in_component).max()?;
    let mut starts: Vec<u32> = components.concat().into_iter().filter(|&node| counts(node)).collect();
    starts.sort_by_key(|&node| (pending.distance(node), node));
    starts.truncate((EFFORT / largest).clamp(1, MOST_STARTS));
    let length = |(start, cycle): &(u32, Vec<Edge>)| pending.distance(*start) as usize + cycle.len();
    let cycles = starts.into_iter().map(|start| (start, cycle(graph, start, &place)));
    let (start, cycle) = cycles.min_by_key(length)?;
    let (stem, asks) = pending.way_to(graph, start);
    Some(Lasso { stem, asks, cycle })
}

/// The assumptions that a cycle has not kept so far.
struct Open<'a> {
    sets: &'a LabelSets,
    weak: BTreeSet<u32>,
    strong: BTreeSet<u32>,
    taken: BTreeSet<u32>,
}

impl<'a> Open<'a> {
    fn new(graph: &'a Graph, start: u32) -> Open<'a> {
        let (strong, weak) = graph
            .sets
            .set(graph.enabled(start))
            .iter()
            .copied()
            .partition(|&assumption| graph.sets.is_strong(assumption));
        Open { sets: &graph.sets, weak, strong, taken: BTreeSet::new() }
    }

    fn is_empty(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty()
    }

    /// Whether a step to a state in which `enabled` are enabled keeps an open assumption.
    fn is_kept_by(&self, edge: Edge, enabled: u32) -> bool {
        let covers = |assumption: &u32| self.sets.contains(edge.labels, *assumption);
        self.strong.iter().any(covers)
            || self.weak.iter().any(|assumption| covers(assumption) || !self.sets.contains(enabled, *assumption))
    }

    fn take(&mut self, edge: Edge, enabled: u32) {
        let sets = self.sets;
        self.taken.extend(sets.set(edge.labels));
        let newly = sets.set(enabled).iter().filter(|&&assumption| sets.is_strong(assumption));
        self.strong.extend(newly);
        self.strong.retain(|assumption| !self.taken.contains(assumption));
        self.weak.retain(|assumption| !self.taken.contains(assumption) && sets.contains(enabled, *assumption));
    }
}

/// A fair cycle from `start` through its component.
fn cycle(graph: &Graph, start: u32, place: &[usize]) -> Vec<Edge> {
    let mut open = Open::new(graph, start);
    let (mut at, mut cycle) = (start, Vec::new());
    while cycle.is_empty() || at != start || !open.is_empty() {
        let way = match open.is_empty() {
            true => way(graph, at, place, |edge| edge.to == start),
            false => way(graph, at, place, |edge| open.is_kept_by(*edge, graph.enabled(edge.to))),
        };
        for edge in way {
            open.take(edge, graph.enabled(edge.to));
            cycle.push(edge);
            at = edge.to;
        }
    }
    cycle
}

/// A shortest way inside the component of `from`, of one edge at least, whose last edge is a `goal`.
fn way(graph: &Graph, from: u32, place: &[usize], goal: impl Fn(&Edge) -> bool) -> Vec<Edge> {
    let mut came_by: FxHashMap<u32, (u32, Edge)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &edge in graph.edges(node) {
            if place[edge.to as usize] != place[from as usize] {
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
    unreachable!("a fair component is strongly connected and keeps every assumption")
}
