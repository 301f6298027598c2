//! The table of local transitions: *(actor, local state, input) → effects*. Each entry is computed once in the whole run, for all engines
//! and threads together.
//!
//! The table is behind a lock, which is taken only to add entries; each worker reads its own mirrors of the table without a lock.

use crate::acts::{Act, Change, Head, LocalSummary, Span, key};
use crate::causal::Causal;
use crate::context::{Context, Note, NoteKind};
use crate::creation::{self, Code, Created, Names, Origin};
use crate::enabled::{LONG_INBOX, MOST_QUICK};
use crate::erased::{Event, Value};
use crate::faults::{Environment, EnvironmentSummary};
use crate::history::SpecCache;
use crate::inbox::{self, Inbox};
use crate::interner::{Interner, Mirror};
use crate::pairs::Pairs;
use crate::reception;
use crate::running::{Called, Handlers};
use crate::send_fingerprints::{self, Sent};
use crate::state::State;
use crate::system::Blueprint;
use crate::watch::{Done, MonitorCache, Watched};
use manyworlds_core::{Accept, LocalStats, Network, Pid, Requirement, Violation, panics, running};
use manyworlds_explore::fingerprint;
use manyworlds_linear::stage::Stage;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The id that stands for no value or no failure.
pub const NONE: u32 = u32::MAX;

/// The maximal number of branches of a handler.
const MOST_BRANCHES: usize = 1 << 15;

/// A value with its fingerprint, to be interned.
pub struct InternedValue {
    /// The value.
    pub value: Arc<dyn Value>,
    print: u128,
}

impl InternedValue {
    /// A value to be interned.
    pub fn new(value: Arc<dyn Value>) -> InternedValue {
        let print = value.print();
        InternedValue { value, print }
    }

    /// Its fingerprint, which unequal values with equal hashes share.
    pub fn print(&self) -> u128 {
        self.print
    }
}

impl Hash for InternedValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.print.hash(state);
    }
}

impl PartialEq for InternedValue {
    fn eq(&self, other: &InternedValue) -> bool {
        self.print == other.print && self.value.same(&*other.value)
    }
}

impl Eq for InternedValue {}

/// Whether an actor is up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It has not started.
    New,
    /// It is up.
    Up,
    /// It crashed; its value is the part that survived.
    Down,
    /// It has halted.
    Halted,
    /// It does not exist.
    Absent,
}

/// A local state: the status of an actor, the user's state and the timers that are set.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// The actor.
    pub actor: u16,
    /// Whether the actor is up.
    pub status: Status,
    /// Id of the user's state, or [`NONE`].
    pub value: u32,
    /// The timers that are set, sorted.
    pub timers: Box<[&'static str]>,
    /// What the handlers do not see.
    pub origin: Origin,
}

/// A message with its sender.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    /// The sender.
    pub from: u16,
    /// Id of the message.
    pub message: u32,
}

/// The kind and owner of a slot of a global state. It is hashed into the fingerprint of the slot's content, so that equal contents of
/// different slots do not cancel out.
#[derive(Hash)]
pub enum Slot {
    /// The local state of this actor.
    Local(u16),
    /// The inbox of this actor.
    Inbox(u16),
    /// All messages in flight, if some channel is causal.
    Causal,
    /// The environment.
    Environment,
    /// The local state of the created actor with this id.
    CreatedLocal(u64),
    /// The inbox of the created actor with this id.
    CreatedInbox(u64),
}

/// An input of an actor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// The actor starts.
    Start,
    /// The envelope with this id arrives.
    Message(u32),
    /// The timer at this position of its local state expires.
    Timer(u16),
    /// The actor restarts after a crash.
    Restart,
}

/// A message that a handler sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// The destination.
    pub to: u16,
    /// Id of the envelope.
    pub envelope: u32,
    /// The source location of the send.
    pub location: &'static Location<'static>,
}

/// The effects of a handler for one sequence of choices.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Id of the next local state.
    pub local: u32,
    /// The messages that are sent, in order.
    pub sends: Box<[Send]>,
    /// The actors that are created, in order.
    pub created: Box<[Created]>,
    /// The actor halts.
    pub halts: bool,
    /// The notes for traces and histories.
    pub notes: Box<[Note]>,
    /// The chosen options, displayed.
    pub chosen: Box<[String]>,
    /// Number of the failure in which the handler ends, or [`NONE`].
    pub failure: u32,
}

