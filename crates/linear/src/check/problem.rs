//! The input of the search: a history as a sequence of events, with interned operations and a slot for each open operation.

use super::relation::Relation;
use super::subject::{Known, Span};
use rustc_hash::FxHashMap;

/// No operation.
pub const NONE: u32 = u32::MAX;

/// An operation that returned.
pub struct Op {
    /// The index of the operation in the history.
    pub number: usize,
    /// The operation and its response, interned.
    pub kind: u32,
    /// Whether the operation is read-only.
    pub reads: bool,
    /// The bit that represents the operation while it is open. Slots are reused.
    pub slot: u32,
    /// The last operation of the same kind that returns before this one does, or [`NONE`].
    pub twin: u32,
    /// The index of the return event.
    pub returns: u32,
}

/// An invocation or a return of an operation that returned.
#[derive(Clone, Copy)]
pub struct Event {
    /// The index of the operation in [`Problem::ops`].
    pub op: u32,
    /// Whether the event is the invocation.
    pub call: bool,
    /// How many pending operations were invoked before the event. They are numbered in the order of their invocations.
    pub invoked: u32,
}

/// The pending operations of one kind.
pub struct Class {
    /// The kind.
    pub kind: u32,
    /// Indices in [`Problem::pending`], in the order of invocation.
    pub members: Vec<u32>,
}

/// The input of a search.
#[derive(Default)]
pub struct Problem {
    /// The operations that returned, in the order of invocation.
    pub ops: Vec<Op>,
    /// The events, in order.
    pub events: Vec<Event>,
    /// The pending operations by kind, in the order of first invocation.
    pub classes: Vec<Class>,
    /// The index in the history of each pending operation that is not read-only.
    pub pending: Vec<usize>,
    /// The number of slots.
    pub slots: u32,
    /// By operation: the operations that precede it in every linearization, except those that return before it is invoked. Empty if
    /// the specification gives no such pairs.
    pub before: Vec<Vec<u32>>,
    /// Whether some operation would have to take effect after its return, or before itself.
    pub contradictory: bool,
}

impl Problem {
    /// Creates the input for some operations of a history. `kinds` are their kinds; `pairs` are the pairs of [`Spec::precedence`](crate::Spec::precedence).
    pub fn new(
        spans: &[Span],
        known: &[Known],
        kinds: &[u32],
        pairs: &[(usize, usize)],
        relation: &Relation<'_>,
    ) -> Problem {
        let mut problem = Problem::default();
        // (position, whether it is a return, operation): at one position, invocations come first.
        let mut order: Vec<(usize, bool, usize)> = Vec::with_capacity(2 * known.len());
        for (local, known) in known.iter().enumerate() {
            order.push((spans[known.number].invoked, false, local));
            order.extend(known.returned.map(|returned| (returned, true, local)));
        }
        order.sort_unstable();
        let mut class_of = FxHashMap::default();
        let mut index = vec![NONE; known.len()];
        for (_, returns, local) in order {
            if returns {
                problem.push(index[local], false);
                continue;
            }
            let (kind, Known { number, returned, .. }) = (kinds[local], known[local]);
            match returned {
                Some(_) => {
                    index[local] = problem.ops.len() as u32;
                    let reads = relation.reads(kind);
                    problem.ops.push(Op { number, kind, reads, slot: 0, twin: NONE, returns: 0 });
                    problem.push(index[local], true);
                }
                // A pending read-only operation: the history without it has the same verdict.
                None if relation.reads(kind) => {}
                None => problem.add_pending(number, kind, &mut class_of),
            }
        }
        problem.assign_slots();
        problem.find_twins();
        if !pairs.is_empty() {
            problem.add_precedence(pairs.iter().map(|&(first, second)| (index[first], index[second])));
        }
        problem
    }

    /// Records the precedence pairs. Read-only operations need none: they are linearized as soon as their response matches.
    fn add_precedence(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        let mut invoked = vec![0; self.ops.len()];
        for (at, event) in self.events.iter().enumerate().filter(|(_, event)| event.call) {
            invoked[event.op as usize] = at as u32;
        }
        self.before = vec![Vec::new(); self.ops.len()];
        for (first, second) in pairs.filter(|&(first, second)| first != NONE && second != NONE) {
            let (one, other) = (&self.ops[first as usize], &self.ops[second as usize]);
            self.contradictory |= first == second || other.returns < invoked[first as usize];
            if !one.reads && !other.reads && one.returns > invoked[second as usize] {
                self.before[second as usize].push(first);
            }
        }
    }

    fn push(&mut self, op: u32, call: bool) {
        if !call {
            self.ops[op as usize].returns = self.events.len() as u32;
        }
        self.events.push(Event { op, call, invoked: self.pending.len() as u32 });
    }

    fn add_pending(&mut self, number: usize, kind: u32, class_of: &mut FxHashMap<u32, usize>) {
        let member = self.pending.len() as u32;
        self.pending.push(number);
        let class = *class_of.entry(kind).or_insert_with(|| {
            self.classes.push(Class { kind, members: Vec::new() });
            self.classes.len() - 1
        });
        self.classes[class].members.push(member);
    }

    fn assign_slots(&mut self) {
        let mut free = Vec::new();
        for event in &self.events {
            let op = &mut self.ops[event.op as usize];
            if event.call {
                op.slot = free.pop().unwrap_or_else(|| {
                    self.slots += 1;
                    self.slots - 1
                });
            } else {
                free.push(op.slot);
            }
        }
    }

    fn find_twins(&mut self) {
        let kinds = self.ops.iter().map(|op| op.kind as usize + 1).max().unwrap_or(0);
        let mut last = vec![NONE; kinds];
        for event in self.events.iter().filter(|event| !event.call) {
            let kind = self.ops[event.op as usize].kind as usize;
            self.ops[event.op as usize].twin = std::mem::replace(&mut last[kind], event.op);
        }
    }
}
