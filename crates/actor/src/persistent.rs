//! Partial-order reduction by persistent sets: in most states it suffices to explore the steps of one actor.
//!
//! Steps of different actors commute under asyn, p2p and cd: each changes its own actor's local state and the channels on which this actor
//! sends, and no other actor sends on those. So *the set of all steps of one actor* is persistent unless the other actors, without a step
//! of this one, can send it a message that it could receive first. They cannot if
//! - no actor that may still become active may send to it (the only case under asyn), or
//! - under p2p and cd, every actor that may become active and send to it has a message in flight to it already: later ones wait behind that
//!   one.
//!
//! Under mbox the order of arrivals is part of the state, so steps that send to the same actor do not commute; but the head of a nonempty
//! mailbox does not change when messages arrive. There the steps of an actor are a persistent set if its mailbox is not empty (or no actor
//! that may become active may send to it) and no actor that may become active may send to a destination of these steps.
//!
//! Which actors may become active is derived from the declared topology ([`System::sends_only_to`](crate::System::sends_only_to)); without
//! one every actor may send to every actor, and the reduction is small.
//!
//! PSym's PRED (appendix D) explores the messages that are minimal in causal order among *all* pending ones. That loses executions, even
//! under causal delivery: let A send e to T and then x to B, C send m to U and then y to D, B reply to x with z to U, and D reply to y with
//! w to T. Then T may receive w before e while U receives z before m; but PRED starts with e or with m, and either choice rules that out.
//! Its proof shows that a message that is not minimal comes after *some* minimal one and uses that it comes after *each*. The sets here
//! reduce fewer states, and are sound; `tests/persistent.rs` contains that system.
//!
//! While fault budget is left or a partition exists nothing is reduced: faults draw on common budgets, so they do not commute.

use crate::state::State;
use crate::step::Step;
use crate::system::Blueprint;
use crate::table::Mirrors;
use crate::watch::Done;
use crate::worlds::Worlds;
use manyworlds_core::{Accept, Network};

/// Moves the steps of one actor to the front if they are a persistent set; returns the size of the set.
pub fn persistent(worlds: &Worlds, state: &State, steps: &mut [Step]) -> usize {
    let full: Vec<Step> = steps.iter().map(|step| worlds.in_full(state, step)).collect();
    let pending = waiting(worlds, state);
    let watched = watched(worlds, &full);
    let mirrors = &*worlds.prepared();
    let environment = worlds.environment(mirrors, state);
    // Which actors may send to those that are created is not declared.
    let grows = worlds.blueprint().creates > 0;
    if grows || !environment.left.none() || environment.split.is_some() {
        return steps.len();
    }
    let survey = Survey::new(worlds, mirrors, &pending, steps);
    let mut best: Option<(usize, usize)> = None;
    let mut at = 0;
    for group in steps.chunk_by(|a, b| a.actor() == b.actor()) {
        let Some(actor) = group[0].actor() else { return steps.len() };
        let smaller = best.is_none_or(|(_, len)| group.len() < len);
        let is_watched = full[at..at + group.len()].iter().any(|step| watched.contains(&step.handler()));
        if smaller && !is_watched && survey.is_persistent(actor, &full[at..at + group.len()]) {
            best = Some((at, group.len()));
        }
        at += group.len();
    }
    let Some((at, len)) = best else { return steps.len() };
    steps[..at + len].rotate_right(len);
    len
}

/// The messages in flight that are not deferred, as (destination, envelope): later ones may have to wait behind them.
fn waiting(worlds: &Worlds, state: &State) -> Vec<(u16, u32)> {
    let all = worlds.pending(&worlds.prepared(), state);
    let mirrors = &mut *worlds.mirrors.borrow_mut();
    let waits = |&(to, id): &(u16, u32)| {
        !worlds.picks(mirrors, state, to) || worlds.accept(mirrors, state.ids[usize::from(to)], id) != Accept::Defer
    };
    all.into_iter().filter(waits).collect()
}

