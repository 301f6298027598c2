//! Liveness by cycles: a fair cycle on which some spec is hot at some step and enters no cold state, not even in the middle of a step.
//!
//! The graph of states is explored breadth-first. For each spec the steps that enter a cold state of it are removed, and the strongly connected components
//! of the rest are searched for a fair cycle through a hot state.
//!
//! - **Weak fairness** of every machine: it cannot run in some state of the cycle, or it takes a step of it. A component has such a cycle if and only if each
//!   machine satisfies this for the whole component: go round through all of it. If one does not, no smaller component helps.
//! - **Fair choices** (`$$`, `choose(n)`, `choose(collection)`): of the values that a machine can choose at one place of the source infinitely often, each
//!   is chosen infinitely often. If a value that is offered there is chosen by no step inside the component, no cycle in the component may
//!   come to such an offer infinitely often: these steps are removed, and what remains falls into smaller components. This is the known algorithm for
//!   strong fairness; it removes only steps that no fair cycle has, and what is left when nothing is removed has one.
//!
//! A search that a bound ends finds cycles of the part that was explored; whether a value is chosen inside is then decided by that part, too, so what is
//! found is a violation, and what is not found may be one.

use crate::machine::Site;
use crate::names::NameId;
use crate::system::System;
use crate::value::Val;
use crate::world::{Action, Happened, World};
use manyworlds_core::{Requirement, Violation};
use manyworlds_explore::{NoObserver, Observer, Path, Progress, StopReason, TransitionSystem};
use manyworlds_p_ir::MachineKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The observer is called once in this number of states.
const TICK: usize = 32;

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Liveness {
    /// A violation.
    pub found: Option<Lasso>,
    /// Why the search ended early.
    pub stopped: Option<StopReason>,
    /// The number of states.
    pub states: u64,
}

/// A path that comes back to one of its states.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// The violation.
    pub violation: Violation,
    /// The spec, by its number.
    pub spec: usize,
    /// The path; `loop_from` is where the cycle begins.
    pub path: Path<System>,
}

/// A fair choice: the machine and the place in the source.
type ChoiceId = (NameId, Site);

#[derive(Clone)]
struct Edge {
    from: u32,
    to: u32,
    action: Action,
    /// Specs that enter a cold state.
    cold: Vec<usize>,
    /// The fair choices: what is chosen, and what is offered.
    choices: Vec<(ChoiceId, Val, Vec<Val>)>,
}

struct Graph {
    worlds: Vec<World>,
    /// The step by which a state was found first.
    parents: Vec<Option<u32>>,
    edges: Vec<Edge>,
    /// The edges out of each state.
    out: Vec<Vec<u32>>,
    /// The machines that can run.
    enabled: Vec<Vec<NameId>>,
    hot: Vec<Vec<usize>>,
}

impl System {
    /// Searches for a fair cycle on which a spec stays away from its cold states although it is hot. `most` bounds the number of states.
    pub fn liveness(&self, most: Option<u64>, observer: &dyn Observer) -> Liveness {
        let specs = &self.code().test.specs;
        let judged: Vec<usize> = (0..specs.len())
            .filter(|&spec| {
                let machine = self.code().program.machine(specs[spec].spec);
                let hot = |state: &manyworlds_p_ir::State| state.temperature == manyworlds_p_ir::Temperature::Hot;
                machine.kind == MachineKind::Spec && machine.states.iter().any(hot)
            })
            .collect();
        if judged.is_empty() {
            return Liveness::default();
        }
        let (graph, stopped) = Graph::new(self, most, observer);
        let found = judged.into_iter().find_map(|spec| graph.lasso(self, spec));
        Liveness { found, stopped, states: graph.worlds.len() as u64 }
    }

    /// The machines that can run.
    pub fn enabled(&self, world: &World) -> Vec<NameId> {
        self.with(|steps| {
            let slots = steps.enabled(&world.ids);
            slots.into_iter().map(|slot| steps.access.local(world.ids[slot]).local.name).collect()
        })
    }
}

/// The property that a spec violates on a cycle.
fn property(spec: &str) -> Requirement {
    Requirement::Eventually { name: format!("{spec} is cold") }
}

