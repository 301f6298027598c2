//! The table of local transitions: *(local state, input) → branches*, and the other functions of small numbers of which a global step consists. Each
//! entry is computed once in the whole run, by the interpreter, whichever worker asks.
//!
//! The table is behind a lock. A worker has mirrors, which it reads without a lock; ids mean the same to all workers.

use crate::code::{Code, Take};
use crate::fault::Failure;
use crate::interner::{Interner, NONE};
use crate::local::{Local, Message, Status, Wait};
use crate::machine::{Chosen, Input, Machine, Observed};
use crate::names::{Name, NameId};
use crate::show;
use crate::value::{Val, Values};
use manyworlds_core::LocalStats;
use manyworlds_explore::fingerprint;
use manyworlds_p_ir::{BlockId, EventId, FunctionId, InterfaceId, MachineId, MachineKind, Span, StateId, Temperature};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a machine can do, by its local state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It can start.
    New,
    /// It waits for an event; whether its state has a handler for `null`.
    Ready(bool),
    /// It can run the handler for `null`.
    Null,
    /// It can put a message into the inbox of this machine.
    Send(NameId, u32),
    /// It can create a machine through this interface.
    Create(InterfaceId),
    /// It waits for an event of its receive statement.
    Receive,
    /// It makes a choice before anything else happens.
    Choice,
    /// It has halted.
    Halted,
}

/// A local state, and what global steps need to know of it.
#[derive(Debug)]
pub struct LocalEntry {
    /// The local state.
    pub local: Local,
    /// Its fingerprint.
    pub print: u128,
    /// What it can do.
    pub kind: Kind,
    /// Which events of its inbox it takes; [`NONE`] if it does not look at them.
    pub takes: u32,
    /// The machines that it refers to.
    pub mentions: Box<[NameId]>,
    /// The machine that created it, and the number among its creations.
    pub created: (Option<NameId>, u32),
    /// The numbers from the main machine on; the order of machines in a state.
    pub path: Box<[u32]>,
    /// The declaration.
    pub declaration: MachineId,
    /// The interface.
    pub interface: Option<InterfaceId>,
    /// Whether it is a spec in a hot state.
    pub hot: bool,
}

/// The messages in flight to a machine, in their order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inbox {
    /// The machine.
    pub owner: NameId,
    /// Ids of messages.
    pub items: Box<[u32]>,
}

/// An inbox, and what global steps need to know of it.
#[derive(Debug)]
pub struct InboxEntry {
    /// The messages.
    pub inbox: Inbox,
    /// The fingerprint; 0 if there is no message.
    pub print: u128,
    /// The machines that the messages refer to.
    pub mentions: Box<[NameId]>,
}

/// What a machine does when it is continued, for one sequence of choices.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The next local state.
    pub next: u32,
    /// Ids of the messages that are sent and announced, in order.
    pub observed: Box<[(u32, Observed)]>,
    /// The failure in which it ends, or [`NONE`].
    pub failure: u32,
    /// The choices.
    pub chosen: Box<[Chosen]>,
    /// What was printed.
    pub printed: Box<[(String, Span)]>,
}

/// What a spec does with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecStep {
    /// Its next local state.
    pub next: u32,
    /// The failure in which it ends, or [`NONE`].
    pub failure: u32,
    /// Whether it entered a cold state, if only in the middle.
    pub cold: bool,
}

/// The result of taking a message out of an inbox: the message, and the inbox without it.
pub type Taken = Option<(u32, u32)>;

/// What an inbox is looked at for.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Takes {
    /// What a machine in this state handles.
    State(MachineId, StateId),
    /// These events.
    Receive(Vec<EventId>),
}

