//! The system as a transition system for the engines of `explore`.
//!
//! A global state is a vector of ids: a local situation for each actor, what is on its way to each of them (or all of it, where channels
//! are causal), and the weather. A step replaces a few ids; the fingerprint is a sum over the slots and is kept up to date with them. It is
//! made of the prints of what the ids stand for, so it is the same in every run and on every thread.

use crate::causal::Causal;
use crate::faults::{Weather, named_side};
use crate::inbox::{self, Inbox, Key};
use crate::narrate;
use crate::persistent;
use crate::step::Step;
use crate::symmetry::{self, Symmetry};
use crate::system::Blueprint;
use crate::table::{Branch, Entries, Input, Local, Mirrors, NONE, Status, Table};
use crate::view::View;
use manyworlds_core::{LocalStats, Network, TraceProcess, TraceStep, Violation};
use manyworlds_explore::{Model, Property, fingerprint};
use smallvec::SmallVec;
use std::cell::{Ref, RefCell};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A global state.
#[derive(Clone)]
pub struct State {
    print: u128,
    ids: SmallVec<[u32; 20]>,
}

impl State {
    /// A local situation for each actor, what is on its way, the weather.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.ids == other.ids
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.ids.as_slice())
    }
}

/// A system in every world: a transition system over [`State`]s. Each clone has its own mirrors of one shared table.
pub struct Worlds {
    pub(crate) table: Arc<Table>,
    pub(crate) mirrors: RefCell<Mirrors>,
    shape: Shape,
    /// The blank state, once it was needed.
    rest: RefCell<Option<State>>,
    /// Renamings of identical actors, once they were needed.
    symmetry: RefCell<Option<Symmetry>>,
}

/// Where things are in a state.
#[derive(Clone)]
struct Shape {
    actors: usize,
    /// All that is on its way is one slot, because some channel is causal.
    causal: bool,
    /// Starting is a step, because under mbox the order of starts can be seen.
    starts: bool,
    /// A factor for each slot of the fingerprint's sum.
    weights: Arc<[u128]>,
}

impl Shape {
    fn weather(&self) -> usize {
        self.actors + if self.causal { 1 } else { self.actors }
    }
}

impl Clone for Worlds {
    fn clone(&self) -> Worlds {
        Worlds {
            table: self.table.clone(),
            mirrors: RefCell::default(),
            shape: self.shape.clone(),
            rest: RefCell::default(),
            symmetry: RefCell::default(),
        }
    }
}

impl Worlds {
    /// The worlds of a system.
    pub fn new(blueprint: Blueprint) -> Worlds {
        let actors = blueprint.actors.len();
        let causal = blueprint.uses(Network::Cd);
        let starts = blueprint.uses(Network::Mbox);
        // Odd, so that no slot's contribution loses bits.
        let weights = (0..2 * actors + 1).map(|slot| fingerprint::of(&(slot as u64)) | 1).collect();
        let shape = Shape { actors, causal, starts, weights };
        Worlds {
            table: Arc::new(Table::new(blueprint)),
            mirrors: RefCell::default(),
            shape,
            rest: RefCell::default(),
            symmetry: RefCell::default(),
        }
    }

    /// What the system is made of.
    pub fn blueprint(&self) -> &Blueprint {
        &self.table.blueprint
    }

    /// How much user code ran.
    pub fn stats(&self) -> LocalStats {
        self.table.stats()
    }

