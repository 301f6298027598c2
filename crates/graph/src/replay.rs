//! Replay of a [`Trace`]: performs the steps one by one and checks that the program does what the trace records.

use crate::addressing;
use crate::consistency::retain_minimal;
use crate::graph::{Graph, NONE, Thread};
use crate::schedule::Schedule;
use manyworlds_core::{
    Action, Failure, Locals, OBS_END, Pid, Policy, Replayed, StepKind, Trace, TraceError, TraceStep, Violation,
};

/// Replays `trace` on the program in `locals`. `show` is called with each step before it is performed, with its source location in this program.
pub fn replay(
    locals: &mut dyn Locals,
    trace: &Trace,
    mut show: impl FnMut(usize, &TraceStep),
) -> Result<Replayed, TraceError> {
    let mut player = Player { graph: Graph::initial(locals), locals, trace };
    let mut result = Replayed::Gone;
    for (i, step) in trace.steps.iter().enumerate() {
        show(i, &player.located(step));
        result = player.perform(i, step)?;
    }
    if player.end_violation().is_some_and(|violation| violation.property == trace.violation.property) {
        result = Replayed::Reproduced;
    }
    Ok(result)
}

struct Player<'a> {
    graph: Graph,
    locals: &'a mut dyn Locals,
    trace: &'a Trace,
}

