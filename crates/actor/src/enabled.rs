//! The enabled steps of a global state.

use crate::acts::branches;
use crate::faults::Environment;
use crate::state::State;
use crate::step::Step;
use crate::system::MAX_IN_SETS;
use crate::table::{Input, Mirrors, Status};
use crate::worlds::Worlds;

impl Worlds {
    /// Adds every enabled step of `state` to `out`.
    pub(crate) fn enabled(&self, mirrors: &mut Mirrors, state: &State, out: &mut Vec<Step>) {
        let environment = mirrors.environments.get(state.environment()).clone();
        if environment.failed.is_some() {
            return;
        }
        let quick = self.steps_are_local(mirrors, state);
        for actor in 0..self.slots(state) as u16 {
            match quick {
                true => self.acts(mirrors, state, actor, out),
                false => self.general_steps(mirrors, state, actor, &environment, out),
            }
        }
        self.fault_steps(mirrors, state, &environment, out);
    }

    /// Runs the handlers of all enabled steps, those of the last actor first, so that the table has them.
    pub(crate) fn run_handlers_backwards(&self, state: &State) {
        drop(self.prepared());
        let mirrors = &mut *self.mirrors.borrow_mut();
        let environment = mirrors.environments.get(state.environment()).clone();
        let mut steps = Vec::new();
        for actor in (0..self.actors() as u16).rev() {
            self.general_steps(mirrors, state, actor, &environment, &mut steps);
        }
    }

    /// The step with a number that `list_successors` assigned to it.
    #[inline]
    pub(crate) fn numbered_step(&self, mirrors: &mut Mirrors, state: &State, number: u32) -> Option<Step> {
        if !self.steps_are_local(mirrors, state) {
            let mut steps = Vec::new();
            self.enabled(mirrors, state, &mut steps);
            return steps.get(number as usize).copied();
        }
        match Number::read(number) {
            Number::Act { actor, item, branch } => Some(Step::Act { actor, item, branch }),
            Number::Fault(nth) => {
                let (environment, mut faults) = (mirrors.environments.get(state.environment()).clone(), Vec::new());
                self.fault_steps(mirrors, state, &environment, &mut faults);
                faults.get(nth as usize).copied()
            }
        }
    }

    /// Whether some step is enabled.
    pub(crate) fn any_step(&self, mirrors: &mut Mirrors, state: &State) -> bool {
        // No handler has to run for this check: an actor that is up and has a message or a timer can take a step.
        if self.steps_are_local(mirrors, state)
            && (0..self.slots(state) as u16).any(|actor| self.can_act(mirrors, state, actor))
        {
            return true;
        }
        let mut steps = Vec::new();
        self.enabled(mirrors, state, &mut steps);
        !steps.is_empty()
    }

    /// Whether the steps of each actor depend only on its local state and its inbox.
    #[inline]
    pub(crate) fn steps_are_local(&self, mirrors: &Mirrors, state: &State) -> bool {
        let environment_summary = mirrors.environment_summary(state);
        let unusual = mirrors.unusual && self.is_unusual(mirrors, state);
        !self.is_causal() && environment_summary.reliable && !environment_summary.failed && !unusual
    }

    /// Whether a state is of a kind that is rare: it has more actors than [`Number`] can express, or an actor may have more items than that; or it
    /// depends on the receiver whether a message can be sent, because some receiver has halted and the system forbids messages to it.
    #[cold]
    fn is_unusual(&self, mirrors: &Mirrors, state: &State) -> bool {
        if self.is_causal() {
            return true;
        }
        let actors = self.slots(state) as u16;
        let forbids = self.blueprint().forbids_halted;
        let halted = |actor| forbids && mirrors.local(state, actor).status == Status::Halted;
        usize::from(actors) > MOST_QUICK
            || (0..actors).any(|actor| mirrors.inboxes.get(state.inbox(actor)).items.len() >= LONG_INBOX)
            || (0..actors).any(halted)
    }

