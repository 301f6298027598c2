//! The transition relation of a specification as a table over interned ids.
//!
//! States are numbered as they are found. An operation together with its response (or without one, if any response matches) is a *kind*. The specification
//! is evaluated once for each pair of a state and a kind that the search needs; after that the search reads the table. Nothing here depends on the type
//! of the specification, so the table and the searches over it are compiled once: a [`Source`] computes pairs that are not in the table.

use rustc_hash::FxHashMap;

/// The successors of a state under a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// None: the operation cannot take effect in this state.
    Never,
    /// One state.
    To(u32),
    /// Several states, see [`Relation::state`].
    Several(u32),
}

/// Computes the entries of the table.
pub trait Source {
    /// Adds each successor of a state under a kind, without duplicates.
    fn successors(&mut self, state: u32, kind: u32, next: &mut Vec<u32>);
}

/// Cells below this index are stored in an array; others, mostly empty, in a hash map.
const DENSE: usize = 1 << 16;

const UNKNOWN: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;
/// Codes from here on are indices of lists.
const LISTS: u32 = 1 << 31;

/// The relation of one specification on the kinds of one history. The initial state is number 0.
pub struct Relation<'s> {
    source: Box<dyn Source + 's>,
    /// By kind: whether it is read-only.
    reads: Vec<bool>,
    /// By cell: the code of the step.
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    lists: Vec<Box<[u32]>>,
    /// The number of computed pairs of a state and a kind.
    pub user_steps: u64,
    /// Buffer; empty between calls.
    next: Vec<u32>,
}

impl<'s> Relation<'s> {
    /// Creates the empty table of a source. `reads` holds for each kind whether it is read-only.
    pub fn new(source: Box<dyn Source + 's>, reads: Vec<bool>) -> Relation<'s> {
        Relation {
            source,
            reads,
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            lists: Vec::new(),
            user_steps: 0,
            next: Vec::new(),
        }
    }

    /// Whether a kind is read-only.
    pub fn reads(&self, kind: u32) -> bool {
        self.reads[kind as usize]
    }

    /// Whether the kind can take effect in the state.
    #[inline]
    pub fn fits(&mut self, state: u32, kind: u32) -> bool {
        self.step(state, kind) != Step::Never
    }

    /// The successors of a state under a kind.
    #[inline]
    pub fn step(&mut self, state: u32, kind: u32) -> Step {
        let cell = state as usize * self.reads.len() + kind as usize;
        let known = match self.dense.get(cell) {
            Some(&code) => code,
            None if cell < DENSE => UNKNOWN,
            None => self.sparse.get(&pack(state, kind)).copied().unwrap_or(UNKNOWN),
        };
        let code = if known == UNKNOWN { self.compute(state, kind, cell) } else { known };
        match code {
            NEVER => Step::Never,
            LISTS.. => Step::Several(code - LISTS),
            _ => Step::To(code),
        }
    }

    /// The successor of a state under a kind if there is exactly one. Not stored in the table: for pairs that are needed once.
    pub fn only_successor(&mut self, state: u32, kind: u32) -> Option<u32> {
        self.source.successors(state, kind, &mut self.next);
        self.user_steps += 1;
        let only = if let [one] = self.next[..] { Some(one) } else { None };
        self.next.clear();
        only
    }

    /// Computes an entry and stores it.
    #[cold]
    fn compute(&mut self, state: u32, kind: u32, cell: usize) -> u32 {
        self.source.successors(state, kind, &mut self.next);
        self.user_steps += 1;
        let code = match self.next[..] {
            [] => NEVER,
            [one] => one,
            _ => {
                self.lists.push(self.next.as_slice().into());
                LISTS + (self.lists.len() - 1) as u32
            }
        };
        self.next.clear();
        self.store(state, kind, cell, code);
        code
    }

    fn store(&mut self, state: u32, kind: u32, cell: usize, code: u32) {
        if cell < DENSE {
            if self.dense.len() <= cell {
                self.dense.resize((cell + 1).next_power_of_two(), UNKNOWN);
            }
            self.dense[cell] = code;
        } else {
            self.sparse.insert(pack(state, kind), code);
        }
    }

    /// The number of successors of a step.
    #[inline]
    pub fn count(&self, step: Step) -> usize {
        match step {
            Step::Never => 0,
            Step::To(_) => 1,
            Step::Several(list) => self.lists[list as usize].len(),
        }
    }

    /// One of the successors of a step.
    #[inline]
    pub fn state(&self, step: Step, at: usize) -> u32 {
        match step {
            Step::Never => unreachable!("a step without successors"),
            Step::To(state) => state,
            Step::Several(list) => self.lists[list as usize][at],
        }
    }
}

fn pack(state: u32, kind: u32) -> u64 {
    u64::from(state) << 32 | u64::from(kind)
}
