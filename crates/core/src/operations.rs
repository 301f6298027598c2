//! The history of a shared object in a trace: the invoked operations, their responses, and the result of the linearizability check.
//!
//! Actors and programs record invocations and responses. Engines on states show these notes as steps. The DPOR engine sends them to an additional
//! process ([`ProcessRole::History`]): the history is the sequence of messages that it receives; a message holds all notes of one step.

use crate::{ProcessRole, Requirement, StepKind, Trace, TraceMessage, TraceNote, TraceValue};
use serde::{Deserialize, Serialize};

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceOperation {
    /// The process that invoked it: index into the processes of the trace.
    pub process: usize,
    /// The operation.
    pub call: TraceValue,
    /// The response; `None` while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<TraceValue>,
    /// The step that records the call.
    pub invoked: usize,
    /// The step that records the return; `None` while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<usize>,
}

/// Operations in the order of their calls. The lists hold their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TraceHistory {
    /// The operations. One step may record several events of one process: the events of an operation precede those of a later one.
    pub operations: Vec<TraceOperation>,
    /// An order that explains every response before the impossible one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linearization: Vec<usize>,
    /// The operation that fits into no order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<usize>,
    /// A minimal set of operations that is not linearizable: without any one of them the others are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimal: Vec<usize>,
    /// Operations that contradict each other even if all others took effect whenever that helps, or never.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub core: Vec<usize>,
}

impl TraceHistory {
    /// The operations that the steps of a trace record; `None` if they record none.
    pub fn recorded(trace: &Trace) -> Option<TraceHistory> {
        let watches = |process: usize| trace.processes.get(process).is_some_and(|p| p.role == ProcessRole::History);
        // Of several such processes, the one that fails.
        let objects = trace.steps.last().map(|step| step.process).filter(|&process| watches(process));
        let watcher = objects.or_else(|| (0..trace.processes.len()).rfind(|&process| watches(process)));
        let mut history = TraceHistory::default();
        for (at, step) in trace.steps.iter().enumerate() {
            match &step.kind {
                StepKind::Note(note) => history.note(step.process, at, note),
                StepKind::Receive(delivery) if Some(step.process) == watcher => {
                    if let (Some(from), Some(TraceMessage::Notes(notes))) = (delivery.from, trace.message(step)) {
                        notes.iter().for_each(|note| history.note(from, at, note));
                    }
                }
                _ => {}
            }
        }
        if trace.violation.property == Requirement::Linearizable {
            history.stuck = history.returned_last().into_iter().collect();
        }
        (!history.operations.is_empty()).then_some(history)
    }

    fn note(&mut self, process: usize, at: usize, note: &TraceNote) {
        match note {
            TraceNote::Invoked(call) => {
                self.operations.push(TraceOperation {
                    process,
                    call: call.clone(),
                    response: None,
                    invoked: at,
                    returned: None,
                });
            }
            TraceNote::Returned(response) => {
                // A process has one operation at a time.
                let last = self.operations.iter_mut().rfind(|operation| operation.process == process);
                if let Some(open) = last.filter(|operation| operation.returned.is_none()) {
                    (open.response, open.returned) = (Some(response.clone()), Some(at));
                }
            }
            TraceNote::Linearized(_) | TraceNote::Text(_) => {}
        }
    }

    /// A history is checked at every response, so the last response is the impossible one.
    fn returned_last(&self) -> Option<usize> {
        let returned = (0..self.operations.len()).filter(|&i| self.operations[i].returned.is_some());
        returned.max_by_key(|&i| self.operations[i].returned)
    }

