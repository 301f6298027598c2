//! The search for a linearization: Wing and Gong's algorithm with Lowe's improvements, over interned ids.
//!
//! A *configuration* consists of the set of linearized open operations, the set of used pending operations, and the state after them. The search
//! proceeds from return event to return event: an operation must be linearized before it returns, and no operation needs to be linearized earlier than
//! necessary (just-in-time linearization). So at the return of `o` the search tries sequences `x₁ … xₖ o` of open operations, the shortest
//! first, those without pending operations first, and proceeds to the next return with the first sequence that matches the responses. When it is stuck
//! it backtracks to the next sequence: the search is depth first between returns and breadth first at each return. Visited configurations are stored,
//! with the set of linearized operations as a few bits: an operation has a bit only while it is open.
//!
//! Call a configuration *feasible* if the rest of the history can be linearized from it. The search prunes configurations. In each case it explores
//! another configuration that is feasible if the pruned one is:
//!
//! - **Reads at once.** If an open operation is read-only ([`Spec::reads`](crate::Spec::reads)) and its response matches the state, it is linearized at
//!   once. In any completion it can be moved to the front: it leaves the state unchanged, here and at its old position, so all others are unaffected.
//! - **Covered** configurations (see [`Visited`]): more linearized reads, fewer used pending operations, all else equal.
//! - **Pending without effect.** A pending operation that leaves the state unchanged is not used: the configuration without it covers the other.
//! - **Twins.** Of two open operations of the same kind, the one that returns first is linearized first: in a completion with the opposite
//!   order the two can be exchanged. Of two pending operations of the same kind it is the one invoked first.
//! - **No detours.** If `x` and `o` commute in this state, and `x` enabled no read, then every configuration reached after `x o` is also reached by
//!   linearizing `o` now and `x` at some later return.
//!
//! The search also prunes configurations that are infeasible by the specification: an operation is not linearized before another one that precedes it in
//! every linearization ([`Spec::precedence`](crate::Spec::precedence)).
//!
//! The arguments also apply to the prefix of the history up to any event, if operations open at its end may or may not have taken effect, with their
//! later responses. Hence the farthest return that the search reaches and cannot pass is the end of the longest linearizable prefix. (This does not hold
//! with precedence pairs: an order excluded by a later response may still be valid for the prefix.)

use super::bits::Bits;
use super::cursor::Cursor;
use super::pending::UsedSets;
use super::problem::{NONE, Problem};
use super::relation::{Relation, Step};
use super::visited::Visited;
use manyworlds_core::{Observer, Progress};

/// The observer's `tick` is called once per this many configurations, or attempts with pending operations.
const TICK: u32 = 4096;

/// The result of a search.
pub enum Found {
    /// Operations by index, in an order that explains the history.
    Order(Vec<usize>),
    /// There is no order. The prefix of the history before the return of this operation is linearizable, but not the prefix with this return.
    Stuck(usize),
    /// There is no order. The longest linearizable prefix is not known.
    Never,
    /// There is no sequentially consistent order.
    Dead {
        /// The longest order that was found.
        order: Vec<usize>,
        /// The next operation of each process; none of them can be appended.
        stuck: Vec<usize>,
    },
    /// The observer stopped the search.
    Stopped,
}

/// A configuration, and how it was reached.
#[derive(Clone)]
struct Node<B> {
    /// The slots of linearized open operations.
    done: B,
    state: u32,
    used: u32,
    /// The previous node in the same frame, or [`NONE`].
    parent: u32,
    /// The operation that was linearized last.
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    /// An operation that returns, by index.
    Op(u32),
    /// A pending operation of this class.
    Pending(u32),
}

/// The search at one return event.
#[derive(Clone, Copy)]
struct Frame {
    /// The return event of the operation to be linearized.
    at: usize,
    /// The index of the first node of the frame. Its nodes extend to those of the next frame.
    base: usize,
    /// The node from which the operation is tried next, and the outcome to try.
    tried: usize,
    outcome: usize,
    /// The node to extend next by other operations that return.
    head: usize,
    /// The node to extend next by pending operations.
    lag: usize,
}

