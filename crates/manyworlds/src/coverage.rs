//! What the processes of a program did in all worlds together. It is noted where an engine asks what user code does next, so that each local situation
//! is looked at once, and not each execution.

use manyworlds_core::{
    Action, Coverage, Cursor, Detail, Deviation, Failure, InputCoverage, LocalStats, Locals, LocalsFactory, NodeId,
    OBS_END, OBS_TIMEOUT, Obs, Pid, ProcId, ProcessCoverage, ProcessRole, Rerun, Root, StepInfo, TraceMessage, ValueId,
    Violation,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// What all workers noted.
#[derive(Default)]
pub struct Tally(Mutex<BTreeMap<Pid, Process>>);

/// What one process did.
#[derive(Default)]
struct Process {
    name: String,
    /// Where it waits for something.
    places: BTreeSet<Arc<str>>,
    /// What came there.
    answers: BTreeSet<(Arc<str>, Arc<str>)>,
    /// By type: what was sent to it, and what of that it received.
    messages: BTreeMap<String, Fate>,
}

#[derive(Default)]
struct Fate {
    offered: BTreeSet<u64>,
    handled: BTreeSet<u64>,
}

impl Process {
    fn message(&mut self, name: &str) -> &mut Fate {
        if !self.messages.contains_key(name) {
            self.messages.insert(name.to_string(), Fate::default());
        }
        self.messages.get_mut(name).expect("it is there now")
    }

    fn join(&mut self, other: Process) {
        if self.name.is_empty() {
            self.name = other.name;
        }
        self.places.extend(other.places);
        self.answers.extend(other.answers);
        for (name, fate) in other.messages {
            let mine = self.messages.entry(name).or_default();
            mine.offered.extend(fate.offered);
            mine.handled.extend(fate.handled);
        }
    }

    fn told(self) -> ProcessCoverage {
        let told = |(name, fate): (String, Fate)| InputCoverage {
            kind: "message".to_string(),
            name,
            offered: fate.offered.len() as u64,
            handled: fate.handled.len() as u64,
        };
        ProcessCoverage {
            name: self.name,
            states: self.places.len() as u64,
            handlers: self.answers.len() as u64,
            inputs: self.messages.into_iter().map(told).collect(),
        }
    }
}

impl Tally {
    /// What was noted; `properties` are what was asked.
    pub fn told(self, properties: Vec<String>) -> Coverage {
        let processes = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let processes = processes.into_values().map(Process::told).collect();
        Coverage { properties, processes, ..Coverage::default() }
    }
}

/// A program whose processes are watched.
pub struct Noted<'a, F> {
    /// The program.
    pub program: &'a F,
    /// Where it is noted.
    pub tally: &'a Tally,
}

impl<'a, F: LocalsFactory> LocalsFactory for Noted<'a, F> {
    type Locals = Noting<'a, F::Locals>;

    fn make(&self) -> Noting<'a, F::Locals> {
        Noting {
            locals: self.program.make(),
            tally: self.tally,
            found: BTreeMap::new(),
            owners: FxHashMap::default(),
            known: FxHashMap::default(),
            values: FxHashMap::default(),
        }
    }
}

/// A table of local transitions that notes what is new.
pub struct Noting<'a, L> {
    locals: L,
    tally: &'a Tally,
    found: BTreeMap<Pid, Process>,
    /// Whose situation a node is, and where that process waits then.
    owners: FxHashMap<NodeId, (Pid, Arc<str>)>,
    /// The nodes that were looked at, and how they were reached: an id may be given to another node when the table is trimmed.
    known: FxHashMap<NodeId, (NodeId, Obs)>,
    /// The type of a value and its fingerprint: to show a value is to run user code.
    values: FxHashMap<ValueId, (Arc<str>, u64)>,
}

