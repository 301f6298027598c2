//! A global state as the argument of properties.

use crate::actor::Actor;
use crate::address::Handle;
use crate::erased::Value;
use crate::question::Memo;
use crate::state::State;
use crate::table::{Mirrors, Status};
use crate::worlds::Worlds;
use manyworlds_core::Pid;
use std::any::Any;
use std::cell::Ref;
use std::sync::atomic::Ordering;

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
    #[inline]
    fn index(&self, actor: Pid) -> Option<u16> {
        let declared = self.worlds.blueprint().index(actor);
        declared.or_else(|| self.mirrors.names.index(actor)).filter(|&n| usize::from(n) < self.slots())
    }

    /// The number of actors for which the state has slots: the declared and the created ones.
    #[inline]
    pub(crate) fn slots(&self) -> usize {
        self.worlds.slots(self.state)
    }

    /// The state of an actor. It is `None` before the actor has started, after it has halted, and after a crash that nothing survived; after
    /// another crash it is the part that survived.
    #[inline]
    pub fn state<A: Actor>(&self, actor: Handle<A>) -> Option<&A::State> {
        self.get(actor)
    }

    /// The same for an actor that is known by its id: `None` also if its state has another type.
    #[inline]
    pub fn get<S: 'static>(&self, actor: impl Into<Pid>) -> Option<&S> {
        let n = self.index(actor.into())?;
        self.nth(usize::from(n))
    }

    /// The states of all actors that have one of this type.
    pub fn all<S: 'static>(&self) -> impl Iterator<Item = (Pid, &S)> {
        let slots = 0..self.worlds.slots(self.state);
        slots.filter_map(|n| Some((self.mirrors.names.pid(n as u16), self.nth(n)?)))
    }

    /// Whether an actor is up.
    pub fn is_up(&self, actor: impl Into<Pid>) -> bool {
        let n = self.index(actor.into());
        n.is_some_and(|n| self.mirrors.local(self.state, n).status == Status::Up)
    }

    /// Whether an actor has set a timer.
    pub fn timer_is_set(&self, actor: impl Into<Pid>, timer: &str) -> bool {
        let n = self.index(actor.into());
        n.is_some_and(|n| self.mirrors.local(self.state, n).timers.contains(&timer))
    }

    /// The messages in flight; those to one actor in an order in which its network may deliver them.
    pub fn flights(&self) -> Vec<Flight<'_>> {
        self.worlds.read_messages.set(true);
        self.worlds.table.looked.store(true, Ordering::Relaxed);
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

    /// The id of the local state of an actor, and the user's state, if the actor has one.
    #[inline]
    pub(crate) fn local(&self, actor: u16) -> (u32, Option<&dyn Value>) {
        let id = self.state.ids[usize::from(actor)];
        (id, self.mirrors.state_values[id as usize].as_deref())
    }

    /// What the user's functions of local states returned before.
    #[inline]
    pub(crate) fn memo<R>(&self, use_it: impl FnOnce(&mut Memo) -> R) -> R {
        use_it(&mut self.worlds.memo.borrow_mut())
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
