//! Execution graphs (Must §3.1) with insertion stamps.
//!
//! Events are stored in one vector in the order in which they were added, so **the id of an event is its insertion stamp**:
//! adding pushes, backtracking pops, and a restricted graph is a copy that preserves the relative order. All data derived from the
//! events (pending sends, cursors, clocks) is kept up to date by `push` and `pop`, which are exact inverses.
//!
//! Invariants: stamps increase along each process; `pending` lists the unread sends to a process by stamp; the set of events
//! is closed under porf.

use crate::clocks::Clocks;
use crate::ready::Ready;
use manyworlds_core::{Action, Cursor, Locals, Network, OBS_TIMEOUT, Pid, ProcId};

/// An event: its insertion stamp.
pub type EventId = u32;
/// No event: an unread send, a receive that timed out.
pub const NONE: EventId = u32::MAX;

/// The clock row of zeros, with which all root processes start.
pub(crate) const ZERO_CLOCK: u32 = 0;

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `peer` is the destination, `value` the message, `link` the reader.
    Send,
    /// `link` is the send that the receive reads, or [`NONE`] for ⊥.
    Recv,
    /// `peer` is the arity, `value` the chosen option.
    Choose,
    /// `peer` is the new thread.
    Spawn,
    /// `peer` is the thread waited for.
    Join,
}

/// An event of an execution graph.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The cursor of the process before the event.
    pub at: Cursor,
    /// The action at that cursor, which the event performs.
    pub action: Action,
    /// Position in [`Graph::threads`].
    pub thread: u32,
    /// Position among the events of the thread.
    pub index: u32,
    /// See [`Kind`].
    pub peer: u32,
    /// See [`Kind`].
    pub value: u32,
    /// See [`Kind`].
    pub link: EventId,
    /// The row of [`Graph::clocks`] after the event.
    pub clock: u32,
    /// The kind of the event.
    pub kind: Kind,
    /// The communication model of a send or receive.
    pub network: Network,
    /// Whether a receive is blocking; whether a choice decides about the loss of a message.
    pub flag: bool,
}

/// A process in a graph.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The id of the process in the locals.
    pub proc: ProcId,
    /// The stable name of the process; breaks ties.
    pub pid: Pid,
    /// The current position of the process.
    pub cursor: Cursor,
    /// The action at `cursor`.
    pub next: Action,
    /// The events of the process, in program order.
    pub events: Vec<EventId>,
    /// Unread sends to the process, by stamp.
    pub pending: Vec<EventId>,
    /// All sends to the process, by stamp.
    pub arrivals: Vec<EventId>,
    /// Join events that wait for the process.
    pub joins: Vec<EventId>,
    /// The clock row at the start of the process.
    pub first_clock: u32,
    /// The event that spawned the process, or [`NONE`] for a root.
    pub spawner: EventId,
    /// Whether the process may wait forever.
    pub daemon: bool,
    /// Whether the process is a monitor, with a check at the end of the execution.
    pub monitor: bool,
}

/// An execution graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By stamp.
    pub events: Vec<Event>,
    /// In order of creation.
    pub threads: Vec<Thread>,
    /// Vector clocks.
    pub clocks: Clocks,
    /// What each thread needs before its next event.
    pub ready: Ready,
    /// Messages lost so far.
    pub losses: u32,
    /// From `ProcId` to position in `threads`.
    thread_of: Vec<u32>,
    /// Threads that were popped; their buffers are reused.
    retired: Vec<Thread>,
}

impl Graph {
    /// The graph with the root processes and no events.
    pub fn initial<L: Locals + ?Sized>(locals: &mut L) -> Graph {
        let mut graph = Graph::default();
        let clock = graph.clocks.push_zero();
        debug_assert_eq!(clock, ZERO_CLOCK);
        for root in locals.roots() {
            let thread = graph.open_thread(locals, root.proc, Cursor { node: root.node, off: 0 }, clock, NONE);
            graph.threads[thread as usize].daemon = root.daemon;
            graph.threads[thread as usize].monitor = root.role.observes();
        }
        graph
    }

