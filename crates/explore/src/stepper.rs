//! How every engine takes steps: with symmetry and partial-order reduction or without, always numbering the actions of a state alike.

use crate::config::{Config, Reduction};
use crate::sleep::{self, Sleep};
use crate::{Listed, Model, Path};
use manyworlds_core::{ActionCoverage, Stats, type_of};
use std::collections::BTreeMap;

const REPEATED: &str = "a step that was taken can be taken again";

/// Which actions of a state are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Those of a persistent set, if the run asks for that; otherwise all of them.
    Reduced,
    /// Those that [`Part::Reduced`] leaves out.
    Rest,
}

/// What came of taking steps from a state.
#[derive(Clone, Copy, Default)]
pub struct Steps {
    /// Successors, duplicates included.
    pub generated: u64,
    /// Whether actions were left out.
    pub reduced: bool,
}

/// A step, and who takes it.
pub struct Step<S> {
    /// The number of the action.
    pub nth: u32,
    /// The process of the action.
    pub process: Option<usize>,
    /// The successor.
    pub state: S,
}

/// A worker's way of taking steps.
pub struct Stepper<M: Model> {
    /// The worker's own.
    pub model: M,
    symmetry: bool,
    /// Successors are built at once: they are compared as a whole, or renamed.
    pub whole: bool,
    persistent: bool,
    /// The model may know a shorter way than listing all actions.
    quick: bool,
    /// Sleep sets are known by the names of actions.
    sleeps: bool,
    sleep: Sleep,
    actions: Vec<M::Action>,
    /// How often a step was worked out.
    worked_out: u64,
    /// What came of each kind of action, if somebody wants to know.
    tally: Option<BTreeMap<String, ActionCoverage>>,
}

impl<M: Model> Stepper<M> {
    /// Steps of a clone of `model`.
    pub fn new(model: &M, config: &Config) -> Stepper<M> {
        let persistent = config.reduction == Reduction::Persistent;
        let model = model.clone();
        Stepper {
            model,
            symmetry: config.symmetry,
            whole: config.exact || config.symmetry,
            persistent,
            quick: M::TELLS_PRINTS && !(config.exact || config.symmetry || persistent),
            // Whoever wants to know what came of every step has to see it.
            sleeps: M::TELLS_INDEPENDENCE && !config.symmetry && !persistent && !config.coverage,
            sleep: Sleep::default(),
            actions: Vec::new(),
            worked_out: 0,
            tally: config.coverage.then(BTreeMap::new),
        }
    }

    /// Why what the model says about independence cannot be right, if `state` shows it.
    pub fn contradiction(&mut self, state: &M::State) -> Option<String> {
        if !self.sleeps {
            return None;
        }
        self.list(state);
        sleep::contradiction(&self.model, state, &self.actions)
    }

    fn canonical(&self, state: M::State) -> M::State {
        if self.symmetry { self.model.canonical(state) } else { state }
    }

    /// The states it may start in, and their fingerprints.
    pub fn initial(&self) -> Vec<(u128, M::State)> {
        let states = self.model.initial().into_iter().map(|state| self.canonical(state));
        states.map(|state| (self.model.fingerprint(&state), state)).collect()
    }

    /// Lists the actions of `state`, the persistent ones first, and says how many those are.
    fn list(&mut self, state: &M::State) -> usize {
        self.actions.clear();
        self.model.actions(state, &mut self.actions);
        if self.persistent { self.model.persistent(state, &mut self.actions) } else { self.actions.len() }
    }

    /// Adds the successors of `state` to `listed`; those that are `asleep` need not be there, but they count. If whole states are wanted, `built`
    /// gets them, too; otherwise a successor is built if it turns out to be new. Steps that change nothing count, but need not be there.
    #[inline]
    pub fn expand(
        &mut self,
        state: &M::State,
        asleep: u64,
        part: Part,
        listed: &mut Vec<Listed>,
        built: &mut Vec<M::State>,
    ) -> Steps {
        if self.quick
            && let Some(generated) = self.model.prints(state, asleep, listed)
        {
            return Steps { generated, reduced: false };
        }
        self.expand_slowly(state, asleep, part, listed, built)
    }

    fn expand_slowly(
        &mut self,
        state: &M::State,
        asleep: u64,
        part: Part,
        listed: &mut Vec<Listed>,
        built: &mut Vec<M::State>,
    ) -> Steps {
        let persistent = self.list(state);
        let range = match part {
            Part::Reduced => 0..persistent,
            Part::Rest => persistent..self.actions.len(),
        };
        let reduced = range.end < self.actions.len();
        let mut generated = 0;
        if self.sleeps {
            self.sleep.enter(&self.model, &self.actions);
        }
        for nth in range {
            if self.sleeps && self.sleep.holds(asleep, nth) {
                generated += 1;
                continue;
            }
            self.worked_out += 1;
            let next = self.model.next(state, &self.actions[nth]);
            self.note(nth, next.is_some(), next.as_ref().is_some_and(|next| next != state));
            let Some(next) = next else { continue };
            generated += 1;
            let asleep = match self.sleeps {
                true => self.sleep.after(&self.model, state, &self.actions, nth, asleep),
                false => 0,
            };
            if next == *state {
                continue;
            }
            let next = self.canonical(next);
            listed.push(Listed { number: nth as u32, asleep, print: self.model.fingerprint(&next) });
            if self.whole {
                built.push(next);
            }
        }
        Steps { generated, reduced }
    }

