//! The history of a shared object in a trace: which operations were asked for, what came back, and what a checker found out about them.
//!
//! Actors and programs note `invoked …` and `returned …`. Engines on states tell these notes as steps. The DPOR engine has a process that hears
//! them: what it receives, in its order, is the history; a message holds all notes of one step.

use crate::{Property, Trace};
use serde::{Deserialize, Serialize};

/// The name of the process that hears the notes.
pub const HISTORY_PROCESS: &str = "history";

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceOperation {
    /// Who asked: index into the processes of the trace.
    pub process: usize,
    /// What was asked for.
    pub call: String,
    /// What came back; `None` while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// The step that records the call.
    pub invoked: usize,
    /// The step that records the return; `None` while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<usize>,
}

/// Operations in the order of their calls. The lists hold their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TraceHistory {
    /// The operations. One step may record several events of one process: what it records of an operation comes before what it records
    /// of a later one.
    pub operations: Vec<TraceOperation>,
    /// An order that explains every response before the impossible one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linearization: Vec<usize>,
    /// The operation that no order has room for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<usize>,
    /// Operations that are wrong by themselves; without any one of them the others are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimal: Vec<usize>,
    /// Operations that contradict each other even if all others took effect whenever that helps, or never.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub core: Vec<usize>,
}

impl TraceHistory {
    /// The operations that the steps of a trace record; `None` if they record none.
    pub fn recorded(trace: &Trace) -> Option<TraceHistory> {
        let watches = |process: usize| trace.processes.get(process).is_some_and(|p| p.name == HISTORY_PROCESS);
        // Of several, the one that objects.
        let objects = trace.steps.last().map(|step| step.process).filter(|&process| watches(process));
        let watcher = objects.or_else(|| (0..trace.processes.len()).rfind(|&process| watches(process)));
        let watcher = watcher.filter(|_| ["must", "brute"].contains(&trace.engine.as_str()));
        let mut history = TraceHistory::default();
        for (at, step) in trace.steps.iter().enumerate() {
            let Some(words) = &step.message else { continue };
            match (step.kind.as_str(), step.peer) {
                ("note", _) => history.note(step.process, at, words),
                ("recv", Some(peer)) if Some(step.process) == watcher => {
                    notes(words).into_iter().for_each(|note| history.note(peer, at, note));
                }
                _ => {}
            }
        }
        if trace.violation.property == Property::Linearizable {
            history.stuck = history.named_in(&trace.violation.message).into_iter().collect();
        }
        (!history.operations.is_empty()).then_some(history)
    }

    fn note(&mut self, process: usize, at: usize, words: &str) {
        if let Some(call) = words.strip_prefix("invoked ") {
            let call = call.to_string();
            self.operations.push(TraceOperation { process, call, response: None, invoked: at, returned: None });
        } else if let Some(response) = words.strip_prefix("returned ") {
            // A process has one operation at a time.
            let last = self.operations.iter_mut().rfind(|operation| operation.process == process);
            if let Some(open) = last.filter(|operation| operation.returned.is_none()) {
                (open.response, open.returned) = (Some(response.to_string()), Some(at));
            }
        }
    }

    /// The last operation that begins a message as in `Read returned 0, which …`.
    fn named_in(&self, message: &str) -> Option<usize> {
        let named = |o: &TraceOperation| {
            let rest = message.strip_prefix(&o.call)?.strip_prefix(" returned ")?;
            rest.strip_prefix(o.response.as_deref()?)
        };
        let found = (0..self.operations.len()).filter(|&i| named(&self.operations[i]).is_some());
        found.max_by_key(|&i| self.operations[i].returned)
    }

