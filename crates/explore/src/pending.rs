//! The states that a temporal property is about, as a graph of numbers.
//!
//! In some states a property *asks* for its goal, in some it *lacks* the goal. A path violates the property if from some state that asks on it stays in
//! states that lack the goal. The states of such paths, from the state that asks on, are *pending*. `eventually P` asks in initial states,
//! `always_eventually P` in every state without P, and `leads_to(P, Q)` in the states with P and without Q.
//!
//! Invariants: nodes are numbered breadth-first, so the depth does not decrease with the number; an edge is a step to another state (between
//! representatives of symmetric states it may be one to the same representative); a state that asks lacks the goal.

use crate::labels::LabelSets;
use crate::links::Links;
use std::collections::VecDeque;

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// The property asks for its goal here.
    pub asks: bool,
    /// The goal is not reached here.
    pub lacks: bool,
}

/// A step to another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The state.
    pub to: u32,
    /// The set of fairness assumptions that cover the step.
    pub labels: u32,
}

/// A graph of states.
pub struct Graph {
    links: Links,
    depth: Vec<u32>,
    marks: Vec<Marks>,
    /// The edges of node `n` are `edges[starts[n]..starts[n + 1]]`.
    edges: Vec<Edge>,
    starts: Vec<usize>,
    /// For each node that was expanded the set of assumptions that are enabled.
    enabled: Vec<u32>,
    /// Whether a node that was expanded is the end of a path.
    ends: Vec<bool>,
    /// The sets of assumptions.
    pub sets: LabelSets,
}

impl Graph {
    /// Without nodes.
    pub fn new() -> Graph {
        Graph {
            links: Links::default(),
            depth: Vec::new(),
            marks: Vec::new(),
            edges: Vec::new(),
            starts: vec![0],
            enabled: Vec::new(),
            ends: Vec::new(),
            sets: LabelSets::new(),
        }
    }

    /// Adds a node that is reached from `parent`, or is initial.
    pub fn add(&mut self, parent: u32, marks: Marks) -> u32 {
        debug_assert!(marks.lacks || !marks.asks);
        let depth = self.depth.get(parent as usize).map_or(0, |depth| depth + 1);
        self.links.push(parent, 0);
        self.depth.push(depth);
        self.marks.push(marks);
        self.links.len() as u32 - 1
    }

    /// Adds an edge of the node that is being expanded.
    pub fn push(&mut self, edge: Edge) {
        let start = self.starts[self.starts.len() - 1];
        if !self.edges[start..].contains(&edge) {
            self.edges.push(edge);
        }
    }

    /// The next node is expanded.
    pub fn close(&mut self, enabled: u32, is_end: bool) {
        self.starts.push(self.edges.len());
        self.enabled.push(enabled);
        self.ends.push(is_end);
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// How many nodes were expanded: the first ones.
    pub fn expanded(&self) -> usize {
        self.enabled.len()
    }

    /// How many steps lead to a node.
    pub fn depth(&self, node: u32) -> u32 {
        self.depth[node as usize]
    }

    /// What is known of a node.
    pub fn marks(&self, node: u32) -> Marks {
        self.marks[node as usize]
    }

    /// The edges of a node; none if it was not expanded.
    pub fn edges(&self, node: u32) -> &[Edge] {
        match self.starts.get(node as usize + 1) {
            Some(&end) => &self.edges[self.starts[node as usize]..end],
            None => &[],
        }
    }

    /// The set of assumptions that are enabled in a node that was expanded.
    pub fn enabled(&self, node: u32) -> u32 {
        self.enabled[node as usize]
    }

    /// The nodes on a shortest path to a node.
    pub fn way_to(&self, node: u32) -> Vec<u32> {
        self.links.numbers(node)
    }
}

const NONE: u32 = u32::MAX;

/// The pending nodes, and shortest paths to them: first to a node that asks, from there through nodes that lack the goal.
pub struct Pending {
    distance: Vec<u32>,
    /// The node before it; a node itself if the property asks there and was not pending before.
    from: Vec<u32>,
}

impl Pending {
    /// Of a graph.
    pub fn new(graph: &Graph) -> Pending {
        let nodes = graph.len();
        let mut pending = Pending { distance: vec![NONE; nodes], from: vec![NONE; nodes] };
        // Both are in ascending order of distance.
        let mut asking = (0..nodes as u32).filter(|&node| graph.marks(node).asks).peekable();
        let mut found: VecDeque<u32> = VecDeque::new();
        loop {
            let distance = found.front().map(|&node| pending.distance[node as usize]);
            let node = match asking.next_if(|&node| distance.is_none_or(|distance| graph.depth(node) <= distance)) {
                Some(node) if pending.holds(node) => continue,
                Some(node) => {
                    (pending.distance[node as usize], pending.from[node as usize]) = (graph.depth(node), node);
                    node
                }
                None => match found.pop_front() {
                    Some(node) => node,
                    None => return pending,
                },
            };
            for edge in graph.edges(node) {
                if graph.marks(edge.to).lacks && !pending.holds(edge.to) {
                    pending.distance[edge.to as usize] = pending.distance[node as usize] + 1;
                    pending.from[edge.to as usize] = node;
                    found.push_back(edge.to);
                }
            }
        }
    }

    /// Whether a node is pending.
    pub fn holds(&self, node: u32) -> bool {
        self.distance[node as usize] != NONE
    }

    /// The pending nodes that were expanded.
    pub fn nodes(&self, graph: &Graph) -> Vec<u32> {
        (0..graph.expanded() as u32).filter(|&node| self.holds(node)).collect()
    }

    /// The length of the shortest path to a pending node.
    pub fn distance(&self, node: u32) -> u32 {
        self.distance[node as usize]
    }

    /// A shortest path to a pending node, and after how many steps the property asks.
    pub fn way_to(&self, graph: &Graph, node: u32) -> (Vec<u32>, usize) {
        let (mut way, mut at) = (Vec::new(), node);
        while self.from[at as usize] != at {
            way.push(at);
            at = self.from[at as usize];
        }
        let mut stem = graph.way_to(at);
        let asks = stem.len() - 1;
        stem.extend(way.into_iter().rev());
        (stem, asks)
    }

    /// The nearest pending node that is the end of a path and `counts`.
    pub fn end(&self, graph: &Graph, counts: impl Fn(u32) -> bool) -> Option<u32> {
        let ends =
            (0..graph.expanded() as u32).filter(|&node| graph.ends[node as usize] && self.holds(node) && counts(node));
        ends.min_by_key(|&node| self.distance(node))
    }
}
