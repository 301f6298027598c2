//! Steps of a P program as steps of a trace.

use crate::interner::NONE;
use crate::local::{Message, Status};
use crate::names::NameId;
use crate::show;
use crate::system::System;
use crate::table::{Branch, Entries, InputKey, Kind, LocalEntry};
use crate::world::{Action, Prepared, World};
use manyworlds_core::{
    Awaited, Delivery, NarratedMessage, NarratedStep, ProcessRole, ProcessStatus, StepKind, TraceMessage, TraceNote,
    TraceProcess, TraceStep, ValueTree,
};
use manyworlds_explore::TransitionSystem;
use manyworlds_p_ir::{EventId, Handler, Program, Span};
use std::sync::Arc;

/// The machines that take part in a trace, in the order in which they appear. A trace that is replayed says itself who takes part.
#[derive(Default)]
pub struct Cast {
    processes: Vec<TraceProcess>,
}

impl Cast {
    /// These take part already.
    pub fn known(processes: &[TraceProcess]) -> Cast {
        Cast { processes: processes.to_vec() }
    }

    /// Who takes part so far.
    pub fn processes(&self) -> Vec<TraceProcess> {
        self.processes.clone()
    }

    /// The number of a machine.
    fn index(&mut self, program: &Program, entries: &Entries, name: NameId) -> usize {
        let names = &entries.values.names;
        let (pid, shown) = (names.pid(name), show::machine(program, &entries.values, name));
        let id = pid.to_bits();
        let is = |process: &TraceProcess| process.id == id && process.name == shown;
        if let Some(known) = self.processes.iter().position(is) {
            return known;
        }
        let role = if names.get(name).interface.is_some() { ProcessRole::Process } else { ProcessRole::Monitor };
        let status = ProcessStatus::Waiting;
        self.processes.push(TraceProcess { pid: pid.to_string(), id, name: shown, role, daemon: true, status });
        self.processes.len() - 1
    }
}

/// The trace steps of a step.
pub fn narrate(system: &System, before: &World, action: Action, after: &World) -> Vec<NarratedStep> {
    let found = system.with(|steps| {
        let slot = steps.slot(&before.ids, action.machine)?;
        let (prepared, branches) = steps.branches(&before.ids, slot)?;
        let mut specs = Vec::new();
        for spec in 1..steps.first() {
            specs.push((steps.entry(&before.ids, spec), steps.entry(&after.ids, spec)));
        }
        let left = steps.slot(&after.ids, action.machine).map(|slot| steps.entry(&after.ids, slot));
        Some((steps.entry(&before.ids, slot), left, prepared, branches, specs))
    });
    let Some((entry, left, prepared, branches, specs)) = found else { return Vec::new() };
    let blocked = system.failure(after).map(|_| system.blocked(after)).unwrap_or_default();
    let entries = system.table.lock();
    let mut cast = system.cast.borrow_mut();
    let mut narrator = Narrator { system, entries: &entries, cast: &mut cast, steps: Vec::new() };
    narrator.cause(&entry, prepared);
    let branch = &branches[action.branch as usize];
    let first = narrator.steps.last_mut().expect("a cause is always narrated");
    first.branch = (branches.len() > 1).then_some(action.branch);
    let shown = left.map(|left| shown_state(system, &entries, &left));
    first.state = shown;
    narrator.effects(action.machine, branch);
    narrator.observations(&entry, branch, &specs);
    narrator.end(action.machine, branch, after, &blocked);
    narrator.steps
}

struct Narrator<'a> {
    system: &'a System,
    entries: &'a Entries,
    cast: &'a mut Cast,
    steps: Vec<NarratedStep>,
}