impl<L: Locals> Noting<'_, L> {
    /// Notes what a process does at a node, up to where it waits.
    fn enter(&mut self, pid: Pid, node: NodeId) {
        let mut place: Arc<str> = "".into();
        for off in 0.. {
            let at = Cursor { node, off };
            match self.locals.action(at) {
                Action::Send { to, value, .. } => {
                    let (name, print) = self.value(value);
                    let to = self.locals.pid(to);
                    self.found.entry(to).or_default().message(&name).offered.insert(print);
                }
                Action::Spawn { child, root, .. } => {
                    let child = self.locals.pid(child);
                    self.found.entry(child).or_default().name = match self.locals.describe(at).detail {
                        Detail::Child(name) if !name.is_empty() => name,
                        _ => child.to_string(),
                    };
                    self.owners.insert(root, (child, "".into()));
                }
                Action::Recv { .. } | Action::Choose { .. } | Action::Join { .. } => {
                    let location = self.locals.describe(at).location;
                    place = location.map_or_else(String::new, |location| location.to_string()).into();
                    self.found.entry(pid).or_default().places.insert(place.clone());
                    break;
                }
                Action::End { .. } | Action::Stuck | Action::Bound | Action::Fail => break,
            }
        }
        self.owners.insert(node, (pid, place));
    }

    /// Notes what came to a process that waits at a node.
    fn answered(&mut self, (pid, place): (Pid, Arc<str>), node: NodeId, answer: Obs) {
        let at = Cursor { node, off: u32::MAX };
        let what: Arc<str> = match (self.locals.action(at), answer) {
            (Action::Recv { .. }, OBS_TIMEOUT) => "a timeout".into(),
            (Action::Recv { .. }, OBS_END) => return,
            (Action::Recv { .. }, value) => {
                let (name, print) = self.value(ValueId(value));
                self.found.entry(pid).or_default().message(&name).handled.insert(print);
                name
            }
            (Action::Choose { .. }, choice) => choice.to_string().into(),
            _ => "an end".into(),
        };
        self.found.entry(pid).or_default().answers.insert((place, what));
    }

    fn value(&mut self, value: ValueId) -> (Arc<str>, u64) {
        let locals = &self.locals;
        let known = self
            .values
            .entry(value)
            .or_insert_with(|| (locals.message(value).type_name().into(), locals.fingerprint(value)));
        known.clone()
    }

    /// Whether nobody looked at a node that is reached in this way.
    fn is_new(&mut self, node: NodeId, reached: (NodeId, Obs)) -> bool {
        self.known.insert(node, reached) != Some(reached)
    }
}

impl<L> Drop for Noting<'_, L> {
    fn drop(&mut self) {
        let mut all = self.tally.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (pid, process) in std::mem::take(&mut self.found) {
            all.entry(pid).or_default().join(process);
        }
    }
}

impl<L: Locals> Locals for Noting<'_, L> {
    fn roots(&mut self) -> Vec<Root> {
        let roots = self.locals.roots();
        for root in &roots {
            let pid = self.locals.pid(root.proc);
            self.found.entry(pid).or_default().name.clone_from(&root.name);
            if self.is_new(root.node, (root.node, 0)) {
                self.enter(pid, root.node);
            }
        }
        roots
    }

    fn start(&mut self, root: NodeId) {
        self.locals.start(root);
        if let Some(&(pid, _)) = self.owners.get(&root)
            && self.is_new(root, (root, 0))
        {
            self.enter(pid, root);
        }
    }

    fn step(&mut self, node: NodeId, answer: Obs) -> NodeId {
        let next = self.locals.step(node, answer);
        if self.is_new(next, (node, answer))
            && let Some(owner) = self.owners.get(&node).cloned()
        {
            let pid = owner.0;
            self.answered(owner, node, answer);
            self.enter(pid, next);
        }
        next
    }

    fn trim(&mut self, live: &mut dyn Iterator<Item = NodeId>) {
        self.locals.trim(live);
        self.known.clear();
        self.values.clear();
    }

    fn root_name(&self, proc: ProcId) -> String {
        self.locals.root_name(proc)
    }

    fn root_role(&self, proc: ProcId) -> ProcessRole {
        self.locals.root_role(proc)
    }

    fn action(&self, at: Cursor) -> Action {
        self.locals.action(at)
    }

    fn accepts(&mut self, node: NodeId, value: ValueId) -> bool {
        self.locals.accepts(node, value)
    }

    fn pid(&self, proc: ProcId) -> Pid {
        self.locals.pid(proc)
    }

    fn proc(&self, pid: Pid) -> Option<ProcId> {
        self.locals.proc(pid)
    }

    fn failure(&self, node: NodeId) -> Option<Failure> {
        self.locals.failure(node)
    }

    fn describe(&self, at: Cursor) -> StepInfo {
        self.locals.describe(at)
    }

    fn show(&self, value: ValueId) -> String {
        self.locals.show(value)
    }

    fn fingerprint(&self, value: ValueId) -> u64 {
        self.locals.fingerprint(value)
    }

    fn message(&self, value: ValueId) -> TraceMessage {
        self.locals.message(value)
    }

    fn state(&self, node: NodeId) -> Option<u32> {
        self.locals.state(node)
    }

    fn show_choice(&self, node: NodeId, answer: Obs) -> String {
        self.locals.show_choice(node, answer)
    }

    fn show_state(&self, node: NodeId) -> Option<String> {
        self.locals.show_state(node)
    }

    fn stats(&self) -> LocalStats {
        self.locals.stats()
    }

    fn at_end(&mut self, nodes: &mut dyn Iterator<Item = (ProcId, NodeId)>) -> Option<Violation> {
        self.locals.at_end(nodes)
    }

    fn over_bound(&self) -> bool {
        self.locals.over_bound()
    }

    fn can_rerun(&self) -> bool {
        self.locals.can_rerun()
    }

    fn rerun(&mut self, run: &Rerun<'_>) -> Result<(), Deviation> {
        self.locals.rerun(run)
    }
}

