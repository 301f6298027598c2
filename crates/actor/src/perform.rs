//! The successors of global states.

use crate::acts::{Act, Head, Items, Span};
use crate::causal::Causal;
use crate::creation::Created;
use crate::enabled::Number;
use crate::faults::{Environment, named_side};
use crate::send_fingerprints::Sent;
use crate::state::State;
use crate::step::Step;
use crate::table::{Branch, Mirrors, NONE, Send};
use crate::watch::{QUIET, UNKNOWN, Watched};
use crate::worlds::Worlds;
use manyworlds_explore::Listed;
use smallvec::SmallVec;

/// The list of the fingerprints of a state's successors, while it is made.
struct Listing<'a> {
    worlds: &'a Worlds,
    /// The local states and the inboxes of the state.
    locals: &'a [u32],
    inboxes: &'a [u32],
    /// Messages to some actors vanish.
    dropped: bool,
    /// The items that are asleep and not listed, and those that were listed before the current one.
    asleep: u64,
    before: u64,
    /// The number of successors, including those by sleeping items.
    count: u64,
    out: &'a mut Vec<Listed>,
    /// Positions in `out` of steps whose acts do not determine the fingerprint, so that the successor is built, each with its observation.
    environment_changes: SmallVec<[(usize, Step, u32); 4]>,
    /// The environment of the state.
    environment: u32,
}