impl Narrator<'_> {
    fn program(&self) -> &Program {
        &self.system.code().program
    }

    fn add(&mut self, name: NameId, kind: StepKind<NarratedMessage>, span: Span) {
        let program = self.system.code().program.clone();
        let process = self.cast.index(&program, self.entries, name);
        self.steps.push(TraceStep::new(process, kind).located(self.system.location(span)));
    }

    fn message(&self, id: u32) -> NarratedMessage {
        let tree = message_tree(self.program(), self.entries, self.entries.message(id));
        NarratedMessage { id: u128::from(id), message: TraceMessage::Value(tree) }
    }

    fn process(&mut self, name: NameId) -> usize {
        let program = self.system.code().program.clone();
        self.cast.index(&program, self.entries, name)
    }

    /// The place in the source where a machine was left.
    fn left_at(&self, entry: &LocalEntry) -> Span {
        let Status::Left(_, continuation) = &entry.local.status else { return Span::default() };
        let Some(frame) = continuation.frames.last() else { return Span::default() };
        let block = self.program().function(frame.function).block(frame.block);
        // A send and a creation have been executed, a receive and a choice have not.
        let at = match entry.kind {
            Kind::Send(..) | Kind::Create(_) => frame.at.saturating_sub(1),
            _ => frame.at,
        };
        block.instructions.get(at as usize).map_or(block.span, |instruction| instruction.span)
    }

    /// The place of what a machine does with an event.
    fn handler_span(&self, entry: &LocalEntry, event: EventId) -> Span {
        let machine = self.program().machine(entry.declaration);
        let state = &machine.states[entry.local.state.index()];
        let function = |id| self.program().function(id).span;
        match state.handler(event) {
            Some(Handler::Do(id) | Handler::Goto { with: Some(id), .. }) => function(id),
            _ => state.span,
        }
    }

    fn cause(&mut self, entry: &LocalEntry, prepared: Prepared) {
        let name = entry.local.name;
        let left = self.left_at(entry);
        match (prepared.input, entry.kind) {
            (InputKey::Message(id), kind) => {
                let event = self.entries.message(id).event;
                let span = if kind == Kind::Receive { left } else { self.handler_span(entry, event) };
                let delivery = Delivery { message: self.message(id), from: None, send: None, network: None };
                self.add(name, StepKind::Receive(delivery), span);
            }
            (InputKey::Continue, Kind::Send(target, message)) => {
                let to = Some(self.process(target));
                let kind = StepKind::Send { message: self.message(message), to, network: None };
                self.add(name, kind, left);
            }
            (InputKey::Created(child), _) => {
                let child = Some(self.process(child));
                self.add(name, StepKind::Spawn { child }, left);
            }
            (InputKey::Start, _) => {
                let span = self.program().machine(entry.declaration).span;
                self.add(name, StepKind::Start, span);
            }
            (InputKey::NoEvent, _) => {
                let text = "finds no event".to_string();
                let span = self.handler_span(entry, EventId::NULL);
                self.add(name, StepKind::Note(TraceNote::Text(text)), span);
            }
            (InputKey::Continue, Kind::Null) => {
                let text = "handles null".to_string();
                let span = self.handler_span(entry, EventId::NULL);
                self.add(name, StepKind::Note(TraceNote::Text(text)), span);
            }
            (InputKey::Continue, _) => {
                self.add(name, StepKind::Note(TraceNote::Text("continues with a choice".to_string())), left);
            }
        }
    }

    /// Choices, prints and announcements.
    fn effects(&mut self, name: NameId, branch: &Branch) {
        for made in &branch.chosen {
            let value = Some(show::tree(self.program(), &self.entries.values, made.value));
            self.add(name, StepKind::Choose { option: Some(made.option), value }, made.span);
        }
        for (text, span) in &branch.printed {
            self.add(name, StepKind::Note(TraceNote::Text(format!("prints {text}"))), *span);
        }
    }

    /// What the specs observe.
    fn observations(&mut self, entry: &LocalEntry, branch: &Branch, specs: &[(Arc<LocalEntry>, Arc<LocalEntry>)]) {
        let code = self.system.table.code.clone();
        let Some(interface) = entry.interface else { return };
        for (_, observed) in &branch.observed {
            let Message { event, .. } = observed.message;
            let tree = message_tree(self.program(), self.entries, observed.message);
            if observed.to.is_none() {
                let text = TraceNote::Text(format!("announces {tree}"));
                self.add(entry.local.name, StepKind::Note(text), observed.span);
            }
            let observers: Vec<usize> = code.observers(interface, event).collect();
            for spec in observers {
                let (before, after) = &specs[spec];
                let text = TraceNote::Text(format!("observes {tree}"));
                self.add(before.local.name, StepKind::Note(text), observed.span);
                let state = shown_state(self.system, self.entries, after);
                self.steps.last_mut().expect("one was added").state = Some(state);
            }
        }
    }

    /// The failure, or who waits when nothing can run any more.
    fn end(&mut self, name: NameId, branch: &Branch, after: &World, blocked: &[(NameId, Vec<String>)]) {
        if after.ids[0] != NONE {
            let failure = self.entries.failure(after.ids[0]);
            let (message, span) = (failure.fault.message.clone(), failure.span);
            let of_spec = after.ids[0] != branch.failure;
            let spec = self
                .system
                .code()
                .test
                .specs
                .iter()
                .position(|attached| of_spec && self.program().machine(attached.spec).name == failure.declaration);
            let who = spec.and_then(|spec| self.spec_name(spec)).unwrap_or(name);
            self.add(who, StepKind::Fail(message), span);
        }
        for (name, events) in blocked {
            self.add(*name, StepKind::Wait(Awaited::Message(events.join(" or "))), Span::default());
        }
    }

    fn spec_name(&self, spec: usize) -> Option<NameId> {
        let machine = self.system.code().test.specs[spec].spec;
        let name = crate::names::Name { creator: None, nth: spec as u32 + 1, interface: None, machine };
        self.entries.values.names.find(&name)
    }
}

