//! Steps of a system as steps of a trace.

use crate::creation::Created;
use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors, NONE, Status};
use crate::worlds::Worlds;
use manyworlds_core::{
    Delivery, NarratedMessage, NarratedStep, Network, Pid, ProcessRole, ProcessStatus, StepKind, TraceMessage,
    TraceNote, TraceProcess, TraceStep, ValueTree,
};
use std::sync::Arc;

/// The processes of a trace: the actors, and the network if it can be partitioned.
pub fn processes(worlds: &Worlds) -> Vec<TraceProcess> {
    let actors = worlds.blueprint().actors.iter().map(|actor| (actor.name.clone(), ProcessRole::Process));
    let network = (worlds.blueprint().faults.splits > 0).then(|| ("network".to_string(), ProcessRole::Network));
    let process = |((name, role), n): ((String, ProcessRole), u16)| TraceProcess {
        pid: Pid::root(n).to_string(),
        id: Pid::root(n).to_bits(),
        name,
        role,
        daemon: true,
        status: ProcessStatus::Waiting,
    };
    actors.chain(network).zip(0..).map(process).collect()
}

/// The trace steps of a macro step: its cause (message, timer or fault), then the effects of the handler.
pub fn narrate(worlds: &Worlds, before: &State, step: &Step, after: &State) -> Vec<NarratedStep> {
    let step = &worlds.in_full(before, step);
    let mirrors = &*worlds.prepared();
    let mut narrator = Narrator { worlds, mirrors, before, after, steps: Vec::new() };
    narrator.cause(step);
    match *step {
        Step::Start { actor, effects, branch }
        | Step::Timer { actor, effects, branch, .. }
        | Step::Restart { actor, effects, branch }
        | Step::Deliver { to: actor, effects, branch, .. } => narrator.effects(actor, effects, branch),
        _ => {}
    }
    narrator.steps
}

struct Narrator<'a> {
    worlds: &'a Worlds,
    mirrors: &'a Mirrors,
    before: &'a State,
    after: &'a State,
    steps: Vec<NarratedStep>,
}

impl Narrator<'_> {
    fn cause(&mut self, step: &Step) {
        let network = self.worlds.blueprint().actors.len();
        match *step {
            Step::Start { actor, .. } => self.add(self.process(actor), StepKind::Start),
            Step::Restart { actor, .. } => self.add(self.process(actor), StepKind::Restart),
            Step::Crash { actor } => self.add(self.process(actor), StepKind::Crash),
            Step::Timer { actor, timer, .. } => {
                let local = self.mirrors.local(self.before, actor);
                let name = local.timers[usize::from(timer)].to_string();
                self.add(self.process(actor), StepKind::Timer(name));
            }
            Step::Deliver { to, message, again, .. } => {
                let delivery = self.delivery(to, message);
                let kind = if again { StepKind::Duplicate(delivery) } else { StepKind::Receive(delivery) };
                self.add(self.process(to), kind);
            }
            Step::Lose { to, message } => {
                let delivery = self.delivery(to, message);
                self.add(self.process(to), StepKind::Drop(delivery));
            }
            Step::Split { side } => {
                let side = (0..network).filter(|n| (side >> n) & 1 == 1).collect();
                self.add(network, StepKind::Split { side });
            }
            Step::Heal => self.add(network, StepKind::Heal),
            Step::Act { .. } => unreachable!("steps are narrated in full"),
        }
    }

    fn add(&mut self, process: usize, kind: StepKind<NarratedMessage>) {
        self.steps.push(TraceStep::new(process, kind));
    }

    /// The message of a trace is identified by the id of its value: values are interned, so messages are equal iff their ids are.
    fn message(&self, value: u32) -> NarratedMessage {
        let shown = self.mirrors.values.get(value).value.show();
        NarratedMessage { id: u128::from(value), message: TraceMessage::shown(&shown) }
    }

    fn network(&self, from: u16, to: u16) -> Option<Network> {
        Some(self.worlds.blueprint().channel(from, to))
    }

    fn delivery(&self, to: u16, message: u32) -> Delivery<NarratedMessage> {
        let envelope = self.mirrors.envelopes.get(self.worlds.envelope(self.mirrors, self.before, message));
        let (from, network) = (Some(self.process(envelope.from)), self.network(envelope.from, to));
        Delivery { message: self.message(envelope.message), from, send: None, network }
    }

    fn effects(&mut self, actor: u16, effects: u32, branch: u16) {
        let effects = self.mirrors.effects[effects as usize].clone();
        let chosen = &effects[usize::from(branch)];
        let change = self.change(actor);
        let first = self.steps.last_mut().expect("its cause was narrated");
        first.branch = (effects.len() > 1).then_some(u32::from(branch));
        first.state = change;
        self.choices(actor, chosen);
        self.notes(actor, chosen);
        self.sends(actor, chosen);
        if let Some((_, failure)) = self.mirrors.environments.get(self.after.environment()).failed {
            let violation = (**self.worlds.table.lock().failures.get(failure)).clone();
            let failed = TraceStep::new(self.process(actor), StepKind::Fail(violation.message));
            self.steps.push(failed.located(violation.location));
        }
    }

    /// The state of the actor after the step, if it changed.
    fn change(&self, actor: u16) -> Option<ValueTree> {
        let (old, local) = (self.mirrors.local(self.before, actor), self.mirrors.local(self.after, actor));
        let known = !Arc::ptr_eq(old, local) && local.value != NONE && local.status == Status::Up;
        known.then(|| ValueTree::parse(&self.mirrors.values.get(local.value).value.show()))
    }

    fn choices(&mut self, actor: u16, branch: &Branch) {
        for chosen in &branch.chosen {
            let value = Some(ValueTree::parse(chosen));
            self.add(self.process(actor), StepKind::Choose { option: None, value });
        }
    }

    fn notes(&mut self, actor: u16, branch: &Branch) {
        for note in &branch.notes {
            self.add(self.process(actor), StepKind::Note(note.in_trace()));
        }
    }

    fn sends(&mut self, actor: u16, branch: &Branch) {
        let mut created = branch.created.iter().peekable();
        for (send, nth) in branch.sends.iter().zip(0..) {
            while let Some(new) = created.next_if(|new| new.after <= nth) {
                self.creates(actor, new);
            }
            let message = self.message(self.mirrors.envelopes.get(send.envelope).message);
            let (to, network) = (Some(self.process(send.to)), self.network(actor, send.to));
            let sent = TraceStep::new(self.process(actor), StepKind::Send { message, to, network });
            self.steps.push(sent.located(Some(send.location.into())));
        }
        created.for_each(|new| self.creates(actor, new));
        if branch.halts {
            self.add(self.process(actor), StepKind::Note(TraceNote::Text("halts".to_string())));
        }
    }

    fn creates(&mut self, actor: u16, new: &Created) {
        let child = Some(self.process(new.actor));
        let step = TraceStep::new(self.process(actor), StepKind::Spawn { child });
        self.steps.push(step.located(Some(new.location.into())));
    }

    /// The process of an actor. That of a created one is given by its id: the trace gives it an index when it is complete.
    fn process(&self, actor: u16) -> usize {
        self.mirrors.names.created(actor).map_or(usize::from(actor), |pid| pid.to_bits() as usize)
    }
}
