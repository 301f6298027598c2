//! The naive explorer of such systems, from the definitions: a global state is a map from ids to actors, and one list of the messages in flight in the
//! order of sending, each with the set of all messages causally before it.

use super::automaton::{Automaton, Class};
use super::program::{Action, Alternative, Case, Handler, Kind, Local, Reception, TIMER, To};
use manyworlds_actor::Faults;
use manyworlds_core::{Network, Pid, Temperature};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// The path of an id: the number of the declared actor, then spawn numbers.
pub type Id = Vec<u32>;

/// The id that the engine gives it.
pub fn pid(id: &Id) -> Pid {
    id[1..].iter().fold(Pid::root(id[0] as u16), |pid, &nth| pid.child(nth))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    New,
    Up(Local),
    Down(Option<Local>),
    Halted,
}

/// An actor in a global state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Being {
    pub status: Status,
    pub timer: bool,
    pub kind: u8,
    /// The fuel with which it starts.
    pub fuel: u8,
    pub spawned: u32,
    /// The messages causally before its next step.
    pub past: BTreeSet<u32>,
}

/// A message in flight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub number: u32,
    pub from: Id,
    pub to: Id,
    pub tag: u8,
    pub past: BTreeSet<u32>,
}

/// A global state.
#[derive(Clone, Debug)]
pub struct World {
    pub actors: BTreeMap<Id, Being>,
    pub messages: Vec<Message>,
    pub sent: u32,
    pub left: Faults,
    /// The actor that failed, and why.
    pub failed: Option<(Id, String)>,
    /// The states of the monitors.
    pub monitors: Vec<u8>,
    /// Which monitors were cold after some event of the last step; this is not a part of the state.
    pub cooled: Vec<bool>,
}

/// The canonical form of a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The parts that the engine shows.
    pub text: String,
    pub causes: String,
}

/// The queue in which a message waits, or the whole message where there is no queue.
fn queue(network: Network, from: &str, to: &str) -> String {
    match network {
        Network::Mbox => format!("*>{to}"),
        Network::Asyn => format!(">{to}"),
        _ => format!("{from}>{to}"),
    }
}

/// The text of a state of the engine or of this explorer; `messages` are (from, to, tag) in the order of each queue.
pub fn text(
    network: Network,
    locals: &[String],
    messages: &[(String, String, u8)],
    left: Faults,
    failed: Option<&(String, String)>,
    monitors: &[u8],
) -> String {
    let mut queues: BTreeMap<String, Vec<(String, u8)>> = BTreeMap::new();
    for (from, to, tag) in messages {
        queues.entry(queue(network, from, to)).or_default().push((from.clone(), *tag));
    }
    if network == Network::Asyn {
        queues.values_mut().for_each(|queue| queue.sort());
    }
    format!("{locals:?} {queues:?} {left:?} {failed:?} {monitors:?}")
}

