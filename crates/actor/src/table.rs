//! The table of local transitions: *(actor, local state, input) → effects*, computed once in the whole run, whichever engine and thread asks.
//!
//! The table itself is behind a lock and is touched only when something is new; each worker has mirrors of it that need none.

use crate::acts::{Act, Change, Head, Seat, Span, key};
use crate::causal::Causal;
use crate::context::{Context, Note, NoteKind};
use crate::enabled::CROWDED;
use crate::erased::{Event, Value};
use crate::faults::{Sky, Weather};
use crate::history::Said;
use crate::inbox::{self, Inbox};
use crate::interner::{Interner, Mirror};
use crate::landings::{self, Sent};
use crate::pairs::Pairs;
use crate::running::{Called, Handlers};
use crate::state::State;
use crate::system::{Blueprint, Cast};
use manyworlds_core::{LocalStats, Network, Pid, Property, Violation, panics, running};
use manyworlds_explore::fingerprint;
use manyworlds_linear::stage::Stage;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// No value, no failure.
pub const NONE: u32 = u32::MAX;

/// The choices of one handler can go in at most so many ways.
const MOST_BRANCHES: usize = 1 << 15;

/// A value with its print, to be interned.
pub struct Held {
    /// The value.
    pub value: Arc<dyn Value>,
    print: u128,
}

impl Hash for Held {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Held) -> bool {
        self.print == other.print && self.value.same(&*other.value)
    }
}

impl Eq for Held {}

/// Whether an actor runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It has not started.
    New,
    /// It runs.
    Up,
    /// It crashed; its value is what survived.
    Down,
}

/// A local situation: what an actor remembers and which timers it has set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// Whose it is.
    pub actor: u16,
    /// Whether it runs.
    pub status: Status,
    /// Id of its state, or [`NONE`].
    pub value: u32,
    /// Sorted.
    pub timers: Box<[&'static str]>,
}

/// A message with its sender.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    /// Who sent it.
    pub from: u16,
    /// Id of the message.
    pub message: u32,
}

/// What a part of a global state is about. It is part of its print, so that parts that are alike in different places do not cancel.
#[derive(Hash)]
pub enum Slot {
    /// Of this actor.
    Local(u16),
    /// Of this actor.
    Inbox(u16),
    /// Everything that is on its way.
    Causal,
    /// What belongs to no actor.
    Weather,
}

/// What an actor reacts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// It starts.
    Start,
    /// The envelope with this id arrives.
    Message(u32),
    /// The timer at this position of its local situation goes off.
    Timer(u16),
    /// It comes up again.
    Restart,
}

/// What a handler sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// To whom.
    pub to: u16,
    /// Id of the envelope.
    pub envelope: u32,
    /// Where in the source.
    pub location: &'static Location<'static>,
}

/// What a handler does when its choices go one way.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The next local situation.
    pub local: u32,
    /// What it sends, in order.
    pub sends: Box<[Send]>,
    /// What it wants to have remembered.
    pub notes: Box<[Note]>,
    /// What it chose, in words.
    pub chosen: Box<[String]>,
    /// Number of the failure that it ends in, or [`NONE`].
    pub failure: u32,
}

impl Branch {
    /// Whether it notes something that belongs to a history.
    pub fn records(&self) -> bool {
        self.notes.iter().any(|note| matches!(note.kind, NoteKind::Invoked | NoteKind::Returned))
    }
}

/// What a handler does: a branch for each way its choices can go.
pub type Effects = Vec<Branch>;

/// The part behind the lock.
#[derive(Default)]
pub struct Entries {
    /// States, messages.
    pub values: Interner<Held>,
    /// Messages with their senders.
    pub envelopes: Interner<Envelope>,
    /// Local situations.
    pub locals: Interner<Local>,
    /// What is on its way to one actor.
    pub inboxes: Interner<Inbox>,
    /// What is on its way, where channels are causal.
    pub causals: Interner<Causal>,
    /// What belongs to no actor.
    pub weathers: Interner<Weather>,
    /// What handlers do.
    pub effects: Vec<Arc<Effects>>,
    /// What went wrong in handlers; in whose is part of the state.
    pub failures: Interner<Violation>,
    /// What must be remembered of histories.
    pub stages: Interner<Stage>,
    /// What the specification said.
    pub said: Said,
    /// The first complaint about code that gives actors new names.
    pub misnamed: Option<String>,
    known: FxHashMap<(u32, Input), u32>,
    crashes: FxHashMap<(u16, u32), Result<u32, u32>>,
    same_print: FxHashMap<u128, u32>,
    /// How often user code ran.
    user_steps: u64,
    /// How much of that is remembered: as much, as long as nothing runs twice.
    distinct_steps: u64,
    /// The handler that runs.
    handlers: Arc<Handlers>,
}

