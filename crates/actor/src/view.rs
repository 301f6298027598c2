//! A global state as properties see it.

use crate::erased::Value;
use crate::state::State;
use crate::table::{Mirrors, Status};
use crate::worlds::Worlds;
use manyworlds_core::Pid;
use std::any::Any;
use std::cell::Ref;

/// A message on its way.
pub struct Flight<'a> {
    /// Who sent it.
    pub from: Pid,
    /// To whom.
    pub to: Pid,
    /// What.
    pub message: &'a dyn Value,
}

impl<'a> Flight<'a> {
    /// The message, if it has this type.
    pub fn message<M: 'static>(&self) -> Option<&'a M> {
        self.message.as_any().downcast_ref()
    }
}

/// The payload with which [`View::state`] leaves a property that looks at an actor which has not started.
pub(crate) struct NotStarted;

/// A global state.
pub struct View<'a> {
    worlds: &'a Worlds,
    mirrors: Ref<'a, Mirrors>,
    state: &'a State,
}

impl<'a> View<'a> {
    pub(crate) fn new(worlds: &'a Worlds, mirrors: Ref<'a, Mirrors>, state: &'a State) -> View<'a> {
        View { worlds, mirrors, state }
    }

    /// How many actors there are.
    pub fn actors(&self) -> usize {
        self.worlds.blueprint().actors.len()
    }

    /// The state of an actor; of one that is down, what survived.
    ///
    /// Where starting is a step (under mbox), a property that uses this function is not evaluated in states in which the actor has not started
    /// yet; the scope of the answer says so. A property that must be evaluated there, too, uses [`View::get`].
    ///
    /// # Panics
    /// If the actor has a state of another type, or is down and kept nothing: use [`View::get`] then.
    pub fn state<S: 'static>(&self, actor: Pid) -> &S {
        if let Some(state) = self.get(actor) {
            return state;
        }
        match self.worlds.blueprint().index(actor).map(|n| self.mirrors.local(self.state, n).status) {
            // Unwinds out of the property without a report; `Question::evaluate` catches it.
            Some(Status::New) => std::panic::resume_unwind(Box::new(NotStarted)),
            Some(Status::Down) => panic!("actor {actor:?} is down and kept nothing: use `View::get`"),
            _ => panic!("actor {actor:?} has no state of type {}", std::any::type_name::<S>()),
        }
    }

    /// The state of an actor, if it has one of this type: one that is down may have kept nothing.
    pub fn get<S: 'static>(&self, actor: Pid) -> Option<&S> {
        let n = self.worlds.blueprint().index(actor)?;
        self.nth(usize::from(n))
    }

    /// The states of all actors that have one of this type.
    pub fn all<S: 'static>(&self) -> impl Iterator<Item = (Pid, &S)> {
        (0..self.actors()).filter_map(|n| Some((Pid::root(n as u16), self.nth(n)?)))
    }

    /// Whether an actor runs.
    pub fn is_up(&self, actor: Pid) -> bool {
        let n = self.worlds.blueprint().index(actor);
        n.is_some_and(|n| self.mirrors.local(self.state, n).status == Status::Up)
    }

    /// Whether an actor has set a timer.
    pub fn timer_is_set(&self, actor: Pid, timer: &str) -> bool {
        let n = self.worlds.blueprint().index(actor);
        n.is_some_and(|n| self.mirrors.local(self.state, n).timers.contains(&timer))
    }

    /// The messages on their way; those to one actor in an order that its network may deliver.
    pub fn flights(&self) -> Vec<Flight<'_>> {
        self.worlds.looked.set(true);
        let list = self.worlds.pending(&self.mirrors, self.state);
        let flight = |&(to, id): &(u16, u32)| {
            let envelope = self.mirrors.envelopes.get(id);
            let message = &*self.mirrors.values.get(envelope.message).value;
            Flight { from: Pid::root(envelope.from), to: Pid::root(to), message }
        };
        list.iter().map(flight).collect()
    }

    /// The messages of this type that are on their way, with sender and destination.
    pub fn messages<M: 'static>(&self) -> Vec<(Pid, Pid, &M)> {
        self.flights().into_iter().filter_map(|f| Some((f.from, f.to, f.message()?))).collect()
    }

    #[inline]
    fn nth<S: 'static>(&self, n: usize) -> Option<&S> {
        let value: &dyn Any = self.mirrors.faces[self.state.ids[n] as usize].as_deref()?;
        value.downcast_ref()
    }
}
