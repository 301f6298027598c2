//! The trie as [`Locals`]: user code runs here, and only when an unknown node is reached.
//!
//! Reaching one resumes the coroutine that stands at its parent; if there is none (it went on to a sibling, or was given up), the process is
//! started again and replays its past. Coroutines that stand somewhere are kept, up to a number.

use crate::context::{Ctx, Memory, Shared, Template, discard};
use crate::coroutine::{Live, Stacks, Stop};
use crate::monitor::{MonitorSpec, message};
use crate::running::Processes;
use crate::trie::{Closing, NONE, Node, Rec, Trie};
use crate::values::{Value, Values};
use manyworlds_core::{
    Action, Cursor, Detail, Deviation, Failure, FailureKind, LocalStats, Locals, LocalsFactory, Location, Network,
    NodeId, Obs, Pid, ProcId, ProcessRole, Rerun, Root, StepInfo, TraceMessage, ValueId,
};
use manyworlds_core::{panics, running};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How programs are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramConfig {
    /// The network of operations that name none.
    pub network: Network,
    /// Bytes of stack for each process.
    pub stack_size: usize,
    /// How many local histories are remembered. A small number costs time, never a result.
    pub max_nodes: usize,
    /// How many waiting coroutines are kept.
    pub max_coroutines: usize,
    /// How many operations a process may do before its execution is cut off.
    pub step_bound: u64,
}

impl Default for ProgramConfig {
    fn default() -> ProgramConfig {
        ProgramConfig {
            network: Network::default(),
            stack_size: 256 * 1024,
            max_nodes: 1 << 16,
            max_coroutines: 128,
            step_bound: 100_000,
        }
    }
}

/// The code of a process that exists from the start.
pub type Main = Arc<dyn Fn() + Send + Sync>;

/// A program: the processes it starts with, its monitors, and how to run them.
#[derive(Clone)]
pub struct Program {
    mains: Vec<(String, Main)>,
    monitors: Vec<MonitorSpec>,
    config: ProgramConfig,
    weak_orderings: Arc<AtomicBool>,
}

impl Program {
    /// A program that starts with the given processes, by name; number `n` has the id `Pid::root(n)`.
    pub fn new(mains: Vec<(String, Main)>, config: ProgramConfig) -> Program {
        Program { mains, monitors: Vec::new(), config, weak_orderings: Arc::default() }
    }

    /// Adds a monitor.
    pub fn watch(&mut self, monitor: MonitorSpec) {
        self.monitors.push(monitor);
    }

    /// Whether a process used an ordering of atomics that is weaker than `SeqCst`, in any table of this program so far.
    pub fn used_weak_orderings(&self) -> bool {
        self.weak_orderings.load(Ordering::Relaxed)
    }
}

impl LocalsFactory for Program {
    type Locals = Table;

    fn make(&self) -> Table {
        Table::new(self)
    }
}

struct Start(Main);

impl Template for Start {
    fn run(&self, ctx: &Ctx) -> u32 {
        (self.0)();
        ctx.intern(())
    }
}

/// A coroutine that stands at a node.
struct Standing {
    live: Live,
    node: u32,
    since: u64,
}

/// The local histories of a program, found so far by one worker.
pub struct Table {
    pub(crate) shared: Rc<Shared>,
    config: ProgramConfig,
    pub(crate) stacks: Stacks,
    standing: Vec<Option<Standing>>,
    vacant: Vec<u32>,
    roots: Vec<Root>,
    pub(crate) stats: LocalStats,
    /// Trim when there are more nodes than this.
    limit: usize,
}

