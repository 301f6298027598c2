//! The system as a transition system for the engines of `explore`.
//!
//! A global state is a vector of ids: a local situation and an inbox for each actor (all inboxes are one where channels are causal), and the
//! weather. A step replaces a few ids; the fingerprint is a sum over the slots and is kept up to date with them. It is made of the prints of
//! what the ids stand for, so it is the same in every run and on every thread.

use crate::acts::key;
use crate::causal::Causal;
use crate::coverage;
use crate::enabled::Number;
use crate::faults::Weather;
use crate::inbox;
use crate::narrate;
use crate::persistent;
use crate::sleep::Beds;
use crate::state::State;
use crate::step::Step;
use crate::symmetry::{self, Symmetry};
use crate::system::{Blueprint, Question};
use crate::table::{Entries, Local, Mirrors, NONE, Status, Table};
use crate::view::View;
use manyworlds_core::{Coverage, LocalStats, NarratedStep, Network, TraceProcess, Violation};
use manyworlds_explore::{HistoryEvent, Listed, Property, Receive, Receives, States, TransitionSystem};
use smallvec::SmallVec;
use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A system in every world: a transition system over [`State`]s. Each clone has its own mirrors of one shared table.
pub struct Worlds {
    pub(crate) table: Arc<Table>,
    pub(crate) mirrors: RefCell<Mirrors>,
    shape: Shape,
    /// The blank state, once it was needed.
    rest: RefCell<Option<State>>,
    /// Renamings of identical actors, once they were needed.
    symmetry: RefCell<Option<Symmetry>>,
    /// A property looked at what is on its way.
    pub(crate) looked: Cell<bool>,
}

/// Where things are in a state, and what never changes.
#[derive(Clone)]
struct Shape {
    actors: usize,
    beds: Beds,
    /// All that is on its way is one slot, because some channel is causal.
    causal: bool,
    /// Starting is a step, because under mbox the order of starts can be seen.
    starts: bool,
    /// Messages to an actor that is down are gone: nobody restarts in this run.
    drops: bool,
    /// Histories are judged while they are made, if there is a specification.
    watched: bool,
}

impl Clone for Worlds {
    fn clone(&self) -> Worlds {
        Worlds::sharing(self.table.clone(), self.shape.clone())
    }
}

impl Worlds {
    /// The worlds of a system.
    pub fn new(blueprint: Blueprint) -> Worlds {
        let actors = blueprint.actors.len();
        let shape = Shape {
            actors,
            beds: Beds::new(actors),
            causal: blueprint.uses(Network::Cd),
            starts: blueprint.uses(Network::Mbox),
            drops: blueprint.faults.crashes > 0 && blueprint.faults.restarts == 0,
            watched: true,
        };
        Worlds::sharing(Arc::new(Table::new(blueprint)), shape)
    }

    fn sharing(table: Arc<Table>, shape: Shape) -> Worlds {
        let (mirrors, rest, symmetry) = (RefCell::default(), RefCell::default(), RefCell::default());
        Worlds { table, mirrors, shape, rest, symmetry, looked: Cell::new(false) }
    }

    /// What the system is made of.
    pub fn blueprint(&self) -> &Blueprint {
        &self.table.blueprint
    }

    /// How much user code ran.
    pub fn stats(&self) -> LocalStats {
        self.table.stats()
    }

    /// Whether a property was not evaluated in some state because it looks at an actor that had not started there.
    pub fn skipped_properties(&self) -> bool {
        self.table.skipped.load(Ordering::Relaxed)
    }