impl Branch {
    /// Whether it records an event of a history.
    pub fn records(&self) -> bool {
        self.notes.iter().any(|note| matches!(note.kind, NoteKind::Invoked | NoteKind::Returned))
    }
}

/// The effects of a handler: a branch for each sequence of choices.
pub type Effects = Vec<Branch>;

/// The part of the table behind the lock.
#[derive(Default)]
pub struct Entries {
    /// States and messages.
    pub values: Interner<InternedValue>,
    /// Messages with their senders.
    pub envelopes: Interner<Envelope>,
    /// Local states.
    pub locals: Interner<Local>,
    /// Messages in flight to one actor.
    pub inboxes: Interner<Inbox>,
    /// All messages in flight, if some channel is causal.
    pub causals: Interner<Causal>,
    /// Environments.
    pub environments: Interner<Environment>,
    /// The effects of handlers.
    pub effects: Vec<Arc<Effects>>,
    /// For each of them the local state and the input.
    pub causes: Vec<(u32, Input)>,
    /// The states of all monitors, as ids of values.
    pub monitor_states: Interner<Box<[u32]>>,
    /// What monitors did.
    pub monitors: MonitorCache,
    /// Failures of handlers; the actor that failed is part of the environment.
    pub failures: Interner<Violation>,
    /// Stages of histories.
    pub stages: Interner<Stage>,
    /// The results of the specification.
    pub spec_cache: SpecCache,
    /// The first panic of user code that renames actors.
    pub renaming_failure: Option<String>,
    /// (local, envelope) → what the actor does with the message, of actors that may defer.
    pub accepted: FxHashMap<(u32, u32), Accept>,
    /// What created actors are.
    pub codes: Interner<Code>,
    /// The ids of created actors.
    pub names: Names,
    known: FxHashMap<(u32, Input), u32>,
    /// (actor, code, user's state) → what survives a crash, or the number of the failure.
    crashes: FxHashMap<(u16, u32, u32), Result<u32, u32>>,
    same_print: FxHashMap<u128, u32>,
    /// The number of runs of user code.
    user_steps: u64,
    /// The number of runs with distinct arguments: equal to `user_steps` as long as nothing runs twice.
    distinct_steps: u64,
    /// The handler that is running.
    handlers: Arc<Handlers>,
}

/// The table: the declaration of a system and the entries computed so far.
pub struct Table {
    /// The declaration of the system.
    pub blueprint: Blueprint,
    entries: Mutex<Entries>,
    /// Incremented whenever entries may have been added.
    version: AtomicU64,
    /// A property has looked at the messages in flight.
    pub(crate) looked: AtomicBool,
    /// A property was not evaluated in some state: see [`crate::System::always_of`].
    pub(crate) skipped: AtomicBool,
}

impl Table {
    /// An empty table.
    pub fn new(blueprint: Blueprint) -> Table {
        let mut entries = Entries::default();
        entries.declare(&blueprint);
        running::register(&entries.handlers);
        Table {
            blueprint,
            entries: Mutex::new(entries),
            version: AtomicU64::new(1),
            looked: AtomicBool::new(false),
            skipped: AtomicBool::new(false),
        }
    }

    /// Locks the table. A poisoned lock can be used: user code that panics under it is caught by `catch_unwind`, or leaves the entries consistent.
    pub fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version of the table; mirrors of this version are complete.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Copies new entries to the mirrors.
    pub fn copy(&self, mirrors: &mut Mirrors) {
        let entries = self.lock();
        mirrors.update(&entries, &self.blueprint);
        mirrors.version = self.version();
    }

    /// Adds entries, and copies new entries to the mirrors.
    pub fn learn<R>(&self, mirrors: &mut Mirrors, add: impl FnOnce(&mut Entries) -> R) -> R {
        let mut entries = self.lock();
        let result = add(&mut entries);
        mirrors.update(&entries, &self.blueprint);
        // Still under the lock, so the new version contains no other addition.
        mirrors.version = self.version.fetch_add(1, Ordering::Release) + 1;
        result
    }

