//! Sleep sets (Godefroid) for specifications that declare independent actions ([`crate::Independent`]), used by breadth-first search.
//! [`crate::Listed::asleep`] has the argument why no state is missed.
//!
//! A set is a word; the bit of an action is its [`crate::Independent::name`], so that it is the same action in every state. An action without a name never
//! sleeps.
//!
//! A wrong relation would silently hide states. So it is tested for all pairs of actions in the first states of a run, which are the same for any
//! number of workers.

use crate::TransitionSystem;
use manyworlds_core::{Flaw, InvalidModel};

/// A set has so many bits.
pub const NAMES: u32 = u64::BITS;
/// The relation is tested in so many states.
pub const TESTED: u32 = 1 << 10;

/// The bits of the actions of one state.
#[derive(Default)]
pub struct Sleep {
    bits: Vec<u64>,
    /// Actions that were tried before.
    before: u64,
}

impl Sleep {
    /// Starts with the actions of another state.
    #[inline]
    pub fn enter<M: TransitionSystem>(&mut self, model: &M, actions: &[M::Action]) {
        self.bits.clear();
        for action in actions {
            self.bits.push(model.name(action).map_or(0, bit));
        }
        self.before = 0;
    }

    /// Whether an action is in this set.
    #[inline]
    pub fn holds(&self, set: u64, nth: usize) -> bool {
        set & self.bits[nth] != 0
    }

    /// The sleep set of the successor by action `nth` of `state`, whose own sleep set is `asleep`.
    #[inline]
    pub fn after<M: TransitionSystem>(
        &mut self,
        model: &M,
        state: &M::State,
        actions: &[M::Action],
        nth: usize,
        asleep: u64,
    ) -> u64 {
        let candidates = asleep | self.before;
        self.before |= self.bits[nth];
        if candidates == 0 {
            return 0;
        }
        let mut set = 0;
        for (at, action) in actions.iter().enumerate() {
            if self.holds(candidates, at) && model.independent(state, action, &actions[nth]) {
                set |= self.bits[at];
            }
        }
        set
    }
}

#[inline]
fn bit(name: u32) -> u64 {
    1u64.checked_shl(name).unwrap_or(0)
}

/// A contradiction to the declared names and independence in `state`, if there is one.
pub fn contradiction<M: TransitionSystem>(model: &M, state: &M::State, actions: &[M::Action]) -> Option<InvalidModel> {
    let wrong = |why: String| {
        InvalidModel::new(Flaw::WrongIndependence, format!("what the model says about independence is wrong: {why}"))
    };
    for (at, a) in actions.iter().enumerate() {
        if let Some(name @ NAMES..) = model.name(a) {
            return Some(wrong(format!("the name of the action {a:?} is {name}, but names are below {NAMES}")));
        }
        for b in &actions[at + 1..] {
            if model.name(a).is_some() && model.name(a) == model.name(b) {
                return Some(wrong(format!("the actions {a:?} and {b:?} of {state:?} have the same name")));
            }
            if let Some(why) = dependence(model, state, a, b) {
                let why = format!("the actions {a:?} and {b:?} are declared independent in {state:?}, but {why}");
                return Some(wrong(why));
            }
        }
    }
    None
}

/// How two actions that are declared independent depend on each other.
fn dependence<M: TransitionSystem>(model: &M, state: &M::State, a: &M::Action, b: &M::Action) -> Option<String> {
    let declared = model.independent(state, a, b);
    if declared != model.independent(state, b, a) {
        return Some("not the other way round".to_string());
    }
    let (after_a, after_b) = (model.next(state, a)?, model.next(state, b)?);
    if !declared {
        return None;
    }
    let then = |state: &M::State, action: &M::Action| {
        let mut actions = Vec::new();
        model.actions(state, &mut actions);
        actions.contains(action).then(|| model.next(state, action)).flatten()
    };
    match (then(&after_a, b), then(&after_b, a)) {
        (None, _) => Some(format!("{a:?} disables {b:?}")),
        (_, None) => Some(format!("{b:?} disables {a:?}")),
        (one, other) => (one != other).then(|| "their order makes a difference".to_string()),
    }
}
