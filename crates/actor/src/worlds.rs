//! The system as a transition system for the engines of `explore`.
//!
//! A global state is a vector of ids: a local state and an inbox for each actor (one slot for all messages in flight, if some channel is
//! causal), and the environment. A step replaces a few ids; the fingerprint is a sum over the slots and is updated with them. It is
//! computed from the fingerprints of the contents and not from ids, so it is the same in every run and on every thread.

use crate::acts::key;
use crate::causal::Causal;
use crate::coverage;
use crate::creation::Origin;
use crate::enabled::Number;
use crate::fair;
use crate::faults::{Environment, Faults};
use crate::inbox;
use crate::narrate;
use crate::persistent;
use crate::question::{Memo, Predicate, Question};
use crate::sleep::SleepSlots;
use crate::state::State;
use crate::step::Step;
use crate::symmetry::{self, Symmetry};
use crate::system::Blueprint;
use crate::table::{Entries, Local, Mirrors, NONE, Status, Table};
use crate::view::View;
use crate::watch::QUIET;
use manyworlds_core::{Accept, Coverage, Engine, LocalStats, NarratedStep, Network, Pid, TraceProcess, Violation};
use manyworlds_explore::property::Holds;
use manyworlds_explore::{Assumed, HistoryEvent, Label, Listed, Property, Receive, Receives, States, TransitionSystem};
use smallvec::SmallVec;
use std::cell::{Cell, Ref, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A system as a transition system over [`State`]s. Each clone has its own mirrors of one shared table.
pub struct Worlds {
    pub(crate) table: Arc<Table>,
    pub(crate) mirrors: RefCell<Mirrors>,
    shape: Shape,
    /// The state in which no actor has started; computed on first use.
    blank: RefCell<Option<State>>,
    /// The permutations of identical actors; computed on first use.
    symmetry: RefCell<Option<Symmetry>>,
    /// A property has read the messages in flight, which are not part of the property key.
    pub(crate) read_messages: Cell<bool>,
    /// What properties of local states returned.
    pub(crate) memo: RefCell<Memo>,
}

/// The layout of states, and other constants of a run.
#[derive(Clone)]
struct Shape {
    actors: usize,
    sleep_slots: SleepSlots,
    /// All messages in flight are one slot, because some channel is causal.
    causal: bool,
    /// Starting is a step, because under mbox the order of starts is observable.
    starts: bool,
    /// Messages to a crashed actor are dropped, because no actor can restart in this run.
    drops: bool,
    /// Deliveries that do nothing are left out.
    leaves_out_idle: bool,
    /// Histories are checked while they are recorded, if there is a specification.
    monitored: bool,
}

impl Clone for Worlds {
    fn clone(&self) -> Worlds {
        Worlds::sharing(self.table.clone(), self.shape.clone())
    }
}

impl Worlds {
    /// The transition system of a system.
    pub fn new(blueprint: Blueprint) -> Worlds {
        let actors = blueprint.actors.len();
        let shape = Shape {
            actors,
            sleep_slots: SleepSlots::new(&blueprint),
            causal: blueprint.uses(Network::Cd),
            starts: blueprint.uses(Network::Mbox),
            drops: blueprint.drops_messages(),
            leaves_out_idle: blueprint.leaves_out_idle && blueprint.needs_idle_deliveries(Engine::Bfs).is_none(),
            monitored: true,
        };
        Worlds::sharing(Arc::new(Table::new(blueprint)), shape)
    }

    fn sharing(table: Arc<Table>, shape: Shape) -> Worlds {
        let (mirrors, blank, symmetry) = (RefCell::default(), RefCell::default(), RefCell::default());
        Worlds { table, mirrors, shape, blank, symmetry, read_messages: Cell::new(false), memo: RefCell::default() }
    }

    /// The declaration of the system.
    pub fn blueprint(&self) -> &Blueprint {
        &self.table.blueprint
    }

    /// The number of runs of user code.
    pub fn stats(&self) -> LocalStats {
        self.table.stats()
    }

    /// Whether a property over one actor was not evaluated in some state, because the actor had no state there.
    pub fn skipped_properties(&self) -> bool {
        self.table.skipped.load(Ordering::Relaxed)
    }

    /// A state as the argument of properties.
    #[inline]
    pub fn view<'a>(&'a self, state: &'a State) -> View<'a> {
        View::new(self, self.prepared(), state)
    }

    /// The number of declared actors.
    pub(crate) fn actors(&self) -> usize {
        self.shape.actors
    }

    #[inline]
    pub(crate) fn sleep_slots(&self) -> SleepSlots {
        self.shape.sleep_slots
    }

    pub(crate) fn is_causal(&self) -> bool {
        self.shape.causal
    }

    pub(crate) fn drops_messages(&self) -> bool {
        self.shape.drops
    }

    pub(crate) fn leaves_out_idle(&self) -> bool {
        self.shape.leaves_out_idle
    }

    pub(crate) fn is_monitored(&self) -> bool {
        self.shape.monitored
    }

    /// The same transition system without checking histories step by step, for engines that check whole histories.
    pub fn unmonitored(mut self) -> Worlds {
        self.shape.monitored = false;
        self
    }

    /// The local states of all actors, displayed; equal local states have equal texts in every run.
    pub fn locals_in_words(&self, state: &State) -> Vec<String> {
        let mirrors = self.prepared();
        let created = self.actors() as u16..self.slots(state) as u16;
        let exists = |actor: &u16| mirrors.local(state, *actor).status != Status::Absent;
        let mut created: Vec<u16> = created.filter(exists).collect();
        // Their indices differ between runs.
        created.sort_by_key(|&actor| mirrors.names.pid(actor));
        let show = |actor: u16| {
            let local = mirrors.local(state, actor);
            let shown = match local.origin.spawned {
                0 => show_local(&mirrors, local),
                spawned => format!("{} +{spawned}", show_local(&mirrors, local)),
            };
            match mirrors.names.created(actor) {
                None => shown,
                Some(pid) => format!("{pid} {} {shown}", self.name(&mirrors, state, actor)),
            }
        };
        (0..self.actors() as u16).chain(created).map(show).collect()
    }

    /// The whole state, displayed; equal states have equal texts in every run.
    pub fn in_words(&self, state: &State) -> String {
        let mut words = self.locals_in_words(state);
        let mirrors = self.prepared();
        let show = |(to, id): (u16, u32)| {
            let envelope = mirrors.envelopes.get(id);
            let [from, to_name] = [envelope.from, to].map(|actor| match mirrors.names.created(actor) {
                None => actor.to_string(),
                Some(pid) => pid.to_string(),
            });
            let shown = format!("{from}→{to_name}: {}", mirrors.values.get(envelope.message).value.show());
            let bag = self.blueprint().channel(envelope.from, to) == Network::Asyn;
            (mirrors.names.pid(to), bag.then(|| shown.clone()), shown)
        };
        let mut pending: Vec<_> = self.pending(&mirrors, state).into_iter().map(show).collect();
        // Messages under asyn are sorted by id, and ids differ between runs, so they are sorted by text and put first; the queues keep
        // their order.
        pending.sort_by_cached_key(|(to, bag, _)| (*to, bag.is_none(), bag.clone()));
        words.extend(pending.into_iter().map(|(.., shown)| shown));
        let environment = mirrors.environments.get(state.environment());
        words.push(format!("{:?} {:?} {}", environment.left, environment.split, environment.failed.is_some()));
        if environment.history.is_some() {
            words.push(format!("history {:x}", mirrors.environments.print(state.environment())));
        }
        for (nth, monitor) in self.blueprint().monitors.iter().enumerate() {
            words.push(format!("monitor {}: {}", monitor.name, self.monitor_value(&mirrors, state, nth).show()));
        }
        if self.is_causal() {
            words.push(mirrors.causals.get(state.ids[self.slots(state)]).show_pasts(&mirrors.names));
        }
        words.join("; ")
    }

    /// The actor whose step failed, if one did.
    pub fn failed_actor(&self, state: &State) -> Option<Pid> {
        let mirrors = self.prepared();
        let (actor, _) = mirrors.environments.get(state.environment()).failed?;
        Some(mirrors.names.pid(actor))
    }

    /// The fault budgets that are left in a state.
    pub fn faults_left(&self, state: &State) -> Faults {
        self.prepared().environments.get(state.environment()).left
    }

    /// The environment of a state.
    pub(crate) fn environment(&self, mirrors: &Mirrors, state: &State) -> Environment {
        (**mirrors.environments.get(state.environment())).clone()
    }

    /// Reads or extends the table, and updates the mirrors.
    pub(crate) fn with_entries<R>(&self, f: impl FnOnce(&mut Entries, &Blueprint) -> R) -> R {
        self.learn(&mut self.mirrors.borrow_mut(), f)
    }

    /// The same for mirrors that are borrowed already.
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

    /// The fingerprints of all slots; their lexicographic order on states is the same in every run.
    pub(crate) fn slot_prints(&self, state: &State) -> SmallVec<[u128; 16]> {
        self.prints_of_slots(&self.prepared(), state).collect()
    }

    /// The fingerprint of an id in a slot of a state.
    pub(crate) fn slot_print(&self, state: &State, slot: usize, id: u32) -> u128 {
        print_of_slot(&self.prepared(), (self.slots(state), state.ids.len(), self.is_causal()), slot, id)
    }

    fn prints_of_slots<'a>(&self, mirrors: &'a Mirrors, state: &'a State) -> impl Iterator<Item = u128> + 'a {
        let shape = (self.slots(state), state.ids.len(), self.is_causal());
        state.ids.iter().enumerate().map(move |(slot, &id)| print_of_slot(mirrors, shape, slot, id))
    }

    /// The messages in flight, as (destination, envelope).
    pub(crate) fn pending(&self, mirrors: &Mirrors, state: &State) -> Vec<(u16, u32)> {
        let n = self.slots(state);
        if self.is_causal() {
            return mirrors.causals.get(state.ids[n]).pending.iter().map(|p| (p.to, p.id)).collect();
        }
        let inbox = |to: u16| mirrors.inboxes.get(state.inbox(to)).items.iter().map(move |&id| (to, id));
        (0..n as u16).flat_map(inbox).collect()
    }

    /// The messages to `to` that can be delivered, as (sender, the identification of the message in [`Step::Deliver`]).
    pub(crate) fn deliverable(&self, mirrors: &mut Mirrors, state: &State, to: u16) -> Vec<(u16, u32)> {
        let blueprint = self.blueprint();
        if self.is_causal() {
            let network = |from, to| blueprint.channel(from, to);
            let causal = mirrors.causals.get(state.ids[self.slots(state)]).clone();
            let deferred: Vec<u32> = match self.picks(mirrors, state, to) {
                true => causal.pending.iter().filter(|p| p.to == to).map(|p| p.id).collect(),
                false => Vec::new(),
            };
            let local = state.ids[usize::from(to)];
            let is_deferred = |id: &u32| self.accept(mirrors, local, *id) == Accept::Defer;
            let deferred: Vec<u32> = deferred.into_iter().filter(is_deferred).collect();
            return causal
                .heads(to, &network, &|id| deferred.contains(&id))
                .map(|at| (causal.pending[at].from, at as u32))
                .collect();
        }
        let mut items = mirrors.inboxes.get(state.inbox(to)).items.to_vec();
        if self.picks(mirrors, state, to) {
            items = self.not_deferred(mirrors, state.ids[usize::from(to)], &items);
        }
        let key = |id: u32| key(blueprint, mirrors.envelopes.get(id).from, to, id);
        let heads = inbox::heads(&items, key);
        heads.map(|id| (mirrors.envelopes.get(id).from, id)).collect()
    }

    /// The envelope of the message in a step.
    pub(crate) fn envelope(&self, mirrors: &Mirrors, state: &State, message: u32) -> u32 {
        match self.is_causal() {
            true => mirrors.causals.get(state.ids[self.slots(state)]).pending[message as usize].id,
            false => message,
        }
    }

    /// The step with the input and the effects that [`Step::Act`] leaves out; they depend on the state.
    pub fn in_full(&self, state: &State, step: &Step) -> Step {
        let Step::Act { actor, item, branch } = *step else { return *step };
        self.prepare();
        self.act_in_full(&mut self.mirrors.borrow_mut(), state, actor, item, branch)
    }

    /// Makes sure that the mirrors contain all ids of a state, which may come from another worker.
    #[inline]
    fn prepare(&self) {
        if self.mirrors.borrow().version != self.table.version() {
            self.catch_up();
        }
    }

    /// Another worker has extended the table.
    #[cold]
    fn catch_up(&self) {
        self.table.copy(&mut self.mirrors.borrow_mut());
    }

    #[inline]
    pub(crate) fn prepared(&self) -> Ref<'_, Mirrors> {
        self.prepare();
        self.mirrors.borrow()
    }

    /// The state in which no actor has started.
    fn blank(&self, mirrors: &mut Mirrors) -> State {
        let actors = 0..self.actors() as u16;
        let ids: Vec<u32> = self.learn(mirrors, |entries, blueprint| {
            let mut ids: Vec<u32> = Vec::new();
            let new = |actor| entries.local(actor, Status::New, NONE, Vec::new(), Origin::DECLARED);
            ids.extend(actors.clone().map(new));
            match self.is_causal() {
                true => {
                    let causal = Causal::new(actors.len());
                    ids.push(entries.causal(causal, &|from, to| blueprint.channel(from, to)));
                }
                false => ids.extend(actors.map(|actor| entries.empty_inbox(blueprint, actor))),
            }
            let spec = blueprint.spec.as_ref().filter(|_| self.is_monitored());
            let history = spec.map(|spec| entries.first_stage(&**spec));
            let monitors = entries.first_monitors(blueprint);
            let left = blueprint.faults;
            ids.push(entries.environment(Environment { left, history, monitors, ..Environment::default() }));
            ids
        });
        self.summed(mirrors, &ids)
    }

    /// The state in which no actor has started.
    pub(crate) fn blank_state(&self) -> State {
        self.blank(&mut self.mirrors.borrow_mut())
    }

    /// The state with these local states and no messages in flight.
    pub(crate) fn resting(&self, locals: &[u32]) -> State {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut state = self.blank.borrow_mut().get_or_insert_with(|| self.blank(mirrors)).clone();
        for (actor, &local) in locals.iter().enumerate().filter(|(_, local)| **local != NONE) {
            self.set_local(mirrors, &mut state, actor as u16, local);
        }
        state
    }

    /// The initial states, each with the starts of the actors. Starting is a separate step only where its order is observable: under mbox,
    /// and where it invokes an operation, which may happen before or after another one has returned.
    fn starts(&self) -> Vec<(State, Vec<Step>)> {
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut starts = vec![(self.blank(mirrors), Vec::new())];
        if self.shape.starts {
            return starts;
        }
        for actor in 0..self.actors() as u16 {
            let mut further = Vec::new();
            for (state, done) in starts {
                if mirrors.environments.get(state.environment()).failed.is_some() {
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

/// The fingerprint of an id in a slot of a state with `n` actors and this number of slots.
fn print_of_slot(mirrors: &Mirrors, (n, slots, causal): (usize, usize, bool), slot: usize, id: u32) -> u128 {
    match slot {
        slot if slot < n => mirrors.locals.print(id),
        slot if slot + 1 == slots => mirrors.environments.print(id),
        _ if causal => mirrors.causals.print(id),
        _ => mirrors.inboxes.print(id),
    }
}

/// A local state, displayed.
pub(crate) fn show_local(mirrors: &Mirrors, local: &Local) -> String {
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
        self.check_history(history)
    }
}

impl TransitionSystem for Worlds {
    type Action = Step;

    const LISTS_FINGERPRINTS: bool = true;
    const RECEIVES: bool = true;

    fn initial(&self) -> Vec<State> {
        self.starts().into_iter().map(|(state, _)| state).collect()
    }

    fn actions(&self, state: &State, out: &mut Vec<Step>) {
        self.prepare();
        self.enabled(&mut self.mirrors.borrow_mut(), state, out);
    }

    #[inline]
    fn next(&self, state: &State, step: &Step) -> Option<State> {
        self.prepare();
        let mut next = state.clone();
        self.perform(&mut self.mirrors.borrow_mut(), &mut next, step);
        Some(next)
    }

    #[inline]
    fn property_key(&self, state: &State) -> Option<u128> {
        Some(self.prepared().property_key(&state.ids[..self.slots(state)]))
    }

    #[inline]
    fn successor_key(&self, state: &State, number: u32) -> Option<u128> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        if !self.steps_are_local(mirrors, state) {
            return None;
        }
        let Number::Act { actor, item, branch } = Number::read(number) else { return None };
        // Other actors that can take a step now can do so after this step, because it removes no message or timer of theirs.
        let others = (0..self.slots(state) as u16).any(|other| other != actor && self.can_act(mirrors, state, other));
        if !others {
            return None;
        }
        let act = self.found_act(mirrors, state, actor, item, branch).1;
        (act.watched == QUIET).then(|| act.change.after(mirrors.property_key(&state.ids[..self.slots(state)])))
    }

    #[inline]
    fn looked_beyond_key(&self) -> bool {
        self.read_messages.replace(false)
    }

    fn list_fingerprints(&self, state: &State, asleep: u64, out: &mut Vec<Listed>) -> Option<u64> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        let quick = self.steps_are_local(mirrors, state);
        quick.then(|| self.list_successors(mirrors, state, asleep, out))
    }

    #[inline]
    fn numbered(&self, state: &State, number: u32) -> Option<Step> {
        self.prepare();
        self.numbered_step(&mut self.mirrors.borrow_mut(), state, number)
    }

    #[inline]
    fn successor(&self, state: &State, number: u32, print: u128) -> Option<State> {
        self.prepare();
        let mirrors = &mut *self.mirrors.borrow_mut();
        let mut next = state.clone();
        match Number::read(number) {
            Number::Act { actor, item, branch } if self.steps_are_local(mirrors, state) => {
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

    #[inline]
    fn has_failed(&self, state: &State) -> bool {
        self.prepared().environment_summary(state).failed
    }

    fn failure(&self, state: &State) -> Option<Violation> {
        let mirrors = self.prepared();
        if !mirrors.environment_summary(state).failed {
            return None;
        }
        let (actor, failure) = mirrors.environments.get(state.environment()).failed?;
        let process = Some(self.name(&mirrors, state, actor));
        Some(Violation { process, ..(**self.table.lock().failures.get(failure)).clone() })
    }

    fn properties(&self) -> Vec<Property<Worlds>> {
        let goal = |question: &Question| -> Holds<Worlds> {
            let question = question.clone();
            Arc::new(move |worlds, state| {
                let (holds, skipped) = question.holds_or_skipped(&worlds.view(state));
                if skipped {
                    worlds.table.skipped.store(true, Ordering::Relaxed);
                }
                holds
            })
        };
        let condition = |when: &Predicate| -> Holds<Worlds> {
            let when = when.clone();
            Arc::new(move |worlds, state| when(&worlds.view(state)))
        };
        let property = |question: &Question| Property {
            name: question.name.clone(),
            kind: question.kind,
            stable: question.stable,
            holds: goal(question),
            when: question.when.as_ref().map(condition),
            promise: None,
        };
        self.blueprint().questions.iter().map(property).chain(self.temperatures()).collect()
    }

    fn promises(&self) -> Vec<Property<Worlds>> {
        self.promises_of_monitors()
    }

    fn is_promised(&self, monitor: usize) -> bool {
        self.was_hot(monitor)
    }

    fn cools(&self, monitor: usize, state: &State, step: &Step) -> bool {
        self.cooled(state, step) >> monitor & 1 == 1
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

    fn assumes_fairness(&self) -> bool {
        self.blueprint().is_fair()
    }

    fn assumed(&self) -> Assumed {
        fair::assumed(self.blueprint())
    }

    fn labels(&self, state: &State, step: &Step, out: &mut Vec<Label>) {
        self.add_labels(state, step, out);
    }

    fn local_stats(&self) -> Option<LocalStats> {
        Some(self.stats())
    }

    fn coverage(&self) -> Option<Coverage> {
        Some(coverage::coverage(&self.table))
    }

    fn trace_processes(&self) -> Vec<TraceProcess> {
        narrate::processes(self)
    }

    fn created_process(&self, index: usize) -> Option<TraceProcess> {
        self.trace_process(index)
    }

    fn trace_start(&self, state: &State) -> Vec<NarratedStep> {
        let start = self.starts().into_iter().find(|(start, _)| start == state);
        let steps = start.map(|(_, steps)| steps).unwrap_or_default();
        let mut narrated = Vec::new();
        let mut before = self.blank(&mut self.mirrors.borrow_mut());
        for step in steps {
            let after = self.next(&before, &step).expect("a start can be repeated");
            narrated.extend(narrate::narrate(self, &before, &step, &after));
            before = after;
        }
        narrated
    }

    /// A handler that panics leads to a failed state, so every step has a successor.
    fn trace_step(&self, before: &State, step: &Step, after: Option<&State>) -> Vec<NarratedStep> {
        after.map(|after| narrate::narrate(self, before, step, after)).unwrap_or_default()
    }
}