    /// The number of runs of user code.
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
        self.values.intern(InternedValue { value, print }, |_| {
            // Different values may have equal hashes; the number of earlier values with the same hash distinguishes their fingerprints.
            let earlier = same_print.entry(print).and_modify(|n| *n += 1).or_insert(0);
            debug_assert!(before < NONE as usize);
            print.wrapping_add(u128::from(*earlier).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
        })
    }

    /// The id of a message with its sender.
    pub fn envelope(&mut self, from: u16, message: Arc<dyn Value>) -> u32 {
        let message = self.value(message);
        let (values, created) = (&self.values, self.created_name(from));
        self.envelopes.intern(Envelope { from, message }, |e| match created {
            None => fingerprint::of(&(e.from, values.print(e.message))),
            Some(name) => fingerprint::of(&(name, values.print(e.message))),
        })
    }

    /// The id of a local state.
    pub fn local(
        &mut self,
        actor: u16,
        status: Status,
        value: u32,
        mut timers: Vec<&'static str>,
        origin: Origin,
    ) -> u32 {
        timers.sort_unstable();
        let (values, code) = (&self.values, self.code_print(origin.code));
        let slot = self.created_name(actor).map_or(Slot::Local(actor), Slot::CreatedLocal);
        let local = Local { actor, status, value, timers: timers.into(), origin };
        self.locals.intern(local, |local| {
            let value = if local.value == NONE { 0 } else { values.print(local.value) };
            let print = fingerprint::of(&(slot, local.status, value, &local.timers));
            match local {
                Local { status: Status::Absent, .. } => 0,
                Local { origin: Origin::DECLARED, .. } => print,
                _ => fingerprint::of(&(print, code, local.origin.spawned)),
            }
        })
    }

    /// The id of an environment.
    pub fn environment(&mut self, environment: Environment) -> u32 {
        let (failures, stages, names, monitors) = (&self.failures, &self.stages, &self.names, &self.monitor_states);
        self.environments.intern(environment, |w| {
            let failed = w.failed.map(|(actor, failure)| match names.created(actor) {
                None => (actor, failures.print(failure)),
                Some(pid) => (u16::MAX, fingerprint::of(&(pid.to_bits(), failures.print(failure)))),
            });
            let print = fingerprint::of(&(
                Slot::Environment,
                w.left,
                w.split,
                failed,
                w.history.map(|stage| stages.print(stage)),
            ));
            match monitors.get(w.monitors).is_empty() {
                true => print,
                false => fingerprint::of(&(print, monitors.print(w.monitors))),
            }
        })
    }

    /// The id of an inbox.
    pub fn inbox(&mut self, blueprint: &Blueprint, inbox: Inbox) -> u32 {
        let (envelopes, owner, created) = (&self.envelopes, inbox.owner, self.created_name(inbox.owner));
        let key = |id: u32| key(blueprint, envelopes.get(id).from, owner, id);
        self.inboxes
            .intern(inbox, |inbox| send_fingerprints::inbox_fingerprint(inbox, created, key, |id| envelopes.print(id)))
    }

    /// The id of all messages in flight, if some channel is causal.
    pub fn causal(&mut self, causal: Causal, network: &impl Fn(u16, u16) -> Network) -> u32 {
        let (envelopes, names) = (&self.envelopes, &self.names);
        self.causals.intern(causal, |causal| {
            fingerprint::of(&(Slot::Causal, causal.print(network, names, |id| envelopes.print(id))))
        })
    }

    /// The local state of `actor` after a crash in `local`, or the number of the failure if the user's `durable` panics. It runs once for
    /// each state.
    pub fn crashed(&mut self, blueprint: &Blueprint, actor: u16, local: u32) -> Result<u32, u32> {
        // The part that survives depends on the user's state alone, not on the timers.
        let Local { value: state, origin, .. } = **self.locals.get(local);
        let survived = match self.crashes.get(&(actor, origin.code, state)) {
            Some(&known) => known,
            None => self.survives(blueprint, actor, state, origin),
        };
        survived.map(|value| self.local(actor, Status::Down, value, Vec::new(), origin))
    }

