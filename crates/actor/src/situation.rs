//! Situations: an actor's local state together with what is on its way to it. What an actor can do depends on its situation alone (while the
//! weather is calm), so it is worked out once for each situation and is a list of [`Plan`]s ever after: which situation each step leads to,
//! and what it sends.

use crate::inbox::{self, Inbox, Key};
use crate::step::Step;
use crate::system::Blueprint;
use crate::table::{Entries, Input, Mirrors, NONE, Status};
use crate::worlds::Worlds;
use smallvec::SmallVec;

/// An actor with what is on its way to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Situation {
    /// Who.
    pub actor: u16,
    /// Id of its local state.
    pub local: u32,
    /// Id of its inbox; [`NONE`] where channels are causal: there all that is on its way has a slot of its own.
    pub inbox: u32,
}

/// A step that an actor can take in a situation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The step in full.
    pub step: Step,
    /// The situation that it leads to, before it sends.
    pub next: u32,
    /// How that changes the fingerprint.
    pub change: u128,
    /// What it sends: to whom, which envelope.
    pub sends: SmallVec<[(u16, u32); 3]>,
    /// More than situations change: its handler fails, or notes something that a specification watches.
    pub aside: bool,
}

/// What a message on its way makes of a situation.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    /// Id of the envelope.
    pub envelope: u32,
    /// The situation with it.
    pub next: u32,
    /// How that changes the fingerprint.
    pub change: u128,
}

impl Worlds {
    /// The id of a situation.
    pub(crate) fn situation(&self, mirrors: &mut Mirrors, situation: Situation) -> u32 {
        let weight = self.weight(usize::from(situation.actor));
        self.learn(mirrors, |entries, _| entries.situation(situation, weight))
    }

    /// The situation with one more message on its way.
    pub(crate) fn pushed(&self, mirrors: &mut Mirrors, situation: u32, envelope: u32) -> Push {
        if let Some(&push) = mirrors.push(situation, envelope) {
            return push;
        }
        let old = **mirrors.situations.get(situation);
        let weight = self.weight(usize::from(old.actor));
        let id = self.learn(mirrors, |entries, blueprint| {
            let key = |id: u32| key(blueprint, entries.envelopes.get(id).from, old.actor, id);
            let items = inbox::push(&entries.inboxes.get(old.inbox).items, envelope, key);
            let inbox = entries.inbox_of(blueprint, old.actor, items);
            entries.situation(Situation { inbox, ..old }, weight)
        });
        let change = mirrors.situations.print(id).wrapping_sub(mirrors.situations.print(situation));
        let push = Push { envelope, next: id, change };
        let at = situation as usize;
        if mirrors.pushes.len() <= at {
            mirrors.pushes.resize_with(at + 1, Vec::new);
        }
        mirrors.pushes[at].push(push);
        push
    }

    /// The situation with one message less on its way.
    pub(crate) fn taken(&self, mirrors: &mut Mirrors, situation: u32, envelope: u32) -> u32 {
        if let Some(&id) = mirrors.taken.get(&word(situation, envelope)) {
            return id;
        }
        let old = **mirrors.situations.get(situation);
        let weight = self.weight(usize::from(old.actor));
        let id = self.learn(mirrors, |entries, blueprint| {
            let items = inbox::take(&entries.inboxes.get(old.inbox).items, envelope);
            let inbox = entries.inbox_of(blueprint, old.actor, items);
            entries.situation(Situation { inbox, ..old }, weight)
        });
        mirrors.taken.insert(word(situation, envelope), id);
        id
    }

    /// What an actor does.
    pub(crate) fn reaction(&self, mirrors: &mut Mirrors, actor: u16, local: u32, input: Input) -> u32 {
        if let Some(&id) = mirrors.reactions.get(&(actor, local, input)) {
            return id;
        }
        let id = self.learn(mirrors, |entries, blueprint| entries.effects(blueprint, actor, local, input));
        mirrors.reactions.insert((actor, local, input), id);
        id
    }

    /// Makes sure that the plans of a situation are known: what can be done there if every message arrives once and for sure.
    #[inline]
    pub(crate) fn plan(&self, mirrors: &mut Mirrors, situation: u32) {
        if !mirrors.plans.get(situation as usize).is_some_and(Option::is_some) {
            self.make_plans(mirrors, situation);
        }
    }

