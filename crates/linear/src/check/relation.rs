//! What the specification says, in small numbers.
//!
//! States are numbered as they appear. An operation together with its response (or with none: any will do) is a *kind*. User code runs once
//! for each state and kind that meet; after that the search looks the answer up.

use crate::history::Operation;
use crate::spec::Spec;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Where a kind leads from a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It cannot take effect there.
    Never,
    /// To one state.
    To(u32),
    /// To one of several states: a number for [`Relation::state`].
    Several(u32),
}

/// Tables of at most so many cells are arrays; larger ones, mostly empty, are hash maps.
const DENSE: usize = 1 << 16;

const UNKNOWN: u32 = u32::MAX;
const NEVER: u32 = u32::MAX - 1;
/// Codes from here on are lists.
const LISTS: u32 = 1 << 31;

/// Numbers for values, in the order in which they come.
pub struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// No values yet.
    pub fn new() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), values: Vec::new() }
    }

    /// The number of a value.
    pub fn intern(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).expect("fewer than 2^32 values");
        self.numbers.insert(value.clone(), number);
        self.values.push(value.clone());
        number
    }

    /// The value with this number.
    pub fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
}

/// The relation of one specification on the kinds of one history.
pub struct Relation<'s, S: Spec> {
    spec: &'s S,
    states: Interner<S::State>,
    kinds: Interner<(S::Operation, Option<S::Response>)>,
    /// By kind: whether it only looks.
    reads: Vec<bool>,
    /// By state and kind, while that is small.
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    lists: Vec<Box<[u32]>>,
    /// How often user code ran.
    pub user_steps: u64,
    outcomes: Vec<(S::State, S::Response)>,
}

impl<'s, S: Spec> Relation<'s, S> {
    /// Nothing is known but the initial state, which is number 0.
    pub fn new(spec: &'s S) -> Relation<'s, S> {
        let mut states = Interner::new();
        states.intern(&spec.initial());
        Relation {
            spec,
            states,
            kinds: Interner::new(),
            reads: Vec::new(),
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            lists: Vec::new(),
            user_steps: 0,
            outcomes: Vec::new(),
        }
    }

    /// The kind of an operation. All kinds are to be known before the first step.
    pub fn kind(&mut self, operation: &Operation<S::Operation, S::Response>) -> u32 {
        let kind = self.kinds.intern(&(operation.operation.clone(), operation.response.clone()));
        if kind as usize == self.reads.len() {
            self.reads.push(self.spec.reads(&operation.operation, operation.response.as_ref()));
        }
        kind
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
        let kinds = self.kinds.len();
        let cell = state as usize * kinds + kind as usize;
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

    /// Asks the specification.
    #[cold]
    fn learn(&mut self, state: u32, kind: u32, cell: usize) -> u32 {
        let (operation, response) = self.kinds.value(kind);
        let mut outcomes = std::mem::take(&mut self.outcomes);
        self.spec.outcomes(self.states.value(state), operation, &mut outcomes);
        self.user_steps += 1;
        let fitting = outcomes.drain(..).filter(|(_, given)| response.as_ref().is_none_or(|wanted| wanted == given));
        let mut next: Vec<u32> = Vec::new();
        for (after, _) in fitting {
            let after = self.states.intern(&after);
            if !next.contains(&after) {
                next.push(after);
            }
        }
        self.outcomes = outcomes;
        let code = match next[..] {
            [] => NEVER,
            [one] => one,
            _ => {
                self.lists.push(next.into_boxed_slice());
                LISTS + (self.lists.len() - 1) as u32
            }
        };
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
