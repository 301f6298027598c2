//! Conversion of a violating execution graph to a [`Trace`]: the events that the violation depends on, causes before effects.

use crate::graph::{Event, EventId, Graph, Kind, NONE, Thread};
use crate::world::{Ending, EventName, World, WorldEvent};
use manyworlds_core::{
    Action, Awaited, Delivery, Detail, Engine, Failure, FailureKind, Locals, Location, Pid, ProcessRole, ProcessStatus,
    Requirement, StepKind, Trace, TraceMessage, TraceProcess, TraceStep, ValueId, ValueTree, Violation,
};
use std::collections::HashMap;

/// The cause of a violation.
#[derive(Clone, Debug)]
pub enum Culprit {
    /// A process failed at its cursor.
    Process(u32, Failure),
    /// A monitor failed in its check at the end of the execution.
    AtEnd(u32, Failure),
    /// Processes wait forever.
    Deadlock,
    /// A property of the whole finished execution does not hold.
    Execution(Violation),
    /// The program failed, but the failure belongs to no process of this graph.
    Program(Failure),
}

/// The events for which `keep` holds, causes before effects and otherwise by stamp. `source` returns the send that a receive reads.
pub fn causal_order(
    graph: &Graph,
    keep: impl Fn(EventId) -> bool,
    source: impl Fn(EventId) -> EventId,
) -> Vec<EventId> {
    let mut order = Vec::new();
    let mut added = vec![false; graph.events.len()];
    let mut path = Vec::new();
    for e in 0..graph.len() {
        if !keep(e) {
            continue;
        }
        // Causes first, depth-first: only revisited receives have causes with a later stamp.
        path.push(e);
        while let Some(&top) = path.last() {
            let missing = causes(graph, top, &source).into_iter().find(|&c| c != NONE && !added[c as usize]);
            match missing {
                Some(cause) if !added[top as usize] => path.push(cause),
                _ => {
                    path.pop();
                    if !std::mem::replace(&mut added[top as usize], true) {
                        order.push(top);
                    }
                }
            }
        }
    }
    order
}

/// The direct predecessors of `e` in porf; `NONE` for one that does not exist.
fn causes(graph: &Graph, e: EventId, source: impl Fn(EventId) -> EventId) -> [EventId; 2] {
    let event = graph.event(e);
    let th = &graph.threads[event.thread as usize];
    let before = if event.index == 0 { th.spawner } else { th.events[event.index as usize - 1] };
    let other = match event.kind {
        Kind::Recv => source(e),
        Kind::Join => graph.threads[event.peer as usize].events.last().copied().unwrap_or(NONE),
        _ => NONE,
    };
    [before, other]
}

/// Whether an event is part of the trace. The failure of a process depends only on the events porf-before it; other violations depend on all events.
fn matters(graph: &Graph, culprit: &Culprit) -> impl Fn(EventId) -> bool {
    let last = match culprit {
        Culprit::Process(t, _) => {
            let th = &graph.threads[*t as usize];
            Some(th.events.last().copied().unwrap_or(th.spawner))
        }
        _ => None,
    };
    move |e| last.is_none_or(|last| last != NONE && graph.porf(e, last))
}

/// The processes that wait and are not daemons.
fn waiting(graph: &Graph) -> impl Iterator<Item = (u32, &Thread)> {
    let waits = |th: &Thread| !th.daemon && matches!(th.next, Action::Recv { .. } | Action::Join { .. });
    (0..).zip(&graph.threads).filter(move |(_, th)| waits(th))
}

/// The number of steps in the [`trace`] of a violation.
pub fn length(graph: &Graph, culprit: &Culprit) -> usize {
    let matters = matters(graph, culprit);
    let closing = match culprit {
        Culprit::Process(..) | Culprit::AtEnd(..) => 1,
        Culprit::Deadlock => waiting(graph).count(),
        Culprit::Program(_) | Culprit::Execution(_) => 0,
    };
    (0..graph.len()).filter(|&e| matters(e)).count() + closing
}

/// The trace of a violation. The caller fills in model, parameters, engine and network.
pub fn trace(graph: &Graph, locals: &dyn Locals, culprit: &Culprit) -> Trace {
    let order = causal_order(graph, matters(graph, culprit), |e| graph.event(e).link);
    let mut writer = Writer::new(graph, locals, order);
    writer.write();
    writer.close(culprit)
}

/// The name that the program gave to a process, or a name derived from its pid.
pub fn process_name(graph: &Graph, locals: &dyn Locals, thread: usize) -> String {
    let th = &graph.threads[thread];
    let name = match th.spawner {
        NONE => locals.root_name(th.proc),
        spawner => match locals.describe(graph.event(spawner).at).detail {
            Detail::Child(name) => name,
            _ => String::new(),
        },
    };
    if name.is_empty() { format!("p{}", th.pid) } else { name }
}

