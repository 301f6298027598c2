//! A builder of traces for tests.

use manyworlds_core::{
    Awaited, Delivery, Engine, Location, Network, ProcessRole, ProcessStatus, Requirement, StepKind, Trace,
    TraceMessage, TraceNote, TraceProcess, TraceStep, TraceValue, ValueTree, Violation,
};

/// A trace that is built step by step. The source location of its n-th step is line `10 n` of `src/model.rs`.
pub struct TraceBuilder(Trace);

/// A trace of these processes, without steps.
pub fn trace_of(names: &[&str]) -> TraceBuilder {
    let process = |(i, name): (usize, &&str)| TraceProcess {
        pid: if i == 0 { "0".to_string() } else { format!("0.{}", i - 1) },
        id: i as u64,
        name: name.to_string(),
        role: if *name == "network" { ProcessRole::Network } else { ProcessRole::Process },
        daemon: false,
        status: ProcessStatus::Running,
    };
    let (property, message) = (Requirement::Assertion, "no".to_string());
    let violation = Violation { property, message, location: None, process: None };
    let mut trace = Trace::new(violation, names.iter().enumerate().map(process).collect());
    (trace.model, trace.engine, trace.network) = ("demo".to_string(), Engine::Must, Network::P2p);
    TraceBuilder(trace)
}

fn value(text: &str) -> TraceValue {
    TraceValue::shown(ValueTree::parse(text))
}

impl TraceBuilder {
    /// A step of a process, or of the network.
    pub fn step(mut self, process: usize, kind: StepKind) -> TraceBuilder {
        let steps = &mut self.0.steps;
        let mut parents: Vec<usize> = steps.iter().rposition(|step| step.process == process).into_iter().collect();
        parents.extend(kind.send());
        parents.extend(steps.iter().position(|step| step.kind == StepKind::Spawn { child: Some(process) }));
        let joined = if let StepKind::Join { child } = kind { child } else { None };
        parents.extend(joined.and_then(|child| steps.iter().rposition(|step| step.process == child)));
        let at = Some(Location { file: "src/model.rs".to_string(), line: 10 * (steps.len() as u32 + 1), column: 5 });
        steps.push(TraceStep { at, parents, ..TraceStep::new(process, kind) });
        self
    }

    fn message(&mut self, message: TraceMessage) -> usize {
        let messages = &mut self.0.messages;
        messages.iter().position(|known| *known == message).unwrap_or_else(|| {
            messages.push(message);
            messages.len() - 1
        })
    }

    fn sends(mut self, from: usize, to: usize, message: TraceMessage) -> TraceBuilder {
        let message = self.message(message);
        self.step(from, StepKind::Send { message, to: Some(to), network: None })
    }

    pub fn send(self, from: usize, to: usize, message: &str) -> TraceBuilder {
        self.sends(from, to, TraceMessage::shown(message))
    }

    fn delivery(&self, send: usize) -> Delivery {
        let TraceStep { process, kind, .. } = &self.0.steps[send];
        let message = *kind.message().expect("a send has a message");
        Delivery { message, from: Some(*process), send: Some(send), network: None }
    }

    pub fn recv(self, process: usize, send: usize) -> TraceBuilder {
        let delivery = self.delivery(send);
        self.step(process, StepKind::Receive(delivery))
    }

    pub fn duplicate(self, process: usize, send: usize) -> TraceBuilder {
        let delivery = self.delivery(send);
        self.step(process, StepKind::Duplicate(delivery))
    }

    pub fn dropped(self, process: usize, send: usize) -> TraceBuilder {
        let delivery = self.delivery(send);
        self.step(process, StepKind::Drop(delivery))
    }

    /// A send and, as the next step, its receive.
    pub fn deliver(self, from: usize, to: usize, message: &str) -> TraceBuilder {
        let send = self.0.steps.len();
        self.send(from, to, message).recv(to, send)
    }

    /// A monitor observes a message from one process to another.
    pub fn observed(self, from: usize, to: usize, monitor: usize, message: &str) -> TraceBuilder {
        let send = self.0.steps.len();
        let [sender, receiver] = [from, to].map(|process| self.0.processes[process].pid.clone());
        let seen = TraceMessage::Observed { from: sender, to: receiver, value: ValueTree::parse(message) };
        self.sends(from, monitor, seen).recv(monitor, send)
    }