impl World {
    fn kind<'a>(&self, case: &'a Case, id: &Id) -> &'a Kind {
        &case.kinds[usize::from(self.actors[id].kind)]
    }

    pub fn name(&self, id: &Id) -> String {
        if id.len() == 1 { format!("actor {}", id[0]) } else { format!("kind {}", self.actors[id].kind) }
    }

    /// The local state of an actor as the engine displays it.
    fn local(&self, id: &Id) -> String {
        let being = &self.actors[id];
        let mut shown = match being.status {
            Status::New => "New -".to_string(),
            Status::Up(local) if being.timer => format!("{local:?} {:?}", [TIMER]),
            Status::Up(local) => format!("{local:?}"),
            Status::Down(None) => "Down -".to_string(),
            Status::Down(Some(local)) => format!("Down {local:?}"),
            Status::Halted => "Halted -".to_string(),
        };
        if being.spawned > 0 && being.status != Status::Halted {
            shown += &format!(" +{}", being.spawned);
        }
        if id.len() == 1 {
            return shown;
        }
        let pid = pid(id);
        // Of an actor that has halted nothing is left but its id.
        let name = if being.status == Status::Halted { pid.to_string() } else { self.name(id) };
        format!("{pid} {name} {shown}")
    }

    pub fn locals(&self) -> Vec<String> {
        let mut ids: Vec<&Id> = self.actors.keys().collect();
        ids.sort_by_key(|id| (id.len() > 1, pid(id)));
        ids.into_iter().map(|id| self.local(id)).collect()
    }

    pub fn key(&self, case: &Case) -> Key {
        let shown = |m: &Message| (pid(&m.from).to_string(), pid(&m.to).to_string(), m.tag);
        let messages: Vec<_> = self.messages.iter().map(shown).collect();
        let failed = self.failed.as_ref().map(|(id, why)| (pid(id).to_string(), why.clone()));
        let text = text(case.network, &self.locals(), &messages, self.left, failed.as_ref(), &self.monitors);
        let codes: Vec<_> = self.actors.iter().map(|(id, being)| (id, being.fuel, being.kind, &being.status)).collect();
        let codes: Vec<_> = codes.iter().filter(|(.., status)| **status != Status::Halted).collect();
        let mut causes = format!("{codes:?}");
        if case.network == Network::Cd {
            let of_actors: Vec<_> = self.actors.values().map(|being| self.names(&being.past)).collect();
            let mut of_messages: Vec<_> =
                self.messages.iter().map(|m| (&m.from, &m.to, self.place(m), m.tag, self.names(&m.past))).collect();
            of_messages.sort();
            causes += &format!("{of_actors:?} {of_messages:?}");
        }
        Key { text, causes }
    }

    fn place(&self, m: &Message) -> usize {
        let channel = self.messages.iter().filter(|o| (&o.from, &o.to) == (&m.from, &m.to));
        channel.take_while(|o| o.number != m.number).count()
    }

    /// The messages in flight that are in a causal past.
    fn names(&self, past: &BTreeSet<u32>) -> Vec<(Id, Id, usize)> {
        let inside = self.messages.iter().filter(|m| past.contains(&m.number));
        let mut names: Vec<_> = inside.map(|m| (m.from.clone(), m.to.clone(), self.place(m))).collect();
        names.sort();
        names
    }

    fn reception(&self, case: &Case, m: &Message) -> Option<Reception> {
        let Status::Up(local) = self.actors[&m.to].status else { return None };
        Some(self.kind(case, &m.to).rows[usize::from(local.at)].0[usize::from(m.tag)].0)
    }

    /// Whether a message can be received next: its receiver is up and does not defer it, and nothing that must be received before it and is not deferred
    /// is in flight.
    fn is_next(&self, case: &Case, nth: usize) -> bool {
        let m = &self.messages[nth];
        let waits = |o: &Message| o.to == m.to && self.reception(case, o) != Some(Reception::Defer);
        if self.reception(case, m).is_none_or(|reception| reception == Reception::Defer) {
            return false;
        }
        let earlier = &self.messages[..nth];
        match case.network {
            Network::Asyn => true,
            Network::P2p => !earlier.iter().any(|o| o.from == m.from && waits(o)),
            Network::Mbox => !earlier.iter().any(waits),
            Network::Cd => !self.messages.iter().any(|o| m.past.contains(&o.number) && waits(o)),
        }
    }

    /// The messages that can be received next, equal ones once.
    fn nexts(&self, case: &Case) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let new = |&nth: &usize| {
            let m = &self.messages[nth];
            let past = if case.network == Network::Cd { self.names(&m.past) } else { Vec::new() };
            let place = if case.network == Network::Cd { self.place(m) } else { 0 };
            self.is_next(case, nth) && seen.insert((m.from.clone(), m.to.clone(), m.tag, place, past))
        };
        (0..self.messages.len()).filter(new).collect()
    }

    /// The states after an actor has run a handler.
    fn handle(
        &self,
        case: &Case,
        me: &Id,
        before: Local,
        handler: &Handler,
        message: Option<(&Id, u8)>,
        free: bool,
    ) -> Vec<World> {
        let from = message.map(|(from, _)| from);
        let receipt: Vec<Class> = message.iter().map(|(_, tag)| Class::Receives(*tag)).collect();
        if handler.is_empty() || (!free && before.fuel == 0) {
            let mut quiet = self.clone();
            if let Err(why) = quiet.observe(case, me, &receipt) {
                return vec![World { failed: Some((me.clone(), why)), ..self.clone() }];
            }
            quiet.actors.get_mut(me).expect("it runs").status = Status::Up(before);
            return vec![quiet];
        }
        handler
            .iter()
            .map(|chosen| {
                self.run(case, me, before, chosen, from, (free, &receipt)).unwrap_or_else(|why| {
                    // A step that fails has no other effect than the removal of its input, which the caller has done.
                    World { failed: Some((me.clone(), why)), ..self.clone() }
                })
            })
            .collect()
    }

    /// The states after the timer of an actor without fuel has expired.
    fn tick(&self, case: &Case, me: &Id, before: Local, handler: &Handler) -> Vec<World> {
        if !self.kind(case, me).ticks {
            return self.handle(case, me, before, handler, None, false);
        }
        let quiet = |chosen: &Alternative| {
            let notes = chosen.actions.iter().filter(|action| matches!(action, Action::Note(_))).copied().collect();
            Alternative { actions: notes, halts: false, fails: false, ..chosen.clone() }
        };
        let handler: Handler = handler.iter().map(quiet).collect();
        self.handle(case, me, before, &handler, None, true)
    }

    fn run(
        &self,
        case: &Case,
        me: &Id,
        before: Local,
        chosen: &Alternative,
        from: Option<&Id>,
        (free, receipt): (bool, &[Class]),
    ) -> Result<World, String> {
        let mut world = self.clone();
        let mut local = Local { at: chosen.next, fuel: before.fuel - u8::from(!free), ..before };
        let child_id = |nth: u32| me.iter().copied().chain([nth]).collect::<Id>();
        let mut actions = Vec::new();
        for &action in &chosen.actions {
            let spawned = world.actors[me].spawned;
            match action {
                Action::Spawn(kind) if local.fuel > 0 => {
                    local.fuel -= 1;
                    let id = child_id(spawned);
                    local.child = Some(pid(&id));
                    world.actors.get_mut(me).expect("it runs").spawned += 1;
                    actions.push((action, id, kind, local.fuel));
                }
                Action::Send(to, tag) => {
                    let last = child_id(spawned.wrapping_sub(1));
                    let to = match to {
                        To::Declared(n) => vec![u32::from(n)],
                        To::Sender => from.unwrap_or(me).clone(),
                        To::Parent if me.len() > 1 => me[..me.len() - 1].to_vec(),
                        To::Child if local.child.is_some() => last,
                        _ => me.clone(),
                    };
                    actions.push((action, to, tag, 0));
                }
                _ => {}
            }
        }
        if chosen.fails {
            return Err(format!("row {}", chosen.next));
        }
        let new = actions.iter().filter(|(action, ..)| matches!(action, Action::Spawn(_))).count();
        let created = self.actors.keys().filter(|id| id.len() > 1).count();
        if new > 0 && created + new > usize::from(case.creates) {
            return Err("more actors are created".to_string());
        }
        if case.forbids_halted {
            let halted = |to: &Id| self.actors.get(to).is_some_and(|being| being.status == Status::Halted);
            let sends = actions.iter().filter(|(action, ..)| matches!(action, Action::Send(..)));
            if let Some((_, to, tag, _)) = sends.into_iter().find(|(_, to, ..)| halted(to)) {
                return Err(format!("{tag} was sent to {:?}, which has halted", pid(to)));
            }
        }
        let mut events = receipt.to_vec();
        for (action, id, what, fuel) in actions {
            let past = world.actors[me].past.clone();
            match action {
                Action::Spawn(_) => {
                    let being = Being { status: Status::New, timer: false, kind: what, fuel, spawned: 0, past };
                    world.actors.insert(id, being);
                    events.push(Class::Creates);
                }
                _ => {
                    events.push(Class::Sends(what));
                    let enters = world.post(case, me, id, what);
                    events.extend(enters.then_some(Class::Enqueues(what)));
                }
            }
        }
        let notes = chosen.actions.iter().filter_map(|action| match action {
            Action::Note(n) => Some(Class::Records(*n)),
            _ => None,
        });
        events.extend(notes);
        events.extend(chosen.halts.then_some(Class::Halts));
        world.observe(case, me, &events)?;
        let being = world.actors.get_mut(me).expect("it runs");
        being.status = Status::Up(local);
        being.timer |= chosen.sets_timer;
        if chosen.halts {
            being.status = Status::Halted;
            (being.timer, being.past) = (false, BTreeSet::new());
            world.messages.retain(|m| m.to != *me);
        }
        Ok(world)
    }

    /// A message enters the network, unless nobody can ever receive it.
    fn post(&mut self, case: &Case, me: &Id, to: Id, tag: u8) -> bool {
        let (number, past) = (self.sent, self.actors[me].past.clone());
        let vanishes = match self.actors[&to].status {
            Status::Halted => true,
            Status::Down(_) => case.faults.restarts == 0,
            _ => false,
        };
        if !vanishes {
            self.sent += 1;
            self.actors.get_mut(me).expect("it runs").past.insert(number);
            self.messages.push(Message { number, from: me.clone(), to, tag, past });
        }
        !vanishes
    }

    /// The monitors see what an actor does; the first event at which one of them fails is why.
    fn observe(&mut self, case: &Case, me: &Id, events: &[Class]) -> Result<(), String> {
        self.cooled = vec![false; case.monitors.len()];
        for &class in events {
            for ((monitor, state), cooled) in case.monitors.iter().zip(&mut self.monitors).zip(&mut self.cooled) {
                if monitor.sees(*me == [0], class) {
                    let next = monitor.next[usize::from(*state)][class.number()];
                    *state = next.ok_or_else(|| format!("{class:?} in state {state}"))?;
                    *cooled |= monitor.temperatures[usize::from(*state)] == Temperature::Cold;
                }
            }
        }
        Ok(())
    }

    /// Whether some monitor is in a hot state.
    pub fn is_hot(&self, case: &Case) -> bool {
        let temperature = |(monitor, &state): (&Automaton, &u8)| monitor.temperatures[usize::from(state)];
        case.monitors.iter().zip(&self.monitors).map(temperature).any(|temperature| temperature == Temperature::Hot)
    }

    fn start(&self, case: &Case, id: &Id) -> Vec<World> {
        let before = Local { at: 0, fuel: self.actors[id].fuel, child: None };
        self.handle(case, id, before, &self.kind(case, id).start, None, true)
    }

    fn steps(&self, case: &Case) -> Vec<World> {
        let mut after = Vec::new();
        if self.failed.is_some() {
            return after;
        }
        if !self.cooled.is_empty() {
            return World { cooled: vec![], ..self.clone() }.steps(case);
        }
        for (id, being) in &self.actors {
            match being.status {
                Status::New => after.extend(self.start(case, id)),
                Status::Up(local) if being.timer => {
                    let mut expired = self.clone();
                    expired.actors.get_mut(id).expect("there").timer = false;
                    let handler = &self.kind(case, id).rows[usize::from(local.at)].1;
                    let mut done = match local.fuel {
                        0 => expired.tick(case, id, local, handler),
                        _ => expired.handle(case, id, local, handler, None, false),
                    };
                    // A step that fails changes nothing: the timer is still set.
                    let failed = done.iter_mut().filter(|world| world.failed.is_some());
                    failed.for_each(|world| world.actors.get_mut(id).expect("there").timer = true);
                    after.extend(done);
                }
                _ => {}
            }
        }
        for nth in self.nexts(case) {
            self.receive(case, nth, &mut after);
        }
        self.crashes(case, &mut after);
        after
    }

    fn receive(&self, case: &Case, nth: usize, after: &mut Vec<World>) {
        let m = self.messages[nth].clone();
        let mut kept = self.clone();
        let being = kept.actors.get_mut(&m.to).expect("there");
        being.past.extend(m.past.iter().copied().chain([m.number]));
        let mut taken = kept.clone();
        taken.messages.remove(nth);
        let takes = |world: &World| match (self.reception(case, &m), world.actors[&m.to].status) {
            (Some(Reception::Take), Status::Up(local)) => {
                let (_, handler) = &self.kind(case, &m.to).rows[usize::from(local.at)].0[usize::from(m.tag)];
                world.handle(case, &m.to, local, handler, Some((&m.from, m.tag)), false)
            }
            _ => vec![world.clone()],
        };
        after.extend(takes(&taken));
        if m.from == m.to && !case.faults_hit_own() {
            return;
        }
        if self.left.duplicates > 0 {
            kept.left.duplicates -= 1;
            after.extend(takes(&kept));
        }
        if self.left.losses > 0 {
            let mut lost = self.clone();
            lost.messages.remove(nth);
            lost.left.losses -= 1;
            after.push(lost);
        }
    }

    fn crashes(&self, case: &Case, after: &mut Vec<World>) {
        for (id, being) in &self.actors {
            let mut next = self.clone();
            match being.status {
                Status::Up(local) if self.left.crashes > 0 => {
                    next.left.crashes -= 1;
                    let kept = self.kind(case, id).durable[usize::from(local.at)];
                    let being = next.actors.get_mut(id).expect("there");
                    being.status = Status::Down(kept.map(|at| Local { at, ..local }));
                    being.timer = false;
                    if case.faults.restarts == 0 {
                        next.messages.retain(|m| m.to != *id);
                    }
                    after.push(next);
                }
                Status::Down(kept) if self.left.restarts > 0 => {
                    next.left.restarts -= 1;
                    match kept {
                        Some(local) => {
                            next.actors.get_mut(id).expect("there").status = Status::Up(local);
                            after.push(next);
                        }
                        None => after.extend(next.start(case, id)),
                    }
                }
                _ => {}
            }
        }
    }
}

