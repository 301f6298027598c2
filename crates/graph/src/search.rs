//! The depth-first search of Must's Algorithm 1, without recursion.
//!
//! A *level* is a graph with its open choice points. Forward alternatives (the send that a receive reads, the option of a choice) are
//! explored by undoing and redoing events in place. A backward revisit opens a new level with a restricted copy of the graph. A level
//! is discarded as soon as its last alternative is taken, so the memory is a stack of graphs of polynomial size.

use crate::addressing;
use crate::config::{GraphConfig, GraphReport};
use crate::consistency::retain_minimal;
use crate::graph::{EventId, Graph, NONE};
use crate::isolation::Isolation;
use crate::parallel::Shared;
use crate::portable::Portable;
use crate::restrict::Restrict;
use crate::revisit::Revisits;
use crate::schedule::Schedule;
use crate::witness::{self, Culprit};
use crate::world::{Ending, World};
use manyworlds_core::{Action, Deadlock, Locals, OBS_END, Progress, StopReason};

/// Number of events between two calls of the observer.
const TICK: u64 = 1 << 10;

/// The kind of alternatives of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Branch {
    /// Sends that the receive at `event` may read; stored in `Level::alternatives`.
    Read,
    /// Options of the choice at `event`: the numbers `next..end` themselves.
    Answer,
    /// Receives that the send at `event` may revisit; stored in `Level::alternatives`.
    Revisit,
}

/// A choice point with unexplored alternatives.
#[derive(Clone, Copy, Debug)]
struct Frame {
    event: EventId,
    branch: Branch,
    first: u32,
    next: u32,
    end: u32,
}

/// A graph and its open choice points.
#[derive(Default)]
struct Level {
    graph: Graph,
    frames: Vec<Frame>,
    alternatives: Vec<EventId>,
}

impl Level {
    #[inline]
    fn open(&mut self, event: EventId, branch: Branch, first: u32, next: u32, end: u32) {
        if next < end {
            self.frames.push(Frame { event, branch, first, next, end });
        }
    }

    /// Takes the next alternative of the newest frame, and closes the frame if none is left.
    #[inline]
    fn take(&mut self) -> Option<(Frame, u32)> {
        let frame = self.frames.last_mut()?;
        let taken = *frame;
        frame.next += 1;
        let alternative = self.alternative(&taken, taken.next);
        if taken.next + 1 == taken.end {
            self.frames.pop();
            if taken.branch != Branch::Answer {
                self.alternatives.truncate(taken.first as usize);
            }
        }
        Some((taken, alternative))
    }

    /// Takes the last alternative of the oldest frame, for another worker.
    fn give(&mut self) -> Option<(Frame, u32)> {
        let frame = self.frames.first_mut()?;
        frame.end -= 1;
        let given = *frame;
        let alternative = self.alternative(&given, given.end);
        if given.next == given.end {
            self.frames.remove(0);
        }
        Some((given, alternative))
    }

    #[inline]
    fn alternative(&self, frame: &Frame, i: u32) -> u32 {
        if frame.branch == Branch::Answer { i } else { self.alternatives[i as usize] }
    }
}

/// A worker: one depth-first search.
pub struct Worker<'a, L: Locals> {
    locals: L,
    config: &'a GraphConfig,
    shared: &'a Shared<'a>,
    levels: Vec<Level>,
    spare: Vec<Level>,
    schedule: Schedule,
    revisits: Revisits,
    restrict: Restrict,
    isolation: Isolation,
    report: GraphReport,
    /// Executions not yet reported to `shared`.
    finished: u64,
    /// All executions of this worker.
    visited: u64,
    until_tick: u64,
    deepest: u32,
    truncated: Option<StopReason>,
}

