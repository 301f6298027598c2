//! The system as local transition relations for the DPOR engine, without coroutines and re-execution: a local state is an id, and its
//! transitions are in the table.
//!
//! A macro step of an actor is a receive followed by its sends. An actor waits for messages for ever (it is a daemon); one that has set
//! timers waits with a timeout, and the timeout stands for the expiry of a timer. Choices of a handler are choices of the process.
//!
//! An execution graph has no global time: two operations of different clients are ordered only where one causally precedes the other. If
//! the system has a specification, an additional process, the history, monitors the operations under cd: the notes of a step are sent to it
//! before all other messages of the step. So it receives notes in an order that extends causality; over all executions it receives them in
//! every such order; and each such order is one in which the steps can be taken. Hence its histories are exactly those of the engines on
//! global states. (This does not hold under mbox, where arrivals order steps too: refused.)

use crate::context::Note;
use crate::creation::Origin;
use crate::system::System;
use crate::table::{Branch, Input, NONE, Status};
use crate::worlds::Worlds;
use manyworlds_core::{
    Accept, Action, Cursor, Detail, Failure, FailureKind, LocalStats, Locals, LocalsFactory, Network, NodeId, OBS_END,
    OBS_TIMEOUT, Obs, Pid, ProcId, ProcessRole, Requirement, Root, StepInfo, TraceMessage, ValueId, Violation,
};
use manyworlds_explore::Kind;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A local state of an actor or of the history, between two actions that need an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    /// A handler has run: its messages are sent, then the actor waits.
    After { actor: u16, effects: u32, branch: u16 },
    /// A handler makes choices: one of its branches is chosen.
    Choosing { actor: u16, effects: u32 },
    /// A timer expires, and several are set: one of them is chosen.
    Timers { actor: u16, local: u32 },
    /// The history so far, as a stage.
    History { stage: u32 },
    /// The history violates the specification.
    Stuck { failure: u32 },
}

/// The displayed local states of all actors at the end of each complete execution.
pub type Finals = Arc<Mutex<BTreeSet<Vec<String>>>>;

/// Makes the local transition tables of a system.
pub struct ActorLocals {
    worlds: Mutex<Worlds>,
    finals: Option<Finals>,
    split_step: Arc<AtomicBool>,
}

impl ActorLocals {
    /// Tables for a system; they share one table of handler effects.
    pub fn new(system: &System) -> ActorLocals {
        ActorLocals::sharing(&system.worlds())
    }

    /// Tables that share the table of handler effects with `worlds`.
    pub fn sharing(worlds: &Worlds) -> ActorLocals {
        ActorLocals { worlds: Mutex::new(worlds.clone()), finals: None, split_step: Arc::default() }
    }

    /// Whether a handler sent several messages under mbox. They enter the mailboxes atomically, but to the DPOR engine each send is an
    /// event of its own. So it also explores interleavings in which messages of other actors come in between, which cannot happen.
    pub fn split_an_atomic_step(&self) -> bool {
        self.split_step.load(Ordering::Relaxed)
    }

    /// Also collects the final local states of every execution.
    pub fn collect(mut self, finals: Finals) -> ActorLocals {
        self.finals = Some(finals);
        self
    }
}

impl LocalsFactory for ActorLocals {
    type Locals = ActorTable;

    fn make(&self) -> ActorTable {
        let worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ActorTable {
            worlds,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            finals: self.finals.clone(),
            split_step: self.split_step.clone(),
            noted: Vec::new(),
            note_ids: FxHashMap::default(),
        }
    }

    fn shared_stats(&self) -> Option<LocalStats> {
        Some(self.worlds.lock().unwrap_or_else(PoisonError::into_inner).stats())
    }
}

/// The table of one worker.
pub struct ActorTable {
    worlds: Worlds,
    nodes: Vec<Node>,
    ids: FxHashMap<Node, NodeId>,
    finals: Option<Finals>,
    split_step: Arc<AtomicBool>,
    /// The branches whose notes are sent to the history: (actor, effects, branch).
    noted: Vec<(u16, u32, u16)>,
    /// For each node the index of its notes in `noted`.
    note_ids: FxHashMap<NodeId, u32>,
}

