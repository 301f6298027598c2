//! Traces for tests, told step by step.

use manyworlds_core::{Network, Property, TRACE_SCHEMA, Trace, TraceProcess, TraceStep, Violation};

/// A trace being told. Its n-th step stands in line `10 n` of `src/story.rs`.
pub struct Story(Trace);

/// Nothing has happened to these processes yet.
pub fn story(names: &[&str]) -> Story {
    let process = |(i, name): (usize, &&str)| TraceProcess {
        pid: if i == 0 { "0".to_string() } else { format!("0.{}", i - 1) },
        id: i as u64,
        name: name.to_string(),
        daemon: false,
        status: "running".to_string(),
    };
    Story(Trace {
        schema: TRACE_SCHEMA.to_string(),
        model: "tale".to_string(),
        params: Default::default(),
        engine: "must".to_string(),
        network: Network::P2p,
        seed: 0,
        violation: Violation {
            property: Property::Assertion,
            message: "no".to_string(),
            location: None,
            process: None,
        },
        processes: names.iter().enumerate().map(process).collect(),
        steps: Vec::new(),
        loop_from: None,
        losses: None,
        history: None,
    })
}

impl Story {
    fn step(mut self, process: usize, kind: &str, rest: TraceStep) -> Story {
        let steps = &mut self.0.steps;
        let mut parents: Vec<usize> = steps.iter().rposition(|step| step.process == process).into_iter().collect();
        parents.extend(rest.reads);
        let born = |step: &TraceStep| step.kind == "spawn" && step.peer == Some(process);
        parents.extend(steps.iter().position(born));
        let joined = if kind == "join" { rest.peer } else { None };
        parents.extend(joined.and_then(|child| steps.iter().rposition(|step| step.process == child)));
        let location = Some(format!("src/story.rs:{}:5", 10 * (steps.len() + 1)));
        steps.push(TraceStep { process, kind: kind.to_string(), location, parents, ..rest });
        self
    }

    pub fn send(self, from: usize, to: usize, message: &str) -> Story {
        self.step(
            from,
            "send",
            TraceStep { peer: Some(to), message: Some(message.to_string()), ..TraceStep::default() },
        )
    }

    pub fn recv(self, process: usize, reads: usize) -> Story {
        self.fate(process, "recv", reads)
    }

    /// A send and, as the next step, its receive.
    pub fn deliver(self, from: usize, to: usize, message: &str) -> Story {
        let send = self.0.steps.len();
        self.send(from, to, message).recv(to, send)
    }

    pub fn spawn(self, process: usize, child: usize) -> Story {
        self.step(process, "spawn", TraceStep { peer: Some(child), ..TraceStep::default() })
    }

    pub fn join(mut self, process: usize, child: usize) -> Story {
        self.0.processes[child].status = "ended".to_string();
        self.step(process, "join", TraceStep { peer: Some(child), ..TraceStep::default() })
    }

    pub fn choose(self, process: usize, answer: u32) -> Story {
        self.step(process, "choose", TraceStep { choice: Some(answer), ..TraceStep::default() })
    }

    pub fn lose(self, process: usize, answer: u32) -> Story {
        self.step(process, "lose", TraceStep { choice: Some(answer), ..TraceStep::default() })
    }

    /// A message that gets lost before it sets out.
    pub fn lose_message(self, from: usize, to: usize, message: &str) -> Story {
        let message = Some(message.to_string());
        let lost = TraceStep { choice: Some(1), peer: Some(to), message, ..TraceStep::default() };
        self.step(from, "lose", lost)
    }

    pub fn timeout(self, process: usize) -> Story {
        self.step(process, "timeout", TraceStep::default())
    }

    pub fn wait(mut self, process: usize, detail: &str) -> Story {
        self.0.processes[process].status = "waiting".to_string();
        self.step(process, "wait", TraceStep { message: Some(detail.to_string()), ..TraceStep::default() })
    }

    pub fn fail(mut self, process: usize, message: &str) -> Story {
        self.0.processes[process].status = "failed".to_string();
        self = self.step(process, "fail", TraceStep { message: Some(message.to_string()), ..TraceStep::default() });
        let location = self.0.steps.last().and_then(|step| step.location.clone());
        self.violates(Property::Assertion, message, Some(process), location.as_deref())
    }

    /// Something that happens to one actor, or to the network: a start, a timer, a crash, a note, a step of a specification.
    pub fn happens(self, process: usize, kind: &str, message: Option<&str>) -> Story {
        self.step(process, kind, TraceStep { message: message.map(str::to_string), ..TraceStep::default() })
    }

    /// What becomes of a message: `recv`, `drop` or `duplicate`.
    pub fn fate(self, process: usize, kind: &str, reads: usize) -> Story {
        let TraceStep { process: peer, message, .. } = self.0.steps[reads].clone();
        self.step(process, kind, TraceStep { peer: Some(peer), message, reads: Some(reads), ..TraceStep::default() })
    }

    /// The state that the last step leads to.
    pub fn state(mut self, state: &str) -> Story {
        self.0.steps.last_mut().expect("something has happened").state_diff = Some(state.to_string());
        self
    }

    /// It goes on for ever: after the last step it is where it was before this one.
    pub fn again_from(mut self, step: usize) -> Story {
        self.0.loop_from = Some(step);
        self
    }

    pub fn violates(
        mut self,
        property: Property,
        message: &str,
        process: Option<usize>,
        location: Option<&str>,
    ) -> Story {
        let process = process.map(|process| self.0.processes[process].name.clone());
        self.0.violation =
            Violation { property, message: message.to_string(), location: location.map(str::to_string), process };
        self
    }

    pub fn trace(self) -> Trace {
        self.0
    }
}
