//! Wing and Gong's search with Lowe's improvements, over small numbers.
//!
//! A *configuration* says which open operations are linearized, which pending ones were used, and the state after them. The search goes from
//! return event to return event: an operation must be linearized before it returns, and nothing needs to be linearized earlier than that
//! (just-in-time linearization). So at the return of `o` it looks for sequences `x₁ … xₖ o` of open operations, the shortest first, those
//! without pending operations first, and goes on to the next return with the first that fits. When it is stuck it takes the next sequence: depth
//! first between returns, breadth first at each. What was tried is remembered, with the set of linearized operations as a few bits: an
//! operation has a bit only while it is open.
//!
//! Let *feasible(c)* mean: the rest of the history can be linearized from the configuration `c`. The search leaves out configurations, always
//! because another one that it does try is feasible if the one left out is:
//!
//! - **Reads at once.** If an open operation only reads ([`Spec::reads`](crate::Spec::reads)) and fits the state, it is linearized at once. Take
//!   any completion and move it to the front: it leaves the state as it is, here and at its old place, so all others go as before.
//! - **Covered** configurations (see [`Visited`]): more reads done, fewer pending operations used, all else equal.
//! - **Pending without effect.** A pending operation that leaves the state as it is stays unused: the configuration without it covers the other.
//! - **Twins.** Of two open operations of the same kind, the one that returns first is linearized first: in a completion that has them the other way
//!   round they can change places. Of two pending ones it is the one invoked first.
//! - **No detours.** If `x` and `o` commute in this state, and `x` let no read in, then after `x o` there is nothing that is not also reached by `o`,
//!   and `x` at some later return.
//!
//! It also leaves out what the specification says is not feasible: an operation is not linearized before another one that precedes it in every order
//! that explains the history ([`Spec::precedence`](crate::Spec::precedence)).
//!
//! These also hold for the history up to any event, if what is open there may or may not have taken effect, with the response that came later;
//! hence the farthest return that the search meets and cannot pass is the end of the longest prefix that has an order. (Not so if there is
//! something to precede something: what is ruled out by a later response may be in order up to there.)

use super::bits::Bits;
use super::board::Board;
use super::pending::UsedSets;
use super::problem::{NONE, Problem};
use super::relation::{Relation, Step};
use super::visited::Visited;
use manyworlds_core::{Observer, Progress};

/// The observer's `tick` is called once in so many configurations, or attempts with pending operations.
const TICK: u32 = 4096;

/// How a search ends.
pub enum Found {
    /// Operations by number, in an order that explains the history.
    Order(Vec<usize>),
    /// There is none. Everything before the return of this operation can be explained, but not its return too.
    Stuck(usize),
    /// There is none. How far an order goes is not known.
    Never,
    /// There is none (sequential consistency): the longest order of a part, and what could not come next.
    Dead {
        /// The longest order.
        order: Vec<usize>,
        /// The operations that should come next, none of which can.
        stuck: Vec<usize>,
    },
    /// The observer stopped it.
    Stopped,
}

/// A configuration, and how it came about.
#[derive(Clone)]
struct Node<B> {
    /// The slots of open operations that are linearized.
    done: B,
    state: u32,
    used: u32,
    /// The node before, or [`NONE`]; in the same frame.
    parent: u32,
    /// What was linearized last.
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    /// An operation that returns.
    Op(u32),
    /// A pending operation of this class.
    Pending(u32),
}

/// The search at one return event.
#[derive(Clone, Copy)]
struct Frame {
    /// The return event of the operation that is to be linearized.
    at: usize,
    /// Where its nodes start. They reach to the end, or to the next frame's.
    base: usize,
    /// The node from which the operation is tried next, and the outcome that comes next.
    tried: usize,
    outcome: usize,
    /// The node to which other operations that return are added next.
    head: usize,
    /// The node to which pending operations are added next.
    lag: usize,
}

/// A running search.
pub struct Search<'a, 's, B> {
    problem: &'a Problem,
    relation: &'a mut Relation<'s>,
    observer: &'a dyn Observer,
    board: Board<'a, B>,
    visited: Visited<B>,
    sets: UsedSets,
    nodes: Vec<Node<B>>,
    frames: Vec<Frame>,
    /// The farthest return event that could not be passed at once.
    farthest: usize,
    until_tick: u32,
}