/// The table: a blueprint of the system and what is known about it so far.
pub struct Table {
    /// The system.
    pub blueprint: Blueprint,
    entries: Mutex<Entries>,
    /// Grows whenever something may have been added.
    age: AtomicU64,
    /// A property was not evaluated in some state: see [`crate::View::state`].
    pub(crate) skipped: AtomicBool,
}

impl Table {
    /// A table that knows nothing.
    pub fn new(blueprint: Blueprint) -> Table {
        let entries = Entries::default();
        running::register(&entries.handlers);
        Table { blueprint, entries: Mutex::new(entries), age: AtomicU64::new(1), skipped: AtomicBool::new(false) }
    }

    /// The part behind the lock. User code that panicked while it was held did so inside of `catch_unwind`, or left it consistent.
    pub fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Mirrors of this age lack nothing.
    pub fn age(&self) -> u64 {
        self.age.load(Ordering::Acquire)
    }

    /// Copies what is new.
    pub fn copy(&self, mirrors: &mut Mirrors) {
        let entries = self.lock();
        mirrors.update(&entries, &self.blueprint);
        mirrors.age = self.age();
    }

    /// Adds something, and copies what is new.
    pub fn learn<R>(&self, mirrors: &mut Mirrors, add: impl FnOnce(&mut Entries) -> R) -> R {
        let mut entries = self.lock();
        let result = add(&mut entries);
        mirrors.update(&entries, &self.blueprint);
        // Still behind the lock, so no other addition is counted with this one.
        mirrors.age = self.age.fetch_add(1, Ordering::Release) + 1;
        result
    }

    /// How much user code ran.
    pub fn stats(&self) -> LocalStats {
        let entries = self.lock();
        LocalStats { user_steps: entries.user_steps, distinct_steps: entries.distinct_steps }
    }
}

