//! The order in which steps are drawn.
//!
//! A trace is a partial order written down as a list, and any list that respects causality tells the same story. We draw the one in which
//! most messages arrive in the row they are sent in: such a chart has half the rows and no reference numbers. So a send whose receiver is not
//! ready for it is put off while anybody else can go on, and a receive that is ready follows its send at once. What the trace is about, the
//! failure or the waiting, stays last. When the network falls apart or heals, that happens to everybody: nothing is moved across it. Which
//! operation returned before which other one was invoked is what linearizability is about: there, what is recorded keeps its order.

use manyworlds_core::{Property, Trace, TraceHistory};

/// A row to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A send and its receive, nothing in between.
    Delivery {
        /// The send.
        send: usize,
        /// The receive.
        recv: usize,
    },
    /// Any other step.
    Step(usize),
}

/// All steps, causes before effects.
pub fn arrange(trace: &Trace) -> Vec<Item> {
    let mut drawing = Drawing::new(trace);
    let mut items = Vec::new();
    while let Some(next) = drawing.next() {
        drawing.place(next);
        match drawing.reader[next].filter(|&recv| drawing.ready(recv)) {
            Some(recv) => {
                drawing.place(recv);
                items.push(Item::Delivery { send: next, recv });
            }
            None => items.push(Item::Step(next)),
        }
    }
    items
}

struct Drawing<'t> {
    trace: &'t Trace,
    /// The steps of each process.
    steps: Vec<Vec<usize>>,
    /// How many of them are placed.
    done: Vec<usize>,
    placed: Vec<bool>,
    /// The first step that is not placed.
    first: usize,
    /// The receive that reads a send, the first of them if it was duplicated.
    reader: Vec<Option<usize>>,
    /// For a step that records an operation of an impossible history, the one that did so before.
    recorded_before: Vec<Option<usize>>,
    /// How often the network had fallen apart or healed; such a step has an era of its own.
    era: Vec<usize>,
}

impl<'t> Drawing<'t> {
    fn new(trace: &'t Trace) -> Self {
        let mut steps = vec![Vec::new(); trace.processes.len()];
        let mut reader = vec![None; trace.steps.len()];
        for (i, step) in trace.steps.iter().enumerate() {
            steps[step.process].push(i);
            if let (Some(send), true) = (step.kind.send(), step.kind.arrives()) {
                reader[send].get_or_insert(i);
            }
        }
        let (done, placed) = (vec![0; steps.len()], vec![false; trace.steps.len()]);
        let recorded_before = recorded_before(trace);
        Drawing { trace, steps, done, placed, first: 0, reader, recorded_before, era: eras(trace) }
    }

    /// The next step of some process: the least urgent kinds last, and otherwise the first of the trace.
    fn next(&self) -> Option<usize> {
        let heads = self.steps.iter().zip(&self.done).filter_map(|(steps, &done)| steps.get(done).copied());
        heads.filter(|&i| self.ready(i)).min_by_key(|&i| (self.delay(i), i))
    }

    /// Whether all its causes are placed.
    fn ready(&self, i: usize) -> bool {
        let step = &self.trace.steps[i];
        let turn = self.steps[step.process].get(self.done[step.process]) == Some(&i);
        turn && self.era[i] == self.era[self.first] && {
            let sent = step.kind.send();
            step.parents.iter().chain(&sent).chain(&self.recorded_before[i]).all(|&cause| self.placed[cause])
        }
    }

    fn delay(&self, i: usize) -> u8 {
        let kind = &self.trace.steps[i].kind;
        match self.reader[i] {
            _ if kind.is_bad() => 2,
            Some(recv) if kind.is_send() => u8::from(!self.only_waits_for(recv, i)),
            _ => 0,
        }
    }

    /// Whether the receive could follow if the send were placed.
    fn only_waits_for(&self, recv: usize, send: usize) -> bool {
        let step = &self.trace.steps[recv];
        let before = self.done[step.process] + usize::from(step.process == self.trace.steps[send].process);
        let turn = self.steps[step.process].get(before) == Some(&recv);
        let together = self.era[recv] == self.era[send];
        let causes = step.parents.iter().chain(&self.recorded_before[recv]);
        turn && together && causes.into_iter().all(|&cause| cause == send || self.placed[cause])
    }