/// Whether a path that repeats what follows the state `from` without end is a violation. Nothing of the search is trusted: the steps between the states are looked
/// for again. Where several steps lead from one state to the next, a run can take each of them again and again. `None` if the violation is not that of a spec.
pub fn shows(system: &System, states: &[&World], from: usize, violation: &Violation) -> Option<bool> {
    let code = system.code();
    let name = |spec: usize| &code.program.machine(code.test.specs[spec].spec).name;
    let spec = (0..code.test.specs.len()).find(|&spec| property(name(spec)) == violation.property)?;
    Some(stays_hot(system, states, from, spec))
}

fn stays_hot(system: &System, states: &[&World], from: usize, spec: usize) -> bool {
    let Some(cycle) = states.get(from..).filter(|cycle| cycle.len() > 1 && cycle.first() == cycle.last()) else {
        return false;
    };
    let mut acting: FxHashSet<NameId> = FxHashSet::default();
    let (mut offered, mut chosen) = (FxHashSet::default(), FxHashSet::default());
    for (before, after) in cycle.iter().zip(&cycle[1..]) {
        let mut actions = Vec::new();
        system.actions(before, &mut actions);
        let mut found = false;
        for action in actions {
            let Some((next, happened)) = system.step(before, action) else { continue };
            if next != **after || happened.cold.contains(&spec) {
                continue;
            }
            found = true;
            acting.insert(action.machine);
            for (id, value, offers) in system.with(|steps| choices(steps, before, action)).unwrap_or_default() {
                chosen.insert((id, value));
                offered.extend(offers.into_iter().map(|value| (id, value)));
            }
        }
        if !found {
            return false;
        }
    }
    let enabled: Vec<Vec<NameId>> = cycle.iter().map(|world| system.enabled(world)).collect();
    let rests = |machine: &NameId| enabled.iter().any(|enabled| !enabled.contains(machine));
    let fair = enabled[0].iter().all(|machine| acting.contains(machine) || rests(machine));
    let hot = cycle.iter().any(|world| system.hot(world).contains(&spec));
    fair && hot && offered.is_subset(&chosen)
}

/// The fair choices of a step, with what else was offered; `None` if the step is not possible.
fn choices(
    steps: &mut crate::world::Steps<'_>,
    world: &World,
    action: Action,
) -> Option<Vec<(ChoiceId, Val, Vec<Val>)>> {
    let slot = steps.slot(&world.ids, action.machine)?;
    let (_, branches) = steps.branches(&world.ids, slot)?;
    let own = &branches.get(action.branch as usize)?.chosen;
    let mut found = Vec::new();
    for (n, made) in own.iter().enumerate().filter(|(_, made)| made.fair) {
        let same = |chosen: &[crate::machine::Chosen]| {
            chosen.len() > n && chosen[..n].iter().zip(&own[..n]).all(|(a, b)| a.option == b.option)
        };
        let offers = branches.iter().filter(|branch| same(&branch.chosen)).map(|branch| branch.chosen[n].value);
        let mut offers: Vec<Val> = offers.collect();
        offers.sort_unstable_by_key(|value| value.0);
        offers.dedup();
        found.push(((action.machine, made.site), made.value, offers));
    }
    Some(found)
}

impl Graph {
    fn new(system: &System, most: Option<u64>, observer: &dyn Observer) -> (Graph, Option<StopReason>) {
        let mut graph = Graph {
            worlds: system.initial(),
            parents: vec![None],
            edges: Vec::new(),
            out: Vec::new(),
            enabled: Vec::new(),
            hot: Vec::new(),
        };
        let mut known: FxHashMap<u128, u32> = FxHashMap::from_iter([(graph.worlds[0].print, 0)]);
        let mut at = 0;
        while at < graph.worlds.len() {
            if let Some(reason) = graph.stops(at, most, observer) {
                return (graph, Some(reason));
            }
            let world = graph.worlds[at].clone();
            graph.enabled.push(system.enabled(&world));
            graph.hot.push(system.hot(&world));
            let mut actions = Vec::new();
            system.actions(&world, &mut actions);
            let mut out = Vec::new();
            for action in actions {
                let Some((next, Happened { cold, .. })) = system.step(&world, action) else { continue };
                let choices = system.with(|steps| choices(steps, &world, action)).unwrap_or_default();
                let (edge, new) = (graph.edges.len() as u32, graph.worlds.len() as u32);
                let to = *known.entry(next.print).or_insert(new);
                if to == new {
                    graph.worlds.push(next);
                    graph.parents.push(Some(edge));
                }
                graph.edges.push(Edge { from: at as u32, to, action, cold, choices });
                out.push(edge);
            }
            graph.out.push(out);
            at += 1;
        }
        (graph, None)
    }