    /// What is wrong with it as a part of a trace with so many processes and steps.
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

/// The notes that were joined to one message.
fn notes(words: &str) -> Vec<&str> {
    let mut notes = Vec::new();
    let mut rest = words;
    let next = |rest: &str| ["; invoked ", "; returned "].iter().filter_map(|mark| rest.find(mark)).min();
    while let Some(at) = next(rest) {
        notes.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    notes.push(rest);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Network, TRACE_SCHEMA, TraceProcess, TraceStep, Violation};

    fn trace(engine: &str, names: &[&str], steps: &[(usize, &str, Option<usize>, &str)]) -> Trace {
        let process = |name: &&str| TraceProcess {
            pid: "0".to_string(),
            id: 0,
            name: name.to_string(),
            daemon: true,
            status: "waiting".to_string(),
        };
        let step = |&(process, kind, peer, words): &(usize, &str, Option<usize>, &str)| TraceStep {
            process,
            kind: kind.to_string(),
            peer,
            message: Some(words.to_string()),
            ..TraceStep::default()
        };
        Trace {
            schema: TRACE_SCHEMA.to_string(),
            model: "m".to_string(),
            params: Default::default(),
            engine: engine.to_string(),
            network: Network::P2p,
            seed: 0,
            violation: Violation {
                property: Property::Linearizable,
                message: "Read returned 0, which no order of the operations so far explains".to_string(),
                location: None,
                process: None,
            },
            processes: names.iter().map(process).collect(),
            steps: steps.iter().map(step).collect(),
            loop_from: None,
            losses: None,
            history: None,
        }
    }

    fn operation(
        process: usize,
        call: &str,
        response: Option<&str>,
        invoked: usize,
        returned: Option<usize>,
    ) -> TraceOperation {
        TraceOperation { process, call: call.to_string(), response: response.map(str::to_string), invoked, returned }
    }

    #[test]
    fn notes_are_steps_or_messages_to_the_one_who_watches() {
        let notes = trace(
            "bfs",
            &["left", "right"],
            &[
                (0, "note", None, "invoked Write(1)"),
                (1, "note", None, "invoked Read"),
                (0, "note", None, "returned Done"),
                (0, "note", None, "all is well"),
                (0, "note", None, "invoked Read"),
                (1, "note", None, "returned 0"),
            ],
        );
        let found = TraceHistory::recorded(&notes).unwrap();
        assert_eq!(
            found.operations,
            [
                operation(0, "Write(1)", Some("Done"), 0, Some(2)),
                operation(1, "Read", Some("0"), 1, Some(5)),
                operation(0, "Read", None, 4, None)
            ]
        );
        assert_eq!(found.stuck, [1]);

        let messages = trace(
            "must",
            &["left", "right", "history"],
            &[
                (0, "send", Some(2), "invoked Write(1)"),
                (2, "recv", Some(0), "invoked Write(1)"),
                (2, "recv", Some(0), "returned Done; invoked Read"),
                (2, "recv", Some(0), "returned 0"),
            ],
        );
        let found = TraceHistory::recorded(&messages).unwrap();
        assert_eq!(
            found.operations,
            [operation(0, "Write(1)", Some("Done"), 1, Some(2)), operation(0, "Read", Some("0"), 2, Some(3))]
        );
        assert_eq!(found.stuck, [1]);
    }

    #[test]
    fn what_refers_to_nothing_is_told() {
        let mut told = trace("bfs", &["a"], &[(0, "note", None, "invoked Read"), (0, "note", None, "returned 0")]);
        told.history = TraceHistory::recorded(&told);
        assert_eq!(Trace::from_json(&told.to_json()), Ok(told.clone()));
        for spoil in [
            |history: &mut TraceHistory| history.operations[0].process = 1,
            |history: &mut TraceHistory| history.operations[0].returned = Some(2),
            |history: &mut TraceHistory| history.operations[0].invoked = 2,
            |history: &mut TraceHistory| history.minimal = vec![1],
        ] {
            let mut spoilt = told.clone();
            spoil(spoilt.history.as_mut().unwrap());
            assert!(Trace::from_json(&spoilt.to_json()).is_err(), "{:?}", spoilt.history);
        }
    }
}