    /// A state as properties see it.
    pub fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        self.prepare(state);
        View::new(self, self.mirrors.borrow(), state)
    }

    /// The local situations of a state, in words: equal for equal situations in every run.
    pub fn locals_in_words(&self, state: &State) -> Vec<String> {
        let mirrors = self.prepared(state);
        state.ids[..self.shape.actors].iter().map(|&id| show_local(&mirrors, id)).collect()
    }

    /// The whole state in words: equal for equal states in every run.
    pub fn in_words(&self, state: &State) -> String {
        let mirrors = self.prepared(state);
        let mut words: Vec<String> =
            state.ids[..self.shape.actors].iter().map(|&id| show_local(&mirrors, id)).collect();
        let mut pending: Vec<(u16, Option<String>, String)> = self
            .pending(&mirrors, state)
            .into_iter()
            .map(|(to, id)| {
                let envelope = mirrors.envelopes.get(id);
                let shown = format!("{}→{to}: {}", envelope.from, mirrors.values.get(envelope.message).value.show());
                // A bag is sorted by id, and ids differ from run to run; it comes first, and the queues stay as they are.
                let queued = self.blueprint().channel(envelope.from, to) != Network::Asyn;
                (to, (!queued).then(|| shown.clone()), shown)
            })
            .collect();
        pending.sort_by_cached_key(|(to, bag, _)| (*to, bag.is_none(), bag.clone()));
        words.extend(pending.into_iter().map(|(_, _, shown)| shown));
        let weather = mirrors.weathers.get(state.ids[self.shape.weather()]);
        words.push(format!("{:?} {:?} {}", weather.left, weather.split, weather.failed.is_some()));
        if self.shape.causal {
            words.push(format!("{:?}", mirrors.causals.get(state.ids[self.shape.actors]).pasts()));
        }
        words.join("; ")
    }

    /// The part of a state that belongs to no actor.
    pub(crate) fn weather(&self, mirrors: &Mirrors, state: &State) -> Weather {
        (**mirrors.weathers.get(state.ids[self.shape.weather()])).clone()
    }

    /// Whether all that is on its way is one slot.
    pub(crate) fn is_causal(&self) -> bool {
        self.shape.causal
    }

    /// Does something with the table.
    pub(crate) fn with_entries<R>(&self, f: impl FnOnce(&mut Entries, &Blueprint) -> R) -> R {
        self.learn(&mut self.mirrors.borrow_mut(), f)
    }

    /// The state with these ids.
    pub(crate) fn state(&self, ids: &[u32]) -> State {
        let mut state = State { print: 0, ids: ids.into() };
        state.print = self.print(&self.prepared(&state), &state);
        state
    }

    /// The prints of all slots, which order states in the same way in every run.
    pub(crate) fn slot_prints(&self, state: &State) -> SmallVec<[u128; 20]> {
        let mirrors = self.prepared(state);
        state.ids.iter().enumerate().map(|(slot, &id)| self.slot_print(&mirrors, slot, id)).collect()
    }

    /// What is on its way, as (destination, envelope).
    pub(crate) fn pending(&self, mirrors: &Mirrors, state: &State) -> Vec<(u16, u32)> {
        let n = self.shape.actors;
        if self.shape.causal {
            return mirrors.causals.get(state.ids[n]).pending.iter().map(|p| (p.to, p.id)).collect();
        }
        let inbox = |to: usize| mirrors.inboxes.get(state.ids[n + to]).items.iter().map(move |&id| (to as u16, id));
        (0..n).flat_map(inbox).collect()
    }

    /// Makes sure that the mirrors know everything that the state mentions.
    fn prepare(&self, state: &State) {
        let mut mirrors = self.mirrors.borrow_mut();
        let n = self.shape.actors;
        let missing = state.ids[..n].iter().any(|&id| mirrors.locals.misses(id))
            || mirrors.weathers.misses(state.ids[self.shape.weather()])
            || match self.shape.causal {
                true => mirrors.causals.misses(state.ids[n]),
                false => state.ids[n..2 * n].iter().any(|&id| mirrors.inboxes.misses(id)),
            };
        if missing {
            mirrors.update(&self.table.lock());
        }
    }

    pub(crate) fn prepared(&self, state: &State) -> Ref<'_, Mirrors> {
        self.prepare(state);
        self.mirrors.borrow()
    }

    /// Does something with the table that the mirrors do not know yet.
    pub(crate) fn learn<R>(&self, mirrors: &mut Mirrors, f: impl FnOnce(&mut Entries, &Blueprint) -> R) -> R {
        let mut entries = self.table.lock();
        let result = f(&mut entries, self.blueprint());
        mirrors.update(&entries);
        result
    }

    /// What an actor does.
    pub(crate) fn reaction(&self, mirrors: &mut Mirrors, actor: u16, local: u32, input: Input) -> u32 {
        if let Some(&id) = mirrors.reactions.get(&(actor, local, input)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| entries.effects(blueprint, actor, local, input));
        mirrors.reactions.insert((actor, local, input), id);
        id
    }

    fn owner(&self, to: u16) -> u16 {
        if self.blueprint().channels.is_empty() { 0 } else { to }
    }

    fn pushed(&self, mirrors: &mut Mirrors, inbox: u32, envelope: u32, to: u16) -> u32 {
        let owner = self.owner(to);
        if let Some(&id) = mirrors.pushed.get(&(inbox, envelope, owner)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| {
            let key = |id: u32| key(blueprint, entries.envelopes.get(id).from, to, id);
            let items = inbox::push(&entries.inboxes.get(inbox).items, envelope, key);
            entries.inbox(Inbox { owner, items }, |from| blueprint.channel(from, to))
        });
        mirrors.pushed.insert((inbox, envelope, owner), id);
        id
    }

    fn taken(&self, mirrors: &mut Mirrors, inbox: u32, envelope: u32, to: u16) -> u32 {
        if let Some(&id) = mirrors.taken.get(&(inbox, envelope)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| {
            let old = entries.inboxes.get(inbox).clone();
            let items = inbox::take(&old.items, envelope);
            entries.inbox(Inbox { owner: old.owner, items }, |from| blueprint.channel(from, to))
        });
        mirrors.taken.insert((inbox, envelope), id);
        id
    }

    fn set(&self, state: &mut State, slot: usize, id: u32, print: impl Fn(u32) -> u128) {
        let old = std::mem::replace(&mut state.ids[slot], id);
        if old != id {
            let change = print(id).wrapping_sub(print(old));
            state.print = state.print.wrapping_add(change.wrapping_mul(self.shape.weights[slot]));
        }
    }

    fn set_local(&self, mirrors: &Mirrors, state: &mut State, actor: u16, local: u32) {
        self.set(state, usize::from(actor), local, |id| mirrors.locals.print(id));
    }

    fn set_weather(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Weather)) {
        let slot = self.shape.weather();
        let mut weather = (**mirrors.weathers.get(state.ids[slot])).clone();
        change(&mut weather);
        let id = self.learn(mirrors, |entries, _| entries.weather(weather));
        self.set(state, slot, id, |id| mirrors.weathers.print(id));
    }

    fn set_inbox(&self, mirrors: &Mirrors, state: &mut State, to: u16, id: u32) {
        self.set(state, self.shape.actors + usize::from(to), id, |id| mirrors.inboxes.print(id));
    }

    fn change_causal(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Causal)) {
        let slot = self.shape.actors;
        let mut causal = (**mirrors.causals.get(state.ids[slot])).clone();
        change(&mut causal);
        let id =
            self.learn(mirrors, |entries, blueprint| entries.causal(causal, &|from, to| blueprint.channel(from, to)));
        self.set(state, slot, id, |id| mirrors.causals.print(id));
    }

    /// Removes a message; under causal delivery its destination learns its past if it was `read`.
    fn take(&self, mirrors: &mut Mirrors, state: &mut State, to: u16, message: u32, read: bool) {
        if self.shape.causal {
            let blueprint = self.blueprint();
            let network = |from, to| blueprint.channel(from, to);
            return self.change_causal(mirrors, state, |causal| causal.take(message as usize, read, &network));
        }
        let inbox = state.ids[self.shape.actors + usize::from(to)];
        let id = self.taken(mirrors, inbox, message, to);
        self.set_inbox(mirrors, state, to, id);
    }

    /// The envelope that a step speaks of.
    pub(crate) fn envelope(&self, mirrors: &Mirrors, state: &State, message: u32) -> u32 {
        match self.shape.causal {
            true => mirrors.causals.get(state.ids[self.shape.actors]).pending[message as usize].id,
            false => message,
        }
    }

    /// The branch of a handler takes effect: its next situation, then its sends in order, or its failure.
    fn apply(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, effects: u32, branch: u16) {
        if effects as usize >= mirrors.effects.len() {
            mirrors.update(&self.table.lock());
        }
        let effects = mirrors.effects[effects as usize].clone();
        let branch: &Branch = &effects[usize::from(branch)];
        self.set_local(mirrors, state, actor, branch.local);
        if branch.failure != NONE {
            return self.set_weather(mirrors, state, |weather| weather.failed = Some((actor, branch.failure)));
        }
        if self.shape.causal && !branch.sends.is_empty() {
            let blueprint = self.blueprint();
            let network = |from, to| blueprint.channel(from, to);
            let lost: Vec<bool> = branch.sends.iter().map(|send| self.is_gone(mirrors, state, send.to)).collect();
            return self.change_causal(mirrors, state, |causal| {
                for (send, _) in branch.sends.iter().zip(lost).filter(|(_, lost)| !lost) {
                    causal.push(actor, send.to, send.envelope, &network);
                }
            });
        }
        for send in branch.sends.iter().filter(|_| !self.shape.causal) {
            if !self.is_gone(mirrors, state, send.to) {
                let inbox = state.ids[self.shape.actors + usize::from(send.to)];
                let id = self.pushed(mirrors, inbox, send.envelope, send.to);
                self.set_inbox(mirrors, state, send.to, id);
            }
        }
    }

    /// Whether an actor is down for good: nobody restarts in this run.
    fn is_gone(&self, mirrors: &Mirrors, state: &State, actor: u16) -> bool {
        let faults = &self.blueprint().faults;
        faults.crashes > 0
            && faults.restarts == 0
            && mirrors.locals.get(state.ids[usize::from(actor)]).status == Status::Down
    }

    /// Messages to `to` that can be delivered, as steps name them.
    fn deliverable(&self, mirrors: &Mirrors, state: &State, to: u16, out: &mut Vec<(u16, u32)>) {
        let n = self.shape.actors;
        let blueprint = self.blueprint();
        if self.shape.causal {
            let network = |from, to| blueprint.channel(from, to);
            let causal = mirrors.causals.get(state.ids[n]);
            out.extend(causal.heads(to, &network).map(|at| (causal.pending[at].from, at as u32)));
            return;
        }
        let items = &mirrors.inboxes.get(state.ids[n + usize::from(to)]).items;
        let key = |id: u32| key(blueprint, mirrors.envelopes.get(id).from, to, id);
        out.extend(inbox::heads(items, key).map(|id| (mirrors.envelopes.get(id).from, id)));
    }

    fn crash(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        let local = mirrors.locals.get(state.ids[usize::from(actor)]).clone();
        let survived = (local.value != NONE)
            .then(|| {
                let value = mirrors.values.get(local.value).value.clone();
                self.blueprint().actors[usize::from(actor)].code.durable(&*value)
            })
            .flatten();
        let id = self.learn(mirrors, |entries, _| {
            let value = survived.map_or(NONE, |value| entries.value(value));
            entries.local(Status::Down, value, Vec::new())
        });
        self.set_local(mirrors, state, actor, id);
        self.set_weather(mirrors, state, |weather| weather.left.crashes -= 1);
        if self.is_gone(mirrors, state, actor) {
            self.forget_messages(mirrors, state, actor);
        }
    }

    fn forget_messages(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        if self.shape.causal {
            let blueprint = self.blueprint();
            let network = |from, to| blueprint.channel(from, to);
            return self.change_causal(mirrors, state, |causal| {
                while let Some(at) = causal.pending.iter().position(|p| p.to == actor) {
                    causal.take(at, false, &network);
                }
            });
        }
        let owner = self.owner(actor);
        let id =
            self.learn(mirrors, |entries, _| entries.inbox(Inbox { owner, items: Box::default() }, |_| Network::Asyn));
        self.set_inbox(mirrors, state, actor, id);
    }

    /// The state before anybody has started.
    fn blank(&self, mirrors: &mut Mirrors) -> State {
        let n = self.shape.actors;
        let ids = self.learn(mirrors, |entries, blueprint| {
            let mut ids: SmallVec<[u32; 20]> = SmallVec::new();
            ids.extend(std::iter::repeat_n(entries.local(Status::New, NONE, Vec::new()), n));
            match self.shape.causal {
                true => {
                    ids.push(entries.causal(Causal::new(n), &|from, to| blueprint.channel(from, to)));
                }
                false => ids.extend((0..n as u16).map(|to| {
                    let empty = Inbox { owner: self.owner(to), items: Box::default() };
                    entries.inbox(empty, |_| Network::Asyn)
                })),
            }
            ids.push(entries.weather(Weather { left: blueprint.faults, ..Weather::default() }));
            ids
        });
        let mut state = State { print: 0, ids };
        state.print = self.print(mirrors, &state);
        state
    }

    /// A state with these local situations and nothing on its way.
    pub(crate) fn at_rest(&self, locals: &[u32]) -> State {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut state = self.rest.borrow_mut().get_or_insert_with(|| self.blank(mirrors)).clone();
        for (actor, &local) in locals.iter().enumerate().filter(|(_, local)| **local != NONE) {
            self.set_local(mirrors, &mut state, actor as u16, local);
        }
        state
    }

    /// The fingerprint from scratch.
    pub(crate) fn print(&self, mirrors: &Mirrors, state: &State) -> u128 {
        let weigh =
            |(slot, &id): (usize, &u32)| self.slot_print(mirrors, slot, id).wrapping_mul(self.shape.weights[slot]);
        state.ids.iter().enumerate().map(weigh).fold(0, u128::wrapping_add)
    }

    fn slot_print(&self, mirrors: &Mirrors, slot: usize, id: u32) -> u128 {
        match slot {
            slot if slot < self.shape.actors => mirrors.locals.print(id),
            slot if slot == self.shape.weather() => mirrors.weathers.print(id),
            _ if self.shape.causal => mirrors.causals.print(id),
            _ => mirrors.inboxes.print(id),
        }
    }

    fn message_steps(&self, mirrors: &mut Mirrors, state: &State, to: u16, weather: &Weather, out: &mut Vec<Step>) {
        let mut messages = Vec::new();
        self.deliverable(mirrors, state, to, &mut messages);
        messages.retain(|&(from, _)| weather.reaches(usize::from(from), usize::from(to)));
        for &(_, message) in &messages {
            let input = Input::Message(self.envelope(mirrors, state, message));
            let effects = self.reaction(mirrors, to, state.ids[usize::from(to)], input);
            for branch in 0..mirrors.effects[effects as usize].len() as u16 {
                out.push(Step::Deliver { to, message, effects, branch, again: false });
                if weather.left.duplicates > 0 {
                    out.push(Step::Deliver { to, message, effects, branch, again: true });
                }
            }
        }
        if weather.left.losses > 0 {
            out.extend(messages.iter().map(|&(_, message)| Step::Lose { to, message }));
        }
    }

    fn timer_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, out: &mut Vec<Step>) {
        let local = state.ids[usize::from(actor)];
        for timer in 0..mirrors.locals.get(local).timers.len() as u16 {
            let effects = self.reaction(mirrors, actor, local, Input::Timer(timer));
            for branch in 0..mirrors.effects[effects as usize].len() as u16 {
                out.push(Step::Timer { actor, timer, effects, branch });
            }
        }
    }

    fn actor_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, weather: &Weather, out: &mut Vec<Step>) {
        let local = state.ids[usize::from(actor)];
        match mirrors.locals.get(local).status {
            Status::New => {
                let effects = self.reaction(mirrors, actor, local, Input::Start);
                let branches = mirrors.effects[effects as usize].len() as u16;
                out.extend((0..branches).map(|branch| Step::Start { actor, effects, branch }));
            }
            Status::Up => {
                self.message_steps(mirrors, state, actor, weather, out);
                self.timer_steps(mirrors, state, actor, out);
                if weather.left.crashes > 0 && self.blueprint().actors[usize::from(actor)].may_crash {
                    out.push(Step::Crash { actor });
                }
            }
            Status::Down if weather.left.restarts > 0 => {
                let effects = self.reaction(mirrors, actor, local, Input::Restart);
                let branches = mirrors.effects[effects as usize].len() as u16;
                out.extend((0..branches).map(|branch| Step::Restart { actor, effects, branch }));
            }
            Status::Down => {}
        }
    }

    fn weather_steps(&self, weather: &Weather, out: &mut Vec<Step>) {
        if weather.split.is_some() {
            out.push(Step::Heal);
        } else if weather.left.splits > 0 {
            let declared = &self.blueprint().sides;
            if declared.is_empty() {
                // Every way to cut the actors in two; the last actor's side is the unnamed one.
                out.extend((1..1u64 << (self.shape.actors - 1)).map(|side| Step::Split { side }));
            } else {
                out.extend(declared.iter().map(|&side| Step::Split { side }));
            }
        }
    }

    /// The initial states, and how each actor started there. Starting is a step of its own only where its order can be seen.
    fn starts(&self) -> Vec<(State, Vec<Step>)> {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut starts = vec![(self.blank(mirrors), Vec::new())];
        if self.shape.starts {
            return starts;
        }
        for actor in 0..self.shape.actors as u16 {
            let mut further = Vec::new();
            for (state, done) in starts {
                if mirrors.weathers.get(state.ids[self.shape.weather()]).failed.is_some() {
                    further.push((state, done));
                    continue;
                }
                let mut steps = Vec::new();
                self.actor_steps(mirrors, &state, actor, &Weather::default(), &mut steps);
                further.extend(steps.into_iter().map(|step| {
                    let mut next = state.clone();
                    self.perform(mirrors, &mut next, &step);
                    (next, done.iter().copied().chain([step]).collect())
                }));
            }
            starts = further;
        }
        starts
    }

    fn perform(&self, mirrors: &mut Mirrors, state: &mut State, step: &Step) {
        match *step {
            Step::Start { actor, effects, branch } | Step::Timer { actor, effects, branch, .. } => {
                self.apply(mirrors, state, actor, effects, branch);
            }
            Step::Deliver { to, message, effects, branch, again } => {
                match again {
                    false => self.take(mirrors, state, to, message, true),
                    true => {
                        if self.shape.causal {
                            let network = |from, to| self.blueprint().channel(from, to);
                            self.change_causal(mirrors, state, |causal| causal.read_again(message as usize, &network));
                        }
                        self.set_weather(mirrors, state, |weather| weather.left.duplicates -= 1);
                    }
                }
                self.apply(mirrors, state, to, effects, branch);
            }
            Step::Lose { to, message } => {
                self.take(mirrors, state, to, message, false);
                self.set_weather(mirrors, state, |weather| weather.left.losses -= 1);
            }
            Step::Crash { actor } => self.crash(mirrors, state, actor),
            Step::Restart { actor, effects, branch } => {
                self.set_weather(mirrors, state, |weather| weather.left.restarts -= 1);
                self.apply(mirrors, state, actor, effects, branch);
            }
            Step::Split { side } => self.set_weather(mirrors, state, |weather| {
                weather.split = Some(named_side(side, self.shape.actors));
                weather.left.splits -= 1;
            }),
            Step::Heal => self.set_weather(mirrors, state, |weather| weather.split = None),
        }
    }
}

