//! The naive explorer: global states are plain cloned values, and what may happen in one is read off the definitions.
//!
//! All messages on their way are one list in the order of sending, each with the set of all messages that are causally before it. Which of
//! them may be delivered is then a line for each network.

use crate::table::{Case, Cost, Deed, Entry, Local, TAGS, TIMERS, Table, To};
use manyworlds_actor::Faults;
use manyworlds_core::Network;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// Whether an actor runs, and what it remembers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Life {
    New,
    Up(Local),
    Down(Option<Local>),
}

/// An actor in a global state.
#[derive(Clone, Debug)]
pub struct Being {
    pub life: Life,
    pub timers: BTreeSet<usize>,
    /// The messages causally before its next step: a bit for each.
    past: u64,
    /// What its handler sent and the network does not have yet; empty unless sends are steps of their own.
    outbox: VecDeque<(usize, u8)>,
}

/// A message on its way.
#[derive(Clone, Debug)]
struct Mail {
    id: u32,
    from: usize,
    to: usize,
    tag: u8,
    past: u64,
}

/// What a handler reacts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Input {
    Start,
    Message(usize, u8),
    Timer(usize),
    Restart,
}

/// What a handler does.
struct Effect {
    local: Local,
    timers: BTreeSet<usize>,
    sends: Vec<(usize, u8)>,
}

/// The run of a handler: the answers to its choices and what came of it, or the words with which it failed.
type Run = (Vec<u32>, Result<Effect, String>);

/// A handler run as the locals table knows it: actor, situation, input, answers.
type RunKey = (usize, Life, BTreeSet<usize>, Input, Vec<u32>);

/// A global state.
#[derive(Clone, Debug)]
pub struct World {
    pub actors: Vec<Being>,
    mail: Vec<Mail>,
    sent: u32,
    left: Faults,
    split: Option<u64>,
    /// Who failed, and the words.
    pub failed: Option<(usize, String)>,
}

/// The canonical form: two states are the same iff this is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// Locals, messages by queue, budgets.
    pub text: String,
    /// The messages on their way under causal delivery that are before each actor and each message.
    pub causes: String,
    pub failed: Option<(usize, String)>,
}

/// The queue in which a message waits; a bag under asyn.
pub fn queue(network: Network, from: usize, to: usize) -> String {
    match network {
        Network::Mbox => format!("*>{to}"),
        network => format!("{from}>{to} {network}"),
    }
}

/// The text of a state, whoever keeps it: `mail` is (from, to, tag) in the order of each queue.
pub fn text(case: &Case, locals: &[String], mail: &[(usize, usize, u8)], left: Faults, split: Option<u64>) -> String {
    let mut queues: BTreeMap<String, Vec<(usize, u8)>> = BTreeMap::new();
    for &(from, to, tag) in mail {
        queues.entry(queue(case.channel(from, to), from, to)).or_default().push((from, tag));
    }
    queues.iter_mut().filter(|(name, _)| name.ends_with("asyn")).for_each(|(_, mail)| mail.sort());
    // A split has two sides; the one without the first actor stands for both.
    let all = (1 << case.actors.len()) - 1;
    let split = split.map(|side: u64| if side & 1 == 1 { all & !side } else { side });
    format!("{locals:?} {queues:?} {left:?} {split:?}")
}

impl World {
    /// The local situation of an actor, in the words of the engine.
    pub fn local(&self, n: usize) -> String {
        let being = &self.actors[n];
        let timers: Vec<&str> = being.timers.iter().map(|&t| TIMERS[t]).collect();
        match being.life {
            Life::New => "New -".to_string(),
            Life::Up(local) if timers.is_empty() => format!("{local:?}"),
            Life::Up(local) => format!("{local:?} {timers:?}"),
            Life::Down(None) => "Down -".to_string(),
            Life::Down(Some(local)) => format!("Down {local:?}"),
        }
    }

    /// The local situations of all actors.
    pub fn locals(&self) -> Vec<String> {
        (0..self.actors.len()).map(|n| self.local(n)).collect()
    }

    /// What an actor remembers; of one that is down, what survived.
    pub fn get(&self, n: usize) -> Option<Local> {
        match self.actors[n].life {
            Life::Up(local) | Life::Down(Some(local)) => Some(local),
            _ => None,
        }
    }