    #[cold]
    fn make_plans(&self, mirrors: &mut Mirrors, situation: u32) {
        let at = situation as usize;
        let mut steps = Vec::new();
        self.steps_of(mirrors, situation, &mut steps);
        let plans = steps.into_iter().map(|step| self.planned(mirrors, situation, step)).collect();
        if mirrors.plans.len() <= at {
            mirrors.plans.resize_with(at + 1, || None);
        }
        mirrors.plans[at] = Some(plans);
    }

    /// The steps of an actor in a situation, in full. One that is down has none: coming up again needs the weather.
    fn steps_of(&self, mirrors: &mut Mirrors, situation: u32, out: &mut Vec<Step>) {
        let Situation { actor, local, inbox } = **mirrors.situations.get(situation);
        match mirrors.locals.get(local).status {
            Status::Down => {}
            Status::New => {
                let effects = self.reaction(mirrors, actor, local, Input::Start);
                out.extend(branches(mirrors, effects).map(|branch| Step::Start { actor, effects, branch }));
            }
            Status::Up => {
                let blueprint = self.blueprint();
                let items = mirrors.inboxes.get(inbox).clone();
                let key = |id: u32| key(blueprint, mirrors.envelopes.get(id).from, actor, id);
                let heads: Vec<u32> = inbox::heads(&items.items, key).collect();
                for message in heads {
                    let effects = self.reaction(mirrors, actor, local, Input::Message(message));
                    let deliver = |branch| Step::Deliver { to: actor, message, effects, branch, again: false };
                    out.extend(branches(mirrors, effects).map(deliver));
                }
                self.timer_steps(mirrors, actor, local, out);
            }
        }
    }

    pub(crate) fn timer_steps(&self, mirrors: &mut Mirrors, actor: u16, local: u32, out: &mut Vec<Step>) {
        for timer in 0..mirrors.locals.get(local).timers.len() as u16 {
            let effects = self.reaction(mirrors, actor, local, Input::Timer(timer));
            out.extend(branches(mirrors, effects).map(|branch| Step::Timer { actor, timer, effects, branch }));
        }
    }

    fn planned(&self, mirrors: &mut Mirrors, situation: u32, step: Step) -> Plan {
        let (effects, branch) = step.handler().expect("an actor's own steps run a handler");
        let taken = match step {
            Step::Deliver { message, .. } => self.taken(mirrors, situation, message),
            _ => situation,
        };
        let before = **mirrors.situations.get(taken);
        let branch = mirrors.effects[effects as usize][usize::from(branch)].clone();
        let next = self.situation(mirrors, Situation { local: branch.local, ..before });
        Plan {
            step,
            next,
            change: mirrors.situations.print(next).wrapping_sub(mirrors.situations.print(situation)),
            sends: branch.sends.iter().map(|send| (send.to, send.envelope)).collect(),
            aside: branch.failure != NONE || (self.watches() && branch.records()),
        }
    }
}

impl Entries {
    /// The id of a situation; `weight` belongs to its slot.
    pub fn situation(&mut self, situation: Situation, weight: u128) -> u32 {
        let (locals, inboxes) = (&self.locals, &self.inboxes);
        self.situations.intern(situation, |s| {
            let inbox = if s.inbox == NONE { 0 } else { inboxes.print(s.inbox) };
            // Odd factors: neither part loses bits, and they do not cancel.
            let both =
                locals.print(s.local).wrapping_add(inbox.wrapping_mul(0xda94_2042_e4dd_58b5_8c6d_3b1f_0e4b_5a97));
            both.wrapping_mul(weight)
        })
    }

    /// The id of a list of messages to an actor.
    pub fn inbox_of(&mut self, blueprint: &Blueprint, to: u16, items: Box<[u32]>) -> u32 {
        let owner = if blueprint.channels.is_empty() { 0 } else { to };
        self.inbox(Inbox { owner, items }, |from| blueprint.channel(from, to))
    }
}

/// The ways in which a handler can go.
pub(crate) fn branches(mirrors: &Mirrors, effects: u32) -> std::ops::Range<u16> {
    0..mirrors.effects[effects as usize].len() as u16
}

pub(crate) fn key(blueprint: &Blueprint, from: u16, to: u16, id: u32) -> Key {
    Key::new(blueprint.channel(from, to), from, id)
}

fn word(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
