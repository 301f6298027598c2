//! Monitors: automata that observe what actors do, inside the step in which they do it.
//!
//! A monitor has a state of its own, which is part of the global state. It observes receipts, sends (when they are made and when they enter the network,
//! which for actors happens in one step), creations, halts and what actors record. It may fail: that ends the step, of which nothing but the removal of
//! its input takes effect. Its states have temperatures: an execution must not end while a monitor is hot.
//!
//! What a monitor does depends on its state and on the effects of the step. Both are ids, so it runs once for each pair of them in a whole run; on the
//! way from one global state to another, two look-ups give the next environment and the change of the fingerprint (`watch`).

use crate::context::NoteKind;
use crate::erased::Value;
use crate::system::System;
use manyworlds_core::{Pid, Temperature};
use std::hash::Hash;
use std::sync::Arc;

/// Something that an actor does in a step.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// The actor.
    pub by: Pid,
    /// What it does.
    pub event: ObservedEvent<'a>,
}

/// Something that an actor does in a step. A step has them in this order: the receipt; creations and sends in the order of the program; records; the halt.
#[derive(Clone, Copy)]
pub enum ObservedEvent<'a> {
    /// It takes a message. (An ignored message is not taken.)
    Receives {
        /// The sender.
        from: Pid,
        /// The message.
        message: &'a dyn Value,
    },
    /// It makes a message.
    Sends {
        /// The destination.
        to: Pid,
        /// The message.
        message: &'a dyn Value,
    },
    /// The message enters the network; it does not if its destination has halted, or has crashed and cannot restart.
    Enqueues {
        /// The destination.
        to: Pid,
        /// The message.
        message: &'a dyn Value,
    },
    /// It creates an actor.
    Creates {
        /// The new actor.
        actor: Pid,
    },
    /// It records something: an operation, a response, a text, or any other value ([`Context::record`](crate::Context::record)).
    Records {
        /// The kind of the record.
        kind: NoteKind,
        /// The value.
        value: &'a dyn Value,
    },
    /// It halts.
    Halts,
}

impl<'a> Observed<'a> {
    /// Sender and message, if this is the receipt of a message of this type.
    pub fn received<M: 'static>(&self) -> Option<(Pid, &'a M)> {
        match self.event {
            ObservedEvent::Receives { from, message } => Some((from, message.as_any().downcast_ref()?)),
            _ => None,
        }
    }

    /// Destination and message, if a message of this type is made.
    pub fn sent<M: 'static>(&self) -> Option<(Pid, &'a M)> {
        match self.event {
            ObservedEvent::Sends { to, message } => Some((to, message.as_any().downcast_ref()?)),
            _ => None,
        }
    }

    /// Destination and message, if a message of this type enters the network.
    pub fn enqueued<M: 'static>(&self) -> Option<(Pid, &'a M)> {
        match self.event {
            ObservedEvent::Enqueues { to, message } => Some((to, message.as_any().downcast_ref()?)),
            _ => None,
        }
    }

    /// The value, if a value of this type is recorded.
    pub fn recorded<R: 'static>(&self) -> Option<&'a R> {
        match self.event {
            ObservedEvent::Records { value, .. } => value.as_any().downcast_ref(),
            _ => None,
        }
    }
}

/// A monitor. It must be deterministic: what it does depends on its arguments only.
pub trait Monitor: Send + Sync + 'static {
    /// Its state.
    type State: Value + Clone + Eq + Hash;

    /// The initial state.
    fn start(&self) -> Self::State;

    /// Whether it looks at an event in any of its states. The fewer events it observes, the fewer orders of steps must be explored.
    fn observes(&self, event: &Observed<'_>) -> bool {
        let _ = event;
        true
    }

    /// Observes an event. An error, or a panic, is a violation.
    fn step(&self, state: &mut Self::State, event: &Observed<'_>) -> Result<(), String>;

    /// The temperature of a state.
    fn temperature(&self, state: &Self::State) -> Temperature {
        let _ = state;
        Temperature::Warm
    }
}

/// A monitor with erased types.
pub trait AnyMonitor: Send + Sync {
    /// See [`Monitor::start`].
    fn start(&self) -> Arc<dyn Value>;
    /// See [`Monitor::observes`].
    fn observes(&self, event: &Observed<'_>) -> bool;
    /// See [`Monitor::step`].
    fn step(&self, state: &dyn Value, event: &Observed<'_>) -> Result<Arc<dyn Value>, String>;
    /// See [`Monitor::temperature`].
    fn temperature(&self, state: &dyn Value) -> Temperature;
}

impl<T: Monitor> AnyMonitor for T {
    fn start(&self) -> Arc<dyn Value> {
        Arc::new(Monitor::start(self))
    }

    fn observes(&self, event: &Observed<'_>) -> bool {
        Monitor::observes(self, event)
    }

    fn step(&self, state: &dyn Value, event: &Observed<'_>) -> Result<Arc<dyn Value>, String> {
        let mut state = own::<T>(state).clone();
        Monitor::step(self, &mut state, event)?;
        Ok(Arc::new(state))
    }

    fn temperature(&self, state: &dyn Value) -> Temperature {
        Monitor::temperature(self, own::<T>(state))
    }
}

fn own<T: Monitor>(state: &dyn Value) -> &T::State {
    state.as_any().downcast_ref().expect("a monitor's state has the monitor's state type")
}

/// A monitor of a system.
#[derive(Clone)]
pub struct DeclaredMonitor {
    /// Its name.
    pub name: String,
    /// What it does.
    pub code: Arc<dyn AnyMonitor>,
}

/// The maximal number of monitors of a system.
const MOST: usize = 32;

impl System {
    /// Adds a monitor.
    ///
    /// # Panics
    /// If there are 32 already.
    pub fn monitor(mut self, name: impl Into<String>, monitor: impl Monitor) -> System {
        let monitors = &mut self.blueprint_mut().monitors;
        assert!(monitors.len() < MOST, "a system has at most {MOST} monitors");
        monitors.push(DeclaredMonitor { name: name.into(), code: Arc::new(monitor) });
        self
    }
}