impl<'a, 's, B: Bits> Search<'a, 's, B> {
    /// A search that has not begun.
    pub fn new(problem: &'a Problem, relation: &'a mut Relation<'s>, observer: &'a dyn Observer) -> Self {
        Search {
            board: Board::new(problem),
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

    /// Searches to the end.
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

    /// Goes with this configuration to the next return of an operation that is not linearized, and opens a frame there, unless
    /// the configuration is covered. Whether there is no such return: then everything is linearized.
    fn arrive(&mut self, mut node: Node<B>) -> bool {
        let from = self.board.at;
        if !self.advance(&mut node, &mut |_| {}) {
            return true;
        }
        let at = self.board.at;
        self.farthest = self.farthest.max(at);
        let (writes, reads) = self.split(&node.done);
        if self.visited.covers(at as u32, node.state, &writes, &reads, node.used, &self.sets) {
            self.board.rewind(from);
            return false;
        }
        let base = self.nodes.len();
        self.frames.push(Frame { at, base, tried: base, outcome: 0, head: base, lag: base });
        node.parent = NONE;
        self.nodes.push(node);
        false
    }

    /// Passes invocations and returns of linearized operations. Whether there is an event after them.
    fn advance(&mut self, node: &mut Node<B>, seen: &mut dyn FnMut(u32)) -> bool {
        while let Some(event) = self.board.event() {
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
            self.board.forward();
        }
        false
    }

    /// The slots that change something, and those that only look.
    fn split(&self, done: &B) -> (B, B) {
        (done.without(&self.board.reads), done.and(&self.board.reads))
    }

    /// Linearizes every open operation that only looks and fits.
    fn read(&mut self, node: &mut Node<B>, seen: &mut dyn FnMut(u32)) {
        let mut left = self.board.reads.without(&node.done);
        while let Some(slot) = left.pop() {
            let op = self.board.owner(slot);
            if self.relation.fits(node.state, self.problem.ops[op as usize].kind) {
                node.done.set(slot);
                seen(op);
            }
        }
    }

    /// The operation that returns at the current frame.
    fn returning(&self) -> u32 {
        self.problem.events[self.board.at].op
    }

    /// Linearizes the returning operation, next node, next outcome. Whether that was all.
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
        if outcome >= self.relation.count(step) || !is_preceded(self.problem, &self.board, o, &node.done) {
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

    /// Changes the state, and linearizes what can be read there.
    fn enter(&mut self, node: &mut Node<B>, state: u32) {
        if node.state != state {
            node.state = state;
            self.read(node, &mut |_| {});
        }
    }

    /// Whether the last step to this node could as well come after `o`, which leads from here to `state`.
    fn is_detour(&mut self, at: usize, o: u32, state: u32) -> bool {
        let node = &self.nodes[at];
        if node.parent == NONE {
            return false;
        }
        let parent = &self.nodes[node.parent as usize];
        let (x, let_no_read_in) = match node.by {
            By::Op(x) => {
                let x = &self.problem.ops[x as usize];
                let mut done = parent.done.clone();
                done.set(x.slot);
                (x.kind, done == node.done)
            }
            By::Pending(class) => (self.problem.classes[class as usize].kind, parent.done == node.done),
        };
        if !let_no_read_in {
            return false;
        }
        let Step::To(other) = self.relation.step(parent.state, o) else { return false };
        self.relation.step(other, x) == Step::To(state)
    }

    /// Adds each other open operation that returns to the next node.
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
        let mut left = self.board.open.without(&self.nodes[at].done).without(&self.board.reads);
        left.clear(slot);
        while let Some(slot) = left.pop() {
            let x = self.board.owner(slot);
            if !self.has_twin(x, at) && is_preceded(self.problem, &self.board, x, &self.nodes[at].done) {
                let kind = self.problem.ops[x as usize].kind;
                self.add(at, By::Op(x), kind);
            }
        }
    }

    /// Whether an operation of the same kind, which returns earlier, is open too.
    fn has_twin(&self, x: u32, at: usize) -> bool {
        let twin = self.problem.ops[x as usize].twin;
        twin != NONE && self.board.is_open(twin) && !self.nodes[at].done.has(self.problem.ops[twin as usize].slot)
    }

    /// Adds one pending operation of each class that changes something to the next node.
    fn add_pending(&mut self) {
        let event = self.problem.events[self.board.at];
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

    /// Adds the nodes to which one more operation leads, unless they are covered.
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
            if self.visited.insert(self.board.at as u32, state, writes, reads, node.used, &self.sets) {
                self.nodes.push(node);
            }
        }
    }

    /// Notes the first node of a frame as visited. Not earlier: where the first attempt succeeds, nothing needs to be remembered.
    fn remember(&mut self, base: usize) {
        let node = &self.nodes[base];
        let (writes, reads) = self.split(&node.done);
        self.visited.insert(self.board.at as u32, node.state, writes, reads, node.used, &self.sets);
    }

    /// Everything was tried here.
    fn backtrack(&mut self) {
        let frame = self.frames.pop().expect("a frame");
        self.nodes.truncate(frame.base);
        if let Some(before) = self.frames.last() {
            self.board.rewind(before.at);
        }
    }

    /// The order that was found: the way to here once more, noting everything that is linearized.
    fn order(&mut self) -> Vec<usize> {
        let frames = std::mem::take(&mut self.frames);
        self.board.rewind(0);
        let mut order = Vec::with_capacity(self.problem.ops.len());
        let numbers = &self.problem.ops;
        let mut now = self.start();
        self.advance(&mut now, &mut |op| order.push(numbers[op as usize].number));
        for frame in frames {
            let mut path = Vec::new();
            let mut at = frame.tried as u32;
            // An outcome of the last attempt is noted as tried; a read is, with its node.
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

/// Whether everything that precedes an operation is linearized.
#[inline]
fn is_preceded<B: Bits>(problem: &Problem, board: &Board<'_, B>, op: u32, done: &B) -> bool {
    let is_linearized = |&first: &u32| {
        let first_op = &problem.ops[first as usize];
        (first_op.returns as usize) < board.at || board.is_open(first) && done.has(first_op.slot)
    };
    problem.before.is_empty() || problem.before[op as usize].iter().all(is_linearized)
}
