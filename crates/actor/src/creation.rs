//! Actors that are created while the system runs, and actors that halt.
//!
//! A created actor has the id *(creator, spawn number of the creator)* ([`Pid::child`]), so the order in which different actors create others does not
//! split states. The table gives each id an index behind those of the declared actors, in the order of discovery; fingerprints are computed from the
//! id and not from the index. A global state has slots up to the greatest index among the actors that exist in it. Between them there may be slots of
//! actors that do not exist in this state ([`Status::Absent`], no messages): their fingerprint is 0.
//!
//! What a created actor does is part of its local state ([`Code`]), because an actor may create different ones under the same id on different paths.
//!
//! An actor that halts keeps its id and nothing else: its messages are discarded, and later ones vanish.

use crate::actor::Actor;
use crate::address::Handle;
use crate::context::Context;
use crate::erased::{AnyActor, Value};
use crate::inbox;
use crate::state::State;
use crate::system::{Blueprint, System};
use crate::table::{Entries, InternedValue, Mirrors, NONE, Status};
use crate::worlds::Worlds;
use manyworlds_core::{Pid, ProcessRole, ProcessStatus, Requirement, TraceProcess, Violation};
use manyworlds_explore::fingerprint;
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

/// What a created actor is: its name and its handlers.
pub struct Code {
    /// Its name.
    pub name: String,
    /// The value that implements [`Actor`], to be compared.
    value: InternedValue,
    /// Its handlers.
    pub code: Arc<dyn AnyActor>,
}

impl Code {
    fn print(&self) -> u128 {
        fingerprint::of(&(&self.name, self.value.print()))
    }
}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Code) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for Code {}

/// The part of a local state that the handlers do not see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Id of the [`Code`] of a created actor; [`NONE`] for a declared one.
    pub code: u32,
    /// The number of actors that it has created.
    pub spawned: u32,
}

impl Origin {
    /// That of a declared actor which has created none.
    pub const DECLARED: Origin = Origin { code: NONE, spawned: 0 };
}

/// An actor that a handler creates.
#[derive(Clone, Debug)]
pub struct Created {
    /// Its index.
    pub actor: u16,
    /// Id of its first local state.
    pub local: u32,
    /// The number of messages that the handler sends before.
    pub after: u32,
    /// The source location of the creation.
    pub location: &'static Location<'static>,
}

/// An actor that a handler wants to create.
pub struct Spawned {
    name: String,
    value: Arc<dyn Value>,
    code: Arc<dyn AnyActor>,
    after: u32,
    location: &'static Location<'static>,
}

impl Context<'_> {
    /// Creates an actor: it can be sent messages at once. Its start is a step of its own, before it takes any message.
    ///
    /// The system must allow it: see [`System::may_create`].
    #[track_caller]
    pub fn spawn<A: Actor + Clone + Eq + Hash + Debug>(&mut self, name: impl Into<String>, actor: A) -> Handle<A> {
        let actor = Arc::new(actor);
        let pid = self.me().child(self.spawned_before + self.spawned.len() as u32);
        self.spawned.push(Spawned {
            name: name.into(),
            value: actor.clone(),
            code: actor,
            after: self.sent.len() as u32,
            location: Location::caller(),
        });
        Handle::new(pid)
    }

    /// Halts this actor at the end of the handler, after its messages are sent. The messages in flight to it are discarded, and later ones vanish (see
    /// [`System::forbid_messages_to_halted`]); properties see no state of it.
    pub fn halt(&mut self) {
        self.halts = true;
    }
}

impl System {
    /// Allows at most this many actors to be created on a path ([`Context::spawn`]); creating more is a failure that names this bound. The default is
    /// none.
    pub fn may_create(mut self, most: u16) -> System {
        self.blueprint_mut().creates = most;
        self
    }

    /// Makes it a failure of the sender to send a message to an actor that has halted; the default is that such messages vanish.
    pub fn forbid_messages_to_halted(mut self) -> System {
        self.blueprint_mut().forbids_halted = true;
        self
    }
}

/// The ids of created actors.
#[derive(Default)]
pub struct Names {
    pids: Vec<Pid>,
    /// For each the declared actor from which it descends.
    roots: Vec<u16>,
    indices: FxHashMap<Pid, u16>,
    declared: u16,
    /// Actors may be created.
    grows: bool,
}

impl Names {
    /// The number of ids.
    pub fn len(&self) -> usize {
        self.pids.len()
    }

    /// Whether actors may be created.
    pub fn grows(&self) -> bool {
        self.grows
    }

