//! Computes successors for all engines, with or without symmetry and partial-order reduction.

use crate::config::Reduction;
use crate::guard::caught;
use crate::rebuild::differs;
use crate::run::{Initial, Run};
use crate::sample::Sample;
use crate::sleep::{self, Sleep};
use crate::visited::Key;
use crate::{Label, Listed, Path, TransitionSystem, temporal};
use manyworlds_core::{ActionCoverage, InvalidModel, Stats, ValueTree, Violation};
use std::collections::BTreeMap;

/// Which actions of a state are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Those of a persistent set, if the run uses them; otherwise all of them.
    Reduced,
    /// Those that [`Part::Reduced`] leaves out.
    Rest,
}

/// The result of expanding a state.
#[derive(Clone, Copy, Default)]
pub struct Steps {
    /// Successors, duplicates included.
    pub generated: u64,
    /// Whether actions were left out.
    pub reduced: bool,
}

/// A step.
pub struct Step<M: TransitionSystem> {
    /// The action.
    pub action: M::Action,
    /// Whether it changes the state, before that is renamed.
    pub changes: bool,
    /// The fairness assumptions that cover it, in ascending order; for the caller to fill in.
    pub labels: Vec<Label>,
    /// Whether it keeps a promise on its way; for the caller to fill in.
    pub cools: bool,
    /// The successor.
    pub state: M::State,
}

/// A panic of a specification.
pub struct Panicked<M: TransitionSystem> {
    /// The message.
    pub violation: Violation,
    /// The action that was evaluated; `None` if actions were listed.
    pub attempted: Option<M::Action>,
}

/// Successors that are listed.
pub struct Listing<M: TransitionSystem> {
    /// The data known of all of them.
    pub listed: Vec<Listed>,
    /// The successors themselves, if whole states are wanted.
    pub built: Vec<M::State>,
    /// Otherwise the actions that lead to them, where numbers do not say that.
    pub actions: Vec<M::Action>,
}

impl<M: TransitionSystem> Default for Listing<M> {
    fn default() -> Listing<M> {
        Listing { listed: Vec::new(), built: Vec::new(), actions: Vec::new() }
    }
}

impl<M: TransitionSystem> Listing<M> {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.listed.clear();
        self.built.clear();
        self.actions.clear();
    }
}

/// Computes successors for one worker.
pub struct Stepper<M: TransitionSystem> {
    /// The worker's clone of the model.
    pub model: M,
    initial: Initial<M::State>,
    symmetry: bool,
    /// Successors are built at once: they are compared as a whole, or renamed.
    whole: bool,
    persistent: bool,
    /// The model may list fingerprints of successors without listing actions.
    quick: bool,
    /// Actions are kept until it is known which successors are new: a specification may list them in another order the next time.
    keeps_actions: bool,
    /// Sleep sets are known by the names of actions.
    sleeps: bool,
    sleep: Sleep,
    actions: Vec<M::Action>,
    /// The number of the action that is evaluated; `None` while actions are listed.
    evaluated: Option<usize>,
    /// The number of evaluated steps.
    worked_out: u64,
    /// The coverage of each kind of action, if it is collected.
    tally: Option<BTreeMap<String, ActionCoverage>>,
    /// Samples of states with their successors.
    pub samples: Vec<Sample<M>>,
}

impl<M: TransitionSystem> Stepper<M> {
    /// Steps of a clone of the model.
    pub fn new(run: &Run<'_, M>) -> Stepper<M> {
        let config = run.config;
        let persistent = config.reduction == Reduction::Persistent;
        let whole = config.exact || config.symmetry;
        Stepper {
            model: run.model.clone(),
            initial: run.initial.clone(),
            symmetry: config.symmetry,
            whole,
            persistent,
            quick: M::LISTS_FINGERPRINTS && !(whole || persistent),
            keeps_actions: !M::LISTS_FINGERPRINTS && !whole,
            // Coverage counts the result of every step, so every step must be taken.
            sleeps: M::KNOWS_INDEPENDENCE && !config.symmetry && !persistent && !config.coverage,
            sleep: Sleep::default(),
            actions: Vec::new(),
            evaluated: None,
            worked_out: 0,
            tally: config.coverage.then(BTreeMap::new),
            samples: Vec::new(),
        }
    }

    /// A contradiction to the declared independence in `state`, if there is one.
    #[inline]
    pub fn contradiction(&mut self, state: &M::State) -> Option<InvalidModel> {
        if !self.sleeps {
            return None;
        }
        // A panic shows again when the state is expanded, and is reported there.
        caught::<M, _>(|| {
            self.list(state);
            sleep::contradiction(&self.model, state, &self.actions)
        })
        .unwrap_or(None)
    }