impl Entries {
    /// The id of a value.
    pub fn value(&mut self, value: Arc<dyn Value>) -> u32 {
        let print = value.print();
        let before = self.values.len();
        let same_print = &mut self.same_print;
        self.values.intern(Held { value, print }, |_| {
            // A `Hash` may give different values the same print; they are told apart by how many came before.
            let earlier = same_print.entry(print).and_modify(|n| *n += 1).or_insert(0);
            debug_assert!(before < NONE as usize);
            print.wrapping_add(u128::from(*earlier).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
        })
    }

    /// The id of a message with its sender.
    pub fn envelope(&mut self, from: u16, message: Arc<dyn Value>) -> u32 {
        let message = self.value(message);
        let values = &self.values;
        self.envelopes.intern(Envelope { from, message }, |e| fingerprint::of(&(e.from, values.print(e.message))))
    }

    /// The id of a local situation.
    pub fn local(&mut self, actor: u16, status: Status, value: u32, mut timers: Vec<&'static str>) -> u32 {
        timers.sort_unstable();
        let values = &self.values;
        let local = Local { actor, status, value, timers: timers.into() };
        self.locals.intern(local, |local| {
            let value = if local.value == NONE { 0 } else { values.print(local.value) };
            fingerprint::of(&(Slot::Local(local.actor), local.status, value, &local.timers))
        })
    }

    /// The id of what belongs to no actor.
    pub fn weather(&mut self, weather: Weather) -> u32 {
        let (failures, stages) = (&self.failures, &self.stages);
        self.weathers.intern(weather, |w| {
            let failed = w.failed.map(|(actor, failure)| (actor, failures.print(failure)));
            fingerprint::of(&(Slot::Weather, w.left, w.split, failed, w.history.map(|stage| stages.print(stage))))
        })
    }

    /// The id of a list of messages.
    pub fn inbox(&mut self, blueprint: &Blueprint, inbox: Inbox) -> u32 {
        let (envelopes, owner) = (&self.envelopes, inbox.owner);
        let key = |id: u32| key(blueprint, envelopes.get(id).from, owner, id);
        self.inboxes.intern(inbox, |inbox| landings::print(inbox, key, |id| envelopes.print(id)))
    }

    /// The id of everything that is on its way.
    pub fn causal(&mut self, causal: Causal, network: &impl Fn(u16, u16) -> Network) -> u32 {
        let envelopes = &self.envelopes;
        self.causals
            .intern(causal, |causal| fingerprint::of(&(Slot::Causal, causal.print(network, |id| envelopes.print(id)))))
    }

    /// The local state of `actor` when it has crashed in `local`, or the number of the failure when saying so failed. Asks user code what
    /// survives, once.
    pub fn crashed(&mut self, blueprint: &Blueprint, actor: u16, local: u32) -> Result<u32, u32> {
        // What survives depends on the state alone, not on the timers that were set.
        let state = self.locals.get(local).value;
        if let Some(&down) = self.crashes.get(&(actor, state)) {
            return down;
        }
        self.user_steps += 1;
        let value = self.values.get(state).value.clone();
        let Cast { name, code, .. } = &blueprint.actors[actor as usize];
        let run = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| code.durable(&*value))));
        let survived = self.handlers.note(name, Called::Durable, run);
        let down = match survived {
            Ok(survived) => {
                let value = survived.map_or(NONE, |value| self.value(value));
                Ok(self.local(actor, Status::Down, value, Vec::new()))
            }
            Err(payload) => {
                let (message, location) = panics::take(payload.as_ref());
                let violation = Violation { property: Property::Assertion, message, location, process: None };
                Err(self.failures.intern(violation, fingerprint::of))
            }
        };
        self.distinct_steps += u64::from(self.crashes.insert((actor, state), down).is_none());
        down
    }

    /// What an actor does in `local` when `input` comes.
    pub fn effects(&mut self, blueprint: &Blueprint, local: u32, input: Input) -> u32 {
        if let Some(&id) = self.known.get(&(local, input)) {
            return id;
        }
        let effects = self.run(blueprint, local, input);
        let (id, branches) = (self.effects.len() as u32, effects.len() as u64);
        self.effects.push(Arc::new(effects));
        self.distinct_steps += if self.known.insert((local, input), id).is_none() { branches } else { 0 };
        id
    }

    /// Every reaction that is known: in which local situation, to what, and the id of its effects.
    pub fn reactions(&self) -> impl Iterator<Item = (u32, Input, u32)> {
        self.known.iter().map(|(&(local, input), &effects)| (local, input, effects))
    }

    /// Runs the handler once for each way its choices can go.
    fn run(&mut self, blueprint: &Blueprint, local: u32, input: Input) -> Effects {
        let mut effects = Effects::new();
        let mut script: Vec<u32> = Vec::new();
        loop {
            let situation = self.locals.get(local).clone();
            let (branch, asked, answers) = self.run_once(blueprint, &situation, local, input, &script);
            effects.push(branch);
            if effects.len() > MOST_BRANCHES {
                return self.too_many(local);
            }
            // The next script in lexicographic order.
            let Some(last) = (0..asked.len()).rev().find(|&i| answers[i] + 1 < asked[i]) else { return effects };
            script = answers;
            script.truncate(last + 1);
            script[last] += 1;
        }
    }

    /// A handler that can go in so many ways fails.
    fn too_many(&mut self, local: u32) -> Effects {
        let message = format!("the choices of one handler can go in more than {MOST_BRANCHES} ways");
        let violation = Violation { property: Property::ApiContract, message, location: None, process: None };
        let failure = self.failures.intern(violation, fingerprint::of);
        let (sends, notes, chosen) = Default::default();
        vec![Branch { local, sends, notes, chosen, failure }]
    }

    fn run_once(
        &mut self,
        blueprint: &Blueprint,
        situation: &Local,
        local: u32,
        input: Input,
        script: &[u32],
    ) -> (Branch, Vec<u32>, Vec<u32>) {
        self.user_steps += 1;
        let actor = situation.actor;
        let Cast { name, code, .. } = &blueprint.actors[actor as usize];
        let mut timers = situation.timers.to_vec();
        let envelope = if let Input::Message(id) = input { Some(self.envelopes.get(id).clone()) } else { None };
        let message = envelope.as_ref().map(|e| self.values.get(e.message).value.clone());
        let event = match input {
            Input::Start => Event::Start,
            Input::Restart => Event::Restart,
            Input::Timer(at) => Event::Timer(timers.remove(at as usize)),
            Input::Message(_) => {
                let from = envelope.as_ref().map_or(0, |e| e.from);
                Event::Message(Pid::root(from), &**message.as_ref().expect("a message was looked up"))
            }
        };
        let state = (situation.value != NONE).then(|| self.values.get(situation.value).value.clone());
        let mut ctx = Context::new(Pid::root(actor), script, timers);
        let sender = envelope.as_ref().map(|e| blueprint.actors[usize::from(e.from)].name.clone());
        let called = Called::new(event, sender.zip(message.clone()));
        let run =
            || panics::listen(|| catch_unwind(AssertUnwindSafe(|| code.react(state.as_deref(), event, &mut ctx))));
        let ran = self.handlers.note(name, called, run);
        let failure = match &ran {
            Err(payload) => {
                let (message, location) = panics::take(payload.as_ref());
                Some((Property::Assertion, message, location))
            }
            Ok(_) => ctx.misuse.take().map(|problem| (Property::ApiContract, problem, None)),
        };
        let stray = ctx.sent.iter().find(|sent| blueprint.index(sent.to).is_none());
        let failure = failure.or_else(|| {
            let sent = stray?;
            let problem = format!("{:?} was sent to {:?}, but there is no such actor", sent.message, sent.to);
            Some((Property::ApiContract, problem, Some(sent.location.into())))
        });
        let undeclared =
            ctx.sent.iter().find(|sent| blueprint.index(sent.to).is_some_and(|to| !blueprint.may_send(actor, to)));
        let failure = failure.or_else(|| {
            let sent = undeclared?;
            let to = &blueprint.actors[usize::from(blueprint.index(sent.to)?)].name;
            let problem = format!("{:?} was sent to {to}, but the topology says that this never happens", sent.message);
            Some((Property::ApiContract, problem, Some(sent.location.into())))
        });
        let branch = match (failure, ran) {
            (None, Ok(next)) => self.branch(blueprint, actor, &next, &ctx),
            (failure, _) => {
                let (property, message, location) = failure.expect("a run without a state has failed");
                let violation = Violation { property, message, location, process: None };
                let failure = self.failures.intern(violation, fingerprint::of);
                failed_branch(local, failure, &ctx)
            }
        };
        (branch, ctx.asked, ctx.answers)
    }

    fn branch(&mut self, blueprint: &Blueprint, actor: u16, next: &Arc<dyn Value>, ctx: &Context<'_>) -> Branch {
        let value = self.value(next.clone());
        let local = self.local(actor, Status::Up, value, ctx.timers.clone());
        Branch {
            local,
            sends: self.sends(blueprint, actor, ctx),
            notes: ctx.notes.clone().into(),
            chosen: ctx.chosen.clone().into(),
            failure: NONE,
        }
    }

    fn sends(&mut self, blueprint: &Blueprint, actor: u16, ctx: &Context<'_>) -> Box<[Send]> {
        let send = |sent: &crate::context::Sent| Send {
            to: blueprint.index(sent.to).expect("checked before"),
            envelope: self.envelope(actor, sent.message.clone()),
            location: sent.location,
        };
        ctx.sent.iter().map(send).collect()
    }
}

