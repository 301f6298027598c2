//! The naive explorer: it stores plain global states, and computes successors directly from the definitions.

use super::handlers::{Input, RunKey, runs};
use super::table::{Case, Local};
use super::world::{ActorState, Key, Message, Status, World};
use manyworlds_core::Network;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// The state graph of a system.
pub struct Graph {
    pub worlds: Vec<World>,
    pub keys: Vec<Key>,
    pub successors: Vec<Vec<usize>>,
    pub depth: Vec<usize>,
    pub initial: Vec<usize>,
    /// The number of transitions, initial states included.
    pub transitions: usize,
    /// The number of distinct runs of handlers.
    pub handler_runs: usize,
}

/// When the messages of a handler enter the network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// Atomically at the end of the step.
    WithTheStep,
    /// One after the other; other actors may take steps in between.
    OneByOne,
}

/// Explores; `None` if there are more than `limit` states.
pub fn explore(case: &Case, limit: usize) -> Option<Graph> {
    explore_with(case, Sends::WithTheStep, limit)
}

/// Explores; `None` if there are more than `limit` states.
pub fn explore_with(case: &Case, sends: Sends, limit: usize) -> Option<Graph> {
    let mut search = Search { case, sends, runs: HashSet::new() };
    let mut ids: HashMap<Key, usize> = HashMap::new();
    let mut graph = Graph {
        worlds: vec![],
        keys: vec![],
        successors: vec![],
        depth: vec![],
        initial: vec![],
        transitions: 0,
        handler_runs: 0,
    };
    let mut queue = VecDeque::new();
    let mut add = |graph: &mut Graph, queue: &mut VecDeque<usize>, world: World, depth: usize| {
        let key = world.key(case);
        graph.transitions += 1;
        *ids.entry(key.clone()).or_insert_with(|| {
            graph.worlds.push(world);
            graph.keys.push(key);
            graph.successors.push(vec![]);
            graph.depth.push(depth);
            queue.push_back(graph.worlds.len() - 1);
            graph.worlds.len() - 1
        })
    };
    for world in search.initial() {
        let id = add(&mut graph, &mut queue, world, 0);
        graph.initial.push(id);
    }
    while let Some(id) = queue.pop_front() {
        if graph.worlds.len() > limit {
            return None;
        }
        for world in search.steps(&graph.worlds[id].clone()) {
            let depth = graph.depth[id] + 1;
            let to = add(&mut graph, &mut queue, world, depth);
            graph.successors[id].push(to);
        }
    }
    graph.handler_runs = search.runs.len();
    Some(graph)
}

impl Graph {
    /// The terminal states in which no handler failed.
    pub fn finals(&self) -> impl Iterator<Item = usize> {
        (0..self.worlds.len()).filter(|&id| self.successors[id].is_empty() && self.worlds[id].failed.is_none())
    }

    /// The states in which a handler failed.
    pub fn failures(&self) -> impl Iterator<Item = usize> {
        (0..self.worlds.len()).filter(|&id| self.worlds[id].failed.is_some())
    }

    /// The states from which some path stays in states with `lacks` for ever, or to its end: the greatest set of such states that can be left for no
    /// other state, or for a state of the set. A step that changes nothing is no step.
    pub fn avoiding(&self, lacks: impl Fn(&World) -> bool) -> Vec<bool> {
        let mut inside: Vec<bool> = self.worlds.iter().map(lacks).collect();
        loop {
            let stays = |id: usize| {
                let mut next = self.successors[id].iter().filter(|&&next| next != id).peekable();
                next.peek().is_none() || next.any(|&next| inside[next])
            };
            let Some(out) = (0..inside.len()).find(|&id| inside[id] && !stays(id)) else { return inside };
            inside[out] = false;
        }
    }

    /// Whether `holds` is true somewhere on every maximal path.
    pub fn eventually(&self, holds: impl Fn(&World) -> bool) -> bool {
        let avoiding = self.avoiding(|world| !holds(world));
        !self.initial.iter().any(|&id| avoiding[id])
    }

    /// Whether `holds` is true again and again on every maximal path.
    pub fn always_eventually(&self, holds: impl Fn(&World) -> bool) -> bool {
        !self.avoiding(|world| !holds(world)).contains(&true)
    }

    /// Whether after each state with `when` every maximal path has a state with `then`.
    pub fn leads_to(&self, when: impl Fn(&World) -> bool, then: impl Fn(&World) -> bool) -> bool {
        let avoiding = self.avoiding(|world| !then(world));
        !(0..self.worlds.len()).any(|id| avoiding[id] && when(&self.worlds[id]))
    }
}

struct Search<'a> {
    case: &'a Case,
    sends: Sends,
    runs: HashSet<RunKey>,
}