/// The displayed name of the process that monitors the history.
const HISTORY: &str = "history";

/// Value ids from here on stand for notes.
const NOTES: u32 = 1 << 31;

impl ActorTable {
    fn node(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.ids.insert(node, id);
        if let Node::After { actor, effects, branch } = node {
            self.note_ids.insert(id, self.noted.len() as u32);
            self.noted.push((actor, effects, branch));
        }
        id
    }

    /// The node that is reached when `actor` reacts to `input`.
    fn react(&mut self, actor: u16, local: u32, input: Input) -> NodeId {
        let mut mirrors = self.worlds.mirrors.borrow_mut();
        let effects = self.worlds.reaction(&mut mirrors, local, input);
        let mbox = self.worlds.blueprint().network == Network::Mbox;
        if mbox && mirrors.effects[effects as usize].iter().any(|branch| branch.sends.len() > 1) {
            self.split_step.store(true, Ordering::Relaxed);
        }
        let single = mirrors.effects[effects as usize].len() == 1;
        drop(mirrors);
        self.node(match single {
            true => Node::After { actor, effects, branch: 0 },
            false => Node::Choosing { actor, effects },
        })
    }

    fn with_branch<R>(&self, effects: u32, branch: u16, f: impl FnOnce(&Branch) -> R) -> R {
        f(&self.worlds.mirrors.borrow().effects[effects as usize][usize::from(branch)])
    }

    fn network(&self) -> Network {
        self.worlds.blueprint().network
    }

    /// The receive that ends a node after a handler has run.
    fn waits(&self, local: u32) -> Action {
        let mirrors = self.worlds.mirrors.borrow();
        Action::Recv { network: self.network(), blocking: mirrors.locals.get(local).timers.is_empty() }
    }

    /// The index of the send at a cursor; `None` if it is the send of the notes to the history, which comes first.
    fn offset(&self, at: Cursor) -> Option<usize> {
        let Node::After { effects, branch, .. } = self.nodes[at.node.0 as usize] else { return Some(0) };
        match self.worlds.monitors() && self.with_branch(effects, branch, Branch::records) {
            true => (at.off as usize).checked_sub(1),
            false => Some(at.off as usize),
        }
    }

    /// The send of a step's notes to the history.
    fn send_to_history(&self, node: NodeId) -> Action {
        let to = ProcId(self.worlds.blueprint().actors.len() as u32);
        Action::Send { to, value: ValueId(NOTES | self.note_ids[&node]), network: Network::Cd }
    }

    /// The node of the history after it has received the notes of a step.
    fn record(&mut self, stage: u32, value: u32) -> NodeId {
        let (actor, effects, branch) = self.noted[(value - NOTES) as usize];
        let notes = self.with_branch(effects, branch, |b| b.notes.clone());
        let next = self.worlds.with_entries(|entries, blueprint| entries.recorded(blueprint, stage, actor, &notes));
        self.node(match next {
            Ok(stage) => Node::History { stage },
            Err(failure) => Node::Stuck { failure },
        })
    }

    /// The notes of a step, as a message to the history.
    fn notes(&self, effects: u32, branch: u16) -> TraceMessage {
        self.with_branch(effects, branch, |b| TraceMessage::Notes(b.notes.iter().map(Note::in_trace).collect()))
    }
}