/// The state of a search.
pub struct Search<'a, 's, B> {
    problem: &'a Problem,
    relation: &'a mut Relation<'s>,
    observer: &'a dyn Observer,
    cursor: Cursor<'a, B>,
    visited: Visited<B>,
    sets: UsedSets,
    nodes: Vec<Node<B>>,
    frames: Vec<Frame>,
    /// The farthest return event that could not be passed at once.
    farthest: usize,
    until_tick: u32,
}

impl<'a, 's, B: Bits> Search<'a, 's, B> {
    /// Creates a search.
    pub fn new(problem: &'a Problem, relation: &'a mut Relation<'s>, observer: &'a dyn Observer) -> Self {
        Search {
            cursor: Cursor::new(problem),
            visited: Visited::new(problem.events.len()),
            sets: UsedSets::new(),
            nodes: Vec::new(),
            frames: Vec::new(),
            farthest: 0,
            until_tick: TICK,
            problem,
            relation,
            observer,
        }
    }

    /// Runs the search.
    pub fn run(&mut self) -> Found {
        if self.problem.contradictory {
            return Found::Never;
        }
        let start = self.start();
        if self.arrive(start) {
            return Found::Order(self.order());
        }
        while let Some(&frame) = self.frames.last() {
            if self.until_tick == 0 && self.stops() {
                return Found::Stopped;
            }
            self.until_tick -= 1;
            let nodes = self.nodes.len();
            if frame.tried < nodes {
                if self.try_returning() {
                    return Found::Order(self.order());
                }
            } else if frame.head < nodes {
                self.add_returning();
            } else if frame.lag < nodes {
                self.add_pending();
            } else {
                self.backtrack();
            }
        }
        match self.problem.before.is_empty() {
            true => Found::Stuck(self.problem.ops[self.problem.events[self.farthest].op as usize].number),
            false => Found::Never,
        }
    }

    fn start(&self) -> Node<B> {
        let done = B::empty(self.problem.slots.div_ceil(64) as usize);
        Node { done, state: 0, used: 0, parent: NONE, by: By::Op(NONE) }
    }

    fn stops(&mut self) -> bool {
        self.until_tick = TICK;
        let progress = Progress { states: self.visited.len() as u64 + 1, ..Progress::default() };
        self.observer.tick(&progress).is_some()
    }

    /// Advances this configuration to the next return of an operation that is not linearized, and opens a frame there, unless
    /// the configuration is covered. Returns whether there is no such return: then everything is linearized.
    fn arrive(&mut self, mut node: Node<B>) -> bool {
        let from = self.cursor.at;
        if !self.advance(&mut node, &mut |_| {}) {
            return true;
        }
        let at = self.cursor.at;
        self.farthest = self.farthest.max(at);
        let (writes, reads) = self.split(&node.done);
        if self.visited.covers(at as u32, node.state, &writes, &reads, node.used, &self.sets) {
            self.cursor.rewind(from);
            return false;
        }
        let base = self.nodes.len();
        self.frames.push(Frame { at, base, tried: base, outcome: 0, head: base, lag: base });
        node.parent = NONE;
        self.nodes.push(node);
        false
    }

    /// Passes invocations and returns of linearized operations, up to a return that cannot be passed. Returns whether there is one.
    fn advance(&mut self, node: &mut Node<B>, seen: &mut dyn FnMut(u32)) -> bool {
        while let Some(event) = self.cursor.event() {
            let op = &self.problem.ops[event.op as usize];
            if event.call {
                if op.reads && self.relation.fits(node.state, op.kind) {
                    node.done.set(op.slot);
                    seen(event.op);
                }
            } else if node.done.has(op.slot) {
                node.done.clear(op.slot);
            } else {
                return true;
            }
            self.cursor.forward();
        }
        false
    }

    /// Splits a set of slots into those of operations that are not read-only, and those of read-only operations.
    fn split(&self, done: &B) -> (B, B) {
        (done.without(&self.cursor.reads), done.and(&self.cursor.reads))
    }

    /// Linearizes every open read-only operation whose response matches the state.
    fn read(&mut self, node: &mut Node<B>, seen: &mut dyn FnMut(u32)) {
        let mut left = self.cursor.reads.without(&node.done);
        while let Some(slot) = left.pop() {
            let op = self.cursor.owner(slot);
            if self.relation.fits(node.state, self.problem.ops[op as usize].kind) {
                node.done.set(slot);
                seen(op);
            }
        }
    }