    /// Notes what came of an action.
    #[inline]
    fn note(&mut self, nth: usize, taken: bool, changed: bool) {
        let Some(tally) = &mut self.tally else { return };
        let shown = format!("{:?}", self.actions[nth]);
        let name = type_of(&shown);
        let noted =
            tally.entry(name.to_string()).or_insert_with(|| ActionCoverage { name: name.into(), ..Default::default() });
        noted.listed += 1;
        noted.taken += u64::from(taken);
        noted.changed += u64::from(changed);
    }

    /// What the successor with this number looks like, if that is known without building it and something can happen there.
    pub fn preview(&self, state: &M::State, number: u32) -> Option<u128> {
        if self.quick { self.model.preview(state, number) } else { None }
    }

    /// The successor that the action with this number leads to, with this fingerprint.
    pub fn build(&mut self, state: &M::State, number: u32, print: u128) -> M::State {
        if self.quick {
            return self.model.successor(state, number, print).expect(REPEATED);
        }
        self.worked_out += 1;
        self.numbered(state, number).and_then(|action| self.model.next(state, &action)).expect(REPEATED)
    }

    /// The action to which [`Stepper::expand`] gave this number.
    fn numbered(&mut self, state: &M::State, number: u32) -> Option<M::Action> {
        if self.quick {
            return self.model.numbered(state, number);
        }
        self.list(state);
        self.actions.get(number as usize).cloned()
    }

    /// Whether anything can happen in a state.
    pub fn has_successor(&self, state: &M::State) -> bool {
        !self.model.at_rest(state)
    }

    /// A step chosen by `below`, which is given the number of possibilities.
    pub fn pick(&mut self, state: &M::State, mut below: impl FnMut(usize) -> usize) -> Option<(u32, M::State)> {
        self.list(state);
        let mut open: Vec<u32> = (0..self.actions.len() as u32).collect();
        while !open.is_empty() {
            let nth = open.swap_remove(below(open.len()));
            self.worked_out += 1;
            if let Some(next) = self.model.next(state, &self.actions[nth as usize]) {
                return Some((nth, self.canonical(next)));
            }
        }
        None
    }

    /// All successors of a state, steps that change nothing included.
    pub fn successors(&mut self, state: &M::State, out: &mut Vec<Step<M::State>>) {
        self.list(state);
        out.clear();
        self.worked_out += self.actions.len() as u64;
        for (nth, action) in self.actions.iter().enumerate() {
            if let Some(next) = self.model.next(state, action) {
                out.push(Step { nth: nth as u32, process: self.model.process(action), state: self.canonical(next) });
            }
        }
    }

    /// The path of these numbers: of the initial state, then of each action as [`Stepper::expand`] numbers them.
    pub fn follow(&mut self, numbers: &[u32]) -> Path<M> {
        self.follow_by(numbers, Stepper::numbered)
    }

    /// The path of these numbers: of the initial state, then of each action as [`Model::actions`] lists them.
    pub fn follow_listed(&mut self, numbers: &[u32]) -> Path<M> {
        self.follow_by(numbers, |stepper, state, number| {
            stepper.list(state);
            stepper.actions.get(number as usize).cloned()
        })
    }

    fn follow_by(
        &mut self,
        numbers: &[u32],
        find: impl Fn(&mut Stepper<M>, &M::State, u32) -> Option<M::Action>,
    ) -> Path<M> {
        let mut initial = self.model.initial();
        let start = initial.swap_remove(numbers[0] as usize);
        let mut path: Path<M> = Path::new(self.canonical(start));
        for &number in &numbers[1..] {
            let action = find(self, path.last(), number).expect(REPEATED);
            let next = self.model.next(path.last(), &action).expect(REPEATED);
            let next = self.canonical(next);
            path.steps.push((action, next));
        }
        path
    }
}

/// How often these took a step. That is how often user code ran, unless the model keeps count itself: see [`crate::explore`].
pub fn count_user_steps<'a, M: Model>(steppers: impl Iterator<Item = &'a Stepper<M>>, stats: &mut Stats) {
    let worked_out: u64 = steppers.map(|stepper| stepper.worked_out).sum();
    stats.user_steps += worked_out;
    stats.distinct_steps += worked_out;
}

/// What came of each kind of action, by name, for all of these together.
pub fn tally<'a, M: Model>(steppers: impl Iterator<Item = &'a Stepper<M>>) -> Vec<ActionCoverage> {
    let mut all: BTreeMap<&str, ActionCoverage> = BTreeMap::new();
    for one in steppers.flat_map(|stepper| &stepper.tally).flat_map(BTreeMap::values) {
        let sum =
            all.entry(&one.name).or_insert_with(|| ActionCoverage { name: one.name.clone(), ..Default::default() });
        (sum.listed, sum.taken, sum.changed) =
            (sum.listed + one.listed, sum.taken + one.taken, sum.changed + one.changed);
    }
    all.into_values().collect()
}