impl Locals for ActorTable {
    fn roots(&mut self) -> Vec<Root> {
        let names: Vec<String> = self.worlds.blueprint().actors.iter().map(|actor| actor.name.clone()).collect();
        let root = |(name, n): (String, u16)| {
            let blank = self
                .worlds
                .with_entries(|entries, _| entries.local(n, Status::New, NONE, Vec::new(), Origin::DECLARED));
            let node = self.react(n, blank, Input::Start);
            Root { proc: ProcId(u32::from(n)), node, daemon: true, role: ProcessRole::Process, name }
        };
        let mut roots: Vec<Root> = names.into_iter().zip(0..).map(root).collect();
        if let Some(spec) = self.worlds.blueprint().spec.clone() {
            let stage = self.worlds.with_entries(|entries, _| entries.first_stage(&*spec));
            let (proc, node) = (ProcId(roots.len() as u32), self.node(Node::History { stage }));
            let (role, name) = (ProcessRole::History, HISTORY.to_string());
            roots.push(Root { proc, node, daemon: true, role, name });
        }
        roots
    }

    fn root_name(&self, proc: ProcId) -> String {
        let actors = &self.worlds.blueprint().actors;
        actors.get(proc.0 as usize).map_or(HISTORY, |actor| &actor.name).to_string()
    }

    fn root_role(&self, proc: ProcId) -> ProcessRole {
        let is_actor = (proc.0 as usize) < self.worlds.blueprint().actors.len();
        if is_actor { ProcessRole::Process } else { ProcessRole::History }
    }

    fn start(&mut self, _: NodeId) {}

    fn action(&self, at: Cursor) -> Action {
        match self.nodes[at.node.0 as usize] {
            Node::After { effects, branch, .. } => {
                let Some(off) = self.offset(at) else { return self.send_to_history(at.node) };
                self.with_branch(effects, branch, |b| match b.sends.get(off) {
                    Some(send) => Action::Send {
                        to: ProcId(u32::from(send.to)),
                        value: ValueId(send.envelope),
                        network: self.network(),
                    },
                    None if b.failure != NONE => Action::Fail,
                    None => self.waits(b.local),
                })
            }
            Node::History { .. } => Action::Recv { network: Network::Cd, blocking: true },
            Node::Stuck { .. } => Action::Fail,
            Node::Choosing { effects, .. } => {
                let arity = self.worlds.mirrors.borrow().effects[effects as usize].len() as u32;
                Action::Choose { arity, loss: false }
            }
            Node::Timers { local, .. } => {
                let arity = self.worlds.mirrors.borrow().locals.get(local).timers.len() as u32;
                Action::Choose { arity, loss: false }
            }
        }
    }

    fn step(&mut self, node: NodeId, obs: Obs) -> NodeId {
        match self.nodes[node.0 as usize] {
            Node::Choosing { actor, effects } => self.node(Node::After { actor, effects, branch: obs as u16 }),
            Node::Timers { actor, local } => self.react(actor, local, Input::Timer(obs as u16)),
            Node::History { stage } if obs != OBS_END => self.record(stage, obs),
            Node::History { .. } | Node::Stuck { .. } => node,
            Node::After { actor, effects, branch } => {
                let local = self.with_branch(effects, branch, |b| b.local);
                match obs {
                    OBS_TIMEOUT => {
                        let timers = self.worlds.mirrors.borrow().locals.get(local).timers.len();
                        match timers {
                            1 => self.react(actor, local, Input::Timer(0)),
                            _ => self.node(Node::Timers { actor, local }),
                        }
                    }
                    envelope => self.react(actor, local, Input::Message(envelope)),
                }
            }
        }
    }

    fn accepts(&mut self, node: NodeId, value: ValueId) -> bool {
        let Node::After { effects, branch, .. } = self.nodes[node.0 as usize] else { return true };
        let (local, halts) = self.with_branch(effects, branch, |b| (b.local, b.halts));
        let mut mirrors = self.worlds.mirrors.borrow_mut();
        let picks = mirrors.local_summaries[local as usize].picks;
        !halts && (!picks || self.worlds.accept(&mut mirrors, local, value.0) != Accept::Defer)
    }

    fn pid(&self, proc: ProcId) -> Pid {
        Pid::root(proc.0 as u16)
    }