/// The state graph of a system.
pub struct Graph {
    pub worlds: Vec<World>,
    pub keys: Vec<Key>,
    pub successors: Vec<Vec<usize>>,
    pub transitions: usize,
    pub depth: Vec<usize>,
    /// For each successor which monitors were cold on the way to it.
    pub cooled: Vec<Vec<Vec<bool>>>,
}

impl Graph {
    /// Whether some state can be reached from itself.
    pub fn goes_round(&self) -> bool {
        (0..self.worlds.len()).any(|id| self.reaches_itself(id, |_, _| true, |_, _| true))
    }

    /// Whether a path of one step or more leads from a state back to it through such states and by such steps.
    fn reaches_itself(
        &self,
        id: usize,
        by: impl Fn(usize, usize) -> bool,
        step: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let (mut seen, mut open) = (vec![false; self.worlds.len()], vec![id]);
        while let Some(at) = open.pop() {
            for (nth, &to) in self.successors[at].iter().enumerate() {
                if !step(at, nth) || !by(at, to) {
                    continue;
                }
                if to == id {
                    return true;
                }
                if !seen[to] {
                    seen[to] = true;
                    open.push(to);
                }
            }
        }
        false
    }

    /// Whether a path ends while a monitor is hot, or goes round through a hot state and never cools. A step to the same state is none.
    pub fn stays_hot(&self, case: &Case, monitor: usize) -> bool {
        let is = |id: usize, wanted: Temperature| {
            let world = &self.worlds[id];
            case.monitors[monitor].temperatures[usize::from(world.monitors[monitor])] == wanted
        };
        (0..self.worlds.len()).filter(|&id| self.worlds[id].failed.is_none() && is(id, Temperature::Hot)).any(|id| {
            let ends = self.successors[id].iter().all(|&to| to == id);
            let moves = |at: usize, to: usize| at != to && !is(to, Temperature::Cold);
            let warm = |at: usize, nth: usize| !self.cooled[at][nth].get(monitor).copied().unwrap_or(false);
            ends || self.reaches_itself(id, moves, warm)
        })
    }