impl Table {
    fn new(program: &Program) -> Table {
        let mut memory = Memory {
            trie: Trie::default(),
            values: Values::default(),
            procs: Vec::new(),
            by_pid: FxHashMap::default(),
            path: Vec::new(),
        };
        let mut roots = Vec::new();
        let mut root = |n: u16, template: Rc<dyn Template>, name: &str, role: ProcessRole| {
            let proc = memory.meet(Pid::root(n), (NONE, u32::from(n))).expect("roots have names of their own");
            let node = NodeId(memory.trie.add_root(proc, template));
            roots.push(Root { proc, node, daemon: role.observes(), role, name: name.to_string() });
        };
        for ((name, main), n) in program.mains.iter().zip(0..) {
            root(n, Rc::new(Start(main.clone())), name, ProcessRole::Process);
        }
        let mut watchers = Vec::new();
        for (monitor, n) in program.monitors.iter().zip(program.mains.len() as u16..) {
            root(n, monitor.template(), &monitor.name, monitor.role);
            watchers.push(monitor.watcher(Pid::root(n)));
        }
        let config = program.config;
        let processes = Arc::new(Processes::default());
        roots.iter().for_each(|root| processes.name(root.proc, memory.procs[root.proc.0 as usize].pid, &root.name));
        running::register(&processes);
        Table {
            shared: Rc::new(Shared {
                memory: RefCell::new(memory),
                network: config.network,
                step_bound: config.step_bound,
                spawned: RefCell::default(),
                monitors: watchers,
                processes,
                weak_orderings: program.weak_orderings.clone(),
            }),
            config,
            stacks: Stacks::new(config.stack_size),
            standing: Vec::new(),
            vacant: Vec::new(),
            roots,
            stats: LocalStats::default(),
            limit: config.max_nodes,
        }
    }

    /// Runs user code to find out what happens at `node`, which nobody has reached before.
    #[inline(never)]
    fn run(&mut self, node: u32, obs: Obs) {
        self.stats.distinct_steps += 1;
        let slot = self.slot_at_parent(node);
        let Some(standing) = self.standing.get_mut(slot as usize).and_then(Option::as_mut) else {
            return self.start_again(node);
        };
        self.stats.user_steps += 1;
        match standing.live.resume(obs) {
            Stop::Waits(closing) => {
                (standing.node, standing.since) = (node, self.stats.user_steps);
                let recorded = standing.live.ctx.recorded();
                self.write(node, recorded, closing, slot);
            }
            Stop::Over(closing) => {
                let standing = self.standing[slot as usize].take();
                self.vacant.push(slot);
                self.finish(node, standing.expect("it has just run").live, closing);
            }
        }
    }

    /// Where the coroutine is that stands at the parent of `node`; it stands there no longer.
    fn slot_at_parent(&mut self, node: u32) -> u32 {
        let mut memory = self.shared.memory.borrow_mut();
        match memory.trie.node(node).parent {
            NONE => NONE,
            parent => std::mem::replace(&mut memory.trie.node_mut(parent).coroutine, NONE),
        }
    }

    /// Lets the process repeat its past, and find out what happens at `node`.
    fn start_again(&mut self, node: u32) {
        let mut live = self.prepare(node);
        match live.resume(0) {
            Stop::Waits(closing) => {
                let recorded = live.ctx.recorded();
                let slot = self.stand(live, node);
                self.write(node, recorded, closing, slot);
            }
            Stop::Over(closing) => self.finish(node, live, closing),
        }
    }

    fn prepare(&mut self, node: u32) -> Live {
        let proc = {
            let Memory { trie, path, .. } = &mut *self.shared.memory.borrow_mut();
            trie.path(node, path);
            self.stats.user_steps += path.len() as u64;
            trie.node(node).proc
        };
        let live = self.stacks.take(&self.shared);
        live.ctx.begin(proc);
        live
    }

    /// Stores what happened at `node`, where the process is over.
    #[inline]
    fn finish(&mut self, node: u32, live: Live, closing: Closing) {
        let closing = self.over(&live.ctx, closing);
        let recorded = live.ctx.recorded();
        self.stacks.retire(live);
        self.write(node, recorded, closing, NONE);
    }

