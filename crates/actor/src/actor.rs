//! The trait that users implement.

use crate::context::Context;
use crate::erased::Value;
use crate::symmetry::Renaming;
use manyworlds_core::Pid;

/// An actor: how it starts and how it reacts. The value that implements this holds what never changes (who the peers are, how many
/// there must be for a quorum); all that changes is in `State`.
///
/// Handlers must be deterministic functions of what they are given; what is open is asked of [`Context::choose`].
pub trait Actor: Send + Sync + 'static {
    /// What the actor remembers.
    type State: Value + Clone + Eq + std::hash::Hash;
    /// What it understands. Actors of different kinds usually share one enum.
    type Message: Value + Clone + Eq + std::hash::Hash;

    /// The state in which it starts.
    fn start(&self, ctx: &mut Context<'_>) -> Self::State;

    /// A message arrives.
    fn message(&self, state: &mut Self::State, from: Pid, message: &Self::Message, ctx: &mut Context<'_>);

    /// A timer that it had set goes off; it is no longer set then.
    fn timer(&self, state: &mut Self::State, timer: &'static str, ctx: &mut Context<'_>) {
        let _ = (state, ctx);
        panic!("timer `{timer}` went off, but this actor does not handle timers: implement `Actor::timer`");
    }

    /// What survives a crash. `None`: nothing does, and the actor starts anew.
    fn durable(&self, state: &Self::State) -> Option<Self::State> {
        let _ = state;
        None
    }

    /// It comes up again with what survived.
    fn restart(&self, durable: Self::State, ctx: &mut Context<'_>) -> Self::State {
        let _ = ctx;
        durable
    }

    /// The state with every actor's id replaced by its new name; needed for symmetry if states mention ids.
    fn rename_state(&self, state: &Self::State, names: &Renaming) -> Self::State {
        let _ = names;
        state.clone()
    }

    /// The message with every actor's id replaced by its new name; needed for symmetry if messages mention ids.
    fn rename_message(&self, message: &Self::Message, names: &Renaming) -> Self::Message {
        let _ = names;
        message.clone()
    }
}