impl Player<'_> {
    fn thread(&self, step: &TraceStep) -> Option<u32> {
        let pid = Pid::from_bits(self.trace.processes[step.process].id);
        self.locals.proc(pid).and_then(|proc| self.graph.thread(proc))
    }

    /// The step with its source location in the current program: locations change when a program is edited.
    fn located(&mut self, step: &TraceStep) -> TraceStep {
        let now = self.thread(step).and_then(|t| match step.kind {
            StepKind::Fail(_) => self.current_failure(t).and_then(|failure| failure.location),
            _ => self.locals.describe(self.graph.threads[t as usize].cursor).location,
        });
        TraceStep { at: now.or_else(|| step.at.clone()), ..step.clone() }
    }

    fn perform(&mut self, i: usize, step: &TraceStep) -> Result<Replayed, TraceError> {
        let Some(t) = self.thread(step) else {
            return Err(self.diverged(i, step, "there is no such process".to_string()));
        };
        let next = self.graph.threads[t as usize].next;
        match (&step.kind, next) {
            (StepKind::Send { .. }, Action::Send { value, .. }) => {
                let message = self.locals.message(value);
                if !self.trace.message(step).is_some_and(|expected| expected.looks_like(&message)) {
                    return Err(self.diverged(i, step, format!("send {message}")));
                }
                self.graph.push_action(self.locals, t);
            }
            (StepKind::Spawn { .. }, Action::Spawn { .. }) => {
                self.graph.push_action(self.locals, t);
            }
            (StepKind::Receive(delivery), Action::Recv { .. }) => self.receive(i, step, delivery.send, t)?,
            (StepKind::Timeout, Action::Recv { blocking: false, .. }) => {
                self.graph.push_recv(self.locals, t, NONE);
            }
            (StepKind::Choose { option: Some(option), .. }, Action::Choose { arity, .. }) if *option < arity => {
                self.graph.push_choose(self.locals, t, *option);
            }
            (StepKind::Lose { lost, .. }, Action::Choose { arity: 2.., .. }) => {
                self.graph.push_choose(self.locals, t, u32::from(*lost));
            }
            (StepKind::Join { .. }, Action::Join { child }) if self.ended(child) => {
                self.graph.push_join(self.locals, t);
            }
            (StepKind::Fail(reason), _) => return self.failure(i, step, reason, t),
            (StepKind::Wait(_), Action::Recv { .. } | Action::Join { .. }) => return Ok(self.deadlock()),
            _ => return Err(self.diverged(i, step, self.describe_next(t))),
        }
        Ok(Replayed::Gone)
    }

    fn receive(&mut self, i: usize, step: &TraceStep, send: Option<usize>, t: u32) -> Result<(), TraceError> {
        let Action::Recv { network, .. } = self.graph.threads[t as usize].next else { unreachable!("checked") };
        let mut candidates = Vec::new();
        self.graph.candidates(self.locals, t, network, &mut candidates);
        retain_minimal(&self.graph, self.locals, network, &mut candidates, 0);
        // Events are added in the order of the steps, so the index of a step is the id of its event.
        match send.map(|read| read as u32).filter(|read| candidates.contains(read)) {
            Some(read) => {
                self.graph.push_recv(self.locals, t, read);
                Ok(())
            }
            None => Err(self.diverged(i, step, format!("{} that cannot read this message", self.describe_next(t)))),
        }
    }

    fn failure(&mut self, i: usize, step: &TraceStep, reason: &str, t: u32) -> Result<Replayed, TraceError> {
        match self.current_failure(t) {
            Some(failure) if failure.message == reason => Ok(Replayed::Reproduced),
            Some(failure) => Err(self.diverged(i, step, format!("fail: {}", failure.message))),
            None => Ok(Replayed::Gone),
        }
    }

    /// The failure of the thread at its cursor. A monitor performs its check at the end only if the execution is finished.
    fn current_failure(&mut self, t: u32) -> Option<Failure> {
        let th = &self.graph.threads[t as usize];
        if !(th.monitor && matches!(th.next, Action::Recv { .. })) {
            return addressing::failure(&self.graph, self.locals, t);
        }
        let node = th.cursor.node;
        if !self.is_finished() {
            return None;
        }
        let end = self.locals.step(node, OBS_END);
        self.locals.failure(end)
    }

    fn deadlock(&mut self) -> Replayed {
        let waits = |th: &Thread| !th.daemon && matches!(th.next, Action::Recv { .. } | Action::Join { .. });
        match self.is_finished() && self.graph.threads.iter().any(waits) {
            true => Replayed::Reproduced,
            false => Replayed::Gone,
        }
    }

    /// The violation of a property of the whole execution, if the execution is finished.
    fn end_violation(&mut self) -> Option<Violation> {
        if !self.is_finished() {
            return None;
        }
        let mut nodes = self.graph.threads.iter().map(|th| (th.proc, th.cursor.node));
        self.locals.at_end(&mut nodes)
    }

    /// Whether every process has ended or waits forever. An execution with a failed or stuck process is not finished.
    fn is_finished(&mut self) -> bool {
        let settled = |th: &Thread| matches!(th.next, Action::End { .. } | Action::Recv { .. } | Action::Join { .. });
        self.graph.threads.iter().all(settled)
            && Schedule::new(Policy::LeftToRight).next(&self.graph, self.locals).is_none()
    }

    fn ended(&self, child: manyworlds_core::ProcId) -> bool {
        let child = self.graph.thread(child).map(|c| &self.graph.threads[c as usize]);
        child.is_some_and(|th| matches!(th.next, Action::End { .. }))
    }

    /// The action of a thread at its cursor, for a message.
    fn describe_next(&self, t: u32) -> String {
        let th = &self.graph.threads[t as usize];
        let info = self.locals.describe(th.cursor);
        let verb = match th.next {
            Action::Send { .. } => "send",
            Action::Spawn { .. } => "spawn",
            Action::Recv { .. } => "receive",
            Action::Choose { .. } => "choose",
            Action::Join { .. } => "join",
            Action::End { .. } => "end",
            Action::Stuck => "give up at an assumption",
            Action::Bound => "reach its step bound",
            Action::Fail => "fail",
        };
        let place = info.location.map(|l| format!(" at {l}")).unwrap_or_default();
        format!("{verb} {}{place}", info.detail).replace("  ", " ").trim_end().to_string()
    }

    fn diverged(&self, i: usize, step: &TraceStep, found: String) -> TraceError {
        let about = self.trace.describe(&step.kind, self.trace.message(step));
        let gap = if about.is_empty() { "" } else { " " };
        let place = step.at.as_ref().map(|l| format!(" at {l}")).unwrap_or_default();
        TraceError::Diverged {
            step: i,
            process: self.trace.processes[step.process].name.clone(),
            expected: format!("{}{gap}{about}{place}", step.kind.name()),
            found,
        }
    }
}
