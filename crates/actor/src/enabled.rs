//! What can happen in a global state.

use crate::faults::Weather;
use crate::situation::branches;
use crate::state::State;
use crate::step::Step;
use crate::table::{Input, Mirrors, Status};
use crate::worlds::Worlds;

impl Worlds {
    /// Adds every step of `state` to `out`.
    pub(crate) fn enabled(&self, mirrors: &mut Mirrors, state: &State, out: &mut Vec<Step>) {
        let weather = mirrors.weathers.get(state.weather()).clone();
        if weather.failed.is_some() {
            return;
        }
        let calm = self.is_calm(&weather);
        for actor in 0..self.actors() as u16 {
            match calm {
                true => self.planned_steps(mirrors, state, actor, out),
                false => self.stormy_steps(mirrors, state, actor, &weather, out),
            }
        }
        self.fault_steps(mirrors, state, &weather, out);
    }

    /// The step with a number that `successor_prints` gave it.
    pub(crate) fn numbered_step(&self, mirrors: &mut Mirrors, state: &State, number: u32) -> Option<Step> {
        let weather = mirrors.weathers.get(state.weather());
        if weather.failed.is_none() && self.is_calm(weather) {
            match Number::read(number) {
                Number::Plan { actor, nth } => Some(Step::Act { actor, nth }),
                Number::Fault(nth) => {
                    let (weather, mut faults) = (weather.clone(), Vec::new());
                    self.fault_steps(mirrors, state, &weather, &mut faults);
                    faults.get(nth as usize).copied()
                }
            }
        } else {
            let mut steps = Vec::new();
            self.enabled(mirrors, state, &mut steps);
            steps.get(number as usize).copied()
        }
    }

    /// Whether anything can happen.
    pub(crate) fn any_step(&self, mirrors: &mut Mirrors, state: &State) -> bool {
        let weather = mirrors.weathers.get(state.weather());
        if weather.failed.is_none() && self.is_calm(weather) {
            // No handler has to run for this: whoever is up and has a message or a timer can take a step.
            let can_act = |&id: &u32| {
                let situation = mirrors.situations.get(id);
                let local = mirrors.locals.get(situation.local);
                let has_something =
                    || !local.timers.is_empty() || !mirrors.inboxes.get(situation.inbox).items.is_empty();
                local.status == Status::New || local.status == Status::Up && has_something()
            };
            if state.ids[..self.actors()].iter().any(can_act) {
                return true;
            }
        }
        let mut steps = Vec::new();
        self.enabled(mirrors, state, &mut steps);
        !steps.is_empty()
    }

    /// Whether what an actor can do depends on its situation alone.
    pub(crate) fn is_calm(&self, weather: &Weather) -> bool {
        let left = &weather.left;
        !self.is_causal() && weather.split.is_none() && left.duplicates == 0 && left.losses == 0
    }