#[cfg(test)]
mod tests {
    use crate::Options;
    use crate::prelude::*;
    use manyworlds_core::{Coverage, InputCoverage};

    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    enum Call {
        Ring(u8),
        Hello,
    }

    /// The callee takes one call, from either of two; nobody takes what is said afterwards.
    fn calls() -> Program {
        Program::new(|| {
            let callee = process("callee").spawn(|| {
                recv_where(|call: &Call| matches!(call, Call::Ring(_)));
            });
            for i in 0..2 {
                process(format_args!("caller{i}")).spawn(move || {
                    send(callee.pid(), Call::Ring(i));
                    send(callee.pid(), Call::Hello);
                });
            }
        })
    }

    fn coverage(program: &Program, options: &Options) -> Coverage {
        check(program).options(Options { coverage: true, ..options.clone() }).run().unwrap().coverage.unwrap()
    }

    fn message(name: &str, handled: u64, offered: u64) -> InputCoverage {
        InputCoverage { kind: "message".to_string(), name: name.to_string(), offered, handled }
    }

    #[test]
    fn what_was_sent_and_what_was_received() {
        let told = coverage(&calls(), &Options::default());
        let names: Vec<&str> = told.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(names, ["main", "callee", "caller0", "caller1"]);
        let [_, callee, caller, _] = &told.processes[..] else { panic!("four processes") };
        assert_eq!(callee.inputs, [message("Hello", 0, 1), message("Ring", 2, 2)]);
        assert_eq!((callee.states, callee.handlers), (1, 1));
        assert_eq!((caller.states, caller.inputs.len()), (0, 0));
        assert_eq!(told.properties, ["assertion", "deadlock"]);
    }

    #[test]
    fn workers_and_a_small_table_change_nothing() {
        let race = Program::new(|| {
            let main = me();
            for i in 0..5 {
                spawn(move || send(main, i));
            }
            let order: Vec<u32> = (0..5).map(|_| recv()).collect();
            if order.is_sorted() {
                choose(0..3);
            }
        });
        for program in [calls(), race] {
            let alone = coverage(&program, &Options::default());
            assert_eq!(coverage(&program, &Options { threads: 4, ..Options::default() }), alone);
            assert_eq!(coverage(&program, &Options { max_nodes: Some(1), ..Options::default() }), alone);
        }
    }

    #[test]
    fn what_is_found_does_not_depend_on_being_watched() {
        let watched = check(calls()).coverage(true).run().unwrap();
        assert_eq!(watched.outcome, check(calls()).run().unwrap().outcome);
    }
}