    /// Stores what happened at `node`.
    #[inline]
    fn write(&mut self, node: u32, (actions, note): (Vec<Rec>, Option<Box<str>>), closing: Closing, slot: u32) {
        let mut memory = self.shared.memory.borrow_mut();
        let known = memory.trie.node_mut(node);
        known.actions = actions.into_boxed_slice();
        known.note = note;
        known.closing = closing;
        known.coroutine = slot;
    }

    /// A process that is over before it has repeated its past is not deterministic.
    fn over(&self, ctx: &Ctx, closing: Closing) -> Closing {
        if !ctx.replaying() {
            return closing;
        }
        if let Closing::Fail(failure) = &closing
            && !matches!(failure.kind, FailureKind::Panic | FailureKind::NotLinearizable)
        {
            return closing;
        }
        let (before, after, location) = self.parted(ctx, &closing);
        let message = format!("with the same history it first did `{before}` and now does `{after}`");
        Closing::Fail(Box::new(Failure { kind: FailureKind::Nondeterminism, message, location }))
    }

    /// What the process did where it stands in its known past, what it does now, and where.
    pub(crate) fn parted(&self, ctx: &Ctx, closing: &Closing) -> (String, String, Option<Location>) {
        let memory = self.shared.memory.borrow();
        let node = ctx.known_node(&memory);
        let before = match node.actions.get(ctx.repeated()) {
            Some(rec) => memory.words(&rec.action, Some(rec.loc)),
            None => memory.closing_words(&node.closing),
        };
        let location = match closing {
            Closing::Fail(failure) => failure.location.clone(),
            other => other.loc().map(Location::from),
        };
        (before, memory.closing_words(closing), location)
    }

    #[inline]
    fn stand(&mut self, live: Live, node: u32) -> u32 {
        if self.standing.len() - self.vacant.len() >= self.config.max_coroutines {
            self.give_up_oldest();
        }
        let standing = Some(Standing { live, node, since: self.stats.user_steps });
        match self.vacant.pop() {
            Some(slot) => {
                self.standing[slot as usize] = standing;
                slot
            }
            None => {
                self.standing.push(standing);
                self.standing.len() as u32 - 1
            }
        }
    }

    fn give_up_oldest(&mut self) {
        let age = |(_, standing): &(usize, &Option<Standing>)| standing.as_ref().map_or(u64::MAX, |s| s.since);
        let Some((slot, _)) = self.standing.iter().enumerate().min_by_key(age) else { return };
        if let Some(standing) = self.standing[slot].take() {
            self.vacant.push(slot as u32);
            self.shared.memory.borrow_mut().trie.node_mut(standing.node).coroutine = NONE;
            self.stacks.retire(standing.live);
        }
    }

    #[inline]
    fn closing<R>(&self, node: NodeId, f: impl FnOnce(&Closing) -> R) -> R {
        f(&self.shared.memory.borrow().trie.node(node.0).closing)
    }

    /// Asks the filter of a receive; user code runs with nothing borrowed.
    #[inline(never)]
    fn ask_filter(&mut self, node: u32, value: u32) -> bool {
        let (takes, shown, proc) = {
            let memory = self.shared.memory.borrow();
            let known = memory.trie.node(node);
            let Closing::Recv { filter: Some(filter), .. } = &known.closing else { return true };
            (filter.takes.clone(), memory.values.value(value), known.proc)
        };
        // A filter that panics takes the message: the process then runs it again itself and fails in the right place.
        let run = || panics::listen(|| catch_unwind(AssertUnwindSafe(|| takes(&*shown)))).unwrap_or(true);
        let answer = self.shared.processes.note(proc, run);
        let mut memory = self.shared.memory.borrow_mut();
        if let Closing::Recv { filter: Some(filter), .. } = &mut memory.trie.node_mut(node).closing {
            if filter.answers.len() <= value as usize {
                filter.answers.resize(value as usize + 1, 0);
            }
            filter.answers[value as usize] = 1 + u8::from(answer);
        }
        answer
    }
}