/// The branches that monitors observe: their order relative to others that are observed matters, now and later.
fn watched(worlds: &Worlds, steps: &[Step]) -> Vec<Option<Done>> {
    let mirrors = &mut *worlds.mirrors.borrow_mut();
    let handlers = steps.iter().filter_map(Step::handler);
    handlers.filter(|&done| worlds.watchers(mirrors, done) != 0).map(Some).collect()
}

/// The facts about a state from which persistent sets are computed.
struct Survey<'a> {
    blueprint: &'a Blueprint,
    mirrors: &'a Mirrors,
    /// The actors with an enabled step: a bit for each.
    enabled: u64,
    /// For each actor the senders of messages in flight to it: a bit for each.
    waiting: Vec<u64>,
}

impl<'a> Survey<'a> {
    fn new(worlds: &'a Worlds, mirrors: &'a Mirrors, pending: &[(u16, u32)], steps: &[Step]) -> Survey<'a> {
        let blueprint = worlds.blueprint();
        let mut waiting = vec![0u64; blueprint.actors.len()];
        for &(to, id) in pending {
            waiting[usize::from(to)] |= 1 << mirrors.envelopes.get(id).from;
        }
        let enabled = steps.iter().filter_map(Step::actor).fold(0, |set, actor| set | 1 << actor);
        Survey { blueprint, mirrors, enabled, waiting }
    }

    /// The actors other than `actor` that may take a step, now or later, while it takes none.
    fn active_without(&self, actor: u16) -> u64 {
        let mut active = self.enabled & !(1 << actor);
        loop {
            let woken = members(active).fold(0, |set, b| set | self.sends_to(b)) & !(1 << actor);
            if woken & !active == 0 {
                return active;
            }
            active |= woken;
        }
    }

    fn sends_to(&self, from: u16) -> u64 {
        let all = u64::MAX >> (64 - self.blueprint.actors.len());
        self.blueprint.topology.as_ref().map_or(all, |rows| rows[usize::from(from)] & all)
    }

    fn is_persistent(&self, actor: u16, steps: &[Step]) -> bool {
        let active = self.active_without(actor);
        let silent = members(active).filter(|&b| self.blueprint.may_send(b, actor)).all(|b| self.waits(b, actor));
        silent && self.targets(steps).all(|to| !self.contended(actor, to, active))
    }

    /// Whether messages that `from` may still send to `actor` cannot be received before a message that is in flight now.
    fn waits(&self, from: u16, actor: u16) -> bool {
        let waiting = self.waiting[usize::from(actor)];
        match self.blueprint.channel(from, actor) {
            Network::Asyn => false,
            Network::P2p | Network::Cd => (waiting >> from) & 1 == 1,
            Network::Mbox => members(waiting).any(|b| self.blueprint.channel(b, actor) == Network::Mbox),
        }
    }

    /// The destinations of the messages that these steps send.
    fn targets(&self, steps: &[Step]) -> impl Iterator<Item = u16> {
        let handlers = steps.iter().filter_map(Step::handler);
        handlers.flat_map(|(effects, _)| {
            let branches = &self.mirrors.effects[effects as usize];
            branches.iter().flat_map(|branch| branch.sends.iter().map(|send| send.to))
        })
    }

    /// Whether an active actor may send to the mailbox of `to` under mbox, to which `actor` sends under mbox.
    fn contended(&self, actor: u16, to: u16, active: u64) -> bool {
        let shares = |b: u16| self.blueprint.may_send(b, to) && self.blueprint.channel(b, to) == Network::Mbox;
        self.blueprint.channel(actor, to) == Network::Mbox && members(active).any(shares)
    }
}

fn members(set: u64) -> impl Iterator<Item = u16> {
    (0..64).filter(move |n| (set >> n) & 1 == 1)
}