impl Search<'_> {
    fn initial(&mut self) -> Vec<World> {
        let n = self.case.actors.len();
        let actor = ActorState { status: Status::New, timers: BTreeSet::new(), past: 0, outbox: VecDeque::new() };
        let blank = World {
            actors: vec![actor; n],
            messages: vec![],
            sent: 0,
            left: self.case.faults,
            split: None,
            failed: None,
        };
        if (0..n).any(|from| (0..n).any(|to| self.case.channel(from, to) == Network::Mbox)) {
            return vec![blank];
        }
        // The order in which the actors start is not observable, so all have started in the initial states.
        let mut worlds = vec![blank];
        for actor in 0..n {
            let each = |world: World| match world.failed {
                Some(_) => vec![world],
                None => self.handle(&world, actor, Input::Start),
            };
            worlds = worlds.into_iter().flat_map(each).collect();
        }
        worlds
    }

    /// The states after each run of a handler.
    fn handle(&mut self, world: &World, n: usize, input: Input) -> Vec<World> {
        let actor = &world.actors[n];
        let mut after = Vec::new();
        for (script, result) in runs(&self.case.actors[n], n, actor, input) {
            self.runs.insert((n, actor.status, actor.timers.clone(), input, script));
            let mut next = world.clone();
            next.settle(n, result);
            if self.sends == Sends::WithTheStep {
                next.post_all(self.case, n);
            }
            after.push(next);
        }
        after
    }

    /// The states after each macro step.
    fn steps(&mut self, world: &World) -> Vec<World> {
        if world.failed.is_some() {
            return vec![];
        }
        let mut after = Vec::new();
        for n in 0..world.actors.len() {
            let mut posted = world.clone();
            if posted.post(self.case, n) {
                after.push(posted);
                continue;
            }
            match world.actors[n].status {
                Status::New => after.extend(self.handle(world, n, Input::Start)),
                Status::Up(_) => {
                    for &timer in &world.actors[n].timers {
                        after.extend(self.handle(world, n, Input::Timer(timer)));
                    }
                }
                Status::Down(_) => {}
            }
        }
        for nth in world.deliverables(self.case) {
            self.messages(world, nth, &mut after);
        }
        self.crashes(world, &mut after);
        self.splits(world, &mut after);
        after
    }

    /// A message is delivered, delivered and duplicated, or lost.
    fn messages(&mut self, world: &World, nth: usize, after: &mut Vec<World>) {
        let Message { id, from, to, tag, past } = world.messages[nth];
        let mut kept = world.clone();
        kept.actors[to].past |= past | 1 << id;
        let mut taken = kept.clone();
        taken.messages.remove(nth);
        after.extend(self.handle(&taken, to, Input::Message(from, tag)));
        if from == to && !self.case.own_faults {
            return;
        }
        if world.left.duplicates > 0 {
            kept.left.duplicates -= 1;
            after.extend(self.handle(&kept, to, Input::Message(from, tag)));
        }
        if world.left.losses > 0 {
            let mut lost = world.clone();
            lost.messages.remove(nth);
            lost.left.losses -= 1;
            after.push(lost);
        }
    }

    /// Actors crash and restart.
    fn crashes(&mut self, world: &World, after: &mut Vec<World>) {
        for (n, actor) in world.actors.iter().enumerate() {
            let may_crash = self.case.may_crash.as_ref().is_none_or(|may_crash| may_crash.contains(&n));
            match actor.status {
                Status::Up(local) if may_crash && world.left.crashes > 0 => {
                    self.runs.insert((n, actor.status, BTreeSet::new(), Input::Crash, vec![]));
                    let mut next = world.clone();
                    next.left.crashes -= 1;
                    let kept = self.case.actors[n].durable[usize::from(local.at)];
                    next.actors[n].status = Status::Down(kept.map(|at| Local { at, ..local }));
                    next.actors[n].timers.clear();
                    if self.case.faults.restarts == 0 {
                        next.messages.retain(|m| m.to != n);
                    }
                    after.push(next);
                }
                Status::Down(_) if world.left.restarts > 0 => {
                    let mut next = world.clone();
                    next.left.restarts -= 1;
                    after.extend(self.handle(&next, n, Input::Restart));
                }
                _ => {}
            }
        }
    }

    /// The network is partitioned, or the partition heals.
    fn splits(&mut self, world: &World, after: &mut Vec<World>) {
        let mut next = world.clone();
        if world.split.is_some() {
            next.split = None;
            return after.push(next);
        }
        if world.left.splits == 0 {
            return;
        }
        next.left.splits -= 1;
        // The side without the first actor represents the partition.
        let all = (1..1 << (world.actors.len() - 1)).map(|half: u64| half << 1).collect();
        for side in self.case.side.map_or(all, |side| vec![side]) {
            after.push(World { split: Some(side), ..next.clone() });
        }
    }
}
