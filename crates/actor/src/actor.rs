//! The trait that users implement.

use crate::context::Context;
use crate::erased::Value;
use crate::symmetry::Renaming;
use manyworlds_core::{Accept, Pid};

/// An actor: its initial state and its handlers. The value that implements this trait holds constants (ids of peers, the size of a quorum);
/// everything that changes is in `State`.
///
/// Handlers must be deterministic functions of their arguments; nondeterminism is expressed by [`Context::choose`].
pub trait Actor: Send + Sync + 'static {
    /// The local state of the actor.
    type State: Value + Clone + Eq + std::hash::Hash;
    /// The messages that the actor handles. Actors of different kinds usually share one enum.
    type Message: Value + Clone + Eq + std::hash::Hash;

    /// Returns the initial state.
    fn start(&self, ctx: &mut Context<'_>) -> Self::State;

    /// Handles a message.
    fn message(&self, state: &mut Self::State, from: Pid, message: &Self::Message, ctx: &mut Context<'_>);

    /// Handles a timer that was set and expired; it is no longer set.
    fn timer(&self, state: &mut Self::State, timer: &'static str, ctx: &mut Context<'_>) {
        let _ = (state, ctx);
        panic!("timer `{timer}` went off, but this actor does not handle timers: implement `Actor::timer`");
    }

    /// The part of the state that survives a crash. `None`: nothing does, and a restart calls [`Actor::start`].
    fn durable(&self, state: &Self::State) -> Option<Self::State> {
        let _ = state;
        None
    }

    /// Restarts the actor with the part of its state that survived.
    fn restart(&self, durable: Self::State, ctx: &mut Context<'_>) -> Self::State {
        let _ = ctx;
        durable
    }

    /// What the actor does in a state with a message that could be delivered to it. The default takes every message; an actor that answers anything else
    /// must also say so by [`Actor::defers`].
    ///
    /// A deferred message keeps its place: the first message in its queue that is not deferred is next. An ignored message is removed by a step that does
    /// nothing else.
    fn accepts(&self, state: &Self::State, from: Pid, message: &Self::Message) -> Accept {
        let _ = (state, from, message);
        Accept::Take
    }

    /// Whether [`Actor::accepts`] may answer anything but [`Accept::Take`].
    fn defers(&self) -> bool {
        false
    }

    /// The state with every actor id replaced by its new name; needed for symmetry reduction if states contain ids.
    fn rename_state(&self, state: &Self::State, names: &Renaming) -> Self::State {
        let _ = names;
        state.clone()
    }

    /// The message with every actor id replaced by its new name; needed for symmetry reduction if messages contain ids.
    fn rename_message(&self, message: &Self::Message, names: &Renaming) -> Self::Message {
        let _ = names;
        message.clone()
    }
}
