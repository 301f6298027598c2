//! A global state as the argument of properties.

use crate::erased::Value;
use crate::state::State;
use crate::table::{Mirrors, Status};
use crate::worlds::Worlds;
use manyworlds_core::Pid;
use std::any::Any;
use std::cell::Ref;

/// A message in flight.
pub struct Flight<'a> {
    /// The sender.
    pub from: Pid,
    /// The destination.
    pub to: Pid,
    /// The message.
    pub message: &'a dyn Value,
}

impl<'a> Flight<'a> {
    /// The message, if it has this type.
    pub fn message<M: 'static>(&self) -> Option<&'a M> {
        self.message.as_any().downcast_ref()
    }
}

/// The panic payload with which [`View::state`] leaves a property that reads the state of an actor which has not started.
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

    /// The number of declared actors.
    pub fn actors(&self) -> usize {
        self.worlds.blueprint().actors.len()
    }

    /// The index of an actor, if it exists.
    fn index(&self, actor: Pid) -> Option<u16> {
        let index = self.worlds.blueprint().index(actor).or_else(|| self.mirrors.names.index(actor))?;
        (usize::from(index) < self.worlds.slots(self.state)).then_some(index)
    }

    /// The state of an actor; of one that has crashed, the part that survived.
    ///
    /// Where starting is a step (under mbox, and of created actors), a property that uses this function is not evaluated in states in which the actor
    /// has not started yet, or has halted; the scope of the result reports that. A property that must be evaluated there, too, uses [`View::get`].
    ///
    /// # Panics
    /// If the actor has a state of another type, or has crashed and nothing survived: use [`View::get`] then.
    pub fn state<S: 'static>(&self, actor: Pid) -> &S {
        if let Some(state) = self.get(actor) {
            return state;
        }
        let blueprint = self.worlds.blueprint();
        let created = blueprint.creates > 0 && blueprint.index(actor).is_none();
        match self.index(actor).map(|n| self.mirrors.local(self.state, n).status) {
            // Unwinds out of the property without a message; `Question::evaluate_or_skip` catches it.
            Some(Status::New | Status::Halted | Status::Absent) => std::panic::resume_unwind(Box::new(NotStarted)),
            None if created => std::panic::resume_unwind(Box::new(NotStarted)),
            Some(Status::Down) => panic!("actor {actor:?} is down and kept nothing: use `View::get`"),
            _ => panic!("actor {actor:?} has no state of type {}", std::any::type_name::<S>()),
        }
    }

    /// The state of an actor, if it has one of this type; a crashed actor may have none.
    pub fn get<S: 'static>(&self, actor: Pid) -> Option<&S> {
        let n = self.index(actor)?;
        self.nth(usize::from(n))
    }

    /// The states of all actors that have one of this type.
    pub fn all<S: 'static>(&self) -> impl Iterator<Item = (Pid, &S)> {
        let slots = 0..self.worlds.slots(self.state);
        slots.filter_map(|n| Some((self.mirrors.names.pid(n as u16), self.nth(n)?)))
    }

    /// Whether an actor is up.
    pub fn is_up(&self, actor: Pid) -> bool {
        let n = self.index(actor);
        n.is_some_and(|n| self.mirrors.local(self.state, n).status == Status::Up)
    }

    /// Whether an actor has set a timer.
    pub fn timer_is_set(&self, actor: Pid, timer: &str) -> bool {
        let n = self.index(actor);
        n.is_some_and(|n| self.mirrors.local(self.state, n).timers.contains(&timer))
    }

    /// The messages in flight; those to one actor in an order in which its network may deliver them.
    pub fn flights(&self) -> Vec<Flight<'_>> {
        self.worlds.read_messages.set(true);
        let list = self.worlds.pending(&self.mirrors, self.state);
        let flight = |&(to, id): &(u16, u32)| {
            let envelope = self.mirrors.envelopes.get(id);
            let message = &*self.mirrors.values.get(envelope.message).value;
            let [from, to] = [envelope.from, to].map(|actor| self.mirrors.names.pid(actor));
            Flight { from, to, message }
        };
        list.iter().map(flight).collect()
    }

    /// The messages of this type that are in flight, with sender and destination.
    pub fn messages<M: 'static>(&self) -> Vec<(Pid, Pid, &M)> {
        self.flights().into_iter().filter_map(|f| Some((f.from, f.to, f.message()?))).collect()
    }

    #[inline]
    fn nth<S: 'static>(&self, n: usize) -> Option<&S> {
        let value: &dyn Any = self.mirrors.state_values[self.state.ids[n] as usize].as_deref()?;
        value.downcast_ref()
    }
}

impl View<'_> {
    /// The state of a monitor, if there is one with this name and a state of this type.
    pub fn monitor<S: Clone + 'static>(&self, name: &str) -> Option<S> {
        self.worlds.read_messages.set(true);
        let nth = self.worlds.blueprint().monitors.iter().position(|monitor| monitor.name == name)?;
        self.worlds.monitor_value(&self.mirrors, self.state, nth).as_any().downcast_ref().cloned()
    }
}