    /// Makes a process the one to which the others send the operations that they record.
    pub fn history_process(mut self, process: usize) -> TraceBuilder {
        self.0.processes[process].role = ProcessRole::History;
        self
    }

    /// A note, sent to the process that records the history.
    pub fn records(self, from: usize, history: usize, note: TraceNote) -> TraceBuilder {
        let send = self.0.steps.len();
        self.sends(from, history, TraceMessage::Notes(vec![note])).recv(history, send)
    }

    pub fn spawn(self, process: usize, child: usize) -> TraceBuilder {
        self.step(process, StepKind::Spawn { child: Some(child) })
    }

    pub fn join(mut self, process: usize, child: usize) -> TraceBuilder {
        self.0.processes[child].status = ProcessStatus::Ended;
        self.step(process, StepKind::Join { child: Some(child) })
    }

    pub fn choose(self, process: usize, answer: u32) -> TraceBuilder {
        self.step(process, StepKind::Choose { option: Some(answer), value: None })
    }

    pub fn lose(self, process: usize, answer: u32) -> TraceBuilder {
        self.step(process, StepKind::Lose { lost: answer == 1, message: None, to: None })
    }

    /// A message that is lost when it is sent.
    pub fn lose_message(mut self, from: usize, to: usize, message: &str) -> TraceBuilder {
        let message = Some(self.message(TraceMessage::shown(message)));
        self.step(from, StepKind::Lose { lost: true, message, to: Some(to) })
    }

    pub fn timeout(self, process: usize) -> TraceBuilder {
        self.step(process, StepKind::Timeout)
    }

    pub fn wait(mut self, process: usize, awaited: Awaited) -> TraceBuilder {
        self.0.processes[process].status = ProcessStatus::Waiting;
        self.step(process, StepKind::Wait(awaited))
    }

    pub fn fail(mut self, process: usize, message: &str) -> TraceBuilder {
        self.0.processes[process].status = ProcessStatus::Failed;
        self = self.step(process, StepKind::Fail(message.to_string()));
        let location = self.0.steps.last().and_then(|step| step.at.as_ref()).map(ToString::to_string);
        self.violates(Requirement::Assertion, message, Some(process), location.as_deref())
    }

    pub fn starts(self, process: usize) -> TraceBuilder {
        self.step(process, StepKind::Start)
    }

    pub fn timer(self, process: usize, name: &str) -> TraceBuilder {
        self.step(process, StepKind::Timer(name.to_string()))
    }

    pub fn split(self, network: usize, side: &[usize]) -> TraceBuilder {
        self.step(network, StepKind::Split { side: side.to_vec() })
    }

    pub fn note(self, process: usize, text: &str) -> TraceBuilder {
        self.step(process, StepKind::Note(TraceNote::Text(text.to_string())))
    }

    pub fn invoked(self, process: usize, operation: &str) -> TraceBuilder {
        self.step(process, StepKind::Note(TraceNote::Invoked(value(operation))))
    }

    pub fn returned(self, process: usize, response: &str) -> TraceBuilder {
        self.step(process, StepKind::Note(TraceNote::Returned(value(response))))
    }

    pub fn action(self, process: usize, action: &str) -> TraceBuilder {
        self.step(process, StepKind::Action(ValueTree::parse(action)))
    }

    /// The state of the process after the last step.
    pub fn state(mut self, state: &str) -> TraceBuilder {
        self.0.steps.last_mut().expect("there is a step").state = Some(ValueTree::parse(state));
        self
    }

    /// Makes the path infinite: the state after the last step is the state before this one.
    pub fn loops_from(mut self, step: usize) -> TraceBuilder {
        self.0.loop_from = Some(step);
        self
    }

    pub fn violates(
        mut self,
        property: Requirement,
        message: &str,
        process: Option<usize>,
        location: Option<&str>,
    ) -> TraceBuilder {
        let process = process.map(|process| self.0.processes[process].name.clone());
        let location = location.map(Location::parse);
        self.0.violation = Violation { property, message: message.to_string(), location, process };
        self
    }

    pub fn trace(self) -> Trace {
        self.0
    }
}
