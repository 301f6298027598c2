//! What a running process knows: whether it is replaying its past or doing something new.
//!
//! A coroutine that is started again first *replays*: its observations are handed to it one after the other, without a single switch, and
//! whatever it does is compared with what the trie says it did. Behind the last known node it *records*. It is only suspended when a new
//! observation is needed.

use crate::coroutine::{Yielder, overflowed};
use crate::running::Processes;
use crate::trie::{Closing, Loc, NONE, Node, Rec, Trie, same_place};
use crate::values::{Payload, Tag, Value, Values, hash, show};
use manyworlds_core::panics;
use manyworlds_core::{Action, Failure, FailureKind, Network, NodeId, OBS_TIMEOUT, Obs, Pid, ProcId, ValueId};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The code of a process, to be run any number of times.
pub trait Template {
    /// Runs it once and returns the id of its result.
    fn run(&self, ctx: &Ctx) -> u32;
}

/// A process of the program.
pub struct ProcInfo {
    /// Its stable name.
    pub pid: Pid,
    /// Who spawned it as its how-manieth child; tells colliding pids apart.
    pub origin: (u32, u32),
}

/// The origin of a process that was sent to before anybody spawned it.
const UNBORN: (u32, u32) = (NONE, NONE);

/// Everything the processes of one worker have in common.
pub struct Memory {
    /// Local histories.
    pub trie: Trie,
    /// Messages.
    pub values: Values,
    /// Processes.
    pub procs: Vec<ProcInfo>,
    /// Processes by name.
    pub by_pid: FxHashMap<Pid, u32>,
    /// The nodes of the known past of the process that replays, the one to record last. Replays are not interrupted, so there is one.
    pub path: Vec<u32>,
}

/// Shared by the table and its coroutines. Borrowed for moments only, never while user code runs.
pub struct Shared {
    /// The memory.
    pub memory: RefCell<Memory>,
    /// The network of operations that name none.
    pub network: Network,
    /// How many operations a process may do.
    pub step_bound: u64,
    /// The code of the processes that were spawned in the current rerun.
    pub spawned: RefCell<FxHashMap<Pid, Rc<dyn Template>>>,
    /// Monitors: whether one wants to see a message, by the type of the message.
    pub monitors: Vec<crate::monitor::Watcher>,
    /// Which process runs.
    pub processes: Arc<Processes>,
    /// Whether a process used an ordering of atomics that is weaker than `SeqCst`: one flag for all tables of a program.
    pub weak_orderings: Arc<AtomicBool>,
}

impl Shared {
    /// A process used an ordering of atomics that is weaker than `SeqCst`.
    pub fn note_weak_ordering(&self) {
        // Workers share the flag; most of them find it set and leave its cache line alone.
        if !self.weak_orderings.load(Ordering::Relaxed) {
            self.weak_orderings.store(true, Ordering::Relaxed);
        }
    }
}

/// A process while it runs.
pub struct Ctx {
    /// Shared with the others.
    pub shared: Rc<Shared>,
    /// The code to run.
    pub template: Cell<Option<Rc<dyn Template>>>,
    proc: Cell<ProcId>,
    pid: Cell<Pid>,
    /// New actions since the last observation.
    recs: RefCell<Vec<Rec>>,
    /// What it chose at the last observation, in words.
    note: RefCell<Option<Box<str>>>,
    /// How many nodes its known past has, with the one to record.
    known: Cell<usize>,
    /// How far along its known past it is.
    position: Cell<usize>,
    /// How many of the node's actions it has repeated.
    repeated: Cell<usize>,
    spawned: Cell<u32>,
    steps: Cell<u64>,
    /// Whether the process takes part in a rerun: its whole past is known, and it pauses at every operation.
    rerun: Cell<bool>,
    /// How it departed from its known past: what it did before, what it does now, and where.
    strayed: RefCell<Option<(String, String, Option<manyworlds_core::Location>)>>,
    /// The API is closed to who stands on its stack below this address.
    floor: usize,
    /// Set while the coroutine runs.
    pub yielder: Cell<*const Yielder>,
}