    /// The part of the user's state that survives a crash.
    fn survives(&mut self, blueprint: &Blueprint, actor: u16, state: u32, origin: Origin) -> Result<u32, u32> {
        self.user_steps += 1;
        let value = self.values.get(state).value.clone();
        let (name, code) = self.code(blueprint, actor, origin);
        let run = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| code.durable(&*value))));
        let survived = match self.handlers.note(&name, Called::Durable, run) {
            Ok(survived) => Ok(survived.map_or(NONE, |value| self.value(value))),
            Err(payload) => {
                let (message, location) = panics::take(payload.as_ref());
                let violation = Violation { property: Requirement::Assertion, message, location, process: None };
                Err(self.failures.intern(violation, fingerprint::of))
            }
        };
        let known = self.crashes.insert((actor, origin.code, state), survived);
        self.distinct_steps += u64::from(known.is_none());
        survived
    }

    /// The id of the effects of the handler for `input` in `local`.
    pub fn effects(&mut self, blueprint: &Blueprint, local: u32, input: Input) -> u32 {
        if let Some(&id) = self.known.get(&(local, input)) {
            return id;
        }
        let (effects, branches) = match self.ignored(blueprint, local, input) {
            Some(nothing) => (vec![nothing], 0),
            None => {
                let effects = self.run(blueprint, local, input);
                let branches = effects.len() as u64;
                (effects, branches)
            }
        };
        let id = self.effects.len() as u32;
        self.effects.push(Arc::new(effects));
        self.causes.push((local, input));
        self.distinct_steps += if self.known.insert((local, input), id).is_none() { branches } else { 0 };
        id
    }

    /// Every computed reaction: local state, input, and the id of its effects.
    pub fn reactions(&self) -> impl Iterator<Item = (u32, Input, u32)> {
        self.known.iter().map(|(&(local, input), &effects)| (local, input, effects))
    }

    /// Runs the handler once for each sequence of choices.
    fn run(&mut self, blueprint: &Blueprint, local: u32, input: Input) -> Effects {
        let mut effects = Effects::new();
        let mut script: Vec<u32> = Vec::new();
        loop {
            let before = self.locals.get(local).clone();
            let (branch, arities, answers) = self.run_once(blueprint, &before, local, input, &script);
            effects.push(branch);
            if effects.len() > MOST_BRANCHES {
                return self.too_many(local);
            }
            // The next script in lexicographic order.
            let Some(last) = (0..arities.len()).rev().find(|&i| answers[i] + 1 < arities[i]) else { return effects };
            script = answers;
            script.truncate(last + 1);
            script[last] += 1;
        }
    }

    /// The failure of a handler with too many branches.
    fn too_many(&mut self, local: u32) -> Effects {
        let message = format!("the choices of one handler can go in more than {MOST_BRANCHES} ways");
        let violation = Violation { property: Requirement::ApiContract, message, location: None, process: None };
        let failure = self.failures.intern(violation, fingerprint::of);
        let (sends, created, notes, chosen) = Default::default();
        vec![Branch { local, sends, created, halts: false, notes, chosen, failure }]
    }

    fn run_once(
        &mut self,
        blueprint: &Blueprint,
        before: &Local,
        local: u32,
        input: Input,
        script: &[u32],
    ) -> (Branch, Vec<u32>, Vec<u32>) {
        self.user_steps += 1;
        let actor = before.actor;
        let (name, code) = self.code(blueprint, actor, before.origin);
        let mut timers = before.timers.to_vec();
        let envelope = if let Input::Message(id) = input { Some(self.envelopes.get(id).clone()) } else { None };
        let message = envelope.as_ref().map(|e| self.values.get(e.message).value.clone());
        let event = match input {
            Input::Start => Event::Start,
            Input::Restart => Event::Restart,
            Input::Timer(at) => Event::Timer(timers.remove(at as usize)),
            Input::Message(_) => {
                let from = envelope.as_ref().map_or(0, |e| e.from);
                Event::Message(self.names.pid(from), &**message.as_ref().expect("a message was looked up"))
            }
        };
        let state = (before.value != NONE).then(|| self.values.get(before.value).value.clone());
        let mut ctx = Context::new(self.names.pid(actor), script, timers);
        ctx.spawned_before = before.origin.spawned;
        let sender = envelope.as_ref().map(|e| self.called(blueprint, e.from));
        let called = Called::new(event, sender.zip(message.clone()));
        let react = || {
            if let Some(complaint) = reception::complaint(&*code, state.as_deref(), event) {
                ctx.misused(complaint);
            }
            code.react(state.as_deref(), event, &mut ctx)
        };
        let run = || panics::listen(|| catch_unwind(AssertUnwindSafe(react)));
        let ran = self.handlers.note(&name, called, run);
        let failure = match &ran {
            Err(payload) => {
                let (message, location) = panics::take(payload.as_ref());
                Some((Requirement::Assertion, message, location))
            }
            Ok(_) => ctx.misuse.take().map(|problem| (Requirement::ApiContract, problem, None)),
        };
        let failure = failure.or_else(|| self.misdirected(blueprint, actor, &ctx));
        let failure = failure.or_else(|| self.creates_too_many(blueprint, before, &ctx));
        let branch = match (failure, ran) {
            (None, Ok(next)) => self.branch(blueprint, before, &next, &ctx),
            (failure, _) => {
                let (property, message, location) = failure.expect("a run without a state has failed");
                let violation = Violation { property, message, location, process: None };
                let failure = self.failures.intern(violation, fingerprint::of);
                failed_branch(local, failure, &ctx)
            }
        };
        (branch, ctx.arities, ctx.answers)
    }

    /// The name of an actor for messages about what is running.
    fn called(&self, blueprint: &Blueprint, actor: u16) -> String {
        let declared = blueprint.actors.get(usize::from(actor)).map(|actor| actor.name.clone());
        declared.unwrap_or_else(|| self.names.pid(actor).to_string())
    }

    /// The failure of a handler that sends a message to an actor that does not exist or that the topology excludes.
    fn misdirected(&mut self, blueprint: &Blueprint, actor: u16, ctx: &Context<'_>) -> Option<Failed> {
        let api =
            |problem, sent: &crate::context::Sent| (Requirement::ApiContract, problem, Some(sent.location.into()));
        for sent in &ctx.sent {
            if self.is_created(ctx, sent.to) {
                continue;
            }
            let Some(to) = self.address(blueprint, sent.to) else {
                let problem = format!("{:?} was sent to {:?}, but there is no such actor", sent.message, sent.to);
                return Some(api(problem, sent));
            };
            if let Some(problem) = blueprint.mistyped(actor, sent) {
                return Some(api(problem, sent));
            }
            if !blueprint.may_send(actor, to) {
                let to = self.called(blueprint, to);
                let what = &sent.message;
                let problem = format!("{what:?} was sent to {to}, but the topology says that this never happens");
                return Some(api(problem, sent));
            }
        }
        None
    }

    /// Whether this is the id of an actor that the handler itself creates.
    fn is_created(&self, ctx: &Context<'_>, pid: Pid) -> bool {
        let own = ctx.spawned_before..ctx.spawned_before + ctx.spawned.len() as u32;
        !ctx.spawned.is_empty() && own.into_iter().any(|nth| ctx.me().child(nth) == pid)
    }

    /// The failure of a handler that creates actors although the system does not allow it, or more than there are indices.
    fn creates_too_many(&mut self, blueprint: &Blueprint, before: &Local, ctx: &Context<'_>) -> Option<Failed> {
        if ctx.spawned.is_empty() {
            return None;
        }
        let problem = match blueprint.creates {
            0 => "an actor is created, but the system does not allow it: say how many with `System::may_create`".into(),
            _ if self.created(before.actor, before.origin.spawned, &ctx.spawned).is_some() => return None,
            _ => format!("more than {} different actors were created in this run", u16::MAX),
        };
        Some((Requirement::ApiContract, problem, None))
    }

    fn branch(&mut self, blueprint: &Blueprint, before: &Local, next: &Arc<dyn Value>, ctx: &Context<'_>) -> Branch {
        let (actor, spawned) = (before.actor, before.origin.spawned);
        let created = self.created(actor, spawned, &ctx.spawned).expect("checked before");
        let origin = Origin { spawned: spawned + created.len() as u32, ..before.origin };
        let local = match ctx.halts {
            true => self.local(actor, Status::Halted, NONE, Vec::new(), Origin::DECLARED),
            false => {
                let value = self.value(next.clone());
                self.local(actor, Status::Up, value, ctx.timers.clone(), origin)
            }
        };
        Branch {
            local,
            sends: self.sends(blueprint, actor, ctx),
            created,
            halts: ctx.halts,
            notes: ctx.notes.clone().into(),
            chosen: ctx.chosen.clone().into(),
            failure: NONE,
        }
    }

    fn sends(&mut self, blueprint: &Blueprint, actor: u16, ctx: &Context<'_>) -> Box<[Send]> {
        let send = |sent: &crate::context::Sent| Send {
            to: self.address(blueprint, sent.to).expect("checked before"),
            envelope: self.envelope(actor, sent.message.clone()),
            location: sent.location,
        };
        ctx.sent.iter().map(send).collect()
    }
}