    pub fn finals(&self) -> impl Iterator<Item = usize> {
        (0..self.worlds.len()).filter(|&id| self.successors[id].is_empty() && self.worlds[id].failed.is_none())
    }

    pub fn fails(&self) -> bool {
        self.worlds.iter().any(|world| world.failed.is_some())
    }
}

fn initial(case: &Case) -> Vec<World> {
    let being = |&(kind, fuel): &(u8, u8)| Being {
        status: Status::New,
        timer: false,
        kind,
        fuel,
        spawned: 0,
        past: BTreeSet::new(),
    };
    let actors = case.declared.iter().zip(0..).map(|(declared, n)| (vec![n], being(declared))).collect();
    let blank = World {
        actors,
        messages: Vec::new(),
        sent: 0,
        left: case.faults,
        failed: None,
        monitors: vec![0; case.monitors.len()],
        cooled: vec![],
    };
    if case.network == Network::Mbox {
        return vec![blank];
    }
    // In which order declared actors start makes no difference.
    (0..case.declared.len() as u32).fold(vec![blank], |worlds, n| {
        let start = |world: World| match world.failed {
            Some(_) => vec![world],
            None => world.start(case, &vec![n]),
        };
        worlds.into_iter().flat_map(start).collect()
    })
}

/// Explores; `None` if there are more than `limit` states.
pub fn explore(case: &Case, limit: usize) -> Option<Graph> {
    let (mut ids, mut queue) = (HashMap::new(), VecDeque::new());
    let mut graph =
        Graph { worlds: vec![], keys: vec![], successors: vec![], transitions: 0, depth: vec![], cooled: vec![] };
    let mut add = |graph: &mut Graph, queue: &mut VecDeque<usize>, world: World, depth: usize| {
        graph.transitions += 1;
        let key = world.key(case);
        *ids.entry(key.clone()).or_insert_with(|| {
            graph.worlds.push(world);
            graph.keys.push(key);
            graph.successors.push(vec![]);
            graph.cooled.push(vec![]);
            graph.depth.push(depth);
            queue.push_back(graph.worlds.len() - 1);
            graph.worlds.len() - 1
        })
    };
    for world in initial(case) {
        add(&mut graph, &mut queue, world, 0);
    }
    while let Some(id) = queue.pop_front() {
        if graph.worlds.len() > limit {
            return None;
        }
        for world in graph.worlds[id].steps(case) {
            let depth = graph.depth[id] + 1;
            let cooled = world.cooled.clone();
            let to = add(&mut graph, &mut queue, world, depth);
            graph.successors[id].push(to);
            graph.cooled[id].push(cooled);
        }
    }
    Some(graph)
}