struct Writer<'g> {
    graph: &'g Graph,
    locals: &'g dyn Locals,
    order: Vec<EventId>,
    /// The step of each event.
    place: Vec<usize>,
    /// The trace process of each thread.
    process: Vec<usize>,
    processes: Vec<TraceProcess>,
    steps: Vec<TraceStep>,
    messages: Vec<TraceMessage>,
    /// The index in `messages` of each value.
    numbers: HashMap<ValueId, usize>,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph, locals: &'g dyn Locals, order: Vec<EventId>) -> Self {
        let mut place = vec![usize::MAX; graph.events.len()];
        for (i, &e) in order.iter().enumerate() {
            place[e as usize] = i;
        }
        let mut writer = Writer {
            graph,
            locals,
            order,
            place,
            process: vec![usize::MAX; graph.threads.len()],
            processes: Vec::new(),
            steps: Vec::new(),
            messages: Vec::new(),
            numbers: HashMap::new(),
        };
        for (t, th) in graph.threads.iter().enumerate() {
            if th.spawner == NONE || writer.place[th.spawner as usize] != usize::MAX {
                writer.process[t] = writer.processes.len();
                let process = writer.describe_process(t);
                writer.processes.push(process);
            }
        }
        writer
    }

    fn describe_process(&self, t: usize) -> TraceProcess {
        let th = &self.graph.threads[t];
        let name = process_name(self.graph, self.locals, t);
        let role = match th.spawner {
            NONE => self.locals.root_role(th.proc),
            _ => ProcessRole::Process,
        };
        let shown = th.events.iter().filter(|&&e| self.place[e as usize] != usize::MAX).count();
        let status = match th.next {
            _ if shown < th.events.len() => ProcessStatus::Running,
            Action::End { .. } => ProcessStatus::Ended,
            Action::Fail => ProcessStatus::Failed,
            Action::Stuck | Action::Bound => ProcessStatus::Stuck,
            Action::Recv { .. } | Action::Join { .. } => ProcessStatus::Waiting,
            _ => ProcessStatus::Running,
        };
        TraceProcess { pid: th.pid.to_string(), id: th.pid.to_bits(), name, role, daemon: th.daemon, status }
    }

    fn write(&mut self) {
        for e in std::mem::take(&mut self.order) {
            let event = *self.graph.event(e);
            let mut step = TraceStep::new(self.process[event.thread as usize], self.kind(&event));
            step.at = self.locals.describe(event.at).location;
            step.state = self.changed_state(&event);
            step.parents = causes(self.graph, e, |e| self.graph.event(e).link)
                .iter()
                .filter(|&&c| c != NONE)
                .map(|&c| self.place[c as usize])
                .collect();
            self.steps.push(step);
        }
    }

    /// The local state after an event, if it differs from the previous state or is the first that can be shown.
    fn changed_state(&self, event: &Event) -> Option<ValueTree> {
        let th = &self.graph.threads[event.thread as usize];
        let next = th.events.get(event.index as usize + 1).map_or(th.cursor, |&e| self.graph.event(e).at);
        if next.node == event.at.node {
            return None;
        }
        let after = self.locals.state(next.node)?;
        // A node that only waits for a choice has no state of its own: compare with the last state before it.
        let earlier = th.events[..=event.index as usize].iter().rev().map(|&e| self.graph.event(e).at.node);
        let before = earlier.clone().find_map(|node| self.locals.state(node));
        let first = earlier.clone().all(|node| node == event.at.node);
        if !first && before == Some(after) {
            return None;
        }
        self.locals.show_state(next.node).map(|state| ValueTree::parse(&state))
    }

    /// The index of a message. Values are interned: two values have the same id iff they are equal, even if unequal values are displayed alike.
    fn message(&mut self, value: u32) -> usize {
        let (locals, messages) = (self.locals, &mut self.messages);
        *self.numbers.entry(ValueId(value)).or_insert_with(|| {
            messages.push(locals.message(ValueId(value)));
            messages.len() - 1
        })
    }

    fn kind(&mut self, event: &Event) -> StepKind {
        let process = &self.process;
        let peer = |t: u32| process.get(t as usize).copied().filter(|&p| p != usize::MAX);
        match event.kind {
            Kind::Send => {
                let (to, network) = (peer(event.peer), Some(event.network));
                StepKind::Send { message: self.message(event.value), to, network }
            }
            Kind::Recv if event.link == NONE => StepKind::Timeout,
            Kind::Recv => {
                let sent = *self.graph.event(event.link);
                let (from, send) = (peer(sent.thread), Some(self.place[event.link as usize]));
                let network = Some(event.network);
                StepKind::Receive(Delivery { message: self.message(sent.value), from, send, network })
            }
            Kind::Choose if event.flag && event.value == 1 => {
                let to = match self.locals.describe(event.at).detail {
                    Detail::MayLose(pid) => self.process_of(pid),
                    _ => None,
                };
                // A lost message was never sent, so it has no id in the table of values.
                let shown = self.locals.show_choice(event.at.node, event.value);
                self.messages.push(TraceMessage::shown(&shown));
                StepKind::Lose { lost: true, message: Some(self.messages.len() - 1), to }
            }
            Kind::Choose if event.flag => StepKind::Lose { lost: false, message: None, to: None },
            Kind::Choose => {
                let chosen = ValueTree::parse(&self.locals.show_choice(event.at.node, event.value));
                StepKind::Choose { option: Some(event.value), value: Some(chosen) }
            }
            Kind::Spawn => StepKind::Spawn { child: peer(event.peer) },
            Kind::Join => StepKind::Join { child: peer(event.peer) },
        }
    }

    fn process_of(&self, pid: Pid) -> Option<usize> {
        let thread = self.graph.threads.iter().position(|thread| thread.pid == pid)?;
        self.process.get(thread).copied().filter(|&process| process != usize::MAX)
    }

    fn close(mut self, culprit: &Culprit) -> Trace {
        let violation = match culprit {
            Culprit::Process(t, failure) | Culprit::AtEnd(t, failure) => self.blame(*t, failure),
            Culprit::Program(failure) => violation(failure, None, false),
            Culprit::Deadlock => self.blame_deadlock(),
            Culprit::Execution(violation) => violation.clone(),
        };
        let mut trace = Trace::new(violation, self.processes);
        trace.engine = Engine::Must;
        (trace.messages, trace.steps) = (self.messages, self.steps);
        trace
    }

    fn blame(&mut self, thread: u32, failure: &Failure) -> Violation {
        let process = self.process[thread as usize];
        self.processes[process].status = ProcessStatus::Failed;
        self.close_step(thread, StepKind::Fail(failure.message.clone()), failure.location.clone());
        let monitor = self.graph.threads[thread as usize].monitor;
        violation(failure, Some(self.processes[process].name.clone()), monitor)
    }

    fn blame_deadlock(&mut self) -> Violation {
        let mut blamed = Vec::new();
        for (t, th) in waiting(self.graph) {
            let info = self.locals.describe(th.cursor);
            blamed.push((self.processes[self.process[t as usize]].name.clone(), info.location.clone()));
            self.close_step(t, StepKind::Wait(self.awaited(info.detail)), info.location);
        }
        let names: Vec<&str> = blamed.iter().map(|(name, _)| name.as_str()).collect();
        let verb = if names.len() == 1 { "waits" } else { "wait" };
        Violation {
            property: Requirement::Deadlock,
            message: format!("{} {verb} for ever", names.join(", ")),
            location: blamed.first().and_then(|(_, location)| location.clone()),
            process: blamed.first().map(|(name, _)| name.clone()),
        }
    }

    fn awaited(&self, detail: Detail) -> Awaited {
        match detail {
            Detail::AwaitsMessage(name) => Awaited::Message(name),
            Detail::AwaitsEnd(pid) => self.process_of(pid).map_or(Awaited::Unknown, Awaited::Process),
            _ => Awaited::Unknown,
        }
    }

    fn close_step(&mut self, thread: u32, kind: StepKind, at: Option<Location>) {
        let th = &self.graph.threads[thread as usize];
        let before = th.events.last().copied().unwrap_or(th.spawner);
        let parents = if before == NONE { vec![] } else { vec![self.place[before as usize]] };
        let process = self.process[thread as usize];
        self.steps.push(TraceStep { at, parents, ..TraceStep::new(process, kind) });
    }
}