/// A failure of a handler: what it violates, in words, and where.
type Failed = (Requirement, String, Option<manyworlds_core::Location>);

/// The branch of a handler that failed: the local state does not change, and messages sent before the failure are dropped, since no step
/// follows.
fn failed_branch(local: u32, failure: u32, ctx: &Context<'_>) -> Branch {
    let (notes, chosen) = (ctx.notes.clone().into(), ctx.chosen.clone().into());
    Branch { local, sends: Box::default(), created: Box::default(), halts: false, notes, chosen, failure }
}

/// A worker's copy of the table, with tables derived from it.
#[derive(Default)]
pub struct Mirrors {
    /// States and messages.
    pub values: Mirror<InternedValue>,
    /// Messages with their senders.
    pub envelopes: Mirror<Envelope>,
    /// Local states.
    pub locals: Mirror<Local>,
    /// Messages in flight to one actor.
    pub inboxes: Mirror<Inbox>,
    /// All messages in flight, if some channel is causal.
    pub causals: Mirror<Causal>,
    /// Environments.
    pub environments: Mirror<Environment>,
    /// The user's state of each local state, if there is one: the most frequent look-up of properties.
    pub state_values: Vec<Option<Arc<dyn Value>>>,
    /// The summary of each local state.
    pub local_summaries: Vec<LocalSummary>,
    /// The heads of each inbox.
    pub inbox_heads: Vec<Span>,
    /// The lengths of the queues of each inbox: [`lanes`](Mirrors::lanes) entries for each inbox.
    pub lengths: Vec<u8>,
    /// The number of queues of an inbox, see `lengths`.
    pub lanes: usize,
    /// The summary of each environment.
    pub environment_summaries: Vec<EnvironmentSummary>,
    /// The effects of handlers.
    pub effects: Vec<Arc<Effects>>,
    /// Some handler has several branches.
    pub several_branches: bool,
    /// Some state is of a kind that is rare: see `Worlds::is_unusual`.
    pub unusual: bool,
    /// Messages to some actors vanish: see `LocalSummary::loses`.
    pub some_lose: bool,
    /// (local, envelope) → what the actor does with the message.
    pub accepted: FxHashMap<(u32, u32), Accept>,
    /// (local, inbox) → the heads, of actors that may defer: a range of `heads`.
    pub picked: Pairs<Span>,
    /// The states of all monitors, as ids of values.
    pub monitor_states: Mirror<Box<[u32]>>,
    /// What created actors are.
    pub codes: Mirror<Code>,
    /// The ids of created actors.
    pub names: Names,
    /// (local, input) → effects.
    pub reactions: FxHashMap<(u32, Input), u32>,
    /// (inbox, envelope) → the inbox with it.
    pub pushes: Pairs<u32>,
    /// (inbox, envelope) → the inbox without it.
    pub taken: Pairs<u32>,
    /// (local, envelope) → the acts of the actor when this message is delivered.
    pub message_acts: Pairs<Span>,
    /// The heads of inboxes.
    pub heads: Vec<Head>,
    /// The sleep slot of each head, see [`crate::sleep`].
    pub sleep_slots: Vec<u8>,
    /// For each local state the acts on inputs other than messages.
    pub own: Vec<Span>,
    /// The acts of actors.
    pub acts: Vec<Act>,
    /// The messages that acts send.
    pub sends: Vec<Sent>,
    /// The changes of fingerprints by messages that are sent, see [`crate::send_fingerprints`].
    pub send_changes: Vec<Change>,
    /// (destination, envelope) → the index of the first entry in `send_changes`.
    pub send_change_starts: Pairs<u32>,
    /// (actor, local) → the local state after a crash, or the number of the failure.
    pub crashed: FxHashMap<(u16, u32), Result<u32, u32>>,
    /// The ids of environments.
    pub environment_ids: FxHashMap<Environment, u32>,
    /// (environment, actor, branch, messages that vanish) → the environment after that branch was observed, and whether that ended the step.
    pub recorded: FxHashMap<(u32, u16, Done, u64), (u32, bool)>,
    /// The monitors that observe a branch: a bit for each.
    pub watchers: FxHashMap<Done, u64>,
    /// The actor and the branch of each observation.
    pub observations: Vec<(u16, Done)>,
    /// (environment, observation) → the environment after it.
    pub watched: Pairs<Watched>,
    /// The version of the table when it was copied.
    pub version: u64,
}