    /// The operation that returns at the current event.
    fn returning(&self) -> u32 {
        self.problem.events[self.cursor.at].op
    }

    /// Tries to linearize the returning operation, at the next node with the next outcome. Returns whether the whole history is linearized.
    fn try_returning(&mut self) -> bool {
        let o = self.returning();
        let (slot, kind, reads) = {
            let op = &self.problem.ops[o as usize];
            (op.slot, op.kind, op.reads)
        };
        let frame = self.frames.last_mut().expect("a frame");
        let (at, outcome) = (frame.tried, frame.outcome);
        let node = &self.nodes[at];
        if reads || node.done.has(slot) {
            frame.tried += 1;
            let fits = node.done.has(slot);
            return fits && self.arrive(self.nodes[at].clone());
        }
        let step = self.relation.step(node.state, kind);
        if outcome >= self.relation.count(step) || !is_preceded(self.problem, &self.cursor, o, &node.done) {
            (frame.tried, frame.outcome) = (at + 1, 0);
            return false;
        }
        frame.outcome += 1;
        let state = self.relation.state(step, outcome);
        if self.is_detour(at, kind, state) {
            return false;
        }
        let mut child = self.nodes[at].clone();
        child.done.set(slot);
        self.enter(&mut child, state);
        self.arrive(child)
    }

    /// Changes the state, and linearizes the reads that match it.
    fn enter(&mut self, node: &mut Node<B>, state: u32) {
        if node.state != state {
            node.state = state;
            self.read(node, &mut |_| {});
        }
    }

    /// Whether the last step to this node commutes with `o`, which leads from here to `state` (see *No detours*).
    fn is_detour(&mut self, at: usize, o: u32, state: u32) -> bool {
        let node = &self.nodes[at];
        if node.parent == NONE {
            return false;
        }
        let parent = &self.nodes[node.parent as usize];
        let (x, enabled_no_read) = match node.by {
            By::Op(x) => {
                let x = &self.problem.ops[x as usize];
                let mut done = parent.done.clone();
                done.set(x.slot);
                (x.kind, done == node.done)
            }
            By::Pending(class) => (self.problem.classes[class as usize].kind, parent.done == node.done),
        };
        if !enabled_no_read {
            return false;
        }
        let Step::To(other) = self.relation.step(parent.state, o) else { return false };
        self.relation.step(other, x) == Step::To(state)
    }

    /// Extends the next node by each other open operation that returns.
    fn add_returning(&mut self) {
        let o = self.returning();
        let frame = self.frames.last_mut().expect("a frame");
        let (at, base) = (frame.head, frame.base);
        frame.head += 1;
        if at == base {
            self.remember(base);
        }
        let slot = self.problem.ops[o as usize].slot;
        if self.nodes[at].done.has(slot) {
            return;
        }
        let mut left = self.cursor.open.without(&self.nodes[at].done).without(&self.cursor.reads);
        left.clear(slot);
        while let Some(slot) = left.pop() {
            let x = self.cursor.owner(slot);
            if !self.has_twin(x, at) && is_preceded(self.problem, &self.cursor, x, &self.nodes[at].done) {
                let kind = self.problem.ops[x as usize].kind;
                self.add(at, By::Op(x), kind);
            }
        }
    }

    /// Whether an operation of the same kind that returns earlier is open and not linearized.
    fn has_twin(&self, x: u32, at: usize) -> bool {
        let twin = self.problem.ops[x as usize].twin;
        twin != NONE && self.cursor.is_open(twin) && !self.nodes[at].done.has(self.problem.ops[twin as usize].slot)
    }

    /// Extends the next node by one pending operation of each class.
    fn add_pending(&mut self) {
        let event = self.problem.events[self.cursor.at];
        let frame = self.frames.last_mut().expect("a frame");
        let at = frame.lag;
        frame.lag += 1;
        if self.nodes[at].done.has(self.problem.ops[event.op as usize].slot) {
            return;
        }
        self.until_tick = self.until_tick.saturating_sub(self.problem.classes.len() as u32);
        for (number, class) in self.problem.classes.iter().enumerate() {
            if class.members[0] >= event.invoked {
                break;
            }
            let used = self.sets.count(self.nodes[at].used, number as u32);
            if class.members.get(used as usize).is_some_and(|&member| member < event.invoked) {
                self.add(at, By::Pending(number as u32), class.kind);
            }
        }
    }

