//! The table of local transitions as a public interface, for engines that work on local states.

use crate::state::State;
use crate::table::{Branch, Input as Own, Local, NONE, Status};
use crate::worlds::{Worlds, show_local};
use manyworlds_core::{
    Accept, ActorId, Effect, FailureId, Input, LocalBranch, LocalId, LocalTransitions, Location, MsgId, Pid, Violation,
};

impl Worlds {
    fn origin(&self, local: LocalId) -> Local {
        (**self.prepared().locals.get(local.0)).clone()
    }

    /// The effects of the handler for an input other than a crash.
    fn handled(&self, local: LocalId, input: Own) -> std::sync::Arc<Vec<Branch>> {
        let _ = self.prepared();
        let mirrors = &mut *self.mirrors.borrow_mut();
        let effects = self.reaction(mirrors, local.0, input);
        mirrors.effects[effects as usize].clone()
    }

    /// Whether a message is ignored.
    fn ignores(&self, local: LocalId, input: Own) -> bool {
        let Own::Message(envelope) = input else { return false };
        self.accept(&mut self.mirrors.borrow_mut(), local.0, envelope) == Accept::Ignore
    }

    /// The local state after a crash, as the only branch.
    fn crash_of(&self, local: LocalId) -> LocalBranch {
        let actor = self.origin(local).actor;
        let down = self.with_entries(|entries, blueprint| entries.crashed(blueprint, actor, local.0));
        let (next, failure) = match down {
            Ok(down) => (LocalId(down), None),
            Err(failure) => (local, Some(FailureId(failure))),
        };
        LocalBranch { next, effects: Box::default(), chosen: Box::default(), failure }
    }

    /// The local states of all actors in a global state, one for each of its slots.
    pub fn locals_of(&self, state: &State) -> Vec<LocalId> {
        state.ids()[..self.slots(state)].iter().map(|&id| LocalId(id)).collect()
    }
}

/// An input in the terms of the table; a crash has none.
fn own(input: Input) -> Option<Own> {
    Some(match input {
        Input::Start => Own::Start,
        Input::Message(message) => Own::Message(message.0),
        Input::Timer(at) => Own::Timer(at),
        Input::Restart => Own::Restart,
        Input::Crash => return None,
    })
}

/// The effects of a branch in their order.
fn effects(branch: &Branch, receipt: Option<MsgId>) -> Box<[Effect]> {
    let mut effects: Vec<Effect> = receipt.map(Effect::Receive).into_iter().collect();
    let create =
        |new: &crate::creation::Created| Effect::Create { actor: ActorId(new.actor), local: LocalId(new.local) };
    let mut created = branch.created.iter().peekable();
    for (send, nth) in branch.sends.iter().zip(0u32..) {
        while let Some(new) = created.next_if(|new| new.after <= nth) {
            effects.push(create(new));
        }
        let (to, message) = (ActorId(send.to), MsgId(send.envelope));
        effects.extend([Effect::Observe { to, message, nth }, Effect::Enqueue { to, message }]);
    }
    effects.extend(created.map(create));
    effects.extend((0..branch.notes.len() as u32).map(Effect::Record));
    effects.extend(branch.halts.then_some(Effect::Halt));
    effects.into()
}

impl LocalTransitions for Worlds {
    fn roots(&self) -> Vec<(ActorId, LocalId)> {
        let blank = self.resting(&[]);
        (0..).zip(&blank.ids()[..self.actors()]).map(|(actor, &local)| (ActorId(actor), LocalId(local))).collect()
    }

    fn pid(&self, actor: ActorId) -> Pid {
        self.prepared().names.pid(actor.0)
    }

    fn owner(&self, local: LocalId) -> ActorId {
        ActorId(self.origin(local).actor)
    }

    fn sender(&self, message: MsgId) -> ActorId {
        ActorId(self.prepared().envelopes.get(message.0).from)
    }

    fn own_inputs(&self, local: LocalId, out: &mut Vec<Input>) {
        let Local { status, timers, .. } = self.origin(local);
        match status {
            Status::New => out.push(Input::Start),
            Status::Up => out.extend((0..timers.len() as u16).map(Input::Timer)),
            Status::Down | Status::Halted | Status::Absent => {}
        }
    }

    fn accepts(&self, local: LocalId, message: MsgId) -> Option<Accept> {
        let is_up = self.origin(local).status == Status::Up;
        is_up.then(|| self.accept(&mut self.mirrors.borrow_mut(), local.0, message.0))
    }

    fn branches(&self, local: LocalId, input: Input) -> Vec<LocalBranch> {
        let Some(input) = own(input) else { return vec![self.crash_of(local)] };
        let receipt = match input {
            Own::Message(envelope) if !self.ignores(local, input) => Some(MsgId(envelope)),
            _ => None,
        };
        let branch = |branch: &Branch| LocalBranch {
            next: LocalId(branch.local),
            effects: if branch.failure == NONE { effects(branch, receipt) } else { Box::default() },
            chosen: branch.chosen.clone(),
            failure: (branch.failure != NONE).then_some(FailureId(branch.failure)),
        };
        self.handled(local, input).iter().map(branch).collect()
    }

    fn place(&self, local: LocalId, input: Input, branch: usize, nth: u32) -> Option<Location> {
        let branches = self.handled(local, own(input)?);
        Some(branches.get(branch)?.sends.get(nth as usize)?.location.into())
    }

    fn failure(&self, failure: FailureId) -> Violation {
        (**self.table.lock().failures.get(failure.0)).clone()
    }

    fn show_local(&self, local: LocalId) -> String {
        let mirrors = self.prepared();
        show_local(&mirrors, mirrors.locals.get(local.0))
    }

    fn show_message(&self, message: MsgId) -> String {
        let mirrors = self.prepared();
        mirrors.values.get(mirrors.envelopes.get(message.0).message).value.show()
    }

    fn local_fingerprint(&self, local: LocalId) -> u128 {
        self.prepared().locals.print(local.0)
    }

    fn message_fingerprint(&self, message: MsgId) -> u128 {
        self.prepared().envelopes.print(message.0)
    }
}