    /// The row in which an actor is.
    pub fn row(&self, n: usize) -> Option<u8> {
        self.get(n).map(|local| local.at)
    }

    /// The canonical form.
    pub fn key(&self, case: &Case) -> Key {
        let mail: Vec<_> = self.mail.iter().map(|m| (m.from, m.to, m.tag)).collect();
        let actors: Vec<_> = self.actors.iter().map(|being| self.causes(case, being.past)).collect();
        // Messages of a bag in any order, others in the order of their channel.
        let mut mails: Vec<_> = self.mail.iter().enumerate().map(|(i, m)| self.cause(case, i, m)).collect();
        mails.sort();
        let outboxes: Vec<_> = self.actors.iter().map(|being| &being.outbox).collect();
        Key {
            text: text(case, &self.locals(), &mail, self.left, self.split),
            causes: format!("{actors:?} {mails:?} {outboxes:?}"),
            failed: self.failed.clone(),
        }
    }

    /// A message with its place in its queue (none in a bag) and what is before it.
    fn cause(&self, case: &Case, nth: usize, m: &Mail) -> (String, usize, usize, u8, Vec<(usize, usize, usize)>) {
        let network = case.channel(m.from, m.to);
        let name = queue(network, m.from, m.to);
        let same = |other: &&Mail| queue(case.channel(other.from, other.to), other.from, other.to) == name;
        let place = if network == Network::Asyn { 0 } else { self.mail[..nth].iter().filter(same).count() };
        (name, place, m.from, m.tag, self.causes(case, m.past))
    }

    /// The messages of `past` on their way under cd, each named by its channel and its place in it.
    fn causes(&self, case: &Case, past: u64) -> Vec<(usize, usize, usize)> {
        let place = |m: &Mail| {
            self.mail.iter().filter(|o| (o.from, o.to) == (m.from, m.to)).position(|o| o.id == m.id).expect("there")
        };
        let before = |m: &&Mail| case.channel(m.from, m.to) == Network::Cd && (past >> m.id) & 1 == 1;
        let mut names: Vec<_> = self.mail.iter().filter(before).map(|m| (m.from, m.to, place(m))).collect();
        names.sort_unstable();
        names
    }

    /// The same with actor `n` called `names[n]`.
    pub fn renamed(&self, names: &[usize]) -> World {
        let mut world = self.clone();
        for (n, being) in self.actors.iter().enumerate() {
            world.actors[names[n]] = being.clone();
        }
        for mail in &mut world.mail {
            (mail.from, mail.to) = (names[mail.from], names[mail.to]);
        }
        let moved = |side: u64| (0..names.len()).filter(|n| (side >> n) & 1 == 1).fold(0, |to, n| to | 1 << names[n]);
        world.split = self.split.map(moved);
        world.failed = self.failed.clone().map(|(n, words)| (names[n], words));
        world
    }

    /// Whether the network lets this message through now: nothing that must come first is on its way.
    fn deliverable(&self, case: &Case, nth: usize) -> bool {
        let m = &self.mail[nth];
        let earlier = &self.mail[..nth];
        let network = |o: &Mail| case.channel(o.from, o.to);
        let free = match network(m) {
            Network::Asyn => true,
            Network::P2p => !earlier.iter().any(|o| (o.from, o.to) == (m.from, m.to)),
            Network::Mbox => !earlier.iter().any(|o| o.to == m.to && network(o) == Network::Mbox),
            Network::Cd => {
                let first = |o: &Mail| o.to == m.to && network(o) == Network::Cd && (m.past >> o.id) & 1 == 1;
                !self.mail.iter().any(|o| o.id != m.id && first(o))
            }
        };
        let side = |n: usize| self.split.map(|side| (side >> n) & 1);
        let waits = matches!(self.actors[m.to].life, Life::Up(_)) && self.actors[m.to].outbox.is_empty();
        free && waits && side(m.from) == side(m.to)
    }

    /// The deliverable messages, equal ones once.
    fn deliverables(&self, case: &Case) -> Vec<usize> {
        let mut seen = HashSet::new();
        let new = |&i: &usize| {
            let m = &self.mail[i];
            self.deliverable(case, i) && seen.insert((m.from, m.to, m.tag, self.causes(case, m.past)))
        };
        (0..self.mail.len()).filter(new).collect()
    }