fn violation(failure: &Failure, process: Option<String>, monitor: bool) -> Violation {
    let property = match failure.kind {
        FailureKind::Panic if monitor => Requirement::Monitor,
        FailureKind::Panic => Requirement::Assertion,
        FailureKind::StackOverflow => Requirement::StackOverflow,
        FailureKind::Nondeterminism => Requirement::Deterministic,
        FailureKind::Misuse => Requirement::ApiContract,
        FailureKind::NotLinearizable => Requirement::Linearizable,
    };
    Violation { property, message: failure.message.clone(), location: failure.location.clone(), process }
}

impl World {
    /// The canonical form of a finished graph.
    pub fn of(graph: &Graph, ending: Ending) -> World {
        let name = |e: EventId| {
            let event = graph.event(e);
            EventName { pid: graph.threads[event.thread as usize].pid, index: event.index }
        };
        let pid = |t: u32| graph.threads.get(t as usize).map_or(manyworlds_core::Pid::ROOT, |th| th.pid);
        let events = |events: &[EventId]| {
            let canonical = |&e: &EventId| {
                let event = graph.event(e);
                match event.kind {
                    Kind::Send => WorldEvent::Send(pid(event.peer), event.network),
                    Kind::Recv if event.link == NONE => WorldEvent::Recv(None),
                    Kind::Recv => WorldEvent::Recv(Some(name(event.link))),
                    Kind::Choose => WorldEvent::Choose(event.value),
                    Kind::Spawn => WorldEvent::Spawn(pid(event.peer)),
                    Kind::Join => WorldEvent::Join(pid(event.peer)),
                }
            };
            events.iter().map(canonical).collect()
        };
        let mut processes: Vec<_> = graph.threads.iter().map(|th| (th.pid, events(&th.events))).collect();
        processes.sort_unstable_by_key(|(pid, _)| *pid);
        World { ending, processes }
    }
}
