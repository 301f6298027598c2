//! Sends to ids that the sender made up. A process may know another because it spawned it, because it was told, or because it is there
//! from the start: always, the spawn is porf-before the send. An id got in another way may or may not name a process yet, depending on the
//! schedule, and so would the fate of the message. Such a send fails its process, in every world alike.

use crate::graph::{Graph, NONE};
use manyworlds_core::{Action, Failure, FailureKind, Locals, ProcId};

/// Whether `thread` may know of the process `to`.
#[inline]
pub fn knows(graph: &Graph, thread: u32, to: ProcId) -> bool {
    let Some(peer) = graph.thread(to) else { return false };
    let spawner = graph.threads[peer as usize].spawner;
    if spawner == NONE {
        return true;
    }
    let spawn = graph.event(spawner);
    spawn.thread == thread || spawn.index < graph.clocks.get(graph.clock_of(thread), spawn.thread)
}

/// How `thread` failed: by itself, or by the send that it stands before.
pub fn failure<L: Locals>(graph: &Graph, locals: &L, thread: u32) -> Option<Failure> {
    let th = &graph.threads[thread as usize];
    match locals.action(th.cursor) {
        Action::Fail => locals.failure(th.cursor.node),
        Action::Send { to, .. } if !knows(graph, thread, to) => Some(Failure {
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