    /// The id of an actor.
    pub fn pid(&self, actor: u16) -> Pid {
        match actor.checked_sub(self.declared) {
            Some(nth) if usize::from(nth) < self.pids.len() => self.pids[usize::from(nth)],
            _ => Pid::root(actor),
        }
    }

    /// The id of an actor if it is a created one.
    pub fn created(&self, actor: u16) -> Option<Pid> {
        self.pids.get(usize::from(actor.checked_sub(self.declared)?)).copied()
    }

    /// The declared actor from which an actor descends: itself, if it is declared.
    pub fn root(&self, actor: u16) -> u16 {
        let nth = actor.checked_sub(self.declared);
        nth.and_then(|nth| self.roots.get(usize::from(nth))).copied().unwrap_or(actor)
    }

    /// The index of a created actor.
    pub fn index(&self, pid: Pid) -> Option<u16> {
        self.indices.get(&pid).copied()
    }

    fn add(&mut self, pid: Pid, root: u16) -> Option<u16> {
        if let Some(index) = self.index(pid) {
            return Some(index);
        }
        let index = u16::try_from(usize::from(self.declared) + self.pids.len()).ok()?;
        self.pids.push(pid);
        self.roots.push(root);
        self.indices.insert(pid, index);
        Some(index)
    }

    /// Copies new ids.
    pub fn update(&mut self, from: &Names) {
        (self.declared, self.grows) = (from.declared, from.grows);
        for at in self.pids.len()..from.pids.len() {
            self.add(from.pids[at], from.roots[at]);
        }
    }
}

impl Entries {
    /// Sets the number of declared actors.
    pub fn declare(&mut self, blueprint: &Blueprint) {
        (self.names.declared, self.names.grows) = (blueprint.actors.len() as u16, blueprint.creates > 0);
    }

    /// The index of the actor with this id, if there may be one.
    pub fn address(&mut self, blueprint: &Blueprint, pid: Pid) -> Option<u16> {
        if let Some(index) = blueprint.index(pid).or_else(|| self.names.index(pid)) {
            return Some(index);
        }
        // An id that was made up, and may be that of an actor which is created on another path.
        let (root, path) = ((pid.to_bits() >> 48) as u16, pid.to_bits() << 16);
        let is_child = blueprint.creates > 0 && path != 0 && root > 0 && usize::from(root) <= blueprint.actors.len();
        if is_child { self.names.add(pid, root - 1) } else { None }
    }

    /// Name and handlers of the actor with this origin.
    pub fn code(&self, blueprint: &Blueprint, actor: u16, origin: Origin) -> (String, Arc<dyn AnyActor>) {
        match origin.code {
            NONE => {
                let declared = &blueprint.actors[usize::from(actor)];
                (declared.name.clone(), declared.code.clone())
            }
            code => {
                let code = self.codes.get(code);
                (code.name.clone(), code.code.clone())
            }
        }
    }

    /// The number by which fingerprints identify a created actor.
    pub fn created_name(&self, actor: u16) -> Option<u64> {
        self.names.created(actor).map(Pid::to_bits)
    }

    /// The fingerprint of the code of a created actor.
    pub fn code_print(&self, code: u32) -> u128 {
        if code == NONE { 0 } else { self.codes.print(code) }
    }

    /// The actors that a handler of `creator` creates; `None` if there are more of them in the run than indices.
    pub fn created(&mut self, creator: u16, before: u32, spawned: &[Spawned]) -> Option<Box<[Created]>> {
        let (parent, root) = (self.names.pid(creator), self.names.root(creator));
        let mut all = Vec::new();
        for (spawned, nth) in spawned.iter().zip(before..) {
            let actor = self.names.add(parent.child(nth), root)?;
            let value = InternedValue::new(spawned.value.clone());
            let code = Code { name: spawned.name.clone(), value, code: spawned.code.clone() };
            let code = self.codes.intern(code, Code::print);
            let local = self.local(actor, Status::New, NONE, Vec::new(), Origin { code, spawned: 0 });
            all.push(Created { actor, local, after: spawned.after, location: spawned.location });
        }
        Some(all.into())
    }
}

impl Worlds {
    /// The number of actors for which a state has slots.
    #[inline]
    pub(crate) fn slots(&self, state: &State) -> usize {
        if self.is_causal() { state.ids.len() - 2 } else { state.ids.len() / 2 }
    }