thread_local! {
    static CURRENT: Cell<*const Ctx> = const { Cell::new(std::ptr::null()) };
    /// Clones and drops of handles are the runtime's own, not the program's.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Makes `ctx` the current process while `f` runs.
#[inline]
pub fn enter<R>(ctx: &Rc<Ctx>, f: impl FnOnce() -> R) -> R {
    struct Restore(*const Ctx);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(Rc::as_ptr(ctx)));
    // A process whose stack overflowed may have left it set.
    QUIET.set(false);
    f()
}

/// The process on whose behalf the API is called now.
enum Caller<'a> {
    /// A process that runs.
    Running(&'a Ctx),
    /// A process that unwinds: it failed, or it can never continue and is discarded.
    Unwinding(&'a Ctx),
    /// There is none, or the runtime itself copies or drops a value.
    Outside,
}

/// Not generic, and inlined: it runs at every operation of a process.
#[inline]
fn caller<'a>() -> Caller<'a> {
    let ctx = CURRENT.get();
    if ctx.is_null() || QUIET.get() {
        return Caller::Outside;
    }
    // SAFETY: `enter` holds the `Rc` for as long as `CURRENT` points to it, and nothing takes `&mut Ctx`. The lifetime ends before `enter` does: the
    // functions below only lend the reference to a closure that is called while the process runs.
    let ctx = unsafe { &*ctx };
    if std::thread::panicking() { Caller::Unwinding(ctx) } else { Caller::Running(ctx) }
}

/// Calls `f` with the current process; `None` outside of a process, while a process unwinds, and while the runtime itself copies or drops a value.
#[inline]
pub fn try_with<R>(f: impl FnOnce(&Ctx) -> R) -> Option<R> {
    match caller() {
        Caller::Running(ctx) => Some(f(ctx)),
        _ => None,
    }
}

/// Calls `f` with the current process, or `idle` if the process unwinds. Destructors that run then may use the API; their operations have no effect.
#[track_caller]
#[inline]
pub fn with_or<R>(idle: impl FnOnce(&Ctx) -> R, f: impl FnOnce(&Ctx) -> R) -> R {
    match caller() {
        Caller::Running(ctx) => {
            ctx.check_stack();
            f(ctx)
        }
        Caller::Unwinding(ctx) => idle(ctx),
        Caller::Outside => outside(),
    }
}

/// Calls `f` with the current process.
#[track_caller]
#[inline]
pub fn with<R>(f: impl FnOnce(&Ctx) -> R) -> R {
    with_or(|_| outside(), f)
}

#[track_caller]
#[cold]
fn outside() -> ! {
    panic!("Manyworlds operations work only inside a process: call them from the closure given to `Checker` or `spawn`")
}

/// Runs `f`, in which values are cloned or dropped on the runtime's behalf.
#[inline]
pub fn quietly<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            QUIET.set(self.0);
        }
    }
    let _restore = Restore(QUIET.replace(true));
    f()
}

/// Drops a copy that the program does not know of; that its destructor panics is not the program's doing.
pub fn discard<T>(value: T) {
    if !std::mem::needs_drop::<T>() {
        return;
    }
    // Nothing is observed of a value whose destructor was cut short.
    let _ = panics::listen(|| catch_unwind(AssertUnwindSafe(|| quietly(|| drop(value)))));
}

/// The answer of user code, or false if it panics.
fn cautiously(answer: impl FnOnce() -> bool) -> bool {
    panics::listen(|| catch_unwind(AssertUnwindSafe(answer))).unwrap_or(false)
}

impl Ctx {
    /// No process yet; the API is closed below `floor`.
    pub fn new(shared: Rc<Shared>, floor: usize) -> Ctx {
        Ctx {
            shared,
            template: Cell::new(None),
            proc: Cell::new(ProcId(NONE)),
            pid: Cell::new(Pid::ROOT),
            recs: RefCell::default(),
            note: RefCell::default(),
            known: Cell::new(0),
            position: Cell::new(0),
            repeated: Cell::new(0),
            spawned: Cell::new(0),
            steps: Cell::new(0),
            rerun: Cell::new(false),
            strayed: RefCell::default(),
            floor,
            yielder: Cell::new(std::ptr::null()),
        }
    }