/// The part behind the lock.
pub struct Entries {
    code: Arc<Code>,
    /// The values.
    pub values: Values,
    params: Vec<Val>,
    locals: Interner<Local>,
    local_entries: Vec<Arc<LocalEntry>>,
    inboxes: Interner<Inbox>,
    inbox_entries: Vec<Arc<InboxEntry>>,
    messages: Interner<Message>,
    failures: Interner<Failure>,
    takes: Interner<Takes>,
    steps: FxHashMap<(u32, Input), Arc<[Branch]>>,
    taken: FxHashMap<(u32, u32), Taken>,
    tidied: FxHashMap<(u32, u32), u32>,
    pushed: FxHashMap<(u32, u32), u32>,
    spec_steps: FxHashMap<(u32, u32), SpecStep>,
    blocks: FxHashSet<(FunctionId, BlockId)>,
    handled: FxHashSet<(MachineId, StateId, EventId)>,
    user_steps: u64,
}

impl Entries {
    fn new(code: Arc<Code>) -> Entries {
        let mut values = Values::new(&code.program);
        let params = code.program.params.iter().enumerate().map(|(n, param)| {
            let given = code.test.params.iter().find(|(id, _)| id.index() == n);
            match given {
                Some((_, value)) => values.constant(value),
                None => values.default_of(&code.program, param.ty).unwrap_or(Val::NULL),
            }
        });
        let params = params.collect();
        Entries {
            code,
            values,
            params,
            locals: Interner::default(),
            local_entries: Vec::new(),
            inboxes: Interner::default(),
            inbox_entries: Vec::new(),
            messages: Interner::default(),
            failures: Interner::default(),
            takes: Interner::default(),
            steps: FxHashMap::default(),
            taken: FxHashMap::default(),
            tidied: FxHashMap::default(),
            pushed: FxHashMap::default(),
            spec_steps: FxHashMap::default(),
            blocks: FxHashSet::default(),
            handled: FxHashSet::default(),
            user_steps: 0,
        }
    }

    /// The message with this id.
    pub fn message(&self, id: u32) -> Message {
        **self.messages.get(id)
    }

    /// The failure with this id.
    pub fn failure(&self, id: u32) -> &Failure {
        self.failures.get(id)
    }

    /// Blocks that were executed.
    pub fn blocks(&self) -> &FxHashSet<(FunctionId, BlockId)> {
        &self.blocks
    }

    /// Events that were handled, by state.
    pub fn handled(&self) -> &FxHashSet<(MachineId, StateId, EventId)> {
        &self.handled
    }

    /// The id of a message.
    pub fn message_id(&mut self, message: Message) -> u32 {
        if let Some(id) = self.messages.find(&message) {
            return id;
        }
        let print = fingerprint::of(&("message", message.event.0, self.values.print(message.payload)));
        self.messages.add(message, print)
    }

    /// The id of a local state.
    pub fn local(&mut self, local: Local) -> u32 {
        if let Some(id) = self.locals.find(&local) {
            return id;
        }
        let entry = self.local_entry(local.clone());
        let id = self.locals.add(local, entry.print);
        self.local_entries.push(Arc::new(entry));
        id
    }

    fn local_entry(&mut self, local: Local) -> LocalEntry {
        let Name { creator, nth, interface, machine } = *self.values.names.get(local.name);
        let code = self.code.clone();
        let (kind, takes) = match &local.status {
            Status::New(_) => (Kind::New, None),
            Status::Ready => {
                let null = code.handles_null(machine, local.state);
                (Kind::Ready(null), Some(Takes::State(machine, local.state)))
            }
            Status::Null => (Kind::Null, None),
            Status::Left(Wait::Send(target, message), _) => (Kind::Send(*target, self.message_id(*message)), None),
            Status::Left(Wait::New { interface, .. }, _) => (Kind::Create(*interface), None),
            Status::Left(Wait::Receive, _) => (Kind::Receive, Some(Takes::Receive(code.awaited(&local)))),
            Status::Left(Wait::Choice, _) => (Kind::Choice, None),
            Status::Halted => (Kind::Halted, None),
        };
        let takes = takes.map_or(NONE, |takes| self.takes.find(&takes).unwrap_or_else(|| self.takes.add(takes, 0)));
        let declared = code.program.machine(machine);
        let hot = declared.kind == MachineKind::Spec
            && kind != Kind::Halted
            && declared.states[local.state.index()].temperature == Temperature::Hot;
        LocalEntry {
            print: local.print(&self.values),
            kind,
            takes,
            mentions: local.mentions(&self.values),
            created: (creator, nth),
            path: self.values.names.numbers(local.name).collect(),
            declaration: machine,
            interface,
            hot,
            local,
        }
    }