    /// The problem of a history that is not valid in a trace with so many processes and steps.
    pub(crate) fn complaint(&self, processes: usize, steps: usize) -> Option<String> {
        let strays = |o: &TraceOperation| {
            let returned = o.returned.unwrap_or(o.invoked);
            o.process >= processes || returned >= steps || returned < o.invoked
        };
        if let Some(at) = self.operations.iter().position(strays) {
            return Some(format!(
                "operation {at} refers to a process or a step that is not there, or ends before it begins"
            ));
        }
        let lists = [&self.linearization, &self.stuck, &self.minimal, &self.core];
        let stray = lists.into_iter().flatten().find(|&&number| number >= self.operations.len())?;
        Some(format!("there is no operation {stray}; there are {}", self.operations.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delivery, ProcessStatus, TraceProcess, TraceStep, ValueTree, Violation};

    fn process(name: &str, role: ProcessRole) -> TraceProcess {
        let (pid, name) = ("0".to_string(), name.to_string());
        TraceProcess { pid, id: 0, name, role, daemon: true, status: ProcessStatus::Waiting }
    }

    fn trace(processes: Vec<TraceProcess>, steps: Vec<TraceStep>) -> Trace {
        let message = "Read returned 0, which no order of the operations so far explains".to_string();
        let violation = Violation { property: Requirement::Linearizable, message, location: None, process: None };
        Trace { steps, ..Trace::new(violation, processes) }
    }

    fn value(text: &str) -> TraceValue {
        TraceValue::shown(ValueTree::parse(text))
    }

    fn operation(
        process: usize,
        call: &str,
        response: Option<&str>,
        invoked: usize,
        returned: Option<usize>,
    ) -> TraceOperation {
        TraceOperation { process, call: value(call), response: response.map(value), invoked, returned }
    }

    #[test]
    fn notes_that_are_steps_are_operations_and_texts_are_not() {
        let (invoked, returned) = (|text| TraceNote::Invoked(value(text)), |text| TraceNote::Returned(value(text)));
        let notes = [
            (0, invoked("Write(1)")),
            (1, invoked("Read")),
            (0, returned("Done")),
            (0, TraceNote::Text("invoked by mistake".to_string())),
            (0, invoked("Read")),
            (0, TraceNote::Text("returned home".to_string())),
            (1, returned("0")),
        ];
        let steps = notes.map(|(process, note)| TraceStep::new(process, StepKind::Note(note))).to_vec();
        // The role of a process does not follow from its name.
        let processes = ["left", "history"].map(|name| process(name, ProcessRole::Process)).to_vec();
        let found = TraceHistory::recorded(&trace(processes, steps)).unwrap();
        assert_eq!(
            found.operations,
            [
                operation(0, "Write(1)", Some("Done"), 0, Some(2)),
                operation(1, "Read", Some("0"), 1, Some(6)),
                operation(0, "Read", None, 4, None)
            ]
        );
        assert_eq!(found.stuck, [1]);
    }

    #[test]
    fn notes_that_are_messages_to_the_process_that_watches_are_operations() {
        let notes = [
            vec![TraceNote::Invoked(value("Write(1)"))],
            vec![TraceNote::Returned(value("Done")), TraceNote::Invoked(value("Read"))],
            vec![TraceNote::Returned(value("0"))],
        ];
        let receive = |message| {
            let delivery = Delivery { message, from: Some(0), send: None, network: None };
            TraceStep::new(2, StepKind::Receive(delivery))
        };
        let steps = [0, 1, 2].map(receive).to_vec();
        let mut processes = ["left", "history"].map(|name| process(name, ProcessRole::Process)).to_vec();
        processes.push(process("judge", ProcessRole::History));
        let messages = notes.map(TraceMessage::Notes).to_vec();
        let found = TraceHistory::recorded(&Trace { messages, ..trace(processes, steps) }).unwrap();
        assert_eq!(
            found.operations,
            [operation(0, "Write(1)", Some("Done"), 0, Some(1)), operation(0, "Read", Some("0"), 1, Some(2))]
        );
        assert_eq!(found.stuck, [1]);
    }

    #[test]
    fn references_to_nothing_are_reported() {
        let notes = [TraceNote::Invoked(value("Read")), TraceNote::Returned(value("0"))];
        let steps = notes.map(|note| TraceStep::new(0, StepKind::Note(note))).to_vec();
        let mut good = trace(vec![process("a", ProcessRole::Process)], steps);
        good.history = TraceHistory::recorded(&good);
        assert_eq!(Trace::from_json(&good.to_json()), Ok(good.clone()));
        for spoil in [
            |history: &mut TraceHistory| history.operations[0].process = 1,
            |history: &mut TraceHistory| history.operations[0].returned = Some(2),
            |history: &mut TraceHistory| history.operations[0].invoked = 2,
            |history: &mut TraceHistory| history.minimal = vec![1],
        ] {
            let mut spoilt = good.clone();
            spoil(spoilt.history.as_mut().unwrap());
            assert!(Trace::from_json(&spoilt.to_json()).is_err(), "{:?}", spoilt.history);
        }
    }
}