impl Locals for Table {
    fn roots(&mut self) -> Vec<Root> {
        for root in self.roots.clone() {
            self.start(root.node);
        }
        self.roots.clone()
    }

    fn root_name(&self, proc: ProcId) -> String {
        self.roots.iter().find(|root| root.proc == proc).map(|root| root.name.clone()).unwrap_or_default()
    }

    fn root_role(&self, proc: ProcId) -> ProcessRole {
        self.roots.iter().find(|root| root.proc == proc).map(|root| root.role).unwrap_or_default()
    }

    fn start(&mut self, root: NodeId) {
        if self.closing(root, |closing| matches!(closing, Closing::Unknown)) {
            self.run(root.0, 0);
        }
    }

    #[inline]
    fn action(&self, at: Cursor) -> Action {
        let memory = self.shared.memory.borrow();
        let node = memory.trie.node(at.node.0);
        match node.actions.get(at.off as usize) {
            Some(rec) => rec.action,
            None => node.closing.action(),
        }
    }

    #[inline]
    fn step(&mut self, node: NodeId, obs: Obs) -> NodeId {
        let known = self.shared.memory.borrow().trie.child(node.0, obs);
        NodeId(known.unwrap_or_else(|| {
            let child = self.shared.memory.borrow_mut().trie.add_child(node.0, obs);
            self.run(child, obs);
            child
        }))
    }

    #[inline]
    fn accepts(&mut self, node: NodeId, value: ValueId) -> bool {
        {
            let memory = self.shared.memory.borrow();
            let known = memory.trie.node(node.0);
            let Closing::Recv { tag, filter, .. } = &known.closing else { return false };
            if memory.values.tag_of(value.0) != *tag {
                return false;
            }
            let Some(filter) = filter else { return true };
            match filter.answers.get(value.0 as usize) {
                Some(1) => return false,
                Some(2) => return true,
                _ => {}
            }
        }
        self.ask_filter(node.0, value.0)
    }

    fn pid(&self, proc: ProcId) -> Pid {
        self.shared.memory.borrow().procs[proc.0 as usize].pid
    }

    fn proc(&self, pid: Pid) -> Option<ProcId> {
        self.shared.memory.borrow().by_pid.get(&pid).map(|&proc| ProcId(proc))
    }

    fn failure(&self, node: NodeId) -> Option<Failure> {
        self.closing(node, |closing| match closing {
            Closing::Fail(failure) => Some((**failure).clone()),
            _ => None,
        })
    }

    fn describe(&self, at: Cursor) -> StepInfo {
        let memory = self.shared.memory.borrow();
        let node = memory.trie.node(at.node.0);
        if let Some(rec) = node.actions.get(at.off as usize) {
            let detail = match (&rec.name, rec.action) {
                (Some(name), _) => Detail::Child(name.to_string()),
                (None, Action::Send { value, .. }) => Detail::Message(message(&*memory.values.value(value.0))),
                _ => Detail::None,
            };
            return StepInfo { location: Some(rec.loc.into()), detail };
        }
        let location = node.closing.loc().map(Location::from);
        let detail = match &node.closing {
            Closing::Recv { tag, .. } => Detail::AwaitsMessage(short(memory.values.name(*tag)).to_string()),
            Closing::Join { child, .. } => Detail::AwaitsEnd(memory.procs[child.0 as usize].pid),
            Closing::Choose { loss: Some(to), .. } => Detail::MayLose(*to),
            _ => Detail::None,
        };
        StepInfo { location, detail }
    }

    fn show(&self, value: ValueId) -> String {
        let value = self.shared.memory.borrow().values.value(value.0);
        value.show()
    }

    fn fingerprint(&self, value: ValueId) -> u64 {
        self.shared.memory.borrow().values.hash_of(value.0)
    }

    fn message(&self, value: ValueId) -> TraceMessage {
        let value = self.shared.memory.borrow().values.value(value.0);
        message(&*value)
    }