    /// The id of an inbox.
    pub fn inbox(&mut self, inbox: Inbox) -> u32 {
        if let Some(id) = self.inboxes.find(&inbox) {
            return id;
        }
        let prints: Vec<u128> = inbox.items.iter().map(|&id| self.messages.print(id)).collect();
        let empty = prints.is_empty();
        let print = if empty { 0 } else { fingerprint::of(&("inbox", self.values.names.print(inbox.owner), prints)) };
        let payloads = inbox.items.iter().map(|&id| self.messages.get(id).payload);
        let mut mentions: Vec<NameId> = payloads.flat_map(|payload| self.values.mentions(payload).to_vec()).collect();
        mentions.sort_unstable_by_key(|name| name.0);
        mentions.dedup();
        let id = self.inboxes.add(inbox.clone(), print);
        self.inbox_entries.push(Arc::new(InboxEntry { inbox, print, mentions: mentions.into() }));
        id
    }

    /// What the machine does when it is continued: a branch for each sequence of choices, in the order of their options.
    fn run(&mut self, local: u32, input: Input) -> Arc<[Branch]> {
        if let Some(known) = self.steps.get(&(local, input)) {
            return known.clone();
        }
        let before = self.locals.get(local).clone();
        let mut branches = Vec::new();
        let mut script: Vec<u32> = Vec::new();
        loop {
            let (branch, _) = self.run_once(local, &before, input, &script);
            let answers: Vec<(u32, u32)> = branch.chosen.iter().map(|made| (made.option, made.options)).collect();
            branches.push(branch);
            let Some(last) = answers.iter().rposition(|(option, options)| option + 1 < *options) else { break };
            script = answers[..=last].iter().map(|(option, _)| *option).collect();
            script[last] += 1;
        }
        let branches: Arc<[Branch]> = branches.into();
        self.steps.insert((local, input), branches.clone());
        branches
    }

    fn run_once(&mut self, id: u32, before: &Local, input: Input, script: &[u32]) -> (Branch, bool) {
        self.user_steps += 1;
        let code = self.code.clone();
        if let (Input::Message(message), Status::Ready) = (input, &before.status) {
            let machine = self.values.names.get(before.name).machine;
            self.handled.insert((machine, before.state, message.event));
        }
        let mut machine = Machine::new(&code, &mut self.values, &self.params, before, script);
        let ran = machine.run(before, input);
        let (state, span) = machine.place();
        let log = machine.log;
        self.blocks.extend(log.blocks);
        let (next, failure) = match ran {
            Ok(next) => (self.local(next), NONE),
            Err(fault) => {
                let declaration = self.values.names.get(before.name).machine;
                let failure = Failure {
                    fault,
                    machine: show::machine(&code.program, &self.values, before.name),
                    declaration: code.program.machine(declaration).name.clone(),
                    state,
                    span,
                };
                let known = self.failures.find(&failure);
                let print = fingerprint::of(&("failure", &failure));
                (id, known.unwrap_or_else(|| self.failures.add(failure, print)))
            }
        };
        let observed = log.observed.iter().map(|&observed| (self.message_id(observed.message), observed)).collect();
        let branch = Branch { next, observed, failure, chosen: log.chosen.into(), printed: log.printed.into() };
        (branch, log.cold)
    }

