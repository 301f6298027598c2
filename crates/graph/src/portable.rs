//! Graphs in a form that another worker, whose interned ids differ, can rebuild: a list of events under stable names. User values are not
//! transferred: the other worker runs the same local histories and obtains the same values.

use crate::graph::{EventId, Graph, Kind, NONE};
use crate::witness::causal_order;
use manyworlds_core::{Action, Failure, FailureKind, Locals, Pid};

/// One event: its process, its result and its stamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    pid: Pid,
    kind: Kind,
    /// The step that a receive reads, or the chosen option of a choice.
    answer: u32,
    stamp: u32,
}

/// A graph that can be sent to another worker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Portable {
    steps: Vec<Step>,
}

impl Portable {
    /// Packs the first `len` events. If `alternative` is given, the last event gets it as its chosen option or source.
    pub fn pack(graph: &Graph, len: u32, alternative: Option<u32>) -> Portable {
        let last = len - 1;
        let source = |e: EventId| match alternative {
            Some(send) if e == last => send,
            _ => graph.event(e).link,
        };
        let order = causal_order(graph, |e| e < len, source);
        let mut place = vec![NONE; len as usize];
        for (i, &e) in order.iter().enumerate() {
            place[e as usize] = i as u32;
        }
        let steps = order.iter().map(|&e| {
            let event = graph.event(e);
            let answer = match (event.kind, alternative) {
                (Kind::Recv, _) => place.get(source(e) as usize).copied().unwrap_or(NONE),
                (Kind::Choose, Some(answer)) if e == last => answer,
                _ => event.value,
            };
            Step { pid: graph.threads[event.thread as usize].pid, kind: event.kind, answer, stamp: e }
        });
        Portable { steps: steps.collect() }
    }

    /// Rebuilds the graph. Fails only if user code behaves differently in this worker.
    pub fn unpack<L: Locals>(&self, locals: &mut L) -> Result<Graph, Failure> {
        let mut graph = Graph::initial(locals);
        for step in &self.steps {
            let thread = locals.proc(step.pid).and_then(|proc| graph.thread(proc)).ok_or_else(deviated)?;
            match (graph.threads[thread as usize].next, step.kind) {
                (Action::Send { .. }, Kind::Send) | (Action::Spawn { .. }, Kind::Spawn) => {
                    graph.push_action(locals, thread)
                }
                (Action::Recv { .. }, Kind::Recv) => graph.push_recv(locals, thread, step.answer),
                (Action::Choose { .. }, Kind::Choose) => graph.push_choose(locals, thread, step.answer),
                (Action::Join { .. }, Kind::Join) => graph.push_join(locals, thread),
                _ => return Err(deviated()),
            };
        }
        self.restamp(&mut graph);
        Ok(graph)
    }

    /// Restores the original stamps; `unpack` added the events in causal order.
    fn restamp(&self, graph: &mut Graph) {
        let mut by_stamp: Vec<u32> = (0..self.steps.len() as u32).collect();
        by_stamp.sort_unstable_by_key(|&i| self.steps[i as usize].stamp);
        let mut new = vec![0; by_stamp.len()];
        for (stamp, &i) in by_stamp.iter().enumerate() {
            new[i as usize] = stamp as u32;
        }
        graph.rename(&new);
    }
}

/// The failure of a program that behaves differently in another worker.
fn deviated() -> Failure {
    Failure {
        kind: FailureKind::Nondeterminism,
        message: "a process behaved differently in another worker than in the one that found this execution"
            .to_string(),
        location: None,
    }
}