fn message_tree(program: &Program, entries: &Entries, message: Message) -> ValueTree {
    let event = program.event(message.event);
    let payload = show::tree(program, &entries.values, message.payload);
    match event.payload {
        None if message.payload == crate::value::Val::NULL => ValueTree::Atom(event.name.clone()),
        _ => ValueTree::Tuple(event.name.clone(), vec![payload]),
    }
}

/// The state of a machine or spec: its control state with its fields.
fn shown_state(system: &System, entries: &Entries, entry: &LocalEntry) -> ValueTree {
    let program = &system.code().program;
    let machine = program.machine(entry.declaration);
    if entry.kind == Kind::Halted {
        return ValueTree::Atom("halted".to_string());
    }
    let name = machine.states[entry.local.state.index()].name.clone();
    let field = |(field, &value): (&manyworlds_p_ir::Variable, &crate::value::Val)| {
        (field.name.clone(), show::tree(program, &entries.values, value))
    };
    let fields: Vec<_> = machine.fields.iter().zip(&entry.local.fields).map(field).collect();
    if fields.is_empty() { ValueTree::Atom(name) } else { ValueTree::Struct(name, fields) }
}

/// A state in words.
pub fn in_words(system: &System, world: &World) -> String {
    let (specs, machines) = system.with(|steps| {
        let specs: Vec<_> = (1..steps.first()).map(|slot| steps.entry(&world.ids, slot)).collect();
        let slots: Vec<usize> = steps.slots(&world.ids).collect();
        let machines: Vec<_> = slots
            .into_iter()
            .map(|slot| (steps.entry(&world.ids, slot), steps.access.inbox(world.ids[slot + 1]).clone()))
            .collect();
        (specs, machines)
    });
    let entries = system.table.lock();
    let program = &system.code().program;
    let mut words = Vec::new();
    if world.ids[0] != NONE {
        let failure = entries.failure(world.ids[0]);
        words.push(format!("failed {:?} {}", failure.fault.kind, failure.machine));
    }
    for spec in specs {
        let name = &program.machine(spec.declaration).name;
        words.push(format!("{name}: {}", shown_state(system, &entries, &spec)));
    }
    for (machine, inbox) in machines {
        let name = show::machine(program, &entries.values, machine.local.name);
        let state = shown_state(system, &entries, &machine);
        let items = inbox.inbox.items.iter();
        let items: Vec<String> =
            items.map(|&id| message_tree(program, &entries, entries.message(id)).to_string()).collect();
        let status = match machine.kind {
            Kind::New => " new".to_string(),
            Kind::Null => " null".to_string(),
            Kind::Receive => " receives".to_string(),
            Kind::Send(..) | Kind::Create(_) | Kind::Choice => format!(" left {:032x}", machine.print),
            Kind::Ready(_) | Kind::Halted => String::new(),
        };
        words.push(format!("{name}{status}: {state} [{}]", items.join(", ")));
    }
    words.join("; ")
}