    /// Makes it the process `proc`, about to replay the path in memory and to record at its last node.
    #[inline]
    pub fn begin(&self, proc: ProcId) {
        let memory = self.shared.memory.borrow();
        self.template.set(Some(memory.trie.template(memory.path[0])));
        self.pid.set(memory.procs[proc.0 as usize].pid);
        self.known.set(memory.path.len());
        self.proc.set(proc);
        self.rerun.set(false);
        self.position.set(0);
        self.repeated.set(0);
        self.spawned.set(0);
        self.steps.set(0);
    }

    /// Makes it the process `proc` of a rerun: it compares the whole path in memory, and pauses at every operation. A process that was spawned
    /// in the same rerun runs the closure that it was given there.
    pub fn begin_rerun(&self, proc: ProcId, spawned: Option<Rc<dyn Template>>) {
        self.begin(proc);
        self.rerun.set(true);
        self.strayed.replace(None);
        if let Some(template) = spawned {
            self.template.set(Some(template));
        }
    }

    /// Lets the other processes of a rerun go on: where the process waits for an answer, and where it has spawned another. Not at a send: a lock
    /// of the standard library may be held there for the length of an expression, as in `send(to, log.lock().unwrap().len())`, and another
    /// process that wants it would block the thread.
    #[inline]
    fn pause(&self) {
        if self.rerun.get() {
            self.suspend(Closing::Paused);
        }
    }

    /// How the process departed from its known past, if it did.
    pub fn take_strayed(&self) -> Option<(String, String, Option<manyworlds_core::Location>)> {
        self.strayed.take()
    }

    /// Its number.
    #[inline]
    pub fn proc(&self) -> ProcId {
        self.proc.get()
    }

    /// Its name.
    #[inline]
    pub fn pid(&self) -> Pid {
        self.pid.get()
    }

    /// Whether the process is still in its known past.
    #[inline]
    pub fn replaying(&self) -> bool {
        self.position.get() + usize::from(!self.rerun.get()) < self.known.get()
    }

    /// Whether the process has heard the last answer of its known past: what it does now is stored at its last node.
    #[inline]
    pub fn at_newest(&self) -> bool {
        self.position.get() + 1 >= self.known.get()
    }