    fn show_choice(&self, node: NodeId, answer: Obs) -> String {
        let memory = self.shared.memory.borrow();
        let chosen = memory.trie.child(node.0, answer).and_then(|child| memory.trie.node(child).note.as_deref());
        chosen.map_or_else(|| answer.to_string(), ToString::to_string)
    }

    fn stats(&self) -> LocalStats {
        self.stats
    }

    fn over_bound(&self) -> bool {
        self.shared.memory.borrow().trie.len() > self.limit
    }

    fn trim(&mut self, live: &mut dyn Iterator<Item = NodeId>) {
        let roots: Vec<u32> = self.roots.iter().map(|root| root.node.0).collect();
        let (dropped, unused) = {
            let mut memory = self.shared.memory.borrow_mut();
            // Its nodes may be gone, and their ids given to others.
            memory.path.clear();
            memory.trie.retain(&mut live.map(|node| node.0).chain(roots))
        };
        for node in &dropped {
            if let Some(standing) = self.standing.get_mut(node.coroutine as usize).and_then(Option::take) {
                self.vacant.push(node.coroutine);
                self.stacks.retire(standing.live);
            }
        }
        let values = {
            let mut memory = self.shared.memory.borrow_mut();
            // Ids of live nodes are never reused by others, so twice what is live leaves room to work in.
            self.limit = self.config.max_nodes.max(2 * memory.trie.len());
            memory.forget_values(self.config.max_nodes)
        };
        discard_all(dropped, unused, values);
    }

    fn can_rerun(&self) -> bool {
        true
    }

    fn rerun(&mut self, run: &Rerun<'_>) -> Result<(), Deviation> {
        self.run_again(run)
    }
}

impl Memory {
    /// Forgets the values that no node mentions, if there are many; the caller drops them when nothing is borrowed.
    fn forget_values(&mut self, many: usize) -> Vec<Rc<dyn Value>> {
        if self.values.len() < many / 8 {
            return Vec::new();
        }
        let used = self.values_in_use();
        for node in self.trie.iter_mut() {
            if let Closing::Recv { filter: Some(filter), .. } = &mut node.closing {
                filter.answers.clear();
            }
        }
        self.values.retain(|value| used[value as usize])
    }

    fn values_in_use(&mut self) -> Vec<bool> {
        let mut used = vec![false; self.values.len()];
        let mut use_value = |value: u32| {
            if let Some(entry) = used.get_mut(value as usize) {
                *entry = true;
            }
        };
        for node in self.trie.iter_mut() {
            // The answer to a choice is no value; keeping a value by mistake does no harm.
            use_value(node.obs);
            for rec in &node.actions {
                if let Action::Send { value, .. } = rec.action {
                    use_value(value.0);
                }
            }
            if let Closing::End { value } = node.closing {
                use_value(value.0);
            }
        }
        used
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for standing in self.standing.drain(..).flatten() {
            self.stacks.retire(standing.live);
        }
        let ((nodes, templates), values) = {
            let mut memory = self.shared.memory.borrow_mut();
            (memory.trie.clear(), memory.values.retain(|_| false))
        };
        discard_all(nodes, templates, values);
    }
}

/// Drops what the user gave us, piece by piece: a destructor that panics is none of the others' business.
fn discard_all(nodes: Vec<Node>, templates: Vec<Rc<dyn Template>>, values: Vec<Rc<dyn Value>>) {
    for node in nodes {
        if let Closing::Recv { filter: Some(filter), .. } = node.closing {
            discard(filter);
        }
    }
    templates.into_iter().for_each(discard);
    values.into_iter().for_each(discard);
}

/// The last part of a type's path.
fn short(name: &str) -> &str {
    let head = name.split('<').next().unwrap_or(name);
    let cut = head.rfind("::").map_or(0, |i| i + 2);
    &name[cut..]
}
