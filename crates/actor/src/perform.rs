//! What comes of a step.

use crate::acts::{Act, Head, Items, Span};
use crate::causal::Causal;
use crate::enabled::Number;
use crate::faults::{Weather, named_side};
use crate::landings::Sent;
use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors, NONE, Send};
use crate::worlds::Worlds;
use manyworlds_explore::Listed;
use smallvec::SmallVec;

/// The fingerprints of a state's successors, while they are listed.
struct Listing<'a> {
    worlds: &'a Worlds,
    /// The local situations and the inboxes of the state.
    locals: &'a [u32],
    inboxes: &'a [u32],
    /// Messages to an actor that is down are gone.
    dropped: bool,
    /// Items that are not listed, and those that were listed before.
    asleep: u64,
    before: u64,
    /// How many successors there are, the sleeping ones included.
    count: u64,
    out: &'a mut Vec<Listed>,
    /// Where more happens than the acts say the successor has to be built: which it is.
    late: SmallVec<[(usize, Step); 4]>,
}

impl Listing<'_> {
    /// Counts an item that is asleep, unless it has to be looked at for that. Whatever sleeps was awake in another state, so its handler has run.
    #[inline(always)]
    fn skips(&mut self, mirrors: &Mirrors, bit: u64) -> bool {
        let skips = self.asleep & bit != 0 && !mirrors.forks;
        self.count += u64::from(skips);
        skips
    }

    /// Adds what an actor may do about one of its items, which has a bed here; `rest` is its inbox then, `print` the fingerprint without that message.
    #[inline(always)]
    fn add(&mut self, mirrors: &Mirrors, (actor, item, bit): (u16, u16, u64), acts: Span, rest: u32, print: u128) {
        let acts = &mirrors.acts[acts.range()];
        self.count += acts.len() as u64;
        if self.asleep & bit != 0 {
            return;
        }
        let mut before = self.before | bit;
        for (act, branch) in acts.iter().zip(0..) {
            let mut listed = Listed { number: Number::Act { actor, item, branch }.write(), asleep: 0, print: 0 };
            if act.aside {
                self.late.push((self.out.len(), Step::Act { actor, item, branch }));
                before = self.before;
            } else {
                listed.asleep = (self.asleep | self.before) & act.undisturbed;
                listed.print = self.send(mirrors, actor, rest, act, act.change.after(print));
            }
            self.out.push(listed);
        }
        self.before = before;
    }

    /// The fingerprint after what an act sends.
    #[inline(always)]
    fn send(&self, mirrors: &Mirrors, actor: u16, rest: u32, act: &Act, mut print: u128) -> u128 {
        for sent in &mirrors.sends[act.sends.range()] {
            if self.lands(mirrors, sent.to) {
                let inbox = if sent.to == actor { rest } else { self.inboxes[usize::from(sent.to)] };
                print = self.worlds.landing(mirrors, inbox, sent).after(print);
            }
        }
        print
    }

    #[inline(always)]
    fn lands(&self, mirrors: &Mirrors, to: u16) -> bool {
        !(self.dropped && mirrors.seats[self.locals[usize::from(to)] as usize].down)
    }
}