    #[inline]
    fn canonical(&self, state: M::State) -> M::State {
        if self.symmetry { self.model.canonical(state) } else { state }
    }

    /// The initial states, and their fingerprints.
    pub fn initial(&self) -> Initial<M::State> {
        self.initial.clone()
    }

    /// Lists the actions of `state`, the persistent ones first, and returns the number of those.
    #[inline]
    fn list(&mut self, state: &M::State) -> usize {
        self.evaluated = None;
        self.actions.clear();
        self.model.actions(state, &mut self.actions);
        if self.persistent { self.model.persistent(state, &mut self.actions) } else { self.actions.len() }
    }

    /// The action that was evaluated when something panicked.
    fn panicked(&mut self, violation: Violation) -> Panicked<M> {
        Panicked { violation, attempted: self.evaluated.and_then(|nth| self.actions.get(nth).cloned()) }
    }

    /// Adds the successors of `state` to the listing; those that are `asleep` need not be there, but they count. Successors are built if they turn out
    /// to be new, unless whole states are wanted. Steps that change nothing count, but need not be there. A state that is `sampled` is evaluated
    /// again at the end of the run. After a panic the successors before it are there.
    #[inline]
    pub fn expand(
        &mut self,
        state: &M::State,
        asleep: u64,
        part: Part,
        sampled: bool,
        out: &mut Listing<M>,
    ) -> Result<Steps, Box<Panicked<M>>> {
        if self.quick
            && let Some(generated) = self.model.list_fingerprints(state, asleep, &mut out.listed)
        {
            return Ok(Steps { generated, reduced: false });
        }
        let start = out.listed.len();
        let steps = caught::<M, _>(|| self.expand_slowly(state, asleep, part, sampled, out));
        let steps = steps.map_err(|violation| Box::new(self.panicked(violation)));
        if self.keeps_actions && !Self::COPIES {
            let mut listed = out.listed[start..].iter().map(|next| next.number as usize).peekable();
            let is_listed = |(nth, action)| listed.next_if_eq(&nth).map(|_| action);
            out.actions.extend(self.actions.drain(..).enumerate().filter_map(is_listed));
        }
        steps
    }

    /// Whether actions are copied as they are listed, because nothing is owned by them; otherwise they are moved when all are listed.
    const COPIES: bool = !std::mem::needs_drop::<M::Action>();