    /// The ways in which an actor can start.
    pub(crate) fn start_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, out: &mut Vec<Step>) {
        let local = mirrors.situations.get(state.ids[usize::from(actor)]).local;
        let effects = self.reaction(mirrors, actor, local, Input::Start);
        out.extend(branches(mirrors, effects).map(|branch| Step::Start { actor, effects, branch }));
    }

    fn planned_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, out: &mut Vec<Step>) {
        let situation = state.ids[usize::from(actor)];
        self.plan(mirrors, situation);
        out.extend((0..mirrors.plans_of(situation).len() as u16).map(|nth| Step::Act { actor, nth }));
    }

    fn stormy_steps(&self, mirrors: &mut Mirrors, state: &State, actor: u16, weather: &Weather, out: &mut Vec<Step>) {
        let local = mirrors.situations.get(state.ids[usize::from(actor)]).local;
        match mirrors.locals.get(local).status {
            Status::Down => {}
            Status::New => self.start_steps(mirrors, state, actor, out),
            Status::Up => {
                self.message_steps(mirrors, state, actor, weather, out);
                self.timer_steps(mirrors, actor, local, out);
            }
        }
    }

    fn message_steps(&self, mirrors: &mut Mirrors, state: &State, to: u16, weather: &Weather, out: &mut Vec<Step>) {
        let local = mirrors.situations.get(state.ids[usize::from(to)]).local;
        let mut messages = self.deliverable(mirrors, state, to);
        messages.retain(|&(from, _)| weather.reaches(usize::from(from), usize::from(to)));
        for &(_, message) in &messages {
            let input = Input::Message(self.envelope(mirrors, state, message));
            let effects = self.reaction(mirrors, to, local, input);
            for branch in branches(mirrors, effects) {
                out.push(Step::Deliver { to, message, effects, branch, again: false });
                if weather.left.duplicates > 0 {
                    out.push(Step::Deliver { to, message, effects, branch, again: true });
                }
            }
        }
        if weather.left.losses > 0 {
            out.extend(messages.iter().map(|&(_, message)| Step::Lose { to, message }));
        }
    }

    pub(crate) fn fault_steps(&self, mirrors: &mut Mirrors, state: &State, weather: &Weather, out: &mut Vec<Step>) {
        let mortal = weather.left.crashes > 0 || weather.left.restarts > 0;
        for actor in (0..self.actors() as u16).filter(|_| mortal) {
            let local = mirrors.situations.get(state.ids[usize::from(actor)]).local;
            match mirrors.locals.get(local).status {
                Status::Up if weather.left.crashes > 0 && self.blueprint().actors[usize::from(actor)].may_crash => {
                    out.push(Step::Crash { actor });
                }
                Status::Down if weather.left.restarts > 0 => {
                    let effects = self.reaction(mirrors, actor, local, Input::Restart);
                    out.extend(branches(mirrors, effects).map(|branch| Step::Restart { actor, effects, branch }));
                }
                _ => {}
            }
        }
        if weather.split.is_some() {
            out.push(Step::Heal);
        } else if weather.left.splits > 0 {
            let declared = &self.blueprint().sides;
            match declared.is_empty() {
                // Every way to cut the actors in two; the last actor's side is the unnamed one.
                true => out.extend((1..1u64 << (self.actors() - 1)).map(|side| Step::Split { side })),
                false => out.extend(declared.iter().map(|&side| Step::Split { side })),
            }
        }
    }
}

/// What the number of a step means while the weather is calm. Nearly all numbers fit sixteen bits: engines keep one for each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// An actor does what was planned.
    Plan {
        /// Who.
        actor: u16,
        /// Which of the plans.
        nth: u16,
    },
    /// The fault with this number.
    Fault(u32),
}

const SHORT: u32 = 1 << 9;
const LONG_PLAN: u32 = 1 << 31;
const LONG_FAULT: u32 = 1 << 30;

impl Number {
    /// As a number.
    pub(crate) fn write(self) -> u32 {
        match self {
            Number::Plan { actor, nth } if u32::from(nth) < SHORT => (u32::from(actor) + 1) * SHORT + u32::from(nth),
            Number::Plan { actor, nth } => LONG_PLAN | u32::from(actor) << 16 | u32::from(nth),
            Number::Fault(nth) if nth < SHORT => nth,
            Number::Fault(nth) => LONG_FAULT | nth,
        }
    }

    fn read(number: u32) -> Number {
        match number {
            n if n >= LONG_PLAN => Number::Plan { actor: (n >> 16) as u16 & 0x7fff, nth: n as u16 },
            n if n >= LONG_FAULT => Number::Fault(n - LONG_FAULT),
            n if n < SHORT => Number::Fault(n),
            n => Number::Plan { actor: (n / SHORT - 1) as u16, nth: (n % SHORT) as u16 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for (actor, nth) in [(0, 0), (63, 511), (5, 512), (63, u16::MAX)] {
            let plan = Number::Plan { actor, nth };
            assert_eq!(Number::read(plan.write()), plan);
        }
        for fault in [0, 511, 512, 1 << 20].map(Number::Fault) {
            assert_eq!(Number::read(fault.write()), fault);
        }
        assert!(Number::Plan { actor: 63, nth: 511 }.write() < u32::from(u16::MAX));
    }
}
