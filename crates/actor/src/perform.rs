//! What comes of a step.

use crate::causal::Causal;
use crate::enabled::Number;
use crate::faults::{Weather, named_side};
use crate::situation::{Plan, Situation};
use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors, NONE, Send, Status};
use crate::worlds::Worlds;
use smallvec::SmallVec;

impl Mirrors {
    /// The fingerprint of the state that a plan of `actor` leads to, if all that it takes is known.
    #[inline]
    fn print_after(&self, state: &State, actor: u16, plan: &Plan) -> Option<u128> {
        if plan.aside {
            return None;
        }
        let print = state.print.wrapping_add(plan.change);
        let situation = |to: u16| if to == actor { plan.next } else { state.ids[usize::from(to)] };
        match *plan.sends.as_slice() {
            [] => Some(print),
            [(to, envelope)] => Some(print.wrapping_add(self.push(situation(to), envelope)?.change)),
            ref sends => {
                let mut print = print;
                // Slots that have changed so far.
                let mut changed: SmallVec<[(u16, u32); 8]> = SmallVec::new();
                for &(to, envelope) in sends {
                    let slot = changed.iter_mut().find(|(slot, _)| *slot == to);
                    let push = self.push(slot.as_ref().map_or_else(|| situation(to), |slot| slot.1), envelope)?;
                    print = print.wrapping_add(push.change);
                    match slot {
                        Some(slot) => slot.1 = push.next,
                        None => changed.push((to, push.next)),
                    }
                }
                Some(print)
            }
        }
    }
}

impl Worlds {
    /// Takes a step.
    pub(crate) fn perform(&self, mirrors: &mut Mirrors, state: &mut State, step: &Step) {
        match *step {
            Step::Act { actor, nth } => self.act(mirrors, state, actor, nth),
            Step::Start { actor, effects, branch } | Step::Timer { actor, effects, branch, .. } => {
                self.apply(mirrors, state, actor, effects, branch);
            }
            Step::Deliver { to, message, effects, branch, again } => {
                match again {
                    false => self.take(mirrors, state, to, message, true),
                    true => {
                        if self.is_causal() {
                            let network = |from, to| self.blueprint().channel(from, to);
                            self.change_causal(mirrors, state, |causal| causal.read_again(message as usize, &network));
                        }
                        self.change_weather(mirrors, state, |weather| weather.left.duplicates -= 1);
                    }
                }
                self.apply(mirrors, state, to, effects, branch);
            }
            Step::Lose { to, message } => {
                self.take(mirrors, state, to, message, false);
                self.change_weather(mirrors, state, |weather| weather.left.losses -= 1);
            }
            Step::Crash { actor } => self.crash(mirrors, state, actor),
            Step::Restart { actor, effects, branch } => {
                self.change_weather(mirrors, state, |weather| weather.left.restarts -= 1);
                self.apply(mirrors, state, actor, effects, branch);
            }
            Step::Split { side } => self.change_weather(mirrors, state, |weather| {
                weather.split = Some(named_side(side, self.actors()));
                weather.left.splits -= 1;
            }),
            Step::Heal => self.change_weather(mirrors, state, |weather| weather.split = None),
        }
    }

    /// A step that was planned: its situation, then what it sends.
    fn act(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, nth: u16) {
        let situation = state.ids[usize::from(actor)];
        self.plan(mirrors, situation);
        let plan = mirrors.planned(situation, nth);
        if plan.aside {
            let step = plan.step;
            return self.perform(mirrors, state, &step);
        }
        let (next, count) = (plan.next, plan.sends.len());
        state.print = state.print.wrapping_add(plan.change);
        state.ids[usize::from(actor)] = next;
        for i in 0..count {
            let (to, envelope) = mirrors.planned(situation, nth).sends[i];
            self.deposit(mirrors, state, to, envelope);
        }
    }

    /// Adds number and fingerprint of every successor to `out`.
    pub(crate) fn successor_prints(&self, mirrors: &mut Mirrors, state: &State, out: &mut Vec<(u32, u128)>) {
        // Where something is not known yet, the successor has to be built.
        let mut late: SmallVec<[(usize, Step); 4]> = SmallVec::new();
        for actor in 0..self.actors() as u16 {
            let situation = state.ids[usize::from(actor)];
            self.plan(mirrors, situation);
            for (nth, plan) in mirrors.plans_of(situation).iter().enumerate() {
                let nth = nth as u16;
                let print = mirrors.print_after(state, actor, plan).filter(|_| !self.drops_messages());
                if print.is_none() {
                    late.push((out.len(), Step::Act { actor, nth }));
                }
                out.push((Number::Plan { actor, nth }.write(), print.unwrap_or(0)));
            }
        }
        for (at, step) in late {
            out[at].1 = self.build_print(mirrors, state, &step);
        }
        let weather = mirrors.weathers.get(state.weather()).clone();
        let mut faults = Vec::new();
        self.fault_steps(mirrors, state, &weather, &mut faults);
        for (number, step) in faults.iter().enumerate() {
            out.push((Number::Fault(number as u32).write(), self.build_print(mirrors, state, step)));
        }
    }

    fn build_print(&self, mirrors: &mut Mirrors, state: &State, step: &Step) -> u128 {
        let mut next = state.clone();
        self.perform(mirrors, &mut next, step);
        next.print
    }