impl Mirrors {
    /// The local state of an actor.
    pub fn local(&self, state: &State, actor: u16) -> &Arc<Local> {
        self.locals.get(state.ids[usize::from(actor)])
    }

    /// The property key of these local states: states with equal keys agree on all properties that read local states only.
    #[inline]
    pub fn property_key(&self, locals: &[u32]) -> u128 {
        locals.iter().fold(0, |sum, &id| sum.wrapping_add(self.locals.print(id)))
    }

    /// The summary of the environment of a state.
    #[inline]
    pub fn environment_summary(&self, state: &State) -> EnvironmentSummary {
        self.environment_summaries[state.environment() as usize]
    }

    /// Copies new entries of the table.
    pub fn update(&mut self, entries: &Entries, blueprint: &Blueprint) {
        self.values.update(&entries.values);
        self.envelopes.update(&entries.envelopes);
        self.locals.update(&entries.locals);
        self.inboxes.update(&entries.inboxes);
        self.causals.update(&entries.causals);
        self.environments.update(&entries.environments);
        self.codes.update(&entries.codes);
        self.monitor_states.update(&entries.monitor_states);
        self.names.update(&entries.names);
        for id in self.state_values.len()..self.locals.len() {
            let local = self.locals.get(id as u32);
            self.state_values.push((local.value != NONE).then(|| self.values.get(local.value).value.clone()));
            let summary = LocalSummary::new(local, blueprint, entries.defers(blueprint, local));
            self.some_lose |= summary.loses;
            self.unusual |= local.status == Status::Halted && blueprint.forbids_halted;
            self.local_summaries.push(summary);
        }
        let (declared, created) = (blueprint.actors.len(), self.names.len());
        self.unusual |= declared + created > MOST_QUICK;
        let lanes = creation::lanes(declared, created);
        if self.lanes != lanes {
            self.lanes = lanes;
            self.lengths.clear();
        }
        for id in self.inbox_heads.len()..self.inboxes.len() {
            let items = &self.inboxes.get(id as u32).items;
            self.inbox_heads.push(if items.is_empty() { Span::NOTHING } else { Span::UNKNOWN });
            self.unusual |= items.len() >= LONG_INBOX;
        }
        for id in self.lengths.len() / lanes..self.inboxes.len() {
            let Inbox { owner, items } = &**self.inboxes.get(id as u32);
            let key = |id: u32| key(blueprint, self.envelopes.get(id).from, *owner, id);
            inbox::lengths(items, key, self.lanes, &mut self.lengths);
        }
        for id in self.environment_summaries.len()..self.environments.len() {
            self.environment_summaries.push(EnvironmentSummary::new(self.environments.get(id as u32)));
        }
        let new = &entries.effects[self.effects.len()..];
        self.several_branches |= new.iter().any(|effects| effects.len() > 1);
        self.effects.extend_from_slice(new);
    }
}