    /// What a spec does with a message, or when it starts.
    fn spec_step(&mut self, local: u32, message: u32) -> SpecStep {
        if let Some(&known) = self.spec_steps.get(&(local, message)) {
            return known;
        }
        let before = self.locals.get(local).clone();
        let step = if before.status == Status::Halted {
            SpecStep { next: local, failure: NONE, cold: false }
        } else {
            let input = if message == NONE { Input::Start } else { Input::Message(self.message(message)) };
            let (branch, cold) = self.run_once(local, &before, input, &[]);
            SpecStep { next: branch.next, failure: branch.failure, cold }
        };
        self.spec_steps.insert((local, message), step);
        step
    }

    fn take_of(&self, takes: u32, message: u32) -> Take {
        let event = self.messages.get(message).event;
        match &**self.takes.get(takes) {
            Takes::State(machine, state) => self.code.take(*machine, *state, event),
            Takes::Receive(events) if events.binary_search(&event).is_ok() => Take::Take,
            Takes::Receive(_) => Take::Skip,
        }
    }

    fn take(&mut self, takes: u32, inbox: u32) -> Taken {
        if let Some(&known) = self.taken.get(&(takes, inbox)) {
            return known;
        }
        let Inbox { owner, items } = (**self.inboxes.get(inbox)).clone();
        let found = items.iter().position(|&message| self.take_of(takes, message) == Take::Take);
        let taken = found.map(|at| {
            let without = items
                .iter()
                .enumerate()
                .filter(|&(n, &message)| n > at || n < at && self.take_of(takes, message) == Take::Skip);
            let without = without.map(|(_, &message)| message).collect();
            (items[at], self.inbox(Inbox { owner, items: without }))
        });
        self.taken.insert((takes, inbox), taken);
        taken
    }

    /// The inbox without the ignored messages in front of the first one that is taken.
    fn tidy(&mut self, takes: u32, inbox: u32) -> u32 {
        if let Some(&known) = self.tidied.get(&(takes, inbox)) {
            return known;
        }
        let Inbox { owner, items } = (**self.inboxes.get(inbox)).clone();
        let end = items.iter().position(|&message| self.take_of(takes, message) == Take::Take).unwrap_or(items.len());
        let kept =
            items.iter().enumerate().filter(|&(n, &message)| n >= end || self.take_of(takes, message) != Take::Drop);
        let kept = kept.map(|(_, &message)| message).collect();
        let tidy = self.inbox(Inbox { owner, items: kept });
        self.tidied.insert((takes, inbox), tidy);
        tidy
    }

    fn push(&mut self, inbox: u32, message: u32) -> u32 {
        if let Some(&known) = self.pushed.get(&(inbox, message)) {
            return known;
        }
        let Inbox { owner, items } = (**self.inboxes.get(inbox)).clone();
        let items = items.iter().copied().chain([message]).collect();
        let pushed = self.inbox(Inbox { owner, items });
        self.pushed.insert((inbox, message), pushed);
        pushed
    }
}

/// The table, shared by all workers.
pub struct Table {
    /// The program and the test.
    pub code: Arc<Code>,
    /// Whether a message was not delivered because of a bound on inboxes.
    pub cut: AtomicBool,
    entries: Mutex<Entries>,
}

impl Table {
    /// An empty table.
    pub fn new(code: Arc<Code>) -> Table {
        Table { entries: Mutex::new(Entries::new(code.clone())), cut: AtomicBool::new(false), code }
    }

    /// Locks the table.
    pub fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of runs of the interpreter.
    pub fn stats(&self) -> LocalStats {
        let steps = self.lock().user_steps;
        LocalStats { user_steps: steps, distinct_steps: steps }
    }
}

