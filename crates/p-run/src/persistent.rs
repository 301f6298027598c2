//! Persistent sets of steps: a reduction of the interleavings that make no difference.
//!
//! A step of a machine is *quiet* if it puts nothing into an inbox, does not depend on the absence of messages, makes no attached spec observe
//! anything, and fails in no branch: it starts the machine, takes a message, runs the handler for `null` after it was decided that there is no message, or creates a
//! machine. All branches of a quiet step are a persistent set, by this argument:
//!
//! - No other machine can disable the step or change what it does. Which message the machine takes is decided, because others only append to its inbox; the
//!   fields and the continuation are its own; `new` takes a name that only its own creations compete for.
//! - The step changes nothing that a step of another machine depends on: its own local state and inbox (others only append; if it halts, what they append is
//!   discarded before or after), and a new machine, which nothing refers to but its creator. No spec changes.
//! - So it commutes with every sequence of steps of other machines, up to the names of machines: where a name becomes free in between, the orders may
//!   give different names, and states that differ in names only have the same futures (see `world`).
//!
//! Persistent sets preserve all states without enabled machines. A failure of another machine stays possible until that machine takes its step, because
//! quiet steps neither fail nor change it; that it is not put off around a cycle is the cycle proviso of the engines: a state whose set leads to nothing new is
//! expanded in full. A machine that makes a choice is the only one that can run, so its steps are all steps; and a step that leads to such a choice is not
//! quiet, because a handler that makes choices without end never lets the others run again.
//!
//! What is not attempted: a send is never reduced. It conflicts with every machine that may still send to the same inbox, not only with pending sends
//! (A sends to X, B sends to C, C then sends to X), with the check for `null` of the receiver, and with whatever makes the same spec observe. Liveness by cycles runs on
//! the full graph.

use crate::interner::NONE;
use crate::system::System;
use crate::table::{InputKey, Kind};
use crate::world::{Action, Steps, World};

/// Puts a persistent set of steps first, and returns its size.
pub fn persistent(system: &System, world: &World, actions: &mut [Action]) -> usize {
    let quiet = system.with(|steps| {
        let slots = steps.enabled(&world.ids);
        let slot = slots.into_iter().find(|&slot| is_quiet(steps, &world.ids, slot))?;
        Some(steps.access.local(world.ids[slot]).local.name)
    });
    let Some(machine) = quiet else { return actions.len() };
    actions.sort_by_key(|action| action.machine != machine);
    actions.iter().filter(|action| action.machine == machine).count()
}

fn is_quiet(steps: &mut Steps<'_>, ids: &[u32], slot: usize) -> bool {
    let (kind, interface) = {
        let entry = steps.access.local(ids[slot]);
        (entry.kind, entry.interface)
    };
    if matches!(kind, Kind::Send(..) | Kind::Choice) {
        return false;
    }
    let Some((prepared, branches)) = steps.branches(ids, slot) else { return false };
    if prepared.input == InputKey::NoEvent {
        return false;
    }
    let code = steps.access.table.code.clone();
    branches.iter().all(|branch| {
        let seen = |event| interface.is_some_and(|interface| code.observers(interface, event).next().is_some());
        branch.failure == NONE
            && !branch.observed.iter().any(|(_, observed)| seen(observed.message.event))
            && steps.access.local(branch.next).kind != Kind::Choice
    })
}