    /// Where it is in its known past, while it replays.
    #[inline]
    pub fn known_node<'a>(&self, memory: &'a Memory) -> &'a Node {
        memory.trie.node(memory.path[self.position.get()])
    }

    /// Stops the process if there is too little left of its stack.
    #[inline]
    fn check_stack(&self) {
        let here = 0u8;
        if (std::ptr::from_ref(&here) as usize) < self.floor {
            self.stop(overflowed());
        }
    }

    #[inline]
    fn count_step(&self) {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > self.shared.step_bound {
            self.stop(Closing::Bound);
        }
    }

    /// Keeps what was chosen just now, in words.
    pub fn note(&self, chosen: &impl Debug) {
        if !self.replaying() {
            let words = show(chosen).into_boxed_str();
            self.note.replace(Some(words));
        }
    }

    /// Hands over what it did since the last observation, and what it chose there.
    #[inline]
    pub fn recorded(&self) -> (Vec<Rec>, Option<Box<str>>) {
        (self.recs.take(), self.note.take())
    }

    /// Does an action that needs no answer. Not generic, like all below that need not be: it is compiled once, and not for each call of a program.
    pub fn act(&self, action: Action, loc: Loc, name: Option<&dyn std::fmt::Display>) {
        self.count_step();
        if self.replaying() {
            self.repeat(|rec| rec.action == action && same_place(rec.loc, loc), || (action, loc));
        } else {
            let name = name.map(|name| name.to_string().into());
            self.recs.borrow_mut().push(Rec { action, loc, name });
        }
    }

    #[inline]
    fn repeat(&self, same: impl FnOnce(&Rec) -> bool, now: impl FnOnce() -> (Action, Loc)) {
        let i = self.repeated.get();
        let memory = self.shared.memory.borrow();
        let node = self.known_node(&memory);
        if node.actions.get(i).is_some_and(same) {
            self.repeated.set(i + 1);
            return;
        }
        drop(memory);
        let (action, loc) = now();
        self.differs(action, Some(loc))
    }

    /// How many of the current node's listed actions have been repeated.
    pub fn repeated(&self) -> usize {
        self.repeated.get()
    }

    /// Sends `message`. While replaying, the message is compared with the one sent before and not interned.
    #[inline]
    pub fn send<M: Payload>(&self, to: Pid, message: M, network: Network, loc: Loc) {
        let to = self.shared.memory.borrow_mut().address(to);
        if self.replaying() && self.resends(to, &message, network, loc) {
            discard(message);
            return;
        }
        let value = ValueId(self.intern(message));
        self.act(Action::Send { to, value, network }, loc, None);
    }

    #[inline]
    fn resends<M: Payload>(&self, to: ProcId, message: &M, network: Network, loc: Loc) -> bool {
        let i = self.repeated.get();
        let before = {
            let memory = self.shared.memory.borrow();
            let node = self.known_node(&memory);
            match node.actions.get(i) {
                Some(Rec { action: Action::Send { to: t, value, network: n }, loc: l, .. })
                    if *t == to && *n == network && same_place(l, loc) =>
                {
                    memory.values.value(value.0)
                }
                _ => return false,
            }
        };
        // In a rerun even the first message is compared. An `Eq` that panics has not done so when the message was first sent.
        let differs = || before.downcast() != Some(message);
        if if self.rerun.get() { cautiously(differs) } else { differs() } {
            return false;
        }
        self.count_step();
        self.repeated.set(i + 1);
        true
    }

    /// Starts a process.
    pub fn spawn(
        &self,
        template: impl Template + 'static,
        daemon: bool,
        name: &dyn std::fmt::Display,
        loc: Loc,
    ) -> Pid {
        let nth = self.spawned.replace(self.spawned.get() + 1);
        let pid = self.pid().child(nth);
        if !self.replaying() {
            self.spawn_new(pid, nth, Rc::new(template), daemon, name, loc);
            return pid;
        }
        self.spawn_again(pid, daemon, loc);
        if self.rerun.get() {
            self.shared.spawned.borrow_mut().insert(pid, Rc::new(template));
            self.pause();
        } else {
            discard(template);
        }
        pid
    }

    fn spawn_new(
        &self,
        pid: Pid,
        nth: u32,
        template: Rc<dyn Template>,
        daemon: bool,
        name: &dyn std::fmt::Display,
        loc: Loc,
    ) {
        let mut memory = self.shared.memory.borrow_mut();
        let Some(child) = memory.meet(pid, (self.proc.get().0, nth)) else {
            drop(memory);
            self.misuse(
                "two processes have the same id: the tree of spawned processes is too deep or too wide".to_string(),
                loc,
            );
        };
        let root = NodeId(memory.trie.add_root(child, template));
        drop(memory);
        self.shared.processes.name(child, pid, name);
        self.act(Action::Spawn { child, root, daemon }, loc, Some(name));
    }

    fn spawn_again(&self, pid: Pid, daemon: bool, loc: Loc) {
        self.count_step();
        let same = |rec: &Rec| {
            let Action::Spawn { child, daemon: d, .. } = rec.action else { return false };
            let known = self.shared.memory.borrow().procs[child.0 as usize].pid;
            known == pid && d == daemon && same_place(rec.loc, loc)
        };
        self.repeat(same, || (Action::Spawn { child: ProcId(NONE), root: NodeId(NONE), daemon }, loc));
    }

    /// Waits for an answer. `closing` is built only if it is new.
    #[inline]
    pub fn ask(&self, same: impl FnOnce(&Closing) -> bool, closing: impl FnOnce() -> Closing) -> Obs {
        self.count_step();
        if self.replaying() {
            let (mut same, mut closing) = (Some(same), Some(closing));
            let same = &mut |known: &Closing| same.take().is_some_and(|same| same(known));
            return self.reask(same, &mut || closing.take().map(|closing| closing()));
        }
        self.suspend(closing())
    }

    fn reask(&self, same: &mut dyn FnMut(&Closing) -> bool, closing: &mut dyn FnMut() -> Option<Closing>) -> Obs {
        let at = self.position.get();
        let memory = self.shared.memory.borrow();
        let node = self.known_node(&memory);
        if self.repeated.get() == node.actions.len() && same(&node.closing) {
            self.repeated.set(0);
            self.position.set(at + 1);
            if at + 1 == self.known.get() {
                drop(memory);
                self.stop(Closing::Unknown);
            }
            let obs = memory.trie.node(memory.path[at + 1]).obs;
            drop(memory);
            self.pause();
            return obs;
        }
        drop(memory);
        let now = closing().expect("it is built once");
        self.differs(now.action(), now.loc())
    }

    /// Reports that the process now does `action` where it did something else with the same history.
    #[cold]
    fn differs(&self, action: Action, loc: Option<Loc>) -> ! {
        let memory = self.shared.memory.borrow();
        let node = self.known_node(&memory);
        let before = match node.actions.get(self.repeated.get()) {
            Some(rec) => memory.words(&rec.action, Some(rec.loc)),
            None => memory.words(&node.closing.action(), node.closing.loc()),
        };
        let after = memory.words(&action, loc);
        drop(memory);
        self.stray(before, after, loc)
    }

    #[inline]
    fn suspend(&self, closing: Closing) -> Obs {
        // SAFETY: set by the coroutine's own body to its yielder, which lives as long as the coroutine runs.
        let yielder = unsafe { &*self.yielder.get() };
        let current = CURRENT.get();
        let obs = yielder.suspend(closing);
        debug_assert_eq!(current, CURRENT.get(), "a coroutine is resumed as the process it belongs to");
        obs
    }

    /// Closes the process; it is never resumed.
    pub fn stop(&self, closing: Closing) -> ! {
        self.suspend(closing);
        unreachable!("a stopped process is never resumed")
    }

    /// Reports that the past was not repeated.
    fn stray(&self, before: String, after: String, location: Option<Loc>) -> ! {
        let message = format!("with the same history it first did `{before}` and now does `{after}`");
        let location = location.map(manyworlds_core::Location::from);
        self.strayed.replace(Some((before, after, location.clone())));
        self.stop(Closing::Fail(Box::new(Failure { kind: FailureKind::Nondeterminism, message, location })))
    }

    /// Reports a wrong use of the API.
    pub fn misuse(&self, message: String, loc: Loc) -> ! {
        let location = Some(loc.into());
        self.stop(Closing::Fail(Box::new(Failure { kind: FailureKind::Misuse, message, location })))
    }

    /// The id of `value`. User code (`Hash`, `Eq`) runs with nothing borrowed.
    pub fn intern<M: Payload>(&self, value: M) -> u32 {
        let hash = hash(&value);
        let memory = &self.shared.memory;
        let mut candidate = memory.borrow().values.first(hash);
        while let Some((id, known)) = candidate {
            if known.downcast() == Some(&value) {
                discard(value);
                return id;
            }
            candidate = memory.borrow().values.following(id);
        }
        let value: Rc<dyn Value> = Rc::new(value);
        let mut memory = memory.borrow_mut();
        let tag = memory.values.tag::<M>();
        memory.values.insert(hash, tag, value)
    }

    /// The number of a type.
    #[inline]
    pub fn tag<M: 'static>(&self) -> Tag {
        self.shared.memory.borrow_mut().values.tag::<M>()
    }

    /// A copy of the value with this id.
    #[inline]
    pub fn copy<M: Payload>(&self, id: u32) -> M {
        let value = self.shared.memory.borrow().values.value(id);
        match value.downcast() {
            Some(value) => copy(value),
            None => self.stray("receive another type".to_string(), std::any::type_name::<M>().to_string(), None),
        }
    }

    /// Some value of this type, for a destructor that waits for one while its process is being unwound. Nothing that it does with the value is
    /// recorded.
    ///
    /// # Panics
    /// If no value of this type was ever sent or returned. There is nothing to go on with, and a panic while unwinding aborts.
    pub fn stand_in<M: Payload>(&self) -> M {
        let tag = self.tag::<M>();
        let value = self.shared.memory.borrow().values.any_of(tag);
        match value.as_ref().and_then(|value| value.downcast()) {
            Some(value) => copy(value),
            None => panic!("a destructor waits for a message while its process is being unwound, and there is none"),
        }
    }

    /// A message received in the known past, or, for a receive with a filter, short of its last answer. Replays do little else, so this
    /// is the short way; `None` sends the caller the long one, which also knows time-outs and what to do if the receive is not the one it
    /// was.
    #[inline(always)]
    pub fn receive_again<M: Payload>(&self, network: Network, blocking: bool, filtered: bool, loc: Loc) -> Option<M> {
        let at = self.position.get();
        if at + 1 + usize::from(filtered) >= self.known.get() {
            return None;
        }
        let value = {
            let memory = self.shared.memory.borrow();
            let &[here, next] = memory.path.get(at..at + 2)? else { return None };
            let node = memory.trie.node(here);
            match node.closing {
                Closing::Recv { network: n, blocking: b, loc: l, .. }
                    if n == network && b == blocking && std::ptr::eq(l, loc) => {}
                _ => return None,
            }
            let obs = memory.trie.node(next).obs;
            if obs == OBS_TIMEOUT || self.repeated.get() != node.actions.len() {
                return None;
            }
            memory.values.value(obs)
        };
        // The type of the message is the type that the receive asked for.
        let message = value.downcast::<M>()?;
        self.steps.set(self.steps.get() + 1);
        self.repeated.set(0);
        self.position.set(at + 1);
        self.pause();
        Some(copy(message))
    }
}