    fn proc(&self, pid: Pid) -> Option<ProcId> {
        let blueprint = self.worlds.blueprint();
        let history = || blueprint.spec.is_some().then_some(blueprint.actors.len() as u16);
        let n = blueprint.index(pid).or_else(|| history().filter(|&n| Pid::root(n) == pid))?;
        Some(ProcId(u32::from(n)))
    }

    fn failure(&self, node: NodeId) -> Option<Failure> {
        let number = match self.nodes[node.0 as usize] {
            Node::After { effects, branch, .. } => {
                self.with_branch(effects, branch, |b| (b.failure != NONE).then_some(b.failure))?
            }
            Node::Stuck { failure } => failure,
            _ => return None,
        };
        let violation = self.worlds.table.lock().failures.get(number).clone();
        let Violation { property, message, location, .. } = (*violation).clone();
        let kind = match property {
            Requirement::ApiContract => FailureKind::Misuse,
            Requirement::Linearizable => FailureKind::NotLinearizable,
            _ => FailureKind::Panic,
        };
        Some(Failure { kind, message, location })
    }

    fn describe(&self, at: Cursor) -> StepInfo {
        match self.nodes[at.node.0 as usize] {
            Node::After { effects, branch, .. } => {
                let Some(off) = self.offset(at) else {
                    return StepInfo { detail: Detail::Message(self.notes(effects, branch)), ..StepInfo::default() };
                };
                let send = self.with_branch(effects, branch, |b| b.sends.get(off).cloned());
                send.map_or_else(StepInfo::default, |send| StepInfo {
                    location: Some(send.location.into()),
                    detail: Detail::Message(self.message(ValueId(send.envelope))),
                })
            }
            _ => StepInfo::default(),
        }
    }

    fn show(&self, value: ValueId) -> String {
        self.message(value).to_string()
    }

    fn fingerprint(&self, value: ValueId) -> u64 {
        // All workers share one table, so ids are the same for all of them.
        u64::from(value.0)
    }

    fn message(&self, value: ValueId) -> TraceMessage {
        if let Some(&(_, effects, branch)) = value.0.checked_sub(NOTES).and_then(|at| self.noted.get(at as usize)) {
            return self.notes(effects, branch);
        }
        let mirrors = self.worlds.mirrors.borrow();
        TraceMessage::shown(&mirrors.values.get(mirrors.envelopes.get(value.0).message).value.show())
    }

    fn state(&self, node: NodeId) -> Option<u32> {
        let Node::After { effects, branch, .. } = self.nodes[node.0 as usize] else { return None };
        let local = self.with_branch(effects, branch, |b| b.local);
        let value = self.worlds.mirrors.borrow().locals.get(local).value;
        (value != NONE).then_some(value)
    }

    fn show_state(&self, node: NodeId) -> Option<String> {
        let value = self.state(node)?;
        Some(self.worlds.mirrors.borrow().values.get(value).value.show())
    }

    fn stats(&self) -> LocalStats {
        self.worlds.stats()
    }

    fn at_end(&mut self, nodes: &mut dyn Iterator<Item = (ProcId, NodeId)>) -> Option<Violation> {
        let mut locals = vec![NONE; self.worlds.blueprint().actors.len()];
        for (proc, node) in nodes {
            if let Node::After { effects, branch, .. } = self.nodes[node.0 as usize] {
                locals[proc.0 as usize] = self.with_branch(effects, branch, |b| b.local);
            }
        }
        let state = self.worlds.resting(&locals);
        if let Some(finals) = &self.finals {
            let words = self.worlds.locals_in_words(&state);
            finals.lock().unwrap_or_else(PoisonError::into_inner).insert(words);
        }
        let view = self.worlds.view(&state);
        let questions = &self.worlds.blueprint().questions;
        questions.iter().find_map(|question| match question.evaluate(&view) {
            Ok(holds) => (holds == (question.kind == Kind::Never)).then(|| question.violation()),
            Err((panic, location)) => {
                let message = format!("`{}` panics: {panic}", question.name);
                Some(Violation { message, location, ..question.violation() })
            }
        })
    }
}