impl<'a, L: Locals> Worker<'a, L> {
    /// Creates a worker without a task.
    pub fn new(locals: L, config: &'a GraphConfig, shared: &'a Shared<'a>) -> Worker<'a, L> {
        let mut report = GraphReport::default();
        let stats = &mut report.stats;
        for figure in [
            &mut stats.executions,
            &mut stats.blocked,
            &mut stats.truncated,
            &mut stats.depth,
            &mut stats.events,
            &mut stats.revisits,
        ] {
            *figure = Some(0);
        }
        Worker {
            locals,
            config,
            shared,
            levels: Vec::new(),
            spare: Vec::new(),
            schedule: Schedule::new(config.policy),
            revisits: Revisits::default(),
            restrict: Restrict::default(),
            isolation: Isolation::default(),
            report,
            finished: 0,
            visited: 0,
            until_tick: TICK,
            deepest: 0,
            truncated: None,
        }
    }

    /// Explores everything below the empty graph.
    pub fn explore_all(&mut self) {
        let graph = Graph::initial(&mut self.locals);
        self.explore(graph);
    }

    /// Explores everything below a graph that another worker submitted.
    pub fn explore_portable(&mut self, task: &Portable) {
        match task.unpack(&mut self.locals) {
            Ok(graph) => self.explore(graph),
            Err(failure) => {
                self.levels.push(Level { graph: Graph::initial(&mut self.locals), ..Level::default() });
                self.violation(&Culprit::Program(failure));
                self.levels.clear();
            }
        }
    }

    /// Returns the report of this worker.
    pub fn finish(mut self) -> GraphReport {
        let local = self.locals.stats();
        self.report.stats.user_steps = local.user_steps;
        self.report.stats.distinct_steps = local.distinct_steps;
        self.report.stats.depth = Some(u64::from(self.deepest));
        *self.report.stats.events.get_or_insert(0) += TICK - self.until_tick;
        self.report.stopped = self.truncated;
        self.report.samples = self.locals.can_rerun().then_some(self.isolation.samples);
        self.publish();
        self.report
    }

    fn explore(&mut self, graph: Graph) {
        let mut level = self.spare.pop().unwrap_or_default();
        level.graph = graph;
        self.levels.push(level);
        self.check_failures_at_start();
        loop {
            let level = self.levels.last_mut().expect("a level is open while exploring");
            match self.schedule.next(&level.graph, &mut self.locals) {
                Some(thread) if !self.too_deep() => self.extend(thread),
                next => {
                    self.finish_execution(next.is_some());
                    if !self.backtrack() {
                        break;
                    }
                }
            }
            self.until_tick -= 1;
            if self.until_tick == 0 {
                self.tick();
            }
            if self.shared.stopped() {
                break;
            }
        }
        self.levels.clear();
    }

    #[inline]
    fn too_deep(&self) -> bool {
        let depth = self.levels.last().map_or(0, |level| u64::from(level.graph.len()));
        self.config.budget.depth.is_some_and(|max| depth >= max)
    }

    /// Adds the next event of `thread`, and a frame for its alternatives.
    #[inline]
    fn extend(&mut self, thread: u32) {
        let level = self.levels.last_mut().expect("a level is open while exploring");
        let locals = &mut self.locals;
        let graph = &mut level.graph;
        match graph.threads[thread as usize].next {
            Action::Send { to, .. } if !addressing::may_send_to(graph, thread, to) => {
                // No event is added. The failure depends only on the causal past of the process, so it holds until an event of that past is undone.
                graph.fail(thread);
            }
            Action::Send { .. } => {
                let send = graph.push_action(locals, thread);
                let first = level.alternatives.len() as u32;
                self.revisits.collect(graph, locals, send, &mut level.alternatives);
                let end = level.alternatives.len() as u32;
                level.open(send, Branch::Revisit, first, first, end);
            }
            Action::Spawn { .. } => {
                graph.push_action(locals, thread);
                let child = graph.threads.len() as u32 - 1;
                self.check_failure(child);
            }
            Action::Join { .. } => {
                graph.push_join(locals, thread);
            }
            Action::Choose { arity, loss } => {
                let lossless = loss && graph.losses >= self.config.loss_budget;
                let event = graph.push_choose(locals, thread, 0);
                level.open(event, Branch::Answer, 0, 1, if lossless { 1 } else { arity });
            }
            Action::Recv { network, blocking } => {
                let first = level.alternatives.len();
                level.alternatives.extend_from_slice(&self.schedule.candidates);
                retain_minimal(graph, locals, network, &mut level.alternatives, first);
                if !blocking {
                    level.alternatives.push(NONE);
                }
                let event = graph.push_recv(locals, thread, level.alternatives[first]);
                let (first, end) = (first as u32, level.alternatives.len() as u32);
                level.open(event, Branch::Read, first, first + 1, end);
                if first + 1 == end {
                    level.alternatives.truncate(first as usize);
                }
            }
            _ => unreachable!("the schedule returns enabled threads"),
        }
        self.check_failure(thread);
    }

    /// Goes to the next unexplored alternative; false if there is none.
    #[inline]
    fn backtrack(&mut self) -> bool {
        if self.shared.wants_tasks() {
            self.share_work();
        }
        loop {
            let Some(level) = self.levels.last_mut() else { return false };
            let Some((frame, alternative)) = level.take() else {
                let mut level = self.levels.pop().expect("checked above");
                level.alternatives.clear();
                self.spare.push(level);
                continue;
            };
            let thread = level.graph.event(frame.event).thread;
            match frame.branch {
                Branch::Read => {
                    level.graph.truncate(frame.event);
                    level.graph.push_recv(&mut self.locals, thread, alternative);
                    self.check_failure(thread);
                }
                Branch::Answer => {
                    level.graph.truncate(frame.event);
                    level.graph.push_choose(&mut self.locals, thread, alternative);
                    self.check_failure(thread);
                }
                Branch::Revisit => self.revisit(alternative, frame.event),
            }
            return true;
        }
    }

    /// Opens a level in which `receive` reads `send`.
    fn revisit(&mut self, receive: EventId, send: EventId) {
        *self.report.stats.revisits.get_or_insert(0) += 1;
        let mut fresh = self.spare.pop().unwrap_or_default();
        let level = self.levels.last_mut().expect("a level is open while exploring");
        let thread = self.restrict.run(&mut self.locals, &level.graph, receive, send, &mut fresh.graph);
        if level.frames.is_empty() {
            std::mem::swap(level, &mut fresh);
            fresh.alternatives.clear();
            self.spare.push(fresh);
        } else {
            self.levels.push(fresh);
        }
        self.check_failure(thread);
    }

    /// Gives an alternative of the oldest frame to an idle worker.
    fn share_work(&mut self) {
        let Some(i) = self.levels.iter().position(|level| !level.frames.is_empty()) else { return };
        // The last alternative of the only frame is kept: giving it away would leave this worker without work.
        if i + 1 == self.levels.len() && self.levels[i].frames.len() == 1 {
            let frame = self.levels[i].frames[0];
            if frame.end - frame.next < 2 {
                return;
            }
        }
        let level = &mut self.levels[i];
        let Some((frame, alternative)) = level.give() else { return };
        // Counts the event that the alternative adds: the worker that takes the task does not count rebuilt events.
        *self.report.stats.events.get_or_insert(0) += 1;
        let task = match frame.branch {
            Branch::Revisit => {
                *self.report.stats.revisits.get_or_insert(0) += 1;
                let mut fresh = self.spare.pop().unwrap_or_default();
                self.restrict.run(&mut self.locals, &level.graph, alternative, frame.event, &mut fresh.graph);
                let task = Portable::pack(&fresh.graph, fresh.graph.len(), None);
                self.spare.push(fresh);
                task
            }
            _ => Portable::pack(&level.graph, frame.event + 1, Some(alternative)),
        };
        self.shared.submit(task);
    }

    /// Classifies and counts an execution in which no process is enabled, or that was `cut` off at the depth limit.
    fn finish_execution(&mut self, cut: bool) {
        if let Some(max) = self.config.budget.executions
            && !self.shared.claim_execution(max)
        {
            // The run stops here and not at execution number `max`: only now is it certain that there are more executions than allowed.
            return self.shared.stop(StopReason::MaxExecutions);
        }
        let graph = &self.levels.last().expect("a level is open while exploring").graph;
        self.deepest = self.deepest.max(graph.len());
        let (ending, culprit) = match cut {
            true => (Ending::Truncated, None),
            false => classify(graph, &mut self.locals, self.config.deadlock),
        };
        if ending == Ending::Truncated {
            let reason = if cut { StopReason::MaxDepth } else { StopReason::MaxSteps };
            self.truncated = self.truncated.or(Some(reason));
        }
        let stats = &mut self.report.stats;
        match ending {
            Ending::Complete => *stats.executions.get_or_insert(0) += 1,
            Ending::Blocked => *stats.blocked.get_or_insert(0) += 1,
            Ending::Truncated => *stats.truncated.get_or_insert(0) += 1,
            Ending::Violating => stats.violations += 1,
        }
        if self.config.collect_worlds {
            self.report.worlds.push(World::of(graph, ending));
        }
        if let Some(culprit) = culprit {
            self.violation(&culprit);
        }
        self.finished += 1;
        self.visited += 1;
        self.sample();
        if self.locals.over_bound() {
            self.trim();
        }
    }

    /// Adds the executions finished since the last call to the shared count.
    fn publish(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        // With a budget, `claim_execution` has counted each execution already.
        if self.config.budget.executions.is_none() {
            self.shared.add_executions(finished);
        }
    }

    fn check_failures_at_start(&mut self) {
        for thread in 0..self.levels.last().map_or(0, |level| level.graph.threads.len()) {
            self.check_failure(thread as u32);
        }
    }

    /// Stops the run if `thread` has just failed, unless violations are to be counted: then the execution continues to its end, so that
    /// the count does not depend on the schedule.
    #[inline]
    fn check_failure(&mut self, thread: u32) {
        let graph = &self.levels.last().expect("a level is open while exploring").graph;
        if matches!(graph.threads[thread as usize].next, Action::Fail) && !self.config.keep_going {
            let culprit = failed(graph, &self.locals, thread);
            self.check_isolation();
            self.violation(&culprit);
            self.report.stats.violations += 1;
        }
    }

    /// Records the trace of a violation in the current graph if it is the shortest so far, and ends the run unless violations are to be counted.
    fn violation(&mut self, culprit: &Culprit) {
        let graph = &self.levels.last().expect("a level is open while exploring").graph;
        let length = witness::length(graph, culprit);
        // The length is computed first: most violations are not shorter than the first, and writing a trace takes longer than exploring its execution.
        if self.report.counterexample.as_ref().is_none_or(|best| length < best.steps.len()) {
            let trace = witness::trace(graph, &self.locals, culprit);
            debug_assert_eq!(trace.steps.len(), length);
            self.report.counterexample = Some(trace);
        }
        if !self.config.keep_going {
            self.shared.halt();
        }
    }

    /// Checks that user code is isolated and deterministic on the current execution, if a sample is due.
    fn sample(&mut self) {
        let events = self.report.stats.events.unwrap_or(0) + TICK - self.until_tick;
        if self.isolation.is_due(events) {
            self.check_isolation();
        }
    }

    /// Reruns the current execution, and ends the run if that shows that the model is invalid.
    fn check_isolation(&mut self) {
        let graph = &self.levels.last().expect("a level is open while exploring").graph;
        if let Some(invalid) = self.isolation.check(graph, &mut self.locals) {
            self.report.invalid.get_or_insert(invalid);
            self.shared.halt();
        }
    }

    fn trim(&mut self) {
        let levels = &self.levels;
        let mut live = levels.iter().flat_map(|level| {
            let events = level.graph.events.iter().map(|event| event.at.node);
            events.chain(level.graph.threads.iter().map(|th| th.cursor.node))
        });
        self.locals.trim(&mut live);
    }

    #[inline]
    fn tick(&mut self) {
        *self.report.stats.events.get_or_insert(0) += TICK;
        self.until_tick = TICK;
        self.publish();
        let progress = Progress { executions: self.shared.executions(), done: self.done(), ..Progress::default() };
        if let Some(reason) = self.shared.observer.tick(&progress) {
            self.shared.stop(reason);
        }
    }

    /// An estimate of the explored fraction of the search tree, in which all alternatives of a frame have equal weight.
    fn done(&self) -> f64 {
        let (mut done, mut weight) = (0.0, 1.0);
        for frame in self.levels.iter().flat_map(|level| &level.frames) {
            let base = if frame.branch == Branch::Answer { 0 } else { frame.first };
            // The continuation without a revisit comes first: a send has one more alternative than its frame lists.
            let extra = u32::from(frame.branch == Branch::Revisit);
            let total = f64::from(frame.end - base + extra);
            done += weight * f64::from(frame.next - base + extra - 1) / total;
            weight /= total;
        }
        done
    }
}

/// The ending of an execution in which no process is enabled, and the cause if the ending is a violation.
fn classify<L: Locals>(graph: &Graph, locals: &mut L, deadlock: Deadlock) -> (Ending, Option<Culprit>) {
    if graph.ready.all_ended() {
        return (Ending::Complete, None);
    }
    let (mut failing, mut bound, mut stuck, mut waits) = (None, false, false, false);
    for (th, t) in graph.threads.iter().zip(0..) {
        match th.next {
            Action::End { .. } => {}
            Action::Fail => failing = failing.or(Some(t)),
            Action::Bound => bound = true,
            Action::Stuck => stuck = true,
            _ => waits |= !th.daemon,
        }
    }
    if let Some(thread) = failing {
        return (Ending::Violating, Some(failed(graph, locals, thread)));
    }
    if bound {
        return (Ending::Truncated, None);
    }
    if stuck {
        return (Ending::Blocked, None);
    }
    if let Some(culprit) = end_monitors(graph, locals) {
        return (Ending::Violating, Some(culprit));
    }
    let mut nodes = graph.threads.iter().map(|th| (th.proc, th.cursor.node));
    if let Some(violation) = locals.at_end(&mut nodes) {
        return (Ending::Violating, Some(Culprit::Execution(violation)));
    }
    match (waits, deadlock) {
        (false, _) => (Ending::Complete, None),
        (true, Deadlock::Allow) => (Ending::Blocked, None),
        (true, Deadlock::Forbid) => (Ending::Violating, Some(Culprit::Deadlock)),
    }
}

/// Runs the checks of the monitors at the end of the execution; returns the first failure.
fn end_monitors<L: Locals>(graph: &Graph, locals: &mut L) -> Option<Culprit> {
    let monitors = graph.threads.iter().zip(0..).filter(|(th, _)| th.monitor);
    for (th, t) in monitors.filter(|(th, _)| matches!(th.next, Action::Recv { .. })) {
        let node = locals.step(th.cursor.node, OBS_END);
        if let Some(failure) = locals.failure(node) {
            return Some(Culprit::AtEnd(t, failure));
        }
    }
    None
}

fn failed<L: Locals>(graph: &Graph, locals: &L, thread: u32) -> Culprit {
    Culprit::Process(thread, addressing::failure(graph, locals, thread).expect("a failed process has a failure"))
}