    fn expand_slowly(
        &mut self,
        state: &M::State,
        asleep: u64,
        part: Part,
        sampled: bool,
        Listing { listed, built, actions }: &mut Listing<M>,
    ) -> Steps {
        let persistent = self.list(state);
        let range = match part {
            Part::Reduced => 0..persistent,
            Part::Rest => persistent..self.actions.len(),
        };
        let reduced = range.end < self.actions.len();
        let mut generated = 0;
        let (mut seen, all) = (Vec::new(), range.len() == self.actions.len());
        if self.sleeps {
            self.sleep.enter(&self.model, &self.actions);
        }
        for nth in range {
            if self.sleeps && self.sleep.holds(asleep, nth) {
                generated += 1;
                continue;
            }
            self.worked_out += 1;
            self.evaluated = Some(nth);
            let next = self.model.next(state, &self.actions[nth]);
            if sampled {
                seen.push((self.actions[nth].clone(), next.clone()));
            }
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
            } else if self.keeps_actions && Self::COPIES {
                actions.push(self.actions[nth].clone());
            }
        }
        if sampled {
            let complete = all && seen.len() == self.actions.len();
            self.samples.push(Sample { state: state.clone(), seen, complete });
        }
        Steps { generated, reduced }
    }

    /// Counts the result of an action for coverage.
    #[inline]
    fn note(&mut self, nth: usize, taken: bool, changed: bool) {
        let Some(tally) = &mut self.tally else { return };
        let shown = ValueTree::of(&self.actions[nth]);
        let name = shown.type_name().unwrap_or("value");
        let noted =
            tally.entry(name.to_string()).or_insert_with(|| ActionCoverage { name: name.into(), ..Default::default() });
        noted.listed += 1;
        noted.taken += u64::from(taken);
        noted.changed += u64::from(changed);
    }

    /// The property key of the successor with this number, if that is known without building it and the successor is not terminal.
    #[inline]
    pub fn successor_key(&self, state: &M::State, number: u32) -> Option<u128> {
        if self.quick { self.model.successor_key(state, number) } else { None }
    }

    /// The successor that was listed so; `action` leads to it, if actions are kept. `Err` if it cannot be taken again.
    #[inline]
    pub fn build(
        &mut self,
        state: &M::State,
        next: Listed,
        action: Option<&M::Action>,
    ) -> Result<M::State, Box<InvalidModel>> {
        if self.quick
            && let Some(state) = self.model.successor(state, next.number, next.print)
        {
            return Ok(state);
        }
        self.worked_out += 1;
        let built = match action {
            Some(action) => caught::<M, _>(|| self.model.next(state, action)).ok().flatten(),
            None => self.numbered(state, next.number).and_then(|action| self.model.next(state, &action)),
        };
        let Some(built) = built else { return Err(Box::new(not_again(state, action))) };
        // Otherwise a state that was listed, and perhaps violates a property, could be replaced by another one unnoticed.
        if M::USER_CODE && self.model.fingerprint(&built) != next.print {
            return Err(Box::new(another(state, action, next.print, &built)));
        }
        Ok(built)
    }

    /// The action to which [`Stepper::expand`] gave this number, if actions are listed in the same order now.
    #[inline]
    fn numbered(&mut self, state: &M::State, number: u32) -> Option<M::Action> {
        if self.quick {
            return self.model.numbered(state, number);
        }
        self.list(state);
        self.actions.get(number as usize).cloned()
    }

    /// Whether a state has an enabled action.
    pub fn has_successor(&mut self, state: &M::State) -> Result<bool, Box<Panicked<M>>> {
        if !M::USER_CODE {
            return Ok(!self.model.at_rest(state));
        }
        caught::<M, _>(|| {
            self.list(state);
            (0..self.actions.len()).any(|nth| {
                self.evaluated = Some(nth);
                self.model.next(state, &self.actions[nth]).is_some()
            })
        })
        .map_err(|violation| Box::new(self.panicked(violation)))
    }

    /// A step chosen by `below`, which is given the number of possibilities. A state that is `sampled` is evaluated again at the end of the run.
    pub fn pick(
        &mut self,
        state: &M::State,
        sampled: bool,
        mut below: impl FnMut(usize) -> usize,
    ) -> Result<Option<(M::Action, M::State)>, Box<Panicked<M>>> {
        let picked = caught::<M, _>(|| {
            self.list(state);
            let mut open: Vec<usize> = (0..self.actions.len()).collect();
            while !open.is_empty() {
                let nth = open.swap_remove(below(open.len()));
                self.worked_out += 1;
                self.evaluated = Some(nth);
                if let Some(next) = self.model.next(state, &self.actions[nth]) {
                    return Some((nth, next));
                }
            }
            None
        });
        let Some((nth, next)) = picked.map_err(|violation| Box::new(self.panicked(violation)))? else {
            return Ok(None);
        };
        let action = self.actions.swap_remove(nth);
        if M::USER_CODE && sampled {
            let seen = vec![(action.clone(), Some(next.clone()))];
            self.samples.push(Sample { state: state.clone(), seen, complete: false });
        }
        Ok(Some((action, self.canonical(next))))
    }

    /// All successors of a state, steps that change nothing included.
    pub fn successors(&mut self, state: &M::State) -> Result<Vec<Step<M>>, Box<Panicked<M>>> {
        let mut out = Vec::new();
        let listed = caught::<M, _>(|| {
            self.list(state);
            self.worked_out += self.actions.len() as u64;
            for (nth, action) in self.actions.iter().enumerate() {
                self.evaluated = Some(nth);
                if let Some(next) = self.model.next(state, action) {
                    let changes = next != *state;
                    out.push(Step {
                        action: action.clone(),
                        changes,
                        labels: Vec::new(),
                        cools: false,
                        state: self.canonical(next),
                    });
                }
            }
        });
        listed.map_err(|violation| Box::new(self.panicked(violation)))?;
        Ok(out)
    }

    /// All successors of a state, each evaluated twice: `Err` if the results differ. A successor whose evaluation panics is left out.
    pub fn evaluated_twice(&mut self, state: &M::State) -> Result<Vec<(M::Action, M::State)>, Box<InvalidModel>> {
        if caught::<M, _>(|| self.list(state)).is_err() {
            return Ok(Vec::new());
        }
        let mut out = Vec::new();
        for action in std::mem::take(&mut self.actions) {
            let [first, again] = [(); 2].map(|()| caught::<M, _>(|| self.model.next(state, &action)).ok().flatten());
            if first != again {
                return Err(Box::new(differs(state, &action, first.as_ref(), again.as_ref())));
            }
            out.extend(first.map(|next| (action, self.canonical(next))));
        }
        Ok(out)
    }

    /// The path of these numbers: of the initial state, then of each action as [`Stepper::expand`] numbers them. `None` if there is no such path now.
    pub fn follow(&mut self, numbers: &[u32]) -> Option<Path<M>> {
        let (_, start) = self.initial.get(numbers[0] as usize)?;
        let mut path: Path<M> = Path::new(start.clone());
        for &number in &numbers[1..] {
            let step = caught::<M, _>(|| {
                let action = self.numbered(path.last(), number)?;
                let next = self.model.next(path.last(), &action)?;
                Some((action, self.canonical(next)))
            });
            path.steps.push(step.ok().flatten()?);
        }
        Some(path)
    }

    /// The path through states with these keys, by steps that change the state.
    pub fn follow_keys(&mut self, keys: &[Waypoint<'_, M::State>]) -> Result<Path<M>, Box<InvalidModel>> {
        let start = self.initial.iter().find(|(print, state)| keys[0].key.is_of(*print, state)).map(|(_, state)| state);
        let mut path: Path<M> = Path::new(start.unwrap_or(&self.initial[0].1).clone());
        for Waypoint { key, labels } in &keys[1..] {
            let last = path.last().clone();
            let steps = self.successors(&last).unwrap_or_default();
            let covered = |step: &Step<M>| temporal::labels(&self.model, &last, &step.action).ok();
            let is_it = |step: &Step<M>| {
                step.changes
                    && key.is_of(self.model.fingerprint(&step.state), &step.state)
                    && labels.as_ref().is_none_or(|labels| covered(step).as_ref() == Some(labels))
            };
            match steps.into_iter().find(is_it) {
                Some(step) => path.steps.push((step.action, step.state)),
                None => return Err(Box::new(not_again(&last, None::<&M::Action>))),
            }
        }
        Ok(path)
    }
}