    /// The actor comes out of its handler.
    fn settle(&mut self, n: usize, result: Result<Effect, String>) {
        let effect = match result {
            Ok(effect) => effect,
            Err(words) => return self.failed = Some((n, words)),
        };
        self.actors[n].life = Life::Up(effect.local);
        self.actors[n].timers = effect.timers;
        self.actors[n].outbox.extend(effect.sends);
    }

    /// The network takes all that a handler sent, in order.
    fn post_all(&mut self, case: &Case, n: usize) {
        while self.post(case, n) {}
    }

    /// The network takes the first message of an outbox, if there is one.
    fn post(&mut self, case: &Case, n: usize) -> bool {
        let Some((to, tag)) = self.actors[n].outbox.pop_front() else { return false };
        let id = self.sent;
        assert!(id < 64, "the system is too large for this explorer");
        self.sent += 1;
        let past = self.actors[n].past;
        self.actors[n].past |= 1 << id;
        if case.faults.restarts > 0 || !matches!(self.actors[to].life, Life::Down(_)) {
            self.mail.push(Mail { id, from: n, to, tag, past });
        }
        true
    }
}

/// All runs of a handler.
fn runs(table: &Table, me: usize, being: &Being, input: Input) -> Vec<Run> {
    let before = match being.life {
        Life::Up(local) | Life::Down(Some(local)) => local,
        Life::New | Life::Down(None) => Local { at: 0, fuel: table.fuel },
    };
    let row = &table.rows[usize::from(before.at)];
    let mut timers = being.timers.clone();
    let (entry, from, free): (&Entry, usize, bool) = match (input, being.life) {
        (Input::Message(from, tag), _) => (&row[usize::from(tag)], from, false),
        (Input::Timer(timer), _) => {
            timers.remove(&timer);
            (&row[TAGS + timer], me, false)
        }
        (Input::Restart, Life::Down(Some(_))) => (&table.restart, me, false),
        _ => (&table.start, me, true),
    };
    if entry.is_empty() || (table.cost == Cost::Steps && !free && before.fuel == 0) {
        return vec![(vec![], Ok(Effect { local: before, timers, sends: vec![] }))];
    }
    let mut all = Vec::new();
    for (i, list) in entry.iter().enumerate() {
        for (j, deed) in list.iter().enumerate() {
            all.push((vec![i as u32, j as u32], run(table, deed, before, timers.clone(), me, from, free)));
        }
    }
    all
}

fn run(
    table: &Table,
    deed: &Deed,
    before: Local,
    mut timers: BTreeSet<usize>,
    me: usize,
    from: usize,
    free: bool,
) -> Result<Effect, String> {
    if deed.fails {
        return Err(format!("deed {}", deed.next));
    }
    let enough = table.cost == Cost::Steps || deed.sends.len() <= usize::from(before.fuel);
    let sends: Vec<(usize, u8)> =
        deed.sends.iter().filter(|_| enough).map(|&(to, tag)| (who(to, me, from), tag)).collect();
    let price = if table.cost == Cost::Sends { sends.len() as u8 } else { u8::from(!free) };
    if let Some(timer) = deed.cancel {
        timers.remove(&timer);
    }
    timers.extend(deed.set);
    Ok(Effect { local: Local { at: deed.next, fuel: before.fuel - price }, timers, sends })
}

fn who(to: To, me: usize, from: usize) -> usize {
    match to {
        To::Actor(n) => n,
        To::Sender => from,
        To::Me => me,
    }
}

/// The whole graph of a system. State 0 up to `initial` are the initial ones.
pub struct Graph {
    pub worlds: Vec<World>,
    pub keys: Vec<Key>,
    pub successors: Vec<Vec<usize>>,
    pub depth: Vec<usize>,
    pub initial: Vec<usize>,
    /// The steps between states and the initial states.
    pub transitions: usize,
    /// How many different runs of handlers there were.
    pub handler_runs: usize,
}