    /// Adds the nodes reached by one more operation, unless they are covered.
    fn add(&mut self, at: usize, by: By, kind: u32) {
        let step = self.relation.step(self.nodes[at].state, kind);
        for outcome in 0..self.relation.count(step) {
            let state = self.relation.state(step, outcome);
            let mut node = self.nodes[at].clone();
            match by {
                By::Op(x) => node.done.set(self.problem.ops[x as usize].slot),
                By::Pending(_) if state == node.state => continue,
                By::Pending(class) => node.used = self.sets.with(node.used, class),
            }
            (node.parent, node.by) = (at as u32, by);
            self.enter(&mut node, state);
            let (writes, reads) = self.split(&node.done);
            if self.visited.insert(self.cursor.at as u32, state, writes, reads, node.used, &self.sets) {
                self.nodes.push(node);
            }
        }
    }

    /// Marks the first node of a frame as visited. Called late, because nothing needs to be stored if the first attempt succeeds.
    fn remember(&mut self, base: usize) {
        let node = &self.nodes[base];
        let (writes, reads) = self.split(&node.done);
        self.visited.insert(self.cursor.at as u32, node.state, writes, reads, node.used, &self.sets);
    }

    /// Closes the last frame, in which everything was tried.
    fn backtrack(&mut self) {
        let frame = self.frames.pop().expect("a frame");
        self.nodes.truncate(frame.base);
        if let Some(before) = self.frames.last() {
            self.cursor.rewind(before.at);
        }
    }

    /// The linearization that was found: repeats the successful path and records each linearized operation.
    fn order(&mut self) -> Vec<usize> {
        let frames = std::mem::take(&mut self.frames);
        self.cursor.rewind(0);
        let mut order = Vec::with_capacity(self.problem.ops.len());
        let numbers = &self.problem.ops;
        let mut now = self.start();
        self.advance(&mut now, &mut |op| order.push(numbers[op as usize].number));
        for frame in frames {
            let mut path = Vec::new();
            let mut at = frame.tried as u32;
            // The successful attempt advanced `outcome`; for a read it advanced `tried` instead.
            if frame.outcome == 0 {
                at -= 1;
            }
            let last = at;
            while self.nodes[at as usize].parent != NONE {
                path.push(at);
                at = self.nodes[at as usize].parent;
            }
            for at in path.into_iter().rev() {
                let (by, state) = (self.nodes[at as usize].by, self.nodes[at as usize].state);
                self.take(&mut now, by, state, &mut order);
            }
            let o = self.returning();
            if !now.done.has(numbers[o as usize].slot) {
                let step = self.relation.step(self.nodes[last as usize].state, numbers[o as usize].kind);
                let state = self.relation.state(step, frame.outcome - 1);
                self.take(&mut now, By::Op(o), state, &mut order);
            }
            self.advance(&mut now, &mut |op| order.push(numbers[op as usize].number));
        }
        order
    }

    fn take(&mut self, now: &mut Node<B>, by: By, state: u32, order: &mut Vec<usize>) {
        let numbers = &self.problem.ops;
        match by {
            By::Op(x) => {
                now.done.set(numbers[x as usize].slot);
                order.push(numbers[x as usize].number);
            }
            By::Pending(class) => {
                let member = self.sets.count(now.used, class);
                now.used = self.sets.with(now.used, class);
                order
                    .push(self.problem.pending[self.problem.classes[class as usize].members[member as usize] as usize]);
            }
        }
        now.state = state;
        self.read(now, &mut |op| order.push(numbers[op as usize].number));
    }
}

/// Whether all operations that precede an operation are linearized.
#[inline]
fn is_preceded<B: Bits>(problem: &Problem, cursor: &Cursor<'_, B>, op: u32, done: &B) -> bool {
    let is_linearized = |&first: &u32| {
        let first_op = &problem.ops[first as usize];
        (first_op.returns as usize) < cursor.at || cursor.is_open(first) && done.has(first_op.slot)
    };
    problem.before.is_empty() || problem.before[op as usize].iter().all(is_linearized)
}