    /// A state as properties see it.
    pub fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View::new(self, self.prepared(), state)
    }

    pub(crate) fn actors(&self) -> usize {
        self.shape.actors
    }

    #[inline]
    pub(crate) fn beds(&self) -> Beds {
        self.shape.beds
    }

    pub(crate) fn is_causal(&self) -> bool {
        self.shape.causal
    }

    pub(crate) fn drops_messages(&self) -> bool {
        self.shape.drops
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.shape.watched
    }

    /// The same worlds, but what is recorded is not judged: whoever explores them looks at whole histories.
    pub fn unwatched(mut self) -> Worlds {
        self.shape.watched = false;
        self
    }

    /// The local states of all actors, in words: equal for equal ones in every run.
    pub fn locals_in_words(&self, state: &State) -> Vec<String> {
        let mirrors = self.prepared();
        (0..self.actors() as u16).map(|actor| show_local(&mirrors, mirrors.local(state, actor))).collect()
    }

    /// The whole state in words: equal for equal states in every run.
    pub fn in_words(&self, state: &State) -> String {
        let mut words = self.locals_in_words(state);
        let mirrors = self.prepared();
        let show = |(to, id): (u16, u32)| {
            let envelope = mirrors.envelopes.get(id);
            let shown = format!("{}→{to}: {}", envelope.from, mirrors.values.get(envelope.message).value.show());
            let bag = self.blueprint().channel(envelope.from, to) == Network::Asyn;
            (to, bag.then(|| shown.clone()), shown)
        };
        let mut pending: Vec<_> = self.pending(&mirrors, state).into_iter().map(show).collect();
        // A bag is sorted by id, and ids differ from run to run; it comes first, and the queues stay as they are.
        pending.sort_by_cached_key(|(to, bag, _)| (*to, bag.is_none(), bag.clone()));
        words.extend(pending.into_iter().map(|(.., shown)| shown));
        let weather = mirrors.weathers.get(state.weather());
        words.push(format!("{:?} {:?} {}", weather.left, weather.split, weather.failed.is_some()));
        if weather.history.is_some() {
            words.push(format!("history {:x}", mirrors.weathers.print(state.weather())));
        }
        if self.is_causal() {
            words.push(format!("{:?}", mirrors.causals.get(state.ids[self.actors()]).pasts()));
        }
        words.join("; ")
    }

    /// The part of a state that belongs to no actor.
    pub(crate) fn weather(&self, mirrors: &Mirrors, state: &State) -> Weather {
        (**mirrors.weathers.get(state.weather())).clone()
    }

    /// Does something with the table.
    pub(crate) fn with_entries<R>(&self, f: impl FnOnce(&mut Entries, &Blueprint) -> R) -> R {
        self.learn(&mut self.mirrors.borrow_mut(), f)
    }

    /// Does something with the table that the mirrors do not know yet.
    pub(crate) fn learn<R>(&self, mirrors: &mut Mirrors, f: impl FnOnce(&mut Entries, &Blueprint) -> R) -> R {
        self.table.learn(mirrors, |entries| f(entries, self.blueprint()))
    }

    /// The state with these ids.
    pub(crate) fn state(&self, ids: &[u32]) -> State {
        self.summed(&self.prepared(), ids)
    }

    pub(crate) fn summed(&self, mirrors: &Mirrors, ids: &[u32]) -> State {
        let mut state = State { print: 0, ids: ids.into() };
        state.print = self.prints_of_slots(mirrors, &state).fold(0, u128::wrapping_add);
        state
    }

    /// The prints of all slots, which order states in the same way in every run.
    pub(crate) fn slot_prints(&self, state: &State) -> SmallVec<[u128; 16]> {
        self.prints_of_slots(&self.prepared(), state).collect()
    }

    /// The print that an id has in a slot of a state.
    pub(crate) fn slot_print(&self, state: &State, slot: usize, id: u32) -> u128 {
        print_of_slot(&self.prepared(), (self.actors(), state.ids.len(), self.is_causal()), slot, id)
    }

    fn prints_of_slots<'a>(&self, mirrors: &'a Mirrors, state: &'a State) -> impl Iterator<Item = u128> + 'a {
        let shape = (self.actors(), state.ids.len(), self.is_causal());
        state.ids.iter().enumerate().map(move |(slot, &id)| print_of_slot(mirrors, shape, slot, id))
    }

    /// What is on its way, as (destination, envelope).
    pub(crate) fn pending(&self, mirrors: &Mirrors, state: &State) -> Vec<(u16, u32)> {
        let n = self.actors();
        if self.is_causal() {
            return mirrors.causals.get(state.ids[n]).pending.iter().map(|p| (p.to, p.id)).collect();
        }
        let inbox = |to: u16| mirrors.inboxes.get(state.inbox(to)).items.iter().map(move |&id| (to, id));
        (0..n as u16).flat_map(inbox).collect()
    }

    /// Messages to `to` that can be delivered, as (sender, what steps call the message).
    pub(crate) fn deliverable(&self, mirrors: &Mirrors, state: &State, to: u16) -> Vec<(u16, u32)> {
        let blueprint = self.blueprint();
        if self.is_causal() {
            let network = |from, to| blueprint.channel(from, to);
            let causal = mirrors.causals.get(state.ids[self.actors()]);
            return causal.heads(to, &network).map(|at| (causal.pending[at].from, at as u32)).collect();
        }
        let key = |id: u32| key(blueprint, mirrors.envelopes.get(id).from, to, id);
        let heads = inbox::heads(&mirrors.inboxes.get(state.inbox(to)).items, key);
        heads.map(|id| (mirrors.envelopes.get(id).from, id)).collect()
    }

    /// The envelope that a step speaks of.
    pub(crate) fn envelope(&self, mirrors: &Mirrors, state: &State, message: u32) -> u32 {
        match self.is_causal() {
            true => mirrors.causals.get(state.ids[self.actors()]).pending[message as usize].id,
            false => message,
        }
    }

    /// A step in full: to what an actor reacts depends on the state.
    pub fn in_full(&self, state: &State, step: &Step) -> Step {
        let Step::Act { actor, item, branch } = *step else { return *step };
        self.prepare();
        self.act_in_full(&mut self.mirrors.borrow_mut(), state, actor, item, branch)
    }

    /// Makes sure that the mirrors know everything that a state may mention.
    #[inline]
    fn prepare(&self) {
        if self.mirrors.borrow().age != self.table.age() {
            self.catch_up();
        }
    }

    /// Another worker has added something; whether this state needs it or not, the next one may.
    #[cold]
    fn catch_up(&self) {
        self.table.copy(&mut self.mirrors.borrow_mut());
    }

    pub(crate) fn prepared(&self) -> Ref<'_, Mirrors> {
        self.prepare();
        self.mirrors.borrow()
    }

    /// The state before anybody has started.
    fn blank(&self, mirrors: &mut Mirrors) -> State {
        let actors = 0..self.actors() as u16;
        let ids: Vec<u32> = self.learn(mirrors, |entries, blueprint| {
            let mut ids: Vec<u32> = Vec::new();
            ids.extend(actors.clone().map(|actor| entries.local(actor, Status::New, NONE, Vec::new())));
            match self.is_causal() {
                true => {
                    let causal = Causal::new(actors.len());
                    ids.push(entries.causal(causal, &|from, to| blueprint.channel(from, to)));
                }
                false => ids.extend(actors.map(|actor| entries.empty_inbox(blueprint, actor))),
            }
            let spec = blueprint.spec.as_ref().filter(|_| self.is_watched());
            let history = spec.map(|spec| entries.first_stage(&**spec));
            ids.push(entries.weather(Weather { left: blueprint.faults, history, ..Weather::default() }));
            ids
        });
        self.summed(mirrors, &ids)
    }

    /// A state with these local states and nothing on its way.
    pub(crate) fn resting(&self, locals: &[u32]) -> State {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut state = self.rest.borrow_mut().get_or_insert_with(|| self.blank(mirrors)).clone();
        for (actor, &local) in locals.iter().enumerate().filter(|(_, local)| **local != NONE) {
            self.set_local(mirrors, &mut state, actor as u16, local);
        }
        state
    }

    /// The initial states, and how each actor started there. Starting is a step of its own only where its order can be seen: under mbox, and
    /// where it invokes an operation, which may happen before or after another one has returned.
    fn starts(&self) -> Vec<(State, Vec<Step>)> {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut starts = vec![(self.blank(mirrors), Vec::new())];
        if self.shape.starts {
            return starts;
        }
        for actor in 0..self.actors() as u16 {
            let mut further = Vec::new();
            for (state, done) in starts {
                if mirrors.weathers.get(state.weather()).failed.is_some() {
                    further.push((state, done));
                    continue;
                }
                let mut steps = Vec::new();
                self.start_steps(mirrors, &state, actor, &mut steps);
                if self.blueprint().spec.is_some() && steps.iter().any(|step| mirrors.records(step)) {
                    further.push((state, done));
                    continue;
                }
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
}

/// The print of an id in a slot of a state of `n` actors and so many slots.
fn print_of_slot(mirrors: &Mirrors, (n, slots, causal): (usize, usize, bool), slot: usize, id: u32) -> u128 {
    match slot {
        slot if slot < n => mirrors.locals.print(id),
        slot if slot + 1 == slots => mirrors.weathers.print(id),
        _ if causal => mirrors.causals.print(id),
        _ => mirrors.inboxes.print(id),
    }
}

fn show_local(mirrors: &Mirrors, local: &Local) -> String {
    let Local { status, value, timers, .. } = local;
    let state = if *value == NONE { "-".to_string() } else { mirrors.values.get(*value).value.show() };
    match (status, timers.is_empty()) {
        (Status::Up, true) => state,
        (Status::Up, false) => format!("{state} {timers:?}"),
        _ => format!("{status:?} {state}"),
    }
}

impl States for Worlds {
    type State = State;
}

impl Receives<State, Step> for Worlds {
    fn receive(&self, state: &State, step: &Step) -> Option<Receive> {
        self.received(state, &self.in_full(state, step))
    }

    fn recorded_at_start(&self, state: &State, out: &mut Vec<HistoryEvent>) {
        let start = self.starts().into_iter().find(|(start, _)| start == state);
        start.iter().flat_map(|(_, steps)| steps).for_each(|step| self.note_history(step, out));
    }

    fn recorded(&self, before: &State, step: &Step, _: &State, out: &mut Vec<HistoryEvent>) {
        self.note_history(&self.in_full(before, step), out);
    }

    fn linearizable(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        self.judged(history)
    }
}

impl TransitionSystem for Worlds {
    type Action = Step;

    const LISTS_FINGERPRINTS: bool = true;

    fn initial(&self) -> Vec<State> {
        self.starts().into_iter().map(|(state, _)| state).collect()
    }

    fn actions(&self, state: &State, out: &mut Vec<Step>) {
        self.prepare();
        self.enabled(&mut self.mirrors.borrow_mut(), state, out);
    }

    fn next(&self, state: &State, step: &Step) -> Option<State> {
        self.prepare();
        let mut next = state.clone();
        self.perform(&mut self.mirrors.borrow_mut(), &mut next, step);
        Some(next)
    }

    fn property_key(&self, state: &State) -> Option<u128> {
        Some(self.prepared().property_key(&state.ids[..self.actors()]))
    }

    fn successor_key(&self, state: &State, number: u32) -> Option<u128> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        if !self.is_quick(mirrors, state) {
            return None;
        }
        let Number::Act { actor, item, branch } = Number::read(number) else { return None };
        // Whoever else can act now can do so after this step: it takes nothing from them.
        let others = (0..self.actors() as u16).any(|other| other != actor && mirrors.can_act(state, other));
        if !others {
            return None;
        }
        let act = self.found_act(mirrors, state, actor, item, branch).1;
        (!act.aside).then(|| act.change.after(mirrors.property_key(&state.ids[..self.actors()])))
    }

    fn looked_beyond_key(&self) -> bool {
        self.looked.replace(false)
    }

    fn list_fingerprints(&self, state: &State, asleep: u64, out: &mut Vec<Listed>) -> Option<u64> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        let quick = self.is_quick(mirrors, state);
        quick.then(|| self.list_successors(mirrors, state, asleep, out))
    }

    fn numbered(&self, state: &State, number: u32) -> Option<Step> {
        self.prepare();
        self.numbered_step(&mut self.mirrors.borrow_mut(), state, number)
    }

    fn successor(&self, state: &State, number: u32, print: u128) -> Option<State> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut next = state.clone();
        match Number::read(number) {
            Number::Act { actor, item, branch } if self.is_quick(mirrors, state) => {
                self.act(mirrors, &mut next, actor, item, branch);
                next.print = print;
            }
            _ => {
                let step = self.numbered_step(mirrors, state, number)?;
                self.perform(mirrors, &mut next, &step);
            }
        }
        debug_assert_eq!(next.print, self.summed(mirrors, &next.ids).print);
        Some(next)
    }

    fn at_rest(&self, state: &State) -> bool {
        self.prepare();
        !self.any_step(&mut self.mirrors.borrow_mut(), state)
    }

    fn fingerprint(&self, state: &State) -> u128 {
        state.print
    }

    fn has_failed(&self, state: &State) -> bool {
        self.prepared().sky(state).failed
    }

    fn failure(&self, state: &State) -> Option<Violation> {
        let mirrors = self.prepared();
        if !mirrors.sky(state).failed {
            return None;
        }
        let (actor, failure) = mirrors.weathers.get(state.weather()).failed?;
        let process = Some(self.blueprint().actors[usize::from(actor)].name.clone());
        Some(Violation { process, ..(**self.table.lock().failures.get(failure)).clone() })
    }

    fn properties(&self) -> Vec<Property<Worlds>> {
        let starts = self.shape.starts;
        let ask = |question: &Question| {
            let asked = question.clone();
            let mut property = Property::new(question.kind, question.name.clone(), move |worlds: &Worlds, state| {
                if !starts {
                    return (asked.holds)(&worlds.view(state));
                }
                let (holds, skipped) = asked.evaluate(&worlds.view(state));
                worlds.table.skipped.fetch_or(skipped, Ordering::Relaxed);
                holds
            });
            property.stable = question.stable;
            property
        };
        self.blueprint().questions.iter().map(ask).collect()
    }

    fn has_symmetry(&self) -> bool {
        !self.blueprint().identical.is_empty()
    }

    fn symmetry_refusal(&self) -> Option<String> {
        symmetry::refusal(self.blueprint())
    }

    fn canonical(&self, state: State) -> State {
        let mut symmetry = self.symmetry.borrow_mut();
        let symmetry = symmetry.get_or_insert_with(|| Symmetry::new(self.blueprint()));
        symmetry::canonical(self, symmetry, state)
    }

    fn persistent(&self, state: &State, steps: &mut [Step]) -> usize {
        persistent::persistent(self, state, steps)
    }

    fn receives(&self) -> Option<&dyn Receives<State, Step>> {
        Some(self)
    }

    fn processes(&self) -> usize {
        self.actors()
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

    fn coverage(&self) -> Option<Coverage> {
        Some(coverage::coverage(&self.table))
    }

    fn trace_processes(&self) -> Vec<TraceProcess> {
        narrate::cast(self)
    }

    fn trace_start(&self, state: &State) -> Vec<NarratedStep> {
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

    /// Handlers that panic lead to a state that has failed, so there always is a state after a step.
    fn trace_step(&self, before: &State, step: &Step, after: Option<&State>) -> Vec<NarratedStep> {
        after.map(|after| narrate::tell(self, before, step, after)).unwrap_or_default()
    }
}