impl Worlds {
    /// Takes a step.
    pub(crate) fn perform(&self, mirrors: &mut Mirrors, state: &mut State, step: &Step) {
        match *step {
            Step::Act { actor, item, branch } => {
                self.act(mirrors, state, actor, item, branch);
                *state = self.summed(mirrors, &state.ids);
            }
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

    /// An actor reacts: its message is taken, its local state is the next one, what it sends sets out. The fingerprint stays as it was, unless
    /// more happens than the acts say: whoever asks for the state knows it already.
    #[inline]
    pub(crate) fn act(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, item: u16, branch: u16) {
        let (head, act) = self.found_act(mirrors, state, actor, item, branch);
        if act.aside {
            let step = self.act_in_full(mirrors, state, actor, item, branch);
            return self.perform(mirrors, state, &step);
        }
        if let Some(head) = head {
            let slot = state.inbox_slot(actor);
            state.ids[slot] = head.rest;
        }
        state.ids[usize::from(actor)] = act.local;
        for at in act.sends.range() {
            let Sent { to, envelope, .. } = mirrors.sends[at];
            if !self.is_lost(mirrors, state, to) {
                let slot = state.inbox_slot(to);
                state.ids[slot] = self.pushed(mirrors, state.ids[slot], envelope);
            }
        }
    }

    /// What an actor does about one of its items, and the message if it is one.
    #[inline(always)]
    pub(crate) fn found_act(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        actor: u16,
        item: u16,
        branch: u16,
    ) -> (Option<Head>, Act) {
        let local = state.ids[usize::from(actor)];
        let items = self.items(mirrors, local, state.inbox(actor));
        let (head, acts) = self.item(mirrors, local, items, u32::from(item));
        (head, mirrors.acts[acts.range()][usize::from(branch)])
    }

    pub(crate) fn act_in_full(&self, mirrors: &mut Mirrors, state: &State, actor: u16, item: u16, branch: u16) -> Step {
        let place = (state.ids[usize::from(actor)], state.inbox(actor));
        self.step_in_full(mirrors, place, u32::from(item), branch)
    }

    /// Adds every successor that is not asleep to `out`; how many there are.
    pub(crate) fn list_successors(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        asleep: u64,
        out: &mut Vec<Listed>,
    ) -> u64 {
        let (worlds, (locals, inboxes)) = (self, state.ids.split_at(self.actors()));
        let (dropped, late) = (self.drops_messages(), SmallVec::new());
        let (before, beds, count) = (0, self.beds(), 0);
        let mut listing = Listing { worlds, locals, inboxes, dropped, asleep, before, count, out, late };
        for ((&local, &inbox), actor) in locals.iter().zip(inboxes).zip(0..) {
            let Items { heads, own } = self.items(mirrors, local, inbox);
            for (at, item) in heads.range().zip(0..) {
                let bit = beds.bit(actor, mirrors.beds[at].into());
                if !listing.skips(mirrors, bit) {
                    let Head { envelope, rest, change } = mirrors.heads[at];
                    let acts = self.answer(mirrors, local, envelope);
                    listing.add(mirrors, (actor, item, bit), acts, rest, change.after(state.print));
                }
            }
            for (at, nth) in own.range().zip(0..) {
                let bit = beds.bit(actor, beds.own(nth.into()));
                if !listing.skips(mirrors, bit) {
                    let item = heads.range().len() as u16 + nth;
                    listing.add(mirrors, (actor, item, bit), mirrors.own[at], inbox, state.print);
                }
            }
        }
        let count = listing.count;
        for (at, step) in listing.late {
            out[at].print = self.build_print(mirrors, state, &step);
        }
        if mirrors.sky(state).clear {
            return count;
        }
        let weather = mirrors.weathers.get(state.weather()).clone();
        let mut faults = Vec::new();
        self.fault_steps(mirrors, state, &weather, &mut faults);
        for (number, step) in faults.iter().enumerate() {
            let (number, print) = (Number::Fault(number as u32).write(), self.build_print(mirrors, state, step));
            out.push(Listed { number, asleep: 0, print });
        }
        count + faults.len() as u64
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
        if !self.is_lost(mirrors, state, to) {
            let next = self.pushed(mirrors, state.inbox(to), envelope);
            self.set_inbox(mirrors, state, to, next);
        }
    }

    fn send_causal(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, sends: &[Send]) {
        if sends.is_empty() {
            return;
        }
        let network = |from, to| self.blueprint().channel(from, to);
        let sends: Vec<&Send> = sends.iter().filter(|send| !self.is_lost(mirrors, state, send.to)).collect();
        self.change_causal(mirrors, state, |causal| {
            sends.iter().for_each(|send| causal.push(actor, send.to, send.envelope, &network));
        });
    }

    /// Whether a message to this actor is gone at once.
    #[inline]
    fn is_lost(&self, mirrors: &Mirrors, state: &State, to: u16) -> bool {
        self.drops_messages() && mirrors.seats[state.ids[usize::from(to)] as usize].down
    }

    /// Removes a message; under causal delivery its destination learns its past if it was `read`.
    fn take(&self, mirrors: &mut Mirrors, state: &mut State, to: u16, message: u32, read: bool) {
        if self.is_causal() {
            let network = |from, to| self.blueprint().channel(from, to);
            return self.change_causal(mirrors, state, |causal| causal.take(message as usize, read, &network));
        }
        let rest = self.taken(mirrors, state.inbox(to), message);
        self.set_inbox(mirrors, state, to, rest);
    }

    pub(crate) fn set_local(&self, mirrors: &Mirrors, state: &mut State, actor: u16, local: u32) {
        state.set(usize::from(actor), local, |id| mirrors.locals.print(id));
    }

    fn set_inbox(&self, mirrors: &Mirrors, state: &mut State, actor: u16, inbox: u32) {
        state.set(state.inbox_slot(actor), inbox, |id| mirrors.inboxes.print(id));
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
        state.set(state.ids.len() - 1, id, |id| mirrors.weathers.print(id));
    }

    fn change_causal(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Causal)) {
        let slot = self.actors();
        let mut causal = (**mirrors.causals.get(state.ids[slot])).clone();
        change(&mut causal);
        let network = |from, to| self.blueprint().channel(from, to);
        let id = self.learn(mirrors, |entries, _| entries.causal(causal, &network));
        state.set(slot, id, |id| mirrors.causals.print(id));
    }

    fn crash(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16) {
        let local = state.ids[usize::from(actor)];
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
        let empty = self.learn(mirrors, |entries, blueprint| entries.empty_inbox(blueprint, actor));
        self.set_inbox(mirrors, state, actor, empty);
    }
}