/// A copy for the program. What has nothing to drop needs no silence.
#[inline]
fn copy<M: Payload>(value: &M) -> M {
    if std::mem::needs_drop::<M>() { quietly(|| value.clone()) } else { value.clone() }
}

impl Memory {
    /// The id of the process `pid`; `None` if another process has that name.
    pub fn meet(&mut self, pid: Pid, origin: (u32, u32)) -> Option<ProcId> {
        let next = self.procs.len() as u32;
        let id = *self.by_pid.entry(pid).or_insert(next);
        if id == next {
            self.procs.push(ProcInfo { pid, origin });
        }
        let known = &mut self.procs[id as usize].origin;
        if *known == UNBORN {
            *known = origin;
        }
        (*known == origin).then_some(ProcId(id))
    }

    /// The process `pid`, whether it was met or not: only the engine can tell whether a sender may know of it.
    pub fn address(&mut self, pid: Pid) -> ProcId {
        let next = self.procs.len() as u32;
        let id = *self.by_pid.entry(pid).or_insert(next);
        if id == next {
            self.procs.push(ProcInfo { pid, origin: UNBORN });
        }
        ProcId(id)
    }

    /// How a node closes, in words.
    pub fn closing_words(&self, closing: &Closing) -> String {
        match closing {
            Closing::Fail(failure) => {
                let place = failure.location.as_ref().map(|place| format!(" at {place}")).unwrap_or_default();
                format!("panic: {}{place}", failure.message)
            }
            Closing::Unknown | Closing::Paused => "go on".to_string(),
            other => self.words(&other.action(), other.loc()),
        }
    }

    /// An action in words.
    pub fn words(&self, action: &Action, loc: Option<Loc>) -> String {
        let what = match action {
            Action::Send { to, value, .. } => {
                format!("send {} to {:?}", self.values.value(value.0).show(), self.procs[to.0 as usize].pid)
            }
            Action::Spawn { .. } => "spawn".to_string(),
            Action::Recv { blocking: true, .. } => "recv".to_string(),
            Action::Recv { .. } => "recv_timeout".to_string(),
            Action::Choose { arity, .. } => format!("choose among {arity}"),
            Action::Join { .. } => "join".to_string(),
            Action::End { value } => format!("end with {}", self.values.value(value.0).show()),
            Action::Stuck => "assume".to_string(),
            Action::Bound => "use up its steps".to_string(),
            Action::Fail => "fail".to_string(),
        };
        match loc {
            Some(loc) => format!("{what} at {loc}"),
            None => what,
        }
    }
}
