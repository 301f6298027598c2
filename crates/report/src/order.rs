//! The order in which steps are drawn.
//!
//! A trace is a partial order given as one of its linearizations, and all linearizations are equivalent. The drawing order is one in which most
//! messages arrive in the row in which they are sent: such a chart has half the rows and no reference numbers. Therefore a send whose receiver is not
//! ready is delayed while another process can take a step, and a receive that is ready directly follows its send. Failures and processes that wait
//! forever come last. A partition or its end affects all processes: no step is moved across it. Linearizability depends on which operation returned before
//! which other one was invoked: in such traces, the steps that record operations keep their order.

use manyworlds_core::{Requirement, Trace, TraceHistory};

/// The steps of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A send and its receive, with no step in between.
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

/// The steps that are drawn so far, and the constraints on the others.
struct Drawing<'t> {
    trace: &'t Trace,
    /// The steps of each process.
    steps: Vec<Vec<usize>>,
    /// The number of placed steps of each process.
    done: Vec<usize>,
    placed: Vec<bool>,
    /// The first step that is not placed.
    first: usize,
    /// The receive of a send; the first one if the message was duplicated.
    reader: Vec<Option<usize>>,
    /// For a step that records an operation of a history that is not linearizable, the previous such step.
    recorded_before: Vec<Option<usize>>,
    /// The epoch of each step: a partition, its end, and the steps between two of them each have an epoch of their own.
    epoch: Vec<usize>,
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
        Drawing { trace, steps, done, placed, first: 0, reader, recorded_before, epoch: epochs(trace) }
    }

    /// The next step to draw among the ready steps: the one with the least delay, and among these the first of the trace.
    fn next(&self) -> Option<usize> {
        let heads = self.steps.iter().zip(&self.done).filter_map(|(steps, &done)| steps.get(done).copied());
        heads.filter(|&i| self.ready(i)).min_by_key(|&i| (self.delay(i), i))
    }

    /// Whether the step is the next one of its process, and all its causes are placed.
    fn ready(&self, i: usize) -> bool {
        let step = &self.trace.steps[i];
        let turn = self.steps[step.process].get(self.done[step.process]) == Some(&i);
        turn && self.epoch[i] == self.epoch[self.first] && {
            let sent = step.kind.send();
            step.parents.iter().chain(&sent).chain(&self.recorded_before[i]).all(|&cause| self.placed[cause])
        }
    }

    /// The priority of a step; steps with a greater delay are drawn later.
    fn delay(&self, i: usize) -> u8 {
        let kind = &self.trace.steps[i].kind;
        match self.reader[i] {
            _ if kind.is_bad() => 2,
            Some(recv) if kind.is_send() => u8::from(!self.only_waits_for(recv, i)),
            _ => 0,
        }
    }

    /// Whether the receive would be ready if the send were placed.
    fn only_waits_for(&self, recv: usize, send: usize) -> bool {
        let step = &self.trace.steps[recv];
        let before = self.done[step.process] + usize::from(step.process == self.trace.steps[send].process);
        let turn = self.steps[step.process].get(before) == Some(&recv);
        let together = self.epoch[recv] == self.epoch[send];
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
    let Some(history) = history.filter(|_| trace.violation.property == Requirement::Linearizable) else {
        return before;
    };
    let steps = history.operations.iter().flat_map(|o| std::iter::once(o.invoked).chain(o.returned));
    let mut steps: Vec<usize> = steps.filter(|&at| at < trace.steps.len()).collect();
    steps.sort_unstable();
    steps.dedup();
    steps.windows(2).for_each(|pair| before[pair[1]] = Some(pair[0]));
    before
}

fn epochs(trace: &Trace) -> Vec<usize> {
    let mut epoch = 0;
    let epochs = trace.steps.iter().map(|step| {
        let change = usize::from(step.kind.is_partition());
        epoch += 2 * change;
        epoch - change
    });
    epochs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace_builder::trace_of;
    use manyworlds_core::StepKind;

    #[test]
    fn a_send_waits_for_its_receiver_to_be_ready() {
        // b chooses before it receives; the trace lists the send first.
        let trace = trace_of(&["a", "b"]).send(0, 1, "x").choose(1, 0).recv(1, 0).send(1, 0, "y").fail(0, "no").trace();
        let items = arrange(&trace);
        assert_eq!(items, [Item::Step(1), Item::Delivery { send: 0, recv: 2 }, Item::Step(3), Item::Step(4)]);
    }

    #[test]
    fn messages_that_cross_are_drawn_apart() {
        let trace = trace_of(&["a", "b"]).send(0, 1, "x").send(1, 0, "y").recv(0, 1).recv(1, 0).trace();
        assert_eq!(arrange(&trace), [Item::Step(0), Item::Delivery { send: 1, recv: 2 }, Item::Step(3)]);
    }

    #[test]
    fn operations_of_a_history_that_is_not_linearizable_keep_their_order() {
        // c receives the message of b before that of a, so a is drawn late.
        let mut trace = trace_of(&["a", "b", "c"])
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
        trace.violation.property = Requirement::Linearizable;
        assert!(order(&trace));
    }

    #[test]
    fn nothing_is_moved_across_a_split() {
        let trace = trace_of(&["a", "b", "network"])
            .send(0, 1, "x")
            .split(2, &[0])
            .choose(0, 1)
            .step(2, StepKind::Heal)
            .recv(1, 0)
            .trace();
        assert_eq!(arrange(&trace), [0, 1, 2, 3, 4].map(Item::Step));
    }

    #[test]
    fn a_message_that_is_dropped_does_not_arrive() {
        let trace = trace_of(&["a", "b"]).send(0, 1, "x").dropped(1, 0).trace();
        assert_eq!(arrange(&trace), [0, 1].map(Item::Step));
    }

    #[test]
    fn every_step_is_drawn_once() {
        let trace = trace_of(&["a", "b"])
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
