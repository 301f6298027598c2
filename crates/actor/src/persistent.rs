//! Partial-order reduction by persistent sets: in most states it is enough to let one actor go on.
//!
//! Steps of different actors commute under asyn, p2p and cd: each touches its own situation and the channels it sends on, and nobody
//! else sends on those. So *all the steps of one actor* are persistent unless the others, on their own, can bring it a message that it
//! could take first. They cannot if
//! - nobody who may still become active may send to it (the only way under asyn), or
//! - under p2p and cd, everybody who may has a message on the way to it already: what comes later waits behind that one.
//!
//! Under mbox the order of arrivals is part of the state, so steps that send to the same actor do not commute; but a mailbox that is not
//! empty offers the same message whatever arrives. There all the steps of an actor are persistent if its mailbox is not empty (or nobody
//! may fill it) and nobody who may become active may send to whom it is about to send.
//!
//! Who may become active is read off the declared topology ([`System::sends_only_to`](crate::System::sends_only_to)); without one
//! everybody may send to everybody and little is saved.
//!
//! PSym's PRED (appendix D) explores the messages that are least in causal order among *all* that are pending. That loses worlds, even
//! under causal delivery: let A send e to T and then x to B, C send m to U and then y to D, B answer x with z to U, and D answer y with w
//! to T. Then T may take w before e while U takes z before m; but PRED starts with e or with m, and either choice rules that out. Its proof
//! shows that what is not least comes after *some* least message and uses that it comes after *each*. The sets here are smaller in number,
//! and right; `tests/persistent.rs` has that system.
//!
//! While a fault may still happen nothing is reduced: faults draw on common budgets.

use crate::state::State;
use crate::step::Step;
use crate::system::Blueprint;
use crate::table::Mirrors;
use crate::worlds::Worlds;
use manyworlds_core::Network;

/// Moves the steps of one actor to the front if they are persistent; the size of the set.
pub fn persistent(worlds: &Worlds, state: &State, steps: &mut [Step]) -> usize {
    let full: Vec<Step> = steps.iter().map(|step| worlds.in_full(state, step)).collect();
    let mirrors = &*worlds.prepared();
    let weather = worlds.weather(mirrors, state);
    if !weather.left.none() || weather.split.is_some() {
        return steps.len();
    }
    let survey = Survey::new(worlds, mirrors, state, steps);
    let mut best: Option<(usize, usize)> = None;
    let mut at = 0;
    for group in steps.chunk_by(|a, b| a.actor() == b.actor()) {
        let Some(actor) = group[0].actor() else { return steps.len() };
        let smaller = best.is_none_or(|(_, len)| group.len() < len);
        if smaller && survey.is_persistent(actor, &full[at..at + group.len()]) {
            best = Some((at, group.len()));
        }
        at += group.len();
    }
    let Some((at, len)) = best else { return steps.len() };
    steps[..at + len].rotate_right(len);
    len
}

/// What the state tells about who may do what.
struct Survey<'a> {
    blueprint: &'a Blueprint,
    mirrors: &'a Mirrors,
    /// Who has a step now: a bit for each actor.
    enabled: u64,
    /// From whom something is on its way to each actor.
    waiting: Vec<u64>,
}

impl<'a> Survey<'a> {
    fn new(worlds: &'a Worlds, mirrors: &'a Mirrors, state: &State, steps: &[Step]) -> Survey<'a> {
        let blueprint = worlds.blueprint();
        let mut waiting = vec![0u64; blueprint.actors.len()];
        for (to, id) in worlds.pending(mirrors, state) {
            waiting[usize::from(to)] |= 1 << mirrors.envelopes.get(id).from;
        }
        let enabled = steps.iter().filter_map(Step::actor).fold(0, |set, actor| set | 1 << actor);
        Survey { blueprint, mirrors, enabled, waiting }
    }

    /// Those other than `actor` who may take a step, now or later, while it takes none.
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

    /// Whether what `from` may still send to `actor` cannot be taken before what is there now.
    fn waits(&self, from: u16, actor: u16) -> bool {
        let waiting = self.waiting[usize::from(actor)];
        match self.blueprint.channel(from, actor) {
            Network::Asyn => false,
            Network::P2p | Network::Cd => (waiting >> from) & 1 == 1,
            Network::Mbox => members(waiting).any(|b| self.blueprint.channel(b, actor) == Network::Mbox),
        }
    }

    /// To whom these steps send.
    fn targets(&self, steps: &[Step]) -> impl Iterator<Item = u16> {
        let handlers = steps.iter().filter_map(Step::handler);
        handlers.flat_map(|(effects, _)| {
            let branches = &self.mirrors.effects[effects as usize];
            branches.iter().flat_map(|branch| branch.sends.iter().map(|send| send.to))
        })
    }

    /// Whether somebody active may put something into the mailbox in which `actor` puts something.
    fn contended(&self, actor: u16, to: u16, active: u64) -> bool {
        let shares = |b: u16| self.blueprint.may_send(b, to) && self.blueprint.channel(b, to) == Network::Mbox;
        self.blueprint.channel(actor, to) == Network::Mbox && members(active).any(shares)
    }
}

fn members(set: u64) -> impl Iterator<Item = u16> {
    (0..64).filter(move |n| (set >> n) & 1 == 1)
}