    fn place(&mut self, i: usize) {
        self.placed[i] = true;
        self.first += self.placed[self.first..].iter().take_while(|&&placed| placed).count();
        self.done[self.trace.steps[i].process] += 1;
    }
}

fn recorded_before(trace: &Trace) -> Vec<Option<usize>> {
    let mut before = vec![None; trace.steps.len()];
    let history = trace.history.clone().or_else(|| TraceHistory::recorded(trace));
    let Some(history) = history.filter(|_| trace.violation.property == Property::Linearizable) else { return before };
    let steps = history.operations.iter().flat_map(|o| std::iter::once(o.invoked).chain(o.returned));
    let mut steps: Vec<usize> = steps.filter(|&at| at < trace.steps.len()).collect();
    steps.sort_unstable();
    steps.dedup();
    steps.windows(2).for_each(|pair| before[pair[1]] = Some(pair[0]));
    before
}

fn eras(trace: &Trace) -> Vec<usize> {
    let mut era = 0;
    let eras = trace.steps.iter().map(|step| {
        let change = usize::from(step.kind.is_partition());
        era += 2 * change;
        era - change
    });
    eras.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::story;
    use manyworlds_core::StepKind;

    #[test]
    fn a_send_waits_for_its_receiver_to_be_ready() {
        // b chooses before it receives; the trace lists the send first.
        let trace = story(&["a", "b"]).send(0, 1, "x").choose(1, 0).recv(1, 0).send(1, 0, "y").fail(0, "no").trace();
        let items = arrange(&trace);
        assert_eq!(items, [Item::Step(1), Item::Delivery { send: 0, recv: 2 }, Item::Step(3), Item::Step(4)]);
    }

    #[test]
    fn messages_that_cross_are_drawn_apart() {
        let trace = story(&["a", "b"]).send(0, 1, "x").send(1, 0, "y").recv(0, 1).recv(1, 0).trace();
        assert_eq!(arrange(&trace), [Item::Step(0), Item::Delivery { send: 1, recv: 2 }, Item::Step(3)]);
    }

    #[test]
    fn operations_of_an_impossible_history_keep_their_order() {
        // c hears b before a, so that a is drawn late.
        let mut trace = story(&["a", "b", "c"])
            .send(0, 2, "x")
            .invoked(0, "Write(1)")
            .returned(0, "Written")
            .invoked(1, "Read")
            .returned(1, "0")
            .send(1, 2, "y")
            .recv(2, 5)
            .recv(2, 0)
            .trace();
        let order = |trace: &Trace| {
            let notes =
                |item: &Item| matches!(item, Item::Step(i) if matches!(trace.steps[*i].kind, StepKind::Note(_)));
            let order = arrange(trace).into_iter().filter(notes).collect::<Vec<_>>();
            order == [1, 2, 3, 4].map(Item::Step)
        };
        assert!(!order(&trace));
        trace.violation.property = Property::Linearizable;
        assert!(order(&trace));
    }

    #[test]
    fn nothing_is_moved_across_a_split() {
        let trace = story(&["a", "b", "network"])
            .send(0, 1, "x")
            .split(2, &[0])
            .choose(0, 1)
            .happens(2, StepKind::Heal)
            .recv(1, 0)
            .trace();
        assert_eq!(arrange(&trace), [0, 1, 2, 3, 4].map(Item::Step));
    }

    #[test]
    fn a_message_that_is_dropped_does_not_arrive() {
        let trace = story(&["a", "b"]).send(0, 1, "x").dropped(1, 0).trace();
        assert_eq!(arrange(&trace), [0, 1].map(Item::Step));
    }

    #[test]
    fn every_step_is_drawn_once() {
        let trace = story(&["a", "b"])
            .send(0, 0, "to me")
            .recv(0, 0)
            .send(0, 1, "x")
            .send(0, 1, "y")
            .recv(1, 3)
            .recv(1, 2)
            .trace();
        let drawn: usize = arrange(&trace).iter().map(|item| if matches!(item, Item::Step(_)) { 1 } else { 2 }).sum();
        assert_eq!(drawn, trace.steps.len());
    }
}
