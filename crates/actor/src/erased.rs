//! Actors, states and messages with erased types: actors of different kinds can be in one system without a wrapper enum.

use crate::actor::Actor;
use crate::context::Context;
use crate::symmetry::Renaming;
use manyworlds_core::{Accept, Pid, panics};
use manyworlds_explore::fingerprint;
use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A state, a message or the value of a note.
pub trait Value: Any + Debug + Send + Sync {
    /// For downcasting.
    fn as_any(&self) -> &dyn Any;
    /// Whether the other value has the same type and is equal.
    fn same(&self, other: &dyn Value) -> bool;
    /// The fingerprint of the value.
    fn print(&self) -> u128;
    /// The output of the user's `Debug`.
    fn show(&self) -> String;
    /// The name of its type.
    fn type_name(&self) -> &'static str;
}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Value for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn same(&self, other: &dyn Value) -> bool {
        other.as_any().downcast_ref::<T>() == Some(self)
    }

    fn print(&self) -> u128 {
        // The name and not the `TypeId`, which differs between builds.
        fingerprint::of(&(std::any::type_name::<T>(), self))
    }

    fn show(&self) -> String {
        // Reports need this text: a `Debug` that panics must not spoil the rest of the report.
        let shown = panics::listen(|| catch_unwind(AssertUnwindSafe(|| format!("{self:?}"))));
        shown.unwrap_or_else(|_| "(its Debug panics)".to_string())
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

/// An input of an actor.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// The actor starts.
    Start,
    /// A message arrives.
    Message(Pid, &'a dyn Value),
    /// A timer expires.
    Timer(&'static str),
    /// The actor restarts after a crash.
    Restart,
}

/// An actor with erased types.
pub trait AnyActor: Send + Sync {
    /// Runs the handler for `event` in `state` (`None`: nothing survived, or it never started) and returns the next state.
    fn react(&self, state: Option<&dyn Value>, event: Event<'_>, ctx: &mut Context<'_>) -> Arc<dyn Value>;
    /// The part of the state that survives a crash.
    fn durable(&self, state: &dyn Value) -> Option<Arc<dyn Value>>;
    /// See [`Actor::rename_state`].
    fn rename_state(&self, state: &dyn Value, names: &Renaming) -> Arc<dyn Value>;
    /// See [`Actor::accepts`]; a message of another type is taken, and that is a failure.
    fn accepts(&self, state: &dyn Value, from: Pid, message: &dyn Value) -> Accept {
        let _ = (state, from, message);
        Accept::Take
    }
    /// See [`Actor::defers`].
    fn defers(&self) -> bool {
        false
    }
    /// The type of the messages that the actor handles, if this is not one of them.
    fn refuses(&self, message: &dyn Value) -> Option<&'static str>;
    /// Whether it was reserved and not defined: see [`crate::System::reserve`].
    fn is_undefined(&self) -> bool {
        false
    }
    /// See [`Actor::rename_message`]; `None` if the message does not have the message type of this actor.
    fn rename_message(&self, message: &dyn Value, names: &Renaming) -> Option<Arc<dyn Value>>;
}

impl<A: Actor> AnyActor for A {
    fn react(&self, state: Option<&dyn Value>, event: Event<'_>, ctx: &mut Context<'_>) -> Arc<dyn Value> {
        let known = || state.map(|state| own::<A>(state).clone());
        let started = "an actor that reacts has started";
        Arc::new(match event {
            Event::Start => self.start(ctx),
            Event::Restart => match known() {
                Some(durable) => self.restart(durable, ctx),
                None => self.start(ctx),
            },
            Event::Timer(timer) => {
                let mut state = known().expect(started);
                self.timer(&mut state, timer, ctx);
                state
            }
            Event::Message(from, message) => {
                let mut state = known().expect(started);
                match message.as_any().downcast_ref::<A::Message>() {
                    Some(message) => self.message(&mut state, from, message, ctx),
                    None => ctx.misused(format!(
                        "a message of type `{}` arrived; this actor understands `{}`",
                        message.type_name(),
                        std::any::type_name::<A::Message>()
                    )),
                }
                state
            }
        })
    }

    fn durable(&self, state: &dyn Value) -> Option<Arc<dyn Value>> {
        Some(Arc::new(Actor::durable(self, own::<A>(state))?))
    }

    fn rename_state(&self, state: &dyn Value, names: &Renaming) -> Arc<dyn Value> {
        Arc::new(Actor::rename_state(self, own::<A>(state), names))
    }

    fn accepts(&self, state: &dyn Value, from: Pid, message: &dyn Value) -> Accept {
        let message = message.as_any().downcast_ref::<A::Message>();
        message.map_or(Accept::Take, |message| Actor::accepts(self, own::<A>(state), from, message))
    }

    fn defers(&self) -> bool {
        Actor::defers(self)
    }

    fn refuses(&self, message: &dyn Value) -> Option<&'static str> {
        (!message.as_any().is::<A::Message>()).then(std::any::type_name::<A::Message>)
    }

    fn rename_message(&self, message: &dyn Value, names: &Renaming) -> Option<Arc<dyn Value>> {
        let message = message.as_any().downcast_ref::<A::Message>()?;
        Some(Arc::new(Actor::rename_message(self, message, names)))
    }
}

fn own<A: Actor>(state: &dyn Value) -> &A::State {
    state.as_any().downcast_ref().expect("an actor's state has the actor's state type")
}

/// What stands for an actor that was reserved until it is defined.
pub(crate) struct Undefined;

impl AnyActor for Undefined {
    fn react(&self, _: Option<&dyn Value>, _: Event<'_>, ctx: &mut Context<'_>) -> Arc<dyn Value> {
        ctx.misused("this actor was reserved and not defined: call `System::define`".to_string());
        Arc::new(())
    }

    fn durable(&self, _: &dyn Value) -> Option<Arc<dyn Value>> {
        None
    }

    fn rename_state(&self, _: &dyn Value, _: &Renaming) -> Arc<dyn Value> {
        Arc::new(())
    }

    fn refuses(&self, _: &dyn Value) -> Option<&'static str> {
        None
    }

    fn is_undefined(&self) -> bool {
        true
    }

    fn rename_message(&self, _: &dyn Value, _: &Renaming) -> Option<Arc<dyn Value>> {
        None
    }
}
