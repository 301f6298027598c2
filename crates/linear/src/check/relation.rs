//! The transition relation of a specification as a table over small numbers.
//!
//! States are numbered as they appear. An operation together with its response (or without one: any response fits) is a *kind*. The specification is
//! evaluated once for each pair of a state and a kind that the search needs; after that the search reads the table. Nothing here depends on the type
//! of the specification, so the table and the searches over it are compiled once: a pair that is not in the table goes to a [`Source`].

use rustc_hash::FxHashMap;

/// Where a kind leads from a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It cannot take effect there.
    Never,
    /// To one state.
    To(u32),
    /// To one of several states: an index for [`Relation::state`].
    Several(u32),
}

/// Computes the entries of the table.
pub trait Source {
    /// Adds each state to which a kind leads from a state, once.
    fn successors(&mut self, state: u32, kind: u32, next: &mut Vec<u32>);
}

/// Tables of at most so many cells are arrays; larger ones, mostly empty, are hash maps.
const DENSE: usize = 1 << 16;

const UNKNOWN: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;
/// Codes from here on are lists.
const LISTS: u32 = 1 << 31;

/// The relation of one specification on the kinds of one history. The initial state is number 0.
pub struct Relation<'s> {
    source: Box<dyn Source + 's>,
    /// By kind: whether it leaves every state as it is.
    reads: Vec<bool>,
    /// By state and kind, while that is small.
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    lists: Vec<Box<[u32]>>,
    /// How many pairs of a state and a kind were computed.
    pub user_steps: u64,
    /// Empty between calls of `learn`.
    next: Vec<u32>,
}

impl<'s> Relation<'s> {
    /// The table of a source, empty. `reads` says for each kind whether it leaves every state as it is.
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

    /// Whether a kind leaves every state as it is.
    pub fn reads(&self, kind: u32) -> bool {
        self.reads[kind as usize]
    }

    /// Whether the kind can take effect in the state.
    #[inline]
    pub fn fits(&mut self, state: u32, kind: u32) -> bool {
        self.step(state, kind) != Step::Never
    }

    /// Where the kind leads from the state.
    #[inline]
    pub fn step(&mut self, state: u32, kind: u32) -> Step {
        let cell = state as usize * self.reads.len() + kind as usize;
        let known = match self.dense.get(cell) {
            Some(&code) => code,
            None if cell < DENSE => UNKNOWN,
            None => self.sparse.get(&pack(state, kind)).copied().unwrap_or(UNKNOWN),
        };
        let code = if known == UNKNOWN { self.learn(state, kind, cell) } else { known };
        match code {
            NEVER => Step::Never,
            LISTS.. => Step::Several(code - LISTS),
            _ => Step::To(code),
        }
    }

    /// Where the kind leads from the state, if that is one state, without a place in the table: for pairs that are needed once.
    pub fn only_successor(&mut self, state: u32, kind: u32) -> Option<u32> {
        self.source.successors(state, kind, &mut self.next);
        self.user_steps += 1;
        let only = if let [one] = self.next[..] { Some(one) } else { None };
        self.next.clear();
        only
    }

    /// Computes an entry and stores it.
    #[cold]
    fn learn(&mut self, state: u32, kind: u32, cell: usize) -> u32 {
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
        self.keep(state, kind, cell, code);
        code
    }

    fn keep(&mut self, state: u32, kind: u32, cell: usize, code: u32) {
        if cell < DENSE {
            if self.dense.len() <= cell {
                self.dense.resize((cell + 1).next_power_of_two(), UNKNOWN);
            }
            self.dense[cell] = code;
        } else {
            self.sparse.insert(pack(state, kind), code);
        }
    }

    /// How many states a step leads to.
    #[inline]
    pub fn count(&self, step: Step) -> usize {
        match step {
            Step::Never => 0,
            Step::To(_) => 1,
            Step::Several(list) => self.lists[list as usize].len(),
        }
    }

    /// One of the states that a step leads to.
    #[inline]
    pub fn state(&self, step: Step, at: usize) -> u32 {
        match step {
            Step::Never => unreachable!("a step that leads nowhere"),
            Step::To(state) => state,
            Step::Several(list) => self.lists[list as usize][at],
        }
    }
}

fn pack(state: u32, kind: u32) -> u64 {
    u64::from(state) << 32 | u64::from(kind)
}