/// A worker's mirrors.
#[derive(Default)]
pub struct Mirror {
    locals: Vec<Arc<LocalEntry>>,
    inboxes: Vec<Arc<InboxEntry>>,
    steps: FxHashMap<(u32, InputKey), Arc<[Branch]>>,
    taken: FxHashMap<(u32, u32), Taken>,
    tidied: FxHashMap<(u32, u32), u32>,
    pushed: FxHashMap<(u32, u32), u32>,
    spec_steps: FxHashMap<(u32, u32), SpecStep>,
    failures: Vec<u128>,
}

/// An input, by ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputKey {
    /// See [`Input::Start`].
    Start,
    /// The message with this id.
    Message(u32),
    /// See [`Input::NoEvent`].
    NoEvent,
    /// See [`Input::Continue`].
    Continue,
    /// See [`Input::Created`].
    Created(NameId),
}

/// A worker's access to the table.
pub struct Access<'a> {
    /// The table.
    pub table: &'a Table,
    /// The mirrors.
    pub mirror: &'a mut Mirror,
}

impl Access<'_> {
    #[cold]
    fn learn(&mut self) {
        let entries = self.table.lock();
        self.mirror.locals.extend_from_slice(&entries.local_entries[self.mirror.locals.len()..]);
        self.mirror.inboxes.extend_from_slice(&entries.inbox_entries[self.mirror.inboxes.len()..]);
        let failures = self.mirror.failures.len() as u32..entries.failures.count() as u32;
        self.mirror.failures.extend(failures.map(|id| entries.failures.print(id)));
    }

    /// A local state.
    pub fn local(&mut self, id: u32) -> &Arc<LocalEntry> {
        if id as usize >= self.mirror.locals.len() {
            self.learn();
        }
        &self.mirror.locals[id as usize]
    }

    /// An inbox.
    pub fn inbox(&mut self, id: u32) -> &Arc<InboxEntry> {
        if id as usize >= self.mirror.inboxes.len() {
            self.learn();
        }
        &self.mirror.inboxes[id as usize]
    }

    /// The fingerprint of a failure; 0 if there is none.
    pub fn failure_print(&mut self, id: u32) -> u128 {
        if id == NONE {
            return 0;
        }
        if id as usize >= self.mirror.failures.len() {
            self.learn();
        }
        self.mirror.failures[id as usize]
    }

    /// What a machine does when it is continued.
    pub fn steps(&mut self, local: u32, input: InputKey) -> Arc<[Branch]> {
        if let Some(known) = self.mirror.steps.get(&(local, input)) {
            return known.clone();
        }
        let mut entries = self.table.lock();
        let full = match input {
            InputKey::Start => Input::Start,
            InputKey::Message(id) => Input::Message(entries.message(id)),
            InputKey::NoEvent => Input::NoEvent,
            InputKey::Continue => Input::Continue,
            InputKey::Created(name) => Input::Created(name),
        };
        let branches = entries.run(local, full);
        self.mirror.steps.insert((local, input), branches.clone());
        branches
    }

    /// The message that a machine takes out of an inbox.
    pub fn take(&mut self, takes: u32, inbox: u32) -> Taken {
        let table = self.table;
        *self.mirror.taken.entry((takes, inbox)).or_insert_with(|| table.lock().take(takes, inbox))
    }

    /// The inbox without the ignored messages in front of the first one that is taken.
    pub fn tidy(&mut self, takes: u32, inbox: u32) -> u32 {
        let table = self.table;
        *self.mirror.tidied.entry((takes, inbox)).or_insert_with(|| table.lock().tidy(takes, inbox))
    }

    /// The inbox with one more message.
    pub fn push(&mut self, inbox: u32, message: u32) -> u32 {
        let table = self.table;
        *self.mirror.pushed.entry((inbox, message)).or_insert_with(|| table.lock().push(inbox, message))
    }

    /// What a spec does with a message; [`NONE`] stands for its start.
    pub fn spec_step(&mut self, local: u32, message: u32) -> SpecStep {
        let table = self.table;
        *self.mirror.spec_steps.entry((local, message)).or_insert_with(|| table.lock().spec_step(local, message))
    }
}