/// It stays where it was; what it sent before it failed is of no interest any more.
fn failed_branch(local: u32, failure: u32, ctx: &Context<'_>) -> Branch {
    Branch { local, sends: Box::default(), notes: ctx.notes.clone().into(), chosen: ctx.chosen.clone().into(), failure }
}

/// A worker's own copy of the table.
#[derive(Default)]
pub struct Mirrors {
    /// States, messages.
    pub values: Mirror<Held>,
    /// Messages with their senders.
    pub envelopes: Mirror<Envelope>,
    /// Local situations.
    pub locals: Mirror<Local>,
    /// What is on its way to one actor.
    pub inboxes: Mirror<Inbox>,
    /// What is on its way, where channels are causal.
    pub causals: Mirror<Causal>,
    /// What belongs to no actor.
    pub weathers: Mirror<Weather>,
    /// The user's state in each local situation, if there is one: what properties look at most.
    pub faces: Vec<Option<Arc<dyn Value>>>,
    /// What each local situation means for what its actor can do.
    pub seats: Vec<Seat>,
    /// The heads of each inbox.
    pub shelves: Vec<Span>,
    /// The lengths of the queues of each inbox: so many [`lanes`](Mirrors::lanes) for each.
    pub lengths: Vec<u8>,
    /// See `lengths`.
    pub lanes: usize,
    /// What each weather means for what can happen.
    pub skies: Vec<Sky>,
    /// What handlers do.
    pub effects: Vec<Arc<Effects>>,
    /// One of them can go in several ways.
    pub forks: bool,
    /// There is an inbox with very many messages.
    pub crowded: bool,
    /// (local, input) → effects.
    pub reactions: FxHashMap<(u32, Input), u32>,
    /// (inbox, envelope) → the inbox with it.
    pub pushes: Pairs<u32>,
    /// (inbox, envelope) → the inbox without it.
    pub taken: Pairs<u32>,
    /// (local, envelope) → what its actor may do when it comes.
    pub answers: Pairs<Span>,
    /// Heads of inboxes; reactions to what does not come from outside; what actors may do; what they send then, and to whom.
    pub heads: Vec<Head>,
    /// The bed of each head, see [`crate::sleep`].
    pub beds: Vec<u8>,
    /// See `heads`.
    pub own: Vec<Span>,
    /// See `heads`.
    pub acts: Vec<Act>,
    /// See `heads`.
    pub sends: Vec<Sent>,
    /// What messages add to a fingerprint when they set out; (destination, envelope) → where that begins.
    pub landings: Vec<Change>,
    /// See `landings`.
    pub near: Pairs<u32>,
    /// (actor, local) → its local when it has crashed.
    pub crashed: FxHashMap<(u16, u32), Result<u32, u32>>,
    /// The ids of weathers.
    pub forecasts: FxHashMap<Weather, u32>,
    /// (weather, actor, (effects, branch)) → the weather after what is noted there.
    pub recorded: FxHashMap<(u32, u16, (u32, u16)), u32>,
    /// The age of the table when it was copied.
    pub age: u64,
}