fn key(blueprint: &Blueprint, from: u16, to: u16, id: u32) -> Key {
    Key::new(blueprint.channel(from, to), from, id)
}

fn show_local(mirrors: &Mirrors, id: u32) -> String {
    let Local { status, value, timers } = &**mirrors.locals.get(id);
    let state = if *value == NONE { "-".to_string() } else { mirrors.values.get(*value).value.show() };
    match (status, timers.is_empty()) {
        (Status::Up, true) => state,
        (Status::Up, false) => format!("{state} {timers:?}"),
        _ => format!("{status:?} {state}"),
    }
}

impl Model for Worlds {
    type State = State;
    type Action = Step;

    fn initial(&self) -> Vec<State> {
        self.starts().into_iter().map(|(state, _)| state).collect()
    }

    fn actions(&self, state: &State, out: &mut Vec<Step>) {
        self.prepare(state);
        let mirrors = &mut *self.mirrors.borrow_mut();
        let weather = mirrors.weathers.get(state.ids[self.shape.weather()]).clone();
        if weather.failed.is_some() {
            return;
        }
        for actor in 0..self.shape.actors as u16 {
            self.actor_steps(mirrors, state, actor, &weather, out);
        }
        self.weather_steps(&weather, out);
    }

    fn next(&self, state: &State, step: &Step) -> Option<State> {
        self.prepare(state);
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut next = state.clone();
        self.perform(mirrors, &mut next, step);
        Some(next)
    }