impl Listing<'_> {
    /// Counts an item that is asleep without looking at its acts. That is exact if no handler has several branches. No handler run is
    /// missed: an item that is asleep was awake in an earlier state, where its handler ran.
    #[inline(always)]
    fn skips(&mut self, mirrors: &Mirrors, bit: u64) -> bool {
        let skips = self.asleep & bit != 0 && !mirrors.several_branches;
        self.count += u64::from(skips);
        skips
    }

    /// Adds the acts on one item, whose sleep slot is `bit`; `rest` is the inbox without its message, `print` the fingerprint without that
    /// message.
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
            if act.watched != QUIET {
                before = self.before;
                match self.watched(mirrors, act, rest, actor, print) {
                    Some(print) => {
                        (listed.asleep, listed.print) = ((self.asleep | self.before) & act.stays_asleep, print);
                    }
                    None => {
                        let step = Step::Act { actor, item, branch };
                        self.environment_changes.push((self.out.len(), step, act.watched));
                    }
                }
            } else {
                listed.asleep = (self.asleep | self.before) & act.stays_asleep;
                listed.print = self.send(mirrors, actor, rest, act, act.change.after(print));
            }
            self.out.push(listed);
        }
        self.before = before;
    }

    /// The fingerprint after an act that is observed, if it is known without building the successor.
    #[cold]
    fn watched(&self, mirrors: &Mirrors, act: &Act, rest: u32, actor: u16, print: u128) -> Option<u128> {
        let Watched { change, .. } = *mirrors.watched.get(self.environment, act.watched)?;
        let lost = |sent: &Sent| !self.is_kept(mirrors, sent.to);
        if self.dropped && mirrors.sends[act.sends.range()].iter().any(lost) {
            return None;
        }
        Some(self.send(mirrors, actor, rest, act, act.change.after(change.after(print))))
    }

    /// The fingerprint after the sends of an act.
    #[inline(always)]
    fn send(&self, mirrors: &Mirrors, actor: u16, rest: u32, act: &Act, mut print: u128) -> u128 {
        for sent in &mirrors.sends[act.sends.range()] {
            if self.is_kept(mirrors, sent.to) {
                let inbox = if sent.to == actor { rest } else { self.inboxes[usize::from(sent.to)] };
                print = self.worlds.send_change(mirrors, inbox, sent).after(print);
            }
        }
        print
    }

    #[inline(always)]
    fn is_kept(&self, mirrors: &Mirrors, to: u16) -> bool {
        let loses = |&local: &u32| mirrors.local_summaries[local as usize].loses;
        !(self.dropped && self.locals.get(usize::from(to)).is_none_or(loses))
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
                        self.change_environment(mirrors, state, |environment| environment.left.duplicates -= 1);
                    }
                }
                self.apply(mirrors, state, to, effects, branch);
            }
            Step::Lose { to, message } => {
                self.take(mirrors, state, to, message, false);
                self.change_environment(mirrors, state, |environment| environment.left.losses -= 1);
            }
            Step::Crash { actor } => self.crash(mirrors, state, actor),
            Step::Restart { actor, effects, branch } => {
                self.change_environment(mirrors, state, |environment| environment.left.restarts -= 1);
                self.apply(mirrors, state, actor, effects, branch);
            }
            Step::Split { side } => self.change_environment(mirrors, state, |environment| {
                environment.split = Some(named_side(side, self.actors()));
                environment.left.splits -= 1;
            }),
            Step::Heal => self.change_environment(mirrors, state, |environment| environment.split = None),
        }
    }

    /// Takes an act of an actor: removes the message, replaces the local state, sends. The caller knows the fingerprint of the successor
    /// already, so it is not updated here, except where the act also changes the environment.
    #[inline]
    pub(crate) fn act(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, item: u16, branch: u16) {
        let (head, act) = self.found_act(mirrors, state, actor, item, branch);
        if act.watched != QUIET {
            match self.known(mirrors, state, &act) {
                Some(environment) => {
                    let last = state.ids.len() - 1;
                    state.ids[last] = environment;
                }
                None => {
                    let step = self.act_in_full(mirrors, state, actor, item, branch);
                    return self.perform(mirrors, state, &step);
                }
            }
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

    /// The environment after an act that is observed, if that is known and the act determines the rest.
    #[cold]
    fn known(&self, mirrors: &Mirrors, state: &State, act: &Act) -> Option<u32> {
        let lost = |sent: &Sent| self.is_lost(mirrors, state, sent.to);
        let watched = *mirrors.watched.get(state.environment(), act.watched)?;
        (!mirrors.sends[act.sends.range()].iter().any(lost)).then_some(watched.environment)
    }

    /// An act on one item of an actor, and the message if the item is one.
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

    /// Adds every successor that is not by a sleeping item to `out`; returns the number of all successors.
    pub(crate) fn list_successors(
        &self,
        mirrors: &mut Mirrors,
        state: &State,
        asleep: u64,
        out: &mut Vec<Listed>,
    ) -> u64 {
        let (worlds, (locals, inboxes)) = (self, state.ids.split_at(state.ids.len() / 2));
        let (dropped, environment_changes) = (self.may_lose(mirrors), SmallVec::new());
        let (before, sleep_slots, count) = (0, self.sleep_slots(), 0);
        let environment = state.environment();
        let mut listing =
            Listing { worlds, locals, inboxes, dropped, asleep, before, count, out, environment_changes, environment };
        for ((&local, &inbox), actor) in locals.iter().zip(inboxes).zip(0..) {
            let Items { heads, own } = self.items(mirrors, local, inbox);
            for (at, item) in heads.range().zip(0..) {
                let bit = sleep_slots.bit(actor, mirrors.sleep_slots[at].into());
                if !listing.skips(mirrors, bit) {
                    let Head { envelope, rest, change } = mirrors.heads[at];
                    let acts = self.acts_on_message(mirrors, local, envelope);
                    listing.add(mirrors, (actor, item, bit), acts, rest, change.after(state.print));
                }
            }
            for (at, nth) in own.range().zip(0..) {
                let bit = sleep_slots.bit(actor, sleep_slots.own(nth.into()));
                if !listing.skips(mirrors, bit) {
                    let item = heads.range().len() as u16 + nth;
                    listing.add(mirrors, (actor, item, bit), mirrors.own[at], inbox, state.print);
                }
            }
        }
        let count = listing.count;
        for (at, step, observation) in listing.environment_changes {
            out[at].print = self.build_print(mirrors, state, &step);
            if observation != UNKNOWN {
                self.remember(mirrors, state.environment(), observation);
            }
        }
        if mirrors.environment_summary(state).fault_free {
            return count;
        }
        let environment = mirrors.environments.get(state.environment()).clone();
        let mut faults = Vec::new();
        self.fault_steps(mirrors, state, &environment, &mut faults);
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

    /// Applies a branch of a handler: its next local state, then its sends in order, or its failure.
    fn apply(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, effects: u32, branch: u16) {
        if effects as usize >= mirrors.effects.len() {
            self.table.copy(mirrors);
        }
        let done = (effects, branch);
        let effects = mirrors.effects[effects as usize].clone();
        let Branch { local, failure, ref sends, .. } = effects[usize::from(branch)];
        let may_be_stopped = self.blueprint().creates > 0 || self.blueprint().forbids_halted;
        if may_be_stopped && let Some(failure) = self.obstacle(mirrors, state, done.0, branch) {
            return self.change_environment(mirrors, state, |environment| environment.failed = Some((actor, failure)));
        }
        if self.has_watchers() && (failure == NONE || self.monitors()) {
            let lost = if failure == NONE { self.lost(mirrors, state, done) } else { 0 };
            let (environment, ends) = match self.is_watched(mirrors, done) {
                true => self.environment_after(mirrors, state.environment(), actor, done, lost),
                false => (state.environment(), false),
            };
            self.set_environment(mirrors, state, environment);
            if ends {
                return;
            }
        }
        self.set_local(mirrors, state, actor, local);
        if failure != NONE {
            return self.change_environment(mirrors, state, |environment| environment.failed = Some((actor, failure)));
        }
        let Branch { ref created, halts, .. } = effects[usize::from(branch)];
        if halts || !created.is_empty() {
            return self.create_and_send(mirrors, state, actor, &effects[usize::from(branch)]);
        }
        self.send_all(mirrors, state, actor, sends);
    }

    /// The creations and sends of a branch in their order, then the halt.
    #[cold]
    fn create_and_send(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, branch: &Branch) {
        let Branch { sends, created, halts, .. } = branch;
        let mut sent = 0;
        for Created { actor: new, local, after, .. } in created {
            self.send_all(mirrors, state, actor, &sends[sent..*after as usize]);
            sent = *after as usize;
            self.grow(mirrors, state, *new);
            self.set_local(mirrors, state, *new, *local);
            if self.is_causal() {
                self.change_causal(mirrors, state, |causal| causal.create(actor, *new));
            }
        }
        self.send_all(mirrors, state, actor, &sends[sent..]);
        if *halts {
            self.forget_messages(mirrors, state, actor);
            if self.is_causal() {
                self.change_causal(mirrors, state, |causal| causal.forget(actor));
            }
        }
    }

    fn send_all(&self, mirrors: &mut Mirrors, state: &mut State, actor: u16, sends: &[Send]) {
        match self.is_causal() {
            true => self.send_causal(mirrors, state, actor, sends),
            false => sends.iter().for_each(|send| self.deposit(mirrors, state, send.to, send.envelope)),
        }
    }

    /// Puts a message into the inbox of its destination.
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

    /// Whether a message to this actor is dropped when it is sent.
    #[inline]
    pub(crate) fn is_lost(&self, mirrors: &Mirrors, state: &State, to: u16) -> bool {
        self.may_lose(mirrors)
            && (usize::from(to) >= self.slots(state)
                || mirrors.local_summaries[state.ids[usize::from(to)] as usize].loses)
    }

    /// Whether messages to some actors vanish: such an actor has crashed, halted, or does not exist.
    #[inline]
    fn may_lose(&self, mirrors: &Mirrors) -> bool {
        mirrors.some_lose || mirrors.names.len() > 0
    }

    /// Removes a message; under causal delivery its past is merged into that of its destination if it was `read`.
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

    fn change_environment(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Environment)) {
        let mut environment = (**mirrors.environments.get(state.environment())).clone();
        change(&mut environment);
        let id = match mirrors.environment_ids.get(&environment) {
            Some(&id) => id,
            None => {
                let id = self.learn(mirrors, |entries, _| entries.environment(environment.clone()));
                mirrors.environment_ids.insert(environment, id);
                id
            }
        };
        self.set_environment(mirrors, state, id);
    }

    fn set_environment(&self, mirrors: &Mirrors, state: &mut State, id: u32) {
        state.set(state.ids.len() - 1, id, |id| mirrors.environments.print(id));
    }

    fn change_causal(&self, mirrors: &mut Mirrors, state: &mut State, change: impl FnOnce(&mut Causal)) {
        let slot = self.slots(state);
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
            Err(failure) => {
                self.change_environment(mirrors, state, |environment| environment.failed = Some((actor, failure)))
            }
        }
        self.change_environment(mirrors, state, |environment| environment.left.crashes -= 1);
        if self.drops_messages() {
            self.forget_messages(mirrors, state, actor);
        }
    }

    /// Drops all messages in flight to an actor that has halted, or has crashed and cannot restart.
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