impl Mirrors {
    /// The local state of an actor.
    pub fn local(&self, state: &State, actor: u16) -> &Arc<Local> {
        self.locals.get(state.ids[usize::from(actor)])
    }

    /// What these local situations look like.
    #[inline]
    pub fn property_key(&self, locals: &[u32]) -> u128 {
        locals.iter().fold(0, |sum, &id| sum.wrapping_add(self.locals.print(id)))
    }

    /// Whether an actor can do something, where channels are not causal and the weather is calm.
    pub fn can_act(&self, state: &State, actor: u16) -> bool {
        let seat = self.seats[state.ids[usize::from(actor)] as usize];
        seat.busy || seat.hears && self.shelves[state.inbox(actor) as usize] != Span::NOTHING
    }

    /// What the weather of a state means for what can happen.
    #[inline]
    pub fn sky(&self, state: &State) -> Sky {
        self.skies[state.weather() as usize]
    }

    /// Copies what is new.
    pub fn update(&mut self, entries: &Entries, blueprint: &Blueprint) {
        self.values.update(&entries.values);
        self.envelopes.update(&entries.envelopes);
        self.locals.update(&entries.locals);
        self.inboxes.update(&entries.inboxes);
        self.causals.update(&entries.causals);
        self.weathers.update(&entries.weathers);
        for id in self.faces.len()..self.locals.len() {
            let local = self.locals.get(id as u32);
            self.faces.push((local.value != NONE).then(|| self.values.get(local.value).value.clone()));
            self.seats.push(Seat::new(local));
        }
        self.lanes = inbox::lanes(blueprint.actors.len());
        for id in self.shelves.len()..self.inboxes.len() {
            let Inbox { owner, items } = &**self.inboxes.get(id as u32);
            self.shelves.push(if items.is_empty() { Span::NOTHING } else { Span::UNKNOWN });
            self.crowded |= items.len() >= CROWDED;
            let key = |id: u32| key(blueprint, self.envelopes.get(id).from, *owner, id);
            inbox::lengths(items, key, self.lanes, &mut self.lengths);
        }
        for id in self.skies.len()..self.weathers.len() {
            self.skies.push(Sky::new(self.weathers.get(id as u32)));
        }
        let new = &entries.effects[self.effects.len()..];
        self.forks |= new.iter().any(|effects| effects.len() > 1);
        self.effects.extend_from_slice(new);
    }
}
