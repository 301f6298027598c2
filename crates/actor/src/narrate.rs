//! Steps of a system as steps of a trace.

use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors, NONE, Status};
use crate::worlds::Worlds;
use manyworlds_core::{Pid, TraceProcess, TraceStep};
use std::sync::Arc;

/// Everybody who takes part: the actors, and the network if it can fall apart.
pub fn cast(worlds: &Worlds) -> Vec<TraceProcess> {
    let actors = &worlds.blueprint().actors;
    let mut names: Vec<String> = actors.iter().map(|cast| cast.name.clone()).collect();
    if worlds.blueprint().faults.splits > 0 {
        names.push("network".to_string());
    }
    let process = |(name, n): (String, u16)| TraceProcess {
        pid: Pid::root(n).to_string(),
        id: Pid::root(n).to_bits(),
        name,
        daemon: true,
        status: "waiting".to_string(),
    };
    names.into_iter().zip(0..).map(process).collect()
}

/// A macro step: what set it off, then what its handler did.
pub fn tell(worlds: &Worlds, before: &State, step: &Step, after: &State) -> Vec<TraceStep> {
    let step = &worlds.in_full(before, step);
    let mirrors = &*worlds.prepared();
    let mut teller = Teller { worlds, mirrors, before, after, steps: Vec::new() };
    teller.cause(step);
    match *step {
        Step::Start { actor, effects, branch }
        | Step::Timer { actor, effects, branch, .. }
        | Step::Restart { actor, effects, branch }
        | Step::Deliver { to: actor, effects, branch, .. } => teller.effects(actor, effects, branch),
        _ => {}
    }
    teller.steps
}

struct Teller<'a> {
    worlds: &'a Worlds,
    mirrors: &'a Mirrors,
    before: &'a State,
    after: &'a State,
    steps: Vec<TraceStep>,
}

impl Teller<'_> {
    fn cause(&mut self, step: &Step) {
        let network = self.worlds.blueprint().actors.len();
        match *step {
            Step::Start { actor, .. } => self.add("start", usize::from(actor), None),
            Step::Restart { actor, .. } => self.add("restart", usize::from(actor), None),
            Step::Crash { actor } => self.add("crash", usize::from(actor), None),
            Step::Timer { actor, timer, .. } => {
                let local = self.mirrors.local(self.before, actor);
                self.add("timer", usize::from(actor), Some(local.timers[usize::from(timer)].to_string()));
            }
            Step::Deliver { to, message, again, .. } => {
                self.message(if again { "duplicate" } else { "recv" }, to, message);
            }
            Step::Lose { to, message } => self.message("drop", to, message),
            Step::Split { side } => self.add("split", network, Some(self.sides(side))),
            Step::Heal => self.add("heal", network, None),
            Step::Act { .. } => unreachable!("steps are told in full"),
        }
    }

    fn add(&mut self, kind: &str, process: usize, message: Option<String>) {
        self.steps.push(TraceStep { kind: kind.to_string(), process, message, ..TraceStep::default() });
    }

    fn message(&mut self, kind: &str, to: u16, message: u32) {
        let envelope = self.mirrors.envelopes.get(self.worlds.envelope(self.mirrors, self.before, message));
        self.steps.push(TraceStep {
            kind: kind.to_string(),
            process: usize::from(to),
            peer: Some(usize::from(envelope.from)),
            message: Some(self.mirrors.values.get(envelope.message).value.show()),
            network: Some(self.worlds.blueprint().channel(envelope.from, to)),
            ..TraceStep::default()
        });
    }

    fn effects(&mut self, actor: u16, effects: u32, branch: u16) {
        let effects = self.mirrors.effects[effects as usize].clone();
        let chosen = &effects[usize::from(branch)];
        let change = self.change(actor);
        let first = self.steps.last_mut().expect("its cause was told");
        first.choice = (effects.len() > 1).then_some(u32::from(branch));
        first.state_diff = change;
        self.choices(actor, chosen);
        self.notes(actor, chosen);
        self.sends(actor, chosen);
        if let Some((_, failure)) = self.mirrors.weathers.get(self.after.weather()).failed {
            let violation = (**self.worlds.table.lock().failures.get(failure)).clone();
            self.add("fail", usize::from(actor), Some(violation.message));
            self.steps.last_mut().expect("just added").location = violation.location;
        }
    }

    /// The state after the step, if it changed.
    fn change(&self, actor: u16) -> Option<String> {
        let (old, local) = (self.mirrors.local(self.before, actor), self.mirrors.local(self.after, actor));
        let known = !Arc::ptr_eq(old, local) && local.value != NONE && local.status == Status::Up;
        known.then(|| self.mirrors.values.get(local.value).value.show())
    }

    fn choices(&mut self, actor: u16, branch: &Branch) {
        for chosen in &branch.chosen {
            self.add("choose", usize::from(actor), Some(chosen.clone()));
        }
    }

    fn notes(&mut self, actor: u16, branch: &Branch) {
        for note in &branch.notes {
            self.add("note", usize::from(actor), Some(note.words()));
        }
    }

    fn sends(&mut self, actor: u16, branch: &Branch) {
        for send in &branch.sends {
            let envelope = self.mirrors.envelopes.get(send.envelope);
            self.steps.push(TraceStep {
                kind: "send".to_string(),
                process: usize::from(actor),
                peer: Some(usize::from(send.to)),
                message: Some(self.mirrors.values.get(envelope.message).value.show()),
                network: Some(self.worlds.blueprint().channel(actor, send.to)),
                location: Some(send.location.to_string()),
                ..TraceStep::default()
            });
        }
    }

    fn sides(&self, side: u64) -> String {
        let actors = &self.worlds.blueprint().actors;
        let names = |inside: bool| {
            let members = actors.iter().enumerate().filter(|(n, _)| ((side >> n) & 1 == 1) == inside);
            members.map(|(_, cast)| cast.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        format!("{} | {}", names(true), names(false))
    }
}