    /// The event with this stamp.
    #[inline]
    pub fn event(&self, e: EventId) -> &Event {
        &self.events[e as usize]
    }

    /// The number of events, which is the stamp of the next event.
    #[inline]
    pub fn len(&self) -> u32 {
        self.events.len() as u32
    }

    /// Whether the graph has no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The position of a process in `threads`, if it is part of this execution.
    #[inline]
    pub fn thread(&self, proc: ProcId) -> Option<u32> {
        self.thread_of.get(proc.0 as usize).copied().filter(|&t| t != NONE)
    }

    /// Whether `a` is `b` or porf-before it.
    #[inline]
    pub fn porf(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.event(a), self.event(b));
        a.index < self.known(b, a.thread)
    }

    /// How many events of `thread` are porf-before `e` or equal to `e`.
    #[inline]
    pub fn known(&self, e: &Event, thread: u32) -> u32 {
        if e.thread == thread { e.index + 1 } else { self.clocks.get(e.clock, thread) }
    }

    /// The key that breaks ties between sends, (thread id, index): the least key wins.
    #[inline]
    pub fn key(&self, e: EventId) -> (Pid, u32) {
        let e = self.event(e);
        (self.threads[e.thread as usize].pid, e.index)
    }

    /// Whether receive `r` accepts the message of send `s`.
    #[inline]
    pub fn matches<L: Locals + ?Sized>(&self, locals: &mut L, r: EventId, s: EventId) -> bool {
        let (r, s) = (self.event(r), self.event(s));
        s.network == r.network && locals.accepts(r.at.node, manyworlds_core::ValueId(s.value))
    }

    /// Adds to `out` the unread sends that a receive by `thread` at its cursor matches, by stamp.
    #[inline]
    pub fn candidates<L: Locals + ?Sized>(
        &self,
        locals: &mut L,
        thread: u32,
        network: Network,
        out: &mut Vec<EventId>,
    ) {
        let th = &self.threads[thread as usize];
        for &s in &th.pending {
            let send = self.event(s);
            if send.network == network && locals.accepts(th.cursor.node, manyworlds_core::ValueId(send.value)) {
                out.push(s);
            }
        }
    }

    /// Adds the send or spawn that `thread` is about to perform. A message to a process that is not part of this execution is lost.
    #[inline]
    pub fn push_action<L: Locals + ?Sized>(&mut self, locals: &mut L, thread: u32) -> EventId {
        let next = self.threads[thread as usize].next;
        let (kind, peer, value, network) = match next {
            Action::Send { to, value, network } => (Kind::Send, self.thread(to).unwrap_or(NONE), value.0, network),
            Action::Spawn { .. } => (Kind::Spawn, self.threads.len() as u32, 0, Network::Asyn),
            _ => unreachable!("only sends and spawns have no observation"),
        };
        let clock = self.clock_of(thread);
        let e = self.push(thread, kind, peer, value, NONE, network, false, clock);
        if kind == Kind::Spawn {
            let Action::Spawn { child, root, daemon } = next else { unreachable!() };
            locals.start(root);
            let clock = self.clocks.push_copy(clock);
            let index = self.event(e).index;
            self.clocks.raise(clock, thread, index + 1);
            let opened = self.open_thread(locals, child, Cursor { node: root, off: 0 }, clock, e);
            self.threads[opened as usize].daemon = daemon;
        } else if peer != NONE {
            self.threads[peer as usize].pending.push(e);
            self.threads[peer as usize].arrivals.push(e);
        }
        let Cursor { node, off } = self.threads[thread as usize].cursor;
        self.place(locals, thread, Cursor { node, off: off + 1 });
        e
    }

    /// Adds the receive that `thread` is about to perform, reading `send` ([`NONE`] for ⊥).
    #[inline]
    pub fn push_recv<L: Locals + ?Sized>(&mut self, locals: &mut L, thread: u32, send: EventId) -> EventId {
        let mut clock = self.clock_of(thread);
        let mut obs = OBS_TIMEOUT;
        let r = self.len();
        let th = &mut self.threads[thread as usize];
        let Action::Recv { network, blocking } = th.next else { unreachable!("no receive") };
        if send != NONE {
            let place = th.pending.binary_search(&send).expect("only unread sends are read");
            th.pending.remove(place);
            let sent = &mut self.events[send as usize];
            (sent.link, obs) = (r, sent.value);
            clock = self.read_clock(clock, send);
        }
        self.push(thread, Kind::Recv, 0, 0, send, network, blocking, clock);
        self.answer(locals, thread, obs);
        r
    }

    /// Adds the choice that `thread` is about to make, with the option `answer`.
    #[inline]
    pub fn push_choose<L: Locals + ?Sized>(&mut self, locals: &mut L, thread: u32, answer: u32) -> EventId {
        let Action::Choose { arity, loss } = self.threads[thread as usize].next else { unreachable!("no choice") };
        let clock = self.clock_of(thread);
        let e = self.push(thread, Kind::Choose, arity, answer, NONE, Network::Asyn, loss, clock);
        self.losses += u32::from(loss && answer == 1);
        self.answer(locals, thread, answer);
        e
    }

    /// Adds the join that `thread` is about to perform; the child has ended.
    #[inline]
    pub fn push_join<L: Locals + ?Sized>(&mut self, locals: &mut L, thread: u32) -> EventId {
        let Action::Join { child } = self.threads[thread as usize].next else { unreachable!("no join") };
        let child = self.thread(child).expect("a joined process was spawned");
        let Action::End { value } = self.threads[child as usize].next else { unreachable!("joined too early") };
        let clock = self.join_clock(self.clock_of(thread), child);
        let e = self.push(thread, Kind::Join, child, value.0, NONE, Network::Asyn, false, clock);
        self.threads[child as usize].joins.push(e);
        self.answer(locals, thread, value.0);
        e
    }

    /// Removes the newest events until `len` remain.
    #[inline]
    pub fn truncate(&mut self, len: u32) {
        while self.len() > len {
            self.pop();
        }
    }

    #[inline]
    fn pop(&mut self) {
        let event = self.events.pop().expect("pop of an event");
        match event.kind {
            Kind::Send if event.peer != NONE => {
                let dst = &mut self.threads[event.peer as usize];
                dst.pending.pop();
                dst.arrivals.pop();
            }
            Kind::Send => {}
            Kind::Recv if event.link != NONE => {
                self.events[event.link as usize].link = NONE;
                let pending = &mut self.threads[event.thread as usize].pending;
                let place = pending.partition_point(|&s| s < event.link);
                pending.insert(place, event.link);
                self.clocks.pop();
            }
            Kind::Recv => {}
            Kind::Choose => self.losses -= u32::from(event.flag && event.value == 1),
            Kind::Spawn => {
                self.close_thread();
                self.clocks.pop();
            }
            Kind::Join => {
                self.threads[event.peer as usize].joins.pop();
                self.clocks.pop();
            }
        }
        let th = &mut self.threads[event.thread as usize];
        th.events.pop();
        (th.cursor, th.next) = (event.at, event.action);
        self.ready.mark(event.thread, event.action);
    }

    /// Makes a thread fail at its cursor.
    pub(crate) fn fail(&mut self, thread: u32) {
        self.threads[thread as usize].next = Action::Fail;
        self.ready.mark(thread, Action::Fail);
    }

    /// Moves a thread to `cursor`.
    #[inline]
    pub(crate) fn place<L: Locals + ?Sized>(&mut self, locals: &L, thread: u32, cursor: Cursor) {
        let th = &mut self.threads[thread as usize];
        th.cursor = cursor;
        th.next = locals.action(cursor);
        self.ready.mark(thread, th.next);
    }

    /// The clock row after the last event of `thread`.
    #[inline]
    pub fn clock_of(&self, thread: u32) -> u32 {
        let th = &self.threads[thread as usize];
        th.events.last().map_or(th.first_clock, |&e| self.event(e).clock)
    }

    /// Adds a row: the join of `clock` and the clock of `send`, including `send`.
    #[inline]
    pub fn read_clock(&mut self, clock: u32, send: EventId) -> u32 {
        let send = self.events[send as usize];
        let row = match send.clock {
            // The join with zeros is a copy.
            ZERO_CLOCK => self.clocks.push_copy(clock),
            known => self.clocks.push_join(clock, known),
        };
        self.clocks.raise(row, send.thread, send.index + 1);
        row
    }

    fn join_clock(&mut self, clock: u32, child: u32) -> u32 {
        let row = self.clocks.push_join(clock, self.clock_of(child));
        self.clocks.raise(row, child, self.threads[child as usize].events.len() as u32);
        row
    }

    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn push(
        &mut self,
        thread: u32,
        kind: Kind,
        peer: u32,
        value: u32,
        link: EventId,
        network: Network,
        flag: bool,
        clock: u32,
    ) -> EventId {
        let id = self.len();
        let th = &mut self.threads[thread as usize];
        let index = th.events.len() as u32;
        th.events.push(id);
        self.events.push(Event {
            at: th.cursor,
            action: th.next,
            thread,
            index,
            peer,
            value,
            link,
            clock,
            kind,
            network,
            flag,
        });
        id
    }

    #[inline]
    fn answer<L: Locals + ?Sized>(&mut self, locals: &mut L, thread: u32, obs: u32) {
        let node = locals.step(self.threads[thread as usize].cursor.node, obs);
        self.place(locals, thread, Cursor { node, off: 0 });
    }

    /// Appends a thread; the caller sets `daemon` and `monitor` where they are not false.
    pub(crate) fn open_thread<L: Locals + ?Sized>(
        &mut self,
        locals: &L,
        proc: ProcId,
        cursor: Cursor,
        first_clock: u32,
        spawner: EventId,
    ) -> u32 {
        let t = self.threads.len() as u32;
        self.clocks.widen(t + 1);
        if self.thread_of.len() <= proc.0 as usize {
            self.thread_of.resize(proc.0 as usize + 1, NONE);
        }
        self.thread_of[proc.0 as usize] = t;
        let (pid, next) = (locals.pid(proc), locals.action(cursor));
        let mut th = self.retired.pop().unwrap_or_else(|| Thread {
            proc,
            pid,
            cursor,
            next,
            events: Vec::new(),
            pending: Vec::new(),
            arrivals: Vec::new(),
            joins: Vec::new(),
            first_clock,
            spawner,
            daemon: false,
            monitor: false,
        });
        (th.proc, th.pid, th.cursor, th.next) = (proc, pid, cursor, next);
        (th.first_clock, th.spawner, th.daemon, th.monitor) = (first_clock, spawner, false, false);
        self.threads.push(th);
        self.ready.push(next);
        t
    }

    fn close_thread(&mut self) {
        let mut th = self.threads.pop().expect("a spawned thread");
        self.thread_of[th.proc.0 as usize] = NONE;
        self.ready.pop();
        th.events.clear();
        th.pending.clear();
        th.arrivals.clear();
        th.joins.clear();
        self.retired.push(th);
    }

    /// Removes all events and threads, keeping the buffers.
    pub fn clear(&mut self) {
        self.events.clear();
        while !self.threads.is_empty() {
            self.close_thread();
        }
        self.clocks.clear();
        self.losses = 0;
    }
}

impl Graph {
    /// Gives event `e` the stamp `new[e]`, for all events.
    pub(crate) fn rename(&mut self, new: &[EventId]) {
        let renamed = |e: EventId| if e == NONE { NONE } else { new[e as usize] };
        let old = std::mem::take(&mut self.events);
        self.events = old.clone();
        for (e, mut event) in old.into_iter().enumerate() {
            event.link = renamed(event.link);
            self.events[new[e] as usize] = event;
        }
        for th in &mut self.threads {
            th.spawner = renamed(th.spawner);
            for list in [&mut th.events, &mut th.pending, &mut th.arrivals, &mut th.joins] {
                list.iter_mut().for_each(|e| *e = renamed(*e));
                list.sort_unstable();
            }
        }
    }
}