    fn stops(&self, at: usize, most: Option<u64>, observer: &dyn Observer) -> Option<StopReason> {
        let states = self.worlds.len() as u64;
        if most.is_some_and(|most| states > most) {
            return Some(StopReason::MaxStates);
        }
        let progress = Progress { executions: 0, states, frontier: states - at as u64, done: 0.0 };
        if at.is_multiple_of(TICK) { observer.tick(&progress) } else { None }
    }

    /// A violation of one spec.
    fn lasso(&self, system: &System, spec: usize) -> Option<Lasso> {
        let allowed = |edge: &Edge| !edge.cold.contains(&spec) && (edge.to as usize) < self.out.len();
        let mut open: Vec<bool> = self.edges.iter().map(allowed).collect();
        let mut todo: Vec<Vec<u32>> = vec![(0..self.out.len() as u32).collect()];
        while let Some(nodes) = todo.pop() {
            for component in components(self, &open, &nodes) {
                let inside = self.inside(&open, &component);
                let hot = component.iter().any(|&node| self.hot[node as usize].contains(&spec));
                if inside.is_empty() || !hot {
                    continue;
                }
                let unfair = self.unfair(&inside);
                if unfair.is_empty() {
                    if self.is_weakly_fair(&component, &inside) {
                        return Some(self.build(system, spec, &component, &inside));
                    }
                    continue;
                }
                unfair.into_iter().for_each(|edge| open[edge as usize] = false);
                todo.push(component);
            }
        }
        None
    }

    fn inside(&self, open: &[bool], component: &[u32]) -> Vec<u32> {
        let nodes: FxHashSet<u32> = component.iter().copied().collect();
        let edges = component.iter().flat_map(|&node| &self.out[node as usize]).copied();
        edges.filter(|&edge| open[edge as usize] && nodes.contains(&self.edges[edge as usize].to)).collect()
    }

    /// The edges of a component at which a value is offered that no edge of it chooses.
    fn unfair(&self, inside: &[u32]) -> Vec<u32> {
        let mut chosen: FxHashSet<(ChoiceId, Val)> = FxHashSet::default();
        for &edge in inside {
            chosen.extend(self.edges[edge as usize].choices.iter().map(|(id, value, _)| (*id, *value)));
        }
        let misses = |(id, _, offers): &(ChoiceId, Val, Vec<Val>)| offers.iter().any(|v| !chosen.contains(&(*id, *v)));
        inside.iter().copied().filter(|&edge| self.edges[edge as usize].choices.iter().any(misses)).collect()
    }

    fn is_weakly_fair(&self, component: &[u32], inside: &[u32]) -> bool {
        let acting: FxHashSet<NameId> = inside.iter().map(|&edge| self.edges[edge as usize].action.machine).collect();
        let first = &self.enabled[component[0] as usize];
        first.iter().all(|machine| {
            acting.contains(machine) || component.iter().any(|&node| !self.enabled[node as usize].contains(machine))
        })
    }

    /// A path to a component, and a cycle in it that takes every edge.
    fn build(&self, system: &System, spec: usize, component: &[u32], inside: &[u32]) -> Lasso {
        let entry = *component.iter().min().expect("a component is not empty");
        let mut way = self.way_to(entry);
        let loop_from = way.len();
        let mut left: FxHashSet<u32> = inside.iter().copied().collect();
        let mut unseen: FxHashSet<u32> = component.iter().copied().collect();
        let mut at = entry;
        unseen.remove(&at);
        // An edge is a goal as long as it shows something new; with all edges the cycle would be long for nothing.
        let goals = self.goals(spec, component, inside);
        left.retain(|edge| goals.contains(edge));
        while !left.is_empty() || at != entry || way.len() == loop_from {
            let goal = |edge: u32| match left.is_empty() {
                true => self.edges[edge as usize].to == entry,
                false => left.contains(&edge),
            };
            let part = self.shortest(at, inside, goal);
            for edge in part {
                left.remove(&edge);
                at = self.edges[edge as usize].to;
                way.push(edge);
            }
        }
        let (mut world, mut steps) = (self.worlds[0].clone(), Vec::new());
        let start = world.clone();
        for edge in way {
            let edge = &self.edges[edge as usize];
            world = self.worlds[edge.to as usize].clone();
            steps.push((edge.action, world.clone()));
        }
        let machine = system.code().program.machine(system.code().test.specs[spec].spec);
        let name = &machine.name;
        let message = format!("the path ends in a cycle, and the spec {name} is hot and enters no cold state");
        let property = property(name);
        let violation =
            Violation { property, message, location: system.location(machine.span), process: Some(name.clone()) };
        Lasso { violation, spec, path: Path { start, steps, loop_from: Some(loop_from), asks: None, attempted: None } }
    }