    /// Adds the steps in which an actor starts, one for each branch of its handler.
    pub(crate) fn start_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, out: &mut Vec<Step>) {
        let local = state.ids[usize::from(actor)];
        let effects = self.reaction(mirrors, local, Input::Start);
        out.extend(branches(mirrors, effects).map(|branch| Step::Start { actor, effects, branch }));
    }

    fn acts(&self, mirrors: &mut Mirrors, state: &State, actor: u16, out: &mut Vec<Step>) {
        let local = state.ids[usize::from(actor)];
        let items = self.items(mirrors, local, state.inbox(actor));
        for item in 0..items.count() {
            let (_, acts) = self.item(mirrors, local, items, item);
            let item = item as u16;
            out.extend((0..acts.range().len() as u16).map(|branch| Step::Act { actor, item, branch }));
        }
    }

    fn general_steps(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        actor: u16,
        environment: &Environment,
        out: &mut Vec<Step>,
    ) {
        let local = state.ids[usize::from(actor)];
        match mirrors.locals.get(local).status {
            Status::Down | Status::Halted | Status::Absent => {}
            Status::New => self.start_steps(mirrors, state, actor, out),
            Status::Up => {
                self.message_steps(mirrors, state, actor, environment, out);
                self.timer_steps(mirrors, local, out);
            }
        }
    }

    fn message_steps(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        to: u16,
        environment: &Environment,
        out: &mut Vec<Step>,
    ) {
        let local = state.ids[usize::from(to)];
        let mut messages = self.deliverable(mirrors, state, to);
        let side = |actor: u16| usize::from(mirrors.names.root(actor));
        messages.retain(|&(from, _)| environment.reaches(side(from), side(to)));
        let is_hit = |from: u16| from != to || self.blueprint().own_faults;
        for &(from, message) in &messages {
            let input = Input::Message(self.envelope(mirrors, state, message));
            let effects = self.reaction(mirrors, local, input);
            let left_out = self.is_left_out(local, input, &mirrors.effects[effects as usize]);
            for branch in branches(mirrors, effects).filter(|_| !left_out) {
                out.push(Step::Deliver { to, message, effects, branch, again: false });
                if environment.left.duplicates > 0 && is_hit(from) {
                    out.push(Step::Deliver { to, message, effects, branch, again: true });
                }
            }
        }
        if environment.left.losses > 0 {
            let hit = messages.iter().filter(|&&(from, _)| is_hit(from));
            out.extend(hit.map(|&(_, message)| Step::Lose { to, message }));
        }
    }

    /// Whether an actor may crash: a created one, if the declared actor from which it descends may.
    fn may_crash(&self, mirrors: &Mirrors, actor: u16) -> bool {
        self.blueprint().actors[usize::from(mirrors.names.root(actor))].may_crash
    }

    pub(crate) fn fault_steps(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        environment: &Environment,
        out: &mut Vec<Step>,
    ) {
        let crash_faults = environment.left.crashes > 0 || environment.left.restarts > 0;
        for actor in (0..self.slots(state) as u16).filter(|_| crash_faults) {
            let local = state.ids[usize::from(actor)];
            match mirrors.locals.get(local).status {
                Status::Up if environment.left.crashes > 0 && self.may_crash(mirrors, actor) => {
                    out.push(Step::Crash { actor });
                }
                Status::Down if environment.left.restarts > 0 => {
                    let effects = self.reaction(mirrors, local, Input::Restart);
                    out.extend(branches(mirrors, effects).map(|branch| Step::Restart { actor, effects, branch }));
                }
                _ => {}
            }
        }
        if environment.split.is_some() {
            out.push(Step::Heal);
        } else if environment.left.splits > 0 && self.actors() <= MAX_IN_SETS {
            let declared = &self.blueprint().sides;
            match declared.is_empty() {
                // Every partition into two sides; the side without the last actor represents it.
                true => out.extend((1..1u64 << (self.actors() - 1)).map(|side| Step::Split { side })),
                false => out.extend(declared.iter().map(|&side| Step::Split { side })),
            }
        }
    }
}

/// The number of a step in states whose steps are local ([`Worlds::steps_are_local`]). Nearly all numbers fit sixteen bits, which saves
/// memory because engines keep one for each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// An actor reacts to one of its items.
    Act {
        /// The actor.
        actor: u16,
        /// The index of the item.
        item: u16,
        /// The branch of its handler.
        branch: u16,
    },
    /// The fault step with this index.
    Fault(u32),
}

/// Short numbers have 5 bits for the item and 4 for the branch; long ones have 10 and 15.
const SHORT: u32 = 1 << 9;
const LONG_ACT: u32 = 1 << 31;
const LONG_FAULT: u32 = 1 << 30;
const MOST_ITEMS: u32 = 1 << 10;
/// A long number has 6 bits for the actor.
pub(crate) const MOST_QUICK: usize = 64;
/// With an inbox of this length and its timers, an actor may have more items than there are numbers.
pub(crate) const LONG_INBOX: usize = 900;

impl Number {
    /// Encodes it.
    #[inline]
    pub(crate) fn write(self) -> u32 {
        match self {
            Number::Act { actor, item, branch } => {
                let (actor, item, branch) = (u32::from(actor), u32::from(item), u32::from(branch));
                if item < 32 && branch < 16 {
                    return (actor + 1) * SHORT + item * 16 + branch;
                }
                assert!(item < MOST_ITEMS, "an actor has more than {MOST_ITEMS} messages to choose from");
                LONG_ACT | actor << 25 | item << 15 | branch
            }
            Number::Fault(nth) if nth < SHORT => nth,
            Number::Fault(nth) => LONG_FAULT | nth,
        }
    }

    /// Decodes it.
    #[inline]
    pub(crate) fn read(number: u32) -> Number {
        let act = |actor: u32, item: u32, branch: u32| Number::Act {
            actor: actor as u16,
            item: item as u16,
            branch: branch as u16,
        };
        match number {
            n if n >= LONG_ACT => act(n >> 25 & 0x3f, n >> 15 & 0x3ff, n & 0x7fff),
            n if n >= LONG_FAULT => Number::Fault(n - LONG_FAULT),
            n if n < SHORT => Number::Fault(n),
            n => act(n / SHORT - 1, n / 16 % 32, n % 16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for (actor, item, branch) in [(0, 0, 0), (63, 31, 15), (5, 32, 0), (5, 0, 16), (63, 1023, 32767)] {
            let act = Number::Act { actor, item, branch };
            assert_eq!(Number::read(act.write()), act);
        }
        for fault in [0, 511, 512, 1 << 20].map(Number::Fault) {
            assert_eq!(Number::read(fault.write()), fault);
        }
        assert!(Number::Act { actor: 63, item: 31, branch: 15 }.write() < u32::from(u16::MAX));
    }
}