    /// The branch of a handler takes effect: its next local state, then its sends in order, or its failure.
    fn apply(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, effects: u32, branch: u16) {
        if effects as usize >= mirrors.effects.len() {
            self.table.copy(mirrors);
        }
        let done = (effects, branch);
        let effects = mirrors.effects[effects as usize].clone();
        let Branch { local, failure, ref sends, .. } = effects[usize::from(branch)];
        self.set_local(mirrors, state, actor, local);
        if self.watches() && effects[usize::from(branch)].records() {
            let weather = self.weather_after(mirrors, state.weather(), actor, done);
            self.set_weather(mirrors, state, weather);
        }
        if failure != NONE {
            return self.change_weather(mirrors, state, |weather| weather.failed = Some((actor, failure)));
        }
        match self.is_causal() {
            true => self.send_causal(mirrors, state, actor, sends),
            false => sends.iter().for_each(|send| self.deposit(mirrors, state, send.to, send.envelope)),
        }
    }

    /// A message sets out.
    fn deposit(&self, mirrors: &mut Mirrors, state: &mut State, to: u16, envelope: u32) {
        if self.drops_messages() && self.is_down(mirrors, state, to) {
            return;
        }
        let push = self.pushed(mirrors, state.ids[usize::from(to)], envelope);
        state.ids[usize::from(to)] = push.next;
        state.print = state.print.wrapping_add(push.change);
    }

    fn send_causal(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, sends: &[Send]) {
        if sends.is_empty() {
            return;
        }
        let network = |from, to| self.blueprint().channel(from, to);
        let gone = |send: &&Send| self.drops_messages() && self.is_down(mirrors, state, send.to);
        let sends: Vec<&Send> = sends.iter().filter(|send| !gone(send)).collect();
        self.change_causal(mirrors, state, |causal| {
            sends.iter().for_each(|send| causal.push(actor, send.to, send.envelope, &network));
        });
    }

    fn is_down(&self, mirrors: &Mirrors, state: &State, actor: u16) -> bool {
        mirrors.local(state, actor).status == Status::Down
    }

    /// Removes a message; under causal delivery its destination learns its past if it was `read`.
    fn take(&self, mirrors: &mut Mirrors, state: &mut State, to: u16, message: u32, read: bool) {
        if self.is_causal() {
            let network = |from, to| self.blueprint().channel(from, to);
            return self.change_causal(mirrors, state, |causal| causal.take(message as usize, read, &network));
        }
        let id = self.taken(mirrors, state.ids[usize::from(to)], message);
        state.set(usize::from(to), id, |id| mirrors.situations.print(id));
    }

    pub(crate) fn set_local(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, local: u32) {
        let slot = usize::from(actor);
        let old = **mirrors.situations.get(state.ids[slot]);
        let id = match old.local == local {
            true => state.ids[slot],
            false => self.situation(mirrors, Situation { local, ..old }),
        };
        state.set(slot, id, |id| mirrors.situations.print(id));
    }

    fn change_weather(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Weather)) {
        let mut weather = (**mirrors.weathers.get(state.weather())).clone();
        change(&mut weather);
        let id = match mirrors.forecasts.get(&weather) {
            Some(&id) => id,
            None => {
                let id = self.learn(mirrors, |entries, _| entries.weather(weather.clone()));
                mirrors.forecasts.insert(weather, id);
                id
            }
        };
        self.set_weather(mirrors, state, id);
    }

    fn set_weather(&self, mirrors: &Mirrors, state: &mut State, id: u32) {
        let slot = state.ids.len() - 1;
        let weight = self.weight(slot);
        state.set(slot, id, |id| mirrors.weathers.print(id).wrapping_mul(weight));
    }

    fn change_causal(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Causal)) {
        let slot = self.actors();
        let mut causal = (**mirrors.causals.get(state.ids[slot])).clone();
        change(&mut causal);
        let network = |from, to| self.blueprint().channel(from, to);
        let id = self.learn(mirrors, |entries, _| entries.causal(causal, &network));
        let weight = self.weight(slot);
        state.set(slot, id, |id| mirrors.causals.print(id).wrapping_mul(weight));
    }

    fn crash(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        let local = mirrors.situations.get(state.ids[usize::from(actor)]).local;
        let down = match mirrors.crashed.get(&(actor, local)) {
            Some(&down) => down,
            None => {
                let down = self.learn(mirrors, |entries, blueprint| entries.crashed(blueprint, actor, local));
                mirrors.crashed.insert((actor, local), down);
                down
            }
        };
        match down {
            Ok(down) => self.set_local(mirrors, state, actor, down),
            Err(failure) => self.change_weather(mirrors, state, |weather| weather.failed = Some((actor, failure))),
        }
        self.change_weather(mirrors, state, |weather| weather.left.crashes -= 1);
        if self.drops_messages() {
            self.forget_messages(mirrors, state, actor);
        }
    }

    /// What is on its way to an actor that is down for good is gone.
    fn forget_messages(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        if self.is_causal() {
            let network = |from, to| self.blueprint().channel(from, to);
            return self.change_causal(mirrors, state, |causal| {
                while let Some(at) = causal.pending.iter().position(|p| p.to == actor) {
                    causal.take(at, false, &network);
                }
            });
        }
        let slot = usize::from(actor);
        let old = **mirrors.situations.get(state.ids[slot]);
        let weight = self.weight(slot);
        let id = self.learn(mirrors, |entries, blueprint| {
            let inbox = entries.inbox_of(blueprint, actor, Box::default());
            entries.situation(Situation { inbox, ..old }, weight)
        });
        state.set(slot, id, |id| mirrors.situations.print(id));
    }
}
