//! A path through the states of a transition system.

use crate::TransitionSystem;
use std::fmt::{Debug, Formatter};

/// A path through the states of a transition system.
pub struct Path<M: TransitionSystem> {
    /// The initial state.
    pub start: M::State,
    /// The actions, each with the state it leads to.
    pub steps: Vec<(M::Action, M::State)>,
    /// Set for a lasso: the last state equals the state before this step.
    pub loop_from: Option<usize>,
    /// Of a violation of [`crate::Kind::LeadsTo`]: after how many steps its condition holds and its goal is not reached any more.
    pub asks: Option<usize>,
    /// An action of the last state whose evaluation panicked: it leads nowhere.
    pub attempted: Option<M::Action>,
}

impl<M: TransitionSystem> Clone for Path<M> {
    fn clone(&self) -> Path<M> {
        Path {
            start: self.start.clone(),
            steps: self.steps.clone(),
            loop_from: self.loop_from,
            asks: self.asks,
            attempted: self.attempted.clone(),
        }
    }
}

impl<M: TransitionSystem> Debug for Path<M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Path").field("start", &self.start).field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<M: TransitionSystem> Path<M> {
    /// The path that stays where it is.
    pub fn new(start: M::State) -> Path<M> {
        Path { start, steps: Vec::new(), loop_from: None, asks: None, attempted: None }
    }

    /// The state it ends in.
    pub fn last(&self) -> &M::State {
        self.steps.last().map_or(&self.start, |(_, state)| state)
    }
}
