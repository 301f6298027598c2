//! Checks that a sender can have obtained the id of the process it sends to. A process obtains an id because it spawned the process, because it
//! received the id, or because the process is a root: in each case the spawn, if there is one, is porf-before the send. Whether an id obtained in
//! another way names an existing process depends on the schedule, and so would the delivery of the message. Such a send therefore makes its process
//! fail, in every execution.

use crate::graph::{Graph, NONE};
use manyworlds_core::{Action, Failure, FailureKind, Locals, ProcId};

/// Whether the process `to` is a root, or its spawn is in the causal past of `thread`.
#[inline]
pub fn may_send_to(graph: &Graph, thread: u32, to: ProcId) -> bool {
    let Some(peer) = graph.thread(to) else { return false };
    let spawner = graph.threads[peer as usize].spawner;
    if spawner == NONE {
        return true;
    }
    let spawn = graph.event(spawner);
    spawn.thread == thread || spawn.index < graph.clocks.get(graph.clock_of(thread), spawn.thread)
}

/// The failure of `thread`: its own, or that of the send at its cursor.
pub fn failure(graph: &Graph, locals: &dyn Locals, thread: u32) -> Option<Failure> {
    let th = &graph.threads[thread as usize];
    match locals.action(th.cursor) {
        Action::Fail => locals.failure(th.cursor.node),
        Action::Send { to, .. } if !may_send_to(graph, thread, to) => Some(Failure {
            kind: FailureKind::Misuse,
            message: format!(
                "{:?} is no process of this execution, or none that the sender can know of; \
                 only ids returned by `spawn` or `me`, or received, can be sent to",
                locals.pid(to)
            ),
            location: locals.describe(th.cursor).location,
        }),
        _ => None,
    }
}