/// When the network takes what a handler sends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// At the end of the step, all at once.
    WithTheStep,
    /// One after the other; others may take steps in between.
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
    /// The states in which nothing more can happen, although nothing failed.
    pub fn finals(&self) -> impl Iterator<Item = usize> {
        (0..self.worlds.len()).filter(|&id| self.successors[id].is_empty() && self.worlds[id].failed.is_none())
    }

    /// The states in which a handler failed.
    pub fn failures(&self) -> impl Iterator<Item = usize> {
        (0..self.worlds.len()).filter(|&id| self.worlds[id].failed.is_some())
    }

    /// Whether `holds` is true somewhere on every maximal path: the greatest set of states without it from which a path can stay inside,
    /// or ends, has no initial state.
    pub fn eventually(&self, holds: impl Fn(&World) -> bool) -> bool {
        let mut inside: Vec<bool> = self.worlds.iter().map(|world| !holds(world)).collect();
        loop {
            let stays =
                |id: usize| self.successors[id].is_empty() || self.successors[id].iter().any(|&next| inside[next]);
            let Some(out) = (0..inside.len()).find(|&id| inside[id] && !stays(id)) else { break };
            inside[out] = false;
        }
        !self.initial.iter().any(|&id| inside[id])
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
        let being = Being { life: Life::New, timers: BTreeSet::new(), past: 0, outbox: VecDeque::new() };
        let blank =
            World { actors: vec![being; n], mail: vec![], sent: 0, left: self.case.faults, split: None, failed: None };
        if (0..n).any(|from| (0..n).any(|to| self.case.channel(from, to) == Network::Mbox)) {
            return vec![blank];
        }
        // Nobody sees in which order the actors start: they all have.
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
        let being = &world.actors[n];
        let mut after = Vec::new();
        for (script, result) in runs(&self.case.actors[n], n, being, input) {
            self.runs.insert((n, being.life, being.timers.clone(), input, script));
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
            match world.actors[n].life {
                Life::New => after.extend(self.handle(world, n, Input::Start)),
                Life::Up(_) => {
                    for &timer in &world.actors[n].timers {
                        after.extend(self.handle(world, n, Input::Timer(timer)));
                    }
                }
                Life::Down(_) => {}
            }
        }
        for nth in world.deliverables(self.case) {
            self.messages(world, nth, &mut after);
        }
        self.crashes(world, &mut after);
        self.splits(world, &mut after);
        after
    }

    /// A message is delivered, delivered and kept, or lost.
    fn messages(&mut self, world: &World, nth: usize, after: &mut Vec<World>) {
        let Mail { id, from, to, tag, past } = world.mail[nth];
        let mut kept = world.clone();
        kept.actors[to].past |= past | 1 << id;
        let mut taken = kept.clone();
        taken.mail.remove(nth);
        after.extend(self.handle(&taken, to, Input::Message(from, tag)));
        if world.left.duplicates > 0 {
            kept.left.duplicates -= 1;
            after.extend(self.handle(&kept, to, Input::Message(from, tag)));
        }
        if world.left.losses > 0 {
            let mut lost = world.clone();
            lost.mail.remove(nth);
            lost.left.losses -= 1;
            after.push(lost);
        }
    }

    /// Actors go down and come up again.
    fn crashes(&mut self, world: &World, after: &mut Vec<World>) {
        for (n, being) in world.actors.iter().enumerate() {
            let mortal = self.case.may_crash.as_ref().is_none_or(|mortal| mortal.contains(&n));
            match being.life {
                Life::Up(local) if mortal && world.left.crashes > 0 => {
                    let mut next = world.clone();
                    next.left.crashes -= 1;
                    let kept = self.case.actors[n].durable[usize::from(local.at)];
                    next.actors[n].life = Life::Down(kept.map(|at| Local { at, ..local }));
                    next.actors[n].timers.clear();
                    if self.case.faults.restarts == 0 {
                        next.mail.retain(|m| m.to != n);
                    }
                    after.push(next);
                }
                Life::Down(_) if world.left.restarts > 0 => {
                    let mut next = world.clone();
                    next.left.restarts -= 1;
                    after.extend(self.handle(&next, n, Input::Restart));
                }
                _ => {}
            }
        }
    }

    /// The network falls apart, or is whole again.
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
        // The side without the first actor stands for both.
        let all = (1..1 << (world.actors.len() - 1)).map(|half: u64| half << 1).collect();
        for side in self.case.side.map_or(all, |side| vec![side]) {
            after.push(World { split: Some(side), ..next.clone() });
        }
    }
}
