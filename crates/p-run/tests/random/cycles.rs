//! Liveness on the graph of the naive interpreter, by reachability alone.

use super::naive::{Made, Naive};
use manyworlds_p_ir::{MachineKind, Program};
use std::collections::{BTreeMap, BTreeSet};

struct Edge {
    from: usize,
    to: usize,
    who: usize,
    cold: Vec<usize>,
    made: Vec<Made>,
}

/// Whether there is a fair cycle on which a spec is hot and enters no cold state; `None` if there are more than `most` configurations.
pub fn violated(program: &Program, most: usize) -> Option<bool> {
    let naive = Naive { program, test: &program.tests[0] };
    let mut nodes = vec![naive.initial()];
    let mut known = BTreeMap::from([(nodes[0].clone(), 0)]);
    let (mut edges, mut at) = (Vec::new(), 0);
    while at < nodes.len() {
        if nodes.len() > most || nodes[at].size() > 10 {
            return None;
        }
        for step in naive.successors(&nodes[at])? {
            let new = nodes.len();
            let to = *known.entry(step.next.clone()).or_insert(new);
            if to == new {
                nodes.push(step.next);
            }
            edges.push(Edge { from: at, to, who: step.who, cold: step.cold, made: step.made });
        }
        at += 1;
    }
    let enabled: Vec<BTreeSet<usize>> = nodes
        .iter()
        .map(|node| {
            (0..Naive::machines(node)).filter(|&who| node.failed.is_none() && naive.runnable(node, who)).collect()
        })
        .collect();
    let specs = program.tests[0].specs.iter().enumerate();
    let judged = specs.filter(|(_, attached)| program.machine(attached.spec).kind == MachineKind::Spec);
    for (spec, _) in judged {
        let hot: Vec<bool> = nodes.iter().map(|node| naive.is_hot(node, spec)).collect();
        let open: Vec<&Edge> = edges.iter().filter(|edge| !edge.cold.contains(&spec)).collect();
        if has_cycle(nodes.len(), open, &hot, &enabled) {
            return Some(true);
        }
    }
    Some(false)
}

fn has_cycle(count: usize, mut open: Vec<&Edge>, hot: &[bool], enabled: &[BTreeSet<usize>]) -> bool {
    loop {
        let reach = reachable(count, &open);
        // Only edges on cycles matter.
        open.retain(|edge| reach[edge.to].contains(&edge.from));
        let same = |a: usize, b: usize| a == b || reach[a].contains(&b) && reach[b].contains(&a);
        let offends = |edge: &&Edge| {
            edge.made.iter().any(|(who, place, _, offers)| {
                offers.iter().any(|value| {
                    !open.iter().any(|other| {
                        same(edge.from, other.from)
                            && other.made.iter().any(|(w, p, v, _)| (w, p, v) == (who, place, value))
                    })
                })
            })
        };
        let kept: Vec<&Edge> = open.iter().copied().filter(|edge| !offends(edge)).collect();
        if kept.len() < open.len() {
            open = kept;
            continue;
        }
        return open.iter().any(|edge| {
            let class: BTreeSet<usize> = (0..count).filter(|&node| same(edge.from, node)).collect();
            let is_fair = |who: &usize| {
                open.iter().any(|other| class.contains(&other.from) && other.who == *who)
                    || class.iter().any(|&node| !enabled[node].contains(who))
            };
            class.iter().any(|&node| hot[node]) && enabled[edge.from].iter().all(is_fair)
        });
    }
}

/// The nodes that can be reached from each node by one edge or more.
fn reachable(count: usize, edges: &[&Edge]) -> Vec<BTreeSet<usize>> {
    let mut out = vec![Vec::new(); count];
    edges.iter().for_each(|edge| out[edge.from].push(edge.to));
    let from = |start: usize| {
        let mut seen = BTreeSet::new();
        let mut todo = out[start].clone();
        while let Some(node) = todo.pop() {
            if seen.insert(node) {
                todo.extend(&out[node]);
            }
        }
        seen
    };
    (0..count).map(from).collect()
}