    /// Edges that a cycle must take to be hot and fair: one into every state where a machine rests or the spec is hot, and one for each machine and each
    /// value of a choice.
    fn goals(&self, spec: usize, component: &[u32], inside: &[u32]) -> FxHashSet<u32> {
        let mut goals = FxHashSet::default();
        let mut machines: FxHashSet<NameId> = FxHashSet::default();
        let mut values: FxHashSet<(ChoiceId, Val)> = FxHashSet::default();
        let mut nodes: FxHashSet<u32> = FxHashSet::default();
        let few = component.len() <= 64;
        let mut shown: FxHashSet<(Vec<NameId>, bool)> = FxHashSet::default();
        for &n in inside {
            let edge = &self.edges[n as usize];
            let hot = self.hot[edge.to as usize].contains(&spec);
            let shows = few && nodes.insert(edge.to) || shown.insert((self.enabled[edge.to as usize].clone(), hot));
            let acts = machines.insert(edge.action.machine);
            let chooses = edge.choices.iter().filter(|(id, value, _)| values.insert((*id, *value))).count() > 0;
            if shows || acts || chooses {
                goals.insert(n);
            }
        }
        goals
    }

    fn way_to(&self, mut node: u32) -> Vec<u32> {
        let mut way = Vec::new();
        while let Some(edge) = self.parents[node as usize] {
            way.push(edge);
            node = self.edges[edge as usize].from;
        }
        way.reverse();
        way
    }

    /// A shortest way inside a component, of one edge at least, whose last edge is a goal.
    fn shortest(&self, from: u32, inside: &[u32], goal: impl Fn(u32) -> bool) -> Vec<u32> {
        let allowed: FxHashSet<u32> = inside.iter().copied().collect();
        let mut came: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &edge in self.out[node as usize].iter().filter(|edge| allowed.contains(edge)) {
                if goal(edge) {
                    let mut way = vec![edge];
                    let mut at = node;
                    while at != from {
                        way.push(came[&at]);
                        at = self.edges[came[&at] as usize].from;
                    }
                    way.reverse();
                    return way;
                }
                let to = self.edges[edge as usize].to;
                if to != from && !came.contains_key(&to) {
                    came.insert(to, edge);
                    queue.push_back(to);
                }
            }
        }
        unreachable!("a component is strongly connected")
    }
}

/// The strongly connected components of a part of the graph: Tarjan's algorithm without recursion.
fn components(graph: &Graph, open: &[bool], nodes: &[u32]) -> Vec<Vec<u32>> {
    let part: FxHashSet<u32> = nodes.iter().copied().collect();
    let mut index: FxHashMap<u32, u32> = FxHashMap::default();
    let mut low: FxHashMap<u32, u32> = FxHashMap::default();
    let mut on_stack: FxHashSet<u32> = FxHashSet::default();
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    for &root in nodes {
        if index.contains_key(&root) {
            continue;
        }
        let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, next)) = calls.last_mut() {
            let node = *node;
            if *next == 0 {
                let n = index.len() as u32;
                index.insert(node, n);
                low.insert(node, n);
                stack.push(node);
                on_stack.insert(node);
            }
            let edge = graph.out[node as usize].get(*next).copied();
            *next += 1;
            match edge {
                Some(edge) => {
                    let to = graph.edges[edge as usize].to;
                    if !open[edge as usize] || !part.contains(&to) {
                        continue;
                    }
                    match index.get(&to) {
                        None => calls.push((to, 0)),
                        Some(&n) if on_stack.contains(&to) => {
                            let least = low[&node].min(n);
                            low.insert(node, least);
                        }
                        Some(_) => {}
                    }
                }
                None => {
                    calls.pop();
                    if let Some((parent, _)) = calls.last() {
                        let least = low[parent].min(low[&node]);
                        low.insert(*parent, least);
                    }
                    if low[&node] == index[&node] {
                        let at = stack.iter().rposition(|&other| other == node).expect("it is on the stack");
                        let component = stack.split_off(at);
                        component.iter().for_each(|node| _ = on_stack.remove(node));
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}

/// Searches without a bound.
pub fn search(system: &System) -> Liveness {
    system.liveness(None, &NoObserver)
}