    fn failure(&self, state: &State) -> Option<Violation> {
        let mirrors = self.prepared(state);
        let (actor, failure) = mirrors.weathers.get(state.ids[self.shape.weather()]).failed?;
        let process = Some(self.blueprint().actors[usize::from(actor)].name.clone());
        Some(Violation { process, ..(**self.table.lock().failures.get(failure)).clone() })
    }

    fn fingerprint(&self, state: &State) -> u128 {
        state.print
    }

    fn properties(&self) -> Vec<Property<Worlds>> {
        let ask = |question: &crate::system::Question| {
            let holds = question.holds.clone();
            let mut property = Property::new(question.kind, question.name.clone(), move |worlds: &Worlds, state| {
                holds(&worlds.view(state))
            });
            property.stable = question.stable;
            property
        };
        self.blueprint().questions.iter().map(ask).collect()
    }

    fn has_symmetry(&self) -> bool {
        !self.blueprint().identical.is_empty()
    }

    fn canonical(&self, state: State) -> State {
        let mut symmetry = self.symmetry.borrow_mut();
        let symmetry = symmetry.get_or_insert_with(|| Symmetry::new(self.blueprint()));
        symmetry::canonical(self, symmetry, state)
    }

    fn independent(&self, state: &State, a: &Step, b: &Step) -> bool {
        let (Some(one), Some(other)) = (a.actor(), b.actor()) else { return false };
        // Under mbox the order of arrivals is part of the state.
        one != other && !self.shape.starts && self.weather(&self.prepared(state), state).left.none()
    }

    fn persistent(&self, state: &State, steps: &mut [Step]) -> usize {
        persistent::persistent(self, state, steps)
    }

    fn processes(&self) -> usize {
        self.shape.actors
    }

    fn process(&self, step: &Step) -> Option<usize> {
        step.actor().map(usize::from)
    }

    fn fair(&self, process: usize) -> bool {
        self.blueprint().actors[process].fair
    }

    fn local_stats(&self) -> Option<LocalStats> {
        Some(self.stats())
    }

    fn cast(&self) -> Vec<TraceProcess> {
        narrate::cast(self)
    }

    fn tell_start(&self, state: &State) -> Vec<TraceStep> {
        let start = self.starts().into_iter().find(|(start, _)| start == state);
        let steps = start.map(|(_, steps)| steps).unwrap_or_default();
        let mut told = Vec::new();
        let mut before = self.blank(&mut self.mirrors.borrow_mut());
        for step in steps {
            let after = self.next(&before, &step).expect("a start can be repeated");
            told.extend(narrate::tell(self, &before, &step, &after));
            before = after;
        }
        told
    }

    fn tell(&self, before: &State, step: &Step, after: &State) -> Vec<TraceStep> {
        narrate::tell(self, before, step, after)
    }
}