    /// The name of an actor in a state.
    pub(crate) fn name(&self, mirrors: &Mirrors, state: &State, actor: u16) -> String {
        if let Some(declared) = self.blueprint().actors.get(usize::from(actor)) {
            return declared.name.clone();
        }
        let code = state.ids.get(usize::from(actor)).map(|&local| mirrors.locals.get(local).origin.code);
        match code {
            Some(code) if code != NONE => mirrors.codes.get(code).name.clone(),
            _ => mirrors.names.pid(actor).to_string(),
        }
    }

    /// The number of actors that were created on the way to a state.
    fn created_so_far(&self, mirrors: &Mirrors, state: &State) -> usize {
        let created = self.actors()..self.slots(state);
        created.filter(|&n| mirrors.locals.get(state.ids[n]).status != Status::Absent).count()
    }

    /// Why a step that creates and sends this cannot be taken in a state, as the number of a failure.
    pub(crate) fn obstacle(&self, mirrors: &mut Mirrors, state: &State, effects: u32, branch: u16) -> Option<u32> {
        let all = mirrors.effects[effects as usize].clone();
        let branch = &all[usize::from(branch)];
        let most = self.blueprint().creates;
        let new = branch.created.len();
        if new > 0 && self.created_so_far(mirrors, state) + new > usize::from(most) {
            let message = format!(
                "more actors are created than the system allows, which is at most {most}: raise the bound with `System::may_create`"
            );
            return Some(self.violated_api(mirrors, message, branch.created[0].location));
        }
        if !self.blueprint().forbids_halted {
            return None;
        }
        let halted = |to: u16| state_of(mirrors, self.slots(state), state, to) == Some(Status::Halted);
        let send = branch.sends.iter().find(|send| halted(send.to))?;
        let to = mirrors.names.pid(send.to);
        let message = mirrors.values.get(mirrors.envelopes.get(send.envelope).message).value.show();
        let message = format!("{message} was sent to {to:?}, which has halted, and the system forbids that");
        Some(self.violated_api(mirrors, message, send.location))
    }

    fn violated_api(&self, mirrors: &mut Mirrors, message: String, location: &'static Location<'static>) -> u32 {
        let (property, location) = (Requirement::ApiContract, Some(location.into()));
        let violation = Violation { property, message, location, process: None };
        self.learn(mirrors, |entries, _| entries.failures.intern(violation, fingerprint::of))
    }

    /// Adds slots to a state so that it has one for this actor.
    pub(crate) fn grow(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        let (from, to) = (self.slots(state) as u16, actor + 1);
        if from >= to {
            return;
        }
        let ids = &state.ids;
        let (locals, rest) = ids.split_at(usize::from(from));
        let (inboxes, environment) = rest.split_at(rest.len() - 1);
        let (mut locals, mut inboxes) = (locals.to_vec(), inboxes.to_vec());
        let causal = self.is_causal();
        self.learn(mirrors, |entries, blueprint| {
            for new in from..to {
                locals.push(entries.local(new, Status::Absent, NONE, Vec::new(), Origin::DECLARED));
                if !causal {
                    inboxes.push(entries.empty_inbox(blueprint, new));
                }
            }
        });
        locals.extend(inboxes);
        locals.extend(environment);
        state.ids = locals.as_slice().into();
    }

    /// A created actor as a process of a trace.
    pub(crate) fn trace_process(&self, index: usize) -> Option<TraceProcess> {
        let mirrors = self.prepared();
        let pid = Pid::from_bits(index as u64);
        let actor = mirrors.names.index(pid)?;
        // The first name under which it was created; on other paths it may have another one.
        let local = (0..mirrors.locals.len() as u32).find(|&local| {
            let local = mirrors.locals.get(local);
            local.actor == actor && local.origin.code != NONE
        });
        let name = local.map(|local| mirrors.codes.get(mirrors.locals.get(local).origin.code).name.clone());
        Some(TraceProcess {
            pid: pid.to_string(),
            id: pid.to_bits(),
            name: name.unwrap_or_else(|| pid.to_string()),
            role: ProcessRole::Process,
            daemon: true,
            status: ProcessStatus::Waiting,
        })
    }
}

/// The status of an actor, if the state has a slot for it.
fn state_of(mirrors: &Mirrors, slots: usize, state: &State, actor: u16) -> Option<Status> {
    (usize::from(actor) < slots).then(|| mirrors.local(state, actor).status)
}

/// The number of queues of an inbox for which lengths are kept: more than there are now, so that it does not change with every new actor. States with
/// more actors than [`crate::enabled::MOST_QUICK`] are not expanded by them.
pub fn lanes(declared: usize, created: usize) -> usize {
    let actors = if created == 0 { declared } else { (declared + created).next_power_of_two() };
    inbox::lanes(actors.min(crate::enabled::MOST_QUICK))
}