/// A state on the way.
pub struct Waypoint<'a, S> {
    /// Its key.
    pub key: &'a Key<S>,
    /// The fairness assumptions that cover the step to it, in ascending order, if that matters.
    pub labels: Option<Vec<Label>>,
}

/// A step that was taken cannot be taken again.
fn not_again(state: &impl std::fmt::Debug, action: Option<&impl std::fmt::Debug>) -> InvalidModel {
    let problem = format!("{} was taken in the state {state:?} and cannot be taken again", shown(action));
    not_a_function(problem, "it led to a new state", "it does not lead to that state".into())
}

/// The action led to another state than before.
fn another(
    state: &impl std::fmt::Debug,
    action: Option<&impl std::fmt::Debug>,
    first: u128,
    second: &impl std::fmt::Debug,
) -> InvalidModel {
    let problem = format!("`next` gives two results for {} in the state {state:?}", shown(action));
    let first = format!("the action leads to a state with the fingerprint {first:032x}");
    not_a_function(problem, &first, format!("the action leads to {second:?}"))
}

fn shown(action: Option<&impl std::fmt::Debug>) -> String {
    action.map_or_else(|| "a step".to_string(), |action| format!("the action {action:?}"))
}

fn not_a_function(problem: String, first: &str, again: String) -> InvalidModel {
    InvalidModel::new(manyworlds_core::Flaw::NotAFunction, format!("the specification is not a function: {problem}"))
        .evidence(format!("first: {first}"))
        .evidence(format!("again: {again}"))
        .advice(crate::rebuild::ADVICE)
}

/// How often these took a step. That is how often user code ran, unless the model keeps count itself: see [`crate::explore`].
pub fn count_user_steps<'a, M: TransitionSystem>(steppers: impl Iterator<Item = &'a Stepper<M>>, stats: &mut Stats) {
    let worked_out: u64 = steppers.map(|stepper| stepper.worked_out).sum();
    stats.user_steps += worked_out;
    stats.distinct_steps += worked_out;
}

/// The coverage of each kind of action, by name, for all of these together.
pub fn tally<'a, M: TransitionSystem>(steppers: impl Iterator<Item = &'a Stepper<M>>) -> Vec<ActionCoverage> {
    let mut all: BTreeMap<&str, ActionCoverage> = BTreeMap::new();
    for one in steppers.flat_map(|stepper| &stepper.tally).flat_map(BTreeMap::values) {
        let sum =
            all.entry(&one.name).or_insert_with(|| ActionCoverage { name: one.name.clone(), ..Default::default() });
        (sum.listed, sum.taken, sum.changed) =
            (sum.listed + one.listed, sum.taken + one.taken, sum.changed + one.changed);
    }
    all.into_values().collect()
}
